"""Beside the LSTM: one sentence, aligned by a recurrent model and by the Transformer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import controls, prose, show, state, translations
from app.components.alignment import alignment
from app.state import Transformer
from app.translations import ATTENDING, KINDS, Talk
from app.views import seq2seq_common, transformer_common
from app.views.seq2seq_common import UNITS, Matrix
from attnviz.data.held_out import held_out

if TYPE_CHECKING:
    from attnviz.translation import Translation

MEAN = "mean"
BEST = -2  # the layer that aligns best, as `attnviz.translation` takes it


@show.panel
def draw(talk: Talk) -> None:
    """The recurrent model's matrix at the left, the Transformer's at the right, one scale."""
    older = recurrent(talk)
    if older is None:
        raise show.Problem("No recurrent model with attention was trained on these sentences.")
    found, inside = transformer_common.ran(talk)
    before = translations.translation(older)
    layers, count = inside.weights("cross").shape[:2]
    show.note(prose.text("transformer", "Beside the LSTM"))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        names = [str(layer) for layer in range(layers)]
        best = max(BEST, -layers)  # counted from the last
        state.among(Transformer.LAYER, names)
        layer = int(
            st.segmented_control(
                "Layer", names, default=names[best], required=True, key=Transformer.LAYER,
                bind="query-params", wrap=True,
            )
        )  # fmt: skip
        heads = [MEAN, *(str(head) for head in range(count))]
        which = controls.one_of("Heads", heads, key=Transformer.WHICH)
        units = controls.one_of("Axes in", UNITS, key=Transformer.UNITS)
    cross = inside.weights("cross")[layer]  # (heads, target, source)
    rows = cross.mean(0) if which == MEAN else cross[int(which)]
    left, right = st.columns(2, gap="large")
    with left:
        kind = KINDS[older.model.rpartition("_")[2]]
        _one(older, before, f"LSTM, {kind} score", Transformer.RECURRENT, units)
    with right:
        title = f"Transformer, layer {layer}, " + (
            "mean of heads" if which == MEAN else f"head {which}"
        )
        _one(talk, replace(found, weights=rows), title, Transformer.CROSS, units)
    more, truth = st.columns([11, 9], gap="large")
    with more:
        show.explain("transformer", "Beside the LSTM")
        _take_away(talk, older, before, found, cross)
    with truth:
        show.facts([*_facts(older, before), *transformer_common.facts(talk, found, inside)])


def recurrent(talk: Talk) -> Talk | None:
    """The recurrent translator with attention that stands for its kind on the same corpus."""
    corpus = talk.card.corpus or ""
    there = translations.kinds(corpus)
    kind = next((kind for kind in ATTENDING if kind in there), None)
    return None if kind is None else Talk(f"{corpus}_{kind}", talk.device, talk.sentence)


def _one(talk: Talk, found: Translation, title: str, key: str, units: str) -> None:
    shown: Matrix = seq2seq_common.matrix(talk, found, units)
    show.small(title)
    language = held_out(talk.card.corpus or "").target_language
    show.translation(found.text, language, found.notes, large=False)
    alignment(
        shown.weights,
        shown.source,
        shown.target,
        key=key,
        probabilities=shown.probabilities,
        unknown=shown.unknown,
        name=talk.model,
    )


def _facts(older: Talk, before: Translation) -> Iterable[tuple[str, str]]:
    yield "Colour", "from 0 to 1 in both matrices"
    yield "LSTM", seq2seq_common.weights_of(older.card)
    yield "Its scores", seq2seq_common.held_out_scores(older.card)
    yield "Its run", f"{before.device}, float32, {before.seconds:.2f} s"


def _take_away(
    talk: Talk, older: Talk, before: Translation, found: Translation, cross: np.ndarray
) -> None:
    assert before.weights is not None
    weights = before.weights
    show.take_away(
        key="tf_beside",
        name=f"{talk.card.corpus}-lstm-and-transformer",
        arrays=lambda: {
            "recurrent": weights,
            "cross": cross,
            "recurrent_target": np.array(before.target),
            "target": np.array(found.target),
            "source": np.array(found.source),
        },
        table=lambda: (
            ("model", "target", *(f"{i} {name}" for i, name in enumerate(found.source))),
            (
                (name, f"{i} {run.target[i]}", *row)
                for name, run, matrix in (
                    (older.model, before, weights),
                    (talk.model, found, cross.mean(0)),
                )
                for i, row in enumerate(matrix)
            ),
        ),
        code=seq2seq_common.code(talk)
        + (
            f'older = zoo.load("{older.model}", "{talk.device}")\n'
            "before = translate(older, tokeniser, found.sentence)\n"
            "print(before.text)\n"
            "for run in (before, found):\n"
            "    figures.token_matrix(run.weights, run.target, run.source, scale_max=1.0).show()\n"
        ),
    )
