"""Positions of a sentence, layer by layer: what comes next, how it becomes known, what is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from attnviz.figures import theme
from attnviz.figures.matrix import MAX_LABELS

_RULE = {"showline": True, "linewidth": 1, "linecolor": theme.NEUTRAL, "fixedrange": True}
_LEGEND = {"orientation": "h", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"}
_SHORT = 12  # characters of a piece


def next_pieces(
    labels: Sequence[Sequence[str]],
    chances: np.ndarray,
    inputs: Sequence[str],
    target: Sequence[str],
    *,
    title: str = "",
    height: int = 460,
) -> go.Figure:
    """The likeliest next piece at every layer and position, coloured by its probability.

    The embedding is the lowest row, the last layer the highest; cells that hold the piece to be
    predicted are outlined.

    Args:
        labels, chances: (N + 1, T), row 0 of the embedding.
        inputs: (T,) what each position was given.
        target: (T,) what it had to predict.

    Raises:
        ValueError: the sizes do not fit each other.
    """
    rows, steps = chances.shape
    if len(labels) != rows or {len(inputs), len(target), *map(len, labels)} != {steps}:
        raise ValueError(
            f"chances {chances.shape} do not fit {len(labels)} rows of labels, "
            f"{len(inputs)} inputs and {len(target)} targets"
        )
    names = ["embedding", *(f"layer {layer}" for layer in range(rows - 1))]
    places = [
        f"{t} {theme.escape(given)} → {theme.escape(wanted)}"
        for t, (given, wanted) in enumerate(zip(inputs, target, strict=True))
    ]
    heatmap = go.Heatmap(
        z=chances.astype(np.float32),
        text=[[theme.escape(_short(label)) for label in row] for row in labels],
        texttemplate="%{text}",
        customdata=[
            [[names[layer], places[t], theme.escape(labels[layer][t])] for t in range(steps)]
            for layer in range(rows)
        ],
        xgap=2,
        ygap=2,
        hovertemplate="%{customdata[0]}<br>%{customdata[1]}<br>"
        "likeliest: %{customdata[2]}, %{z:.1%}<extra></extra>",
        **theme.scale(chances, colours="viridis", maximum=1.0, name="probability"),
    )
    figure = theme.sheet(heatmap, title=title, height=height, room=theme.COLOUR_BAR_ROOM)
    edge = {"type": "rect", "line": {"color": theme.ACCENT, "width": 2}, "layer": "above"}
    figure.update_layout(
        shapes=[
            edge | {"x0": t - 0.47, "x1": t + 0.47, "y0": layer - 0.46, "y1": layer + 0.46}
            for layer in range(rows)
            for t in range(steps)
            if labels[layer][t] == target[t]
        ]
    )
    shown = range(0, steps, max(1, -(-steps // MAX_LABELS)))
    figure.update_xaxes(
        title_text="was given → had to predict",
        range=[-0.5, steps - 0.5],
        tickvals=list(shown),
        ticktext=[
            f"{t} {theme.escape(_short(inputs[t]))} →<br><b>{theme.escape(_short(target[t]))}</b>"
            for t in shown
        ],
        tickangle=-90 if steps > 10 else 0,
        tickfont={"size": 11},
        fixedrange=True,
    )
    figure.update_yaxes(
        range=[-0.5, rows - 0.5], tickvals=list(range(rows)), ticktext=names, fixedrange=True
    )
    return figure


def right_by_layer(
    values: np.ndarray,
    target: Sequence[str],
    *,
    axis: str,
    share: bool,
    title: str = "",
    height: int = 340,
) -> go.Figure:
    """How the right piece comes up from layer to layer: a thin line a position, their mean thick.

    Args:
        values: (N + 1, T), row 0 of the embedding.
        target: (T,) the right pieces.
        axis: what the values are.
        share: values are shares of 1; otherwise ranks from 1, on a logarithmic axis that begins at
            the top.

    Raises:
        ValueError: there are more or fewer pieces than columns.
    """
    if values.shape[1] != len(target):
        raise ValueError(f"values {values.shape} for {len(target)} pieces")
    layers = len(values)
    figure = theme.sheet(title=title, height=height, room=8)
    unit = ":.1%" if share else ":,.0f"
    names = [f"{t} {theme.escape(piece)}" for t, piece in enumerate(target)]
    across = list(range(layers))
    for name, curve in zip(names, values.T.astype(np.float32), strict=True):
        figure.add_scatter(
            x=across, y=curve, mode="lines+markers", line={"color": theme.NEUTRAL, "width": 1},
            marker={"size": 4}, opacity=0.6,
            hovertemplate=f"{name}<br>%{{y{unit}}}<extra></extra>",
        )  # fmt: skip
    mean = values.mean(1) if share else np.exp(np.log(values).mean(1))
    figure.add_scatter(
        x=across, y=mean.astype(np.float32), mode="lines+markers",
        line={"color": theme.ACCENT, "width": 3}, marker={"size": 7},
        hovertemplate=f"mean of all pieces<br>%{{y{unit}}}<extra></extra>",
    )  # fmt: skip
    figure.update_xaxes(
        tickvals=across,
        ticktext=["embedding", *(f"layer {layer}" for layer in range(layers - 1))],
        range=[-0.3, layers - 0.7],
        **_RULE,
    )
    if share:
        figure.update_yaxes(title_text=axis, range=[0, 1.04], tickformat=".0%", **_RULE)
    else:
        top = float(np.log10(max(values.max(), 2)))
        ticks = [10**n for n in range(int(top) + 1)]
        figure.update_yaxes(
            title_text=axis, type="log", range=[top * 1.06, -0.06 * top], tickvals=ticks, **_RULE
        )
    return figure


def by_position(
    labels: Sequence[str],
    curves: Mapping[str, np.ndarray],
    *,
    axis: str,
    title: str = "",
    height: int = 300,
) -> go.Figure:
    """One number a position in each of a few curves.

    Args:
        labels: tokens of the positions; the axis numbers them.
        curves: name → (positions,).
        axis: what the numbers are.

    Raises:
        ValueError: a curve has another number of values than there are labels.
    """
    figure = theme.sheet(title=title, height=height, room=28)
    for (name, values), colour in zip(curves.items(), theme.CATEGORICAL, strict=False):
        if len(values) != len(labels):
            raise ValueError(f"{name}: {len(values)} values for {len(labels)} positions")
        figure.add_scatter(
            x=list(range(len(labels))),
            y=np.asarray(values, dtype=np.float32),
            name=theme.escape(name),
            mode="lines+markers",
            line={"color": colour, "width": 1.5},
            marker={"size": 7},
            customdata=[theme.escape(label) for label in labels],
            hovertemplate="%{x} %{customdata}<br>"
            f"{theme.escape(name)}: %{{y:.4~g}}<extra></extra>",
        )
    shown = range(0, len(labels), max(1, -(-len(labels) // MAX_LABELS)))
    figure.update_xaxes(
        range=[-0.5, len(labels) - 0.5],
        tickvals=list(shown),
        ticktext=[f"{i} {theme.escape(_short(labels[i]))}" for i in shown],
        tickangle=-90 if len(labels) > 8 else 0,
        **_RULE,
    )
    figure.update_yaxes(title_text=axis, rangemode="tozero", **_RULE)
    return figure.update_layout(showlegend=True, legend=_LEGEND)


def _short(label: str) -> str:
    return label if len(label) <= _SHORT else label[: _SHORT - 1] + "…"
