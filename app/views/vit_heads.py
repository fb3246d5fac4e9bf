"""All heads of all layers as small maps; one of them large."""

from __future__ import annotations

import streamlit as st

from app import controls, loaders, maps, prose, show
from app.components.wall import wall
from app.loaders import Subject
from app.state import Vit
from app.views import vit_attention, vit_common
from attnviz import analysis

QUERIES = ("output", "pinned patch")


@show.panel
def draw(subject: Subject) -> None:
    """The wall at the left, the chosen head at the right."""
    run = loaders.run(subject)
    geometry = run.geometry
    left, right = st.columns([11, 10], gap="large")
    with right:
        place = st.container()
        shown, code = vit_attention.one_layer(subject, run)
        with place:
            token = vit_common.map_lens(
                subject, geometry, shown, vit_common.Drawing(), key=Vit.HEAD_LENS
            )
    with left:
        show.note(prose.text("vit", "All heads"))
        query = controls.one_of("Seen from", QUERIES, key=Vit.QUERY)
        if query == "pinned patch" and token is None:
            show.note("Click a patch of the large picture to see all heads from there.")
        if query == "output" or token is None:
            rows, who = maps.head_row(run.weights, geometry), "the output"
        else:
            rows, who = run.weights[:, :, token], maps.token_title(geometry, token)
        wall(
            maps.as_bytes(rows, shown.top),
            geometry,
            key=Vit.WALL,
            vmax=shown.top,
            selected=_selected(),
            name=f"{subject.model}-heads",
            scale=shown.scale,
            on_change=_select,
        )
        show.facts(
            [
                ("Axes", f"layers down, heads across, both from 0; each map is the row of {who}"),
                ("Colour", f"from 0 to {shown.top:.3g}, the {shown.scale}"),
                ("Rows", f"sum to 1 within {analysis.shares(run.weights, geometry).deviation:.1e}"),
                *vit_common.run_facts(subject, run),
            ]
        )
        show.take_away(
            key="vit_heads",
            name=f"{subject.model}-heads",
            arrays=lambda: {"rows": rows, "weights": run.weights},
            table=lambda: (
                ("layer", "head", *geometry.labels()),
                (
                    (layer, head, *rows[layer, head])
                    for layer in range(rows.shape[0])
                    for head in range(rows.shape[1])
                ),
            ),
            code=code,
        )
    with right:
        show.explain("vit", "All heads")


def _selected() -> tuple[int, int] | None:
    head = st.session_state.get(Vit.HEAD, "")
    return (st.session_state[Vit.LAYER], int(head)) if head.isdecimal() else None


def _select(chosen: tuple[int, int] | None) -> None:
    if chosen is None:
        st.session_state[Vit.HEAD] = controls.FUSIONS[0]
    else:
        st.session_state[Vit.LAYER], st.session_state[Vit.HEAD] = chosen[0], str(chosen[1])
