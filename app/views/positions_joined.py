"""Added or concatenated: a linear layer over [x; p] adds W_p p, so the two are one idea."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import controls, places, prose, show
from app.state import Positions
from app.translations import Talk
from app.views import positions_common, seq2seq_common
from attnviz.figures.studies import matrix_panels

if TYPE_CHECKING:
    from attnviz.position_study import Joined

WAYS = ("the words’ own (adding)", "one of their own")
FIRST = 16  # of a row's numbers are drawn
PARTS = {"content": "W_x x", "position": "W_p p", "joined": "W [x; p]"}


@show.panel
def draw() -> None:
    """The two parts and what comes of the concatenation; what either costs."""
    left, side = st.columns([13, 8], gap="large")
    with side:
        show.note(prose.text("positions", "Added or concatenated"))
        talk = positions_common.sentence()
        own = controls.one_of("Matrix for positions", WAYS, key=Positions.MATRIX) == WAYS[1]
    found = places.joined(talk, own)
    rows = positions_common.numbered(positions_common.names(talk))
    with left:
        panels = {title: getattr(found, part)[:, :FIRST] for part, title in PARTS.items()}
        every = np.concatenate([panel.ravel() for panel in panels.values()])
        figure = matrix_panels(
            panels, [rows] * 3, columns=3, name="queries of the first layer, one scale",
            maximum=float(np.percentile(np.abs(every), 98)), height=560,
        )  # fmt: skip
        show.plot(figure, key="pos_joined", name="joined", alt="Both parts and the whole")
    with side:
        show.facts(_verdict(found, own), title="Largest difference")
        costs = places.costs(talk)
        show.small("What it costs in this encoder")
        show.table(
            ("", "width", "first Q, K, V", "all layers"),
            [(name, *(f"{number:,}" for number in cost)) for name, cost in costs.items()],
        )
    more, truth = st.columns([13, 8], gap="large")
    with more:
        show.explain("positions", "Added or concatenated")
        _take_away(talk, found, own)
    with truth:
        show.facts(_facts(talk, found))


def _verdict(found: Joined, own: bool) -> Iterable[tuple[str, str]]:
    yield "Sum", f"{found.deviation:.1e} between W [x; p] and W_x x + W_p p"
    said = "that is no adding any more" if own else "which adds: the same thing"
    yield "Model", f"{found.from_model:.1g} between W [x; p] and the model’s own queries, {said}"


def _facts(talk: Talk, found: Joined) -> Iterable[tuple[str, str]]:
    tokens, width = found.content.shape
    yield "x", f"embeddings × √{width} of {tokens} pieces, as the encoder gets them"
    yield "p", "sinusoids of their places; [x; p] has 2d numbers, W d rows and 2d columns"
    yield "W_x", "the trained W_Q of the first encoder layer, all heads"
    yield "W_p", "the same matrix, or a random one of the same size, seed 0"
    yield "Columns", f"the first {min(FIRST, width)} of {width} queries; cut at the 98th percentile"
    yield "Costs", "parameters of the modules, counted; sinusoids themselves have none"
    yield "Weights", seq2seq_common.weights_of(talk.card)
    yield "Held out", seq2seq_common.held_out_scores(talk.card)
    yield "Run", "cpu, float32: what differs where nothing should is rounding"


def _take_away(talk: Talk, found: Joined, own: bool) -> None:
    names = positions_common.names(talk)
    show.take_away(
        key="pos_joined",
        name="added-or-concatenated",
        arrays=lambda: {name: getattr(found, name) for name in (*PARTS, "queries")},
        table=lambda: (
            ("place", "piece", "part", *range(found.content.shape[1])),
            (
                (place, names[place], part, *row)
                for part in PARTS
                for place, row in enumerate(getattr(found, part))
            ),
        ),
        code=positions_common.code(talk, "costs, join")
        + (
            f"\nfound = join(model, ids, own={own})\n"
            "print(found.deviation, found.from_model)\n"
            "print(costs(model))\n"
        ),
        figures=True,
    )
