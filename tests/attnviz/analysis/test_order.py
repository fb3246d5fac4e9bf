"""From reading to writing: the mean lag is the same both ways, the smallest is not."""

import numpy as np

from attnviz.analysis import linked_places, writing_lags


def test_a_target_piece_comes_from_the_middle_of_its_sources() -> None:
    # "3월 9일" → "March 9": March from 3월 (two pieces), 9 from the third piece, the rest unknown
    source = [(0, 1), (1, 2), (3, 4), (4, 5)]
    target = [(0, 5), (6, 7), (7, 8)]
    links = [((0, 5), (0, 2)), ((6, 7), (3, 4))]
    np.testing.assert_array_equal(linked_places(target, source, links), [0.5, 2, np.nan])
    assert np.isnan(linked_places(target, source, [])).all()


def test_lags_of_a_sentence_in_the_same_order() -> None:
    same = np.arange(4.0)
    # read at 0 1 2 3, then </s> at 4; written at 5 6 7 8
    np.testing.assert_array_equal(writing_lags(same, 4), [5, 5, 5, 5])
    # </s> read at 0, then 4 3 2 1
    np.testing.assert_array_equal(writing_lags(same, 4, reverse=True), [1, 3, 5, 7])
    assert writing_lags(same, 4, reverse=True).mean() == 4
    assert np.isnan(writing_lags(np.array([np.nan, 1.0]), 4)[0])


def test_a_language_that_turns_sentences_round_gains_nothing() -> None:
    turned = np.arange(4.0)[::-1]
    assert writing_lags(turned, 4).min() < writing_lags(turned, 4, reverse=True).min()
