"""Step by step: the translation piece by piece, with what the decoder looks at for each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import prose, show, state
from app.components.writer import Place, Writing, writer
from app.state import Transformer
from app.translations import Talk
from app.views import transformer_common
from attnviz.data.held_out import held_out

if TYPE_CHECKING:
    from attnviz.inside import Inside
    from attnviz.translation import Translation


@show.panel
def draw(talk: Talk) -> None:
    """The player over the whole width; exact numbers and facts below."""
    found, inside = transformer_common.ran(talk)
    show.note(prose.text("transformer", "Step by step"))
    for remark in transformer_common.remarks(talk, found):
        show.note(remark)
    step, layer = _play(talk, writing(talk, found, inside))
    more, truth = st.columns([11, 9], gap="large")
    with more:
        _exact(inside, step, layer)
        show.explain("transformer", "Step by step")
        _take_away(talk, found, inside, step, layer)
    with truth:
        show.facts([*_facts(inside), *transformer_common.facts(talk, found, inside)])


def writing(talk: Talk, found: Translation, inside: Inside) -> Writing:
    """A translation as the player takes it."""
    return Writing(
        source=inside.source,
        unknown=[i for i, known in enumerate(found.pieces.known) if not known],
        inputs=inside.inputs,
        target=inside.target,
        cross=inside.weights("cross").mean(1),
        own=inside.weights("decoder").mean(1),
        candidates=found.candidate_labels,
        chances=found.chances,
        picked=[
            row.index(id) if id in row else -1
            for id, row in zip(found.ids, found.candidates.tolist(), strict=True)
        ],
        texts=[talk.tokeniser.decode(found.ids[: t + 1]) for t in range(len(found.ids))],
    )


def _play(talk: Talk, shown: Writing) -> Place:
    """The player; where it rests is kept in the link."""
    steps, layers = len(shown.target), len(shown.cross)
    start = (steps // 2, max(layers - 2, 0))  # the middle, in the layer that aligns best
    linked = state.pairs(state.linked(Transformer.STEP))
    asked = next((pair for pair in linked if pair[0] < steps and pair[1] < layers), start)
    place = writer(
        shown,
        key=Transformer.WRITER,
        asked=asked,
        language=held_out(talk.card.corpus or "").target_language,
        name=f"{talk.model}-steps",
    )
    place = place or start
    if place != asked:
        state.link(Transformer.STEP, "" if place == start else f"{place[0]}.{place[1]}")
    state.publish(Transformer.STEP)
    return place


def _exact(inside: Inside, step: int, layer: int) -> None:
    """What the layer's heads look at in the source at this step, most first."""
    weights = inside.weights("cross")[layer, :, step].mean(0)  # (S,)
    rows = [(f"{i} {inside.source[i]}", float(weights[i])) for i in np.argsort(-weights)[:8]]
    show.values(f"Step {step}, layer {layer}: weights on the source", rows, unit="mean weight")


def _facts(inside: Inside) -> Iterable[tuple[str, str]]:
    yield (
        "Recorded",
        "found piece by piece with cached keys and values; then given to the model at once, which "
        "computes the same behind the look-ahead mask (tests), and recorded",
    )
    yield (
        "Lines",
        f"weights from 2 % up, the mean of a layer’s {inside.weights('cross').shape[1]} heads",
    )


def _take_away(talk: Talk, found: Translation, inside: Inside, step: int, layer: int) -> None:
    code = transformer_common.code(talk) + (
        f"step, layer = {step}, {layer}\n"
        'cross = inside.weights("cross")[layer, :, step].mean(0)\n'
        'print(*zip(inside.source, cross), sep="\\n")\n'
        "print(found.candidate_labels[step], found.chances[step])\n"
    )
    cross, own = inside.weights("cross").mean(1), inside.weights("decoder").mean(1)
    sources = [f"{i} {piece}" for i, piece in enumerate(inside.source)]
    show.take_away(
        key="tf_steps_data",
        name=f"{talk.model}-steps",
        arrays=lambda: {
            "cross": cross,
            "own": own,
            "candidates": found.candidates,
            "chances": found.chances,
            "source": np.array(inside.source),
            "inputs": np.array(inside.inputs),
            "target": np.array(inside.target),
        },
        table=lambda: (
            ("step", "given", "wrote", "probability", *sources),
            (
                (t, inside.inputs[t], inside.target[t], found.probabilities[t], *cross[layer, t])
                for t in range(len(inside.target))
            ),
        ),
        code=code,
    )
