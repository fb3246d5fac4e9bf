"""``python -m attnviz.training corpora``: the vocabularies, and the held-out sentences for the app.

Every corpus is built from what it is made from, its vocabulary is learned from its training pairs
alone, and some of its test pairs are bundled. ``--only NAME …`` rebuilds single corpora.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from attnviz.data.corpora import NAMES, corpus
from attnviz.data.held_out import HeldOut, write_held_out
from attnviz.data.pairs import Corpus, Pair
from attnviz.text.tokeniser import TOKENISERS, Tokeniser, train_tokeniser

PIECES = {
    "dates_ko_en": 300,
    "numbers_ko_en": 120,  # few enough that a Korean digit is a piece of its own
    "everyday_ko_en": 2400,  # everyday_en_ko has the same vocabulary
    "manual_en_fr": 4000,
    "manual_ko_en": 4000,
}
"""The corpora that vocabularies are learned from, and the largest size of each."""

BUNDLED = 300
"""Test pairs that travel with the app, of each corpus."""

EXAMPLES = 12
"""Test pairs that a visitor picks from."""


def main(arguments: Sequence[str]) -> None:
    """Rebuild the vocabularies and held-out sentences of all corpora or of those named."""
    parser = argparse.ArgumentParser(prog="attnviz.training corpora", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, metavar="NAME")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    for name in options.only:
        built = corpus(name, options.seed)
        print(
            f"{name}: {len(built.train)} train, {len(built.valid)} valid, {len(built.test)} test",
            flush=True,
        )
        if name in PIECES:
            tokeniser = vocabulary(built)
            path = TOKENISERS / f"{built.tokeniser}.json"
            tokeniser.save(path)
            print(f"  {path}: {tokeniser.size} pieces", flush=True)
        print(f"  {write_held_out(for_the_app(built))}", flush=True)


def vocabulary(built: Corpus) -> Tokeniser:
    """The pieces of both languages of a corpus, from its training pairs alone."""
    texts = (text for pair in built.train for text in (pair.source, pair.target))
    return train_tokeniser(texts, PIECES[built.name])


def for_the_app(built: Corpus) -> HeldOut:
    """Held-out pairs of every length alike, and a few examples among them."""
    return HeldOut(
        name=built.name,
        title=built.title,
        source_language=built.source_language,
        target_language=built.target_language,
        licence=built.licence,
        examples=of_every_length(built.test, EXAMPLES),
        pairs=of_every_length(built.test, BUNDLED),
    )


def of_every_length(pairs: Sequence[Pair], count: int) -> tuple[Pair, ...]:
    """At most `count` different pairs, spread evenly over the lengths that there are, short first.

    Lengths are those of the source in characters. Rare lengths give what they have; of the
    frequent ones the pairs come first that stand first in `pairs`.
    """
    shelves: dict[int, list[Pair]] = {}
    for pair in {pair.source: pair for pair in pairs}.values():
        shelves.setdefault(len(pair.source), []).append(pair)
    chosen: list[Pair] = []
    depth = 0
    while len(chosen) < count and any(len(shelf) > depth for shelf in shelves.values()):
        layer = [
            shelves[length][depth] for length in sorted(shelves) if len(shelves[length]) > depth
        ]
        chosen += evenly(layer, count - len(chosen))
        depth += 1
    return tuple(sorted(chosen, key=lambda pair: (len(pair.source), pair.source)))


def evenly(pairs: Sequence[Pair], count: int) -> list[Pair]:
    """At most `count` of the pairs, at equal distances."""
    if len(pairs) <= count:
        return list(pairs)
    return [pairs[number * len(pairs) // count] for number in range(count)]
