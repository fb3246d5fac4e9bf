"""How long an encoder-decoder has to remember: from reading a word to writing what it becomes.

An encoder reads S steps, n source pieces and the end mark; the decoder then writes piece j at step
S + j. Sutskever et al. (2014, https://arxiv.org/abs/1409.3215, §3.3) read the source from its end:
the mean lag all but stays, and the first words come close to their counterparts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attnviz.analysis.alignment import Link, Span, overlap


def linked_places(
    target_spans: Sequence[Span], source_spans: Sequence[Span], links: Sequence[Link]
) -> np.ndarray:
    """Where each target piece comes from: (t,) mean index of its source pieces, NaN if unknown.

    Args:
        target_spans, source_spans: character ranges of the pieces.
        links: (target range, source range) pairs known from the grammar.
    """
    places = np.full(len(target_spans), np.nan)
    for row, span in enumerate(target_spans):
        wanted = [source for target, source in links if overlap(span, target)]
        found = [i for i, s in enumerate(source_spans) if any(overlap(s, w) for w in wanted)]
        if found:
            places[row] = np.mean(found)
    return places


def writing_lags(places: np.ndarray, sources: int, *, reverse: bool = False) -> np.ndarray:
    """Steps from reading to writing, (t,), from what `linked_places` found.

    Args:
        places: (t,) index of the source piece that each target piece comes from.
        sources: number of source pieces, without the end mark.
        reverse: whether the encoder reads from the end (the end mark first).
    """
    read = sources - places if reverse else places
    return sources + 1 + np.arange(len(places)) - read
