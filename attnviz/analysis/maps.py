"""From a grid of cells to the pixels of the picture."""

from __future__ import annotations

from typing import Literal

import numpy as np

from attnviz.geometry import Geometry


def upsample(
    values: np.ndarray, geometry: Geometry, mode: Literal["cells", "smooth"] = "cells"
) -> np.ndarray:
    """A patch grid drawn where its cells really look: (…, rows, cols) → (…, height, width).

    Cell centres come from the geometry, so a grid that is not centred in its picture (a CNN stem
    with one-sided padding) lands where it belongs. The outermost cells reach to the picture's edge.

    Args:
        mode: ``"cells"`` gives each pixel the value of the nearest cell; ``"smooth"`` is linear
            between cell centres in both directions.

    Raises:
        ValueError: the grid is not the geometry's, or the mode is unknown.
    """
    if values.shape[-2:] != (geometry.rows, geometry.cols):
        raise ValueError(
            f"expected a grid of {geometry.rows}×{geometry.cols} cells, got {values.shape[-2:]}"
        )
    if mode not in ("cells", "smooth"):
        raise ValueError(f"mode is 'cells' or 'smooth', not {mode!r}")
    smooth = mode == "smooth"
    (down, right), (top, left) = geometry.stride, geometry.centre
    rows = _interpolation(geometry.height, geometry.rows, top, down, smooth)  # (height, rows)
    cols = _interpolation(geometry.width, geometry.cols, left, right, smooth)  # (width, cols)
    return (rows @ values @ cols.T).astype(np.result_type(values, np.float32))


def _interpolation(
    pixels: int, cells: int, centre: float, stride: float, smooth: bool
) -> np.ndarray:
    """The share of each cell in each pixel along one axis, (pixels, cells); rows sum to 1."""
    middles = np.arange(pixels) + 0.5
    place = np.clip((middles - centre) / stride, 0, cells - 1)  # in cells, 0 at the first centre
    if not smooth:
        place = np.floor(place + 0.5)
    return np.maximum(1 - np.abs(place[:, None] - np.arange(cells)), 0)
