"""Attention: the explicit path equals the fused one and torch's own; masks do what they say."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from attnviz.layers.attention import attend
from attnviz.trace import Tap, Trace, record


class Bare(nn.Module):
    """`attend` with its two taps, as a model holds them."""

    def __init__(self) -> None:
        super().__init__()
        self.scores, self.weights = Tap("b h q k"), Tap("b h q k")

    def forward(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
        return attend(q, k, v, scores_tap=self.scores, weights_tap=self.weights, mask=mask)


def run(mask: Tensor | None = None, queries: int = 5) -> tuple[Tensor, Tensor, Trace, Tensor]:
    model = Bare()
    q, k, v = torch.randn(2, 3, queries, 4), torch.randn(2, 3, 7, 4), torch.randn(2, 3, 7, 4)
    fused = model(q, k, v, mask)
    with record(model, "*") as trace:
        explicit = model(q, k, v, mask)
    return fused, explicit, trace, v


MASKS = {
    "none": None,
    "padding": torch.tensor([[True] * 5 + [False] * 2]),
    "random": torch.rand(2, 1, 5, 7, generator=torch.Generator().manual_seed(1)) > 0.4,
    "bias": torch.randn(1, 3, 5, 7, generator=torch.Generator().manual_seed(2)),
}


@pytest.mark.parametrize("name", MASKS)
def test_explicit_equals_fused(name: str) -> None:
    fused, explicit, trace, v = run(MASKS[name])
    torch.testing.assert_close(explicit, fused)
    torch.testing.assert_close(trace["weights"] @ v, explicit)
    torch.testing.assert_close(trace["weights"].sum(-1), torch.ones(2, 3, 5))


def test_equals_torch_multihead_attention() -> None:
    reference = nn.MultiheadAttention(8, 2, bias=False, batch_first=True).eval()
    x = torch.randn(3, 6, 8)
    expected, expected_weights = reference(x, x, x, average_attn_weights=False)
    q, k, v = (x @ reference.in_proj_weight.T).chunk(3, -1)
    split = lambda t: t.reshape(3, 6, 2, 4).transpose(1, 2)  # noqa: E731
    model = Bare()
    with record(model, "weights") as trace:
        context = model(split(q), split(k), split(v))
    ours = context.transpose(1, 2).reshape(3, 6, 8) @ reference.out_proj.weight.T
    torch.testing.assert_close(ours, expected)
    torch.testing.assert_close(trace["weights"], expected_weights)


def test_masked_cells_are_exactly_zero() -> None:
    _, _, trace, _ = run(MASKS["padding"])
    assert not trace["weights"][..., 5:].any()


def test_a_row_without_keys_gives_zeros_on_both_paths() -> None:
    mask = torch.ones(5, 7, dtype=torch.bool)
    mask[2] = False
    fused, explicit, trace, _ = run(mask)
    for context in (fused, explicit):
        assert torch.isfinite(context).all() and not context[..., 2, :].any()
    assert not trace["weights"][..., 2, :].any()
    torch.testing.assert_close(explicit, fused)


def test_softmax_runs_in_float32_and_context_keeps_its_type() -> None:
    model = Bare()
    q, k, v = (torch.randn(1, 1, 4, 4, dtype=torch.bfloat16) for _ in range(3))
    with record(model, "weights") as trace:
        assert model(q, k, v).dtype is torch.bfloat16
    assert trace["weights"].dtype is torch.float32
    torch.testing.assert_close(trace["weights"].sum(-1), torch.ones(1, 1, 4))


def test_weights_are_those_before_dropout() -> None:
    taps = Bare()
    q = torch.randn(1, 1, 4, 4)
    with record(taps, "weights") as trace:
        attend(q, q, q, scores_tap=taps.scores, weights_tap=taps.weights, dropout=0.9)
    torch.testing.assert_close(trace["weights"].sum(-1), torch.ones(1, 1, 4))


@pytest.mark.parametrize("keys", [1, 7, 197, 1374])
def test_weights_do_not_depend_on_who_watches_the_scores(keys: int) -> None:
    """Unwatched scores lend their memory to the weights; the numbers must be the same."""
    model = Bare()
    q, k, v = torch.randn(1, 3, 5, 4), torch.randn(1, 3, keys, 4), torch.randn(1, 3, keys, 4)
    with torch.inference_mode():
        with record(model, "weights") as alone:
            model(q, k, v)
        with record(model, "scores", "weights") as both:
            model(q, k, v)
    expected = ((q / 2) @ k.mT).softmax(-1)
    assert alone["weights"].equal(both["weights"])
    torch.testing.assert_close(alone["weights"], expected)
    torch.testing.assert_close(both["scores"], (q / 2) @ k.mT)
