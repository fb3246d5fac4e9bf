"""The alignment: which source pieces each target piece looked at, as a matrix to move over."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from app.components.mount import fingerprint, mount, pack, pair, register
from attnviz.figures.theme import Colours, colour_table

_RENDER = register("alignment", __file__)

Cell = tuple[int, int]  # (target, source)


def alignment(
    weights: np.ndarray,
    source: Sequence[str],
    target: Sequence[str],
    *,
    key: str,
    probabilities: np.ndarray | None = None,
    unknown: Collection[int] = (),
    rows_forced: Collection[int] = (),
    height: int | None = None,
    vmax: float = 1.0,
    colours: Colours = "viridis",
    name: str = "alignment",
    scale: str = "share of a row’s weight, one scale for all rows",
    axes: tuple[str, str] = ("source", "target"),
    asked: Cell | None = None,
    on_change: Callable[[Cell | None], None] | None = None,
) -> Cell | None:
    """Show weights between a target (down) and a source (across); return the cell that is pinned.

    Hovering, touching or walking to a cell shows its row in numbers, shades the source pieces by
    it and says the weight, all in the browser; the labels do the same for a whole row or column.
    A click, or Enter after the arrow keys, pins the cell and tells the server; again unpins it.

    Args:
        weights: (t, s), of any float type; rows of a distribution sum to 1.
        source, target: s and t labels; they are numbered on the axes, so repeated ones stay apart.
        probabilities: (t,) of each target piece, drawn as a strip beside the rows.
        unknown: source pieces to mark as not in the vocabulary.
        rows_forced: target rows to mark as forced.
        height: of the cells together, CSS pixels; by default as much as is readable.
        vmax: the weight that the scale ends at.
        name: of the downloaded files.
        scale: words beside the colour bar.
        axes: what is across and what is down.
        asked: the cell that the page wants pinned. Other labels start without a pin.
        on_change: called with the cell before the rerun that a click causes.

    Raises:
        ValueError: weights, labels or probabilities do not fit each other, or ``vmax`` is not
            positive.
        IndexError: a marked piece or the asked cell does not exist.
    """
    weights = _floats("weights", weights, (len(target), len(source)))
    strip = np.zeros(0) if probabilities is None else probabilities
    strip = _floats("probabilities", strip, (0 if probabilities is None else len(target),))
    if not vmax > 0:
        raise ValueError(f"vmax is more than 0, not {vmax}")
    for what, places, count in (
        ("source piece", [*unknown, *(asked or ())[1:]], len(source)),
        ("target row", [*rows_forced, *(asked or ())[:1]], len(target)),
    ):
        if wrong := [place for place in places if not 0 <= place < count]:
            raise IndexError(f"no {what} {wrong[0]}: there are {count}")
    facts = {
        "source": list(source),
        "target": list(target),
        "unknown": sorted(map(int, unknown)),
        "forced": sorted(map(int, rows_forced)),
        "height": height,
        "vmax": float(vmax),
        "name": name,
        "scale": scale,
        "axes": list(axes),
    }

    def message(fields: dict[str, Any]) -> bytes:
        table = colour_table(colours)
        return pack(facts | fields, colours=table, weights=weights, probabilities=strip)

    return mount(
        _RENDER,
        key=key,
        message=message,
        subject=fingerprint(repr((facts["source"], facts["target"])).encode()),
        asked=(int(asked[0]), int(asked[1])) if asked else None,
        accept=lambda value: pair(value, len(target), len(source)),
        on_change=on_change,
    )


def _floats(what: str, array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The array as little-endian float32 in one piece, for the browser."""
    found = np.ascontiguousarray(array, dtype="<f4")
    if found.shape != shape or not np.isfinite(found).all():
        raise ValueError(f"{what}: expected finite numbers of shape {shape}, got {found.shape}")
    return found
