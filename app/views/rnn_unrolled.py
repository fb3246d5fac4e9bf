"""The unrolled network: every state over time, real numbers as colours."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import controls, loaders, prose, recurrences, show, state
from app.components.unrolled import NOWHERE, Course, Place, unrolled
from app.state import Rnn
from app.translations import Talk
from app.views import rnn_common
from attnviz import figures
from attnviz.data.held_out import held_out
from attnviz.text import Sentence

if TYPE_CHECKING:
    from attnviz.recurrence import Unrolled

PARTS = {
    "hidden": "state h",
    "cell": "cell c",
    "forget_gate": "forget gate f",
    "input_gate": "input gate i",
    "candidate": "candidate g",
    "output_gate": "output gate o",
}
HANDED = {"hidden": "the fixed vector", "cell": "handed over with h"}
ORDERS = ("vector", "number")


@show.panel
def draw(corpus: str, sentence: Sentence) -> None:
    """The translation over the unrolled network; the kept unit and the facts under it."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        talk = rnn_common.choose(corpus, sentence)
        found = recurrences.unrolled(talk)
        part = _choose_part(found.parts)
        by = controls.one_of(
            "Units sorted by", ORDERS, key=Rnn.ORDER,
            help="By their value in the fixed vector, the largest on top; or by their number.",
        )  # fmt: skip
    notes = (*found.sentence.notes, *found.pieces.notes)
    ended = () if found.finished else (f"Stopped after {len(found.said)} pieces: it did not end.",)
    show.translation(found.text, held_out(corpus).target_language, (*notes, *ended))
    values = found.over_time(part)
    unit, _ = _strips(talk, found, part, by)
    more, truth = st.columns([11, 10], gap="large")
    with more:
        show.note(prose.text("rnn", "Unrolled"))
        if unit is not None:
            _one_unit(found, unit)
        show.explain("rnn", "Unrolled")
        _take_away(talk, found, part, values)
    with truth:
        show.facts(_facts(talk, found, part))


def _choose_part(parts: tuple[str, ...]) -> str:
    words = {PARTS[part]: part for part in parts}
    return words[controls.one_of("Numbers shown", list(words), key=Rnn.PART)]


def _strips(talk: Talk, found: Unrolled, part: str, by: str) -> Place:
    """The strips; the kept unit and step are remembered in the link."""
    values = found.over_time(part)
    width = values.shape[1]
    course = Course(
        source=tuple(label for _, label in sorted(zip(found.order, found.read, strict=True))),
        order=found.order,
        given=found.given,
        said=found.said,
        probabilities=found.probabilities,
        unknown=tuple(i for i, known in enumerate(found.pieces.known) if not known),
    )
    asked = _kept(width, course.steps)
    signed = not part.endswith("gate")
    vector = found.fixed.get(part, found.fixed["hidden"])
    place = unrolled(
        values,
        course,
        key=Rnn.NETWORKS,
        vmax=(loaders.percentile(np.abs(values)) or 1.0) if signed else 1.0,
        units=np.argsort(-vector, kind="stable").tolist() if by == ORDERS[0] else range(width),
        signed=signed,
        what=PARTS[part],
        passed=f"{HANDED[part]}: {width} numbers" if part in HANDED else "",
        name=f"{talk.model}-{part}",
        scale=f"{PARTS[part]}, {'cut at the 99th percentile' if signed else 'from shut to open'}",
        asked=asked,
    )
    if place != asked:
        for name, value in zip((Rnn.UNIT, Rnn.STEP), place, strict=True):
            state.link(name, "" if value is None else str(value))
    for name in (Rnn.UNIT, Rnn.STEP):
        state.publish(name)
    return place


def _kept(width: int, steps: int) -> Place:
    """The unit and the step of the link or of an earlier click, if this network has them."""
    texts = state.linked(Rnn.UNIT), state.linked(Rnn.STEP)
    unit, step = (
        int(text) if text.isdecimal() and len(text) < 6 and int(text) < count else None
        for text, count in zip(texts, (width, steps), strict=True)
    )
    return (unit, step) if (unit, step) != NOWHERE else NOWHERE


def _one_unit(found: Unrolled, unit: int) -> None:
    """All that a unit of the cell does, over time."""
    curves = {PARTS[part]: found.over_time(part)[:, unit] for part in found.parts}
    figure = figures.unit_over_time(
        curves, [*found.read, *found.given], split=len(found.read), title=f"Unit {unit} over time"
    )
    show.plot(figure, key="rnn_unit_figure", name=f"unit-{unit}", alt=f"Unit {unit} over time")


def _facts(talk: Talk, found: Unrolled, part: str) -> Iterable[tuple[str, str]]:
    width = len(found.fixed["hidden"])
    steps = f"{len(found.read)} of the encoder, {len(found.said)} of the decoder"
    yield "Axes", f"time step across ({steps}), {width} units down; all count from 0"
    first, last = found.order[0], found.order[-1]
    yield "Reading", f"from piece {first} “{found.read[0]}” to piece {last} “{found.read[-1]}”"
    together = " and ".join(f"{PARTS[name]} ({width})" for name in found.fixed)
    yield "Handed over", f"{together}: all that the decoder ever learns of the source"
    yield (
        "Equations",
        "every state computed again from the one before it; the largest difference is "
        f"{found.deviation:.1e}",
    )
    values = found.over_time(part)
    yield "Range", f"{PARTS[part]} from {values.min():.3f} to {values.max():.3f}"
    yield from rnn_common.model_facts(talk.card)
    yield "Run", f"{found.device}, float32, {found.seconds:.2f} s, greedy, every state recorded"


def _take_away(talk: Talk, found: Unrolled, part: str, values: np.ndarray) -> None:
    show.take_away(
        key="rnn_unrolled",
        name=f"{talk.model}-{part}",
        arrays=lambda: (
            {name: found.over_time(name) for name in found.parts}
            | {f"fixed_{name}": vector for name, vector in found.fixed.items()}
            | {"given": np.array([*found.read, *found.given]), "order": np.array(found.order)}
        ),
        table=lambda: (
            ("step", "given", *(f"unit_{unit}" for unit in range(values.shape[1]))),
            (
                (at, label, *row)
                for at, (label, row) in enumerate(
                    zip((*found.read, *found.given), values, strict=True)
                )
            ),
        ),
        code=(
            "from attnviz import zoo\n"
            "from attnviz.recurrence import unroll\n"
            "from attnviz.text import Tokeniser\n\n"
            f'card = zoo.card("{talk.model}")\n'
            f'model = zoo.load(card.name, "{talk.device}")\n'
            "tokeniser = Tokeniser.load(card.tokeniser)\n"
            f"found = unroll(model, tokeniser, {talk.sentence.text!r})\n"
            "print(found.text)\n"
            f'values = found.over_time("{part}")  # (step, unit)\n'
        ),
        figures=True,
    )
