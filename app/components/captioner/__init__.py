"""The captioner: a picture under the map of each word of its caption, to play, pin and paint on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.components.mount import check_bytes, layout, mount, pack, picture_kind, register
from attnviz.figures.theme import Colours, colour_table
from attnviz.geometry import Geometry

_RENDER = register("captioner", __file__)

Box = tuple[float, float, float, float]  # top, left, bottom, right, shares of the picture's side


@dataclass(frozen=True)
class Told:
    """A caption to play.

    Args:
        words: as shown.
        weights: (t, rows, cols) uint8; a value is ``byte / 255 · vmax``.
        probabilities: (t,) of each word.
        gates: (t,) in [0, 1].
        forced, guided: steps whose word, and whose attention, were given.
    """

    words: tuple[str, ...]
    weights: np.ndarray
    probabilities: np.ndarray
    gates: np.ndarray
    forced: tuple[int, ...] = ()
    guided: tuple[int, ...] = ()


@dataclass(frozen=True)
class Pick:
    """What is chosen: a word, and the cells that were painted for it, row by row, sorted."""

    step: int
    cells: tuple[int, ...] = ()


def captioner(
    picture: bytes,
    told: Told,
    geometry: Geometry,
    *,
    key: str,
    vmax: float,
    rest: int = 0,
    picked: Pick | None = None,
    mark: bool = False,
    smooth: bool = True,
    opacity: float = 0.6,
    colours: Colours = "viridis",
    boxes: Sequence[tuple[str, Box]] = (),
    name: str = "caption",
    on_change: Callable[[Pick | None], None] | None = None,
) -> Pick | None:
    """Show a caption over its picture, and return the word that the visitor picked.

    Hovering a word draws its map, hovering a cell shades the words that looked there, and playing
    walks through the words; all in the browser. A click on a word picks it. The pick outlives other
    captions as long as they have such a word.

    Args:
        picture: PNG, JPEG or WebP; what the model saw, at any resolution of the same shape.
        vmax: what byte 255 stands for, for every word.
        rest: the word that is shown while none is picked.
        picked: what the page wants picked.
        mark: whether cells can be painted for the picked word; each stroke is reported.
        smooth: at first, as ``attnviz.analysis.upsample``; else sharp cells. A visitor may choose.
        boxes: what lies where, to be shown on demand.
        name: of the downloaded files.
        on_change: called with the pick before the rerun that it causes.

    Raises:
        ValueError: arrays, boxes or the pick do not fit.
    """
    steps, cells = len(told.words), geometry.rows * geometry.cols
    kind = picture_kind(picture)
    weights = check_bytes(
        "weights", told.weights, (steps, geometry.rows, geometry.cols), "words, rows, columns"
    )
    _check(told, geometry, vmax, opacity, picked, boxes)
    if not 0 <= rest < steps:
        raise ValueError(f"no word {rest} to show: words are 0–{steps - 1}")
    facts = layout(geometry) | {
        "words": list(told.words),
        "probabilities": [round(float(p), 5) for p in told.probabilities],
        "gates": [round(float(g), 5) for g in told.gates],
        "forced": list(told.forced),
        "guided": list(told.guided),
        "vmax": float(vmax),
        "opacity": opacity,
        "smooth": smooth,
        "mark": mark,
        "rest": rest,
        "boxes": [[label, list(box)] for label, box in boxes],
        "scale": "same scale for every word",
        "kind": kind,
        "name": name,
    }

    def message(fields: dict[str, Any]) -> bytes:
        chosen: Pick | None = fields["chosen"]
        order = {"chosen": chosen and {"step": chosen.step, "cells": list(chosen.cells)}}
        table = colour_table(colours)
        return pack(facts | fields | order, colours=table, picture=picture, weights=weights)

    return mount(
        _RENDER,
        key=key,
        message=message,
        subject="",
        asked=picked,
        accept=lambda value: accepted(value, steps, cells),
        on_change=on_change,
    )


def accepted(value: Any, steps: int, cells: int) -> Pick | None:
    """What a browser reported as a pick, or None if there is no such word or cell."""
    if not isinstance(value, dict) or value.keys() != {"step", "cells"}:
        return None
    step, marked = value["step"], value["cells"]
    if type(step) is not int or not 0 <= step < steps or not isinstance(marked, list):
        return None
    if not all(type(cell) is int and 0 <= cell < cells for cell in marked):
        return None
    return Pick(step, tuple(sorted(set(marked))))


def _check(
    told: Told,
    geometry: Geometry,
    vmax: float,
    opacity: float,
    picked: Pick | None,
    boxes: Sequence[tuple[str, Box]],
) -> None:
    steps = len(told.words)
    if not steps:
        raise ValueError("a caption has at least one word")
    if geometry.num_prefix:
        raise ValueError(f"a caption looks at cells alone, not at {geometry.prefix}")
    for what, values in (("probabilities", told.probabilities), ("gates", told.gates)):
        if values.shape != (steps,):
            raise ValueError(f"{what}: expected shape ({steps},), got {values.shape}")
    if not vmax > 0:
        raise ValueError(f"vmax is more than 0, not {vmax}")
    if not 0 <= opacity <= 1:
        raise ValueError(f"an opacity lies in [0, 1], not {opacity}")
    if picked is not None and not 0 <= picked.step < steps:
        raise ValueError(f"no word {picked.step} to pick: words are 0–{steps - 1}")
    for label, (top, left, bottom, right) in boxes:
        if not (top < bottom and left < right):
            raise ValueError(f"the box of {label!r} is empty")
