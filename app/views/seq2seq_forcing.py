"""Forced or free: one sentence given the right words, and left to its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import controls_text, prose, show, state, translations
from app.components.alignment import alignment
from app.state import Seq2seq
from app.translations import Talk
from app.views import seq2seq_common
from attnviz import figures
from attnviz.data.held_out import held_out
from attnviz.text import END, SentenceError, read_sentence

if TYPE_CHECKING:
    from attnviz.translation import Translation

FINISHED = "finished"
CORPUS = "held out, of the corpus"
OWN = "what the finished model says: the corpus does not have this sentence"
TRIES = 60  # held-out sentences that are translated to find one that goes wrong


@dataclass(frozen=True)
class Runs:
    """A reference, the run that was given it, and the run that was given its own words.

    Args:
        origin: where the reference comes from, in words.
        forced: the reference's pieces as the target.
        free: the model's own translation.
        asked: (T,) loss of each piece of the reference after the free run's beginning, nats; NaN
            where the free run had ended.
    """

    origin: str
    forced: Translation
    free: Translation
    asked: np.ndarray

    @property
    def parted(self) -> int | None:
        """The first step at which the two say something else; None if they never do."""
        ours, own = self.forced.ids, self.free.ids
        differ = (i for i, (a, b) in enumerate(zip(ours, own, strict=False)) if a != b)
        return next(differ, None if len(ours) == len(own) else min(len(ours), len(own)))

    @property
    def right(self) -> np.ndarray:
        """(T,) whether the likeliest piece is the reference's, given the right beginning."""
        return self.forced.candidates[:, 0] == np.array(self.forced.ids)


@show.panel
def draw(talk: Talk) -> None:
    """Both runs piece under piece, what each piece cost, and both alignments."""
    show.note(prose.text("seq2seq", "Forced or free"))
    words, age = st.columns(2, gap="large", vertical_alignment="bottom")
    with age, st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        then = replace(talk, snapshot=_age(talk))
        _find(then)
    with words:
        runs = compared(then, _reference(then))
    forced, parted = runs.forced, runs.parted
    likeliest = [labels[0] for labels in forced.candidate_labels]
    strays = [i for i, id in enumerate(runs.free.ids) if forced.ids[i : i + 1] != (id,)]
    show.tokens(
        [
            ("reference", forced.target, ()),
            ("given it, says", likeliest, np.flatnonzero(~runs.right).tolist()),
            ("alone, says", runs.free.target, strays),
        ],
        parted=parted,
    )
    st.markdown(show.literal(explained(runs)))
    losses = {"given the reference": np.abs(forced.losses), "given its own words": runs.asked}
    show.plot(
        figures.word_losses(
            forced.target, losses, title="What each piece of the reference cost", parted=parted
        ),
        key="seq2seq_forcing_losses",
        name="losses",
        alt="Loss of each piece of the reference, forced and free",
    )
    left, right = st.columns(2, gap="large")
    for place, name, run, key in (
        (left, "Given the reference", forced, Seq2seq.FORCED_MATRIX),
        (right, "Alone", runs.free, Seq2seq.FREE_MATRIX),
    ):
        with place:
            show.small(name)
            _matrix(then, run, key)
    more, truth = st.columns(2, gap="large")
    with more:
        show.explain("seq2seq", "Forced or free")
        _take_away(then, runs)
    with truth:
        show.facts([*_facts(runs), *seq2seq_common.facts(then, runs.free)])


def compared(talk: Talk, typed: str = "") -> Runs:
    """A sentence given a reference, and left alone.

    The reference is what was typed, else the corpus's, else what the finished model says.
    """
    free, known = translations.translation(talk), seq2seq_common.reference(talk)
    if text := typed or known:
        origin = CORPUS if text == known else "typed here"
        ids = (*talk.tokeniser.encode(text).ids, END)
    else:
        origin, ids = OWN, translations.translation(replace(talk, snapshot=None)).ids
    both = min(len(ids), len(free.ids))
    asked = np.full(len(ids), np.nan)
    asked[:both] = np.abs(translations.followed(talk, free.ids[:both], ids[:both]).losses)
    return Runs(origin, translations.followed(talk, ids), free, asked)


def explained(runs: Runs) -> str:
    """What happened, in numbers of these two runs."""
    forced, free, parted = runs.forced, runs.free, runs.parted
    if parted is None:
        why = (
            "The corpus does not have this sentence, so the reference is what the model says itself"
            if runs.origin == OWN
            else "Alone, the model says exactly the reference"
        )
        return f"{why}: both runs are one. Change a word of the reference, or find a mistake."
    said = f"They part at step {parted}: " + " and ".join(
        f"{who} “{run.target[parted]}” ({run.probabilities[parted]:.1%})"
        if parted < len(run.ids)
        else f"{who} nothing more"
        for who, run in (("the reference has", forced), ("the model says", free))
    )
    later = slice(parted + 1, None)
    both = np.isfinite(runs.asked[later])
    if not both.any():
        return f"{said}."
    given, own = np.abs(forced.losses)[later][both].mean(), runs.asked[later][both].mean()
    pieces = "piece" if both.sum() == 1 else f"{both.sum()} pieces"
    return (
        f"{said}. From there on the next {pieces} of the reference cost {given:.2f} nats each "
        f"after the right beginning, and {own:.2f} after the model’s own words. Given the right "
        f"beginning it would have said {runs.right.sum()} of {len(forced.ids)} pieces right; "
        f"alone, it has {sum(a == b for a, b in zip(forced.ids, free.ids, strict=False))} in place."
    )


def _age(talk: Talk) -> int | None:
    """A step of the training to take the model at; None for the finished one."""
    steps = [str(taken["step"]) for taken in talk.card.snapshots]
    if not steps:
        return None
    options = [*steps, FINISHED]
    state.among(Seq2seq.FORCED_AT, options)
    chosen = st.select_slider(
        "Training step", options, FINISHED, key=Seq2seq.FORCED_AT, bind="query-params",
        help="The model as it was then: early on, one wrong word leads to the next.",
    )  # fmt: skip
    return None if chosen == FINISHED else int(chosen)


def _reference(talk: Talk) -> str:
    """The reference as it was typed; empty for the default one."""
    state.about(talk.sentence.text, Seq2seq.REFERENCE)
    finished = translations.translation(replace(talk, snapshot=None))
    default = seq2seq_common.reference(talk) or finished.text
    chosen = state.linked(Seq2seq.REFERENCE)
    state.publish(Seq2seq.REFERENCE)

    def typed() -> None:
        try:
            text = read_sentence(st.session_state[Seq2seq.REFERENCE_BOX]).text
        except SentenceError:
            text = ""
        state.link(Seq2seq.REFERENCE, "" if text == default else text)

    st.session_state[Seq2seq.REFERENCE_BOX] = chosen or default
    st.text_input("Reference", key=Seq2seq.REFERENCE_BOX, on_change=typed)
    return chosen


def _find(talk: Talk) -> None:
    """Go to the next held-out sentence that this model, at this step, gets wrong."""
    if not st.button("Find a mistake", help="The next held-out sentence that goes wrong."):
        return
    pairs = held_out(talk.card.corpus or "").pairs
    here = next((i for i, pair in enumerate(pairs) if pair.source == talk.sentence.text), -1)
    with st.spinner("Translating held-out sentences …"):
        for pair in [*pairs[here + 1 :], *pairs[: here + 1]][:TRIES]:
            tried = replace(talk, sentence=read_sentence(pair.source))
            if translations.translation(tried).text != pair.target:
                controls_text.say(pair.source, talk.card.corpus or "")
                st.rerun()
    earlier = ": take an earlier step of the training" if talk.card.snapshots else ""
    show.note(f"The next {min(TRIES, len(pairs))} held-out sentences come out right{earlier}.")


def _matrix(talk: Talk, run: Translation, key: str) -> None:
    if run.weights is None:
        show.note("This model has no attention.")
        return
    shown = seq2seq_common.matrix(talk, run)
    alignment(
        shown.weights,
        shown.source,
        shown.target,
        key=key,
        probabilities=shown.probabilities,
        unknown=shown.unknown,
        name=f"{talk.model}-{key}",
    )


def _facts(runs: Runs) -> Iterable[tuple[str, str]]:
    same = len(runs.asked) if runs.parted is None else runs.parted
    gap = np.abs(np.abs(runs.forced.losses)[:same] - runs.asked[:same]).max(initial=0)
    yield "Origin", f"the reference is {runs.origin}"
    yield (
        "Loss",
        "−ln of the probability of the reference’s piece, in nats; both runs are asked for it",
    )
    if same:
        yield "Before", f"up to step {same - 1} the two losses differ by {gap:.1e} at most"
    yield "Forced", f"{np.abs(runs.forced.losses).mean():.3f} nats a piece, the whole reference"
    yield "Below", "what holds for the free run"


def _take_away(talk: Talk, runs: Runs) -> None:
    code = seq2seq_common.code(talk) + (
        "from attnviz.text import END\n"
        "from attnviz.translation import follow\n\n"
        f"reference = (*tokeniser.encode({_text(talk, runs)!r}).ids, END)\n"
        "forced = follow(model, tokeniser, found.sentence, reference)\n"
        "both = min(len(reference), len(found.ids))\n"
        "own = follow(model, tokeniser, found.sentence, found.ids[:both], asked=reference[:both])\n"
        'losses = {"forced": forced.losses[:both], "free": own.losses}\n'
        "figures.word_losses(forced.target[:both], losses).show()\n"
    )
    show.take_away(
        key="seq2seq_forcing",
        name=f"{talk.model}-forced-or-free",
        arrays=lambda: {
            "forced_losses": runs.forced.losses,
            "free_losses": runs.asked,
            **_weights(runs),
        },
        table=lambda: (
            ("step", "reference", "forced loss", "free loss", "given it, says", "alone, says"),
            _rows(runs),
        ),
        code=code,
        figures=True,
    )


def _text(talk: Talk, runs: Runs) -> str:
    return talk.tokeniser.decode(runs.forced.ids)


def _weights(runs: Runs) -> dict[str, np.ndarray]:
    found = {"forced_weights": runs.forced.weights, "free_weights": runs.free.weights}
    return {name: weights for name, weights in found.items() if weights is not None}


def _rows(runs: Runs) -> Iterable[Sequence[object]]:
    alone = (*runs.free.target, *[""] * len(runs.forced.ids))
    likeliest = [labels[0] for labels in runs.forced.candidate_labels]
    columns = (runs.forced.target, runs.forced.losses, runs.asked, likeliest, alone)
    for step, row in enumerate(zip(*columns, strict=False)):
        yield step, *row
