"""Beam: what a search kept at each step, and what comes of an alternative that it did not take."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from app import prose, show, state, translations
from app.components.alignment import alignment
from app.components.beam import Place, beam
from app.state import Seq2seq
from app.translations import Talk
from app.views import beams, seq2seq_common
from attnviz.text import END, PAD, START

if TYPE_CHECKING:
    from attnviz.translation import Search, Translation

LONGEST = 100  # pieces of a beginning that a link may ask for


class Wish(NamedTuple):
    """How to search.

    Args:
        width: kept beginnings.
        normalise: power of the length that scores are divided by.
        prefix: ids that every translation begins with.
    """

    width: int
    normalise: float
    prefix: tuple[int, ...]


@show.panel
def draw(talk: Talk) -> None:
    """The tree over the whole width; under it the translations, and the alignment of one."""
    show.note(prose.text("seq2seq", "Beam"))
    wish = _wish(talk)
    found = translations.searched(talk, *wish)
    tree = st.container()
    words, figure = st.columns([10, 11], gap="large")
    with words:
        chosen = beams.choose(
            found.translations, "Translations", "pieces", found.normalise,
            link=Seq2seq.HYPOTHESIS, picker=Seq2seq.HYPOTHESES,
        )  # fmt: skip
    with tree:
        _tree(talk, found, wish, chosen)
    with figure:
        show.small("Where the chosen one looked, along its own beam")
        _alignment(talk, chosen)
    more, truth = st.columns([10, 11], gap="large")
    with more:
        show.explain("seq2seq", "Beam")
        _take_away(talk, found, wish)
    with truth:
        show.facts([*_facts(talk, found, wish), *seq2seq_common.facts(talk, chosen)])


def _wish(talk: Talk) -> Wish:
    """The controls, and the beginning that was clicked, with the way back."""
    prefix = beginning(talk)
    sliders, back = st.columns([8, 6], gap="medium", vertical_alignment="bottom")
    with sliders:
        kept, normalise = beams.width_and_power(
            "translation", width=Seq2seq.WIDTH, power=Seq2seq.NORMALISE
        )
    with back:
        if prefix:
            show.note(f"Every translation begins with “{talk.tokeniser.decode(prefix)}”.")
            st.button("Back to the free search", on_click=_begin_with, args=((),))
    return Wish(kept, normalise, prefix)


def _begin_with(ids: Sequence[int]) -> None:
    state.link(Seq2seq.PREFIX, ".".join(map(str, ids)))
    _look_at("1")


def beginning(talk: Talk) -> tuple[int, ...]:
    """The ids that the link says to begin with; another sentence forgets them."""
    state.about(f"{talk.card.tokeniser} {talk.sentence.text}", Seq2seq.PREFIX, Seq2seq.HYPOTHESIS)
    text = state.linked(Seq2seq.PREFIX)
    state.publish(Seq2seq.PREFIX)
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})*", text):
        return ()
    ids = tuple(map(int, text.split(".")))[:LONGEST]
    return (
        ids if all(id < talk.tokeniser.size and id not in (PAD, START, END) for id in ids) else ()
    )


def _look_at(rank: str) -> None:
    beams.look_at(Seq2seq.HYPOTHESIS, rank)


def _tree(talk: Talk, found: Search, wish: Wish, chosen: Translation) -> None:
    """The tree; a click goes on from a beginning, or shows the alignment of an ending."""
    from attnviz.translation import label

    endings = [one.ids for one in found.translations]
    places = {ids: place for place, ids in beams.places(found.tree)}

    def clicked(place: Place | None) -> None:
        if place is None:
            return
        ids = found.tree[place[0]][place[1]][0]
        if ids in endings:
            _look_at(str(endings.index(ids) + 1))
        else:
            _begin_with(ids)

    beam(
        beams.nodes(found.tree, partial(label, talk.tokeniser), talk.tokeniser.starts_word),
        key=Seq2seq.BEAM,
        best=places[endings[0]],
        shown=places[chosen.ids],
        given=min(len(wish.prefix), len(found.tree)),
        name=f"{talk.model}-beam",
        on_change=clicked,
    )


def _alignment(talk: Talk, chosen: Translation) -> None:
    shown = seq2seq_common.matrix(talk, chosen)
    alignment(
        shown.weights,
        shown.source,
        shown.target,
        key=Seq2seq.BEAM_MATRIX,
        probabilities=shown.probabilities,
        unknown=shown.unknown,
        name=f"{talk.model}-beam-alignment",
    )


def _facts(talk: Talk, found: Search, wish: Wish) -> Iterable[tuple[str, str]]:
    """What the search looked at, and what it is worth beside greedy decoding."""
    best, alone = found.translations[0], translations.translation(talk, prefix=wish.prefix)
    given = len(wish.prefix)
    kept = sum(len(step) for step in found.tree[given:])
    yield "Searched", f"{kept} beginnings kept in {len(found.tree[given:])} steps"
    said = "the same" if best.ids == alone.ids else f"“{alone.text}”"
    ours, its = (
        beams.digits(beams.log_probability(best)),
        beams.digits(beams.log_probability(alone)),
    )
    yield "Greedy", f"says {said}; log-probability {its}, and {ours} of the best here"
    if wish.prefix:
        free = translations.searched(talk, wish.width, wish.normalise).translations[0]
        yield "Left alone", f"the search finds “{free.text}”, {beams.score(free, wish.normalise)}"


def _take_away(talk: Talk, found: Search, wish: Wish) -> None:
    rest = f", prefix={wish.prefix}" if wish.prefix else ""
    code = seq2seq_common.code(talk) + (
        "from attnviz.translation import search\n\n"
        "beam = search(\n"
        f"    model, tokeniser, found.sentence, width={wish.width}, "
        f"normalise={wish.normalise:g}{rest}\n"
        ")\n"
        "for one in beam.translations:\n"
        "    print(one.text, -one.losses.sum())\n"
    )
    show.take_away(
        key="seq2seq_beam",
        name=f"{talk.model}-beam",
        arrays=lambda: {
            f"weights_{rank}": one.weights
            for rank, one in enumerate(found.translations, start=1)
            if one.weights is not None
        },
        table=lambda: (beams.COLUMNS, beams.rows(found.tree, talk.tokeniser.decode)),
        code=code,
    )
