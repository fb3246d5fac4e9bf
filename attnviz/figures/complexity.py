"""What layers cost: operations by length, time and memory as measured, the path of information."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from attnviz.figures import theme

_RULE = {"showline": True, "linewidth": 1, "linecolor": theme.NEUTRAL, "fixedrange": True}
_LEGEND = {"orientation": "h", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"}
_ROOM = 40  # pixels for two lines of a legend

Place = tuple[int, int]


def cost_by_length(
    costs: Mapping[str, np.ndarray],
    lengths: np.ndarray,
    *,
    colours: Mapping[str, str],
    crossings: Sequence[tuple[float, float, str]] = (),
    marked: float | None = None,
    dashed: Collection[str] = (),
    axis: str = "operations a layer",
    title: str = "",
    height: int = 420,
) -> go.Figure:
    """Operations against the number of tokens, both axes logarithmic.

    Args:
        costs: name → operations at each of ``lengths``.
        colours: of each name.
        crossings: n, operations and words of the points where two lines meet.
        marked: a length to point out, with a dotted line.
        dashed: names to draw with a broken line.

    Raises:
        ValueError: a line has another number of values than there are lengths.
    """
    figure = theme.sheet(title=title, height=height, room=_ROOM)
    for name, values in costs.items():
        if len(values) != len(lengths):
            raise ValueError(f"{name}: {len(values)} values for {len(lengths)} lengths")
        figure.add_scatter(**_line(name, lengths, values, colours[name], name in dashed))
        figure.data[
            -1
        ].hovertemplate = f"{theme.escape(name)}<br>n = %{{x:,.0f}}: %{{y:.3s}}<extra></extra>"
    if crossings:
        x, y, words = zip(*crossings, strict=True)
        figure.add_scatter(
            x=x, y=y, mode="markers+text", text=[theme.escape(word) for word in words],
            textposition="bottom right", showlegend=False, cliponaxis=False,
            marker={"size": 11, "symbol": "circle-open", "color": theme.NEUTRAL, "line_width": 2},
            hovertemplate="%{text}: both take %{y:.3s}<extra></extra>",
        )  # fmt: skip
    if marked is not None:
        figure.add_vline(x=marked, line={"color": theme.NEUTRAL, "width": 1, "dash": "dot"})
    _logarithmic(figure, lengths, [*costs.values()], axis)
    return figure.update_layout(showlegend=True, legend=_LEGEND)


def measured_by_length(
    measured: Mapping[str, tuple[Sequence[int], Sequence[float]]],
    *,
    colours: Mapping[str, str],
    dashed: Collection[str] = (),
    axis: str,
    unit: str,
    spread: Mapping[str, tuple[Sequence[float], Sequence[float]]] | None = None,
    title: str = "",
    height: int = 380,
) -> go.Figure:
    """What was measured at each length, both axes logarithmic.

    Args:
        measured: name → lengths and values above 0.
        spread: name → least and greatest value at each of its lengths, drawn as thin bars.
        axis, unit: what the values are, and what they are in, such as ``"s"``.
    """
    figure = theme.sheet(title=title, height=height, room=_ROOM)
    for name, (lengths, values) in measured.items():
        figure.add_scatter(**_line(name, lengths, values, colours[name], name in dashed))
        figure.data[-1].update(
            mode="lines+markers",
            marker={"size": 6},
            hovertemplate=f"{theme.escape(name)}<br>n = %{{x:,}}: %{{y:.3s}}{unit}<extra></extra>",
        )
        if spread and name in spread:
            low, high = (np.asarray(end, dtype=np.float64) for end in spread[name])
            figure.data[-1].error_y = {
                "type": "data", "array": high - values, "arrayminus": values - low,
                "thickness": 1, "width": 2, "color": colours[name],
            }  # fmt: skip
    known = [n for lengths, _ in measured.values() for n in lengths]
    drawn = [np.asarray(values) for _, values in measured.values() if len(values)]
    _logarithmic(figure, np.array(known or [16, 256]), drawn, axis)
    figure.update_yaxes(ticksuffix=unit, exponentformat="SI")
    return figure.update_layout(showlegend=True, legend=_LEGEND)


def information_path(
    edges: Sequence[tuple[Place, Place]],
    path: Sequence[Place],
    reached: Collection[Place],
    *,
    names: Sequence[str],
    colour: str = theme.ACCENT,
    title: str = "",
    height: int = 300,
) -> go.Figure:
    """Tokens in layers, what is connected with what, and one path through it, lit.

    Args:
        edges: from (row, token) to (row, token); row 0 is what goes in, drawn at the bottom.
        path: places from the beginning to the end.
        reached: places that know the beginning: filled.
        names: of the rows, from the bottom.
    """
    figure = theme.sheet(title=title, height=height, room=4)
    count = 1 + max(token for edge in edges for _, token in edge)
    thin = {"color": theme.NEUTRAL, "width": 1}
    figure.add_scatter(**_strokes(edges), line=thin, opacity=0.4, hoverinfo="skip")
    lit = list(itertools.pairwise(path))
    figure.add_scatter(**_strokes(lit), line={"color": colour, "width": 4}, hoverinfo="skip")
    places = [(row, token) for row in range(len(names)) for token in range(count)]
    known, on_path = set(reached), set(path)
    figure.add_scatter(
        x=[token + 1 for _, token in places],
        y=[row for row, _ in places],
        mode="markers",
        marker={
            "size": [13 if place in on_path else 8 for place in places],
            "color": [colour if place in known else theme.NEUTRAL for place in places],
            "symbol": ["circle" if place in known else "circle-open" for place in places],
            "opacity": 1,
        },
        customdata=[
            [theme.escape(names[row]), "knows" if (row, token) in known else "does not know"]
            for row, token in places
        ],
        hovertemplate="%{customdata[0]}, token %{x}: %{customdata[1]} the first<extra></extra>",
    )
    figure.update_xaxes(
        range=[0.4, count + 0.6], tickvals=[1, count], ticktext=["first token", "last token"],
        fixedrange=True,
    )  # fmt: skip
    figure.data[-1].cliponaxis = False
    figure.update_yaxes(
        range=[-0.35, len(names) - 0.65], tickvals=[0, len(names) - 1],
        ticktext=[theme.escape(names[0]), theme.escape(names[-1])], fixedrange=True,
    )  # fmt: skip
    return figure


def _strokes(edges: Sequence[tuple[Place, Place]]) -> dict[str, Any]:
    """Edges as one broken line."""
    ends = [end for edge in edges for end in (*edge, (None, None))]
    return {
        "x": [None if token is None else token + 1 for _, token in ends],
        "y": [row for row, _ in ends],
        "mode": "lines",
    }


def _line(name: str, x: Any, y: Any, colour: str, dashed: bool) -> dict[str, Any]:
    return {
        "x": np.asarray(x),
        "y": np.asarray(y, dtype=np.float64),
        "name": theme.escape(name),
        "mode": "lines",
        "line": {"color": colour, "width": 2.5, "dash": "dash" if dashed else "solid"},
    }


def _logarithmic(
    figure: go.Figure, lengths: np.ndarray, values: Sequence[np.ndarray], axis: str
) -> None:
    """Both axes, with the same room on all sides; ticks at powers."""
    x = np.log10([lengths.min(), lengths.max()])
    figure.update_xaxes(
        title_text="tokens n", type="log", range=[x[0] - 0.05, x[1] + 0.05], tickmode="array",
        tickvals=(ticks := [4**power for power in range(9) if x[0] <= np.log10(4**power) <= x[1]]),
        ticktext=[f"{tick:,}" for tick in ticks], **_RULE,
    )  # fmt: skip
    y = np.log10([min(v.min() for v in values), max(v.max() for v in values)]) if values else [0, 1]
    figure.update_yaxes(
        title_text=theme.escape(axis), type="log", range=[y[0] - 0.15, y[1] + 0.15],
        exponentformat="power", dtick=max(1, round((y[1] - y[0]) / 6)), **_RULE,
    )  # fmt: skip
