"""Cosine similarities between position embeddings."""

import numpy as np
import pytest

from attnviz.analysis import cosine_tiles
from attnviz.geometry import Geometry

GRID = Geometry(2, 3, 32, 48, prefix=("class",))


def test_cosines_by_hand():
    geometry = Geometry(1, 3, 16, 48)
    table = np.array([[2.0, 0.0], [3.0, 3.0], [-1.0, 0.0]])
    tiles = cosine_tiles(table, geometry)
    half = 2**-0.5
    np.testing.assert_allclose(tiles[0, 0], [[1, half, -1]])
    np.testing.assert_allclose(tiles[0, 1], [[half, 1, -half]])


def test_prefix_positions_are_left_out_when_the_table_has_them():
    table = np.random.default_rng(0).normal(size=(7, 5)).astype(np.float32)
    tiles = cosine_tiles(table, GRID)
    assert tiles.shape == (2, 3, 2, 3)
    np.testing.assert_array_equal(tiles, cosine_tiles(table[1:], GRID))


def test_every_position_is_most_like_itself_and_the_tiles_are_symmetric():
    tiles = cosine_tiles(np.random.default_rng(1).normal(size=(6, 4)), GRID)
    np.testing.assert_allclose(tiles, tiles.transpose(2, 3, 0, 1))
    for row in range(2):
        for col in range(3):
            assert np.unravel_index(tiles[row, col].argmax(), (2, 3)) == (row, col)


def test_no_position_information_is_no_similarity():
    assert (cosine_tiles(np.zeros((6, 4)), GRID) == 0).all()


def test_a_table_of_another_length_is_refused():
    with pytest.raises(ValueError, match="expected 7 or 6 positions, got 9"):
        cosine_tiles(np.ones((9, 4)), GRID)
