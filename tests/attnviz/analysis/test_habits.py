"""How a head's attention is shared out between neighbours and the ends of a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from attnviz.analysis import HABITS, habits


@pytest.mark.parametrize(("offset", "name"), [(-1, "the piece before"), (1, "the piece after")])
def test_a_head_that_looks_beside(offset: int, name: str) -> None:
    weights = np.eye(6, k=offset)  # rows 1…4 are pieces; one of them has an end beside it
    found = dict(zip(HABITS, habits(weights), strict=True))
    end = "[CLS]" if offset < 0 else "[SEP]"
    assert found[name] == pytest.approx(3 / 4) and found[end] == pytest.approx(1 / 4)


@pytest.mark.parametrize(("column", "name"), [(0, "[CLS]"), (5, "[SEP]")])
def test_a_head_that_rests_on_an_end(column: int, name: str) -> None:
    weights = np.zeros((6, 6))
    weights[:, column] = 1
    assert habits(weights)[HABITS.index(name)] == pytest.approx(1)


def test_shares_sum_to_one_and_what_the_ends_look_at_is_left_out() -> None:
    weights = np.random.default_rng(1).dirichlet(np.ones(7), size=(2, 3, 7))
    found = habits(weights)
    assert found.shape == (2, 3, 6) and np.allclose(found.sum(-1), 1) and (found >= 0).all()
    weights[..., [0, -1], :] = 0
    assert np.allclose(habits(weights), found)


def test_even_attention_and_a_single_piece() -> None:
    even = np.full((5, 5), 1 / 5)  # three pieces
    assert np.allclose(habits(even), [2 / 15, 1 / 5, 2 / 15, 1 / 5, 1 / 5, 2 / 15])
    assert np.allclose(habits(np.array([[1, 0, 0], [0.5, 0.2, 0.3], [0, 0, 1]])),
                       [0, 0.2, 0, 0.5, 0.3, 0])  # fmt: skip


@pytest.mark.parametrize("shape", [(2, 2), (3, 4)])
def test_what_is_no_sentence_is_refused(shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="with a piece between the ends"):
        habits(np.ones(shape))
