"""Made-up captionings, consistent in themselves, known to the demo page and to its tests alike."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
from PIL import Image, ImageDraw

from app.components.teller import Telling
from app.maps import principal_colours
from attnviz.geometry import Geometry

SQUARE = Geometry(14, 14, 224, 224, pool="avg", stride=(16, 16), centre=(9, 9))
WIDE = Geometry(6, 15, 96, 240, pool="avg")
WORDS = ("a", "red", "<b>ball</b>", "and", "two", "blue", "집", "(end)")
CANDIDATES = ("the", "<unk>", "one", "ball", "left", "right", "under")
PLACES = ((8, 3), (7, 3), (8, 4), (5, 7), (4, 10), (3, 10), (4, 9), (12, 6))  # (row, col) a word


def picture(geometry: Geometry = SQUARE, seed: int = 0) -> bytes:
    """Sky, grass, a ball and a house, twice as fine as the model sees it."""
    width, height = 2 * geometry.width, 2 * geometry.height
    image = Image.new("RGB", (width, height), (170 + 10 * seed, 205, 235))
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0.6 * height, width, height), fill=(120, 165, 90))
    draw.ellipse((0.16 * width, 0.5 * height, 0.36 * width, 0.7 * height), fill=(200, 40, 40))
    draw.rectangle((0.62 * width, 0.3 * height, 0.82 * width, 0.62 * height), fill=(60, 90, 190))
    draw.polygon(
        ((0.58 * width, 0.3 * height), (0.86 * width, 0.3 * height), (0.72 * width, 0.14 * height)),
        fill=(120, 60, 40),
    )
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def telling(
    words: tuple[str, ...] = WORDS,
    geometry: Geometry = SQUARE,
    *,
    sharp: float = 7.0,
    kind: str = "mlp",
    hard: bool = False,
    apart: bool = False,
    numbers: int = 256,
    channels: int = 160,
    seed: int = 0,
) -> Telling:
    """A telling whose every stage follows from the one before, as a captioner's would.

    Args:
        sharp: the score of the cell that each word looks at, over that of cells far away.
    """
    rng = np.random.default_rng(seed)
    steps, cells = len(words), geometry.rows * geometry.cols
    rows, cols = np.divmod(np.arange(cells), geometry.cols)
    spots = [(row % geometry.rows, col % geometry.cols) for row, col in PLACES]
    spots = [spots[step % len(spots)] for step in range(steps)]
    near = np.stack([np.exp(-np.hypot(rows - r, cols - c) / 1.7) for r, c in spots])  # (T, n)
    scores = (sharp * near + rng.normal(0, 0.2, (steps, cells)) - 2).astype(np.float32)
    weights = np.exp(scores - scores.max(1, keepdims=True))
    weights /= weights.sum(1, keepdims=True)
    smooth = np.stack([np.sin(rows / 3), np.cos(cols / 4), np.sin((rows + cols) / 5)], 1)
    annotations = np.maximum(smooth @ rng.normal(0, 0.8, (3, numbers)) + near.T @ rng.normal(
        0, 1.5, (steps, numbers)
    ), 0)  # fmt: skip
    looked = np.eye(cells)[weights.argmax(1)] if hard else weights
    averages = looked @ annotations
    gates = rng.uniform(0.2, 0.95, steps).astype(np.float32)
    logits = np.sort(rng.normal(0, 1.5, (steps, 8)))[:, ::-1] + np.eye(8)[0] * 2
    chances = (np.exp(logits) / np.exp(logits).sum(1, keepdims=True) * 0.97).astype(np.float32)
    return Telling(
        words=words,
        grid=principal_colours(annotations),
        annotations=annotations,
        mean=annotations.mean(0),
        initial_state=np.tanh(rng.normal(0, 0.4, channels)),
        scores=scores,
        weights=weights.astype(np.float32),
        averages=averages,
        gates=gates,
        contexts=gates[:, None] * averages,
        states=np.tanh(rng.normal(0, 0.4, (steps, channels))),
        candidates=tuple((word, *CANDIDATES) for word in words),
        chances=chances,
        probabilities=chances[:, 0].copy(),
        kind=kind,
        hard=hard,
        apart=apart,
    )


def unlikely() -> Telling:
    """The second word was given: it is the third candidate; the third is none of them."""
    made = telling()
    rows = [list(row) for row in made.candidates]
    rows[1] = ["the", "<unk>", WORDS[1], *CANDIDATES[2:]]
    rows[2] = ["the", "<unk>", *CANDIDATES[2:], "over"]
    chances = made.probabilities.copy()
    chances[1], chances[2] = made.chances[1, 2], 0.0004
    return replace(made, candidates=tuple(map(tuple, rows)), probabilities=chances)


TELLINGS = {
    "plain": (telling(), SQUARE),
    "onehot": (telling(sharp=4000.0), SQUARE),
    "hard": (telling(hard=True, kind="dot", numbers=160), SQUARE),
    "bilinear": (telling(kind="bilinear", apart=True, numbers=320), SQUARE),
    "wide": (telling(geometry=WIDE), WIDE),
    "long": (telling(tuple(f"word{i}" for i in range(24))), SQUARE),
    "unlikely": (unlikely(), SQUARE),
}
