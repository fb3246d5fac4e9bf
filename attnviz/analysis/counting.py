"""What can be said from counts: how sure a share is, and BLEU."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

ORDERS = 4  # longest n-gram of BLEU

# The tokenisation "13a" of mteval-v13a.pl, by which BLEU scores are compared.
_TOKENS = (
    (re.compile(r"([{-~\[-` -&(-+:-@/])"), r" \1 "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)


def wilson(right: float, count: int, z: float = 1.96) -> tuple[float, float]:
    """The interval in which the true share lies, with 95 % confidence at ``z = 1.96``.

    Wilson (1927), "Probable inference, the law of succession, and statistical inference": unlike
    p ± z·σ it stays within 0…1, and has a width also when all or none are right.

    Args:
        right: how many of ``count``; a share times a count may be fractional.

    Raises:
        ValueError: nothing was counted, or more are right than there are.
    """
    if count < 1 or not 0 <= right <= count:
        raise ValueError(f"{right} right of {count}")
    share, less = right / count, z * z / count
    middle = (share + less / 2) / (1 + less)
    reach = z / (1 + less) * math.sqrt(share * (1 - share) / count + less / (4 * count))
    return max(0.0, middle - reach), min(1.0, middle + reach)


def bleu(
    hypotheses: Sequence[str], references: Sequence[str], *, characters: bool = False
) -> float:
    """Corpus BLEU, 0…100, of one reference a sentence.

    Papineni et al. (2002), with the tokenisation and the smoothing of sacrebleu
    (https://arxiv.org/abs/1804.08771): equal to its ``corpus_bleu`` with tokenisation ``13a``, or
    ``char`` for ``characters``.

    Raises:
        ValueError: the sequences differ in length or are empty.
    """
    pairs = list(zip(hypotheses, references, strict=True))
    if not pairs:
        raise ValueError("no translation to score")
    hits, tried = [0] * ORDERS, [0] * ORDERS
    written = wanted = 0
    for hypothesis, reference in pairs:
        ours, theirs = _tokens(hypothesis, characters), _tokens(reference, characters)
        written, wanted = written + len(ours), wanted + len(theirs)
        for n in range(ORDERS):
            found, known = _grams(ours, n + 1), _grams(theirs, n + 1)
            hits[n] += (found & known).total()
            tried[n] += found.total()
    return _score(hits, tried, written, wanted)


def _score(hits: Sequence[int], tried: Sequence[int], written: int, wanted: int) -> float:
    """The geometric mean of the precisions, less if too little was written."""
    if not hits[0]:
        return 0.0
    logs, missed = 0.0, 1.0
    for right, total in zip(hits, tried, strict=True):
        if not total:
            return 0.0
        if not right:
            missed *= 2  # each order without a hit counts half of the one before it
        logs += math.log((right or 1 / missed) / total)
    brevity = min(0.0, 1 - wanted / written)
    return 100 * math.exp(brevity + logs / len(hits))


def _tokens(text: str, characters: bool) -> list[str]:
    if characters:
        return [character for character in text if not character.isspace()]
    for old, new in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        text = text.replace(old, new)
    text = f" {text} "
    for pattern, spaced in _TOKENS:
        text = pattern.sub(spaced, text)
    return text.split()


def _grams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
