"""One step: how the decoder gets from its state to the next piece, stage by stage."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import prose, show, state, translations
from app.components.stepper import STAGES, Place, Walk, stepper
from app.state import Seq2seq
from app.translations import Talk
from app.views import seq2seq_common
from attnviz.data.held_out import held_out

if TYPE_CHECKING:
    from attnviz.translation import Translation

START = (0, 0)


@show.panel
def draw(talk: Talk) -> None:
    """The step player over the whole width; what it shows in words and numbers under it."""
    found = translations.translation(talk)
    language = held_out(talk.card.corpus or "").target_language
    show.translation(found.text, language, found.notes, large=False)
    show.note(prose.text("seq2seq", "One step"))
    step = _play(talk, found)[0]
    left, right = st.columns(2, gap="large")
    with left:
        show.explain("seq2seq", "One step")
        _take_away(talk, found, step)
    with right:
        show.facts([*_facts(found), *seq2seq_common.facts(talk, found)])


def _play(talk: Talk, found: Translation) -> Place:
    """The player; where it rests is kept in the link."""
    steps = len(found.target)
    pairs = [pair for pair in state.pairs(state.linked(Seq2seq.STAGE)) if _fits(pair, steps)]
    asked = pairs[0] if pairs else START
    name = f"{talk.model}-step"
    place = stepper(walk(talk, found), key=Seq2seq.STEPPER, asked=asked, name=name)
    if place != asked:
        state.link(Seq2seq.STAGE, "" if place == START else f"{place[0]}.{place[1]}")
    state.publish(Seq2seq.STAGE)
    return place


def _fits(place: Place, steps: int) -> bool:
    return place[0] < steps and place[1] < len(STAGES)


def walk(talk: Talk, found: Translation) -> Walk:
    """A translation as the player takes it."""
    return Walk(
        source=found.source,
        target=found.target,
        unknown=tuple(i for i, known in enumerate(found.pieces.known) if not known),
        kind=talk.model.rpartition("_")[2],
        scores=found.stages["attention.scores"],
        weights=found.stages["attention.weights"],
        encoder_states=found.encoder_states,
        states=found.stages["decoder_states"],
        contexts=found.stages["attention.context"],
        outputs=found.stages["attention.output"],
        candidates=found.candidate_labels,
        chances=found.chances,
        probabilities=found.probabilities,
        picked=tuple(
            row.index(id) if id in row else -1
            for id, row in zip(found.ids, found.candidates.tolist(), strict=True)
        ),
    )


def _facts(found: Translation) -> Iterable[tuple[str, str]]:
    """What was computed again here from what it was made of."""
    scores, weights = found.stages["attention.scores"], found.stages["attention.weights"]
    grown = np.exp(scores - scores.max(axis=1, keepdims=True))
    softmax = np.abs(grown / grown.sum(axis=1, keepdims=True) - weights).max()
    summed = np.abs(weights @ found.encoder_states - found.stages["attention.context"]).max()
    both = np.concatenate([found.stages["attention.context"], found.stages["decoder_states"]], 1)
    joined = np.abs(both - found.stages["attention.concatenated"]).max()
    yield "Softmax", f"of the scores gives the weights within {softmax:.1e}"
    yield "Context", f"is the weighted sum of the encoder’s states within {summed:.1g}"
    yield "[c ; s]", f"context and decoder state side by side, within {joined:.1g}"
    yield (
        "Colours",
        "blue below zero, orange above, nothing at zero; one scale for all states, cut off at the "
        "99.5th percentile of h and s",
    )


def _take_away(talk: Talk, found: Translation, step: int) -> None:
    stages = {name.removeprefix("attention."): array for name, array in found.stages.items()}
    scores, weights = stages["scores"], stages["weights"]
    code = seq2seq_common.code(talk) + (
        f"step = {step}\n"
        'scores = found.stages["attention.scores"][step]\n'
        'weights = found.stages["attention.weights"][step]\n'
        'context = found.stages["attention.context"][step]  # = weights @ found.encoder_states\n'
        'print(*zip(found.source, scores, weights), sep="\\n")\n'
        "print(found.candidate_labels[step], found.chances[step])\n"
    )
    show.take_away(
        key="seq2seq_step",
        name=f"{talk.model}-steps",
        arrays=lambda: {
            **stages,
            "encoder_states": found.encoder_states,
            "candidates": found.candidates,
            "chances": found.chances,
        },
        table=lambda: (
            ("step", "target", "index", "source", "score", "weight"),
            (
                (step, target, i, source, scores[step, i], weights[step, i])
                for step, target in enumerate(found.target)
                for i, source in enumerate(found.source)
            ),
        ),
        code=code,
    )
