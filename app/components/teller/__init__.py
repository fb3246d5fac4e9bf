"""The teller: how a captioner gets from a picture to each next word, in the browser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.components.mount import (
    check_bytes,
    fingerprint,
    layout,
    mount,
    pack,
    pair,
    picture_kind,
    register,
    signed_bytes,
)
from attnviz.figures.theme import ACCENT, CATEGORICAL, colour_table
from attnviz.geometry import Geometry

_RENDER = register("teller", __file__)

STAGES = ("grid", "average", "state", "score", "softmax", "context", "gate", "word")
KINDS = ("mlp", "bilinear", "dot")

Place = tuple[int, int]  # (word step, stage)


@dataclass(frozen=True)
class Telling:
    """What there is to walk through: T words, n cells, a numbers a cell, d a state, k candidates.

    Args:
        words: (T,), the last may be "(end)".
        grid: (n, 3) uint8, the annotation vectors as colours.
        annotations: (n, a) what each cell says.
        mean: (a,) of the annotations.
        initial_state: (d,) made of the mean.
        scores, weights: (T, n) e and α.
        averages: (T, a) Σ α a.
        gates: (T,) β.
        contexts: (T, a) z = β Σ α a.
        states: (T, d) after each word; before the first word there is the initial one.
        candidates, chances: (T, k) the likeliest words and their probabilities, the best first.
        probabilities: (T,) of the words.
        kind: of the scores: ``"mlp"``, ``"bilinear"`` or ``"dot"``.
        hard: the average is the likeliest cell alone.
        apart: scores compare the state with other vectors of the cells than those averaged.
    """

    words: tuple[str, ...]
    grid: np.ndarray
    annotations: np.ndarray
    mean: np.ndarray
    initial_state: np.ndarray
    scores: np.ndarray
    weights: np.ndarray
    averages: np.ndarray
    gates: np.ndarray
    contexts: np.ndarray
    states: np.ndarray
    candidates: tuple[tuple[str, ...], ...]
    chances: np.ndarray
    probabilities: np.ndarray
    kind: str
    hard: bool = False
    apart: bool = False


def teller(
    picture: bytes,
    telling: Telling,
    geometry: Geometry,
    *,
    key: str,
    asked: Place | None = None,
    name: str = "telling",
) -> Place:
    """Show a caption being written stage by stage; return the (word, stage) the visitor rests at.

    Stepping, playing and hovering happen in the browser; only where the visitor comes to rest is
    reported. Scores, weights, gates and probabilities travel exactly; vectors as bytes around
    zero, cut off at the 99.5th percentile of the cells' and of the states' numbers.

    Args:
        picture: PNG, JPEG or WebP; what the model saw, at any resolution of the same shape.
        geometry: where the cells see.
        asked: where the page wants to begin; another caption or picture begins at the first word.
        name: of the downloaded files.

    Raises:
        ValueError: the picture, arrays or the wish do not fit.
    """
    check(telling, geometry)
    steps = len(telling.words)
    if asked is not None and not (0 <= asked[0] < steps and 0 <= asked[1] < len(STAGES)):
        raise ValueError(f"no stage {asked} in {steps} words of {len(STAGES)} stages")
    cells, states = _reach(telling.annotations), _reach(telling.initial_state, telling.states)
    facts = layout(geometry) | {
        "target": telling.words,
        "candidates": telling.candidates,
        "picked": _picked(telling),
        "score": telling.kind,
        "hard": telling.hard,
        "apart": telling.apart,
        "channels": {"cells": len(telling.mean), "states": len(telling.initial_state)},
        "reach": {"cells": cells, "states": states},
        "signs": [CATEGORICAL[1], ACCENT],  # below zero, above
        "kind": picture_kind(picture),
        "name": name,
    }
    blocks = _exact(telling) | _vectors(telling, cells, states)
    blocks |= {"grid": np.ascontiguousarray(telling.grid), "colours": colour_table("viridis")}

    def message(fields: dict[str, Any]) -> bytes:
        return pack(facts | fields, **blocks, picture=picture)

    def accept(value: Any) -> Place | None:
        return pair(value, steps, len(STAGES))

    # Another model that says the same of the picture goes on at the same place.
    subject = fingerprint(picture, repr(telling.words).encode())
    chosen = mount(_RENDER, key=key, message=message, subject=subject, asked=asked, accept=accept)
    return chosen or (0, 0)


def check(telling: Telling, geometry: Geometry) -> None:
    """Whether everything has the sizes that words, geometry, mean and first state give.

    Raises:
        ValueError: something has not; it is named, with both shapes.
    """
    steps, cells = len(telling.words), geometry.tokens
    if not steps:
        raise ValueError("nothing to walk through: 0 words")
    if geometry.num_prefix:
        raise ValueError(f"cells come without tokens before them, not {geometry.num_prefix}")
    if telling.kind not in KINDS:
        raise ValueError(f"scores are one of {', '.join(KINDS)}, not {telling.kind!r}")
    check_bytes("grid", telling.grid, (cells, 3), "cells, RGB")
    numbers, channels = telling.mean.shape[-1], telling.initial_state.shape[-1]
    count = len(telling.candidates[0]) if telling.candidates else 0
    shapes = {
        "annotations": (cells, numbers),
        "mean": (numbers,),
        "initial_state": (channels,),
        "scores": (steps, cells),
        "weights": (steps, cells),
        "averages": (steps, numbers),
        "gates": (steps,),
        "contexts": (steps, numbers),
        "states": (steps, channels),
        "chances": (steps, count),
        "probabilities": (steps,),
    }
    for name, shape in shapes.items():
        found = getattr(telling, name).shape
        if found != shape:
            raise ValueError(f"{name}: expected shape {shape}, got {found}")
    counts = tuple(map(len, telling.candidates))
    if counts != (count,) * steps:
        raise ValueError(f"candidates: expected {steps} times {count} of them, got {counts}")


def _reach(*arrays: np.ndarray) -> float:
    """What the strongest colour stands for."""
    return float(np.quantile(np.abs(np.concatenate([a.ravel() for a in arrays])), 0.995)) or 1.0


def _picked(telling: Telling) -> tuple[int, ...]:
    """(T,) which candidate was said, −1 if it is not among them."""
    return tuple(
        row.index(word) if word in row else -1
        for word, row in zip(telling.words, telling.candidates, strict=True)
    )


def _exact(telling: Telling) -> dict[str, Any]:
    """What travels as it is."""
    names = ("scores", "weights", "gates", "chances", "probabilities")
    return {name: np.ascontiguousarray(getattr(telling, name), np.float32) for name in names}


def _vectors(telling: Telling, cells: float, states: float) -> dict[str, Any]:
    """What travels as bytes; ``states`` has the initial one before the others, T + 1 in all."""
    all_states = np.vstack([telling.initial_state, telling.states])
    names = ("annotations", "mean", "averages", "contexts")
    found = {name: signed_bytes(getattr(telling, name), cells) for name in names}
    return found | {"states": signed_bytes(all_states, states)}
