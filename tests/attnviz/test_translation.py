"""A sentence through a translator: everything kept belongs to the words that are shown."""

from __future__ import annotations

import unicodedata
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest
import torch
from torch import nn

from attnviz import models
from attnviz.decoding import sampler
from attnviz.text import END, SentenceError, Tokeniser
from attnviz.translation import (
    END_LABEL,
    Translation,
    follow,
    search,
    translate,
    translate_all,
)

ATTENTION = ("seq2seq_dot", "seq2seq_bilinear", "seq2seq_mlp")
PLAIN = ("seq2seq", "seq2seq_reversed", "seq2seq_rnn")
SENTENCE = "2024년 3월 5일 화요일"
TOKENISER = Tokeniser.load("dates")
WIDTH = 12


@cache
def model(kind: str) -> nn.Module:
    """Random, shared and read-only; weights large enough that attention is not even."""
    torch.manual_seed(3)
    made = models.build(kind, vocabulary=TOKENISER.size, width=WIDTH).eval().requires_grad_(False)
    for parameter in made.parameters():
        parameter.copy_(torch.randn_like(parameter))
    return made


def never_ending() -> nn.Module:
    made = models.build("seq2seq_dot", vocabulary=TOKENISER.size, width=WIDTH).eval()
    made.head_bias.data[END] = -1e4
    return made


def check(run: Translation, kind: str) -> None:
    """What holds for every translation, however it was decoded."""
    steps, length = len(run.ids), len(run.pieces) + 1
    assert run.source == (*run.pieces.texts, END_LABEL) and len(run.target) == steps
    assert run.text == TOKENISER.decode(run.ids)
    assert run.finished == (run.ids[-1] == END) == (run.target[-1] == END_LABEL)
    assert run.probabilities.shape == run.losses.shape == (steps,)
    np.testing.assert_allclose(run.losses, -np.log(run.probabilities), atol=1e-5)
    assert run.candidates.shape == run.chances.shape == (steps, 8)
    assert (np.diff(run.chances, axis=1) <= 0).all() and (run.chances.sum(1) <= 1 + 1e-5).all()
    for t, id in enumerate(run.ids):
        if id in run.candidates[t]:
            place = list(run.candidates[t]).index(id)
            assert run.chances[t, place] == pytest.approx(run.probabilities[t], abs=1e-6)
            assert run.candidate_labels[t][place] == run.target[t]
        else:
            assert run.probabilities[t] <= run.chances[t, -1] + 1e-6
    assert run.encoder_states.shape == (length, WIDTH) and run.first_state.shape == (WIDTH,)
    stages = run.stages
    assert stages["decoder_states"].shape == (steps, WIDTH)
    if kind in PLAIN:
        assert run.weights is None and set(stages) == {"decoder_states"}
        return
    weights = run.weights
    assert weights is not None and weights.shape == (steps, length)
    np.testing.assert_allclose(weights.sum(1), 1, atol=1e-5)
    context = stages["attention.context"]
    np.testing.assert_allclose(context, weights @ run.encoder_states, atol=1e-5)
    both = np.concatenate([context, stages["decoder_states"]], 1)
    np.testing.assert_array_equal(stages["attention.concatenated"], both)
    combine = model(kind).attention.combine.weight.numpy()  # type: ignore[union-attr]
    np.testing.assert_allclose(stages["attention.output"], np.tanh(both @ combine.T), atol=1e-5)


@pytest.mark.parametrize("kind", [*ATTENTION, *PLAIN])
def test_everything_belongs_to_the_words(kind: str) -> None:
    run = translate(model(kind), TOKENISER, SENTENCE)
    check(run, kind)
    assert run.sentence.text == SENTENCE and "".join(run.pieces.texts) == SENTENCE.replace(" ", "")
    assert run.candidates[:, 0].tolist() == list(run.ids), "greedy takes the likeliest"
    assert (run.method, run.device) == ("greedy", "cpu") and run.seconds > 0


@pytest.mark.parametrize("kind", ATTENTION)
def test_weights_are_the_softmax_of_the_scores(kind: str) -> None:
    run = translate(model(kind), TOKENISER, SENTENCE)
    powers = np.exp(run.stages["attention.scores"] - run.stages["attention.scores"].max(1)[:, None])
    np.testing.assert_allclose(run.weights, powers / powers.sum(1)[:, None], atol=1e-5)
    assert np.ptp(run.weights) > 0.2, "else this proves little"  # type: ignore[arg-type]


def same_run(found: Translation, expected: Translation) -> None:
    """Equal in every number, within float32."""
    assert (found.ids, found.text, found.source) == (expected.ids, expected.text, expected.source)
    np.testing.assert_allclose(found.probabilities, expected.probabilities, atol=1e-4)
    np.testing.assert_allclose(found.chances, expected.chances, atol=1e-4)
    assert found.stages.keys() == expected.stages.keys()
    for name, stage in found.stages.items():
        np.testing.assert_allclose(stage, expected.stages[name], atol=1e-4, err_msg=name)
    np.testing.assert_allclose(found.encoder_states, expected.encoder_states, atol=1e-5)
    np.testing.assert_allclose(found.first_state, expected.first_state, atol=1e-5)


@pytest.mark.parametrize("kind", [*ATTENTION, *PLAIN])
def test_following_ones_own_words_is_running_free(kind: str) -> None:
    free = translate(model(kind), TOKENISER, SENTENCE)
    forced = follow(model(kind), TOKENISER, SENTENCE, free.ids)
    same_run(forced, free)
    assert forced.method == "teacher forcing"


@pytest.mark.parametrize("kind", [*ATTENTION, *PLAIN])
def test_following_other_words_judges_them(kind: str) -> None:
    ids = (*TOKENISER.encode("March 5, 2024").ids, END)
    run = follow(model(kind), TOKENISER, SENTENCE, ids)
    check(run, kind)
    assert run.ids == ids and run.text == "March 5, 2024" and run.finished


@pytest.mark.parametrize("kind", [*ATTENTION, *PLAIN])
def test_a_run_given_one_translation_can_be_asked_for_another(kind: str) -> None:
    given, asked = TOKENISER.encode("May 7").ids, TOKENISER.encode("7 May").ids
    run = follow(model(kind), TOKENISER, SENTENCE, given, asked=asked)
    assert run.ids == given and len(asked) == len(given)
    for step, id in enumerate(asked):
        alone = follow(model(kind), TOKENISER, SENTENCE, (*given[:step], id))
        assert run.probabilities[step] == pytest.approx(alone.probabilities[step], rel=1e-4)


@pytest.mark.parametrize("kind", [*ATTENTION, *PLAIN])
@pytest.mark.parametrize("width", [1, 4])
def test_weights_follow_their_own_beam(kind: str, width: int) -> None:
    found = search(model(kind), TOKENISER, SENTENCE, width=width)
    assert len(found.translations) == width and found.normalise == 1.0
    for run in found.translations:
        check(run, kind)
        same_run(run, follow(model(kind), TOKENISER, SENTENCE, run.ids))
        assert run.method == f"beam of {width}"
        assert any(ids == run.ids for ids, _ in found.tree[len(run.ids) - 1])
    mean = [np.log(run.probabilities).mean() for run in found.translations if run.finished]
    assert mean == sorted(mean, reverse=True)
    if width == 1:
        same_run(found.translations[0], translate(model(kind), TOKENISER, SENTENCE))


def test_a_prefix_is_what_the_translation_begins_with() -> None:
    prefix = TOKENISER.encode("March").ids
    for run in (
        translate(model("seq2seq_mlp"), TOKENISER, SENTENCE, prefix=prefix),
        search(model("seq2seq_mlp"), TOKENISER, SENTENCE, prefix=prefix).translations[0],
    ):
        assert run.ids[: len(prefix)] == prefix and run.text.startswith("March")
        check(run, "seq2seq_mlp")


def test_samples_are_repeatable() -> None:
    runs = [
        translate(
            model("seq2seq_mlp"), TOKENISER, SENTENCE, choose=sampler(1.0, seed), method="sampled"
        )
        for seed in (5, 5, 6)
    ]
    assert runs[0].ids == runs[1].ids != runs[2].ids
    check(runs[0], "seq2seq_mlp")
    assert runs[0].method == "sampled"


@pytest.mark.parametrize("kind", ATTENTION)
@pytest.mark.parametrize("step", [0, 2])
def test_a_forced_row_is_really_used(kind: str, step: int) -> None:
    free = translate(model(kind), TOKENISER, SENTENCE)
    assert free.weights is not None
    size = free.weights.shape[1]
    least = int(free.weights[step].argmin())
    row = np.zeros(size)
    row[least], row[(least + 1) % size] = 3, 1  # scaled to sum to one
    run = translate(model(kind), TOKENISER, SENTENCE, rows={step: row.tolist()})
    check(run, kind)
    assert run.weights is not None
    np.testing.assert_allclose(run.weights[step], row / 4, atol=1e-6)
    context = (row / 4) @ run.encoder_states
    np.testing.assert_allclose(run.stages["attention.context"][step], context, atol=1e-5)
    assert not np.allclose(run.chances[step], free.chances[step])
    assert run.ids[:step] == free.ids[:step]
    np.testing.assert_allclose(run.weights[:step], free.weights[:step], atol=1e-6)
    scores = run.stages["attention.scores"][: step + 1]
    np.testing.assert_allclose(scores, free.stages["attention.scores"][: step + 1], atol=1e-5)


def test_a_forced_row_can_change_the_words_after_it() -> None:
    free = translate(model("seq2seq_dot"), TOKENISER, SENTENCE)
    size = len(free.source)
    texts = {
        translate(
            model("seq2seq_dot"), TOKENISER, SENTENCE, rows={1: np.eye(size)[place].tolist()}
        ).ids
        for place in range(size)
    }
    assert len(texts) > 1


def test_forcing_every_row_as_it_was_changes_nothing() -> None:
    free = translate(model("seq2seq_mlp"), TOKENISER, SENTENCE)
    rows = {t: row.tolist() for t, row in enumerate(free.weights)}  # type: ignore[arg-type]
    same_run(translate(model("seq2seq_mlp"), TOKENISER, SENTENCE, rows=rows), free)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([1.0], "A forced row needs 11 weights, none negative: step 2."),
        ([1.0] * 12, "A forced row needs 11 weights"),
        ([-0.1] + [1.0] * 10, "none negative"),
        ([float("nan")] + [1.0] * 10, "A forced row needs 11 weights"),
        ([float("inf")] + [1.0] * 10, "A forced row needs 11 weights"),
        ([0.0] * 11, "A forced row needs some weight: step 2 has none."),
    ],
)
def test_bad_rows_are_refused(row: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        translate(model("seq2seq_mlp"), TOKENISER, SENTENCE, rows={2: row})


@pytest.mark.parametrize("kind", PLAIN)
def test_without_attention_nothing_can_be_forced(kind: str) -> None:
    with pytest.raises(ValueError, match="This model has no attention that could be forced."):
        translate(model(kind), TOKENISER, SENTENCE, rows={0: [1.0] * 11})


def test_a_model_that_does_not_end_is_stopped_and_it_is_said() -> None:
    made = never_ending()
    run = translate(made, TOKENISER, SENTENCE)
    limit = 2 * len(run.source) + 10
    assert len(run.ids) == limit and not run.finished
    assert f"The model did not end: stopped after {limit} pieces." in run.notes
    best = search(made, TOKENISER, SENTENCE, width=3).translations[0]
    assert f"The model did not end: stopped after {limit} pieces." in best.notes


def test_two_visitors_share_a_model() -> None:
    """Each thread gets what it would get alone, and forced rows stay with who forced them."""
    shared = model("seq2seq_mlp")
    sentences = [SENTENCE, "1월 1일"]
    rows = [{1: np.eye(len(TOKENISER.encode(s)) + 1)[0].tolist()} for s in sentences]
    tasks = [(s, r) for s, forced in zip(sentences, rows, strict=True) for r in (None, forced)]
    alone = [translate(shared, TOKENISER, s, rows=r) for s, r in tasks]
    with ThreadPoolExecutor(4) as pool:
        jobs = [(i, pool.submit(translate, shared, TOKENISER, *tasks[i][:1], rows=tasks[i][1]))
                for i in list(range(4)) * 5]  # fmt: skip
        for i, job in jobs:
            same_run(job.result(), alone[i])


@pytest.mark.parametrize("text", ["", "   ", "\u200b\n\t", "\u202e"])
def test_nothing_to_read_is_said(text: str) -> None:
    with pytest.raises(SentenceError, match="There is no sentence here yet"):
        translate(model("seq2seq_mlp"), TOKENISER, text)


STRANGE = {
    "long": "오늘 " * 512,
    "one endless word": "가" * 3000,
    "emoji": "👩‍👩‍👧 3월 🎉",
    "right to left": "שלום עולם مرحبا",
    "decomposed": unicodedata.normalize("NFD", SENTENCE),
    "special": "<unk> <s> </s> <pad>",
    "formula": "$x$ \\frac{1}{2}",
    "markup": "<b onclick='x'>3월</b> &amp; [a](b)",
    "zero-width": "3\u200b월\ufeff 5일",
    "mark": "▁▁ ⁇ ␣",
    "surrogate": "\ud800 3월",
    "null": "3월\x005일",
}


@pytest.mark.parametrize("text", STRANGE.values(), ids=STRANGE)
@pytest.mark.parametrize("kind", ["seq2seq", "seq2seq_mlp"])
def test_strange_text_is_translated_all_the_same(kind: str, text: str) -> None:
    run = translate(model(kind), TOKENISER, text)
    check(run, kind)
    assert len(run.pieces) <= 64 and len(run.ids) <= 100
    if not all(run.pieces.known):
        assert any("never shown" in note for note in run.notes)
    if len(text) > 1000:
        assert any("only its first" in note for note in run.notes)


def test_decomposed_hangul_reads_like_composed() -> None:
    plain = translate(model("seq2seq_mlp"), TOKENISER, SENTENCE)
    same_run(
        translate(model("seq2seq_mlp"), TOKENISER, unicodedata.normalize("NFD", SENTENCE)), plain
    )


@pytest.mark.parametrize("kind", [*ATTENTION, *PLAIN])
def test_many_at_once_are_what_each_is_alone(kind: str) -> None:
    """Those that do not end may go on for as long as the longest of their group may."""
    texts = [SENTENCE, "3월", "2024년 3월 5일", "3월"]
    together = translate_all(model(kind), TOKENISER, texts, size=3)
    for text, found in zip(texts, together, strict=True):
        alone = translate(model(kind), TOKENISER, text)
        assert found == alone.text if alone.finished else found.startswith(alone.text)
