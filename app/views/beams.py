"""What views of beam searches share, whether sentences or captions are searched for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

import numpy as np
import streamlit as st

from app import show, state
from app.components.beam import Node, Place
from attnviz.text import END

WIDTHS = (1, 8)
Tree = Sequence[Sequence[tuple[tuple[int, ...], float]]]
"""For each step the kept beginnings, the likeliest first: (ids, log-probability)."""


class Found(Protocol):
    """A sentence that a search found."""

    @property
    def text(self) -> str: ...
    @property
    def ids(self) -> tuple[int, ...]: ...
    @property
    def finished(self) -> bool: ...
    @property
    def losses(self) -> np.ndarray: ...
    @property
    def notes(self) -> tuple[str, ...]: ...


F = TypeVar("F", bound=Found)


def width_and_power(what: str, *, width: str, power: str) -> tuple[int, float]:
    """Sliders of a search for a `what`: how many beginnings are kept, the power of the length."""
    first, second = st.columns(2, gap="medium")
    with first:
        kept = st.slider(
            "Width", *WIDTHS, 4, key=width, bind="query-params",
            help="How many beginnings are kept after each step; 1 is greedy decoding.",
        )  # fmt: skip
    with second:
        normalise = st.slider(
            "Length normalisation", 0.0, 1.5, 1.0, 0.1, key=power, bind="query-params",
            help=f"A {what}'s log-probability is divided by its length to this power. "
            f"At 0 long {what}s lose, as every step makes them less likely.",
        )  # fmt: skip
    return kept, normalise


def choose(
    found: Sequence[F], what: str, unit: str, normalise: float, *, link: str, picker: str
) -> F:
    """What was found with its scores, as a list to choose from; returns the one to look at."""
    ranks = [str(rank) for rank in range(1, len(found) + 1)]
    linked = state.linked(link)
    chosen = linked if linked in ranks else ranks[0]

    def changed() -> None:
        look_at(link, st.session_state[picker])

    st.session_state[picker] = chosen
    st.radio(
        f"{what} found, the best first", ranks, key=picker, on_change=changed,
        format_func=lambda rank: show.literal(found[int(rank) - 1].text or "(nothing)"),
        captions=[score(one, normalise, unit) for one in found],
    )  # fmt: skip
    state.publish(link)
    shown = found[int(chosen) - 1]
    for note in shown.notes:
        show.note(note)
    return shown


def look_at(link: str, rank: str) -> None:
    """Make a rank the chosen one."""
    state.link(link, "" if rank == "1" else rank)


def score(found: Found, normalise: float, unit: str = "pieces") -> str:
    """What a search ranks a sentence by, and what that is made of; for people."""
    total, count = log_probability(found), len(found.ids)
    power = "" if normalise == 1 else f"^{normalise:g}"
    words = f"score {digits(total / count**normalise)} = {digits(total)} / {count}{power} {unit}"
    return words if found.finished else f"{words}, did not end"


def digits(value: float) -> str:
    """Three of them, with a true minus."""
    return f"{round(value, 3) + 0.0:.3f}".replace("-", "−")


def log_probability(found: Found) -> float:
    """Of the whole sentence, natural."""
    return float(-found.losses.sum(dtype=np.float64))


def nodes(
    tree: Tree, label: Callable[[int], str], starts_word: Callable[[int], bool]
) -> list[list[Node]]:
    """The tree of a search as the component takes it."""
    steps: list[list[Node]] = []
    before: list[tuple[int, ...]] = [()]
    for kept in tree:
        steps.append(
            [
                Node(
                    label(ids[-1]),
                    starts_word(ids[-1]),
                    before.index(ids[:-1]),
                    total,
                    ids[-1] == END,
                )
                for ids, total in kept
            ]
        )
        before = [ids for ids, _ in kept]
    return steps


def places(tree: Tree) -> Iterable[tuple[Place, tuple[int, ...]]]:
    """Every kept beginning and where it stands in the tree."""
    for step, kept in enumerate(tree):
        for rank, (ids, _) in enumerate(kept):
            yield (step, rank), ids


def rows(tree: Tree, decode: Callable[[Sequence[int]], str]) -> Iterable[Sequence[object]]:
    """The tree as rows of `COLUMNS`, for CSV."""
    for (step, rank), ids in places(tree):
        yield step, rank + 1, decode(ids), tree[step][rank][1], ids[-1] == END


COLUMNS = ("step", "rank", "beginning", "log-probability", "ended")
