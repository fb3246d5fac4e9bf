"""One number a head, plotted against depth."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from attnviz.figures import theme


def head_distance(
    distances: np.ndarray,
    *,
    title: str = "",
    marked: tuple[int, int] | None = None,
    uniform: float | None = None,
    height: int = 380,
) -> go.Figure:
    """How far each head looks, by depth (Dosovitskiy et al. 2021, Fig. 7 right).

    Args:
        distances: (layers, heads) in pixels, from `attnviz.analysis.head_distance`.
        marked: (layer, head) to point out.
        uniform: the distance of a head that attends to all patches equally, as a dotted line.
    """
    return _by_depth(
        distances,
        title=title,
        axis="mean attended distance, pixels",
        unit="px",
        marked=marked,
        reference=uniform,
        height=height,
    )


def entropy(
    bits: np.ndarray,
    *,
    title: str = "",
    marked: tuple[int, int] | None = None,
    keys: int | None = None,
    height: int = 380,
) -> go.Figure:
    """How spread out each head's attention is, by depth.

    Args:
        bits: (layers, heads), from `attnviz.analysis.entropy` averaged over queries.
        marked: (layer, head) to point out.
        keys: number of keys; draws the most there can be, log2(keys), as a dotted line.
    """
    return _by_depth(
        bits,
        title=title,
        axis="entropy, bits",
        unit="bits",
        marked=marked,
        reference=None if keys is None else float(np.log2(keys)),
        height=height,
    )


def _by_depth(
    values: np.ndarray,
    *,
    title: str,
    axis: str,
    unit: str,
    marked: tuple[int, int] | None,
    reference: float | None,
    height: int,
) -> go.Figure:
    """One dot a head: layer across, value up."""
    layers, heads = values.shape
    layer, head = np.divmod(np.arange(layers * heads), heads)
    spoken_of = np.ones(layers * heads, dtype=bool)
    if marked is not None:
        spoken_of = (layer == marked[0]) & (head == marked[1])
    figure = theme.sheet(title=title, height=height, room=12)
    for chosen, colour, size in ((~spoken_of, theme.NEUTRAL, 7), (spoken_of, theme.ACCENT, 8)):
        if not chosen.any():
            continue
        figure.add_scatter(
            x=layer[chosen].astype(np.uint8),
            y=values.ravel()[chosen].astype(np.float32),
            customdata=head[chosen].astype(np.uint8),
            mode="markers",
            marker={"color": colour, "size": size, "opacity": 0.85},
            hovertemplate="layer %{x}, head %{customdata}<br>"
            f"%{{y:.3~g}} {unit}<extra></extra>",
        )
    if reference is not None:
        figure.add_hline(
            y=reference,
            line={"color": theme.NEUTRAL, "width": 1, "dash": "dot"},
            annotation={"text": "all patches alike", "xanchor": "right", "yanchor": "bottom"},
        )
    top = np.nanmax([np.nanmax(values, initial=0.0), reference or 0.0]) or 1.0
    rule = {"showline": True, "linewidth": 1, "linecolor": theme.NEUTRAL, "ticks": "outside"}
    step = max(1, -(-layers // 12))
    figure.update_xaxes(title_text="layer", range=[-0.6, layers - 0.4], dtick=step, tick0=0, **rule)
    figure.update_yaxes(title_text=axis, range=[0, float(top) * 1.1], **rule)
    return figure
