"""The main view: a sentence, its translation, and the matrix of weights between them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import streamlit as st

from app import controls, prose, show, state, translations
from app.components.alignment import Cell, alignment
from app.state import Seq2seq
from app.translations import Talk
from app.views import seq2seq_common
from app.views.seq2seq_common import UNITS, Matrix
from attnviz.data.held_out import held_out

if TYPE_CHECKING:
    from attnviz.translation import Translation

DECODINGS = ("likeliest", "sampled")


class Way(NamedTuple):
    """How pieces are chosen: the likeliest, or drawn at a temperature."""

    temperature: float | None = None
    seed: int = 0

    @property
    def code(self) -> str:
        """The same as an argument of ``translate``."""
        if self.temperature is None:
            return ""
        return f", choose=decoding.sampler({self.temperature:g}, seed={self.seed})"


@show.panel
def draw(talk: Talk) -> None:
    """The translation over its alignment at the left; controls and exact values at the right."""
    figure, side = st.columns([13, 7], gap="large")
    with side:
        show.note(prose.text("seq2seq", "Alignment"))
        units = controls.one_of("Axes in", UNITS, key=Seq2seq.UNITS)
        way = choose_way()
    found = translations.translation(talk, temperature=way.temperature, seed=way.seed)
    shown = seq2seq_common.matrix(talk, found, units)
    with figure:
        language = held_out(talk.card.corpus or "").target_language
        show.translation(found.text, language, found.notes)
        cell = _alignment(talk, shown)
    with side:
        if cell is not None:
            _exact(shown, found, cell[0])
    more, truth = st.columns([13, 7], gap="large")
    with more:
        show.explain("seq2seq", "Alignment")
        _take_away(talk, found, shown, way)
    with truth:
        show.facts([*_facts(shown, units, way), *seq2seq_common.facts(talk, found)])


def choose_way() -> Way:
    """Greedy, or sampling with its temperature and seed."""
    if controls.one_of("Each piece is", DECODINGS, key=Seq2seq.DECODING) == DECODINGS[0]:
        return Way()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        temperature = st.slider(
            "Temperature", 0.1, 2.0, 1.0, 0.1, key=Seq2seq.TEMPERATURE, bind="query-params",
            help="Divides the logits: below 1 the likeliest piece gains, above 1 the others do.",
        )  # fmt: skip
        seed = st.number_input(
            "Seed", 0, 9999, 0, 1, key=Seq2seq.SEED, bind="query-params", width=130,
            help="The same seed draws the same translation again.",
        )  # fmt: skip
    return Way(temperature, int(seed))


def _alignment(talk: Talk, shown: Matrix) -> Cell | None:
    """The matrix; the pinned cell is remembered in the link."""
    pinned = pinned_cell(shown)
    cell = alignment(
        shown.weights,
        shown.source,
        shown.target,
        key=Seq2seq.MATRIX,
        probabilities=shown.probabilities,
        unknown=shown.unknown,
        name=talk.model,
        asked=pinned,
    )
    if cell != pinned:
        state.link(Seq2seq.CELL, "" if cell is None else f"{cell[0]}.{cell[1]}")
    state.publish(Seq2seq.CELL)
    return cell


def pinned_cell(shown: Matrix) -> Cell | None:
    """The cell that the link or an earlier click pinned, if this matrix has it."""
    found = state.pairs(state.linked(Seq2seq.CELL))
    rows, columns = shown.weights.shape
    return next(((row, col) for row, col in found if row < rows and col < columns), None)


def _exact(shown: Matrix, found: Translation, row: int) -> None:
    """One row in numbers, and what the model might have said there."""
    name = shown.target[row]
    order = (-shown.weights[row]).argsort(kind="stable")[:6].tolist()
    show.values(
        f"{row} “{name}” looks most at",
        [(f"{column} {shown.source[column]}", shown.weights[row, column]) for column in order],
        unit="weight",
    )
    step = shown.rows[row][0]
    words = "It might have said" if len(shown.rows[row]) == 1 else "It might have begun"
    best = zip(found.candidate_labels[step], found.chances[step].tolist(), strict=True)
    show.labels(words, list(best)[:5])


def _facts(shown: Matrix, units: str, way: Way) -> Iterable[tuple[str, str]]:
    """What holds for the matrix as it is drawn."""
    if units == "words":
        yield (
            "Words",
            "a word receives what its pieces receive, and looks where they look on average",
        )
    if shown.unknown:
        strange = ", ".join(f"{i} “{shown.source[i]}”" for i in shown.unknown)
        yield "Unknown", f"{strange}: read as <unk>, underlined with dots"
    if way.temperature is not None:
        yield "Strip p", "as at temperature 1, whatever the pieces were drawn at"
    yield "Colour", "from 0 to 1 in every row"


def _take_away(talk: Talk, found: Translation, shown: Matrix, way: Way) -> None:
    code = seq2seq_common.code(talk, way.code) + (
        "weights = found.weights  # (target, source)\n"
        "figures.token_matrix(weights, found.target, found.source, scale_max=1.0).show()\n"
    )
    show.take_away(
        key="seq2seq_alignment",
        name=f"{talk.model}-alignment",
        arrays=lambda: {
            "weights": shown.weights,
            "probabilities": shown.probabilities,
            "source": np.array(shown.source),
            "target": np.array(shown.target),
            **found.stages,
        },
        table=lambda: (
            ("target", "probability", *(f"{i} {name}" for i, name in enumerate(shown.source))),
            (
                (f"{row} {name}", shown.probabilities[row], *shown.weights[row])
                for row, name in enumerate(shown.target)
            ),
        ),
        code=code,
    )
