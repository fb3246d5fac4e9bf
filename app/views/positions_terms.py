"""A score multiplied out: which part comes from what a token is, and which from where it is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import places, prose, show
from app.state import Positions
from app.translations import Talk
from app.views import positions_common, seq2seq_common
from attnviz import analysis, figures
from attnviz.figures.studies import matrix_panels

if TYPE_CHECKING:
    from attnviz.position_study import Terms

CUT = 99  # percentile at which the colours end


@show.panel
def draw() -> None:
    """The four terms with their sum; beside it the part that knows places alone, by offset."""
    from attnviz.position_study import TERMS

    left, side = st.columns([13, 8], gap="large")
    with side:
        show.note(prose.text("positions", "Terms of a score"))
        talk = positions_common.sentence()
        found = places.terms(talk)
        heads = len(found.scores)
        head = st.slider("Head", 0, heads - 1, min(2, heads - 1), key=Positions.HEAD,
                         bind="query-params")  # fmt: skip
    terms, scores = found.terms[:, head], found.scores[head]
    rows = positions_common.numbered(positions_common.names(talk))
    panels = {
        TERMS[0]: terms[0], TERMS[1]: terms[1], "their sum": terms.sum(0),
        TERMS[2]: terms[2], TERMS[3]: terms[3], "model’s scores": scores,
    }  # fmt: skip
    with left:
        every = np.concatenate([panel.ravel() for panel in panels.values()])
        figure = matrix_panels(
            panels, [rows] * 6, across=[positions_common.spaced(len(rows))] * 6, columns=3,
            name="query’s part – key’s part, one scale",
            maximum=float(np.percentile(np.abs(every), CUT)), height=620,
        )  # fmt: skip
        show.plot(figure, key="pos_terms", name="terms", alt="Four terms of the scores, their sum")
    with side:
        curve = figures.by_offset(
            {TERMS[3]: analysis.by_offset(terms[3])},
            axis="position–position score", offsets="key’s place − query’s place", height=260,
        )  # fmt: skip
        show.plot(curve, key="pos_term_curve", name="position-term", alt="Scores of places alone")
        show.facts(
            [
                (name, f"±{spread[head]:.2f} along a row")
                for name, spread in zip(TERMS, found.spread, strict=True)
            ],
            title=f"What each term moves in head {head}",
        )
    more, truth = st.columns([13, 8], gap="large")
    with more:
        show.explain("positions", "Terms of a score")
        _take_away(talk, found, TERMS)
    with truth:
        show.facts(_facts(talk, found))


def _facts(talk: Talk, found: Terms) -> Iterable[tuple[str, str]]:
    yield "Sum", f"of the four terms: off the model’s scores by at most {found.deviation:.1e}"
    yield "Axes", "query down, key across, both counted from 0; one scale for all six"
    yield "Colours", f"blue below zero, red above, cut at the {CUT}th percentile"
    yield (
        "Moves",
        "standard deviation along a row, root mean square over rows: what is the same for all keys "
        "leaves a softmax as it is",
    )
    yield "Layer", "the first of the encoder, before mask and softmax, divided by √(d/h)"
    yield "Weights", seq2seq_common.weights_of(talk.card)
    yield "Held out", seq2seq_common.held_out_scores(talk.card)
    yield "Run", "cpu, float32"


def _take_away(talk: Talk, found: Terms, kinds: tuple[str, ...]) -> None:
    names = positions_common.numbered(positions_common.names(talk))
    show.take_away(
        key="pos_terms",
        name="terms-of-scores",
        arrays=lambda: {"terms": found.terms, "scores": found.scores, "spread": found.spread},
        table=lambda: (
            ("head", "query", "key", *kinds, "score"),
            (
                (head, names[q], names[k], *found.terms[:, head, q, k], found.scores[head, q, k])
                for head, q, k in np.ndindex(found.scores.shape)
            ),
        ),
        code=positions_common.code(talk, "TERMS, score_terms")
        + (
            "\nfound = score_terms(model, ids)\n"
            "print(found.deviation)\n"
            "for name, spread in zip(TERMS, found.spread):\n"
            "    print(name, spread.round(2))  # a number a head\n"
        ),
        figures=True,
    )
