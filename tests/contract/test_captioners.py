"""Every bundled captioner: that it loads, names what it knows, points at it, says its scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from app import scenes
from attnviz import zoo
from attnviz.captioning import Captioning, describe
from attnviz.data.captions import vocabulary
from attnviz.data.stickers import stickers
from attnviz.text import Words
from attnviz.zoo import Card

CARDS = {card.name: card for card in zoo.bundled_cards() if card.family == "captioner"}
SPLITS = ("seen", "moved", "unseen")
SCORES = ("bleu", "exact_match", "object_recall", "object_words", "pointing")


@pytest.fixture(scope="module", params=CARDS)
def card(request: pytest.FixtureRequest) -> Card:
    return CARDS[request.param]


@pytest.fixture(scope="module")
def model(card: Card) -> Any:
    return zoo.load(card.name, "cpu")


def told(card: Card, model: Any, written: str) -> Captioning:
    assert card.preprocess is not None and card.labels is not None
    view = card.preprocess.view(scenes.shown(written).image)
    return describe(model, Words(card.labels), card.preprocess.pixels(view))


def test_english_and_korean_are_bundled() -> None:
    assert {"captions_en_guided", "captions_ko_guided"} <= CARDS.keys()


def test_its_words_are_those_of_the_captions(card: Card) -> None:
    assert list(card.labels or ()) == vocabulary(card.language or "")
    assert card.borrows and all(entry["licence"] for entry in card.data)


def test_its_scores_are_told(card: Card) -> None:
    for split in SPLITS:
        for name in SCORES:
            assert card.scores[f"{split}_{name}"] >= 0
        assert card.scores[f"{split}_pointing"] > card.scores[f"{split}_pointing_centre"]
    if card.name.endswith("guided"):
        assert card.scores["seen_pointing"] >= 0.85


def test_things_alone_are_named_and_pointed_at(card: Card, model: Any) -> None:
    named = pointed = 0
    known = [sticker for sticker in stickers() if sticker.thing is not None]
    for sticker in known:
        run = told(card, model, f"paper;{sticker.name}.360.640.450")
        name = sticker.ko if card.language == "ko" else sticker.en
        named += name in run.text
        row, col = np.unravel_index(run.weights[-2].argmax(), (14, 14))  # of the noun
        pointed += 0.135 <= (16 * col + 9) / 224 <= 0.585 and 0.415 <= (16 * row + 9) / 224 <= 0.865
    assert named >= 0.9 * len(known)
    if card.name.endswith("guided"):
        assert pointed >= 0.9 * len(known)


def test_a_snapshot_knows_less(card: Card) -> None:
    for taken in card.snapshots:
        early = zoo.load(card.name, "cpu", snapshot=taken["step"])
        assert taken["scores"]["seen_object_words"] < card.scores["seen_object_words"]
        assert told(card, early, "paper;1f427.500.500.450").words
