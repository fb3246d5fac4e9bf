"""The main view: a scene that is composed or a picture, its caption, and one map a word."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import streamlit as st

from app import captions, prose, scenes, show, state
from app.captions import Look
from app.components.captioner import Pick
from app.state import Tell
from app.views import tell_common, tell_subject

if TYPE_CHECKING:
    from attnviz.captioning import Captioning


@show.panel
def draw(language: str, kind: str, of: str) -> None:
    """A scene beside its caption, or a picture with its caption beside what it might have said."""
    composed = of == tell_subject.SOURCES[0]
    left, right = st.columns(2, gap="large")
    if composed:
        with left:
            tell_subject.compose(language)
    look = tell_subject.look(language, kind, of)
    with right if composed else left:
        found = captions.caption(look)
        pick = player(look, found, key=Tell.PLAYER, composed=composed)
    if not composed:
        with right:
            show.credit(look.picture)
            show.note(prose.text("tell", "Strangers"))
            _exact(found, pick)
    more, truth = st.columns(2, gap="large")
    with more:
        if composed:
            _exact(found, pick)
        show.explain("tell", "Caption")
        take_away(look, found)
    with truth:
        show.facts([*(_truth(look, found) if composed else ()), *tell_common.facts(look, found)])


def player(look: Look, found: Captioning, *, key: str, composed: bool) -> Pick | None:
    """A caption to play; the word that is looked at is kept in the link."""
    scene = scenes.read(tell_subject.scene_text()) if composed else None
    asked = picked(found)
    top = tell_common.top(found)
    for note in found.notes:
        show.note(note)
    pick = tell_common.player(
        look, found, key=key, top=top, name="caption", picked=asked,
        boxes=tell_common.boxes(scene, look.language) if scene else (),
    )  # fmt: skip
    step = "" if pick is None else str(pick.step)
    if step != state.linked(Tell.STEP):
        state.link(Tell.STEP, step)
    state.publish(Tell.STEP)
    return pick


def picked(found: Captioning) -> Pick | None:
    """The word that the link or an earlier click picked, if this caption has it."""
    linked = state.linked(Tell.STEP)
    inside = linked.isdecimal() and int(linked) < len(found.words)
    return Pick(int(linked)) if inside else None


def _exact(found: Captioning, pick: Pick | None) -> None:
    """What it might have said in place of a word; of the least sure word if none is picked."""
    step = int(found.probabilities.argmin()) if pick is None else pick.step
    word = found.words[step]
    why = "the least sure word" if pick is None else f"β {found.gates[step]:.2f}"
    best = zip(found.candidate_labels[step], found.chances[step].tolist(), strict=True)
    show.labels(f"{step} “{word}”, {why}: it might have said", list(best)[:6])


def _truth(look: Look, found: Captioning) -> Iterable[tuple[str, str]]:
    scene = scenes.read(tell_subject.scene_text())
    true = tell_common.truth(scene, look.language)
    yield "Truth", "the same" if true == found.text else f"“{true}”"
    strange = len(scene.objects) - len(scenes.items(scene))
    if strange:
        plural = "objects" if strange > 1 else "object"
        yield "Unseen", f"{strange} {plural} that it has no word for, or that cannot be seen"


def take_away(look: Look, found: Captioning) -> None:
    """Maps and stages of a caption, and the code."""
    code = tell_common.code(look) + (
        "step = 1\n"
        "figures.attention_map(\n"
        "    view, found.weights[step], found.geometry, title=found.words[step]\n"
        ").show()\n"
    )
    show.take_away(
        key="tell_caption",
        name=f"{look.model}-caption",
        arrays=lambda: tell_common.arrays(found),
        table=lambda: tell_common.table(found),
        code=code,
    )
