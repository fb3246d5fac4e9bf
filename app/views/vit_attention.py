"""Attention over the picture: one layer, rollout, relevance, attention × gradient."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import controls, loaders, maps, prose, show
from app.loaders import Subject
from app.maps import Map
from app.state import Vit
from app.views import vit_code, vit_common
from attnviz import analysis
from attnviz.geometry import Geometry

if TYPE_CHECKING:
    from attnviz.inference import PictureRun

SCALES = ("99th percentile", "shared maximum", "own maximum")
METHODS = ("One layer", "Rollout", "Relevance", "Attention × gradient")


@show.panel
def draw(subject: Subject) -> None:
    """The picture with its map at the left; labels, controls and exact values at the right."""
    run = loaders.run(subject)
    picture, side = st.columns([11, 10], gap="large")
    with side:
        draw_labels(subject, run)
        shown, code = choose_map(subject, run)
    with picture:
        place = st.container()
        drawing = vit_common.choose_drawing()
        with place:
            token = vit_common.map_lens(subject, run.geometry, shown, drawing, key=Vit.LENS)
    row = shown.rest if token is None else shown.matrix[token]
    with side:
        _exact(row, token, shown, drawing.mass, run.geometry)
    more, truth = st.columns([11, 10], gap="large")
    with more:
        show.explain("vit", st.session_state[Vit.METHOD])
        show.take_away(
            key="vit_attention",
            name=f"{subject.model}-{shown.name}",
            arrays=lambda: {"matrix": shown.matrix, "shown": row, "weights": run.weights},
            table=lambda: (("token", shown.unit), zip(run.geometry.labels(), row, strict=True)),
            code=code,
        )
    with truth:
        show.facts([*_map_facts(shown, run), *vit_common.run_facts(subject, run)])


def draw_labels(subject: Subject, run: PictureRun) -> None:
    """What the model calls the picture."""
    found = vit_common.top_labels(subject, run)
    if found:
        show.labels("The model says", found)
    else:
        show.note("The model says nothing: it was trained without labels and has no classes.")


def choose_map(subject: Subject, run: PictureRun) -> tuple[Map, str]:
    """The method with its own controls; the map, and the code that computes it."""
    method = controls.one_of("Map", METHODS, key=Vit.METHOD)
    show.note(prose.text("vit", method))
    if method == "One layer":
        return one_layer(subject, run)
    if method == "Rollout":
        return _rollout(subject, run)
    return _explained(subject, run, method)


def one_layer(subject: Subject, run: PictureRun) -> tuple[Map, str]:
    """One layer's weights: one head, or all heads fused."""
    layers, heads = run.weights.shape[:2]
    layer = controls.layer(layers, key=Vit.LAYER)
    head = controls.head(heads, key=Vit.HEAD)
    weights = run.weights[layer]  # (heads, t, t)
    fused = head in controls.FUSIONS
    matrix = analysis.fuse_heads(weights, head) if fused else weights[int(head)]  # type: ignore[arg-type]
    who = f"{head} of all heads" if fused else f"head {head}"
    kind = controls.one_of("Scale", SCALES, key=Vit.SCALE)
    rest = maps.head_row(matrix, run.geometry)
    top, words = maps.largest(rest, run.geometry), "largest weight of the output's row"
    if kind != "own maximum":
        reach, percentile = loaders.reaches(subject)
        top = reach if kind == "shared maximum" else percentile
        words = f"{kind} of all layers and heads"
    shown = Map(matrix, rest, top, words, f"layer {layer}, {who}")
    return shown, vit_code.one_layer(subject, layer, head)


def _rollout(subject: Subject, run: PictureRun) -> tuple[Map, str]:
    fuse = controls.one_of("Heads fused by", controls.FUSIONS, key=Vit.FUSION)
    discard = controls.share(
        "Discard", 0, 95, 0, key=Vit.DISCARD,
        help="Sets this share of each row's weights, the smallest, to zero before multiplying.",
    )  # fmt: skip
    matrix = loaders.rollout(subject, fuse, discard)
    return _scaled(matrix, run, "rollout", "share reached"), vit_code.rollout(
        subject, fuse, discard
    )


def _explained(subject: Subject, run: PictureRun, method: str) -> tuple[Map, str]:
    names, target = loaders.labels(subject.model), None
    if names:
        order = np.argsort(-run.logits).tolist()
        target = controls.target(names, order, key=Vit.TARGET, picker=Vit.TARGET_PICKER)
    else:
        show.note("This model has no classes: the length of its feature is explained.")
    found = loaders.explained(subject, target)
    what = f"for {names[target]}" if target is not None else "for the feature"
    if method == "Relevance":
        matrix = found.relevance - np.eye(len(found.relevance), dtype=np.float32)
        shown = _scaled(matrix, run, f"relevance {what}", "relevance")
    else:
        shown = _scaled(found.gradient, run, f"attention × gradient {what}", "weight × gradient")
    return shown, vit_code.explained(subject, target, method == "Relevance")


def _scaled(matrix: np.ndarray, run: PictureRun, name: str, unit: str) -> Map:
    """A map of a whole run, on a scale of its own."""
    kind = controls.one_of("Scale", SCALES, key=Vit.SCALE)
    rest = maps.head_row(matrix, run.geometry)
    top, words = maps.largest(rest, run.geometry), "largest value of the output's row"
    if kind == "shared maximum":
        top, words = maps.largest(matrix, run.geometry), "largest value seen from any token"
    elif kind == "99th percentile":
        patches = rest[run.geometry.num_prefix :]
        top, words = loaders.percentile(patches) or top, "99th percentile of the output's row"
    return Map(matrix, rest, top, words, name, unit)


def _exact(
    row: np.ndarray, token: int | None, shown: Map, mass: float | None, geometry: Geometry
) -> None:
    """The row on show in numbers."""
    who = "The output" if token is None else maps.token_title(geometry, token).capitalize()
    show.values(f"{who} looks most at", maps.strongest(row, geometry), unit=shown.unit)
    if mass is not None:
        count = maps.patches_holding(row, geometry, mass)
        total = geometry.rows * geometry.cols
        show.note(f"{count} of {total} patches hold {mass:.0%} of the weight on patches.")


def _map_facts(shown: Map, run: PictureRun) -> Iterable[tuple[str, str]]:
    """What holds for the map on show, measured on it."""
    found = analysis.shares(shown.matrix, run.geometry)
    if found.deviation < 1e-3:
        yield "Rows", f"sum to 1; the largest deviation measured is {found.deviation:.1e}"
    else:
        low, high = found.lowest_sum, found.highest_sum
        yield "Rows", f"sum to {low:.3g} to {high:.3g}: this is not a distribution"
    yield "Axes", "query × key; layers, heads, rows and columns count from 0"
    yield "Colour", f"from 0 to {shown.top:.3g}, the {shown.scale}"
    if run.geometry.prefix:
        yield (
            "Off the picture",
            f"{found.prefix:.1%} of it lies on {', '.join(run.geometry.prefix)}",
        )
