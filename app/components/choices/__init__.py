"""The choices of a decoder: at each step the likeliest pieces as bars, and one to go on from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.components.mount import fingerprint, mount, pack, pair, register

_RENDER = register("choices", __file__)

Pick = tuple[int, int]  # (step, candidate)


@dataclass(frozen=True)
class Decoding:
    """What a decoder could have said at each of T steps, and what it said.

    Args:
        candidates: T rows of k pieces, the likeliest first.
        chances: (T, k) their probabilities.
        said: (T,) the pieces that were written.
        probabilities: (T,) of those.
        picked: (T,) which candidate was written, −1 if it is none of them.
        given: how many of the first pieces were given rather than chosen.
        texts: (T,) the sentence after each step.
    """

    candidates: Sequence[Sequence[str]]
    chances: np.ndarray
    said: Sequence[str]
    probabilities: np.ndarray
    picked: Sequence[int]
    given: int
    texts: Sequence[str]


def choices(
    decoding: Decoding,
    *,
    key: str,
    language: str = "en",
    name: str = "decoding",
    on_change: Callable[[Pick | None], None] | None = None,
) -> Pick | None:
    """Show the steps beside each other, and return the candidate that the visitor clicked.

    Playing lets the sentence grow in the browser. A click says which piece to go on from; what is
    decoded then is another decoding, of which nothing is picked yet.

    Args:
        language: of the sentence, as HTML names it.
        name: of the downloaded files.
        on_change: called with the pick before the rerun that a click causes.

    Raises:
        ValueError: the rows do not fit each other.
    """
    steps, count = decoding.chances.shape
    rows = (decoding.candidates, decoding.said, decoding.probabilities, decoding.picked)
    if any(len(row) != steps for row in (*rows, decoding.texts)):
        raise ValueError(f"{steps} rows of chances for {[len(row) for row in rows]} pieces")
    if any(len(row) != count for row in decoding.candidates):
        raise ValueError(f"each step has {count} candidates")
    if not all(-1 <= place < count for place in decoding.picked):
        raise ValueError(f"a picked candidate is −1 or 0–{count - 1}")
    facts = {
        "candidates": [list(row) for row in decoding.candidates],
        "said": list(decoding.said),
        "picked": [int(place) for place in decoding.picked],
        "given": int(decoding.given),
        "texts": list(decoding.texts),
        "language": language,
        "name": name,
    }

    def message(fields: dict[str, Any]) -> bytes:
        return pack(
            facts | fields,
            chances=np.ascontiguousarray(decoding.chances, "<f4"),
            probabilities=np.ascontiguousarray(decoding.probabilities, "<f4"),
        )

    return mount(
        _RENDER,
        key=key,
        message=message,
        subject=fingerprint(repr((facts["candidates"], facts["said"], facts["given"])).encode()),
        asked=None,
        accept=lambda value: pair(value, steps, count),
        on_change=on_change,
    )
