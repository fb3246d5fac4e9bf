"""Decoding step by step: what might have been said, and going on from a piece of one's own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import controls, prose, show, state, translations
from app.components.choices import Decoding, Pick, choices
from app.state import Rnn
from app.translations import Talk
from app.views import rnn_common, seq2seq_common
from attnviz.data.held_out import held_out
from attnviz.text import END, PAD, START, Sentence

if TYPE_CHECKING:
    from attnviz.translation import Translation

WAYS = ("likeliest", "sampled")
SHOWN = 6  # candidates a step
LONGEST = 100  # pieces of a beginning that a link may give


@show.panel
def draw(corpus: str, sentence: Sentence) -> None:
    """The growing sentence over the candidates of every step."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        talk = rnn_common.choose(corpus, sentence)
        temperature, seed = _choose_way()
    beginning = _beginning(talk)
    found = translations.translation(talk, prefix=beginning, temperature=temperature, seed=seed)
    beginning = beginning[: len(found.ids)]
    for words in found.notes:
        show.note(words)
    _candidates(talk, found, beginning)
    if beginning and st.button("Start again", icon=":material/restart_alt:", type="tertiary"):
        state.link(Rnn.BEGINNING, "")
        st.rerun()
    more, truth = st.columns([11, 10], gap="large")
    with more:
        show.note(prose.text("rnn", "Decoding"))
        show.explain("rnn", "Decoding")
        _take_away(talk, found, beginning, temperature, seed)
    with truth:
        show.facts(_facts(talk, found, beginning))


def _choose_way() -> tuple[float | None, int]:
    """No temperature for the likeliest piece; else the temperature and the seed of the draw."""
    if controls.one_of("Each piece is the", WAYS, key=Rnn.WAY) == WAYS[0]:
        return None, 0
    temperature = st.slider(
        "Temperature", 0.1, 2.0, 1.0, 0.1, key=Rnn.WARMTH, bind="query-params", width=180,
        help="Divides the logits before the draw: below 1 the likeliest piece gains.",
    )  # fmt: skip
    seed = st.number_input(
        "Seed", 0, 9999, 0, 1, key=Rnn.DRAW, bind="query-params", width=130,
        help="The same seed draws the same pieces again.",
    )  # fmt: skip
    return temperature, int(seed)


def _beginning(talk: Talk) -> tuple[int, ...]:
    """The pieces to begin with, from the link or from clicks; another sentence has none."""
    about = (talk.model, talk.sentence.text)
    if st.session_state.get(Rnn.BEGUN, about) != about:
        state.link(Rnn.BEGINNING, "")
    st.session_state[Rnn.BEGUN] = about
    ids = state.numbers(state.linked(Rnn.BEGINNING))[:LONGEST]
    state.publish(Rnn.BEGINNING)
    kept = [id for id in ids if id < talk.tokeniser.size and id not in (PAD, START)]
    return tuple(kept[: kept.index(END) + 1] if END in kept else kept)


def _candidates(talk: Talk, found: Translation, beginning: tuple[int, ...]) -> None:
    """The steps with their candidates; a click makes one the end of a new beginning."""
    candidates = found.candidates[:, :SHOWN]

    def picked(pick: Pick | None) -> None:
        if pick is not None:
            step, rank = pick
            ids = (*found.ids[:step], int(candidates[step, rank]))
            state.link(Rnn.BEGINNING, "-".join(map(str, ids)))

    ranks = [np.flatnonzero(row == id) for row, id in zip(candidates, found.ids, strict=True)]
    choices(
        Decoding(
            candidates=[labels[:SHOWN] for labels in found.candidate_labels],
            chances=found.chances[:, :SHOWN],
            said=found.target,
            probabilities=found.probabilities,
            picked=[int(rank[0]) if rank.size else -1 for rank in ranks],
            given=len(beginning),
            texts=[talk.tokeniser.decode(found.ids[: t + 1]) for t in range(len(found.ids))],
        ),
        key=Rnn.CHOICES,
        language=held_out(talk.card.corpus or "").target_language,
        name=f"{talk.model}-decoding",
        on_change=picked,
    )


def _facts(talk: Talk, found: Translation, beginning: tuple[int, ...]) -> Iterable[tuple[str, str]]:
    from attnviz.decoding import limit_for

    limit = limit_for(len(found.source))
    yield "Limit", f"twice the source’s {len(found.source)} pieces and ten more: {limit} at most"
    if beginning:
        yield "Given", f"the first {len(beginning)} pieces; the model goes on from there"
    yield (
        "Candidates",
        f"the {SHOWN} likeliest of {talk.tokeniser.size:,} pieces at each step; they hold "
        f"{found.chances[:, :SHOWN].sum(1).mean():.1%} of the probability on average",
    )
    yield from seq2seq_common.facts(talk, found)


def _take_away(
    talk: Talk,
    found: Translation,
    beginning: tuple[int, ...],
    temperature: float | None,
    seed: int,
) -> None:
    how = f", prefix={list(beginning)}" if beginning else ""
    if temperature is not None:
        how += f", choose=decoding.sampler({temperature:g}, seed={seed})"
    show.take_away(
        key="rnn_decoding",
        name=f"{talk.model}-decoding",
        arrays=lambda: {
            "ids": np.array(found.ids),
            "probabilities": found.probabilities,
            "candidates": found.candidates,
            "chances": found.chances,
        },
        table=lambda: (
            ("step", "piece", "probability", "candidate", "chance"),
            (
                (step, found.target[step], found.probabilities[step], label, chance)
                for step in range(len(found.ids))
                for label, chance in zip(
                    found.candidate_labels[step], found.chances[step].tolist(), strict=True
                )
            ),
        ),
        code=seq2seq_common.code(talk, how)
        + "print(found.candidate_labels[0], found.chances[0])\n",
    )
