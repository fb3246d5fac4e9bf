"""Which output depends on which token: what may be, and what leaks from the future."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from attnviz.figures import theme

KINDS = ("no change", "from its past or itself", "from its future: a leak")
COLOURS = ("rgba(123,128,136,0.10)", "rgba(47,127,193,0.45)", theme.ACCENT)


def leak_matrix(
    changed: np.ndarray, *, first: int = 1, title: str = "", height: int = 380
) -> go.Figure:
    """Outputs down, moved tokens across; every cell says how much.

    Args:
        changed: (n, n), how much output i (row) changed when token j (column) was moved.
        first: the number of the first output and token.

    Raises:
        ValueError: the matrix is not square.
    """
    if changed.ndim != 2 or changed.shape[0] != changed.shape[1]:
        raise ValueError(f"expected (n, n), got {changed.shape}")
    moved = changed > 0
    kinds = moved.astype(int) + np.triu(moved, 1)  # 0 none, 1 allowed, 2 leak
    names = [str(place) for place in range(first, first + len(changed))]
    words = [theme.number(value) if value else "0" for value in changed.ravel()]
    steps = [(k / 3 + end, COLOURS[k]) for k in range(3) for end in (0.0, 1 / 3)]
    cells = go.Heatmap(
        z=kinds, x=names, y=names, text=np.reshape(words, changed.shape), zmin=-0.5, zmax=2.5,
        colorscale=steps, showscale=False, xgap=2, ygap=2,
        customdata=np.array(KINDS, dtype=object)[kinds],
        hovertemplate="output %{y} when token %{x} moved: %{text}<br>%{customdata}<extra></extra>",
    )  # fmt: skip
    numbers = go.Scatter(  # not the heatmap's own text, which knows no dark theme
        x=names * len(names), y=np.repeat(names, len(names)), text=words, mode="text",
        textfont={"size": 11}, hoverinfo="skip", showlegend=False,
    )  # fmt: skip
    keys = [
        go.Scatter(
            x=[None], y=[None], mode="markers", name=kind,
            marker={"symbol": "square", "size": 11, "color": colour},
        )
        for kind, colour in zip(KINDS, COLOURS, strict=True)
    ]  # fmt: skip
    figure = theme.sheet(cells, numbers, *keys, title=title, height=height)
    figure.update_xaxes(title="token that moved", type="category", side="bottom", showgrid=False)
    figure.update_yaxes(
        title="output", type="category", autorange="reversed", showgrid=False, zeroline=False
    )
    figure.update_layout(
        showlegend=True, legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}
    )
    return figure
