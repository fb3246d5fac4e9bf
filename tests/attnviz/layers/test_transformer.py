"""The pieces of a Transformer against torch's own, and what masks must and must not let through."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attnviz.layers.transformer import (
    AddNorm,
    DecoderLayer,
    EncoderLayer,
    FeedForward,
    LayerConfig,
    MultiHeadAttention,
)
from attnviz.trace import record

B, T, S, D, H, M = 2, 5, 7, 24, 4, 40


def randomised(module: nn.Module) -> Any:
    """Random weights and biases: zeros would hide mistakes."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.3)
    return module.eval()


def config(**options: Any) -> LayerConfig:
    return LayerConfig(**{"width": D, "heads": H, "hidden": M, "attention_bias": True, **options})


def attention_into(ours: MultiHeadAttention, theirs: nn.MultiheadAttention) -> None:
    """Give torch's attention our weights."""
    stacked = (ours.w_q, ours.w_k, ours.w_v)
    theirs.in_proj_weight.data = torch.cat([linear.weight for linear in stacked])
    theirs.out_proj.weight.data = ours.w_o.weight.data
    if ours.w_q.bias is not None:
        theirs.in_proj_bias.data = torch.cat([linear.bias for linear in stacked])
        theirs.out_proj.bias.data = ours.w_o.bias.data


def rest_into(ours: Any, theirs: Any, norms: int) -> None:
    """The feed-forward network and the LayerNorms."""
    for name in ("linear1", "linear2"):
        getattr(theirs, name).load_state_dict(getattr(ours.feed_forward, name).state_dict())
    for i in range(1, norms + 1):
        norm = getattr(ours, f"add_norm{i}").norm
        getattr(theirs, f"norm{i}").load_state_dict(norm.state_dict())


@pytest.fixture(params=[False, True], ids=["post-norm", "pre-norm"])
def pre_norm(request: pytest.FixtureRequest) -> bool:
    return request.param


@pytest.fixture(params=["relu", "gelu"])
def activation(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.mark.parametrize("bias", [False, True])
def test_attention_equals_torchs(bias: bool) -> None:
    ours = randomised(MultiHeadAttention(D, H, bias=bias))
    theirs = nn.MultiheadAttention(D, H, bias=bias, batch_first=True).eval()
    attention_into(ours, theirs)
    x, memory = torch.randn(B, T, D), torch.randn(B, S, D)
    mask = torch.rand(T, S) > 0.4
    mask[:, 0] = True
    with torch.no_grad():
        expected, weights = theirs(x, memory, memory, attn_mask=~mask, average_attn_weights=False)
        with record(ours, "weights") as trace:
            found = ours(x, *ours.keys_values(memory), mask)
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(trace["weights"], weights, atol=1e-6, rtol=1e-5)
        plain = ours(x, *ours.keys_values(memory), mask)
    torch.testing.assert_close(plain, expected, atol=1e-5, rtol=1e-5)


def test_an_encoder_layer_equals_torchs(pre_norm: bool, activation: str) -> None:
    ours = randomised(EncoderLayer(config(pre_norm=pre_norm, activation=activation)))
    theirs = nn.TransformerEncoderLayer(
        D, H, M, 0.0, activation, batch_first=True, norm_first=pre_norm
    ).eval()
    attention_into(ours.self_attn, theirs.self_attn)
    rest_into(ours, theirs, 2)
    x = torch.randn(B, S, D)
    padded = torch.arange(S) >= torch.tensor([[S], [4]])
    found = ours(x, ~padded[:, None, None])
    expected = theirs(x, src_key_padding_mask=padded)
    torch.testing.assert_close(found[~padded], expected[~padded], atol=1e-5, rtol=1e-4)


def test_a_decoder_layer_equals_torchs(pre_norm: bool, activation: str) -> None:
    ours = randomised(DecoderLayer(config(pre_norm=pre_norm, activation=activation)))
    theirs = nn.TransformerDecoderLayer(
        D, H, M, 0.0, activation, batch_first=True, norm_first=pre_norm
    ).eval()
    attention_into(ours.self_attn, theirs.self_attn)
    attention_into(ours.cross_attn, theirs.multihead_attn)
    rest_into(ours, theirs, 3)
    x, memory = torch.randn(B, T, D), torch.randn(B, S, D)
    padded = torch.arange(S) >= torch.tensor([[S], [4]])
    nothing = torch.empty(B, H, 0, D // H)
    look_ahead = torch.ones(T, T, dtype=torch.bool).tril()
    found, cache = ours(
        x,
        (nothing, nothing),
        ours.cross_attn.keys_values(memory),
        look_ahead,
        ~padded[:, None, None],
    )
    expected = theirs(x, memory, tgt_mask=~look_ahead, memory_key_padding_mask=padded)
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-4)
    assert [tensor.shape for tensor in cache] == [(B, H, T, D // H)] * 2


def test_feed_forward_is_two_convolutions_of_kernel_1() -> None:
    ours = randomised(FeedForward(D, M))
    first, second = nn.Conv1d(D, M, 1), nn.Conv1d(M, D, 1)
    for conv, linear in ((first, ours.linear1), (second, ours.linear2)):
        conv.weight.data, conv.bias.data = linear.weight[:, :, None], linear.bias  # type: ignore[union-attr]
    x = torch.randn(B, T, D)
    torch.testing.assert_close(ours(x), second(first(x.mT).relu()).mT, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("pre", [False, True])
def test_add_and_norm_in_both_orders(pre: bool) -> None:
    ours = randomised(AddNorm(D, pre_norm=pre))
    x = torch.randn(B, T, D)
    with record(ours, "*") as trace:
        found = ours(x, lambda y: 2 * y.sin())
    entered = ours.norm(x) if pre else x
    summed = x + 2 * entered.sin()
    torch.testing.assert_close(found, summed if pre else ours.norm(summed))
    torch.testing.assert_close(trace["output"], 2 * entered.sin())
    torch.testing.assert_close(trace["summed"], summed)
    torch.testing.assert_close(trace["normed"], entered if pre else found)


def test_a_row_that_may_look_nowhere_gives_zeros() -> None:
    ours = randomised(MultiHeadAttention(D, H))
    x = torch.randn(1, T, D)
    mask = torch.ones(T, T, dtype=torch.bool)
    mask[2] = False

    def run() -> Tensor:
        return ours(x, *ours.keys_values(x), mask)

    plain = run()
    with record(ours, "weights", "context") as trace:
        watched = run()
    torch.testing.assert_close(watched, plain, atol=1e-6, rtol=1e-5)
    assert trace["weights"][:, :, 2].eq(0).all() and trace["context"][:, :, 2].eq(0).all()
    assert plain[:, 2].eq(0).all() and plain.isfinite().all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"width": 10}, "width 10 does not divide into 4 heads"),
        ({"heads": 0}, "heads should be at least 1, not 0"),
        ({"dropout": 1.0}, r"dropout should be in \[0, 1\), not 1.0"),
        ({"activation": "tanh"}, "activation should be one of relu, gelu, not 'tanh'"),
    ],
)
def test_sizes_that_cannot_be(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        config(**options)
