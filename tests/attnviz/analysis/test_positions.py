"""Sinusoids as rotations, products by distance, similarities between position embeddings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.analysis import by_offset, cosine_tiles, frequencies, rotate, rotations
from attnviz.geometry import Geometry
from attnviz.layers.positions import sinusoid

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


WIDTHS = st.integers(1, 40).map(lambda pairs: 2 * pairs)


@settings(deadline=None)
@given(width=WIDTHS, position=st.integers(0, 5000), shift=st.integers(-300, 300))
def test_a_shift_is_a_rotation_whatever_the_position(width, position, shift):
    start = max(position, -shift)
    before, after = sinusoid(1, width, start).numpy(), sinusoid(1, width, start + shift).numpy()
    np.testing.assert_allclose(rotate(before, shift), after, atol=1e-6)


@settings(deadline=None)
@given(width=WIDTHS, one=st.integers(-50, 50), other=st.integers(-50, 50))
def test_rotations_compose_and_keep_lengths(width, one, other):
    both = rotations(width, one) @ rotations(width, other)
    np.testing.assert_allclose(both, rotations(width, one + other), atol=1e-9)
    identity = rotations(width, one) @ rotations(width, one).swapaxes(1, 2)
    np.testing.assert_allclose(identity, np.broadcast_to(np.eye(2), identity.shape), atol=1e-12)


@settings(deadline=None)
@given(width=WIDTHS, length=st.integers(2, 60))
def test_products_depend_on_the_distance_alone_and_are_symmetric(width, length):
    table = sinusoid(length, width).numpy().astype(np.float64)
    curve = by_offset(table @ table.T)
    np.testing.assert_allclose(curve.low, curve.high, atol=1e-5)
    np.testing.assert_allclose(curve.mean, curve.mean[::-1], atol=1e-5)
    exact = np.cos(curve.offsets[:, None] * frequencies(width)).sum(1)
    np.testing.assert_allclose(curve.mean, exact, atol=1e-5)
    assert curve.mean.argmax() == length - 1


def test_frequencies_are_those_of_the_table():
    angle = np.arctan2(*sinusoid(2, 8).numpy()[1].reshape(4, 2).T)
    np.testing.assert_allclose(angle, frequencies(8), rtol=1e-5)
    with pytest.raises(ValueError, match="even, not 7"):
        frequencies(7)


def test_diagonals_by_hand():
    curve = by_offset(np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]]))
    np.testing.assert_array_equal(curve.offsets, [-2, -1, 0, 1, 2])
    np.testing.assert_array_equal(curve.mean, [7, 6, 5, 4, 3])
    np.testing.assert_array_equal(curve.low, [7, 4, 1, 2, 3])
    np.testing.assert_array_equal(curve.high, [7, 8, 9, 6, 3])
    with pytest.raises(ValueError, match=r"square matrix, got \(2, 3\)"):
        by_offset(np.ones((2, 3)))
