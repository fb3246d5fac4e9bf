"""Principal components of patch-embedding filters."""

import numpy as np
import pytest

from attnviz.analysis import principal_filters


def test_components_by_hand():
    weight = np.zeros((4, 1, 1, 2), np.float32)
    weight[:, 0, 0] = [[5, 1], [-5, 1], [0, 2], [0, 0]]  # spread 5 along x, 1 along y, mean (0, 1)
    np.testing.assert_allclose(principal_filters(weight).reshape(2, 2), [[1, 0], [0, 1]], atol=1e-6)


def test_filters_come_as_pictures_channels_last():
    direction = np.arange(1, 13, dtype=np.float64).reshape(3, 2, 2)  # channels, height, width
    direction /= np.linalg.norm(direction)
    weight = np.random.default_rng(0).normal(size=20)[:, None, None, None] * direction
    np.testing.assert_allclose(principal_filters(weight, 1)[0], direction.transpose(1, 2, 0))


def test_components_are_orthonormal_and_point_to_their_largest_value():
    weight = np.random.default_rng(1).normal(size=(64, 3, 4, 4))
    flat = principal_filters(weight, 28).reshape(28, -1)
    np.testing.assert_allclose(flat @ flat.T, np.eye(28), atol=1e-9)
    assert (flat.max(1) >= -flat.min(1)).all()


def test_there_are_no_more_components_than_values():
    assert len(principal_filters(np.random.default_rng(2).normal(size=(64, 1, 2, 2)), 28)) == 4


def test_a_weight_without_four_axes_is_refused():
    with pytest.raises(ValueError, match=r"\(8, 12\)"):
        principal_filters(np.ones((8, 12)))
