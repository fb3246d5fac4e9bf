"""The formulas of Table 1, against a search through real connections and torch's own counter."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from attnviz import measuring
from attnviz.complexity import (
    CONVOLUTION,
    KINDS,
    LSTM,
    RECURRENT,
    RESTRICTED,
    RNN,
    SELF,
    Sizes,
    layer_cost,
    paper_cost,
    path_length,
    sequential,
    slope,
)
from attnviz.connections import web


def test_the_papers_table():
    sizes = Sizes(width=512, kernel=3, window=33)
    found = {kind: paper_cost(kind, sizes).at(64) for kind in KINDS}
    assert found == {
        SELF: 64**2 * 512,
        RECURRENT: 64 * 512**2,
        CONVOLUTION: 3 * 64 * 512**2,
        RESTRICTED: 33 * 64 * 512,
    }
    assert [sequential(kind, 64) for kind in KINDS] == [1, 64, 1, 1]
    assert [path_length(kind, 64, sizes) for kind in KINDS] == [1, 64, 4, 4]


def test_lines_meet_where_the_formulas_say():
    sizes = Sizes(width=256, kernel=5, window=17)
    attention = paper_cost(SELF, sizes)
    assert attention.crossing(paper_cost(RECURRENT, sizes)) == 256  # n = d
    assert attention.crossing(paper_cost(CONVOLUTION, sizes)) == 5 * 256  # n = k d
    assert attention.crossing(paper_cost(RESTRICTED, sizes)) == 17  # n = r
    assert paper_cost(RECURRENT, sizes).crossing(paper_cost(CONVOLUTION, sizes)) is None
    exact = layer_cost(SELF, sizes)
    assert exact.crossing(layer_cost(LSTM, sizes)) == 2 * 256
    assert exact.crossing(layer_cost(RNN, sizes)) is None  # the projections alone cost more


@pytest.mark.parametrize("dilated", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_the_path_that_is_found_is_as_long_as_the_formula_says(kind: str, dilated: bool):
    for tokens in (*range(1, 30), 81, 82, 100):
        for window in (3, 5, 9):
            sizes = Sizes(8, kernel=window, window=window)
            found = web(kind, tokens, sizes, dilated=dilated)
            assert found.length == path_length(kind, tokens, sizes, dilated=dilated), tokens
            edges = set(found.edges)
            assert all(edge in edges for edge in zip(found.path, found.path[1:], strict=False))
            assert found.path[0] == (0, 0) and found.path[-1] == (found.rows - 1, tokens - 1)
            assert (found.rows - 1, tokens - 1) in found.reached


def test_only_a_recurrence_waits():
    for kind in KINDS:
        found = web(kind, 9, Sizes(8, 9, 33))
        waits = dict.fromkeys(range(9), 1)  # longest chain of outputs within one layer
        for (row, source), (other, token) in found.edges:
            if row == other == 1:
                waits[token] = max(waits[token], waits[source] + 1)
        assert max(waits.values()) == sequential(kind, 9)


@pytest.mark.parametrize(
    ("name", "counted"),
    [
        (measuring.WRITTEN_OUT, SELF),
        ("RNN", RNN),
        ("LSTM", LSTM),
        ("convolution", CONVOLUTION),
        ("restricted attention", RESTRICTED),
    ],
)
def test_multiply_adds_are_those_that_torch_counts(name: str, counted: str):
    for width, length in ((16, 40), (24, 80)):
        sizes = Sizes(width, kernel=5, window=17)  # 80 and 40 are multiples of 8
        layer = measuring.build(name, sizes)
        with torch.no_grad(), FlopCounterMode(display=False) as counter:
            layer(torch.randn(1, length, width))
        assert counter.get_total_flops() == 2 * layer_cost(counted, sizes).at(length)


def test_a_slope_is_the_exponent():
    n = np.array([16, 64, 256])
    assert slope(n, 3e-6 * n**1.75) == pytest.approx(1.75)
    for lengths, values in ([1], [1]), ([1, 2], [0, 1]), ([1, 2], [1]):
        with pytest.raises(ValueError, match="need two or more"):
            slope(np.array(lengths), np.array(values))


@pytest.mark.parametrize("bad", [{"width": 0}, {"kernel": 4}, {"window": 1}])
def test_sizes_say_what_is_wrong(bad: dict[str, int]):
    with pytest.raises(ValueError, match=str(*bad.values())):
        Sizes(**{"width": 8} | bad)
    with pytest.raises(ValueError, match="not 'gru'"):
        layer_cost("gru", Sizes(8))
    with pytest.raises(ValueError, match="0 tokens"):
        web(SELF, 0, Sizes(8))
