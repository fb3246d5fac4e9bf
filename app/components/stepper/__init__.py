"""The step player: every step of a translation, walked through stage by stage in the browser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.components.mount import fingerprint, mount, pack, register, signed_bytes
from attnviz.figures.theme import ACCENT, CATEGORICAL

_RENDER = register("stepper", __file__)

STAGES = ("scores", "softmax", "context", "concatenation", "prediction")

Place = tuple[int, int]  # (step, stage)


@dataclass(frozen=True)
class Walk:
    """What there is to walk through: S source pieces, T steps, d channels, k candidates.

    Args:
        source, target: (S,), (T,) pieces.
        unknown: source pieces that the model was never shown.
        kind: of the scores: ``"dot"``, ``"bilinear"`` or ``"mlp"``.
        scores, weights: (T, S).
        encoder_states: (S, d).
        states, contexts, outputs: (T, d): s, c and s̃ of each step.
        candidates, chances: (T, k) pieces and probabilities, the likeliest first.
        probabilities: (T,) of the target pieces.
        picked: (T,) which candidate was written, −1 if it is not among them.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    unknown: tuple[int, ...]
    kind: str
    scores: np.ndarray
    weights: np.ndarray
    encoder_states: np.ndarray
    states: np.ndarray
    contexts: np.ndarray
    outputs: np.ndarray
    candidates: tuple[tuple[str, ...], ...]
    chances: np.ndarray
    probabilities: np.ndarray
    picked: tuple[int, ...]


def stepper(walk: Walk, *, key: str, asked: Place | None = None, name: str = "step") -> Place:
    """Show a decoding step by step, and return the (step, stage) at which the visitor rests.

    Stepping, playing and hovering happen in the browser; only where the visitor comes to rest is
    reported. Scores, weights and probabilities travel exactly; states as bytes around zero, cut off
    at the 99.5th percentile of what encoder and decoder hold.

    Args:
        asked: where the page wants to begin; another translation begins at the first step.
        name: of the downloaded files.

    Raises:
        ValueError: arrays or the wish do not fit.
    """
    check(walk)
    steps = len(walk.target)
    if asked is not None and not _fits(asked, steps):
        raise ValueError(f"no stage {asked} in {steps} steps of {len(STAGES)} stages")
    vectors = {
        "encoder": walk.encoder_states,
        "states": walk.states,
        "contexts": walk.contexts,
        "outputs": walk.outputs,
    }
    held = np.concatenate([walk.encoder_states, walk.states])
    reach = float(np.quantile(np.abs(held), 0.995)) or 1.0
    exact = {
        "scores": walk.scores,
        "weights": walk.weights,
        "chances": walk.chances,
        "probabilities": walk.probabilities,
    }
    blocks: dict[str, Any] = {k: np.ascontiguousarray(v, np.float32) for k, v in exact.items()}
    blocks |= {k: signed_bytes(v, reach) for k, v in vectors.items()}
    facts = {
        "source": walk.source,
        "target": walk.target,
        "unknown": walk.unknown,
        "kind": walk.kind,
        "candidates": walk.candidates,
        "picked": walk.picked,
        "channels": walk.states.shape[1],
        "reach": reach,
        "signs": [CATEGORICAL[1], ACCENT],  # below zero, above
        "name": name,
    }

    def message(fields: dict[str, Any]) -> bytes:
        return pack(facts | fields, **blocks)

    def accept(value: Any) -> Place | None:
        whole = isinstance(value, list) and [type(v) for v in value] == [int, int]
        return (value[0], value[1]) if whole and _fits(value, steps) else None

    # Another model that writes the same goes on at the same place.
    subject = fingerprint(repr((walk.source, walk.target)).encode())
    chosen = mount(_RENDER, key=key, message=message, subject=subject, asked=asked, accept=accept)
    return chosen or (0, 0)


def check(walk: Walk) -> None:
    """Whether everything has the sizes that source, target and states give.

    Raises:
        ValueError: something has not; it is named, with both shapes.
    """
    steps, pieces, channels = len(walk.target), len(walk.source), walk.states.shape[-1]
    if not steps or not pieces:
        raise ValueError(f"nothing to walk through: {steps} steps over {pieces} pieces")
    if walk.kind not in ("dot", "bilinear", "mlp"):
        raise ValueError(f"scores are dot, bilinear or mlp, not {walk.kind!r}")
    count = len(walk.candidates[0]) if walk.candidates else 0
    shapes = {
        "scores": (steps, pieces),
        "weights": (steps, pieces),
        "encoder_states": (pieces, channels),
        "states": (steps, channels),
        "contexts": (steps, channels),
        "outputs": (steps, channels),
        "chances": (steps, count),
        "probabilities": (steps,),
    }
    for name, shape in shapes.items():
        found = getattr(walk, name).shape
        if found != shape:
            raise ValueError(f"{name}: expected shape {shape}, got {found}")
    for name in ("picked", "candidates"):
        if len(getattr(walk, name)) != steps:
            raise ValueError(f"{name}: expected {steps} of them, got {len(getattr(walk, name))}")


def _fits(place: Any, steps: int) -> bool:
    return 0 <= place[0] < steps and 0 <= place[1] < len(STAGES)
