"""What the page "Show, Attend and Tell" is about: a scene or a picture, a language, a captioner."""

from __future__ import annotations

import streamlit as st

from app import captions, controls, prose, scenes, state
from app.captions import KINDS, LANGUAGES, Look
from app.components.composer import composer
from app.state import Tell
from attnviz.composition import MOST, Scene

SOURCES = ("A scene", "A picture")
DEFAULT_SCENE = next(iter(scenes.EXAMPLES.values()))


def choose() -> tuple[str, str]:
    """The language and the kind of captioner."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        language = controls.one_of("Language", list(LANGUAGES.values()), key=Tell.LANGUAGE)
        code = next(code for code, name in LANGUAGES.items() if name == language)
        offered = captions.kinds(code)
        names = [KINDS[kind] for kind in offered]
        name = controls.one_of("Attention", names, key=Tell.KIND, help=prose.text("tell", "Kinds"))
    return code, offered[names.index(name)]


def source() -> str:
    """Whether scenes are composed or pictures are chosen."""
    return controls.one_of("Caption", SOURCES, key=Tell.SOURCE, hidden=True)


def look(language: str, kind: str, of: str) -> Look:
    """The scene of the link, or the picture of the filmstrip, through a captioner."""
    picture = controls.picture() if of == SOURCES[1] else scenes.shown(scene_text())
    return Look(language, kind, controls.chosen_device()[0], picture)


def scene_text() -> str:
    """The scene of the link, with what is impossible left out."""
    written = scenes.text(scenes.read(state.linked(Tell.SCENE, DEFAULT_SCENE)))
    state.publish(Tell.SCENE, DEFAULT_SCENE)
    return written


def compose(language: str) -> None:
    """The composer, and scenes to begin with; what is dropped is captioned in the next run."""
    with st.container(horizontal=True, gap="xsmall", key="scene_examples"):
        for name, written in scenes.EXAMPLES.items():
            st.button(name, key=f"scene_{name}", type="tertiary", on_click=_put, args=(written,))
    composer(
        scenes.sprites(language),
        scenes.backdrops(),
        key=Tell.COMPOSER,
        most=MOST,
        scene=scenes.read(scene_text()),
        on_change=_dropped,
    )


def _put(written: str) -> None:
    state.link(Tell.SCENE, written, DEFAULT_SCENE)


def _dropped(scene: Scene) -> None:
    _put(scenes.text(scene))
