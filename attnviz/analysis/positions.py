"""What position embeddings have learned about the picture's plane."""

from __future__ import annotations

import numpy as np

from attnviz.geometry import Geometry


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
