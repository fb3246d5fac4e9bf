"""What several views share: the lens over a map, its drawing controls, the truth panel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from app import controls, loaders, maps, state
from app.components.lens import lens, query_tokens
from app.loaders import Subject
from app.maps import Map
from app.state import Vit
from attnviz import zoo
from attnviz.geometry import Geometry

if TYPE_CHECKING:
    from attnviz.inference import PictureRun

DRAWINGS = ("cells", "smooth")


@dataclass(frozen=True)
class Drawing:
    """How a map lies over the picture."""

    opacity: float = 0.6
    smooth: bool = False
    mass: float | None = None


def choose_drawing() -> Drawing:
    """Opacity, cells or smooth, and the share of the mass to keep bright."""
    opacity, mass, drawing = st.columns(3, vertical_alignment="bottom")
    with opacity:
        strength = controls.share("Opacity", 0, 100, 60, key=Vit.OPACITY)
    with mass:
        share = controls.share(
            "Mass", 10, 100, 100, key=Vit.MASS,
            help="Keeps only the smallest set of patches that holds this share of the weight.",
        )  # fmt: skip
    with drawing:
        kind = controls.one_of("Drawn as", DRAWINGS, key=Vit.DRAWING)
    return Drawing(strength, kind == "smooth", share if share < 1 else None)


def map_lens(
    subject: Subject,
    geometry: Geometry,
    shown: Map,
    drawing: Drawing,
    *,
    key: str,
    removed: tuple[int, ...] = (),
) -> int | None:
    """The picture under a map; the pinned token is remembered in the link."""
    step = maps.query_step(geometry)
    rows = shown.matrix[query_tokens(geometry, step)]
    pinned = pinned_token(geometry)
    token = lens(
        loaders.view(subject.picture, subject.preprocess),
        maps.as_bytes(rows, shown.top),
        geometry,
        key=key,
        vmax=shown.top,
        rest=maps.as_bytes(shown.rest, shown.top),
        pinned=pinned,
        removed=removed,
        opacity=drawing.opacity,
        smooth=drawing.smooth,
        mass=drawing.mass,
        name=f"{subject.model}-{shown.name}",
        scale=shown.scale,
        query_step=step,
    )
    if token != pinned:
        state.link(Vit.TOKEN, "" if token is None else str(token))
    state.publish(Vit.TOKEN)
    return token


def pinned_token(geometry: Geometry) -> int | None:
    """The token that the link or an earlier click pinned, if this picture has it."""
    text = state.linked(Vit.TOKEN)
    return int(text) if text.isdecimal() and int(text) < geometry.tokens else None


def top_labels(subject: Subject, run: PictureRun, count: int = 5) -> list[tuple[str, float]]:
    """The classes the model finds most probable, best first; empty for a model without classes."""
    names = loaders.labels(subject.model)
    return [(names[index], share) for index, share in run.top(count)] if names else []


def run_facts(subject: Subject, run: PictureRun) -> Iterable[tuple[str, str]]:
    """What holds for every view of a run: input, weights, scores, device."""
    geometry, card = run.geometry, zoo.card(subject.model)
    down, across = geometry.stride
    prefix = ", ".join(geometry.prefix) or "no prefix"
    yield (
        "Tokens",
        f"{geometry.tokens}: {prefix}, then {geometry.rows} × {geometry.cols} patches, "
        f"{down:g} × {across:g} pixels apart",
    )
    yield (
        "Input",
        f"{geometry.height} × {geometry.width} pixels; drawn finer than the model sees it",
    )
    yield "Weights", _weights(card)
    yield from _held_out(card.scores)
    yield "Run", f"{run.device}, {run.dtype}, {run.seconds:.2f} s with every weight recorded"
    yield "Parity", _parity(card)


def _weights(card: zoo.Card) -> str:
    made = "trained by this project" if card.bundled else "from timm, in this project's code"
    if card.seconds:
        made += f" in {card.seconds / 60:.0f} minutes on {card.trained_on}"
    return f"{card.title}, {card.parameters / 1e6:.1f} M parameters, {made}"


def _parity(card: zoo.Card) -> str:
    if card.bundled:
        return "the same code gives timm's logits within 1e-4 with timm's weights"
    return "compared with timm's own output when it was loaded"


def _held_out(scores: Mapping[str, float]) -> Iterable[tuple[str, str]]:
    """The card's scores in words: agreement with the teacher, and pointing beside chance."""
    if "unseen_top1" in scores:
        yield (
            "Held out",
            f"names what its teacher names in {scores['unseen_top1']:.1%} of "
            f"{scores['unseen_pictures']:,.0f} scenes of things it never saw (among its five: "
            f"{scores['unseen_top5']:.1%}); in new scenes of known things "
            f"{scores['seen_top1']:.1%} ({scores['seen_top5']:.1%})",
        )
    if "unseen_one_attention" in scores:
        yield (
            "Pointing",
            f"its attention peaks inside the thing in {scores['unseen_one_attention']:.1%} of "
            f"{scores['unseen_one_pictures']:,.0f} such scenes; a random cell in "
            f"{scores['unseen_one_uniform']:.1%}, the picture's middle in "
            f"{scores['unseen_one_centre']:.1%}",
        )
