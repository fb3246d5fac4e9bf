"""The table of sinusoids: positions across, components down, and the waves of one pair."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from app.components.mount import mount, pack, register
from attnviz.figures.theme import colour_table

_RENDER = register("waves", __file__)


def waves(
    table: np.ndarray,
    frequencies: np.ndarray,
    *,
    key: str,
    asked: int = 0,
    name: str = "sinusoids",
    on_change: Callable[[int | None], None] | None = None,
) -> int:
    """Show a table of sinusoids, and return the pair of components that the visitor keeps.

    Moving over a pair draws its two waves under the table, all in the browser and with the exact
    numbers; a click keeps the pair.

    Args:
        table: (n, d), sine and cosine in turn.
        frequencies: (d/2,) radians a position.
        asked: the pair that the page wants kept.
        name: of the downloaded files.

    Raises:
        ValueError: table and frequencies do not fit each other.
        IndexError: there is no such pair.
    """
    length, width = table.shape
    if len(frequencies) * 2 != width:
        raise ValueError(f"{len(frequencies)} frequencies for {width} components")
    pairs = len(frequencies)
    if not 0 <= asked < pairs:
        raise IndexError(f"no pair {asked}: pairs are 0–{pairs - 1}")
    facts = {
        "length": length,
        "width": width,
        "name": name,
        "scale": "sine and cosine of position × frequency",
    }

    def message(fields: dict[str, Any]) -> bytes:
        return pack(
            facts | fields,
            colours=colour_table("diverging"),
            values=np.ascontiguousarray(table, "<f4"),
            frequencies=np.ascontiguousarray(frequencies, "<f4"),
        )

    def accept(value: Any) -> int | None:
        return value if type(value) is int and 0 <= value < pairs else None

    found = mount(
        _RENDER,
        key=key,
        message=message,
        subject="sinusoids",
        asked=asked,
        accept=accept,
        on_change=on_change,
    )
    return asked if found is None else found
