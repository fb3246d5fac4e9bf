"""Made-up attention on a made-up picture, known to the demo page and to its tests alike."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from PIL import Image

from app.components.heads import Kind
from app.components.lens import query_tokens
from attnviz.geometry import Geometry

VMAX = 0.25


@dataclass(frozen=True)
class Case:
    geometry: Geometry
    options: dict[str, Any] = field(default_factory=dict)
    seed: int = 0

    @property
    def picture(self) -> bytes:
        return _picture(self.geometry.height, self.geometry.width, self.seed)

    @property
    def full(self) -> np.ndarray:
        """(tokens, tokens) uint8."""
        return _weights(self.geometry, self.seed)

    @property
    def matrix(self) -> np.ndarray:
        return self.full[query_tokens(self.geometry, self.options.get("query_step", 1))]

    @property
    def rest(self) -> np.ndarray:
        return np.roll(self.full[0], 17)


SQUARE = Geometry(14, 14, 224, 224, ("class",))

CASES = {
    "plain": Case(SQUARE),
    "other": Case(SQUARE, seed=1),
    "smooth": Case(SQUARE, {"smooth": True}),
    "mass": Case(SQUARE, {"mass": 0.5}),
    "removed": Case(SQUARE, {"removed": (SQUARE.cell(2, 3), SQUARE.cell(2, 4))}),
    "cividis": Case(SQUARE, {"colours": "cividis", "name": "Où? <b>/../x"}),
    "rectangle": Case(Geometry(6, 15, 96, 240)),
    "shifted": Case(Geometry(14, 14, 224, 224, ("class",), centre=(11.5, 4.5))),
    "registers": Case(
        Geometry(37, 37, 518, 518, ("class", *(f"register {i}" for i in range(4)))),
        {"query_step": 4},
    ),
    "tokens": Case(Geometry(37, 37, 518, 518, ("class", *"abcd")), {"smooth": True, "mass": 0.8}),
}


@dataclass(frozen=True)
class Alignment:
    source: tuple[str, ...]
    target: tuple[str, ...]
    marks: dict[str, Any] = field(default_factory=dict)

    @property
    def weights(self) -> np.ndarray:
        """(target, source) float32; rows sum to 1, each with a peak of its own."""
        rows, columns = np.indices((len(self.target), len(self.source)))
        peaks = (rows * 5 + 1) % len(self.source)
        scores = np.exp(-np.abs(columns - peaks) * (0.5 + rows % 3))
        return (scores / scores.sum(1, keepdims=True)).astype(np.float32)

    @property
    def probabilities(self) -> np.ndarray:
        """(target,)"""
        return np.linspace(0.9, 0.1, len(self.target))


ALIGNMENTS = {
    "plain": Alignment(
        ("나", "는", "<b>$x$</b>", "</s>"),
        ("I", "am", "</s>"),
        {"unknown": (2,), "rows_forced": (1,)},
    ),
    "long": Alignment(
        3
        * (
            "넌",
            "누구니",
            "그리고",
            "아주길고긴한낱말이여기있습니다",
            "나",
            "는",
            "나",
            "는",
            "모니터",
        ),
        ("incomprehensibilities", "and", "again", "and", "again", "the", "same", "words", "</s>"),
    ),
}


@dataclass(frozen=True)
class HeadStack:
    """Attention as random scores make it; a low temperature makes it sharp."""

    queries: tuple[str, ...]
    keys: tuple[str, ...]
    kind: Kind = "encoder"
    layers: int = 3
    heads: int = 4
    temperature: float = 0.5
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def weights(self) -> np.ndarray:
        """(layers, heads, q, k) float32; rows sum to 1 over the keys that there are."""
        shape = (self.layers, self.heads, len(self.queries), len(self.keys))
        scores = np.random.default_rng(0).normal(size=shape) / self.temperature
        if self.kind == "decoder":
            scores[:, :, ~np.tri(*shape[2:], dtype=bool)] = -np.inf
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        return (weights / weights.sum(-1, keepdims=True)).astype(np.float32)


_SOURCE = ("나", "는", "그", "나", "<unk>", "<b>$x$</b>", "모니터", "를", "보았다", "</s>")
_TARGET = ("I", "saw", "the", "monitor", "and", "the", "<unk>", "</s>")
_LONG = tuple(f"word{i % 50}" for i in range(128))

HEAD_STACKS = {
    "plain": HeadStack(
        _TARGET,
        _SOURCE,
        "cross",
        options={"silenced": [(1, 2)], "probabilities": np.linspace(0.95, 0.25, 8)},
    ),
    "decoder": HeadStack(_TARGET, _TARGET, "decoder"),
    "six": HeadStack(2 * _SOURCE, 2 * _SOURCE, "encoder", 6, 8, 0.3),
    **{
        f"large{temperature}": HeadStack(_LONG, _LONG, "encoder", 12, 12, temperature)
        for temperature in (0.3, 1, 3)
    },
}


def heads(layers: int, count: int, geometry: Geometry) -> np.ndarray:
    """One query's weights in every head, (layers, heads, tokens) uint8."""
    full = _weights(geometry, 0)
    places = (np.arange(layers * count) * 37) % geometry.tokens
    return full[places].reshape(layers, count, geometry.tokens)


def _weights(geometry: Geometry, seed: int) -> np.ndarray:
    """Each token looks at a soft spot of its own and a little at the prefix; bytes."""
    rows, cols = np.indices((geometry.rows, geometry.cols)).reshape(2, -1)
    query = np.arange(geometry.tokens)
    down = (query * (5 + seed)) % geometry.rows
    right = (query * 3 + query // geometry.cols) % geometry.cols
    far = (rows - down[:, None]) ** 2 + (cols - right[:, None]) ** 2  # (tokens, patches)
    patches = 250 * np.exp(-far / (2 + query[:, None] % 9)) + (rows * 7 + cols * 3) % 11
    prefix = np.tile(20 + 30 * np.arange(geometry.num_prefix), (geometry.tokens, 1))
    return np.concatenate([prefix, np.minimum(patches, 255)], axis=1).astype(np.uint8)


def _picture(height: int, width: int, seed: int) -> bytes:
    """Soft colours with a disc, so that the picture's top left and centre can be told apart."""
    down, right = np.indices((height, width)) / max(height, width)
    disc = np.hypot(down - 0.45, right - 0.5) < 0.22
    rgb = np.stack([200 - 90 * down, 190 - 60 * right, 150 + 80 * down], axis=-1)
    rgb[disc] = [(222, 120, 70), (80, 130, 200)][seed]
    buffer = io.BytesIO()
    Image.fromarray(rgb.astype(np.uint8)).save(buffer, "PNG")
    return buffer.getvalue()
