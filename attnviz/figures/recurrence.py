"""Recurrent networks over time: a unit's curve, how far gradients reach, scores by length."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from attnviz.figures import theme
from attnviz.figures.matrix import MAX_LABELS

_RULE = {"showline": True, "linewidth": 1, "linecolor": theme.NEUTRAL, "fixedrange": True}
_LEGEND = {"orientation": "h", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"} | {
    "traceorder": "normal"
}
_SHORT = 12  # characters of a piece on an axis
_ROOM = 40  # pixels for two lines of a legend


def unit_over_time(
    curves: Mapping[str, np.ndarray],
    labels: Sequence[str],
    *,
    split: int,
    title: str = "",
    height: int = 300,
) -> go.Figure:
    """What one unit of a cell does over time.

    Args:
        curves: part of the cell → (steps,).
        labels: what each step is given; the axis numbers them, so repeated ones stay apart.
        split: the first step of the decoder; a dotted line before it.

    Raises:
        ValueError: a curve has another number of values than there are labels.
    """
    figure = theme.sheet(title=title, height=height, room=_ROOM)
    for (name, values), colour in zip(curves.items(), theme.CATEGORICAL, strict=False):
        _same_length(name, values, labels)
        figure.add_scatter(
            x=np.arange(len(labels), dtype=np.uint16),
            y=np.asarray(values, dtype=np.float32),
            name=theme.escape(name),
            mode="lines+markers",
            line={"color": colour, "width": 2},
            marker={"size": 4},
            customdata=[theme.escape(label) for label in labels],
            hovertemplate=f"%{{x}} %{{customdata}}<br>{theme.escape(name)}: %{{y:.4f}}"
            "<extra></extra>",
        )
    figure.add_vline(x=split - 0.5, line={"color": theme.NEUTRAL, "width": 1, "dash": "dot"})
    _label_pieces(figure, labels)
    return figure.update_yaxes(**_RULE).update_layout(showlegend=True, legend=_LEGEND)


def gradient_reach(
    curves: Mapping[str, np.ndarray],
    *,
    dashed: Collection[str] = (),
    title: str = "",
    axis: str = "gradient, as a share of the last step’s",
    height: int = 420,
) -> go.Figure:
    """Gradients by their distance to the end, on a logarithmic axis.

    Args:
        curves: name → (3, steps): lower end of a band, middle, upper end, from
            ``attnviz.recurrence.Gradients.curve``; all above 0.
        dashed: names to draw with a broken line.
    """
    figure = theme.sheet(title=title, height=height, room=_ROOM)
    lowest, highest = 0.0, 0.0
    for (name, curve), colour in zip(curves.items(), theme.CATEGORICAL, strict=False):
        x = np.arange(curve.shape[1], dtype=np.uint16)
        low, middle, high = np.asarray(curve, dtype=np.float64)
        band = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
        figure.add_scatter(x=x, y=low, **band)
        figure.add_scatter(x=x, y=high, fill="tonexty", fillcolor=theme.thin(colour), **band)
        figure.add_scatter(
            x=x,
            y=middle,
            name=theme.escape(name),
            mode="lines",
            line={"color": colour, "width": 2, "dash": "dash" if name in dashed else "solid"},
            hovertemplate=f"{theme.escape(name)}<br>%{{x}} steps before the end: %{{y:.2e}}"
            "<extra></extra>",
        )
        lowest = min(lowest, float(np.log10(low).min()))
        highest = max(highest, float(np.log10(high).max()))
    room = 0.04 * max(highest - lowest, 1)
    figure.update_xaxes(title_text="steps before the end", rangemode="tozero", **_RULE)
    figure.update_yaxes(
        title_text=theme.escape(axis),
        type="log",
        range=[lowest - room, highest + room],
        exponentformat="power",
        dtick=max(1, round((highest - lowest) / 6)),
        **_RULE,
    )
    return figure.update_layout(showlegend=True, legend=_LEGEND)


@dataclass(frozen=True)
class Score:
    """A score of sentences of one length.

    Args:
        value: the score; None where nothing was measured.
        count: of how many sentences.
        low, high: the interval that it lies in, if one is known.
    """

    value: float | None
    count: int
    low: float | None = None
    high: float | None = None


def score_by_length(
    bins: Sequence[tuple[int, int]],
    curves: Mapping[str, Sequence[Score]],
    *,
    again: Mapping[str, Sequence[Score]] | None = None,
    axis: str,
    share: bool = True,
    title: str = "",
    height: int = 420,
) -> go.Figure:
    """Scores by the length of the source: lines of one measurement, rings of another.

    Args:
        bins: shortest and longest source of each, in pieces.
        curves: name → one score a bin.
        again: the same names measured again, drawn as rings in the same colours.
        axis: what the scores are.
        share: values are shares of 1, drawn from 0 to 100 %; else from 0 to 100.

    Raises:
        ValueError: a curve has another number of scores than there are bins.
    """
    for name, scores in [*curves.items(), *(again or {}).items()]:
        _same_length(name, scores, bins)
    figure = theme.sheet(title=title, height=height, room=_ROOM)
    names = [f"{first}–{last}" for first, last in bins]
    places = np.arange(len(bins))
    counts = [
        max((scores[i].count for scores in curves.values()), default=0) for i in range(len(bins))
    ]
    for number, (name, scores) in enumerate(curves.items()):
        colour = theme.CATEGORICAL[number % len(theme.CATEGORICAL)]
        aside = (number - (len(curves) - 1) / 2) * 0.05  # so that bars do not hide each other
        figure.add_scatter(**_points(name, scores, places + aside, names, share, colour))
        if again and name in again:
            figure.add_scatter(
                **_points(name, again[name], places + aside, names, share, colour, again=True)
            )
    figure.update_xaxes(
        title_text="pieces of the source, and how many sentences",
        tickvals=places.tolist(),
        ticktext=[f"{name}<br>{count:,}" for name, count in zip(names, counts, strict=True)],
        range=[-0.4, len(bins) - 0.6],
        **_RULE,
    )
    top = 1.04 if share else 104
    figure.update_yaxes(
        title_text=theme.escape(axis), range=[0, top], tickformat=".0%" if share else "", **_RULE
    )
    return figure.update_layout(showlegend=True, legend=_LEGEND)


def _points(
    name: str,
    scores: Sequence[Score],
    x: np.ndarray,
    bins: Sequence[str],
    share: bool,
    colour: str,
    again: bool = False,
) -> dict[str, Any]:
    """A curve, or rings for a second measurement, with bars where an interval is known."""
    values = np.array([np.nan if s.value is None else s.value for s in scores], dtype=np.float32)
    up = [0 if s.high is None or s.value is None else s.high - s.value for s in scores]
    down = [0 if s.low is None or s.value is None else s.value - s.low for s in scores]
    unit = "%{y:.1%}" if share else "%{y:.1f}"
    kind = ", measured now" if again else ""
    return {
        "x": x,
        "y": values,
        "name": theme.escape(name + kind),
        "mode": "markers" if again else "lines+markers",
        "line": {"color": colour, "width": 2},
        "marker": {
            "color": colour,
            "size": 13 if again else 6,
            "symbol": "circle-open" if again else "circle",
            "line": {"width": 2, "color": colour},
        },
        "error_y": {
            "type": "data",
            "array": up,
            "arrayminus": down,
            "thickness": 1,
            "width": 3,
            "color": colour,
            "visible": any(up) or any(down),
        },
        "customdata": [[label, s.count] for label, s in zip(bins, scores, strict=True)],
        "hovertemplate": f"{theme.escape(name + kind)}<br>%{{customdata[0]}} pieces: {unit} "
        "of %{customdata[1]:,} sentences<extra></extra>",
    }


def lag_by_place(
    lags: Mapping[str, np.ndarray], *, title: str = "", height: int = 300
) -> go.Figure:
    """Steps between reading a word and writing what it becomes, by its place in the translation.

    Args:
        lags: name → (t,) steps; NaN where nothing is known.
    """
    figure = theme.sheet(title=title, height=height, room=24)
    for (name, values), colour in zip(lags.items(), theme.CATEGORICAL, strict=False):
        figure.add_scatter(
            x=np.arange(len(values), dtype=np.uint16),
            y=np.asarray(values, dtype=np.float32),
            name=theme.escape(name),
            mode="lines+markers",
            connectgaps=True,
            line={"color": colour, "width": 2},
            marker={"size": 5},
            hovertemplate=f"{theme.escape(name)}<br>target piece %{{x}}: %{{y:.1f}} steps"
            "<extra></extra>",
        )
    figure.update_xaxes(title_text="piece of the translation", **_RULE)
    figure.update_yaxes(title_text="steps since it was read", rangemode="tozero", **_RULE)
    return figure.update_layout(showlegend=True, legend=_LEGEND)


def piece_chances(
    pieces: Sequence[str], chances: np.ndarray, *, title: str = "", height: int = 170
) -> go.Figure:
    """How sure a model was of every piece that it wrote.

    Args:
        pieces: in the order in which they were written.
        chances: (t,) the probability of each, given those before it.

    Raises:
        ValueError: there are more or fewer chances than pieces.
    """
    _same_length("chances", chances, pieces)
    figure = theme.sheet(title=title, height=height, bargap=0.3)
    figure.add_bar(
        x=np.arange(len(pieces), dtype=np.uint16),
        y=np.asarray(chances, dtype=np.float32),
        marker={"color": theme.ACCENT},
        customdata=[theme.escape(piece) for piece in pieces],
        hovertemplate="%{x} %{customdata}: %{y:.1%}<extra></extra>",
    )
    _label_pieces(figure, pieces)
    return figure.update_yaxes(
        title_text="probability", range=[0, 1.02], tickvals=[0, 0.5, 1], tickformat=".0%", **_RULE
    )


def _label_pieces(figure: go.Figure, labels: Sequence[str]) -> None:
    """Numbered pieces under an axis of steps; with many of them some go unlabelled."""
    shown = range(0, len(labels), max(1, -(-len(labels) // MAX_LABELS)))
    figure.update_xaxes(
        range=[-0.6, max(len(labels), 1) - 0.4],
        tickvals=list(shown),
        ticktext=[f"{index} {theme.escape(_shortened(labels[index]))}" for index in shown],
        tickangle=-90 if len(labels) > 8 else 0,
        **_RULE,
    )


def _same_length(name: str, values: Sequence[Any] | np.ndarray, places: Sequence[Any]) -> None:
    if len(values) != len(places):
        raise ValueError(f"{name}: {len(values)} values for {len(places)} places")


def _shortened(label: str) -> str:
    return label if len(label) <= _SHORT else label[: _SHORT - 1] + "…"
