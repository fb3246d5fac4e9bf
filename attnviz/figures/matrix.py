"""Which token attends to which, as a matrix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from attnviz.figures import theme

MAX_LABELS = 24  # tick labels on an axis; more would overlap


def token_matrix(
    weights: np.ndarray,
    queries: Sequence[str],
    keys: Sequence[str] | None = None,
    *,
    title: str = "",
    name: str = "attention weight",
    scale_max: float | None = None,
    colours: theme.Colours = "viridis",
    height: int = 560,
) -> go.Figure:
    """Weights as a matrix: queries down, keys across.

    Names carry their index, so repeated words stay apart; with many tokens some go unlabelled.

    Args:
        weights: (queries, keys).
        queries, keys: token names, shown literally. ``keys`` defaults to ``queries``.
        scale_max: upper end of the colour scale. Default: the maximum.

    Raises:
        ValueError: the names do not match the matrix.
    """
    keys = queries if keys is None else keys
    if weights.shape != (len(queries), len(keys)):
        raise ValueError(
            f"weights {weights.shape} do not match {len(queries)} queries and {len(keys)} keys"
        )
    heatmap = go.Heatmap(
        z=weights.astype(np.float32),
        x=_numbered(keys),
        y=_numbered(queries),
        hovertemplate="query %{y}<br>key %{x}<br>"
        f"{theme.escape(name)} %{{z:.3~g}}<extra></extra>",
        **theme.scale(weights, colours=colours, maximum=scale_max, name=name),
    )
    figure = theme.sheet(
        heatmap,
        title=title,
        height=height,
        room=theme.COLOUR_BAR_ROOM,
        xaxis=_axis(keys, title="key", tickangle=-90, constraintoward="left"),
        yaxis=_axis(queries, title="query", constraintoward="top", scaleanchor="x"),
    )
    figure.update_xaxes(range=[-0.5, len(keys) - 0.5])
    figure.update_yaxes(range=[len(queries) - 0.5, -0.5])
    return figure


def _numbered(names: Sequence[str]) -> list[str]:
    return [f"{index} {theme.escape(name)}" for index, name in enumerate(names)]


def _axis(names: Sequence[str], *, title: str, **axis: Any) -> dict[str, Any]:
    """An axis of tokens: one place a token, labelled as far as there is room."""
    shown = range(0, len(names), math.ceil(len(names) / MAX_LABELS))
    short = [name if len(name) <= 14 else name[:13] + "…" for name in names]
    labels = _numbered(short)
    return {
        "type": "category",
        "title": {"text": title},
        "tickvals": list(shown),
        "ticktext": [labels[index] for index in shown],
        "tickfont": {"size": 10},
        "constrain": "domain",
    } | axis
