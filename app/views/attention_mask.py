"""Mask: who may look at whom, cell by cell, and a test of whether the future leaks."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import streamlit as st

from app import labs, prose, show
from app.state import Attention
from app.views import attention_vectors
from app.views.attention_vectors import Vectors, listing
from attnviz.attention_setup import Setup, mask
from attnviz.figures.leaks import leak_matrix

HINT = "Click a cell of M to hide it or show it; point at a cell to see what it is made of."
HOLE = (1, 2)  # what is wrong with the mask at first


@show.panel
def draw() -> None:
    """The mask at the left, what it lets through at the right."""
    vectors = attention_vectors.choose()
    shown = mask("causal", len(vectors.rows))
    shown[HOLE] = True
    start = Setup(vectors.rows, mask=shown.tolist())
    left, right = st.columns([13, 8], gap="large")
    with left:
        setup = attention_vectors.lab(start, vectors, key=Attention.MASKED, view="mask", hint=HINT)
    changed = labs.leaks(setup)
    with right:
        show.small("Leak test")
        show.note(" ".join(sentences(changed, attention_vectors.blind(setup))))
        drawn = leak_matrix(changed)
        show.plot(drawn, key="attn_leaks", name="leak-test", alt="Which outputs changed")
    more, truth = st.columns([13, 8], gap="large")
    with more:
        show.note(prose.text("attention", "Mask"))
        show.explain("attention", "Mask")
        _take_away(setup, changed)
    with truth:
        show.facts(_facts(setup, changed, vectors))


def sentences(changed: np.ndarray, blind: list[int]) -> Iterable[str]:
    """The leak test in words; positions count from 1.

    Args:
        changed: (n, n), how much output i (row) changed when token j (column) was moved.
        blind: positions that may look at nothing.
    """
    leaky = False
    for row, changes in enumerate(changed):
        later = [int(column) + 1 for column in np.flatnonzero(changes) if column > row]
        if later:
            leaky = True
            tokens = "token" if len(later) == 1 else "tokens"
            yield (
                f"Position {row + 1}’s output depends on the later {tokens} {listing(later)}: "
                "the mask leaks."
            )
    if not leaky:
        yield "No output depends on a later token: nothing leaks."
    for row in blind:
        yield f"Position {row} may look at nothing: its output is zero."


def _facts(setup: Setup, changed: np.ndarray, vectors: Vectors) -> Iterable[tuple[str, str]]:
    found = labs.found(setup)
    shown = np.asarray(setup.mask, bool)
    n = len(changed)
    sums = found.weights.sum(1, dtype=np.float64)[shown.any(1)]
    off = float(np.abs(sums - 1).max()) if len(sums) else 0.0
    largest = float(found.weights[~shown].max()) if (~shown).any() else 0.0
    yield (
        "Test",
        f"each of {n} tokens moved by 0.5 in both directions, the layer run again each time; a "
        "cell is 0 where the output is the same to the last bit",
    )
    yield "Leaks", f"{int((np.triu(changed, 1) > 0).sum())} of {n * (n - 1) // 2} later tokens"
    yield "Masked", f"{int((~shown).sum())} of {n * n} cells; their largest weight is {largest:g}"
    yield "Rows", f"weights sum to 1 where anything is seen; largest deviation {off:.1e}"
    yield "Diagonal", "an output also changes with its own token, whose query it answers"
    yield "Vectors", vectors.source
    yield "Run", "torch, cpu, float64"


def _take_away(setup: Setup, changed: np.ndarray) -> None:
    show.take_away(
        key="attn_mask",
        name="leak-test",
        arrays=lambda: {"mask": np.asarray(setup.mask), "changed": changed},
        table=lambda: (
            ("output", "token", "may_look", "changed_by"),
            (
                (row + 1, column + 1, int(np.asarray(setup.mask)[row, column]), float(value))
                for (row, column), value in np.ndenumerate(changed)
            ),
        ),
        code=attention_vectors.code(setup) + "print(leaks(setup))  # output i, token j\n",
        figures=True,
    )
