"""Who looks at whom, counted on matrices small enough to do by hand."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.analysis import argmax_accuracy, length_bins, merge_pieces

# 나는 모니터입니다. → I am a monitor.
SOURCE = [(0, 1), (1, 2), (3, 6), (6, 9), (9, 10)]  # 나 · 는 · 모니터 · 입니다 · .
TARGET = [(0, 1), (2, 4), (5, 6), (7, 14), (14, 15)]  # I · am · a · monitor · .
LINKS = [((0, 1), (0, 1)), ((2, 4), (6, 9)), ((7, 14), (3, 6)), ((14, 15), (9, 10))]


def looking_at(*columns: int, width: int = 6) -> np.ndarray:
    """Weights whose row i peaks at columns[i]."""
    return np.eye(width)[list(columns)] * 0.7 + 0.05


def test_every_linked_piece_is_counted_and_the_unlinked_is_not() -> None:
    assert argmax_accuracy(looking_at(0, 3, 0, 2, 4, 5), TARGET, SOURCE, LINKS) == (4, 4)
    assert argmax_accuracy(looking_at(1, 3, 0, 3, 4, 5), TARGET, SOURCE, LINKS) == (2, 4)


def test_a_peak_at_the_end_of_the_source_is_wrong() -> None:
    assert argmax_accuracy(looking_at(5, 5, 5, 5, 5), TARGET, SOURCE, LINKS) == (0, 4)


def test_any_of_several_links_will_do_and_overlap_is_enough() -> None:
    links = [((0, 4), (0, 1)), ((3, 4), (8, 20))]
    assert argmax_accuracy(looking_at(0, 3), TARGET[:2], SOURCE, links) == (2, 2)
    assert argmax_accuracy(looking_at(3, 0), TARGET[:2], SOURCE, links) == (1, 2)
    assert argmax_accuracy(looking_at(4, 4), TARGET[:2], SOURCE, links) == (
        1,
        2,
    )  # (9, 10) is in it


def test_neighbours_do_not_overlap() -> None:
    assert argmax_accuracy(looking_at(1), [(0, 1)], SOURCE, [((1, 5), (0, 2))]) == (0, 0)
    assert argmax_accuracy(looking_at(1), [(0, 1)], SOURCE, [((0, 1), (2, 9))]) == (0, 1)


def test_a_mark_alone_stands_for_the_character_after_it() -> None:
    spans, links = [(0, 1), (2, 2), (2, 3)], [((2, 3), (2, 3))]
    assert argmax_accuracy(looking_at(0, 1, 2, width=4), spans, spans, links) == (2, 2)


def test_without_links_nothing_is_counted() -> None:
    assert argmax_accuracy(looking_at(0, 1), TARGET[:2], SOURCE, []) == (0, 0)


def test_more_spans_than_weights_are_refused() -> None:
    with pytest.raises(ValueError, match="5 target and 5 source spans"):
        argmax_accuracy(looking_at(0, 1), TARGET, SOURCE, LINKS)
    with pytest.raises(ValueError, match="do not fit"):
        argmax_accuracy(looking_at(0, width=4), TARGET[:1], SOURCE, LINKS)


def test_words_receive_the_sum_and_look_the_average() -> None:
    weights = np.array([[0.5, 0.2, 0.3], [0.1, 0.6, 0.3]])
    np.testing.assert_allclose(merge_pieces(weights, [[0], [1]], [[0, 1], [2]]), [[0.7, 0.3]] * 2)
    np.testing.assert_allclose(merge_pieces(weights, [[0, 1]], [[0], [1], [2]]), [[0.3, 0.4, 0.3]])


@given(st.integers(1, 6), st.integers(1, 6), st.data())
def test_merged_rows_still_sum_to_one(target: int, source: int, data: st.DataObject) -> None:
    weights = np.random.default_rng(0).dirichlet(np.ones(source), target)
    cuts = data.draw(st.sets(st.integers(1, source - 1)) if source > 1 else st.just(set()))
    groups = np.split(np.arange(source), sorted(cuts))
    merged = merge_pieces(weights, [range(target)], groups)
    assert merged.shape == (1, len(groups))
    np.testing.assert_allclose(merged.sum(1), 1)


def test_a_word_without_pieces_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one piece"):
        merge_pieces(np.ones((1, 1)), [[]], [[0]])


def test_lengths_fall_into_bins() -> None:
    assert length_bins([3, 9, 4, 5], 4) == [(1, 4, [0, 2]), (5, 8, [3]), (9, 12, [1])]


def test_small_bins_join_their_neighbour() -> None:
    assert length_bins([1, 5, 5, 9, 9, 13], 4, least=2) == [(1, 8, [0, 1, 2]), (9, 16, [3, 4, 5])]
    assert length_bins([2, 30], 4)[-1] == (29, 32, [1])
    assert length_bins([7], 4, least=9) == [(1, 8, [0])]
    assert length_bins([], 4) == []


@given(st.lists(st.integers(1, 40), min_size=1), st.integers(1, 9), st.integers(1, 5))
def test_bins_hold_every_sentence_once(lengths: list[int], width: int, least: int) -> None:
    bins = length_bins(lengths, width, least)
    assert sorted(i for _, _, inside in bins for i in inside) == list(range(len(lengths)))
    assert all(first <= lengths[i] <= last for first, last, inside in bins for i in inside)
    assert all(a[1] + 1 == b[0] for a, b in pairwise(bins))
    assert len(bins) == 1 or all(len(inside) >= least for _, _, inside in bins)


def test_lengths_start_at_one() -> None:
    with pytest.raises(ValueError, match="at least one"):
        length_bins([0], 4)
