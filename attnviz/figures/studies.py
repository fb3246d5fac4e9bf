"""Studies of an attention layer: curves by size of a key, matrices side by side, losses."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from attnviz.figures import theme
from attnviz.figures.matrix import MAX_LABELS

_RULE = {"showline": True, "linewidth": 1, "linecolor": theme.NEUTRAL, "fixedrange": True}
_LEGEND = {"orientation": "h", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"} | {
    "traceorder": "normal"
}
_DOTTED = {"color": theme.NEUTRAL, "width": 1, "dash": "dot"}
_SHORT = 12  # characters of a token on an axis
_HEAD = 30  # pixels for the title of a panel

Curves = Mapping[str, np.ndarray]


def by_size(
    sizes: Sequence[int],
    panels: Mapping[str, Curves],
    *,
    columns: int = 2,
    marked: int | None = None,
    ceilings: Mapping[str, float] | None = None,
    logarithmic: Collection[str] = (),
    axis: str = "size of a key, d",
    title: str = "",
    height: int = 560,
) -> go.Figure:
    """Small figures beside each other, each with bands of the same curves over sizes.

    Args:
        sizes: ascending; the axis is spaced by their logarithm.
        panels: what is measured → name of a curve → (3, sizes): lower end of a band, middle, upper
            end. Curves have the same colour in every panel.
        marked: a size to point out.
        ceilings: what is measured → the most there can be, as a dotted line.
        logarithmic: panels whose values are spaced by their logarithm, too.

    Raises:
        ValueError: a curve has another number of values than there are sizes.
    """
    figure = theme.sheet(title=title, height=height, room=28 + _HEAD)
    rows = -(-len(panels) // columns)
    ticks = [size for size in sizes if size & (size - 1) == 0]
    for place, (panel, curves) in enumerate(panels.items()):
        axes = _add_panel(figure, panel, place, rows, columns, height)
        for (name, curve), colour in zip(curves.items(), theme.CATEGORICAL, strict=False):
            if np.shape(curve) != (3, len(sizes)):
                raise ValueError(f"{name}: {np.shape(curve)} is not (3, {len(sizes)})")
            _add_band(figure, axes, sizes, name, curve, colour, legend=not place)
        if ceilings and panel in ceilings:
            _add_line(figure, axes, across=ceilings[panel])
        if marked is not None:
            _add_line(figure, axes, down=marked)
        figure.layout[axes.x_name].update(
            type="log",
            tickvals=ticks[:: 2 if columns > 1 else 1],
            title_text=theme.escape(axis) if place + columns >= len(panels) else "",
            **_RULE,
        )
        power = {"type": "log", "exponentformat": "power", "dtick": 1}
        linear = {"rangemode": "tozero", "nticks": 5}
        figure.layout[axes.y_name].update(**(power if panel in logarithmic else linear), **_RULE)
    return figure.update_layout(showlegend=True, legend=_above(height, 28 + _HEAD))


def score_histograms(
    scores: Mapping[str, np.ndarray], *, title: str = "", height: int = 230
) -> go.Figure:
    """How scores are distributed, as outlines over each other on shared bins.

    Args:
        scores: name → values.
    """
    reach = max((float(np.abs(values).max(initial=0)) for values in scores.values()), default=1)
    edges = np.linspace(-reach, reach, 81)
    figure = theme.sheet(title=title, height=height, room=28)
    for (name, values), colour in zip(scores.items(), theme.CATEGORICAL, strict=False):
        share = np.histogram(values, edges)[0] / max(np.size(values), 1)
        figure.add_scatter(
            x=(edges[1:] + edges[:-1]) / 2,
            y=share.astype(np.float32),
            name=theme.escape(name),
            mode="lines",
            line={"color": colour, "width": 1.5, "shape": "hvh"},
            fill="tozeroy",
            fillcolor=theme.thin(colour),
            hovertemplate=f"{theme.escape(name)}<br>about %{{x:.2~f}}: %{{y:.1%}}<extra></extra>",
        )
    figure.update_xaxes(title_text="score", nticks=7, **_RULE)
    figure.update_yaxes(rangemode="tozero", tickformat=".0%", nticks=4, **_RULE)
    return figure.update_layout(showlegend=True, legend=_above(height, 28))


def variance_by_size(
    sizes: Sequence[int], measured: np.ndarray, *, marked: int | None = None, height: int = 260
) -> go.Figure:
    """The variance of q·k as measured, over the line that it should lie on, on logarithmic axes."""
    figure = theme.sheet(height=height, room=28)
    figure.add_scatter(
        x=list(sizes), y=list(sizes), name="d", mode="lines", line=_DOTTED, hoverinfo="skip"
    )
    figure.add_scatter(
        x=list(sizes),
        y=np.asarray(measured, dtype=np.float32),
        name="measured",
        mode="markers",
        marker={
            "color": theme.ACCENT,
            "size": [11 if size == marked else 6 for size in sizes],
        },
        hovertemplate="d = %{x}: variance %{y:.4~g}<extra></extra>",
    )
    ticks = [size for size in sizes if size & (size - 1) == 0][::2]
    scale = {"type": "log", "tickvals": ticks, **_RULE}
    figure.update_xaxes(title_text="size of a key, d", **scale)
    figure.update_yaxes(title_text="variance of q·k", **scale)
    return figure.update_layout(showlegend=True, legend=_above(height, 28))


def matrix_panels(
    panels: Mapping[str, np.ndarray],
    rows: Sequence[Sequence[str]],
    *,
    columns: int,
    across: Sequence[Sequence[str]] | None = None,
    name: str,
    colours: theme.Colours = "diverging",
    maximum: float | None = None,
    gap: float = 0.03,
    title: str = "",
    height: int = 560,
) -> go.Figure:
    """Matrices beside each other on one colour scale.

    Args:
        panels: title → (r, c).
        rows: for each panel the names of its rows; shown literally, once for equal neighbours.
        across: for each panel the names of its columns; none: they are numbered in the hover text.
        name: what the values are.
        gap: between columns, as a share of the width; more where every panel names its rows.

    Raises:
        ValueError: names do not fit a matrix.
    """
    figure = theme.sheet(title=title, height=height, room=theme.COLOUR_BAR_ROOM + _HEAD)
    every = np.concatenate([matrix.ravel() for matrix in panels.values()])
    scale = theme.scale(every, colours=colours, maximum=maximum, name=name)
    scale["colorbar"]["y"] = 1 + _HEAD / (height - theme.COLOUR_BAR_ROOM - _HEAD - 24)
    lines = -(-len(panels) // columns)
    for place, (panel, matrix) in enumerate(panels.items()):
        top = None if across is None else across[place]
        if len(matrix) != len(rows[place]) or (top is not None and matrix.shape[1] != len(top)):
            raise ValueError(f"{panel}: {matrix.shape} does not fit the names of its axes")
        axes = _add_panel(figure, panel, place, lines, columns, height, gap)
        figure.add_heatmap(
            z=matrix.astype(np.float32),
            **axes.of_trace,
            **scale,
            showscale=not place,
            customdata=np.array([[theme.escape(n)] * matrix.shape[1] for n in rows[place]]),
            hovertemplate=f"%{{customdata}}, column %{{x}}<br>{theme.escape(name)} %{{z:.3~g}}"
            "<extra></extra>",
        )
        known = place % columns and rows[place] == rows[place - 1]
        figure.layout[axes.y_name].update(
            _names(rows[place], hidden=bool(known)) | {"range": [len(matrix) - 0.5, -0.5]}
        )
        hidden = top is None or place + columns < len(panels)
        figure.layout[axes.x_name].update(
            _names(top or [""] * matrix.shape[1], hidden=hidden)
            | {"range": [-0.5, matrix.shape[1] - 0.5]}
        )
    return figure


def losses_by_step(
    curves: Curves,
    *,
    floor: float,
    floor_name: str,
    axis: str,
    height: int = 420,
) -> go.Figure:
    """Losses over the steps of a training, on a logarithmic axis, and what one of them cannot pass.

    Args:
        curves: name → (steps,), above 0.
        floor: drawn as a dotted line.
    """
    figure = theme.sheet(height=height, room=28)
    for (name, values), colour in zip(curves.items(), theme.CATEGORICAL, strict=False):
        figure.add_scatter(
            x=np.arange(len(values), dtype=np.uint16),
            y=np.asarray(values, dtype=np.float32),
            name=theme.escape(name),
            mode="lines",
            line={"color": colour, "width": 2},
            hovertemplate=f"{theme.escape(name)}<br>step %{{x}}: %{{y:.3~g}}<extra></extra>",
        )
    figure.add_hline(
        floor,
        line=_DOTTED,
        annotation={
            "text": theme.escape(floor_name),
            "y": float(np.log10(floor)),  # annotations, unlike shapes, are placed by the exponent
            "xanchor": "right",
            "yanchor": "top",
        },
    )
    figure.update_xaxes(title_text="training step", **_RULE)
    figure.update_yaxes(
        title_text=theme.escape(axis), type="log", exponentformat="power", dtick=1, **_RULE
    )
    return figure.update_layout(showlegend=True, legend=_above(height, 28))


def place_weights(
    places: Sequence[str], weights: np.ndarray, *, marked: int | None = None, height: int = 250
) -> go.Figure:
    """One row of attention weights as bars over its places.

    Args:
        marked: the place that asks, in the colour of what is not spoken about.
    """
    figure = theme.sheet(height=height, bargap=0.25)
    colours = [theme.NEUTRAL if i == marked else theme.ACCENT for i in range(len(places))]
    figure.add_bar(
        x=np.arange(len(places), dtype=np.uint16),
        y=np.asarray(weights, dtype=np.float32),
        marker={"color": colours},
        customdata=[theme.escape(place) for place in places],
        hovertemplate="%{x} %{customdata}: %{y:.4f}<extra></extra>",
    )
    figure.update_xaxes(
        **_names([f"{i} {place}" for i, place in enumerate(places)]), showline=True, tickangle=-90
    )
    return figure.update_yaxes(title_text="weight", rangemode="tozero", nticks=4, **_RULE)


class _Axes(NamedTuple):
    """The axes of one panel: of the n-th, ``x3`` in traces and ``xaxis3`` in the layout."""

    number: str

    @property
    def of_trace(self) -> dict[str, str]:
        return {"xaxis": f"x{self.number}", "yaxis": f"y{self.number}"}

    @property
    def x_name(self) -> str:
        return f"xaxis{self.number}"

    @property
    def y_name(self) -> str:
        return f"yaxis{self.number}"


def _add_panel(
    figure: go.Figure,
    title: str,
    place: int,
    rows: int,
    columns: int,
    height: int,
    gap: float = 0.1,
) -> _Axes:
    """A pair of axes at a place of a grid, with a title above it."""
    axes = _Axes(str(place + 1) if place else "")
    row, column = divmod(place, columns)
    head = 62 / height  # between rows
    wide = (1 - gap * (columns - 1)) / columns
    tall = (1 - head * (rows - 1)) / rows
    left, top = column * (wide + gap), 1 - row * (tall + head)
    plain = {"showgrid": False, "zeroline": False, "ticks": "", "automargin": True}
    figure.layout[axes.x_name] = plain | {
        "domain": [left, min(left + wide, 1)],
        "anchor": f"y{axes.number}",
    }
    figure.layout[axes.y_name] = plain | {
        "domain": [max(top - tall, 0), top],
        "anchor": f"x{axes.number}",
    }
    figure.add_annotation(
        text=theme.escape(title), showarrow=False, xref="paper", yref="paper", font={"size": 13},
        x=left, y=top, xanchor="left", yanchor="bottom", yshift=2,
    )  # fmt: skip
    return axes


def _add_band(
    figure: go.Figure,
    axes: _Axes,
    x: Sequence[int],
    name: str,
    curve: np.ndarray,
    colour: str,
    *,
    legend: bool,
) -> None:
    low, middle, high = np.asarray(curve, dtype=np.float32)
    group = {"x": list(x), "mode": "lines", "legendgroup": name, **axes.of_trace}
    hidden = {"line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
    figure.add_scatter(y=low, **group, **hidden)
    figure.add_scatter(y=high, fill="tonexty", fillcolor=theme.thin(colour), **group, **hidden)
    figure.add_scatter(
        y=middle,
        name=theme.escape(name),
        line={"color": colour, "width": 2},
        showlegend=legend,
        hovertemplate=f"{theme.escape(name)}<br>d = %{{x}}: %{{y:.3~g}}<extra></extra>",
        **group,
    )


def _add_line(
    figure: go.Figure, axes: _Axes, *, across: float | None = None, down: float | None = None
) -> None:
    """A dotted line through a panel, at a height or at a place."""
    x, y = axes.of_trace["xaxis"], axes.of_trace["yaxis"]
    if across is not None:
        ends = {"x0": 0, "x1": 1, "y0": across, "y1": across, "xref": f"{x} domain", "yref": y}
    else:
        ends = {"x0": down, "x1": down, "y0": 0, "y1": 1, "xref": x, "yref": f"{y} domain"}
    figure.add_shape(type="line", line=_DOTTED, **ends)


def _names(labels: Sequence[str], *, hidden: bool = False) -> dict[str, Any]:
    """Ticks with names; with many of them some go without."""
    shown = range(0, len(labels), max(1, -(-len(labels) // MAX_LABELS)))
    short = [x if len(x) <= _SHORT else x[: _SHORT - 1] + "…" for x in labels]
    return {
        "tickvals": list(shown),
        "ticktext": [theme.escape(short[index]) for index in shown],
        "showticklabels": not hidden,
        "tickfont": {"size": 10},
        "fixedrange": True,
    }


def _above(height: int, room: int) -> dict[str, Any]:
    """A legend over the panels' titles."""
    plot = height - room - 24
    return _LEGEND | {"y": 1 + max(room - 28, 0) / plot}
