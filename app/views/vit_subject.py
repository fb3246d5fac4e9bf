"""From what was chosen to what can be shown, or one sentence and the view that was there."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import NoReturn

import streamlit as st

from app import controls, loaders, show, state
from app.loaders import Subject
from app.pictures import Shown, drawn, encoded
from app.state import Shared, Vit
from attnviz import zoo
from attnviz.images import Preprocess

FAMILY = "vit"


def choose() -> tuple[str, str]:
    """The model and the size that were picked; either may prove impossible."""
    cards = [card for card in zoo.cards() if card.family == FAMILY]
    with st.container(horizontal=True, vertical_alignment="bottom", key="subject"):
        model = controls.model(
            cards,
            key=Vit.MODEL,
            picker=Vit.MODEL_PICKER,
            default=zoo.DEFAULT,
            on_change=lambda: state.link(Vit.SIZE, ""),  # inputs differ
        )
        card = next((card for card in cards if card.name == model), cards[0])
        size = controls.size(card, key=Vit.SIZE, picker=Vit.SIZE_PICKER)
    return model, size


def prepare(picture: Shown, model: str, size: str) -> Subject:
    """Load the model and run it once, so that every view only slices what is there.

    While torch and the model arrive, the picture is already on show. What cannot be done puts the
    last choice that worked back and says why in one sentence.
    """
    progress, waiting = st.empty(), st.empty()
    try:
        card = zoo.card(model)
        preprocess = controls.preprocess(card, size)
        with progress.container():
            loaders.fetch(card, lambda: _progress(card))
        if "torch" not in sys.modules:
            _paint(waiting, picture, preprocess)
        device, half = controls.chosen_device()
        subject = Subject(model, device, half, picture, preprocess)
        with progress, nullcontext() if card.bundled else st.spinner(f"Preparing {card.title} …"):
            loaders.run(subject)
    except (zoo.ZooError, ValueError) as error:
        _put_back(str(error))
    progress.empty()
    waiting.empty()
    if st.session_state.get(Vit.SHOWN, (model,))[0] != model:
        st.session_state[Vit.LAYER] = state.LAST
    st.session_state[Vit.SHOWN] = _linked()
    return subject


def _paint(
    place: st.delta_generator.DeltaGenerator, picture: Shown, preprocess: Preprocess
) -> None:
    """The picture where its map will be."""
    left, _ = place.container().columns([11, 10], gap="large")
    data = encoded(drawn(picture.image, preprocess))
    left.image(data, width="stretch", alt=picture.title)


def _progress(card: zoo.Card) -> controls.Progress:
    def stop() -> None:
        model, size = st.session_state.get(Vit.SHOWN, (zoo.DEFAULT, ""))
        _choose_again(model, size)

    return controls.fetching(card.title, key=Vit.STOP, on_stop=stop)


def _put_back(sentence: str) -> NoReturn:
    """Say what was wrong and run again with the last choice that worked, or the default one."""
    last = st.session_state.get(Vit.SHOWN, (zoo.DEFAULT, ""))
    if _linked() == last:
        raise show.Problem(sentence)
    _choose_again(*last)
    st.session_state[Shared.PROBLEM] = sentence
    st.rerun()


def _linked() -> tuple[str, str]:
    return state.linked(Vit.MODEL, zoo.DEFAULT), state.linked(Vit.SIZE)


def _choose_again(model: str, size: str) -> None:
    state.link(Vit.MODEL, model, zoo.DEFAULT)
    state.link(Vit.SIZE, size)
