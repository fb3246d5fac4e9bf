"""Studies of one attention layer: measured against mathematics, autograd and torch's counters."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import torch

from attnviz import captioning, models
from attnviz.attention_studies import additive, correspondence, heads, permutation
from attnviz.attention_studies.scaling import SCALED, SIZES, UNSCALED, band, describe, scaling
from attnviz.layers.attention import attend
from attnviz.text import Tokeniser, Words
from attnviz.trace import Tap, record
from attnviz.translation import translate

TOKENISER = Tokeniser.load("dates")
SHALLOW = "efficientnet_lite0_shallow"


@pytest.fixture(scope="module")
def study() -> Any:
    return scaling(16, draws=200)


def test_the_variance_of_products_is_the_size_of_a_key(study: Any) -> None:
    large = np.array(SIZES) >= 16
    np.testing.assert_allclose(study.variance[large], np.array(SIZES)[large], rtol=0.15)


def test_without_scaling_the_softmax_saturates_and_with_it_does_not(study: Any) -> None:
    entropy = np.median(study.softmax.entropy, -1)  # (2, s)
    last, first = SIZES.index(512), SIZES.index(4)
    assert entropy[UNSCALED, last] < 0.2 < 2 < entropy[UNSCALED, first]
    assert np.ptp(entropy[SCALED, first:]) < 0.25
    largest, slope = (np.median(x, -1) for x in (study.softmax.largest, study.softmax.by_scores))
    assert largest[UNSCALED, last] > 0.99 and largest[SCALED, last] < 0.5
    assert slope[UNSCALED, last] < 0.05 * slope[SCALED, last]


def test_size_one_is_the_same_scaled_or_not(study: Any) -> None:
    for name in ("entropy", "largest", "by_scores", "by_query"):
        both = getattr(study.softmax, name)[:, SIZES.index(1)]
        np.testing.assert_allclose(both[0], both[1], rtol=1e-5)


@pytest.mark.parametrize("factor", [1.0, 0.25])
def test_gradients_are_autograds(factor: float) -> None:
    torch.manual_seed(0)
    query, key = torch.randn(8).double(), torch.randn(5, 8).double() * factor
    found = describe((key @ query)[None], key[None])
    by_scores = torch.autograd.functional.jacobian(lambda e: e.softmax(0), key @ query)
    by_query = torch.autograd.functional.jacobian(lambda q: (key @ q).softmax(0), query)
    assert found.by_scores[0] == pytest.approx(by_scores.norm().item(), rel=1e-9)
    assert found.by_query[0] == pytest.approx(by_query.norm().item(), rel=1e-9)
    weights = (key @ query).softmax(0)
    entropy = -(weights * weights.log2()).sum().item()
    assert found.entropy[0] == pytest.approx(entropy) and found.largest[0] == weights.max()


def test_the_scaled_softmax_is_that_of_the_attention_layer(study: Any) -> None:
    from attnviz.attention_studies.scaling import random_vectors

    query, key = random_vectors(16, 512, 200, 0)
    q, k = query[None, :, :, :64], key[None, :, :, :64]
    scores, weights = Tap("b h q k"), Tap("b h q k")
    holder = torch.nn.ModuleDict({"scores": scores, "weights": weights})
    with record(holder, "weights") as trace:
        attend(q, k, k, scores_tap=scores, weights_tap=weights)
    largest = study.softmax.largest[SCALED, SIZES.index(64)]
    np.testing.assert_allclose(trace["weights"][0, :, 0].amax(-1), largest, rtol=1e-4)


def test_a_band_is_ordered(study: Any) -> None:
    low, middle, high = band(study.softmax.entropy[UNSCALED])
    assert (low <= middle).all() and (middle <= high).all() and (low < high).any()


@pytest.mark.parametrize(("keys", "sizes"), [(1, (4,)), (4, (0,))])
def test_impossible_sizes_are_refused(keys: int, sizes: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="keys"):
        scaling(keys, sizes=sizes, draws=2)


ORDER = [3, 0, 5, 1, 4, 2]


@pytest.fixture(scope="module")
def tokens() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(6, 32)).astype(np.float32)


def test_outputs_shuffle_along_until_positions_are_added(tokens: np.ndarray) -> None:
    layer = permutation.fresh_layer(32)
    plain = permutation.shuffled(layer, tokens, ORDER)
    placed = permutation.shuffled(layer, tokens, ORDER, positions=True)
    np.testing.assert_array_equal(plain.inputs[1], tokens[ORDER])
    assert abs(plain.difference).max() < 1e-5 and abs(plain.weight_difference).max() < 1e-5
    assert abs(plain.outputs[1] - plain.outputs[0]).max() > 0.1  # they did move
    assert abs(placed.difference).max() > 0.1 and abs(placed.weight_difference).max() > 0.01
    np.testing.assert_allclose(placed.weights.sum(-1), 1, atol=1e-6)


def test_an_order_names_every_token_once(tokens: np.ndarray) -> None:
    with pytest.raises(ValueError, match="once"):
        permutation.shuffled(permutation.fresh_layer(32), tokens, [0, 1, 2, 3, 4, 4])


def test_embeddings_are_the_models_own() -> None:
    model = tiny()
    ids = TOKENISER.encode("3월 9일").ids
    own = model.embed(torch.tensor(ids)).detach() * 4
    np.testing.assert_allclose(permutation.embedded(model, ids), own)


def test_heads_cost_the_same() -> None:
    width, n = 32, 10
    found = heads.costs(width, n, repeats=1)
    assert {cost.parameters for cost in found} == {4 * width**2}
    assert {cost.multiply_adds for cost in found} == {4 * n * width**2 + 2 * n * n * width}
    assert [cost.size for cost in found] == [32, 16, 8, 4]
    assert all(cost.seconds > 0 and cost.written_out > 0 for cost in found)


def test_two_heads_bring_back_two_things_and_one_loses_half() -> None:
    seen: list[int] = []
    one, two = (heads.learn_two_places(count, progress=seen.append) for count in (1, 2))
    assert one.error == pytest.approx(heads.ONE_AVERAGE, abs=0.02)
    assert two.error < 0.01 and one.parameters == two.parameters
    assert len(one.losses) == heads.STEPS and seen == 2 * list(range(heads.STEPS))
    looks = {tuple(head.argmax(-1)) for head in two.weights}
    places = heads.PLACES
    assert looks == {tuple(range(places - 2)), tuple(range(2, places))}  # before and after
    np.testing.assert_allclose(two.weights.sum(-1), 1, atol=1e-5)


def test_no_average_of_two_keeps_more_than_half() -> None:
    mixed = np.random.default_rng(0).normal(size=(20_000, 2))
    for weight in (0.5, 0.7, 0.95):
        context = mixed @ [weight, 1 - weight]
        slopes = context @ mixed / (context @ context)
        error = ((mixed - context[:, None] * slopes) ** 2).mean()
        assert error == pytest.approx(heads.ONE_AVERAGE, abs=0.02)


def test_a_training_can_be_stopped() -> None:
    def stop(step: int) -> None:
        if step == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        heads.learn_two_places(1, progress=stop)


def tiny(variant: str = "seq2seq_mlp") -> Any:
    torch.manual_seed(0)
    return models.build(variant, vocabulary=TOKENISER.size, width=16).eval()


def test_the_layers_look_is_its_own_equation(tokens: np.ndarray) -> None:
    look = correspondence.layer_look(permutation.fresh_layer(32, 4), tokens, 2, head=1)
    np.testing.assert_allclose(look.scores, look.keys @ look.query / 8**0.5, atol=1e-5)
    assert look.keys.shape == look.values.shape == (6, 8)
    check(look)


def test_the_translators_look_is_its_recorded_step() -> None:
    model = tiny()
    run = translate(model, TOKENISER, "2026년 3월 9일")
    look = correspondence.translator_look(model, run, 1)
    np.testing.assert_array_equal(look.weights, run.weights[1])
    np.testing.assert_array_equal(look.values, run.encoder_states)
    score = model.attention.score
    inner = np.tanh(look.query @ score.query.weight.detach().numpy().T + look.keys)
    np.testing.assert_allclose(inner @ score.v.weight.detach().numpy()[0], look.scores, atol=1e-5)
    check(look)
    with pytest.raises(ValueError, match="no attention"):
        plain = tiny("seq2seq")
        correspondence.translator_look(plain, translate(plain, TOKENISER, "3월"), 0)


def test_the_captioners_look_is_its_recorded_step() -> None:
    torch.manual_seed(0)
    sizes = dict.fromkeys(("width", "annotation", "embedding", "match"), 8)
    model = models.build("show_attend_tell", vocabulary=12, stem=SHALLOW, **sizes).eval()
    pixels = np.random.default_rng(0).normal(size=(3, 64, 96)).astype(np.float32)
    run = captioning.describe(model, Words("abcdefgh"), pixels, prefix=[4, 5])
    looks = [correspondence.captioner_look(run, step) for step in range(2)]
    np.testing.assert_array_equal(looks[0].query, run.stages["initial_state"])
    np.testing.assert_array_equal(looks[1].query, run.stages["states"][0])
    score = model.attention.score
    for look in looks:
        inner = np.tanh(look.query @ score.query.weight.detach().numpy().T + look.keys)
        scores = inner @ score.v.weight.detach().numpy()[0]
        np.testing.assert_allclose(scores, look.scores, atol=1e-5)
        check(look)


def check(look: correspondence.Look) -> None:
    assert look.row_sum == pytest.approx(1, abs=1e-6) and look.deviation < 1e-4
    exps = np.exp(look.scores - look.scores.max())
    np.testing.assert_allclose(look.weights, exps / exps.sum(), atol=1e-6)


def test_additive_scores_and_their_slopes_are_the_modules() -> None:
    score = additive.fresh_score(6)
    query, key = torch.randn(1, 1, 6), torch.randn(1, 4, 6)
    scores, slopes = additive.additive_scores(score, query, key)
    own = torch.autograd.functional.jacobian(
        lambda q: score(q[None, None], score.keys(key))[0, 0], query[0, 0]
    )
    torch.testing.assert_close(slopes[0], own)
    torch.testing.assert_close(scores[0].float(), score(query, score.keys(key))[0, 0])


def test_only_the_unscaled_product_runs_away() -> None:
    found = additive.quality(16, sizes=(1, 256), draws=50)
    entropy = found.entropy.mean(-1)  # (3, 2)
    unscaled, others = entropy[1], entropy[[0, 2]]
    assert unscaled[1] < 1 < 2.5 < others.min() and entropy[2, 0] == pytest.approx(unscaled[0])


def test_the_attentions_differ_in_price_and_not_in_what_they_compute() -> None:
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 1, 12, 8)
    runs = additive.attentions(8)
    assert tuple(runs) == additive.PRICED
    wanted = (q @ k.mT / 8**0.5).softmax(-1) @ v
    for kind in additive.PRICED[1:]:
        torch.testing.assert_close(runs[kind](q, k, v), wanted)
    prices = {kind: additive.price(kind, 64, 32) for kind in additive.PRICED}
    held = [prices[kind].peak or 0 for kind in additive.PRICED]
    assert held[0] >= 64 * 64 * 32 * 4 > held[1] >= 64 * 64 * 4 > held[2]
    assert all(point.median > 0 and point.length == 64 for point in prices.values())
    with pytest.raises(ValueError, match="1 to"):
        additive.price("additive", additive.LONGEST + 1, 8)


def test_the_package_brings_no_torch() -> None:
    code = "import sys, attnviz.attention_studies; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
