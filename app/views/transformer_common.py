"""What the views of the Transformer share: a run with all its heads, labels, facts, snippet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app import translations
from app.translations import Talk
from app.views import seq2seq_common
from attnviz import analysis

if TYPE_CHECKING:
    from attnviz.inside import Inside
    from attnviz.interventions import Intervention
    from attnviz.translation import Translation

KINDS = {
    "cross": "target → source",
    "encoder": "source → source",
    "decoder": "target → target",
}
"""Kinds of attention, in the order of the picker, with their names for people."""
NAMES = {
    "cross": "cross-attention: the translation looks at the source",
    "encoder": "self-attention of the encoder: the source looks at itself",
    "decoder": "masked self-attention of the decoder: the translation looks back at itself",
}


@dataclass(frozen=True)
class Heads:
    """All heads of one kind of attention, with the labels of their axes.

    Args:
        weights: (layers, heads, queries, keys).
        mask: (queries, keys), True where a query may look; None: everywhere.
    """

    weights: np.ndarray
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    mask: np.ndarray | None = None


def ran(talk: Talk, intervention: Intervention | None = None) -> tuple[Translation, Inside]:
    """The translation, and everything that was computed while it was written."""
    found = translations.translation(talk, intervention=intervention)
    return found, translations.looked_inside(talk, found.ids, intervention)


def of_kind(inside: Inside, kind: str) -> Heads:
    """One kind of attention, in pieces. Of the decoder, labels are what it was given."""
    weights = inside.weights(kind)
    if kind == "encoder":
        return Heads(weights, inside.source, inside.source)
    if kind == "cross":
        return Heads(weights, inside.target, inside.source)
    return Heads(weights, inside.inputs, inside.inputs, inside.stages["look_ahead"])


def in_words(talk: Talk, found: Translation, inside: Inside, kind: str) -> Heads:
    """The same between words: a word receives what its pieces receive, and looks as their mean.

    The decoder's inputs are one piece behind what they predict, so they stay pieces.
    """
    if kind == "decoder":
        return of_kind(inside, kind)
    source, sources = seq2seq_common.words(found.sentence.text, found.pieces, found.source)
    if kind == "encoder":
        rows, names = source, sources
    else:
        pieces = talk.tokeniser.pieces(found.ids)
        rows, names = seq2seq_common.words(found.text, pieces, found.target)
    merged = [
        [analysis.merge_pieces(head, rows, source) for head in layer]
        for layer in inside.weights(kind)
    ]
    return Heads(np.array(merged), names, sources)


def facts(talk: Talk, found: Translation, inside: Inside) -> Iterable[tuple[str, str]]:
    """What holds for a run: rows, mask, parity, weights, scores, device."""
    rows = np.concatenate([inside.weights(kind).sum(-1).ravel() for kind in KINDS])
    some = rows[rows > 0]  # a query that may look nowhere has a row of zeros
    yield "Rows", f"sum to 1; the largest deviation measured is {np.abs(some - 1).max():.1e}"
    ahead = inside.weights("decoder")[:, :, ~inside.stages["look_ahead"]]
    largest = float(ahead.max()) if ahead.size else 0.0
    yield "Masked cells", f"the largest weight among {ahead.size:,} is {largest:g}"
    yield "Parity", "the layers are torch’s within 1e-5, through converted weights (tests)"
    for name, value in seq2seq_common.facts(talk, found):
        if name not in ("Rows", "Axes"):
            yield name, value


def remark(talk: Talk, found: Translation) -> str:
    """What to know of a source longer than any of the corpus; else nothing."""
    longest = max((row["to"] for row in talk.card.by_length), default=0)
    pieces = len(found.pieces)
    if not longest or pieces <= longest:
        return ""
    return (
        f"This sentence has {pieces} pieces; the longest that the model was tested on had "
        f"{longest}. Sinusoids go on, what was learned about them may not."
    )


def remarks(talk: Talk, found: Translation) -> list[str]:
    """What a reader should know of this sentence and its translation."""
    return [note for note in (*found.notes, remark(talk, found)) if note]


def code(talk: Talk, how: str = "") -> str:
    """The snippet up to the run, ``inside``."""
    return seq2seq_common.code(talk, how) + (
        "from attnviz.inside import look_inside\n\n"
        "inside = look_inside(model, tokeniser, found.sentence, found.ids)\n"
    )
