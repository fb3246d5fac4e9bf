"""Attention as an alignment: which source piece a target piece looks at, and whether rightly so.

Weights are (t, s) float arrays, a row a target piece, a column a source piece; spans are character
ranges of the pieces (start, end), end exclusive.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Span = tuple[int, int]
Link = tuple[Span, Span]


def argmax_accuracy(
    weights: np.ndarray,
    target_spans: Sequence[Span],
    source_spans: Sequence[Span],
    links: Sequence[Link],
) -> tuple[int, int]:
    """How many target pieces look at what they come from: (right, counted).

    A target piece counts if it overlaps the target range of a link. It is right if its heaviest
    source piece overlaps the source range of such a link.

    Args:
        weights: (t, s). Rows and columns beyond the spans stand for the ends of the sentences: that
            row is not counted, and a peak in that column is wrong.
        target_spans: at most t of them. An empty span, a word's mark alone, stands for the
            character after it.
        source_spans: at most s of them, likewise.
        links: (target range, source range) pairs.

    Raises:
        ValueError: there are more spans than rows or columns.
    """
    if (
        weights.ndim != 2
        or len(target_spans) > len(weights)
        or len(source_spans) > weights.shape[1]
    ):
        raise ValueError(
            f"{len(target_spans)} target and {len(source_spans)} source spans do not fit weights "
            f"{weights.shape}"
        )
    right = counted = 0
    for row, span in zip(weights, target_spans, strict=False):
        wanted = [source for target, source in links if overlap(span, target)]
        if not wanted:
            continue
        counted += 1
        peak = int(row.argmax())
        right += peak < len(source_spans) and any(overlap(source_spans[peak], s) for s in wanted)
    return right, counted


def overlap(piece: Span, linked: Span) -> bool:
    """Whether a piece touches a range; an empty piece stands for the character after it."""
    start, end = piece
    return start < linked[1] and linked[0] < max(end, start + 1)


def merge_pieces(
    weights: np.ndarray,
    target_groups: Sequence[Sequence[int]],
    source_groups: Sequence[Sequence[int]],
) -> np.ndarray:
    """Weights between words from those between pieces: (t, s) → (target groups, source groups).

    A word receives what all its pieces receive, and looks where its pieces look on average, so
    rows still sum to 1 if every source piece is in a group.

    Raises:
        ValueError: a group is empty.
    """
    if not all(len(group) for group in (*target_groups, *source_groups)):
        raise ValueError("a word has at least one piece")
    columns = np.stack([weights[:, list(g)].sum(1) for g in source_groups], axis=1)
    return np.stack([columns[list(g)].mean(0) for g in target_groups])


def length_bins(
    lengths: Sequence[int], width: int, least: int = 1
) -> list[tuple[int, int, list[int]]]:
    """Sentences by length: (shortest, longest, indices) of each bin, short first.

    Bins are 1…width, width + 1…2 width and so on; one with fewer than `least` sentences is joined
    to the one before it, and a too small first one to the next.

    Raises:
        ValueError: ``width`` or a length is below 1.
    """
    if width < 1 or min(lengths, default=1) < 1:
        raise ValueError("bins and sentences are at least one long")
    bins: list[tuple[int, int, list[int]]] = []
    for start in range(1, max(lengths, default=0) + 1, width):
        end = start + width - 1
        inside = [i for i, length in enumerate(lengths) if start <= length <= end]
        if bins and min(len(inside), len(bins[-1][2])) < least:
            first, _, before = bins.pop()
            start, inside = first, sorted(before + inside)
        bins.append((start, end, inside))
    return bins
