"""The attention layer: parity with torch's, scaling, masks, taps, and what its config refuses."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attnviz import models
from attnviz.models.attention_layer import AttentionLayer, AttentionLayerConfig
from attnviz.trace import record, taps

B, N, D = 3, 5, 12


def layer(**options: Any) -> AttentionLayer:
    torch.manual_seed(0)
    made = AttentionLayer(AttentionLayerConfig(**{"width": D, "heads": 3, **options})).eval()
    for parameter in made.requires_grad_(False).parameters():
        parameter.copy_(torch.randn_like(parameter) * 0.4)
    return made


def torchs(ours: AttentionLayer) -> nn.MultiheadAttention:
    """torch's own layer with our weights."""
    cfg, own = ours.cfg, ours.attention
    other = nn.MultiheadAttention(cfg.width, cfg.heads, bias=cfg.bias, batch_first=True).eval()
    entering = (own.w_q, own.w_k, own.w_v)
    state = {
        "in_proj_weight": torch.cat([linear.weight for linear in entering]),
        "out_proj.weight": own.w_o.weight,
    }
    if cfg.bias:
        state |= {
            "in_proj_bias": torch.cat([linear.bias for linear in entering]),
            "out_proj.bias": own.w_o.bias,
        }
    other.load_state_dict(state, strict=True)
    return other


def given() -> Tensor:
    torch.manual_seed(1)
    return torch.randn(B, N, D)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("heads", [1, 3])
@pytest.mark.parametrize("causal", [False, True])
@torch.inference_mode()
def test_parity_with_torch(bias: bool, heads: int, causal: bool) -> None:
    ours, x = layer(bias=bias, heads=heads), given()
    mask = torch.ones(N, N, dtype=torch.bool).tril() if causal else None
    banned = None if mask is None else ~mask
    wanted, weights = torchs(ours)(x, x, x, attn_mask=banned, average_attn_weights=False)
    torch.testing.assert_close(ours(x, mask), wanted, atol=1e-5, rtol=1e-5)
    with record(ours, "*") as trace:
        torch.testing.assert_close(ours(x, mask), wanted, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(trace["attention.weights"], weights, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("bias", [False, True])
@torch.inference_mode()
def test_without_scaling_the_scores_are_plain_products(bias: bool) -> None:
    ours = layer(scaled=False, bias=bias)
    with record(ours, "*") as trace:
        watched = ours(given())
    query, key = trace["attention.query"], trace["attention.key"]
    products = query @ key.mT
    torch.testing.assert_close(trace["attention.scores"], products, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(trace["attention.weights"], products.softmax(-1))
    torch.testing.assert_close(ours(given()), watched, atol=1e-5, rtol=1e-4)


@torch.inference_mode()
def test_without_projection_the_heads_are_the_output() -> None:
    ours = layer(projected=False)
    with record(ours, "*context") as trace:
        output = ours(given())
    heads = trace["attention.context"]
    assert output.equal(heads.transpose(1, 2).reshape(B, N, D))
    assert sum(p.numel() for p in ours.parameters()) == 3 * D * D


@torch.inference_mode()
def test_a_row_that_may_see_nothing_gets_zeros() -> None:
    mask = torch.ones(N, N, dtype=torch.bool)
    mask[2] = False
    ours = layer()
    assert (ours(given(), mask)[:, 2] == 0).all()
    with record(ours, "*") as trace:
        assert (ours(given(), mask)[:, 2] == 0).all()
    assert (trace["attention.weights"][:, :, 2] == 0).all()


def test_taps_are_these() -> None:
    names = ("query", "key", "value", "scores", "weights", "context")
    assert sorted(taps(layer())) == sorted(f"attention.{name}" for name in names)


def test_the_registry_knows_it() -> None:
    made = models.build("attention_layer", width=8, heads=2, bias=True)
    assert sum(p.numel() for p in made.parameters()) == 4 * (8 * 8 + 8)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"width": 10, "heads": 4}, "width 10 does not divide into 4 heads"),
        ({"width": 0}, "width should be at least 1, not 0"),
        ({"heads": -1}, "heads should be at least 1, not -1"),
    ],
)
def test_sizes_that_do_not_fit_say_why(options: dict[str, int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        AttentionLayerConfig(**options)
