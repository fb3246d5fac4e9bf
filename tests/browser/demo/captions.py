"""Made-up captions with a map a word, known to the demo page and to its tests alike."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from app.components.captioner import Told
from app.maps import as_bytes
from attnviz.geometry import Geometry

GRID = Geometry(14, 14, 224, 224, pool="avg", stride=(16, 16), centre=(1, 1))
WIDE = Geometry(6, 15, 96, 240, pool="avg")
WORDS = ("a", "<b>ball</b>", "is", "to", "the", "left", "of", "a", "집", "(end)")
PEAKS = ((9, 3), (8, 4), (9, 6), (3, 1), (6, 7), (9, 5), (8, 8), (5, 10), (6, 10), (13, 0))
BOXES = (("ball", (0.5, 0.16, 0.7, 0.36)), ("<i>집</i>", (0.02, 0.58, 0.62, 0.86)))


@dataclass(frozen=True)
class Caption:
    """A caption whose words look at PEAKS, softly or at one cell alone.

    Args:
        vmax: what byte 255 stands for.
    """

    words: tuple[str, ...] = WORDS
    geometry: Geometry = GRID
    alone: bool = False
    vmax: float = 0.3
    given: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def weights(self) -> np.ndarray:
        """(t, rows, cols) float; a map sums to 1."""
        rows, cols = np.indices((self.geometry.rows, self.geometry.cols))
        maps = []
        for step in range(len(self.words)):
            row, col = self.peak(step)
            far = np.hypot(rows - row, cols - col)
            near = (far == 0) * 1.0 if self.alone else np.exp(-far / (0.7 + step % 3)) + 0.002
            maps.append(near / near.sum())
        return np.stack(maps)

    @property
    def told(self) -> Told:
        steps = np.arange(len(self.words))
        chances, gates = 0.97 - 0.7 * (steps % 4) / 4, 0.3 + 0.6 * (steps % 5) / 5
        weights = as_bytes(self.weights, self.vmax)
        return Told(self.words, weights, chances, gates, **self.given)

    def peak(self, step: int) -> tuple[int, int]:
        """The (row, col) that a word looks at most."""
        row, col = PEAKS[step % len(PEAKS)]
        return row % self.geometry.rows, col % self.geometry.cols

    def peak_cell(self, step: int) -> int:
        row, col = self.peak(step)
        return row * self.geometry.cols + col


CAPTIONS = {
    "plain": Caption(options={"rest": 1}),
    "alone": Caption(alone=True, vmax=1.0),
    "sharp": Caption(alone=True, vmax=1.0, options={"smooth": False}),
    "mark": Caption(options={"mark": True}),
    "boxes": Caption(options={"boxes": BOXES}),
    "given": Caption(given={"forced": (0, 1), "guided": (2,)}),
    "wide": Caption(geometry=WIDE),
    "long": Caption(tuple(f"word{i}" for i in range(24)), options={"mark": True, "boxes": BOXES}),
}
