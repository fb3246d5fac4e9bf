"""What the views of translations share: the matrix in pieces or words, the facts, the snippet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.translations import Talk
from attnviz import analysis, zoo
from attnviz.data.held_out import held_out
from attnviz.text import Pieces

if TYPE_CHECKING:
    from attnviz.translation import Translation

UNITS = ("pieces", "words")


@dataclass(frozen=True)
class Matrix:
    """Weights with the labels of their axes, in pieces or in words.

    Args:
        weights: (t, s).
        probabilities: (t,); of a word, the product of its pieces'.
        unknown: places on the source axis that are not in the vocabulary.
        rows: for each target label, the steps that it stands for.
    """

    weights: np.ndarray
    source: tuple[str, ...]
    target: tuple[str, ...]
    probabilities: np.ndarray
    unknown: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]


def matrix(talk: Talk, found: Translation, units: str = "pieces") -> Matrix:
    """The alignment of a translation by a model that has attention."""
    weights = found.weights
    if weights is None:
        raise ValueError(f"{talk.model} has no attention weights")
    strange = [i for i, known in enumerate(found.pieces.known) if not known]
    if units == "pieces":
        rows = tuple((row,) for row in range(len(found.target)))
        return Matrix(
            weights, found.source, found.target, found.probabilities, tuple(strange), rows
        )
    source, source_names = words(found.sentence.text, found.pieces, found.source)
    target, target_names = words(found.text, talk.tokeniser.pieces(found.ids), found.target)
    return Matrix(
        analysis.merge_pieces(weights, target, source),
        source_names,
        target_names,
        np.array([found.probabilities[word].prod() for word in target], dtype=np.float32),
        tuple(i for i, word in enumerate(source) if any(piece in strange for piece in word)),
        tuple(map(tuple, target)),
    )


def words(
    text: str, pieces: Pieces, labels: Sequence[str]
) -> tuple[list[list[int]], tuple[str, ...]]:
    """Pieces by word, and the words; the end of the sentence is one of its own."""
    words = pieces.words()
    names = [text[pieces.spans[word[0]][0] : pieces.spans[word[-1]][1]] for word in words]
    rest = range(len(pieces), len(labels))
    return [*words, *([i] for i in rest)], (*names, *(labels[i] for i in rest))


def reference(talk: Talk) -> str:
    """What the corpus says that the sentence means, if it has it; else nothing."""
    known = held_out(talk.card.corpus or "")
    pairs = (*known.examples, *known.pairs)
    return next((pair.target for pair in pairs if pair.source == talk.sentence.text), "")


def facts(talk: Talk, found: Translation) -> Iterable[tuple[str, str]]:
    """What holds for a translation: rows, axes, likelihood, method, weights, scores, device."""
    if found.weights is not None:
        off = float(np.abs(found.weights.sum(1, dtype=np.float64) - 1).max())
        yield "Rows", f"sum to 1; the largest deviation measured is {off:.1e}"
        yield "Axes", "a step of the decoder × a source piece, both counted from 0"
    if known := reference(talk):
        same = "the same" if known == found.text else f"“{known}”"
        yield "Reference", f"the corpus says {same}; the pair was held out from training"
    surprise = float(found.losses.sum(dtype=np.float64))
    yield (
        "Likelihood",
        f"{np.exp(-surprise):.1%} for the whole, {surprise / len(found.ids):.3f} nats a piece",
    )
    ended = "it ended by itself" if found.finished else "cut off at the limit"
    yield "Decoding", f"{found.method}; {len(found.ids)} pieces, {ended}"
    yield "Weights", weights_of(talk.card)
    yield "Held out", held_out_scores(talk.card)
    yield "Run", f"{found.device}, float32, {found.seconds:.2f} s with every step recorded"


def weights_of(card: zoo.Card) -> str:
    """Which weights, and how they were made."""
    made = "trained by this project"
    if card.seconds:
        made += f" in {max(1, round(card.seconds / 60))} min on {card.trained_on}"
    steps = f", {card.steps:,} steps" if card.steps else ""
    return f"{card.title}, {card.parameters / 1e6:.2f} M parameters, {made}{steps}"


SCORES = {
    "exact_match": ("exact", 100),
    "bleu": ("BLEU", 1),
    "chrf": ("chrF", 1),
    "token_accuracy": ("right pieces, forced", 100),
    "alignment_accuracy": ("right alignment", 100),
}
"""A card's scores by their names for people, and what makes them a number up to 100."""


def scores(card: zoo.Card) -> list[tuple[str, str]]:
    """The held-out scores of a card that have a name here."""
    found = card.scores
    return [
        (name, f"{factor * found[key]:.1f}" + (" %" if factor == 100 else ""))
        for key, (name, factor) in SCORES.items()
        if key in found
    ]


def held_out_scores(card: zoo.Card) -> str:
    """The same in one line."""
    return " · ".join(f"{name} {value}" for name, value in scores(card)) or "not measured"


def code(talk: Talk, how: str = "") -> str:
    """The snippet up to the translation, ``found``.

    Args:
        how: further arguments of ``translate``, each with a comma before it.
    """
    snapshot = "" if talk.snapshot is None else f", snapshot={talk.snapshot}"
    return (
        "from attnviz import decoding, figures, zoo\n"
        "from attnviz.text import Tokeniser\n"
        "from attnviz.translation import translate\n\n"
        f'card = zoo.card("{talk.model}")\n'
        f'model = zoo.load(card.name, "{talk.device}"{snapshot})\n'
        "tokeniser = Tokeniser.load(card.tokeniser)\n"
        f"found = translate(model, tokeniser, {talk.sentence.text!r}{how})\n"
        "print(found.text)\n"
    )
