"""The sketch: one row of weights as bars to draw with the pointer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from app.components.mount import check_bytes, fingerprint, mount, pack, register

_RENDER = register("sketch", __file__)

FULL = 100  # what the highest bar weighs

Weights = tuple[int, ...]


def sketch(
    own: np.ndarray,
    names: Sequence[str],
    *,
    key: str,
    subject: str,
    drawn: Weights | None = None,
    on_change: Callable[[Weights | None], None] | None = None,
) -> Weights | None:
    """Show a row of weights, and return what the visitor drew over it: relative weights, 0–100.

    A bar follows the pointer or the arrow keys; the page hears of it when the pointer is lifted.
    Bars weigh against each other, whatever their sum.

    Args:
        own: (columns,) uint8, ``byte / 255`` each: the row as it is by itself, drawn in outline.
        names: of the columns.
        subject: what the row is of; another subject forgets what was drawn.
        drawn: what the page wants drawn; None for the row as it is.
        on_change: called with the weights before the rerun.

    Raises:
        ValueError: arrays or weights do not fit the names.
    """
    own = check_bytes("own", own, (len(names),), "columns")
    if drawn is not None and accepted(list(drawn), len(names)) is None:
        raise ValueError(f"{len(names)} weights from 0 to {FULL}, not {drawn}")

    def message(fields: dict[str, Any]) -> bytes:
        return pack({"names": list(names), "full": FULL} | fields, own=own)

    return mount(
        _RENDER,
        key=key,
        message=message,
        subject=fingerprint(subject.encode(), repr(names).encode()),
        asked=drawn,
        accept=lambda value: accepted(value, len(names)),
        on_change=on_change,
    )


def accepted(value: Any, columns: int) -> Weights | None:
    """Weights that a browser sent, if they are weights of so many columns and not all 0."""
    if not isinstance(value, list) or len(value) != columns:
        return None
    whole = all(type(weight) is int and 0 <= weight <= FULL for weight in value)
    return tuple(value) if whole and any(value) else None
