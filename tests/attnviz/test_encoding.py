"""A sentence through MiniLM as arrays: what is kept, what is said, and how alike sentences are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from attnviz import analysis, zoo
from attnviz.encoding import encode, similarity
from attnviz.text import LANGUAGES, SentenceError, WordPiece
from attnviz.zoo import minilm

TEXT = "The animal didn't cross the street because it was unbelievably tired."


@pytest.fixture(scope="module")
def model() -> Any:
    return zoo.load("minilm_l6", "cpu")


@pytest.fixture(scope="module")
def tokeniser() -> WordPiece:
    return minilm.tokeniser()


def test_every_layer_is_kept(model: Any, tokeniser: WordPiece) -> None:
    run = encode(model, tokeniser, TEXT)
    t = len(run.labels)
    assert (run.labels[0], run.labels[-1]) == ("[CLS]", "[SEP]") and t == len(run.pieces) + 2
    assert run.weights.shape == (6, 12, t, t) and run.stream.shape == (7, t, 384)
    assert abs(run.weights.sum(-1) - 1).max() < 1e-5
    tokens = torch.tensor([[101, *run.pieces.ids, 102]])
    with torch.no_grad():
        assert np.abs(run.stream[0] - model.embedding(tokens)[0].numpy()).max() < 1e-5
        assert np.abs(run.stream[-1] - model(tokens)[0].numpy()).max() < 1e-4
    mean = run.stream[-1].mean(0)
    assert np.abs(run.embedding - mean / np.linalg.norm(mean)).max() < 1e-5
    assert run.device == "cpu" and run.seconds > 0 and run.notes == ()


def test_pieces_merge_into_words(model: Any, tokeniser: WordPiece) -> None:
    run = encode(model, tokeniser, TEXT)
    groups, names = run.words()
    assert [run.labels[i] for i in groups[names.index("unbelievably")]] == [
        "un", "##bel", "##ie", "##va", "##bly",
    ]  # fmt: skip
    assert sorted(i for group in groups for i in group) == list(range(len(run.labels)))
    merged = analysis.merge_pieces(run.weights[3, 5], groups, groups)
    assert merged.shape == (len(names), len(names))
    assert np.abs(merged.sum(-1) - 1).max() < 1e-5


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("The dog is playing in the garden.", "A puppy runs across the lawn.", 0.525),
        ("The weather is lovely today.", "He drove to the stadium.", 0.105),
        ("The man bit the dog.", "The dog bit the man.", 0.978),  # a mean hardly knows the order
        (TEXT, TEXT, 1.0),
    ],
)
def test_alike_sentences_lie_close(
    model: Any, tokeniser: WordPiece, a: str, b: str, expected: float
) -> None:
    found = similarity(encode(model, tokeniser, a), encode(model, tokeniser, b))
    assert found == pytest.approx(expected, abs=2e-3)


def test_what_is_no_english_is_read_with_a_word_of_warning(
    model: Any, tokeniser: WordPiece
) -> None:
    run = encode(model, tokeniser, "나는 모니터입니다.")
    assert len(run.notes) == 1 and LANGUAGES["en"] in run.notes[0]
    assert np.isfinite(run.weights).all()


def test_what_is_cut_or_unknown_is_said(model: Any, tokeniser: WordPiece) -> None:
    run = encode(model, tokeniser, "tired " * 40 + "😀", limit=10)
    assert len(run.labels) == 12 and "first 10 pieces" in run.notes[0]
    assert encode(model, tokeniser, "a 😀").notes == ("This model was never shown: 😀",)


def test_signs_alone_are_a_sentence_and_nothing_is_none(model: Any, tokeniser: WordPiece) -> None:
    assert encode(model, tokeniser, "…").labels == ("[CLS]", "…", "[SEP]")
    with pytest.raises(SentenceError):
        encode(model, tokeniser, " \n ")
