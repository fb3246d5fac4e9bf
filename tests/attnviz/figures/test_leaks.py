"""The leak test's figure."""

from __future__ import annotations

import numpy as np
import pytest

from attnviz.figures.leaks import KINDS, leak_matrix


def test_each_cell_says_how_much_and_whether_it_leaks() -> None:
    changed = np.array([[0.5, 0, 0], [0.25, 0.5, 0.125], [0, 0.1, 0]])
    figure = leak_matrix(changed)
    cells = figure.data[0]
    assert np.array_equal(cells.z, [[1, 0, 0], [1, 1, 2], [0, 1, 0]])
    assert list(cells.text[1]) == ["0.25", "0.5", "0.12"] and cells.text[0][1] == "0"
    assert figure.data[1].text[5] == "0.12"
    assert list(cells.x) == ["1", "2", "3"]
    assert tuple(trace.name for trace in figure.data[2:]) == KINDS


def test_a_matrix_that_is_not_square_is_refused() -> None:
    with pytest.raises(ValueError, match=r"expected \(n, n\), got \(2, 3\)"):
        leak_matrix(np.zeros((2, 3)))
