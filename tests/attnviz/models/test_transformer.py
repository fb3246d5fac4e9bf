"""The Transformer: sizes, taps, what may be seen, the cache, and order without positions."""

from __future__ import annotations

import time
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attnviz import models
from attnviz.decoding import decode, next_token
from attnviz.layers.positions import sinusoid
from attnviz.models.transformer import Transformer, TransformerConfig
from attnviz.text import END, START
from attnviz.trace import record, taps

V, D, H, N, S, T = 19, 16, 4, 3, 6, 5


def tiny(**options: Any) -> Transformer:
    """Random weights and biases: zeros would hide mistakes."""
    torch.manual_seed(0)
    cfg = {"vocabulary": V, "width": D, "heads": H, "layers": N, "hidden": 32, **options}
    model = Transformer(TransformerConfig(**cfg)).eval().requires_grad_(False)
    for parameter in model.parameters():
        parameter.copy_(torch.randn_like(parameter) * 0.3)
    return model


@pytest.fixture(params=[{}, {"pre_norm": True, "positions": "learned", "attention_bias": True}])
def model(request: pytest.FixtureRequest) -> Transformer:
    return tiny(**request.param)


def sentences(batch: int = 2) -> tuple[Tensor, Tensor]:
    torch.manual_seed(1)
    return torch.randint(4, V, (batch, S)), torch.randint(4, V, (batch, T))


def test_the_base_model_has_63_million_parameters() -> None:
    """The paper rounds to 65; without biases of attention there are 63.0."""
    with torch.device("meta"):
        model = models.build("transformer_base")
    assert sum(p.numel() for p in model.parameters()) == 63_045_632


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(("v", "d", "m", "n"), [(37_000, 1024, 4096, 6), (50, 24, 32, 2)])
def test_parameter_counts(v: int, d: int, m: int, n: int, bias: bool) -> None:
    attention = 4 * d * d + (4 * d if bias else 0)
    feed_forward, norm = 2 * d * m + m + d, 2 * d
    encoder = attention + feed_forward + 2 * norm
    decoder = 2 * attention + feed_forward + 3 * norm
    with torch.device("meta"):
        model = models.build(
            "transformer_big", vocabulary=v, width=d, hidden=m, layers=n, heads=8,
            attention_bias=bias,
        )  # fmt: skip
    assert sum(p.numel() for p in model.parameters()) == v * d + n * (encoder + decoder)


def test_taps_are_frozen() -> None:
    attention = {
        "query": "b h q e",
        "key": "b h k e",
        "value": "b h k e",
        "scores": "b h q k",
        "weights": "b h q k",
        "context": "b h q e",
    }
    expected = {
        "encoder.embedded": "b s d",
        "decoder.embedded": "b t d",
        "source_mask": "b s",
        "look_ahead": "q k",
        "encoder_states": "b s d",
        "logits": "b t v",
    }
    for stack, attentions, sums in (
        ("encoder", ("self_attn",), 2),
        ("decoder", ("self_attn", "cross_attn"), 3),
    ):
        for n in range(N):
            layer = f"{stack}.layers.{n}"
            for kind in attentions:
                expected |= {f"{layer}.{kind}.{name}": axes for name, axes in attention.items()}
            for i in range(1, sums + 1):
                expected |= {
                    f"{layer}.add_norm{i}.{name}": "b t d"
                    for name in ("output", "summed", "normed")
                }
            expected |= {f"{layer}.feed_forward.hidden": "b t m", f"{layer}.residual": "b t d"}
    assert taps(tiny()) == expected


def test_the_whole_equals_torchs() -> None:
    """Both stacks of torch, given our weights, over our embeddings."""
    model = tiny(attention_bias=True)
    theirs = nn.Transformer(D, H, N, N, 32, 0.0, batch_first=True).eval()
    theirs.encoder.norm = theirs.decoder.norm = None  # post-norm stacks end with a norm already
    for stack, sums in (("encoder", 2), ("decoder", 3)):
        for ours, other in zip(
            getattr(model, stack).layers, getattr(theirs, stack).layers, strict=True
        ):
            pairs = [(ours.self_attn, other.self_attn)]
            pairs += [(ours.cross_attn, other.multihead_attn)] if sums == 3 else []
            for mine, torchs in pairs:
                projections = (mine.w_q, mine.w_k, mine.w_v)
                torchs.in_proj_weight.data = torch.cat([p.weight for p in projections])
                torchs.in_proj_bias.data = torch.cat([p.bias for p in projections])
                torchs.out_proj.load_state_dict(mine.w_o.state_dict())
            for name in ("linear1", "linear2"):
                getattr(other, name).load_state_dict(getattr(ours.feed_forward, name).state_dict())
            for i in range(1, sums + 1):
                norm = getattr(ours, f"add_norm{i}").norm
                getattr(other, f"norm{i}").load_state_dict(norm.state_dict())
    source, target = sentences()
    source[1, 4:] = 0
    padded = source == 0
    look_ahead = nn.Transformer.generate_square_subsequent_mask(T)
    states = theirs(
        model.embed(source) * D**0.5 + sinusoid(S, D),
        model.embed(target) * D**0.5 + sinusoid(T, D),
        tgt_mask=look_ahead,
        src_key_padding_mask=padded,
        memory_key_padding_mask=padded,
        tgt_is_causal=True,
    )
    expected = states @ model.embed.weight.T
    torch.testing.assert_close(model(source, target), expected, atol=1e-4, rtol=1e-4)


def test_a_later_token_changes_nothing_before_it(model: Transformer) -> None:
    source, target = sentences()
    before = model(source, target)
    for t in range(1, T):
        changed = target.clone()
        changed[:, t:] = torch.randint(4, V, (2, T - t))
        after = model(source, changed)
        torch.testing.assert_close(after[:, :t], before[:, :t], atol=1e-5, rtol=1e-5)
        assert not torch.allclose(after[:, t:], before[:, t:])


def test_an_edited_look_ahead_mask_leaks(model: Transformer) -> None:
    source, target = sentences()
    changed = target.clone()
    changed[:, -1] = 4 + (changed[:, -1] - 3) % (V - 4)

    def run(tokens: Tensor) -> Tensor:
        with record(model, edit={"look_ahead": torch.ones_like}):
            return model(source, tokens)

    assert (run(changed) - run(target))[:, 0].abs().max() > 1e-3, "position 0 saw the last token"
    with record(model, "look_ahead", "decoder.layers.*.self_attn.weights") as trace:
        model(source, target)
    assert trace["look_ahead"].equal(torch.ones(T, T, dtype=torch.bool).tril())
    for weights in trace.match("decoder.layers.*.self_attn.weights"):
        assert weights.triu(1).eq(0).all(), "masked cells are exactly 0"


def test_longer_padding_gives_the_same(model: Transformer) -> None:
    source, target = sentences()
    padded = torch.cat([source, torch.zeros(2, 4, dtype=torch.long)], 1)
    torch.testing.assert_close(model(padded, target), model(source, target), atol=1e-5, rtol=1e-4)
    with record(model, "*.self_attn.weights", "*.cross_attn.weights") as trace:
        model(padded, target)
    for name in trace.names():
        weights = trace[name]
        torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]))
        if name.startswith("encoder") or "cross" in name:
            assert weights[..., S:].eq(0).all(), "a padded key gets 0"


def test_the_encoder_sees_a_set_unless_it_is_told_positions() -> None:
    source, _ = sentences(1)
    order = torch.randperm(S)

    def states(model: Transformer, tokens: Tensor) -> Tensor:
        with record(model, "encoder_states") as trace:
            model.encode(tokens)
        return trace["encoder_states"]

    blind, told = tiny(positions="none"), tiny()
    torch.testing.assert_close(
        states(blind, source[:, order]), states(blind, source)[:, order], atol=1e-5, rtol=1e-4
    )
    assert (states(told, source[:, order]) - states(told, source)[:, order]).abs().max() > 0.01


def test_row_i_of_the_table_reaches_token_i(model: Transformer) -> None:
    source, target = sentences()
    table = model.position_table(T)
    assert table is not None
    with record(model, "decoder.embedded") as trace:
        model(source, target)
        memory, state = model.encode(source)
        for t in range(T):
            _, state = model.decode(target[:, t : t + 1], state, memory)
    whole, *steps = trace.steps("decoder.embedded")
    torch.testing.assert_close(whole, model.embed(target) * D**0.5 + table)
    torch.testing.assert_close(torch.cat(steps, 1), whole)


def test_decoding_with_cached_keys_gives_what_the_whole_gives(model: Transformer) -> None:
    source, target = sentences()
    source[1, 4:] = 0
    whole = model(source, target)
    memory, state = model.encode(source)
    pieces = []
    for part in target.split([1, 2, 1, 1], 1):
        logits, state = model.decode(part, state, memory)
        pieces.append(logits)
    torch.testing.assert_close(torch.cat(pieces, 1), whole, atol=1e-5, rtol=1e-4)


def recomputed(model: Transformer, source: Tensor, limit: int) -> list[int]:
    """Greedy decoding of one sentence whose decoder begins anew at every step."""
    memory, empty = model.encode(source)
    tokens = source.new_full((1, 1), START)
    for _ in range(limit):
        logits, _ = model.decode(tokens, empty, memory)
        chosen = next_token(logits[:, -1]).argmax(-1)
        tokens = torch.cat([tokens, chosen[:, None]], 1)
        if chosen.item() == END:
            break
    return tokens[0, 1:].tolist()


def test_cached_decoding_says_the_same(model: Transformer) -> None:
    for seed in range(3):
        torch.manual_seed(seed)
        source = torch.randint(4, V, (1, S))
        (found,) = decode(model, source, limit=12)
        assert list(found.ids) == recomputed(model, source, 12)


def test_cached_decoding_is_four_times_faster_at_64_tokens() -> None:
    """Eight sentences at once, two layers of the paper's width; `benchmarks/decoding_speed.py`."""
    model = models.build("transformer_base", vocabulary=500, layers=2).eval()
    source = torch.randint(4, 500, (8, 64))

    def seconds(cached: bool) -> float:
        memory, state = model.encode(source)
        empty, tokens = state, source.new_full((8, 1), START)
        began = time.perf_counter()
        for _ in range(64):
            given = (tokens[:, -1:], state) if cached else (tokens, empty)
            logits, state = model.decode(*given, memory)
            tokens = torch.cat([tokens, logits[:, -1:].argmax(-1)], 1)
        return time.perf_counter() - began

    with torch.inference_mode():
        seconds(cached=True)
        fast = min(seconds(cached=True) for _ in range(3))
        assert min(seconds(cached=False) for _ in range(2)) / fast >= 4


def test_learned_positions_end() -> None:
    model = tiny(positions="learned", longest=4)
    source, _ = sentences(1)
    with pytest.raises(ValueError, match="this model learned 4 positions; 6 are needed"):
        model.encode(source)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"layers": 0}, "layers should be at least 1, not 0"),
        ({"positions": "rotary"}, "positions should be one of sinusoid, learned, none"),
        ({"width": 9, "heads": 3}, "sinusoids need an even width, not 9"),
        ({"width": 10}, "width 10 does not divide into 8 heads"),
    ],
)
def test_sizes_that_cannot_be(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        TransformerConfig(**options)
