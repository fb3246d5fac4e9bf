"""Pickers. Each draws its widgets and returns plain values; impossible ones never get through."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from app import loaders, pictures, show, state
from app.pictures import Shown
from app.state import Shared
from attnviz.data.samples import samples
from attnviz.images import ImageError, Preprocess
from attnviz.zoo import Card

OWN = "own"
FUSIONS = ("mean", "max", "min")
SIDES = (224, 288, 384)  # inputs on offer, pixels
WHOLE = "whole"

Progress = Callable[[int, int, str], None]


def device() -> None:
    """The switch in the sidebar; ``chosen_device`` says what it stands on."""
    options = loaders.devices()
    state.among(Shared.DEVICE, options)
    st.segmented_control(
        "Device", options, default="auto", required=True, key=Shared.DEVICE,
        persist_state="session",
    )  # fmt: skip
    if loaders.resolve(st.session_state.get(Shared.DEVICE, "auto")).startswith("cuda"):
        st.toggle("Half precision", key=Shared.HALF, persist_state="session")


def chosen_device() -> tuple[str, bool]:
    """The device to run on, and whether in half precision. Imports torch."""
    device = loaders.resolve(st.session_state.get(Shared.DEVICE, "auto"))
    return device, device.startswith("cuda") and bool(st.session_state.get(Shared.HALF))


def picture() -> Shown:
    """The filmstrip: samples, the visitor's own picture, upload and camera. Returns what is chosen.

    A file that is no picture leaves everything as it was and says so in one sentence.
    """
    names = [sample.name for sample in samples()]
    own: Shown | None = st.session_state.get(Shared.OWN)
    chosen = state.linked(Shared.PICTURE, names[0])
    if chosen not in names and not (chosen == OWN and own):
        chosen = names[0]
    _choose(chosen)
    with st.container(key="filmstrip", horizontal=True, vertical_alignment="center", gap="small"):
        with st.container(key="frames", horizontal=True, gap="xxsmall", wrap=False):
            frames = {OWN: own} if own else {}
            frames |= {name: loaders.sample_picture(name) for name in names}
            show.faces(
                {name: loaders.thumbnail(shown.key, shown) for name, shown in frames.items()}
            )
            for name, shown in frames.items():
                st.button(
                    show.literal(shown.title), key=f"frame_{name}", on_click=_choose, args=(name,),
                    type="primary" if name == chosen else "tertiary",
                )  # fmt: skip
        _inputs()
    if sentence := st.session_state.pop(Shared.PROBLEM, ""):
        show.problem(sentence)
    return own if chosen == OWN and own else loaders.sample_picture(chosen)


def _choose(name: str) -> None:
    """Make a picture the chosen one; samples are linkable, a visitor's picture is not."""
    first = samples()[0].name
    state.link(Shared.PICTURE, name, default=name if name == OWN else first)


def _inputs() -> None:
    number = st.session_state.get(Shared.UPLOADS, 0)
    with st.container(key="drop", width=230):
        key = f"{Shared.UPLOAD}_{number}"
        st.file_uploader(
            "Your own picture", key=key, label_visibility="collapsed",
            on_change=partial(_take, key),
        )  # fmt: skip
    with st.popover("Camera", icon=":material/photo_camera:", key="camera_door"):
        key = f"{Shared.CAMERA}_{number}"
        if st.toggle("Camera on", key=f"{key}_on"):
            st.camera_input(
                "Take a picture",
                key=key,
                label_visibility="collapsed",
                on_change=partial(_take, key),
            )
        else:
            show.note("Needs a page served from https or from this computer.")


def _take(key: str) -> None:
    """Open what was sent. The widget is then replaced by an empty one, which frees the file."""
    sent = st.session_state.get(key)
    if sent is None:
        return
    try:
        st.session_state[Shared.OWN] = pictures.from_upload(sent.getvalue(), sent.name)
        _choose(OWN)
    except ImageError as error:
        st.session_state[Shared.PROBLEM] = str(error)
    st.session_state[Shared.UPLOADS] = st.session_state.get(Shared.UPLOADS, 0) + 1


def model(
    cards: Sequence[Card], *, key: str, picker: str, default: str, on_change: Callable[[], None]
) -> str:
    """The name of a model; any name may come from a link, so it may be one that is not offered.

    Another model calls ``on_change``, which forgets what fits only the last one.
    """
    chosen = state.linked(key, default)
    titles = {card.name: _title(card) for card in cards}
    names = list(titles) if chosen in titles else [*titles, chosen]

    def changed() -> None:
        if st.session_state[picker] == chosen:  # a hidden widget reports once more
            return
        state.link(key, st.session_state[picker], default)
        on_change()

    st.session_state[picker] = chosen
    st.selectbox(
        "Model", names, key=picker, format_func=lambda name: titles.get(name, name),
        on_change=changed,
    )  # fmt: skip
    state.publish(key, default)
    return chosen


def _title(card: Card) -> str:
    """A card's title; what has to be fetched first says how much that is."""
    fetched = f" · timm, {4 * card.parameters / 1e6:.0f} MB"
    return card.title + ("" if card.bundled else fetched)


def sizes(card: Card) -> list[str]:
    """Inputs to offer for a model: near the usual sides, on its grid, and the whole picture."""
    step = _preprocess(card).multiple
    sides = sorted({max(step, round(side / step) * step) for side in SIDES})
    return [*map(str, sides), WHOLE]


def size(card: Card, *, key: str, picker: str) -> str:
    """How the picture is cut for the model: a side in pixels, or ``"whole"``."""
    options = sizes(card)
    default = _native(card, options)
    chosen = state.linked(key) or default
    shown = options if chosen in options else [*options, chosen]

    def changed() -> None:
        side = st.session_state[picker]
        state.link(key, "" if side == default else side)

    st.session_state[picker] = chosen
    st.segmented_control(
        "Input, pixels", shown, key=picker, required=True,
        help="The middle of the picture as a square of this side, or the whole picture.",
        on_change=changed,
    )  # fmt: skip
    state.publish(key)
    return chosen


def preprocess(card: Card, size: str) -> Preprocess:
    """How a model's card says to prepare pictures, at a chosen size.

    Raises:
        ValueError: the size is neither ``"whole"`` nor a number of pixels that the grid fits.
    """
    base = _preprocess(card)
    step = base.multiple
    if size == WHOLE:
        side = round(SIDES[0] / step) * step
        return replace(base, size=(side, side), fit="whole")
    if not (size.isdecimal() and 0 < int(size) <= 1024 and int(size) % step == 0):
        raise ValueError(
            f"{card.title} cannot take an input of {size[:12]} pixels: "
            f"sides are multiples of {step} up to 1024."
        )
    return replace(base, size=(int(size), int(size)))


def _preprocess(card: Card) -> Preprocess:
    return card.preprocess or Preprocess()


def _native(card: Card, options: list[str]) -> str:
    native = str(_preprocess(card).size[0])
    return native if native in options else options[0]


def layer(count: int, *, key: str) -> int:
    """A layer, counted from 0."""
    state.within(key, 0, count - 1)
    return st.slider("Layer", 0, count - 1, count - 1, key=key, bind="query-params")


def head(count: int, *, key: str) -> str:
    """One head by its number, or all heads fused: ``"mean"``, ``"max"``, ``"min"``."""
    options = [*FUSIONS, *map(str, range(count))]
    state.among(key, options)
    return st.segmented_control(
        "Head", options, default=FUSIONS[0], required=True, key=key, bind="query-params", wrap=True
    )


def one_of(
    label: str, options: Sequence[str], *, key: str, help: str | None = None, hidden: bool = False
) -> str:
    """One of a few words; the first is the default."""
    state.among(key, list(options))
    return st.segmented_control(
        label, options, default=options[0], required=True, key=key, bind="query-params", help=help,
        label_visibility="collapsed" if hidden else "visible", wrap=True,
    )  # fmt: skip


def share(
    label: str,
    low: int,
    high: int,
    default: int,
    *,
    key: str,
    step: int = 5,
    help: str | None = None,
) -> float:
    """A share, chosen in percent, 0 to 1."""
    percent = st.slider(
        label, low, high, default, step, format="%d %%", key=key, bind="query-params", help=help
    )
    return percent / 100


def target(names: Sequence[str], order: Sequence[int], *, key: str, picker: str) -> int:
    """A class, by its index; the most probable ones come first in the list."""
    text = state.linked(key)
    chosen = int(text) if text.isdecimal() and int(text) < len(names) else order[0]

    def changed() -> None:
        if st.session_state[picker] != chosen:  # a hidden widget reports once more
            state.link(key, str(st.session_state[picker]))

    st.session_state[picker] = chosen
    st.selectbox(
        "Class to explain", order, key=picker, format_func=lambda index: names[index],
        on_change=changed,
    )  # fmt: skip
    state.publish(key)
    return chosen


def fetching(title: str, *, key: str, on_stop: Callable[[], None]) -> Progress:
    """A progress bar with a stop button; returns what a download calls."""
    place = st.empty()
    row = place.container(horizontal=True, vertical_alignment="center", key="fetching")
    bar = row.progress(0.0, show.literal(f"Fetching {title} …"))
    row.button("Stop", key=key, on_click=on_stop)

    def progress(done: int, total: int, what: str) -> None:
        share = min(1.0, done / total) if total else 0.0
        size = f"{done / 1e6:.0f} of {total / 1e6:.0f} MB" if total else ""
        bar.progress(share, show.literal(f"{what} {size}"))

    return progress
