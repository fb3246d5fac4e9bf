"""A page with one component for the browser tests.

``?case=NAME&pinned=TOKEN`` chooses what the lens shows, ``?wall=LAYERSxHEADS`` the wall,
``?alignment=NAME&pinned=ROW.COLUMN`` the alignment, ``?heads=NAME&pinned=LAYER.HEAD`` the head
view, ``?composer=NAME`` the composer, ``?teller=NAME&at=WORD.STAGE`` the teller, and
``?captioner=NAME&pinned=WORD`` the captioner.
"""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import streamlit as st

sys.path.insert(0, str(Path(__file__).parent))

from captions import CAPTIONS
from cases import ALIGNMENTS, CASES, HEAD_STACKS, VMAX
from cases import heads as every_head
from composing import BACKDROPS, MOST, SCENES, SPRITES
from tellings import TELLINGS
from tellings import picture as told_picture

from app.components.alignment import alignment
from app.components.captioner import Pick, captioner
from app.components.composer import composer
from app.components.heads import heads
from app.components.lens import lens
from app.components.teller import teller
from app.components.wall import wall

st.set_page_config("Components", layout="wide")


@st.fragment
def lens_panel() -> None:
    where = st.radio("where", ["here", "elsewhere", "away", "other picture"], horizontal=True)
    if where == "away":
        return
    case = CASES["other" if where == "other picture" else st.query_params.get("case", "plain")]
    asked = st.query_params.get("pinned")
    with st.columns(2)[0] if where == "elsewhere" else st.container():
        token = lens(
            case.picture,
            case.matrix,
            case.geometry,
            key="lens",
            vmax=VMAX,
            rest=case.rest,
            pinned=int(asked) if asked else None,
            **case.options,
        )
    st.text(f"pinned {token}")


@st.fragment
def wall_panel() -> None:
    layers, count = map(int, st.query_params["wall"].split("x"))
    geometry = CASES[st.query_params.get("case", "plain")].geometry

    def picked(head: tuple[int, int] | None) -> None:
        st.session_state["layer"], st.session_state["head"] = head or (0, 0)

    layer = st.slider("layer", 0, layers - 1, key="layer")
    head = wall(
        every_head(layers, count, geometry),
        geometry,
        key="wall",
        vmax=VMAX,
        selected=(layer, st.session_state.setdefault("head", 1)),
        silenced=[(0, 0)],
        on_change=picked,
    )
    st.text(f"picked {head} of layer {layer}")


@st.fragment
def alignment_panel() -> None:
    case = ALIGNMENTS[st.query_params["alignment"]]
    asked = st.query_params.get("pinned")
    row, column = map(int, asked.split(".")) if asked else (0, 0)
    cell = alignment(
        case.weights,
        case.source,
        case.target,
        key="alignment",
        probabilities=case.probabilities,
        name="demo",
        asked=(row, column) if asked else None,
        **case.marks,
    )
    st.text(f"pinned {cell}")


@st.fragment
def heads_panel() -> None:
    case = HEAD_STACKS[st.query_params["heads"]]
    asked = st.query_params.get("pinned")
    layer, head = map(int, asked.split(".")) if asked else (0, 0)
    picked = heads(
        case.weights,
        case.queries,
        case.keys,
        key="heads",
        kind=case.kind,
        selected=(layer, head) if asked else None,
        name="demo",
        **case.options,
    )
    st.text(f"picked {picked}")


@st.fragment
def composer_panel() -> None:
    st.session_state.setdefault("reports", 0)
    names = list(SCENES)
    first = names.index(st.query_params["composer"])
    asked = st.radio("scene", names, index=first, horizontal=True)

    def dropped(_: object) -> None:
        st.session_state["reports"] += 1

    scene = composer(
        SPRITES,
        BACKDROPS,
        key="composed",
        scene=SCENES[asked],
        most=MOST,
        name="demo",
        on_change=dropped,
    )
    st.text(json.dumps(asdict(scene) | {"reports": st.session_state["reports"]}))


@st.fragment
def teller_panel() -> None:
    names = list(TELLINGS)
    first = names.index(st.query_params["teller"])
    asked = st.query_params.get("at")
    word, stage = map(int, asked.split(".")) if asked else (0, 0)
    chosen = st.selectbox("telling", names, index=first)
    telling, geometry = TELLINGS[chosen]
    place = teller(
        told_picture(geometry),
        telling,
        geometry,
        key="told",
        asked=(word, stage) if asked else None,
        name="demo",
    )
    st.text(f"rests at {place}")


@st.fragment
def captioner_panel() -> None:
    names = list(CAPTIONS)
    chosen = st.selectbox("caption", names, index=names.index(st.query_params["captioner"]))
    asked = st.selectbox("asked", ["link", "nothing", "2 with cells"])
    link = st.query_params.get("pinned")
    picked = {
        "link": Pick(int(link)) if link else None,
        "nothing": None,
        "2 with cells": Pick(2, (20, 21)),
    }[asked]
    st.session_state.setdefault("reports", 0)

    def heard(_: Pick | None) -> None:
        st.session_state["reports"] += 1

    case = CAPTIONS[chosen]
    columns = st.columns(2, gap="large") if "beside" in st.query_params else [st.container()]
    for place, column in enumerate(columns):
        with column:
            pick = captioner(
                told_picture(case.geometry),
                case.told,
                case.geometry,
                key=f"captioned{place}",
                vmax=case.vmax,
                picked=picked,
                name="demo",
                on_change=heard,
                **case.options,
            )
    said = "nothing" if pick is None else f"{pick.step} with cells {list(pick.cells)}"
    st.text(f"picked {said}, {st.session_state['reports']} reports")


if "captioner" in st.query_params:
    captioner_panel()
elif "teller" in st.query_params:
    teller_panel()
elif "composer" in st.query_params:
    composer_panel()
elif "heads" in st.query_params:
    heads_panel()
elif "wall" in st.query_params:
    wall_panel()
elif "alignment" in st.query_params:
    alignment_panel()
else:
    lens_panel()
