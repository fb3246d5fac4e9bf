"""Training: how one sentence's alignment comes about, from the first steps to the last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import streamlit as st

from app import controls_text, maps, prose, show, state, translations
from app.components.film import film
from app.state import Seq2seq
from app.translations import ATTENDING, Talk
from app.views import seq2seq_common
from attnviz import figures, zoo
from attnviz.data.held_out import held_out
from attnviz.text import Sentence

SCORES = {
    "exact_match": "sentences",
    "token_accuracy": "pieces",
    "alignment_accuracy": "alignment",
}
KEPT = (*ATTENDING, "transformer")
"""Kinds whose training can be watched, the first to be shown in place of another."""


@dataclass(frozen=True)
class Moment:
    """The model as it was at one step, and what it did with the sentence then.

    Args:
        step: of the training.
        snapshot: the same for the zoo; None for the finished model.
        scores: held out, of the card.
        weights: (target, source), while it was given the finished model's translation.
        probabilities: (target,) of that translation's pieces.
        says: its own translation, decoded freely.
        seconds: that both took.
    """

    step: int
    snapshot: int | None
    scores: dict[str, float]
    weights: np.ndarray
    probabilities: np.ndarray
    says: str
    seconds: float

    @property
    def loss(self) -> float:
        """Of the finished translation, nats a piece."""
        return float(-np.log(np.maximum(self.probabilities, 1e-12)).mean())


@show.panel
def draw(talk: Talk) -> None:
    """The film at the left, the curves at the right."""
    chosen = with_snapshots(talk)
    if chosen is None:
        raise show.Problem("No bundled model has snapshots of its training: nothing to scrub.")
    show.note(prose.text("seq2seq", "Training"))
    if chosen != talk:
        show.note(_instead(talk, chosen))
    finished = translations.translation(chosen)
    with st.spinner("Translating with the model as it was at each step …"):
        moments = watched(chosen, finished.ids)
    left, right = st.columns([12, 9], gap="large")
    with left:
        now = moments[_film(chosen, moments, finished.source, finished.target)]
        show.explain("seq2seq", "Training")
    with right:
        _curves(moments, now)
    more, truth = st.columns([12, 9], gap="large")
    with more:
        _take_away(chosen, moments)
    with truth:
        show.facts(_facts(chosen, moments, now))


def with_snapshots(talk: Talk) -> Talk | None:
    """What is asked for, or the nearest that has snapshots: another score, another corpus."""
    asked = talk.card

    def distance(card: zoo.Card) -> tuple[bool, bool, int]:
        kind = card.name.rpartition("_")[2]
        return card.name != asked.name, card.corpus != asked.corpus, KEPT.index(kind)

    cards = [card for card in zoo.cards() if card.family == asked.family and card.snapshots]
    cards = [card for card in cards if card.name.endswith(KEPT)]
    if not cards:
        return None
    nearest = min(cards, key=distance)
    if nearest.corpus == asked.corpus:
        return replace(talk, model=nearest.name)
    example = controls_text.opening(held_out(nearest.corpus or ""))
    return replace(talk, model=nearest.name, sentence=Sentence(example))


def watched(talk: Talk, ids: Sequence[int]) -> list[Moment]:
    """Every kept step of the training, the finished model last."""
    card = talk.card
    kept = [(taken["step"], taken["step"], taken["scores"]) for taken in card.snapshots]
    if card.steps and card.steps > kept[-1][0]:
        kept.append((card.steps, None, card.scores))
    moments = []
    for step, snapshot, scores in kept:
        then = replace(talk, snapshot=snapshot)
        run = translations.followed(then, ids)
        own = translations.translation(then)
        assert run.weights is not None  # only models with attention are asked
        moments.append(
            Moment(
                step,
                snapshot,
                scores,
                run.weights,
                run.probabilities,
                own.text,
                run.seconds + own.seconds,
            )
        )
    return moments


def _instead(talk: Talk, chosen: Talk) -> str:
    asked, shown = talk.card.title, chosen.card.title
    other = "" if chosen.sentence == talk.sentence else ", with a sentence of its own"
    return f"No snapshots of “{asked}” were kept. Shown is “{shown}”{other}."


def _film(
    talk: Talk, moments: Sequence[Moment], source: Sequence[str], target: Sequence[str]
) -> int:
    """The film; the step it stopped at goes into the link. Returns the frame."""
    steps = [moment.step for moment in moments]
    linked = state.linked(Seq2seq.SNAPSHOT)
    frame = steps.index(int(linked)) if linked.isdecimal() and int(linked) in steps else None
    film(
        maps.as_bytes(np.stack([moment.weights for moment in moments]), 1.0),
        maps.as_bytes(np.stack([moment.probabilities for moment in moments]), 1.0),
        source=source,
        target=target,
        steps=steps,
        says=[moment.says for moment in moments],
        key=Seq2seq.FILM,
        frame=frame,
        name=f"{talk.model}-training",
        on_change=partial(_stopped, steps),
    )
    state.publish(Seq2seq.SNAPSHOT)
    return len(steps) - 1 if frame is None else frame


def _stopped(steps: Sequence[int], frame: int | None) -> None:
    last = len(steps) - 1
    state.link(Seq2seq.SNAPSHOT, "" if frame in (None, last) else str(steps[frame]))


def _curves(moments: Sequence[Moment], now: Moment) -> None:
    steps = [moment.step for moment in moments]
    shares = {
        name: [moment.scores.get(score) for moment in moments] for score, name in SCORES.items()
    }
    show.plot(
        figures.by_step(
            steps,
            shares,
            title="Held out, right",
            share=True,
            marked=now.step,
            height=290,
        ),
        key="seq2seq_training_scores",
        name="training-scores",
        alt="Shares of held-out sentences, pieces and alignments that are right, by training step",
    )
    losses = {"loss": [moment.loss for moment in moments]}
    show.plot(
        figures.by_step(
            steps, losses, title="This sentence", axis="nats a piece", marked=now.step, height=250
        ),
        key="seq2seq_training_loss",
        name="training-loss",
        alt="Loss of the finished translation by training step",
    )


def _take_away(talk: Talk, moments: Sequence[Moment]) -> None:
    show.take_away(
        key="seq2seq_training",
        name=f"{talk.model}-training",
        arrays=lambda: {
            "steps": np.array([moment.step for moment in moments]),
            "weights": np.stack([moment.weights for moment in moments]),
            "probabilities": np.stack([moment.probabilities for moment in moments]),
        },
        table=lambda: (
            ("step", "translation", "loss", *SCORES),
            (
                (moment.step, moment.says, moment.loss, *(moment.scores.get(s) for s in SCORES))
                for moment in moments
            ),
        ),
        code=seq2seq_common.code(talk)
        + (
            "from attnviz.translation import follow\n\n"
            "for taken in card.snapshots:\n"
            f'    then = zoo.load(card.name, "{talk.device}", snapshot=taken["step"])\n'
            "    run = follow(then, tokeniser, found.sentence, found.ids)\n"
            "    own = translate(then, tokeniser, found.sentence)\n"
            '    print(taken["step"], f"{run.losses.mean():.3f}", own.text)\n'
            "figures.token_matrix(run.weights, run.target, run.source, scale_max=1.0).show()\n"
        ),
        figures=True,
    )


def _facts(talk: Talk, moments: Sequence[Moment], now: Moment) -> Iterable[tuple[str, str]]:
    sums = np.stack([moment.weights for moment in moments]).sum(axis=-1)
    yield "Rows", f"sum to 1 at every step within {np.abs(sums - 1).max():.1e}"
    yield (
        "Matrices",
        "every model is given the finished model's translation piece by piece, so that a row "
        "means the same at each step; the text above is what it wrote by itself",
    )
    yield "Bars", "probability of the finished translation's piece at that step of the training"
    right = [f"{name} {now.scores[s]:.1%}" for s, name in SCORES.items() if s in now.scores]
    if right:
        yield (
            f"Step {now.step:,}",
            f"held out, right: {', '.join(right)}; pieces and alignments are counted while the "
            "model is given the reference",
        )
    yield "Weights", seq2seq_common.weights_of(talk.card)
    yield "Held out", seq2seq_common.held_out_scores(talk.card)
    seconds = sum(moment.seconds for moment in moments)
    yield "Run", f"{talk.device}, float32, greedy; {len(moments)} models in {seconds:.2f} s"
