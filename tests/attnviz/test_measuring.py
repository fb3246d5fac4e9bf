"""Measured layers compute what they say; memory is counted while it lives."""

from __future__ import annotations

import pytest
import torch

from attnviz.complexity import Sizes
from attnviz.measuring import (
    FUSED,
    LAYERS,
    STEPS,
    WRITTEN_OUT,
    RestrictedAttention,
    build,
    longest,
    measure,
    peak_bytes,
)

SIZES = Sizes(8, kernel=3, window=9)


@pytest.mark.parametrize("tokens", [1, 3, 4, 30, 32])
def test_restricted_attention_is_attention_under_a_band(tokens: int):
    torch.manual_seed(0)
    layer = RestrictedAttention(8, 4)
    x = torch.randn(2, tokens, 8)
    scores = layer.w_q(x) @ layer.w_k(x).mT / 8**0.5
    place = torch.arange(tokens)
    far = (place[:, None] - place).abs() > 4
    weights = scores.masked_fill(far, float("-inf")).softmax(-1)
    torch.testing.assert_close(layer(x), layer.w_o(weights @ layer.w_v(x)))


def test_fused_and_written_out_are_the_same_layer():
    x = torch.randn(1, 20, 8)
    torch.testing.assert_close(build(FUSED, SIZES)(x), build(WRITTEN_OUT, SIZES)(x))


@pytest.mark.parametrize("layer", LAYERS)
def test_every_layer_is_measured_forward_and_backward(layer: str):
    for passes in ("forward", "forward and backward"):
        point = measure(layer, 16, SIZES, passes=passes)
        assert point.layer == layer and point.length == 16
        assert len(point.seconds) >= 1 and 0 < point.median < 10
        assert point.peak is not None
        assert point.peak >= 4 * 16 * 8  # at least the output
    assert measure(layer, 16, SIZES).peak < point.peak  # what backward needs is kept


def test_memory_is_what_is_alive_at_once():
    old = torch.ones(1000)

    def one_after_another() -> None:
        for _ in range(5):
            (old + 1).sum()

    def together() -> None:
        kept = [old + 1 for _ in range(5)]
        kept[0].view(10, 100)  # a view is no new memory
        old.add_(0)  # nor is what was there before

    assert peak_bytes(one_after_another) in (4000, 4004)
    assert peak_bytes(together) == 5 * 4000


def test_a_matrix_of_all_pairs_is_kept_only_when_written_out():
    peaks = {
        (layer, n): measure(layer, n, SIZES).peak
        for layer in (WRITTEN_OUT, FUSED)
        for n in (128, 256)
    }
    assert peaks[WRITTEN_OUT, 256] >= 4 * 256**2
    assert 3 < peaks[WRITTEN_OUT, 256] / peaks[WRITTEN_OUT, 128] < 4.1
    assert 1.9 < peaks[FUSED, 256] / peaks[FUSED, 128] < 2.1


def test_lengths_are_limited():
    with pytest.raises(ValueError, match="4097 tokens"):
        measure(FUSED, 4097, SIZES)
    assert longest("LSTM", "forward and backward") == STEPS < longest("LSTM")
    with pytest.raises(ValueError, match="not 'gru'"):
        build("gru", SIZES)
