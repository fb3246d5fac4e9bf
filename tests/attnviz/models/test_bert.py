"""BERT's encoder: sizes, parity with torch's layers, padding, positions, the sentence's vector."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from attnviz import models
from attnviz.models.bert import Bert, BertConfig
from attnviz.trace import taps

V, D, HEADS, B, T = 23, 12, 3, 3, 7
LENGTHS = [7, 4, 1]  # real tokens of the batch


def tiny(**options: object) -> Bert:
    sizes = {"vocabulary": V, "width": D, "heads": HEADS, "hidden": 20, "layers": 2, "longest": 9}
    model = Bert(BertConfig(**{**sizes, **options})).eval()  # type: ignore[arg-type]
    with torch.no_grad():  # zero biases and scales of one would hide mistakes
        for parameter in model.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.5)
    return model


def sentences() -> Tensor:
    """Token ids (b, t), padded on the right."""
    tokens = torch.randint(4, V, (B, T))
    return tokens * (torch.arange(T) < torch.tensor(LENGTHS)[:, None])


@pytest.mark.parametrize(("name", "expected"), [("minilm_l6", 22_565_376), ("bert_base", None)])
def test_parameter_count(name: str, expected: int | None) -> None:
    cfg = models.config(name)
    d, m = cfg.width, cfg.hidden
    tables = (cfg.vocabulary + cfg.longest + cfg.types) * d + 2 * d
    layer = 4 * (d * d + d) + 2 * d * m + m + d + 4 * d
    with torch.device("meta"):
        model = models.build(name)
    count = sum(p.numel() for p in model.parameters())
    assert count == tables + cfg.layers * layer
    pooler = d * d + d  # which the published counts hold
    published = {"minilm_l6": 22_713_216, "bert_base": 109_482_240}
    assert count + pooler == published[name] and expected in (None, count)


def test_taps_are_frozen() -> None:
    attention = {
        "query": "b h q e",
        "key": "b h k e",
        "value": "b h k e",
        "scores": "b h q k",
        "weights": "b h q k",
        "context": "b h q e",
    }
    layer = {f"self_attn.{name}": axes for name, axes in attention.items()}
    layer |= {
        f"add_norm{number}.{name}": "b t d"
        for number in (1, 2)
        for name in ("output", "summed", "normed")
    }
    layer |= {"feed_forward.hidden": "b t m", "residual": "b t d"}
    inside = {f"layers.{n}.{name}": axes for n in range(2) for name, axes in layer.items()}
    assert taps(tiny()) == inside | {"mask": "b t", "embedded": "b t d"}


@torch.no_grad()
def test_parity_with_torchs_encoder_layers() -> None:
    model, tokens = tiny(), sentences()
    x = model.words(tokens) + model.positions(torch.arange(T)) + model.types.weight[0]
    x = nn.functional.layer_norm(x, (D,), model.norm.weight, model.norm.bias, 1e-12)
    for layer in model.layers:
        x = reference(layer)(x, src_key_padding_mask=tokens == 0)
    real = tokens != 0
    torch.testing.assert_close(model(tokens)[real], x[real], atol=1e-5, rtol=1e-5)


def reference(layer: nn.Module) -> nn.TransformerEncoderLayer:
    """torch's own layer with the weights of ours."""
    theirs = nn.TransformerEncoderLayer(
        D, HEADS, 20, activation="gelu", layer_norm_eps=1e-12, batch_first=True
    ).eval()
    ours = dict(layer.named_parameters())
    attention = ("self_attn.w_q", "self_attn.w_k", "self_attn.w_v")
    state = {
        f"self_attn.in_proj_{kind}": torch.cat([ours[f"{name}.{kind}"] for name in attention])
        for kind in ("weight", "bias")
    }
    renamed = {
        "self_attn.out_proj": "self_attn.w_o",
        "linear1": "feed_forward.linear1",
        "linear2": "feed_forward.linear2",
        "norm1": "add_norm1.norm",
        "norm2": "add_norm2.norm",
    }
    for name, own in renamed.items():
        state |= {f"{name}.{kind}": ours[f"{own}.{kind}"] for kind in ("weight", "bias")}
    theirs.load_state_dict(state, strict=True)
    return theirs


@torch.no_grad()
def test_padding_changes_nothing() -> None:
    model, tokens = tiny(), sentences()
    states = model(tokens)
    vectors = model.sentence(states, tokens)
    for row, length in enumerate(LENGTHS):
        alone = tokens[row : row + 1, :length]
        torch.testing.assert_close(model(alone)[0], states[row, :length])
        torch.testing.assert_close(model.sentence(model(alone), alone)[0], vectors[row])


@torch.no_grad()
def test_a_sentences_vector_is_its_mean_at_length_one() -> None:
    model, tokens = tiny(), sentences()
    states = model(tokens)
    vectors = model.sentence(states, tokens)
    torch.testing.assert_close(vectors.norm(dim=-1), torch.ones(B))
    mean = states[1, : LENGTHS[1]].mean(0)
    torch.testing.assert_close(vectors[1], mean / mean.norm())


@torch.no_grad()
def test_a_row_of_padding_alone_gives_zeros() -> None:
    model = tiny()
    tokens = torch.tensor([[5, 6], [0, 0]])
    states = model(tokens)
    assert torch.isfinite(states).all()
    assert model.sentence(states, tokens)[1].eq(0).all()


@torch.no_grad()
def test_positions_and_types_reach_their_tokens() -> None:
    model, tokens = tiny(), torch.randint(4, V, (1, T))
    before = model.embedding(tokens)
    model.positions.weight[3] += 1 + torch.arange(D)
    moved = (model.embedding(tokens) - before).abs().amax(-1)[0]
    assert moved.nonzero().flatten().tolist() == [3]
    types = (torch.arange(T) >= 5).long()[None]
    typed = (model.embedding(tokens, types) - model.embedding(tokens)).abs().amax(-1)[0]
    assert typed.nonzero().flatten().tolist() == [5, 6]


@torch.no_grad()
def test_order_matters_by_positions_alone() -> None:
    model, tokens = tiny(), torch.randint(4, V, (1, T))
    shuffled = torch.randperm(T)
    assert not torch.allclose(model(tokens)[:, shuffled], model(tokens[:, shuffled]), atol=1e-3)
    model.positions.weight.zero_()
    torch.testing.assert_close(model(tokens)[:, shuffled], model(tokens[:, shuffled]))


def test_beyond_the_learned_positions_it_is_said() -> None:
    assert tiny()(torch.ones(1, 9, dtype=torch.long)).shape == (1, 9, D)
    with pytest.raises(ValueError, match="learned 9 positions; 10 are needed"):
        tiny()(torch.ones(1, 10, dtype=torch.long))


@pytest.mark.parametrize("name", ["vocabulary", "layers", "longest", "types", "heads"])
def test_sizes_below_one_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} should be at least 1, not 0"):
        BertConfig(**{name: 0})  # type: ignore[arg-type]
