"""What an attention layer in the plane is given: vectors, matrices and a mask. No torch needed.

n tokens · d = 2
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

IDENTITY = ((1.0, 0.0), (0.0, 1.0))
MASKS = ("none", "causal", "band", "padding")
TRAINED = {
    "w_q": ((2.23, -2.70), (2.14, 1.56)),
    "w_k": ((-2.85, -2.38), (1.83, -2.27)),
    "w_v": ((0.83, 0.04), (-0.05, 0.80)),
}
"""What ``attention_lab.trained(0)`` comes to, in hundredths; a test trains again."""

Matrix = Sequence[Sequence[float]]


@dataclass(frozen=True)
class Setup:
    """What the layer is given.

    Args:
        vectors: (n, 2), a token a row.
        w_q, w_k, w_v: (2, 2); queries are ``vectors @ w_q``, as the formula has it.
        mask: (n, n), True where the row's token may look at the column's; none: everywhere.
        scaled: divide scores by √d.

    Raises:
        ValueError: sizes do not fit; both are named.
    """

    vectors: Matrix
    w_q: Matrix = IDENTITY
    w_k: Matrix = IDENTITY
    w_v: Matrix = IDENTITY
    mask: Sequence[Sequence[bool]] | None = None
    scaled: bool = True

    def __post_init__(self) -> None:
        n = len(self.vectors)
        wanted = {"vectors": (n, 2), "w_q": (2, 2), "w_k": (2, 2), "w_v": (2, 2)}
        if self.mask is not None:
            wanted["mask"] = (n, n)
        for name, shape in wanted.items():
            found = np.shape(getattr(self, name))
            if found != shape or not n:
                raise ValueError(f"{name}: expected shape {shape} for {n} tokens, got {found}")


def mask(kind: str, n: int, size: int = 1) -> np.ndarray:
    """A usual mask (n, n), True where a row may look at a column.

    Args:
        kind: ``"none"``; ``"causal"``: itself and what is before; ``"band"``: at most `size` away;
            ``"padding"``: the last `size` tokens are padding, and nobody looks at them.

    Raises:
        ValueError: no such kind.
    """
    row, column = np.indices((n, n))
    if kind == "none":
        return np.ones((n, n), bool)
    if kind == "causal":
        return column <= row
    if kind == "band":
        return abs(row - column) <= size
    if kind == "padding":
        return column < n - size
    raise ValueError(f"masks are {', '.join(MASKS)}, not {kind!r}")


def plane(rows: np.ndarray) -> tuple[np.ndarray, float]:
    """Vectors of any width in the plane of their two principal axes, at most 2 long.

    Args:
        rows: (n, d).

    Returns:
        (n, 2), and the share of the rows' variance that the plane keeps.
    """
    centred = rows.astype(np.float64) - rows.mean(0, dtype=np.float64)
    left, strengths, _ = np.linalg.svd(centred, full_matrices=False)
    flat = np.zeros((len(rows), 2))
    axes = min(2, len(strengths))
    flat[:, :axes] = left[:, :axes] * strengths[:axes]
    longest = np.linalg.norm(flat, axis=1).max() or 1.0
    total = (strengths**2).sum() or 1.0
    return flat * (2 / longest), float((strengths[:2] ** 2).sum() / total)
