"""Beam: what a search for a caption kept at each word, and the maps along each beam."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from app import captions, prose, show, state
from app.captions import Look
from app.components.beam import Place, beam
from app.state import Tell
from app.views import beams, tell_common, tell_force, tell_subject

if TYPE_CHECKING:
    from attnviz.captioning import Captioning, Search


@show.panel
def draw(language: str, kind: str, of: str) -> None:
    """The tree over the whole width; under it the captions, and the maps of one."""
    look = tell_subject.look(language, kind, of)
    state.about(f"{look.model} {look.picture.key}", Tell.WORDS, Tell.HYPOTHESIS)
    prefix = tell_force.forced_words(look)
    show.note(prose.text("tell", "Beam"))
    width, normalise = beams.width_and_power("caption", width=Tell.WIDTH, power=Tell.NORMALISE)
    found = captions.searched(look, width, normalise, prefix)
    tree = st.container()
    words, figure = st.columns(2, gap="large")
    with words:
        if prefix:
            said = look.words.decode(prefix)
            show.note(f"Every caption begins with “{said}”.")
            st.button("Back to the free search", on_click=_begin_with, args=((),))
        chosen = beams.choose(
            found.captions, "Captions", "words", normalise,
            link=Tell.HYPOTHESIS, picker=Tell.HYPOTHESES,
        )  # fmt: skip
    with tree:
        _tree(look, found, len(prefix), chosen)
    with figure:
        show.small("Where the chosen one looked, along its own beam")
        top = tell_common.top(chosen)
        tell_common.player(look, chosen, key=Tell.BEAM_PLAYER, top=top, name="beam")
    more, truth = st.columns(2, gap="large")
    with more:
        show.explain("tell", "Beam")
        _take_away(look, found, width, normalise)
    with truth:
        show.facts([*_facts(look, found, prefix), *tell_common.facts(look, chosen)])


def _begin_with(ids: tuple[int, ...]) -> None:
    state.link(Tell.WORDS, "-".join(map(str, ids)))
    beams.look_at(Tell.HYPOTHESIS, "1")


def _tree(look: Look, found: Search, given: int, chosen: Captioning) -> None:
    """The tree; a click goes on from a beginning, or shows the maps of an ending."""
    from attnviz.captioning import label

    endings = [one.ids for one in found.captions]
    places = {ids: place for place, ids in beams.places(found.tree)}

    def clicked(place: Place | None) -> None:
        if place is None:
            return
        ids = found.tree[place[0]][place[1]][0]
        if ids in endings:
            beams.look_at(Tell.HYPOTHESIS, str(endings.index(ids) + 1))
        else:
            _begin_with(ids)

    beam(
        beams.nodes(found.tree, partial(label, look.words), lambda _: True),
        key=Tell.BEAM,
        best=places[endings[0]],
        shown=places[chosen.ids],
        given=min(given, len(found.tree)),
        name=f"{look.model}-beam",
        on_change=clicked,
    )


def _facts(look: Look, found: Search, prefix: tuple[int, ...]) -> Iterable[tuple[str, str]]:
    best, alone = found.captions[0], captions.caption(look, prefix=prefix)
    kept = sum(map(len, found.tree))
    yield "Searched", f"{kept} beginnings kept in {len(found.tree)} steps"
    said = "the same" if best.ids == alone.ids else f"“{alone.text}”"
    ours, its = (beams.digits(beams.log_probability(one)) for one in (best, alone))
    yield "Greedy", f"says {said}; log-probability {its}, and {ours} of the best here"


def _take_away(look: Look, found: Search, width: int, normalise: float) -> None:
    code = tell_common.code(look) + (
        "from attnviz.captioning import search\n\n"
        "pixels = card.preprocess.pixels(view)\n"
        f"found = search(model, words, pixels, width={width}, normalise={normalise:g})\n"
        "for one in found.captions:\n"
        "    print(one.text, -one.losses.sum())\n"
    )
    show.take_away(
        key="tell_beam",
        name=f"{look.model}-beam",
        arrays=lambda: {
            f"{name}_{rank}": array
            for rank, one in enumerate(found.captions, start=1)
            for name, array in tell_common.arrays(one).items()
        },
        table=lambda: (beams.COLUMNS, beams.rows(found.tree, look.words.decode)),
        code=code,
    )
