"""The writer: a Transformer's translation, piece by piece, and what each piece was written by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.components.mount import fingerprint, mount, pack, register

_RENDER = register("writer", __file__)

Place = tuple[int, int]  # (step, layer)
_FULL = 65_535  # what a weight of 1 travels as


@dataclass(frozen=True)
class Writing:
    """A translation of T pieces over S source pieces, by N layers, with k candidates a step.

    Args:
        source: (S,) pieces; unknown: places of those that the model was never shown.
        inputs: (T,) what the decoder was given; step t may look at the first t + 1 of them.
        target: (T,) what it wrote.
        cross: (N, T, S), own: (N, T, T): weights, the mean of each layer's heads.
        candidates, chances: (T, k) pieces and probabilities, the likeliest first.
        picked: (T,) which candidate was written, −1 if it is not among them.
        texts: (T,) the sentence after each step.
    """

    source: Sequence[str]
    unknown: Sequence[int]
    inputs: Sequence[str]
    target: Sequence[str]
    cross: np.ndarray
    own: np.ndarray
    candidates: Sequence[Sequence[str]]
    chances: np.ndarray
    picked: Sequence[int]
    texts: Sequence[str]


def writer(
    writing: Writing,
    *,
    key: str,
    asked: Place | None = None,
    language: str = "en",
    name: str = "writing",
) -> Place | None:
    """Show one step at a time, and return the (step, layer) at which the visitor rests.

    Playing, scrubbing, hovering and the layer stay in the browser; only where the visitor comes to
    rest is reported. Weights travel in steps of 1/65,535; what is masked is exactly 0.

    Args:
        asked: where the page wants to begin.
        language: of the translation, as HTML names it.
        name: of the downloaded files.

    Raises:
        ValueError: arrays, pieces or the wish do not fit each other.
    """
    layers = _check(writing)
    steps = len(writing.target)
    if asked is not None and not (0 <= asked[0] < steps and 0 <= asked[1] < layers):
        raise ValueError(f"no step and layer {asked} in {steps} steps of {layers} layers")
    facts = {
        "source": list(writing.source),
        "unknown": sorted(map(int, writing.unknown)),
        "inputs": list(writing.inputs),
        "target": list(writing.target),
        "layers": layers,
        "candidates": [list(row) for row in writing.candidates],
        "picked": [int(place) for place in writing.picked],
        "texts": list(writing.texts),
        "language": language,
        "name": name,
    }

    def message(fields: dict[str, Any]) -> bytes:
        return pack(
            facts | fields,
            cross=_numbers(writing.cross),
            own=_numbers(writing.own),
            chances=np.ascontiguousarray(writing.chances, "<f4"),
        )

    def accept(value: Any) -> Place | None:
        whole = isinstance(value, list) and [type(v) for v in value] == [int, int]
        if not (whole and 0 <= value[0] < steps and 0 <= value[1] < layers):
            return None
        return value[0], value[1]

    subject = fingerprint(repr((facts["source"], facts["target"], layers)).encode())
    return mount(
        _RENDER, key=key, message=message, subject=subject, asked=asked, accept=accept
    )  # fmt: skip


def _check(writing: Writing) -> int:
    """How many layers there are, if everything has the sizes that the pieces give."""
    steps, pieces, layers = len(writing.target), len(writing.source), len(writing.cross)
    if not (steps and pieces and layers):
        raise ValueError(f"nothing to write: {steps} steps, {pieces} pieces, {layers} layers")
    count = len(writing.candidates[0]) if writing.candidates else 0
    for name, shape in {
        "cross": (layers, steps, pieces),
        "own": (layers, steps, steps),
        "chances": (steps, count),
    }.items():
        found = getattr(writing, name)
        if found.shape != shape or not ((found >= 0) & (found <= 1 + 1e-5)).all():
            raise ValueError(f"{name}: expected shares of shape {shape}, got {found.shape}")
    for name in ("inputs", "candidates", "picked", "texts"):
        if len(getattr(writing, name)) != steps:
            raise ValueError(f"{name}: expected {steps} of them, got {len(getattr(writing, name))}")
    if any(len(row) != count for row in writing.candidates):
        raise ValueError(f"each step has {count} candidates")
    if ahead := float(np.triu(writing.own, 1).max(initial=0)):
        raise ValueError(f"a step looks at what comes after it, with {ahead:g}")
    return layers


def _numbers(weights: np.ndarray) -> np.ndarray:
    return np.rint(np.minimum(weights, 1) * _FULL).astype("<u2")
