"""The wall: every head of every layer as a small map, to look over and to pick from."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from app.components.mount import check_bytes, layout, mount, pack, pair, register
from attnviz.figures.theme import Colours, colour_table
from attnviz.geometry import Geometry

_RENDER = register("wall", __file__)

Head = tuple[int, int]  # (layer, head)


def wall(
    rows: np.ndarray,
    geometry: Geometry,
    *,
    key: str,
    vmax: float,
    selected: Head | None = None,
    silenced: Collection[Head] = (),
    colours: Colours = "viridis",
    name: str = "heads",
    scale: str = "same scale for every head",
    on_change: Callable[[Head | None], None] | None = None,
) -> Head | None:
    """Show one query's weights in every head, layers down and heads across; return the picked head.

    Hovering enlarges a head in the browser; a click, or Enter after the arrow keys, picks it, and
    the same again picks none.

    Args:
        rows: (layers, heads, tokens) uint8; a value is ``byte / 255 · vmax``.
        vmax: what byte 255 stands for, the same in every head.
        selected: (layer, head) that the page wants picked.
        silenced: heads to cross out.
        name: of the downloaded files.
        scale: words beside the colour bar.
        on_change: called with the head before the rerun that a click causes.

    Raises:
        ValueError: the array or a head does not fit.
    """
    if rows.ndim != 3:
        raise ValueError(f"rows: expected (layers, heads, tokens), got shape {rows.shape}")
    layers, heads = rows.shape[:2]
    rows = check_bytes("rows", rows, (layers, heads, geometry.tokens), "layers, heads, tokens")
    if not vmax > 0:
        raise ValueError(f"vmax is more than 0, not {vmax}")
    for layer, head in {*silenced, *([selected] if selected else [])}:
        if not (0 <= layer < layers and 0 <= head < heads):
            raise ValueError(f"no head ({layer}, {head}) in {layers} layers × {heads} heads")
    facts = layout(geometry) | {
        "layers": layers,
        "heads": heads,
        "vmax": float(vmax),
        "silenced": sorted([int(layer), int(head)] for layer, head in silenced),
        "name": name,
        "scale": scale,
    }

    def message(fields: dict[str, Any]) -> bytes:
        return pack(facts | fields, colours=colour_table(colours), weights=rows)

    return mount(
        _RENDER,
        key=key,
        message=message,
        subject=f"{layers}×{heads}",
        asked=(int(selected[0]), int(selected[1])) if selected else None,
        accept=lambda value: pair(value, layers, heads),
        on_change=on_change,
    )
