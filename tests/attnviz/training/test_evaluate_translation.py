"""Scores of translations, on sentences whose scores are known by hand."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from attnviz.training.evaluate_translation import (
    alignment_accuracy,
    bleu,
    evaluate,
    exact_match,
    token_accuracy,
)

SPANS = [(0, 1), (2, 3)]
CROSSED = [((0, 1), (2, 3)), ((2, 3), (0, 1))]
RIGHT = (np.array([[0.1, 0.8, 0.1], [0.8, 0.1, 0.1]]), SPANS, SPANS, CROSSED)
HALF = (np.array([[0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]), SPANS, SPANS, CROSSED)
UNKNOWN = (np.eye(2), SPANS, SPANS, [])


def test_exact_matches_are_exact() -> None:
    assert exact_match(["a b.", "A b.", "a  b.", "c"], ["a b.", "a b.", "a b.", "c"]) == 0.5


def test_bleu_of_the_reference_is_100() -> None:
    assert bleu(["the cat sat on the mat"], ["the cat sat on the mat"], "en") == pytest.approx(100)
    assert bleu(["x y z w"], ["the cat sat on"], "en") < 10


def test_bleu_by_hand() -> None:
    """5 of 6 words, 3 of 5 pairs, 2 of 4 triples and 1 of 3 fours are right; lengths are equal."""
    score = bleu(["the cat sat on a mat"], ["the cat sat on the mat"], "en")
    assert score == pytest.approx(100 * math.prod([5 / 6, 3 / 5, 2 / 4, 1 / 3]) ** 0.25)


def test_a_short_translation_pays_for_its_brevity() -> None:
    score = bleu(["the cat sat on"], ["the cat sat on the mat"], "en")
    assert score == pytest.approx(100 * math.exp(1 - 6 / 4))


def test_korean_is_counted_by_characters() -> None:
    wrong_ending = (["나는 모니터이다"], ["나는 모니터입니다"])
    assert bleu(*wrong_ending, "ko") > bleu(*wrong_ending, "en") + 20


def test_token_accuracy_counts_pieces_not_sentences() -> None:
    assert token_accuracy([[5, 6, 3], [9]], [[5, 7, 3], [8]]) == 0.5
    with pytest.raises(ValueError):
        token_accuracy([[5]], [[5, 6]])
    with pytest.raises(ValueError, match="no piece"):
        token_accuracy([], [])


def test_alignments_are_pooled_over_pieces() -> None:
    assert alignment_accuracy([RIGHT, HALF, UNKNOWN]) == 0.75
    assert alignment_accuracy([UNKNOWN]) is None
    assert alignment_accuracy([]) is None


def test_scores_together_and_by_length() -> None:
    references = ["one two three four", "five six seven eight", "nine ten eleven twelve"]
    hypotheses = [references[0], references[1], "no word of it"]
    scores, bins = evaluate(
        hypotheses,
        references,
        [2, 1, 3],
        language="en",
        alignments=[RIGHT, UNKNOWN, HALF],
        width=2,
        least=1,
    )
    assert scores["exact_match"] == pytest.approx(2 / 3)
    assert scores["alignment_accuracy"] == 0.75
    assert 50 < scores["bleu"] < 100
    assert [(b["from"], b["to"], b["count"]) for b in bins] == [(1, 2, 2), (3, 4, 1)]
    assert bins[0]["exact_match"] == 1 and bins[0]["bleu"] == pytest.approx(100)
    assert bins[0]["alignment_accuracy"] == 1 and bins[1]["alignment_accuracy"] == 0.5
    assert bins[1]["exact_match"] == 0 and bins[1]["bleu"] < 20
    json.dumps([scores, bins])


def test_a_model_without_attention_has_no_alignment() -> None:
    scores, bins = evaluate(["a b c d"], ["a b c d"], [1], language="fr")
    assert set(scores) == {"exact_match", "bleu"}
    assert bins[0]["alignment_accuracy"] is None


def test_what_does_not_fit_together_is_refused() -> None:
    with pytest.raises(ValueError):
        evaluate(["a"], ["a", "b"], [1], language="en")
    with pytest.raises(ValueError, match="0 translations"):
        evaluate([], [], [], language="en")
    with pytest.raises(ValueError, match="2 alignments"):
        evaluate(["a"], ["a"], [1], language="en", alignments=[RIGHT, RIGHT])
