"""Inside a Transformer: all heads and sums of one run, and what it says if parts are taken away."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from attnviz.inside import Inside, head_effects, leaks, look_inside
from attnviz.interventions import Intervention, edits
from attnviz.text import END, START
from attnviz.trace import taps
from attnviz.translation import Translation, follow, search, translate
from tests.attnviz.transformers import SENTENCE, TOKENISER, D, H, N, tiny


@pytest.fixture(params=[False, True], ids=["post-norm", "pre-norm"], scope="module")
def model(request: pytest.FixtureRequest) -> Any:
    return tiny(pre_norm=request.param)


@pytest.fixture(scope="module")
def run(model: Any) -> Translation:
    return translate(model, TOKENISER, SENTENCE)


@pytest.fixture(scope="module")
def found(model: Any, run: Translation) -> Inside:
    return look_inside(model, TOKENISER, SENTENCE, run.ids)


def changed(model: Any, ids: tuple[int, ...], **what: Any) -> Inside:
    return look_inside(model, TOKENISER, SENTENCE, ids, edits=edits(model, Intervention(**what)))


def test_weights_of_the_three_kinds(found: Inside) -> None:
    s, t = len(found.source), len(found.inputs)
    for kind, shape in (
        ("encoder", (N, H, s, s)), ("decoder", (N, H, t, t)), ("cross", (N, H, t, s)),
    ):  # fmt: skip
        weights = found.weights(kind)
        assert weights.shape == found.scores(kind).shape == shape
        np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)
    assert (np.triu(found.weights("decoder"), 1) == 0).all(), "no position looks ahead"
    assert np.isfinite(found.scores("decoder")).all(), "scores are those before the mask"


def test_labels_say_what_was_given_and_what_had_to_come(found: Inside, run: Translation) -> None:
    assert found.inputs == ("<s>", *run.target[:-1]) and found.target == run.target
    assert found.source == run.source


def test_every_tap_is_there(found: Inside, model: Any) -> None:
    assert found.stages.keys() == taps(model).keys()


def test_a_translation_knows_where_the_last_layer_but_one_looked(
    found: Inside, run: Translation
) -> None:
    assert run.weights is not None
    np.testing.assert_allclose(run.weights, found.weights("cross")[-2].mean(0), atol=1e-6)
    np.testing.assert_allclose(run.encoder_states, found.stages["encoder_states"], atol=1e-5)
    assert run.first_state is None and run.stages == {}


def test_the_stream_is_the_sum_of_what_was_added(found: Inside, model: Any) -> None:
    for stack, sums in (("encoder", 2), ("decoder", 3)):
        stream = found.stream(stack)
        assert stream.shape == (N + 1, len(found.source if sums == 2 else found.inputs), D)
        for n in range(N):
            name = f"{stack}.layers.{n}.add_norm{{}}.{{}}"
            x = stream[n]
            for i in range(1, sums + 1):
                summed = found.stages[name.format(i, "summed")]
                np.testing.assert_allclose(
                    summed, x + found.stages[name.format(i, "output")], atol=1e-5
                )
                x = summed if model.cfg.pre_norm else found.stages[name.format(i, "normed")]
            np.testing.assert_allclose(stream[n + 1], x, atol=1e-6)


def test_the_last_layer_predicts_what_the_model_predicts(found: Inside, run: Translation) -> None:
    np.testing.assert_allclose(found.chances[-1], run.chances, atol=1e-5)
    np.testing.assert_allclose(found.right[-1], run.probabilities, atol=1e-5)
    assert found.chances.shape[:2] == found.right.shape == (N + 1, len(run.ids))
    assert found.labels[-1] == run.candidate_labels
    assert not np.allclose(found.chances[0], found.chances[-1])


def test_the_rank_counts_the_likelier_pieces(model: Any, found: Inside) -> None:
    np.testing.assert_array_equal(found.ranks[-1], 0)  # greedy
    other = look_inside(model, TOKENISER, SENTENCE, (20, 31, 42, END))
    kept = other.chances.shape[-1]
    above = (other.chances > other.right[..., None]).sum(-1)  # (N + 1, T), of the kept ones
    assert (above == kept).any()
    np.testing.assert_array_equal(np.minimum(other.ranks, kept), above)


def test_a_silenced_head_adds_nothing(model: Any, run: Translation, found: Inside) -> None:
    for kind, place in (
        ("encoder", "encoder.layers.1.self_attn"), ("decoder", "decoder.layers.1.self_attn"),
        ("cross", "decoder.layers.1.cross_attn"),
    ):  # fmt: skip
        after = changed(model, run.ids, heads=((kind, 1, 0),))
        assert (after.stages[f"{place}.context"][0] == 0).all()
        assert (after.stages[f"{place}.context"][1] != 0).any()
        assert not np.allclose(after.right, found.right)


def test_two_heads_of_a_layer_can_be_silent_at_once(model: Any, run: Translation) -> None:
    after = changed(model, run.ids, heads=(("cross", 0, 1), ("cross", 0, 0), ("encoder", 2, 1)))
    assert (after.stages["decoder.layers.0.cross_attn.context"] == 0).all()
    assert (after.stages["encoder.layers.2.self_attn.context"][1] == 0).all()
    assert (after.stages["encoder.layers.2.self_attn.context"][0] != 0).any()


def test_a_silenced_layer_adds_nothing(model: Any, run: Translation) -> None:
    after = changed(model, run.ids, layers=(("decoder", 1), ("encoder", 0)))
    for name, stage in after.stages.items():
        if name.endswith(".output"):
            silent = name.startswith(("decoder.layers.1.", "encoder.layers.0."))
            assert (stage == 0).all() == silent, name


def test_nobody_looks_at_a_removed_word(model: Any, run: Translation, found: Inside) -> None:
    after = changed(model, run.ids, unseen=(0, 2))
    for kind in ("encoder", "cross"):
        weights = after.weights(kind)
        assert (weights[..., [0, 2]] == 0).all()
        np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)
    free = translate(model, TOKENISER, SENTENCE, edits=edits(model, Intervention(unseen=(0, 2))))
    assert not np.allclose(free.chances[0], run.chances[0])


def test_without_any_source_left_nothing_is_nan(model: Any, run: Translation) -> None:
    after = changed(model, run.ids, unseen=tuple(range(len(run.source))))
    assert (after.weights("cross") == 0).all() and (after.weights("encoder") == 0).all()
    assert all(np.isfinite(stage).all() for stage in after.stages.values())


def test_a_turned_cell_of_the_mask_leaks(model: Any, run: Translation, found: Inside) -> None:
    """Position 1 is allowed to see position 2: what stands there now changes its prediction."""
    after = changed(model, run.ids, turned=((1, 2),))
    assert (after.weights("decoder")[:, :, 1, 2] > 0).all()
    np.testing.assert_allclose(after.right[:, 0], found.right[:, 0], atol=1e-6)
    assert not np.allclose(after.right[-1, 1], found.right[-1, 1])


def test_a_free_run_hides_what_the_mask_hides(model: Any) -> None:
    """Every position sees itself alone, step by step as all at once."""
    size = 40
    alone = Intervention(turned=tuple((q, k) for q in range(size) for k in range(q)))
    free = translate(model, TOKENISER, SENTENCE, edits=edits(model, alone))
    forced = follow(model, TOKENISER, SENTENCE, free.ids, edits=edits(model, alone))
    np.testing.assert_allclose(free.probabilities, forced.probabilities, atol=1e-5)
    inside = changed(model, free.ids, turned=alone.turned)
    weights = inside.weights("decoder")
    np.testing.assert_array_equal(weights, np.broadcast_to(np.eye(len(free.ids)), weights.shape))


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ({"heads": (("cross", 3, 0),)}, "no layer 3: the model has 3, counted from 0"),
        ({"heads": (("cross", 0, 2),)}, r"no heads \[2\] of 'cross': 2 in each layer"),
        ({"heads": (("sideways", 0, 0),)}, "of 'sideways'"),
        ({"layers": (("cross", 0),)}, "a layer of encoder or decoder, not of 'cross'"),
        ({"layers": (("encoder", -1),)}, "no layer -1"),
    ],
)
def test_what_is_not_there_cannot_be_taken_away(what: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        edits(tiny(), Intervention(**what))


def test_nothing_taken_away_changes_nothing(run: Translation, model: Any) -> None:
    assert edits(model, None) == edits(model, Intervention()) == {}
    assert not Intervention() and Intervention(unseen=(0,))


def test_a_sentence_is_followed_as_it_is_decoded(model: Any, run: Translation) -> None:
    again = follow(model, TOKENISER, SENTENCE, run.ids)
    np.testing.assert_allclose(again.probabilities, run.probabilities, atol=1e-5)
    best = search(model, TOKENISER, SENTENCE, width=1).translations[0]
    assert best.ids == run.ids and START not in run.ids and run.ids.count(END) <= 1


def test_attention_of_a_transformer_is_not_one_row_to_force(model: Any) -> None:
    with pytest.raises(ValueError, match="no attention that could be forced"):
        translate(model, TOKENISER, SENTENCE, rows={0: [1.0] * 11})


def test_a_shared_model_is_not_changed(model: Any, run: Translation) -> None:
    before = {name: value.clone() for name, value in model.state_dict().items()}
    changed(model, run.ids, heads=(("cross", 0, 0),), unseen=(1,), turned=((0, 1),))
    assert all(value.equal(before[name]) for name, value in model.state_dict().items())
    assert not torch.is_inference_mode_enabled()


def test_what_a_head_is_worth_is_what_silencing_it_costs(model: Any, run: Translation) -> None:
    effects = head_effects(model, TOKENISER, SENTENCE, run.ids)
    assert set(effects) == {"encoder", "decoder", "cross"}
    for kind, changes in effects.items():
        assert changes.shape == (N, H) and np.ptp(changes) > 1e-3
        for layer, head in ((0, 1), (N - 1, 0)):
            alone = edits(model, Intervention(heads=((kind, layer, head),)))
            after = follow(model, TOKENISER, SENTENCE, run.ids, edits=alone)
            lost = run.losses.sum(dtype=np.float64) - after.losses.sum(dtype=np.float64)
            assert changes[layer, head] == pytest.approx(lost, abs=2e-3)


def test_nothing_leaks_through_the_look_ahead_mask(model: Any, run: Translation) -> None:
    found = leaks(model, TOKENISER, SENTENCE, run.ids)
    assert found.shape == (len(run.ids),) * 2
    assert (np.triu(found, 1) == 0).all() and (np.tril(found) > 0).any()


def test_a_leak_is_found_where_it_is(model: Any, run: Translation) -> None:
    """Position 1 may look at 3, which has seen 2; and position 2 looks at 1."""
    hole = edits(model, Intervention(turned=((1, 3),)))
    found = np.triu(leaks(model, TOKENISER, SENTENCE, run.ids, edits=hole), 1)
    assert found[1, 3] > 0 and set(map(tuple, np.argwhere(found))) == {(1, 2), (1, 3), (2, 3)}
