"""A grid lands on the pixels that its cells look at."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.analysis import upsample
from attnviz.geometry import Geometry

VIT = Geometry(14, 14, 224, 224, prefix=("class",))
MODES = pytest.mark.parametrize("mode", ["cells", "smooth"])


def one_hot(geometry: Geometry, row: int, col: int) -> np.ndarray:
    grid = np.zeros((geometry.rows, geometry.cols), np.float32)
    grid[row, col] = 1
    return grid


def centroid(picture: np.ndarray) -> tuple[float, float]:
    height, width = picture.shape
    total = picture.sum(dtype=np.float64)
    down = (picture.sum(1) * (np.arange(height) + 0.5)).sum() / total
    right = (picture.sum(0) * (np.arange(width) + 0.5)).sum() / total
    return down, right


@MODES
def test_one_hot_lands_on_its_cell(mode):
    picture = upsample(one_hot(VIT, 6, 9), VIT, mode)
    assert picture.shape == (224, 224)
    assert picture.dtype == np.float32
    np.testing.assert_allclose(centroid(picture), (104, 152), atol=1e-6)


@MODES
def test_one_hot_follows_a_grid_that_is_not_centred(mode):
    shifted = Geometry(14, 14, 224, 224, stride=(16.0, 16.0), centre=(15.5, 15.5))
    picture = upsample(one_hot(shifted, 6, 9), shifted, mode)
    np.testing.assert_allclose(centroid(picture), (111.5, 159.5), atol=0.6)  # ± half a pixel


def test_cells_fill_exactly_their_box():
    geometry = Geometry(3, 4, 96, 64)
    picture = upsample(one_hot(geometry, 1, 2), geometry, "cells")
    top, left, bottom, right = (int(edge) for edge in geometry.box(1, 2))
    assert picture[top:bottom, left:right].min() == 1
    assert picture.sum() == (bottom - top) * (right - left)


def test_smooth_is_linear_between_centres_and_flat_beyond_the_outermost():
    geometry = Geometry(1, 2, 1, 8)  # centres at 2 and 6
    row = upsample(np.array([[0.0, 1.0]]), geometry, "smooth")[0]
    np.testing.assert_allclose(row, [0, 0, 0.125, 0.375, 0.625, 0.875, 1, 1])


@MODES
@given(rows=st.integers(1, 5), cols=st.integers(1, 5), seed=st.integers(0, 99))
def test_a_flat_map_stays_flat_and_no_value_is_invented(mode, rows, cols, seed):
    geometry = Geometry(rows, cols, 40, 25, stride=(8.0, 6.0), centre=(3.0, 5.0))
    values = np.random.default_rng(seed).random((rows, cols))
    picture = upsample(values, geometry, mode)
    assert picture.shape == (40, 25)
    assert values.min() - 1e-9 <= picture.min() <= picture.max() <= values.max() + 1e-9
    np.testing.assert_allclose(upsample(np.ones((rows, cols)), geometry, mode), 1)


def test_leading_axes_are_kept():
    maps = np.random.default_rng(0).random((2, 3, 14, 14)).astype(np.float32)
    pictures = upsample(maps, VIT, "smooth")
    assert pictures.shape == (2, 3, 224, 224)
    np.testing.assert_allclose(pictures[1, 2], upsample(maps[1, 2], VIT, "smooth"), rtol=1e-6)


def test_whole_numbers_are_not_rounded():
    geometry = Geometry(1, 2, 1, 4)
    row = upsample(np.array([[0, 1]], dtype=np.uint8), geometry, "smooth")[0]
    np.testing.assert_allclose(row, [0, 0.25, 0.75, 1])


def test_wrong_grids_and_modes_are_refused():
    with pytest.raises(ValueError, match="14×14"):
        upsample(np.ones((14, 13)), VIT)
    with pytest.raises(ValueError, match="bicubic"):
        upsample(np.ones((14, 14)), VIT, "bicubic")
