"""Numbers: num2words is the truth of every text, and each link joins a digit's two sides."""

from __future__ import annotations

import num2words
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.data import numbers
from attnviz.data.numbers import LARGEST, english, korean, pair

VALUES = dict(zip(numbers._ONES, range(20), strict=True))
VALUES |= {word: ten * 10 for ten, word in enumerate(numbers._TENS) if word}
KOREAN = {digit: value for value, digit in enumerate("영일이삼사오육칠팔구")}


def linked(number: int) -> list[tuple[str, str]]:
    made = pair(number)
    return [
        (made.target[start:end], made.source[first:last])
        for (start, end), (first, last) in made.links
    ]


@given(st.integers(0, LARGEST) | st.integers(0, 10**5) | st.sampled_from([10**p for p in range(9)]))
def test_both_sides_are_those_of_num2words(number: int) -> None:
    assert korean(number)[0] == num2words.num2words(number, lang="ko")
    assert english(number)[0] == num2words.num2words(number, lang="en")
    assert pair(number).group == str(number)


def test_another_num2words_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(num2words, "num2words", lambda number, lang: "many")
    with pytest.raises(ValueError, match="7 is 'many', not '칠'"):
        pair(7)


def test_a_digit_comes_from_its_digit_and_a_silent_one_from_its_unit() -> None:
    assert linked(342) == [
        ("three", "삼"), ("hundred", "백"), ("forty", "사"), ("forty", "십"), ("two", "이"),
    ]  # fmt: skip
    assert linked(100) == [("one", "백"), ("hundred", "백")]
    assert linked(1000) == [("one", "천"), ("thousand", "천")]
    assert linked(10) == [("ten", "십")]
    assert linked(0) == [("zero", "영")]


def test_groups_of_four_and_of_three_cross() -> None:
    assert linked(12_000) == [("twelve", "만"), ("twelve", "이")]
    assert linked(312_000) == [("three", "삼"), ("twelve", "일"), ("twelve", "이")]
    assert linked(40_000) == [("forty", "사")]
    assert linked(2_000_000) == [("two", "이")]
    assert linked(LARGEST) == [("one", "일")]


@given(st.integers(1, LARGEST - 1))
def test_every_digit_word_is_linked_to_its_own_digits(number: int) -> None:
    made = pair(number)
    for word in made.target.replace(",", " ").replace("-", " ").split():
        assert word in {"and", "hundred", "thousand", "million"} | {*VALUES}
    spans: dict[tuple[int, int], list[str]] = {}
    for (start, end), (first, last) in made.links:
        spans.setdefault((start, end), []).append(made.source[first:last])
    words = {made.target[start:end] for start, end in spans}
    assert {*made.target.replace(",", " ").replace("-", " ").split()} & {*VALUES} <= words
    for (start, end), origins in spans.items():
        value = VALUES.get(made.target[start:end])
        if value is not None:
            digits = {KOREAN.get(origin, 1) for origin in origins} - {1}
            assert digits <= {int(digit) for digit in str(value)}


def test_whole_numbers_are_held_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbers, "_SMALL", 2000)
    monkeypatch.setattr(numbers, "_DRAWN", 500)
    corpus, again = numbers.build(), numbers.build()
    assert corpus == again
    sides = [{pair.group for pair in side} for side in (corpus.train, corpus.valid, corpus.test)]
    assert sides[1] and sides[2]
    assert sum(map(len, sides)) == len(sides[0] | sides[1] | sides[2])
    assert {str(number) for number in range(100)} <= sides[0]
    assert numbers.build(seed=1).train != corpus.train
