"""How good translations are: exact matches, BLEU and alignments, together and by length.

Plain values for a model's card. Shares are 0…1, BLEU is 0…100 (Papineni et al. 2002, counted by
sacrebleu, https://arxiv.org/abs/1804.08771): over words for English and French, over characters for
Korean, whose words a dictionary would have to cut. The two kinds cannot be compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from attnviz.analysis import argmax_accuracy, length_bins
from attnviz.data.pairs import Link, Span

Alignment = tuple[np.ndarray, Sequence[Span], Sequence[Span], Sequence[Link]]
"""Arguments of `argmax_accuracy`. Links are ranges of the reference, so the weights are those of a
run that is forced to write it."""

LEAST = 20  # sentences of a length, below which a score says little


def evaluate(
    hypotheses: Sequence[str],
    references: Sequence[str],
    lengths: Sequence[int],
    *,
    language: str,
    alignments: Sequence[Alignment] | None = None,
    width: int = 4,
    least: int = LEAST,
) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """A card's ``scores`` and ``by_length``.

    Args:
        hypotheses: what the model wrote.
        references: what it should have written.
        lengths: of the sources, in pieces.
        language: of the translations, "en", "fr" or "ko".
        alignments: one of each sentence, for models with attention.
        width: pieces of difference within one bin of lengths.
        least: sentences in a bin; smaller ones are joined.

    Returns:
        ``{"exact_match", "bleu"}``, with ``"alignment_accuracy"`` if any target piece has a known
        source; and of each bin ``{"from", "to", "count", "exact_match", "bleu",
        "alignment_accuracy"}``, the last one None where nothing is known.

    Raises:
        ValueError: the sequences differ in length or are empty.
    """
    rows = list(zip(hypotheses, references, lengths, strict=True))
    if not rows or (alignments is not None and len(alignments) != len(rows)):
        raise ValueError(f"{len(rows)} translations, {len(alignments or ())} alignments")

    def measured(indices: Sequence[int]) -> dict[str, Any]:
        written, wanted = [hypotheses[i] for i in indices], [references[i] for i in indices]
        return {
            "exact_match": exact_match(written, wanted),
            "bleu": bleu(written, wanted, language),
            "alignment_accuracy": alignment_accuracy(alignments[i] for i in indices)
            if alignments
            else None,
        }

    bins = length_bins(lengths, width, least)
    by_length = [
        {"from": first, "to": last, "count": len(inside), **measured(inside)}
        for first, last, inside in bins
    ]
    scores = measured(range(len(rows)))
    return {name: value for name, value in scores.items() if value is not None}, by_length


def exact_match(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    """Share of sentences that are the reference, character for character."""
    pairs = list(zip(hypotheses, references, strict=True))
    return sum(written == wanted for written, wanted in pairs) / len(pairs)


def bleu(hypotheses: Sequence[str], references: Sequence[str], language: str) -> float:
    """Corpus BLEU, 0…100, of one reference a sentence."""
    from sacrebleu import corpus_bleu

    kind = "char" if language == "ko" else "13a"
    return float(corpus_bleu(list(hypotheses), [list(references)], tokenize=kind).score)


def token_accuracy(predicted: Iterable[Sequence[int]], expected: Iterable[Sequence[int]]) -> float:
    """Share of right pieces when every piece is predicted from a right beginning (forced).

    Raises:
        ValueError: sentences or their lengths do not match, or there is no piece.
    """
    right = counted = 0
    for guess, truth in zip(predicted, expected, strict=True):
        right += sum(a == b for a, b in zip(guess, truth, strict=True))
        counted += len(truth)
    if not counted:
        raise ValueError("no piece to count")
    return right / counted


def alignment_accuracy(alignments: Iterable[Alignment]) -> float | None:
    """Share of target pieces that look at what they come from; None if no source is known."""
    right = counted = 0
    for alignment in alignments:
        hits, tried = argmax_accuracy(*alignment)
        right, counted = right + hits, counted + tried
    return right / counted if counted else None
