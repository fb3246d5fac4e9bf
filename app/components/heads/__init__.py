"""The head view: every head of a stack as a small map, and one layer's heads as lines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from threading import Lock
from typing import Any, Literal, get_args

import numpy as np

from app.components.heads.encoding import Encoded, encode
from app.components.mount import fingerprint, mount, pack, pair, register
from attnviz.figures.theme import CATEGORICAL, Colours, colour_table

_RENDER = register("heads", __file__)

Head = tuple[int, int]  # (layer, head)
Kind = Literal["encoder", "decoder", "cross"]

# One colour a head: models with twelve or sixteen heads are common.
_COLOURS = (*CATEGORICAL, "#5f6ee0", "#c0404f", "#5c8a3a", "#a35fd0", "#b07a4a", "#4f8f86")

_ENCODED: dict[str, Encoded] = {}  # the last few, since a page runs again on every click
_KEPT = 8
_LOCK = Lock()


def heads(
    weights: np.ndarray,
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    key: str,
    kind: Kind,
    mask: np.ndarray | None = None,
    vmax: float | None = None,
    silenced: Collection[Head] = (),
    selected: Head | None = None,
    probabilities: np.ndarray | None = None,
    mass: float = 0.8,
    colours: Colours = "viridis",
    name: str = "heads",
    on_change: Callable[[Head | None], None] | None = None,
) -> Head | None:
    """Show the attention of every head of a stack, and return the head that is picked.

    Left a wall of maps, layers down and heads across; right one layer's heads as lines between
    queries and keys. Hovering, the heads' chips, the layer and the share of the weight that lines
    are drawn for stay in the browser; a click on a map, or Enter after the arrow keys, picks its
    head and tells the server, and the same again picks none.

    Weights travel rounded if there are very many of them (see `encoding`), and the caption says how
    much that costs.

    Args:
        weights: (layers, heads, q, k), of any float type; rows of a distribution sum to 1.
        queries, keys: q and k labels; they are numbered, so repeated words stay apart.
        kind: of attention: within the source, within the target, or from target to source.
        mask: (q, k) bool, True where a query may look; other cells are neither sent nor drawn.
            By default all of them, and for ``"decoder"`` no key after the query.
        vmax: the weight that the maps' colour scale ends at, by default the largest one.
        silenced: heads to cross out; their lines are off at first.
        selected: (layer, head) that the page wants picked. Another stack starts without one.
        probabilities: (q,) of each query's piece, said along with it.
        mass: the share of each row's weight that lines are drawn for at first, 0.5 to 1.
        name: of the downloaded files.
        on_change: called with the head before the rerun that a click causes.

    Raises:
        ValueError: weights, labels, mask, a head or a number do not fit.
    """
    shape = _check(weights, queries, keys, kind, probabilities)
    layers, count, rows, columns = shape
    allowed = _allowed(mask, kind, rows, columns)
    if not np.isfinite(weights).all() or weights.min(initial=0) < 0:
        raise ValueError("weights are finite and not negative")
    if vmax is not None and not vmax > 0:
        raise ValueError(f"vmax is more than 0, not {vmax}")
    if not 0.5 <= mass <= 1:
        raise ValueError(f"a share of the weight to draw lies in 0.5–1, not {mass}")
    for layer, head in {*silenced, *([selected] if selected else [])}:
        if not (0 <= layer < layers and 0 <= head < count):
            raise ValueError(f"no head ({layer}, {head}) in {layers} layers × {count} heads")
    encoded = _encoded(weights, allowed)
    chances = np.zeros(0) if probabilities is None else probabilities
    facts = {
        "layers": layers,
        "heads": count,
        "queries": list(queries),
        "keys": list(keys),
        "kind": kind,
        "levels": encoded.levels,
        "top_weight": encoded.top,
        "error": encoded.error,
        "vmax": float(vmax or encoded.top),
        "silenced": sorted([int(layer), int(head)] for layer, head in silenced),
        "palette": [_COLOURS[head % len(_COLOURS)] for head in range(count)],
        "probabilities": [float(chance) for chance in chances],
        "mass": float(mass),
        "name": name,
    }

    def message(fields: dict[str, Any]) -> bytes:
        return pack(
            facts | fields,
            colours=colour_table(colours),
            mask=allowed.astype(np.uint8),
            weights=encoded.body,
        )

    return mount(
        _RENDER,
        key=key,
        message=message,
        subject=f"{kind} {layers}×{count}",
        asked=(int(selected[0]), int(selected[1])) if selected else None,
        accept=lambda value: pair(value, layers, count),
        on_change=on_change,
    )


def _check(
    weights: np.ndarray,
    queries: Sequence[str],
    keys: Sequence[str],
    kind: str,
    probabilities: np.ndarray | None,
) -> tuple[int, int, int, int]:
    """The shape of the weights, if the labels fit it."""
    if weights.ndim != 4 or 0 in weights.shape:
        raise ValueError(f"weights: expected (layers, heads, q, k), got shape {weights.shape}")
    if weights.shape[2:] != (len(queries), len(keys)):
        raise ValueError(
            f"weights of shape {weights.shape} have {weights.shape[2]} rows and "
            f"{weights.shape[3]} columns, labels name {len(queries)} and {len(keys)}"
        )
    if kind not in get_args(Kind):
        raise ValueError(f"kinds of attention are {', '.join(get_args(Kind))}, not {kind!r}")
    if probabilities is not None and np.shape(probabilities) != (len(queries),):
        raise ValueError(
            f"probabilities: expected shape ({len(queries)},), got {np.shape(probabilities)}"
        )
    return weights.shape


def _allowed(mask: np.ndarray | None, kind: str, rows: int, columns: int) -> np.ndarray:
    """(q, k) bool: the cells that there are."""
    if mask is None:
        whole = np.ones((rows, columns), bool)
        return np.tril(whole) if kind == "decoder" else whole
    if mask.dtype != bool or mask.shape != (rows, columns):
        raise ValueError(
            f"mask: expected bool of shape {(rows, columns)}, got {mask.dtype} {mask.shape}"
        )
    return mask


def _encoded(weights: np.ndarray, allowed: np.ndarray) -> Encoded:
    """The weights for the browser; the last ones are remembered."""
    parts = [np.ascontiguousarray(part).tobytes() for part in (weights, allowed)]
    stamp = fingerprint(repr((weights.shape, weights.dtype)).encode(), *parts)
    with _LOCK:
        found = _ENCODED.pop(stamp, None) or encode(weights, allowed)
        _ENCODED[stamp] = found  # the newest last
        while len(_ENCODED) > _KEPT:
            del _ENCODED[next(iter(_ENCODED))]
        return found
