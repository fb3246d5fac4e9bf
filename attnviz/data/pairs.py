"""A sentence with its translation, and a corpus of them split into train, valid and test."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

Span = tuple[int, int]
"""Start and end (exclusive) of a range of characters."""

Link = tuple[Span, Span]
"""A range of the target and the range of the source that it comes from."""


@dataclass(frozen=True)
class Pair:
    """A sentence and its translation.

    Attributes:
        source: the sentence, NFC, single spaces.
        target: its translation, likewise.
        links: (target range, source range) pairs known from the grammar: these target characters
            come from these source characters. Several links may share a target range; then each
            of them counts as right. Target characters without a link are not measured.
        group: what is held out as a whole: pairs of one group share a split.
    """

    source: str
    target: str
    links: tuple[Link, ...] = ()
    group: str = ""


@dataclass(frozen=True)
class Corpus:
    """Pairs of one kind, split so that no group is on two sides.

    Attributes:
        name: key in `attnviz.data.corpora.NAMES`.
        title: for people, in English.
        source_language: "ko", "en" or "fr".
        target_language: likewise.
        train: the pairs to learn from.
        valid: to choose a checkpoint by.
        test: to report scores on.
        tokeniser: name of the vocabulary, a file of `attnviz/assets/tokenisers`.
        licence: of the sentences.
        data: what it is made from, a dict of name, version and licence each.
    """

    name: str
    title: str
    source_language: str
    target_language: str
    train: tuple[Pair, ...] = field(repr=False)
    valid: tuple[Pair, ...] = field(repr=False)
    test: tuple[Pair, ...] = field(repr=False)
    tokeniser: str
    licence: str
    data: tuple[dict[str, str], ...]


def split(
    pairs: Iterable[Pair], *, test: float, valid: float
) -> tuple[tuple[Pair, ...], tuple[Pair, ...], tuple[Pair, ...]]:
    """Train, valid and test pairs; which one a pair is in depends on its group alone.

    Args:
        pairs: in any order, which each side keeps.
        test: share of the groups held out for the last side, 0…1.
        valid: share of the groups held out for the middle one.
    """
    sides: tuple[list[Pair], list[Pair], list[Pair]] = ([], [], [])
    for pair in pairs:
        place = _place(pair.group)
        sides[2 if place < test else 1 if place < test + valid else 0].append(pair)
    train, middle, last = sides
    return tuple(train), tuple(middle), tuple(last)


def _place(group: str) -> float:
    """A number in 0…1 drawn from the name of a group, the same on every machine."""
    return int.from_bytes(hashlib.sha256(group.encode()).digest()[:8]) / 2**64
