"""Edit and see: silence heads, remove patches, and compare labels and maps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import loaders, maps, prose, show, state
from app.components.lens import lens, query_tokens
from app.components.wall import wall
from app.loaders import Subject
from app.maps import Map
from app.state import Vit
from app.views import vit_code, vit_common
from attnviz import analysis
from attnviz.geometry import Geometry

if TYPE_CHECKING:
    from attnviz.inference import Edit, PictureRun


@show.panel
def draw(subject: Subject) -> None:
    """Before at the left, after at the right; clicks in the right picture and on the wall edit."""
    before = loaders.run(subject)
    edit = _edit(before)
    after = loaders.run(subject, edit or None)
    show.note(prose.text("vit", "Edit"))
    old, new, words = st.columns([7, 7, 8], gap="medium")
    heads, more, truth = st.columns([7, 7, 8], gap="medium")
    with old:
        show.small("Before")
        _lens(subject, _map(subject, before), before.geometry, key=Vit.BEFORE)
    with new:
        show.small("After: click a patch to remove it, again to bring it back")
        _lens(subject, _map(subject, after), before.geometry, key=Vit.AFTER, removed=edit.removed)
    with heads:
        show.small("Click a head to silence it, again to let it speak")
        _heads(subject, before, edit)
    with words:
        _changes(_sentence(edit, before), subject, before, after)
        _quick(before)
    with more:
        show.explain("vit", "Edit")
        _take_away(subject, before, after, edit)
    with truth:
        show.facts([*_facts(edit, after), *vit_common.run_facts(subject, after)])


def _facts(edit: Edit, after: PictureRun) -> Iterable[tuple[str, str]]:
    found = analysis.shares(after.weights, after.geometry)
    yield "Map", "last layer, mean of all heads; one scale for before and after"
    yield "Rows", f"still sum to 1 within {found.deviation:.1e}"
    if edit.removed:
        most = float(after.weights[..., list(edit.removed)].max())
        yield "Removed patches", f"get a weight of {most:g} from every token in every layer"
    if edit.silenced:
        yield "Silenced heads", "add nothing to their block; their weights are still computed"


def _take_away(subject: Subject, before: PictureRun, after: PictureRun, edit: Edit) -> None:
    show.take_away(
        key="vit_edit",
        name=f"{subject.model}-edit",
        arrays=lambda: {
            "before": before.weights,
            "after": after.weights,
            "logits_before": before.logits,
            "logits_after": after.logits,
        },
        table=lambda: (
            ("class", "before", "after"),
            zip(
                loaders.labels(subject.model),
                before.probabilities,
                after.probabilities,
                strict=True,
            ),
        ),
        code=vit_code.edited(subject, edit.silenced, edit.removed),
    )


def _edit(run: PictureRun) -> Edit:
    """The edit that the link or earlier clicks describe, as far as it fits this run."""
    from attnviz.inference import Edit

    layers, heads = run.weights.shape[:2]
    geometry = run.geometry
    silenced = {
        (layer, head)
        for layer, head in state.pairs(state.linked(Vit.SILENCED))
        if layer < layers and head < heads
    }
    removed = {
        token
        for token in state.numbers(state.linked(Vit.REMOVED))
        if geometry.num_prefix <= token < geometry.tokens
    }
    if len(removed) == geometry.rows * geometry.cols:
        removed.clear()
    state.publish(Vit.SILENCED)
    state.publish(Vit.REMOVED)
    return Edit(tuple(sorted(silenced)), tuple(sorted(removed)))


def _quick(run: PictureRun) -> None:
    """Experiments of one click."""
    row = maps.head_row(run.weights[-1].mean(axis=0), run.geometry)[run.geometry.num_prefix :]
    order = np.argsort(-row, kind="stable") + run.geometry.num_prefix
    tenth, half = max(1, len(order) // 10), len(order) // 2
    last = [(len(run.weights) - 1, head) for head in range(run.weights.shape[1])]
    with st.container(key="experiments", horizontal=True, gap="small"):
        for label, silenced, removed in (
            ("Remove the tenth looked at most", [], order[:tenth].tolist()),
            ("Remove the half looked at least", [], order[-half:].tolist()),
            ("Silence the last layer", last, []),
            ("Undo all", [], []),
        ):
            st.button(
                label,
                on_click=_write,
                args=(silenced, removed),
                key=f"vit_{label}",
                type="tertiary",
            )


def _write(silenced: list[tuple[int, int]], removed: list[int]) -> None:
    state.link(Vit.SILENCED, "-".join(f"{layer}.{head}" for layer, head in sorted(silenced)))
    state.link(Vit.REMOVED, "-".join(map(str, sorted(removed))))


def _map(subject: Subject, run: PictureRun) -> Map:
    matrix = analysis.fuse_heads(run.weights[-1], "mean")
    top = loaders.reaches(subject)[1]
    rest = maps.head_row(matrix, run.geometry)
    return Map(matrix, rest, top, "same scale before and after", "edit")


def _lens(
    subject: Subject, shown: Map, geometry: Geometry, *, key: str, removed: tuple[int, ...] = ()
) -> None:
    step = maps.query_step(geometry)
    lens(
        loaders.view(subject.picture, subject.preprocess),
        maps.as_bytes(shown.matrix[query_tokens(geometry, step)], shown.top),
        geometry,
        key=key,
        vmax=shown.top,
        rest=maps.as_bytes(shown.rest, shown.top),
        removed=removed,
        scale=shown.scale,
        click="remove it" if key == Vit.AFTER else "keep it",
        name=f"{subject.model}-{key}",
        query_step=step,
        on_change=(lambda token: _toggle_patch(token, geometry)) if key == Vit.AFTER else None,
    )


def _toggle_patch(token: int | None, geometry: Geometry) -> None:
    """A click on a patch removes it, or brings it back; unpinning is a second click on the same."""
    clicked = st.session_state.get(f"{Vit.CLICKED}_patch") if token is None else token
    st.session_state[f"{Vit.CLICKED}_patch"] = token
    if clicked is None or clicked < geometry.num_prefix:
        return
    removed = set(state.numbers(state.linked(Vit.REMOVED))) ^ {clicked}
    state.link(Vit.REMOVED, "-".join(map(str, sorted(removed))))


def _heads(subject: Subject, run: PictureRun, edit: Edit) -> None:
    top = loaders.reaches(subject)[1]
    wall(
        maps.as_bytes(maps.head_row(run.weights, run.geometry), top),
        run.geometry,
        key=Vit.EDIT_WALL,
        vmax=top,
        silenced=edit.silenced,
        name=f"{subject.model}-heads",
        on_change=_toggle_head,
    )


def _toggle_head(chosen: tuple[int, int] | None) -> None:
    clicked = st.session_state.get(f"{Vit.CLICKED}_head") if chosen is None else chosen
    st.session_state[f"{Vit.CLICKED}_head"] = chosen
    if clicked is None:
        return
    silenced = set(state.pairs(state.linked(Vit.SILENCED))) ^ {tuple(clicked)}
    state.link(Vit.SILENCED, "-".join(f"{layer}.{head}" for layer, head in sorted(silenced)))


def _changes(title: str, subject: Subject, before: PictureRun, after: PictureRun) -> None:
    """The labels that lead before or after."""
    names = loaders.labels(subject.model)
    if not names:
        show.note("This model has no classes.")
        return
    leading = dict.fromkeys([*(i for i, _ in after.top(5)), *(i for i, _ in before.top(2))])
    old, new = before.probabilities, after.probabilities
    show.changes(title, [(names[i], float(old[i]), float(new[i])) for i in leading])


def _sentence(edit: Edit, run: PictureRun) -> str:
    if not edit:
        return "The model says"
    parts = []
    if edit.removed:
        patches = run.geometry.rows * run.geometry.cols
        parts.append(f"{len(edit.removed)} of {patches} patches removed")
    if edit.silenced:
        heads = run.weights.shape[0] * run.weights.shape[1]
        parts.append(f"{len(edit.silenced)} of {heads} heads silenced")
    return f"The model says, with {' and '.join(parts)}"
