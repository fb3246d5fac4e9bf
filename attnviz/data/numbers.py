"""Whole numbers in Korean and English words, as the package `num2words` writes them.

Korean counts in groups of four digits (만 is 10⁴, 억 is 10⁸) and leaves out the one of 십, 백, 천
and 만; English counts in groups of three. Both sides are written here digit by digit as well, which
tells which Korean characters an English word comes from; a text that differs from that of
`num2words` is an error.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from attnviz.data.pairs import Corpus, Link, Pair, Span, split

LARGEST = 10**8

_SMALL = 10_000  # all numbers below are in the corpus
_ALWAYS_TRAINED = 100  # the words that all others are made of
_DRAWN = 60_000

_DIGITS = "영일이삼사오육칠팔구"
_UNITS = ("", "십", "백", "천")
_MYRIADS = {4: "만", 8: "억"}
# fmt: off
_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen",
    "eighteen", "nineteen",
)
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
# fmt: on
_THOUSANDS = {3: "thousand", 6: "million"}

_Place = tuple[int, str]  # a power of ten, and "digit" or "unit"


def build(name: str = "numbers_ko_en", seed: int = 0) -> Corpus:
    """The corpus of numbers up to 10⁸: whole numbers are held out."""
    from importlib.metadata import version

    rng = random.Random(f"numbers {seed}")
    drawn = {round(LARGEST ** rng.uniform(0.5, 1)) for _ in range(_DRAWN)}
    numbers = sorted({*range(_SMALL), *drawn, LARGEST})
    rng.shuffle(numbers)
    small = [pair(number) for number in numbers if number < _ALWAYS_TRAINED]
    others = [pair(number) for number in numbers if number >= _ALWAYS_TRAINED]
    train, valid, test = split(others, test=0.03, valid=0.015)
    return Corpus(
        name=name,
        title="Numbers in words, Korean to English",
        source_language="ko",
        target_language="en",
        train=(*small, *train),
        valid=valid,
        test=test,
        tokeniser="numbers",
        licence="Apache-2.0",
        data=(
            {"name": "num2words", "version": version("num2words"), "licence": "LGPL-2.1-or-later"},
        ),
    )


def pair(number: int) -> Pair:
    """A number in words, 0…10⁸, with what comes from what.

    Raises:
        ValueError: `num2words` writes it in another way.
    """
    from num2words import num2words

    source, places = korean(number)
    target, words = english(number)
    for text, language in ((source, "ko"), (target, "en")):
        if text != num2words(number, lang=language):
            raise ValueError(f"{number} is {num2words(number, lang=language)!r}, not {text!r}")
    links: list[Link] = [
        (span, places[place]) for span, origins in words for place in origins if place in places
    ]
    return Pair(source, target, tuple(dict.fromkeys(links)), str(number))


def korean(number: int) -> tuple[str, dict[_Place, Span]]:
    """A number in Korean, and where the digit and the unit of each power of ten stand.

    A digit that is not written (the one of 백) is in the place of its unit.
    """
    text = ""
    places: dict[_Place, Span] = {}

    def write(part: str, *at: _Place) -> None:
        nonlocal text
        for place in at:
            places[place] = (len(text), len(text) + len(part))
        text += part

    if number == 0:
        write(_DIGITS[0], (0, "digit"))
    for power in reversed(range(9)):
        group = number // 10 ** (power // 4 * 4) % 10_000
        digit = number // 10**power % 10
        unit = _UNITS[power % 4]
        silent = digit == 1 and (unit != "" or (power == 4 and group == 1))
        if digit and not silent:
            write(_DIGITS[digit], (power, "digit"))
        if digit and unit:
            write(unit, (power, "unit"), *[(power, "digit")] * silent)
        if power in _MYRIADS and group:
            write(_MYRIADS[power], (power, "myriad"), *[(power, "digit")] * silent)
            write(" " if number % 10**power else "")
    return text, places


def english(number: int) -> tuple[str, list[tuple[Span, Sequence[_Place]]]]:
    """A number in English, and of each word whose digit is known the places that it comes from."""
    groups = [power for power in (6, 3, 0) if number // 10**power % 1000]
    parts: list[tuple[str, Sequence[_Place]]] = []
    for power in groups or [0]:
        value = number // 10**power % 1000
        if parts:
            parts.append((" and " if power == 0 and value < 100 else ", ", ()))
        parts += _below_thousand(value, power)
        if power in _THOUSANDS:
            # Beside 만 no single Korean character means a thousand.
            origin = [(3, "unit")] if number < 10_000 else []
            parts += [(" ", ()), (_THOUSANDS[power], origin)]
    text, words = "", []
    for part, origins in parts:
        if origins:
            words.append(((len(text), len(text) + len(part)), origins))
        text += part
    return text, words


def _below_thousand(value: int, power: int) -> list[tuple[str, Sequence[_Place]]]:
    """The words of a group of three digits whose last one counts 10 ** `power`."""
    hundreds, rest = divmod(value, 100)
    parts: list[tuple[str, Sequence[_Place]]] = []
    if hundreds:
        # "hundred" is 백 among the last three digits alone; further up 십만 and 억 stand for it.
        origin = [(2, "unit")] if power == 0 else []
        parts += [(_ONES[hundreds], [(power + 2, "digit")]), (" ", ()), ("hundred", origin)]
        if rest:
            parts.append((" and ", ()))
    ones = [(power, "digit")]
    tens = [(power + 1, "digit"), (power + 1, "unit")]
    if 10 <= rest < 20:
        parts.append((_ONES[rest], [*tens, *ones]))
    elif rest >= 20:
        parts.append((_TENS[rest // 10], tens))
        if rest % 10:
            parts += [("-", ()), (_ONES[rest % 10], ones)]
    elif rest or not value:
        parts.append((_ONES[rest], ones))
    return parts
