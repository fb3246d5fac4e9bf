"""One sentence through every kind of translator of its corpus, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import streamlit as st

from app import controls, prose, show, translations
from app.components.alignment import alignment
from app.state import Seq2seq
from app.translations import KINDS, Talk
from app.views import seq2seq_common
from app.views.seq2seq_common import SCORES, UNITS
from attnviz.data.held_out import held_out

if TYPE_CHECKING:
    from attnviz.translation import Translation

ATTENDING = ("dot", "bilinear", "mlp")  # in the order in which they grow
TALL = 300  # of a matrix, pixels


class Run(NamedTuple):
    """What one kind made of the sentence."""

    talk: Talk
    found: Translation


@show.panel
def draw(talk: Talk) -> None:
    """With attention in the first row, without it in the second."""
    corpus = talk.card.corpus or ""
    talks = {kind: replace(talk, model=f"{corpus}_{kind}") for kind in translations.kinds(corpus)}
    runs = {kind: Run(each, translations.translation(each)) for kind, each in talks.items()}
    words, choice = st.columns([13, 7], gap="large", vertical_alignment="bottom")
    with words:
        show.note(prose.text("seq2seq", "Scores compared"))
        if known := seq2seq_common.reference(talk):
            show.note(f"The corpus says: {known}")
    with choice:
        units = controls.one_of("Axes in", UNITS, key=Seq2seq.UNITS)
    for group in (ATTENDING, [kind for kind in KINDS if kind not in ATTENDING]):
        there = [kind for kind in group if kind in runs]
        for column, kind in zip(st.columns(3, gap="medium"), there, strict=False):
            with column:
                _one(kind, runs[kind], units)
    more, truth = st.columns([13, 7], gap="large")
    with more:
        show.explain("seq2seq", "Scores compared")
        _take_away(talk, runs)
    with truth:
        show.facts(_facts(list(runs.values())))


def _one(kind: str, run: Run, units: str) -> None:
    """A kind with its formula, what it said, where it looked, and how good it is."""
    talk, found = run
    show.small(KINDS[kind][0].upper() + KINDS[kind][1:])
    st.markdown(prose.text("seq2seq", f"Score: {kind}"))
    language = held_out(talk.card.corpus or "").target_language
    show.translation(found.text, language, found.notes, large=False)
    if found.weights is not None:
        shown = seq2seq_common.matrix(talk, found, units)
        alignment(
            shown.weights,
            shown.source,
            shown.target,
            key=f"{Seq2seq.MATRIX}_{kind}",
            probabilities=shown.probabilities,
            unknown=shown.unknown,
            height=TALL,
            name=talk.model,
        )
    show.facts(seq2seq_common.scores(talk.card), title="On held-out pairs")


def _facts(runs: Sequence[Run]) -> Iterable[tuple[str, str]]:
    weights = [run.found.weights for run in runs if run.found.weights is not None]
    off = max(float(np.abs(each.sum(1, dtype=np.float64) - 1).max()) for each in weights)
    yield "Rows", f"sum to 1 in every matrix; the largest deviation measured is {off:.1e}"
    yield "Colour", "from 0 to 1 in every matrix"
    cards = [run.talk.card for run in runs]
    sizes = [f"{count(card.parameters for card in cards) / 1e6:.2f}" for count in (min, max)]
    steps = sorted({card.steps or 0 for card in cards})
    yield (
        "Weights",
        f"trained by this project with one recipe, {' or '.join(f'{n:,}' for n in steps)} steps; "
        f"{' to '.join(dict.fromkeys(sizes))} M parameters",
    )
    yield "Decoding", "greedy in all"
    seconds = sum(run.found.seconds for run in runs)
    yield "Run", f"{runs[0].found.device}, float32, {seconds:.2f} s for all of them"


def _take_away(talk: Talk, runs: Mapping[str, Run]) -> None:
    corpus = talk.card.corpus
    weights = {kind: run.found.weights for kind, run in runs.items()}
    show.take_away(
        key="seq2seq_scores",
        name=f"{corpus}-scores",
        arrays=lambda: {kind: array for kind, array in weights.items() if array is not None},
        table=lambda: (
            ("kind", "translation", *SCORES),
            (
                (kind, run.found.text, *(run.talk.card.scores.get(name, "") for name in SCORES))
                for kind, run in runs.items()
            ),
        ),
        code=(
            "from attnviz import zoo\n"
            "from attnviz.text import Tokeniser\n"
            "from attnviz.translation import translate\n\n"
            f"text = {talk.sentence.text!r}\n"
            "found = {}\n"
            f"for kind in {tuple(runs)!r}:\n"
            f'    card = zoo.card(f"{corpus}_{{kind}}")\n'
            f'    model = zoo.load(card.name, "{talk.device}")\n'
            "    found[kind] = translate(model, Tokeniser.load(card.tokeniser), text)\n"
            "    print(kind, found[kind].text, card.scores)\n"
        ),
    )
