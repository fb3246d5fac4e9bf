"""The captioner: a picture under the map of each word of its caption, to play, pin and paint on."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.components.mount import (
    check_bytes,
    fingerprint,
    layout,
    mount,
    pack,
    picture_kind,
    register,
)
from attnviz.figures.theme import Colours, colour_table
from attnviz.geometry import Geometry

_RENDER = register("captioner", __file__)

Box = tuple[float, float, float, float]
"""Top, left, bottom and right, as shares of the picture's sides."""


@dataclass(frozen=True)
class Told:
    """A caption to play.

    Args:
        words: as shown; the last may be "(end)".
        weights: (t, rows, cols) uint8; a value is ``byte / 255 · vmax``.
        probabilities: (t,) of each word.
        gates: (t,) in [0, 1], the gate β.
        forced, guided: steps whose word, and whose attention, the visitor gave.
    """

    words: tuple[str, ...]
    weights: np.ndarray
    probabilities: np.ndarray
    gates: np.ndarray
    forced: tuple[int, ...] = ()
    guided: tuple[int, ...] = ()


@dataclass(frozen=True)
class Pick:
    """What is chosen: a word, and the cells (``row · cols + col``) marked for it, sorted."""

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
    """Show a caption under its picture, and return the word that the visitor picked.

    Hovering a word draws its map, hovering a cell shades the words that looked there, and playing
    walks through the words; all in the browser. A click on a word picks it and tells the server,
    another lets go. The pick outlives other captions as long as they have such a word.

    Args:
        picture: PNG, JPEG or WebP; what the model saw, at any resolution of the same shape.
        vmax: what byte 255 stands for, for every word.
        rest: the word that is shown while none is picked.
        picked: what the page wants picked.
        mark: whether cells can be painted for the picked word; each stroke is reported. A word that
            is picked anew comes without cells; a page that knows some orders them by ``picked``.
        smooth: linear between cell centres, as ``attnviz.analysis.upsample``, or sharp cells; the
            visitor may change it.
        boxes: what lies where, to be shown on demand; they may reach beyond the picture.
        name: of the downloaded files.
        on_change: called with the pick before the rerun that it causes.

    Raises:
        ValueError: arrays, steps, boxes or the pick do not fit.
    """
    steps, cells = len(told.words), geometry.rows * geometry.cols
    kind = picture_kind(picture)
    _check_told(told, geometry)
    shape = (steps, geometry.rows, geometry.cols)
    weights = check_bytes("weights", told.weights, shape, "words, rows, columns")
    _check_options(vmax, opacity, boxes)
    _check_step("rest", rest, steps)
    if picked is not None:
        _check_step("picked", picked.step, steps)
        wrong = [cell for cell in picked.cells if not 0 <= cell < cells]
        if wrong:
            raise ValueError(f"no cell {wrong[0]} to mark: cells are 0–{cells - 1}")
    facts = layout(geometry) | {
        "seen": fingerprint(picture),
        "words": list(told.words),
        "probabilities": [round(float(p), 5) for p in told.probabilities],
        "gates": [round(float(g), 5) for g in told.gates],
        "forced": sorted(map(int, told.forced)),
        "guided": sorted(map(int, told.guided)),
        "vmax": float(vmax),
        "opacity": opacity,
        "smooth": smooth,
        "mark": mark,
        "rest": rest,
        "boxes": [[label, list(map(float, box))] for label, box in boxes],
        "scale": "same scale for every word",
        "kind": kind,
        "name": name,
    }
    table = colour_table(colours)
    content = fingerprint(repr(facts).encode(), weights.tobytes(), table.tobytes())

    def message(fields: dict[str, Any]) -> bytes:
        chosen: Pick | None = fields["chosen"]
        order = chosen and {"step": chosen.step, "cells": sorted(chosen.cells)}
        header = facts | {"content": content} | fields | {"chosen": order}
        return pack(header, colours=table, picture=picture, weights=weights)

    return mount(
        _RENDER,
        key=key,
        message=message,
        subject="",
        asked=picked and Pick(int(picked.step), tuple(sorted(set(map(int, picked.cells))))),
        accept=lambda value: accepted(value, steps, cells),
        on_change=on_change,
    )


def accepted(value: Any, steps: int, cells: int) -> Pick | None:
    """What a browser reported as a pick, or None if there is no such word or cell."""
    if not isinstance(value, dict) or value.keys() != {"step", "cells"}:
        return None
    step, marked = value["step"], value["cells"]
    if type(step) is not int or not 0 <= step < steps:
        return None
    if not isinstance(marked, list) or len(marked) > cells:
        return None
    if not all(type(cell) is int and 0 <= cell < cells for cell in marked):
        return None
    return Pick(step, tuple(sorted(set(marked))))


def _check_told(told: Told, geometry: Geometry) -> None:
    steps = len(told.words)
    if not steps:
        raise ValueError("a caption has at least one word, not 0")
    if geometry.num_prefix:
        raise ValueError(
            f"a caption looks at cells without tokens before them, not {geometry.num_prefix}"
        )
    for what, values in (("probabilities", told.probabilities), ("gates", told.gates)):
        if values.shape != (steps,):
            raise ValueError(f"{what}: expected shape ({steps},), got {values.shape}")
        wrong = values[~((values >= 0) & (values <= 1))]
        if len(wrong):
            raise ValueError(f"{what} lie in [0, 1], not {wrong[0]}")
    for what, marked in (("forced", told.forced), ("guided", told.guided)):
        for step in marked:
            _check_step(what, step, steps)


def _check_step(what: str, step: int, steps: int) -> None:
    if not 0 <= step < steps:
        raise ValueError(f"{what}: there is no word {step}; words are 0–{steps - 1}")


def _check_options(vmax: float, opacity: float, boxes: Sequence[tuple[str, Box]]) -> None:
    if not 0 < vmax < math.inf:
        raise ValueError(f"vmax is more than 0, not {vmax}")
    if not 0 <= opacity <= 1:
        raise ValueError(f"an opacity lies in [0, 1], not {opacity}")
    for label, box in boxes:
        top, left, bottom, right = box
        if not (all(map(math.isfinite, box)) and top < bottom and left < right):
            raise ValueError(
                f"the box of {label!r} goes from ({top}, {left}) to ({bottom}, {right})"
            )
