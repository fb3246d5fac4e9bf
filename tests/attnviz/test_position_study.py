"""How positions enter attention: sums, terms and shuffles of a small random Transformer."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import models, zoo
from attnviz.layers.transformer import EncoderLayer, LayerConfig
from attnviz.models.transformer import Transformer
from attnviz.position_study import (
    TERMS,
    costs,
    join,
    refusal,
    score_terms,
    shuffle,
    table,
    table_2d,
)
from attnviz.trace import record

IDS = [5, 9, 5, 11, 3, 7]


def build(**changes: object) -> Transformer:
    torch.manual_seed(0)
    sizes = {"vocabulary": 20, "width": 16, "heads": 2, "hidden": 24, "layers": 2}
    return models.build("transformer", **sizes | changes).eval()


@pytest.fixture(scope="module")
def model() -> Transformer:
    return build()


def test_tables_are_the_layers() -> None:
    pe = table(5, 6)
    assert pe.shape == (5, 6) and pe.dtype == np.float32
    np.testing.assert_allclose(pe[3, :2], [np.sin(3), np.cos(3)], rtol=1e-6)
    np.testing.assert_array_equal(table(9, 6)[4:], table(5, 6, first=4))  # it goes on
    larger = table_2d(5, 6, 16).reshape(5, 6, 16)
    np.testing.assert_array_equal(larger[:3, :4].reshape(-1, 16), table_2d(3, 4, 16))


def test_row_i_of_the_table_reaches_token_i(model: Transformer) -> None:
    ids = torch.tensor([IDS])
    with record(model, "encoder.embedded") as trace:
        model.encode(ids)
    added = trace["encoder.embedded"][0] - model.embed(ids)[0] * 4
    np.testing.assert_allclose(added.detach().numpy(), table(len(IDS), 16), atol=1e-5)


@pytest.mark.parametrize("bias", [False, True])
def test_concatenation_before_a_linear_layer_is_addition(bias: bool) -> None:
    biased = build(attention_bias=bias)
    if bias:
        torch.nn.init.normal_(biased.encoder.layers[0].self_attn.w_q.bias)  # type: ignore[union-attr, arg-type]
    added, own = (join(biased, IDS, own=own) for own in (False, True))
    assert added.deviation < 1e-5 and added.from_model < 1e-5
    assert own.deviation < 1e-5 and own.from_model > 0.1  # another table, not the model's
    np.testing.assert_array_equal(added.content, own.content)
    assert join(biased, IDS, own=True, seed=1).from_model != own.from_model


@pytest.mark.parametrize("bias", [False, True])
def test_four_terms_are_the_score(bias: bool) -> None:
    biased = build(attention_bias=bias)
    if bias:
        for name in ("w_q", "w_k"):
            torch.nn.init.normal_(getattr(biased.encoder.layers[0].self_attn, name).bias)
    found = score_terms(biased, IDS)
    assert found.terms.shape == (len(TERMS), 2, 6, 6)
    assert found.deviation < 1e-5
    same = found.terms[:, :, :, [0, 2]]  # one token at two places: the same key where it is content
    np.testing.assert_allclose(same[0, ..., 0], same[0, ..., 1], atol=1e-6)
    np.testing.assert_allclose(same[2, ..., 0], same[2, ..., 1], atol=1e-6)
    assert abs(same[1, ..., 0] - same[1, ..., 1]).max() > 1e-3


def test_what_is_alike_for_all_keys_does_not_spread() -> None:
    found = score_terms(build(), IDS)
    moved = type(found)(found.terms + np.arange(6)[:, None], found.scores)
    np.testing.assert_allclose(moved.spread, found.spread, rtol=1e-4)
    row = found.terms[1, 0].astype(np.float64)
    by_hand = np.sqrt(((row - row.mean(1, keepdims=True)) ** 2).mean())
    assert found.spread[1, 0] == pytest.approx(by_hand)


@settings(deadline=None, max_examples=25)
@given(order=st.permutations(range(len(IDS))))
def test_without_positions_outputs_move_with_their_tokens(
    model: Transformer, order: list[int]
) -> None:
    bare = shuffle(model, IDS, order, positions=False)
    assert bare.deviation < 1e-6
    apart = bare.distances[order, range(len(order))]
    assert apart.max() < 1e-6
    placed = shuffle(model, IDS, order, positions=True)
    assert (placed.deviation < 1e-6) == (order == list(range(len(order))))


def test_a_trained_encoder_too() -> None:
    name = next((card.name for card in zoo.cards() if card.family == "transformer"), None)
    if name is None:
        pytest.skip("no bundled Transformer")
    trained = zoo.load(name, "cpu")
    before = {key: value.clone() for key, value in trained.state_dict().items()}
    order = [3, 0, 5, 1, 4, 2]
    assert shuffle(trained, IDS, order, positions=False).deviation < 1e-6
    assert shuffle(trained, IDS, order, positions=True).deviation > 0.01
    for key, value in trained.state_dict().items():
        assert value.dtype == torch.float32 and torch.equal(value, before[key])


def test_a_model_without_positions_or_with_pre_norm_has_no_terms() -> None:
    for changes in ({"positions": "none"}, {"pre_norm": True}):
        for study in (score_terms, lambda m, ids: join(m, ids, own=False)):
            with pytest.raises(ValueError, match="positions are added"):
                study(build(**changes), IDS)


def test_an_order_is_a_permutation(model: Transformer) -> None:
    with pytest.raises(ValueError, match="each of the 6 tokens once"):
        shuffle(model, IDS, [0, 1, 2, 3, 4, 4], positions=False)


def test_costs_are_counted_on_modules(model: Transformer) -> None:
    added, once, kept = costs(model).values()
    assert (added.width, once.width, kept.width) == (16, 16, 32)
    assert added.stack == sum(w.numel() for w in model.encoder.parameters())
    double = EncoderLayer(LayerConfig(32, 2, 48))
    assert kept.stack == 2 * sum(w.numel() for w in double.parameters())
    assert once.stack - added.stack == once.first - added.first == 3 * 16 * 16
    assert kept.first == 3 * 32 * 32


def test_a_learned_table_ends() -> None:
    assert refusal(7) == "this model learned 7 positions; 8 are needed"
