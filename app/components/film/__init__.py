"""The film: one sentence's alignment at every kept step of a training, to scrub and to play."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from app.components.mount import check_bytes, fingerprint, mount, pack, register
from attnviz.figures.theme import Colours, colour_table

_RENDER = register("film", __file__)


def film(
    weights: np.ndarray,
    probabilities: np.ndarray,
    *,
    source: Sequence[str],
    target: Sequence[str],
    steps: Sequence[int],
    says: Sequence[str],
    key: str,
    frame: int | None = None,
    colours: Colours = "viridis",
    name: str = "training",
    on_change: Callable[[int | None], None] | None = None,
) -> int | None:
    """Show one frame large and all of them small; return the one that the visitor stopped at.

    Scrubbing, playing and hovering happen in the browser; the page hears where they end.

    Args:
        weights: (frames, target, source) uint8; a weight is ``byte / 255``.
        probabilities: (frames, target) uint8, likewise: of each target piece.
        source, target: pieces on the axes, the same in every frame.
        steps: of the training, one a frame.
        says: what the model wrote by itself at each step.
        frame: the one that the page wants shown; the last if None.
        name: of the downloaded files.
        on_change: called with the frame before the rerun.

    Raises:
        ValueError: the arrays, texts or the frame do not fit.
    """
    frames = len(steps)
    shape = (frames, len(target), len(source))
    weights = check_bytes("weights", weights, shape, "frames, target, source")
    probabilities = check_bytes("probabilities", probabilities, shape[:2], "frames, target")
    if len(says) != frames or not frames:
        raise ValueError(f"{len(says)} texts for {frames} frames")
    if frame is not None and not 0 <= frame < frames:
        raise ValueError(f"no frame {frame}: frames are 0–{frames - 1}")
    facts = {
        "source": list(source),
        "target": list(target),
        "steps": list(map(int, steps)),
        "says": list(says),
        "name": name,
        "vmax": 1.0,
        "scale": "the same scale at every step",
    }

    def message(fields: dict[str, Any]) -> bytes:
        table = colour_table(colours)
        return pack(facts | fields, colours=table, weights=weights, probabilities=probabilities)

    def accept(value: Any) -> int | None:
        return value if type(value) is int and 0 <= value < frames else None

    return mount(
        _RENDER,
        key=key,
        message=message,
        subject=fingerprint(repr((facts["source"], facts["target"], facts["steps"])).encode()),
        asked=frame,
        accept=accept,
        on_change=on_change,
    )
