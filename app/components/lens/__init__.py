"""The lens: a picture whose patches show where they look while the pointer moves over them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from app.components.mount import (
    check_bytes,
    fingerprint,
    layout,
    mount,
    pack,
    picture_kind,
    register,
)
from attnviz.figures.theme import Colours, colour_table
from attnviz.geometry import Geometry

_RENDER = register("lens", __file__)


def lens(
    picture: bytes,
    matrix: np.ndarray,
    geometry: Geometry,
    *,
    key: str,
    vmax: float,
    rest: np.ndarray,
    pinned: int | None = None,
    removed: Collection[int] = (),
    opacity: float = 0.6,
    smooth: bool = False,
    colours: Colours = "viridis",
    mass: float | None = None,
    name: str = "attention",
    scale: str = "same scale for every patch and head",
    click: str = "keep it",
    query_step: int = 1,
    on_change: Callable[[int | None], None] | None = None,
) -> int | None:
    """Show a picture under a map of weights, and return the token that the visitor pinned.

    Hovering, touching or walking to a token draws its row of the matrix in the browser; clicking
    pins it and tells the server. Prefix tokens are chips above the picture. Weights are bytes: a
    value is ``byte / 255 · vmax`` to within half a step, so exact figures are the page's to show.

    Args:
        picture: PNG, JPEG or WebP; what the model saw, at any resolution of the same shape.
        matrix: (queries, tokens) uint8, rows as in ``query_tokens(geometry, query_step)``.
        vmax: what byte 255 stands for.
        rest: (tokens,) uint8, shown while nothing is hovered or pinned.
        pinned: the token that the page wants pinned. A new picture starts without a pin.
        removed: patch tokens to hatch.
        smooth: linear between cell centres, as ``attnviz.analysis.upsample``, or sharp cells.
        mass: keep only the smallest set of patches that holds this share of the row's patch mass.
        name: of the downloaded files.
        scale: words beside the colour bar.
        click: what a click on a patch is for, in words: "click to …".
        query_step: rows exist only for every n-th patch down and across; hovering snaps to them.
        on_change: called with the pin before the rerun that a click causes.

    Raises:
        ValueError: arrays, options or the pin do not fit the geometry.
        IndexError: a removed token is no patch.
    """
    kind = picture_kind(picture)
    queries, tokens = len(query_tokens(geometry, query_step)), geometry.tokens
    matrix = check_bytes("matrix", matrix, (queries, tokens), "queries, tokens")
    rest = check_bytes("rest", rest, (tokens,), "tokens")
    _check(geometry, vmax=vmax, opacity=opacity, mass=mass, pinned=pinned, removed=removed)
    subject = fingerprint(picture, repr(geometry).encode())
    facts = layout(geometry) | {
        "subject": subject,
        "vmax": float(vmax),
        "removed": sorted(map(int, removed)),
        "opacity": opacity,
        "smooth": smooth,
        "mass": mass,
        "name": name,
        "scale": scale,
        "click": click,
        "step": query_step,
        "kind": kind,
    }

    def message(fields: dict[str, Any]) -> bytes:
        table = colour_table(colours)
        return pack(facts | fields, colours=table, rest=rest, picture=picture, matrix=matrix)

    def accept(value: Any) -> int | None:
        return value if type(value) is int and 0 <= value < tokens else None

    return mount(
        _RENDER,
        key=key,
        message=message,
        subject=subject,
        asked=None if pinned is None else int(pinned),
        accept=accept,
        on_change=on_change,
    )


def query_tokens(geometry: Geometry, step: int = 1) -> list[int]:
    """The tokens whose rows a lens needs: the prefix, then every step-th patch down and across."""
    if step < 1:
        raise ValueError(f"a step is at least 1, not {step}")
    rows, cols = range(0, geometry.rows, step), range(0, geometry.cols, step)
    return [*range(geometry.num_prefix), *(geometry.cell(row, col) for row in rows for col in cols)]


def _check(
    geometry: Geometry,
    *,
    vmax: float,
    opacity: float,
    mass: float | None,
    pinned: int | None,
    removed: Collection[int],
) -> None:
    if not vmax > 0:
        raise ValueError(f"vmax is more than 0, not {vmax}")
    if not 0 <= opacity <= 1:
        raise ValueError(f"an opacity lies in [0, 1], not {opacity}")
    if mass is not None and not 0 < mass <= 1:
        raise ValueError(f"a share of the mass lies in (0, 1], not {mass}")
    if pinned is not None and not 0 <= pinned < geometry.tokens:
        raise ValueError(f"no token {pinned} to pin: tokens are 0–{geometry.tokens - 1}")
    for token in removed:
        geometry.position(token)
