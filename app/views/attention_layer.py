"""Layer: one attention layer over a few vectors, every matrix in view and linked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import labs, prose, show
from app.state import Attention
from app.views import attention_vectors
from app.views.attention_vectors import Vectors
from attnviz.attention_setup import Setup

if TYPE_CHECKING:
    from attnviz.attention_lab import Found

HINT = "Drag a vector, change a number, or point at a cell to see what it is made of."


@show.panel
def draw() -> None:
    """The lab, then the numbers that torch gives for what was left in it."""
    vectors = attention_vectors.choose()
    start = Setup(vectors.rows, mask=np.ones((len(vectors.rows),) * 2, bool).tolist())
    setup = attention_vectors.lab(start, vectors, key=Attention.LINKED, view="layer", hint=HINT)
    found = labs.found(setup)
    more, truth = st.columns([13, 8], gap="large")
    with more:
        show.note(prose.text("attention", "Layer"))
        show.explain("attention", "Layer")
        _take_away(setup, found)
    with truth:
        show.facts(_facts(setup, found, vectors))


def _facts(setup: Setup, found: Found, vectors: Vectors) -> Iterable[tuple[str, str]]:
    sums = found.weights.sum(1, dtype=np.float64)
    blind = attention_vectors.blind(setup)
    seen = np.delete(sums, [row - 1 for row in blind])
    off = float(np.abs(seen - 1).max()) if len(seen) else 0.0
    yield "Rows", f"weights sum to 1; the largest deviation measured is {off:.1e}"
    if blind:
        yield (
            "Hidden",
            f"token {attention_vectors.listing(blind)} may look at nothing: its output is zero",
        )
    if setup.mask is not None and (hidden := ~np.asarray(setup.mask, bool)).any():
        largest = float(found.weights[hidden].max())
        yield "Masked", f"{int(hidden.sum())} cells; their largest weight is {largest:g}"
    for row, (x, y) in enumerate(found.output, 1):
        yield f"Output {row}", f"{x:+.6f}, {y:+.6f}"
    yield "Vectors", vectors.source
    yield "Layer", f"d = 2, one head, scores {'/ √2' if setup.scaled else 'not scaled'}, no W_O"
    yield (
        "Computed",
        "in the browser while you drag, and in torch once you let go: the outputs above (cpu, "
        "float64 with the softmax in float32; a test holds both equal to 1e-6)",
    )
    yield (
        "“Trained”",
        "400 steps of Adam on random sets, seed 0: bring back the vector a quarter turn on",
    )


def _take_away(setup: Setup, found: Found) -> None:
    parts = ("query", "key", "value", "scores", "weights", "output")
    show.take_away(
        key="attn_layer",
        name="attention-layer",
        arrays=lambda: (
            {part: getattr(found, part) for part in parts}
            | {"vectors": np.asarray(setup.vectors), "mask": np.asarray(setup.mask)}
        ),
        table=lambda: (
            ("matrix", "row", "column", "value"),
            (
                (part, row + 1, column + 1, float(value))
                for part in parts
                for (row, column), value in np.ndenumerate(getattr(found, part))
            ),
        ),
        code=attention_vectors.code(setup)
        + "found = run(setup)\nprint(found.weights)\nprint(found.output)\n",
    )
