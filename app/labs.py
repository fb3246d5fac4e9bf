"""What the labs of the page "Attention layer" compute, kept once for everybody.

torch is imported inside the functions, so that the page paints before it arrives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from app import loaders, studies
from app.components.linked import write
from app.translations import Talk
from attnviz.attention_setup import Setup, plane

if TYPE_CHECKING:
    from attnviz.attention_lab import Found

T = TypeVar("T")
BYTES = 8 * 1024  # more than what one setup comes to


def found(setup: Setup) -> Found:
    """Every matrix of the layer, from torch."""
    from attnviz.attention_lab import run

    return _kept("lab", setup, lambda: run(setup))


def leaks(setup: Setup) -> np.ndarray:
    """(n, n): how much output i (row) changed when token j (column) was moved."""
    from attnviz.attention_lab import leaks

    return _kept("leaks", setup, lambda: leaks(setup))


@dataclass(frozen=True)
class Words:
    """Words of a sentence in the plane: (n, 2), their names, and the share of variance kept."""

    vectors: np.ndarray
    names: tuple[str, ...]
    kept: float


def words(talk: Talk, most: int) -> Words:
    """The embeddings of a sentence's first pieces, in the plane of their principal axes."""
    rows, names = studies.rows(talk)
    vectors, kept = plane(rows[:most])
    return Words(vectors.round(2), tuple(names[:most]), kept)


def _kept(what: str, setup: Setup, make: Callable[[], T]) -> T:
    def run() -> T:
        with loaders.turn("cpu"):
            return make()

    return loaders.kept((what, write(setup)), run, lambda _: BYTES)
