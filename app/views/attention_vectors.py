"""What the views of the layer share: where vectors come from, and how a setup is kept in links."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from app import controls, labs, state
from app.components.linked import MOST, linked, read, write
from app.state import Attention
from app.views import attention_examples, seq2seq_common
from attnviz.attention_setup import Setup

FROM = ("the plane", "a sentence")
FEWEST, USUAL = 3, 4
START = (
    (1.8, 0.6), (0.4, 1.7), (-1.5, 0.9), (-0.9, -1.3),
    (1.1, -1.5), (2.2, -0.4), (-2.1, -0.3), (0.9, 0.9),
)  # fmt: skip


@dataclass(frozen=True)
class Vectors:
    """The vectors that a view starts with.

    Args:
        rows: (n, 2).
        names: of the rows.
        source: where they are from, for the truth panel.
    """

    rows: tuple[tuple[float, ...], ...]
    names: tuple[str, ...]
    source: str


def choose() -> Vectors:
    """The pickers, and the vectors that they come to."""
    pick, number = st.columns([8, 13], gap="large", vertical_alignment="bottom")
    with pick:
        where = controls.one_of("Vectors from", FROM, key=Attention.FROM)
    with number:
        return _sentence() if where == FROM[1] else _plane()


def _plane() -> Vectors:
    state.within(Attention.COUNT, FEWEST, MOST)
    count = st.slider(
        "Number of vectors", FEWEST, MOST, USUAL, key=Attention.COUNT, bind="query-params"
    )
    names = tuple(str(number) for number in range(1, count + 1))
    return Vectors(START[:count], names, "placed by hand; drag them")


def _sentence() -> Vectors:
    talk = attention_examples.choose()
    words = labs.words(talk, MOST)
    source = (
        f"trained embeddings of {seq2seq_common.weights_of(talk.card)}; in the plane of their two "
        f"principal axes, which keeps {words.kept:.0%} of their variance, at most 2 long"
    )
    rows = tuple(tuple(row) for row in words.vectors.tolist())
    names = tuple(f"{i} {name}" for i, name in enumerate(words.names, 1))
    return Vectors(rows, names, source)


def lab(start: Setup, vectors: Vectors, *, key: str, view: str, hint: str) -> Setup:
    """The linked matrices, and the setup that the visitor left in them."""
    state.about(write(Setup(start.vectors)), Attention.SETUP)
    asked = read(state.linked(Attention.SETUP))
    if asked is not None and len(asked.vectors) != len(start.vectors):
        asked = None

    def changed(setup: Setup | None) -> None:
        state.link(Attention.SETUP, write(setup) if setup else "")

    chosen = linked(
        start, vectors.names, key=key, view=view, asked=asked, hint=hint, name=f"attention-{view}",
        caption="One scale for all vectors; orange above zero, blue below",
        on_change=changed,
    )  # fmt: skip
    state.publish(Attention.SETUP)
    return chosen


def code(setup: Setup) -> str:
    """The snippet up to the setup itself."""
    shown = "None" if setup.mask is None else repr(np.asarray(setup.mask).astype(int).tolist())
    return (
        "from attnviz.attention_lab import leaks, run\n"
        "from attnviz.attention_setup import Setup\n\n"
        "setup = Setup(\n"
        f"    vectors={_listed(setup.vectors)},\n"
        f"    w_q={_listed(setup.w_q)}, w_k={_listed(setup.w_k)}, w_v={_listed(setup.w_v)},\n"
        f"    mask={shown},\n"
        f"    scaled={setup.scaled},\n"
        ")\n"
    )


def _listed(matrix: object) -> str:
    return repr(np.asarray(matrix).tolist())


def blind(setup: Setup) -> list[int]:
    """Tokens, counted from 1, that may look at nothing."""
    if setup.mask is None:
        return []
    return [int(row) + 1 for row in np.flatnonzero(~np.asarray(setup.mask, bool).any(1))]


def listing(numbers: list[int]) -> str:
    """[1, 2, 4] → "1, 2 and 4"."""
    *most, last = map(str, numbers)
    return f"{', '.join(most)} and {last}" if most else last
