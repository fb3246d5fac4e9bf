"""What position tables say: sinusoids as rotations, products by distance, tiles over a picture."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from attnviz.geometry import Geometry


class ByOffset(NamedTuple):
    """What a matrix holds along each of its diagonals, (2n − 1,) each."""

    offsets: np.ndarray  # column − row, from −(n − 1) to n − 1
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray


def frequencies(width: int) -> np.ndarray:
    """ω_i = 10000^(−2i/d), radians a position, of the d/2 pairs of a sinusoid table, float64.

    Vaswani et al. 2017 (arXiv:1706.03762), section 3.5. The wavelength of a pair is 2π/ω.

    Raises:
        ValueError: an odd width.
    """
    if width % 2:
        raise ValueError(f"sinusoids come in pairs: the width should be even, not {width}")
    return 10_000.0 ** -(np.arange(0, width, 2) / width)


def rotations(width: int, shift: float) -> np.ndarray:
    """The blocks of M_k, which takes PE(p) to PE(p + k) whatever p is → (d/2, 2, 2), float64.

    Each acts on a pair (sin pω, cos pω): [[cos kω, sin kω], [−sin kω, cos kω]].
    """
    angle = shift * frequencies(width)
    cos, sin = np.cos(angle), np.sin(angle)
    return np.stack([np.stack([cos, sin], -1), np.stack([-sin, cos], -1)], -2)


def rotate(table: np.ndarray, shift: float) -> np.ndarray:
    """M_k applied to every row of a sinusoid table (n, d), in float64 → (n, d)."""
    length, width = table.shape
    pairs = table.reshape(length, width // 2, 2).astype(np.float64)
    return np.einsum("iab,nib->nia", rotations(width, shift), pairs).reshape(length, width)


def by_offset(matrix: np.ndarray) -> ByOffset:
    """Mean, least and greatest value along each diagonal of a square matrix.

    A matrix that depends on the distance alone has ``low == high``.

    Raises:
        ValueError: the matrix is not square.
    """
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"expected a square matrix, got {matrix.shape}")
    offsets = np.arange(1 - len(matrix), len(matrix))
    diagonals = [matrix.diagonal(int(offset)) for offset in offsets]
    mean, low, high = (
        np.array([reduce(diagonal) for diagonal in diagonals])
        for reduce in (np.mean, np.min, np.max)
    )
    return ByOffset(offsets, mean, low, high)


def cosine_tiles(table: np.ndarray, geometry: Geometry) -> np.ndarray:
    """Cosine similarity of every patch position with every other (Dosovitskiy et al. 2021, Fig. 7).

    Args:
        table: position embeddings, (tokens, d), or (rows·cols, d) where prefix tokens have none.

    Returns:
        (rows, cols, rows, cols): ``[r, c]`` is the tile of position (r, c). An all-zero embedding
        has similarity 0 with everything.
    """
    rows, cols = geometry.rows, geometry.cols
    if len(table) == geometry.tokens:
        table = table[geometry.num_prefix :]
    elif len(table) != rows * cols:
        raise ValueError(f"expected {geometry.tokens} or {rows * cols} positions, got {len(table)}")
    length = np.linalg.norm(table, axis=-1, keepdims=True)
    unit = table / np.where(length > 0, length, 1)  # (rows·cols, d)
    return np.clip(unit @ unit.T, -1, 1).reshape(rows, cols, rows, cols)
