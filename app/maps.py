"""Arrays for the lens and the wall: which map, on which scale, as bytes. numpy only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attnviz import analysis
from attnviz.geometry import Geometry

MAX_BYTES = 150_000  # of a matrix that goes to the browser


@dataclass(frozen=True)
class Map:
    """One way of looking at a run: who looks where.

    Args:
        matrix: (queries, keys) float32.
        rest: (keys,) what the model's head reads: the row shown while nothing is hovered.
        top: what the brightest colour stands for.
        scale: that, in words.
        name: what is shown, for captions and file names.
        unit: what the values are.
    """

    matrix: np.ndarray
    rest: np.ndarray
    top: float
    scale: str
    name: str
    unit: str = "attention weight"


def head_row(matrix: np.ndarray, geometry: Geometry) -> np.ndarray:
    """The row that the model's output reads: the class token's, or the mean over all patches'.

    (…, queries, keys) → (…, keys); like `analysis.class_map`, with the prefix tokens kept.
    """
    if geometry.pool == "avg":
        return matrix[..., geometry.num_prefix :, :].mean(axis=-2)
    return matrix[..., geometry.prefix.index("class"), :]


def as_bytes(values: np.ndarray, top: float) -> np.ndarray:
    """Values from 0 to ``top`` as 0 to 255; what lies above is cut off."""
    return (np.clip(values / top, 0, 1) * 255).round().astype(np.uint8)


def query_step(geometry: Geometry) -> int:
    """Every how many rows and columns a query goes to the browser, to keep messages small."""
    step = 1
    while _queries(geometry, step) * geometry.tokens > MAX_BYTES:
        step += 1
    return step


def _queries(geometry: Geometry, step: int) -> int:
    rows, cols = -(-geometry.rows // step), -(-geometry.cols // step)
    return geometry.num_prefix + rows * cols


def largest(values: np.ndarray, geometry: Geometry) -> float:
    """The largest value on a patch; never 0, so that it can be a scale."""
    return float(values[..., geometry.num_prefix :].max()) or 1.0


def strongest(row: np.ndarray, geometry: Geometry, count: int = 5) -> list[tuple[str, float]]:
    """The keys with the largest weights: token name and weight, best first."""
    names = geometry.labels()
    order = np.argsort(-row, kind="stable")[:count]
    return [(names[index], float(row[index])) for index in order]


def patches_holding(row: np.ndarray, geometry: Geometry, share: float) -> int:
    """How many patches the smallest set has that holds a share of the patches' mass."""
    return int(analysis.mass_set(row[geometry.num_prefix :], share).sum())


def token_title(geometry: Geometry, token: int) -> str:
    """A token in words: ``class token``, ``patch in row 6, column 9``."""
    if token < geometry.num_prefix:
        return f"{geometry.prefix[token]} token"
    row, col = geometry.position(token)
    return f"patch in row {row}, column {col}"


def principal_colours(vectors: np.ndarray) -> np.ndarray:
    """Vectors as colours by their three principal components: (n, d) → (n, 3) uint8.

    Similar vectors get similar colours; the components' signs, and so the hues, mean nothing.
    """
    centred = (vectors - vectors.mean(axis=0)).astype(np.float64)
    squares, directions = np.linalg.eigh(centred @ centred.T)  # ascending; cheaper than an SVD
    parts = np.zeros((len(vectors), 3))
    strongest = np.sqrt(np.maximum(squares[::-1][:3], 0)) * directions[:, ::-1][:, :3]
    parts[:, : strongest.shape[1]] = strongest
    reach = np.abs(parts).max(axis=0)
    reach = np.where(reach > 1e-6 * max(reach[0], 1e-30), reach, np.inf)  # no colour from noise
    return (127.5 + 127.5 * parts / reach).round().astype(np.uint8)
