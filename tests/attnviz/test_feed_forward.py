"""The feed-forward net is a convolution of kernel 1: no position sees another."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from attnviz.feed_forward import as_convolution, both_ways, gain_and_bias
from attnviz.layers.transformer import FeedForward
from tests.attnviz.transformers import D, N, tiny


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
@pytest.mark.parametrize("layer", range(N))
def test_both_ways_are_the_layers_own(stack: str, layer: int) -> None:
    x = np.random.default_rng(layer).normal(size=(7, D)).astype(np.float32)
    matrices, convolutions = both_ways(tiny(), stack, layer, x)
    net = getattr(tiny(), stack).layers[layer].feed_forward
    expected = net(torch.from_numpy(x)[None])[0].numpy()
    np.testing.assert_allclose(matrices, expected, atol=1e-4)
    np.testing.assert_allclose(convolutions, expected, atol=1e-4)
    assert np.abs(expected).max() > 1


@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_one_changed_position_changes_no_other(activation: str) -> None:
    torch.manual_seed(0)
    net = FeedForward(6, 12, activation)
    x = torch.randn(2, 5, 6)
    other = x.clone()
    other[:, 3] += 1
    moved = (as_convolution(net, other) - as_convolution(net, x)).abs().amax((0, 2))
    assert moved[3] > 0.1 and (moved[[0, 1, 2, 4]] == 0).all()


def test_gain_and_bias_are_those_of_the_sublayer() -> None:
    norm = tiny().decoder.layers[1].add_norm3.norm
    gain, bias = gain_and_bias(tiny(), "decoder", 1, 3)
    np.testing.assert_array_equal(gain, norm.weight.numpy())
    np.testing.assert_array_equal(bias, norm.bias.numpy())


def test_a_layer_that_is_not_there() -> None:
    with pytest.raises(IndexError):
        both_ways(tiny(), "encoder", N, np.zeros((1, D), np.float32))
