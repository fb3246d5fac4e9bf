"""Every bundled translator: that it loads, says what it is known for, and is as good as its card.

A card's scores are those of all test pairs; here the pairs that travel with the app are measured,
at most 300 of every length alike. So what is expected is the card's score of each pair's length,
and the tolerance is three standard errors of that many pairs and 0.08 more, since they lean towards
what is rare within a range of lengths, and harder. One corpus is measured whole.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from attnviz import zoo
from attnviz.analysis import argmax_accuracy
from attnviz.data.corpora import corpus
from attnviz.data.held_out import held_out
from attnviz.text import END, Tokeniser
from attnviz.trace import taps
from attnviz.translation import follow, translate, translate_all
from attnviz.zoo import Card

CARDS = {card.name: card for card in zoo.bundled_cards() if card.tokeniser}
ATTENTION = {"dot", "bilinear", "mlp"}
TRANSFORMER = "transformer"
KINDS = {
    "dates_ko_en": {"none", "reversed", "rnn", *ATTENTION, TRANSFORMER},
    "numbers_ko_en": {"none", "mlp"},
    "everyday_ko_en": {"none", "reversed", *ATTENTION, TRANSFORMER},
    "everyday_en_ko": {"none", "reversed", *ATTENTION, TRANSFORMER},
    "manual_en_fr": {"none", "mlp", TRANSFORMER},
    "manual_ko_en": {"none", "mlp", TRANSFORMER},
}
"""The least that is bundled."""
EXACT = {"dates_ko_en": 0.99, "everyday_ko_en": 0.95, "everyday_en_ko": 0.95}
"""What attention must reach on held-out pairs in a recurrent model."""
EXACT_TRANSFORMER = {"dates_ko_en": 0.99, "everyday_ko_en": 0.97, "everyday_en_ko": 0.97}
KNOWN = {
    "넌 누구니?": "Who are you?",
    "나는 모니터입니다.": "I am a monitor.",
}


@cache
def model(name: str) -> Any:
    return zoo.load(name, "cpu")


def kind(card: Card) -> str:
    return card.name.rpartition("_")[2]


def tokeniser(card: Card) -> Tokeniser:
    return Tokeniser.load(card.tokeniser or "")


@pytest.mark.parametrize("name", KINDS)
def test_all_kinds_are_bundled(name: str) -> None:
    assert {kind(card) for card in CARDS.values() if card.corpus == name} >= KINDS[name]


@pytest.mark.parametrize("card", CARDS.values(), ids=CARDS)
def test_a_card_is_complete_and_its_weights_load(card: Card) -> None:
    assert card.name == f"{card.corpus}_{kind(card)}"
    assert card.family == (TRANSFORMER if kind(card) == TRANSFORMER else "seq2seq")
    assert card.recipe and card.paper and card.steps and card.trained_on and card.data
    assert model(card.name).cfg.vocabulary == tokeniser(card).size
    assert sum(p.numel() for p in model(card.name).parameters()) == card.parameters
    attends = kind(card) in ATTENTION
    assert ("attention.weights" in taps(model(card.name))) == attends
    assert {"exact_match", "bleu", "token_accuracy"} <= card.scores.keys()
    for taken in card.snapshots:
        assert zoo.load(card, "cpu", snapshot=taken["step"]).cfg == model(card.name).cfg


@pytest.mark.parametrize("card", CARDS.values(), ids=CARDS)
def test_exact_matches_are_as_many_as_the_card_says(card: Card) -> None:
    pairs = held_out(card.corpus or "").pairs
    written = translate_all(model(card.name), tokeniser(card), [pair.source for pair in pairs])
    right = np.mean([text == pair.target for text, pair in zip(written, pairs, strict=True)])
    lengths = [len(tokeniser(card).encode(pair.source)) for pair in pairs]
    expected = [score(card, length, "exact_match") for length in lengths]
    assert right == pytest.approx(np.mean(expected), abs=tolerance(expected))


@pytest.mark.parametrize(
    "card",
    [card for card in CARDS.values() if "alignment_accuracy" in card.scores],
    ids=lambda c: c.name,
)
def test_attention_looks_where_the_card_says(card: Card) -> None:
    right, expected = [], []
    for pair in held_out(card.corpus or "").pairs[::6]:
        ids = (*tokeniser(card).encode(pair.target).ids, END)
        run = follow(model(card.name), tokeniser(card), pair.source, ids)
        assert run.weights is not None
        np.testing.assert_allclose(run.weights.sum(1), 1, atol=1e-5)
        spans = tokeniser(card).encode(pair.target).spans
        hits, counted = argmax_accuracy(run.weights, spans, run.pieces.spans, pair.links)
        right += [1] * hits + [0] * (counted - hits)
        expected += [score(card, len(run.pieces), "alignment_accuracy")] * counted
    assert np.mean(right) == pytest.approx(np.mean(expected), abs=tolerance(expected))


def score(card: Card, pieces: int, name: str) -> float:
    """The card's score of sentences that many pieces long."""
    return next(row[name] for row in card.by_length if row["from"] <= pieces <= row["to"])


def tolerance(expected: list[float]) -> float:
    chances = np.array(expected)
    return 3 * float(np.sqrt((chances * (1 - chances)).sum())) / len(chances) + 0.08


@pytest.mark.parametrize("name", EXACT)
def test_attention_reaches_its_target(name: str) -> None:
    recurrent = [c for c in CARDS.values() if c.corpus == name and c.family == "seq2seq"]
    best = max(card.scores["exact_match"] for card in recurrent)
    assert best >= EXACT[name] and CARDS[f"{name}_mlp"].scores["exact_match"] == best


@pytest.mark.parametrize("name", EXACT_TRANSFORMER)
def test_the_transformer_reaches_its_target(name: str) -> None:
    card = CARDS[f"{name}_{TRANSFORMER}"]
    assert card.scores["exact_match"] >= EXACT_TRANSFORMER[name]


@pytest.mark.parametrize("name", ["manual_en_fr", "manual_ko_en"])
def test_attention_helps_with_long_sentences_too(name: str) -> None:
    with_, without = (CARDS[f"{name}_{kind}"] for kind in ("mlp", "none"))
    assert with_.scores["bleu"] > without.scores["bleu"]
    assert with_.by_length[-1]["bleu"] > 2 * without.by_length[-1]["bleu"]


def test_the_cards_scores_can_be_measured_again() -> None:
    """All test pairs of a corpus, built anew."""
    card = CARDS["dates_ko_en_none"]
    pairs = corpus("dates_ko_en").test
    written = translate_all(model(card.name), tokeniser(card), [pair.source for pair in pairs])
    right = np.mean([text == pair.target for text, pair in zip(written, pairs, strict=True)])
    assert right == pytest.approx(card.scores["exact_match"], abs=0.002)


@pytest.mark.parametrize("source", KNOWN)
@pytest.mark.parametrize("kind", ["mlp", TRANSFORMER])
def test_the_everyday_models_say_what_they_are_known_for(kind: str, source: str) -> None:
    card = CARDS[f"everyday_ko_en_{kind}"]
    run = translate(model(card.name), tokeniser(card), source)
    assert run.text == KNOWN[source] and run.finished and not run.notes


def test_the_alignment_of_a_question_is_readable() -> None:
    card = CARDS["everyday_ko_en_mlp"]
    run = translate(model(card.name), tokeniser(card), "넌 누구니?")
    assert run.weights is not None
    looks = {run.target[t]: run.source[row.argmax()] for t, row in enumerate(run.weights)}
    assert looks["Who"] == "누구" and looks["you"] == "넌"
