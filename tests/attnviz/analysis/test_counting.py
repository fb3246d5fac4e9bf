"""BLEU is sacrebleu's; Wilson's interval is the one of the books."""

from __future__ import annotations

import random

import pytest
from sacrebleu import corpus_bleu

from attnviz.analysis import bleu, wilson

ENGLISH = [
    'Click the "Libraries" tab.',
    "It's 3.5-4 km, isn't it? (yes)",
    "A&amp;B [x] a/b",
    "a",
    "",
]
KOREAN = ["나는 모니터입니다.", "넌 누구니?", "도서관에 갔다"]


def corrupted(texts: list[str], seed: int) -> list[str]:
    """Words left out, doubled and swapped."""
    draw = random.Random(seed)
    found = []
    for text in texts:
        words = [word for word in text.split() for _ in range(draw.choice((0, 1, 1, 1, 2)))]
        if draw.random() < 0.3:
            draw.shuffle(words)
        found.append(" ".join(words))
    return found


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("texts", "characters"), [(ENGLISH, False), (KOREAN, True)])
def test_bleu_is_sacrebleus(texts: list[str], characters: bool, seed: int) -> None:
    references = texts * (1 + seed % 3)
    hypotheses = corrupted(references, seed)
    kind = "char" if characters else "13a"
    expected = corpus_bleu(hypotheses, [references], tokenize=kind).score
    assert bleu(hypotheses, references, characters=characters) == pytest.approx(expected, abs=1e-9)


def test_bleu_of_all_and_of_nothing() -> None:
    assert bleu(KOREAN, KOREAN, characters=True) == pytest.approx(100)
    assert bleu(["x"], ["y"]) == 0 and bleu([""], ["a b"]) == 0
    with pytest.raises(ValueError):
        bleu([], [])


def test_wilson() -> None:
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)  # Wilson (1927) by hand
    low, high = wilson(20, 20)
    assert high == pytest.approx(1) and low == pytest.approx(0.8389, abs=1e-4)
    assert wilson(0, 20) == pytest.approx((0, 1 - low))
    assert wilson(500, 1000)[1] - wilson(500, 1000)[0] < wilson(5, 10)[1] - wilson(5, 10)[0]
    for right, count in ((0, 0), (3, 2), (-1, 5)):
        with pytest.raises(ValueError, match="right of"):
            wilson(right, count)
