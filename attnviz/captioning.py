"""From a picture through a captioner to numpy results: what a page draws.

As in `attnviz.translation`, the caption is found first, unwatched; then one pass that is given its
words, under the same edits, records everything. Words and places can be forced.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attnviz import decoding
from attnviz.geometry import Geometry
from attnviz.text import END, START, Words
from attnviz.trace import Edit, record
from attnviz.translation import edited

LONGEST = 24  # words; captions of the bundled data have at most 17
TOP = 8  # candidates kept of each step
END_LABEL = "(end)"
ONCE = ("grid", "annotations", "keys", "mean", "initial_state")
STEPS = (
    "attention.scores",
    "attention.weights",
    "attention.looked",
    "attention.average",
    "attention.gate",
    "attention.context",
    "states",
    "deep_output",
)


@dataclass(frozen=True)
class Captioning:
    """One picture through one captioner, step by step. T words with END, n cells.

    Args:
        words: of each step, END last if it was reached.
        ids: their ids.
        text: the caption.
        finished: whether it ended by itself rather than at the limit.
        probabilities: (T,) of each word, given those before it.
        candidates, chances: (T, k) ids and probabilities of the likeliest words of each step.
        candidate_labels: their texts.
        weights: (T, rows, cols) where it looked before saying each word; each map sums to 1.
        gates: (T,) β, how much of what it saw was let in.
        stages: tap name → array: grid (n, c), annotations (n, a), keys (n, k), mean (a,),
            initial_state (d,), and for each step scores (T, n), average and
            context (T, a), states (T, d), …
        geometry: where the cells see.
        forced, guided: steps whose word, and whose attention, were given.
        method: how it was found, in words.
    """

    words: tuple[str, ...]
    ids: tuple[int, ...]
    text: str
    finished: bool
    probabilities: np.ndarray
    candidates: np.ndarray
    chances: np.ndarray
    candidate_labels: tuple[tuple[str, ...], ...]
    weights: np.ndarray = field(repr=False)
    gates: np.ndarray = field(repr=False)
    stages: dict[str, np.ndarray] = field(repr=False)
    geometry: Geometry
    forced: tuple[int, ...]
    guided: tuple[int, ...]
    method: str
    seconds: float
    device: str

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know: that it did not end."""
        return (
            () if self.finished else (f"The caption did not end: stopped after {LONGEST} words.",)
        )

    @property
    def losses(self) -> np.ndarray:
        """(T,) surprise of each word, −log p in nats."""
        return -np.log(np.maximum(self.probabilities, 1e-12))

    @property
    def coverage(self) -> np.ndarray:
        """(rows, cols) Σ_t α_t, how often each cell was looked at in all."""
        return self.weights.sum(0)

    @property
    def regulariser(self) -> float:
        """Σ_i (1 − Σ_t α_ti)², what training with equation 14 of the paper keeps small."""
        return float(np.square(1 - self.coverage).sum())


def describe(
    model: Any,
    words: Words,
    pixels: np.ndarray,
    *,
    prefix: Sequence[int] = (),
    where: Mapping[int, Sequence[float]] | None = None,
    choose: Callable[[Tensor], Tensor] = decoding.greedy,
    method: str = "greedy",
) -> Captioning:
    """Caption a picture freely.

    Args:
        pixels: (3, h, w), as the model's card preprocesses them.
        prefix: word ids that the caption begins with; the model goes on from there.
        where: step → weights over the n cells, used in place of the model's own; scaled to sum
            to 1.
        choose: `decoding.greedy` or a `decoding.sampler`; `method` names it.

    Raises:
        ValueError: a forced map of the wrong size, negative, or without weight.
    """
    began = time.perf_counter()
    given = _on(model, pixels)
    with edited(model, _looking(where)):
        (found,) = decoding.decode(model, given, choose=choose, prefix=prefix, limit=LONGEST)
    return _followed(
        model, words, given, found.ids, where=where, forced=len(prefix), method=method, began=began
    )


def follow(model: Any, words: Words, pixels: np.ndarray, ids: Sequence[int]) -> Captioning:
    """Teacher forcing: every step gets the words of a given caption (END last)."""
    given = _on(model, pixels)
    return _followed(
        model, words, given, ids, forced=len(ids), method="teacher forcing",
        began=time.perf_counter(),
    )  # fmt: skip


@dataclass(frozen=True)
class Search:
    """A beam search: complete captions, the best first, and the tree of what was kept.

    Args:
        tree: for each step the kept beginnings, the likeliest first: (ids, log-probability).
        normalise: the power of the length that log-probabilities are divided by.
    """

    captions: tuple[Captioning, ...]
    tree: tuple[tuple[tuple[tuple[int, ...], float], ...], ...]
    normalise: float


def search(
    model: Any,
    words: Words,
    pixels: np.ndarray,
    *,
    width: int = 4,
    normalise: float = 1.0,
    prefix: Sequence[int] = (),
) -> Search:
    """Beam search; each caption's weights are its own."""
    began = time.perf_counter()
    given = _on(model, pixels)
    with torch.inference_mode():
        beam = decoding.beam_search(
            model, given, width=width, normalise=normalise, prefix=prefix, limit=LONGEST
        )
    found = tuple(
        _followed(
            model, words, given, h.ids, forced=len(prefix), method=f"beam of {width}", began=began
        )
        for h in beam.best
    )
    tree = tuple(tuple((h.ids, h.log_probability) for h in step) for step in beam.live)
    return Search(found, tree, normalise)


def _on(model: Any, pixels: np.ndarray) -> Tensor:
    """One picture as a batch on the model's device."""
    return torch.from_numpy(pixels)[None].to(next(model.parameters()).device)


def _looking(where: Mapping[int, Sequence[float]] | None) -> dict[str, Edit]:
    """The edit that puts given maps in the place of the model's own.

    It counts the steps that it has seen, so it serves one run over one picture.
    """
    if not where:
        return {}
    given = {step: np.asarray(row, dtype=np.float64).ravel() for step, row in where.items()}
    seen = 0

    def force(weights: Tensor) -> Tensor:
        nonlocal seen
        row = given.get(seen)
        seen += 1
        return weights if row is None else weights.new_tensor(_scaled(row, weights.shape[-1]))[None]

    return {"attention.weights": force}


def _scaled(row: np.ndarray, cells: int) -> np.ndarray:
    """A forced map that sums to 1."""
    if row.shape != (cells,) or not np.isfinite(row).all() or (row < 0).any() or row.sum() <= 0:
        raise ValueError(f"A forced map needs {cells} weights, none negative and not all zero.")
    return row / row.sum()


def _followed(
    model: Any,
    words: Words,
    pixels: Tensor,
    ids: Sequence[int],
    *,
    where: Mapping[int, Sequence[float]] | None = None,
    forced: int,
    method: str,
    began: float,
) -> Captioning:
    """One recorded pass over a given caption, and everything that it computed."""
    given = torch.tensor([[START, *ids[:-1]]], device=pixels.device)
    with (
        torch.inference_mode(),
        record(model, *ONCE, *STEPS, edit=_looking(where)) as trace,
    ):
        memory, state = model.encode(pixels)
        chances = decoding.next_token(model.decode(given, state, memory)[0][0]).exp()  # (T, v)
    seconds = time.perf_counter() - began
    stages = {name: _array(trace[name][0]) for name in ONCE}
    stages |= {name: _array(torch.cat(trace.steps(name))) for name in STEPS}
    best, candidates = chances.topk(min(TOP, words.size), -1)  # (T, k)
    geometry = trace.geometry()
    return Captioning(
        words=tuple(label(words, id) for id in ids),
        ids=tuple(ids),
        text=words.decode(ids),
        finished=ids[-1] == END,
        probabilities=_array(chances[torch.arange(len(ids)), list(ids)]),
        candidates=candidates.cpu().numpy(),
        chances=_array(best),
        candidate_labels=tuple(
            tuple(label(words, id) for id in row) for row in candidates.tolist()
        ),
        weights=geometry.grid(stages["attention.weights"]),
        gates=stages["attention.gate"][:, 0],
        stages=stages,
        geometry=geometry,
        forced=tuple(range(min(forced, len(ids)))),
        guided=tuple(sorted(step for step in where or () if step < len(ids))),
        method=method,
        seconds=seconds,
        device=str(pixels.device),
    )


def label(words: Words, id: int) -> str:
    """A word as it is shown."""
    return END_LABEL if id == END else words.word(id)


def _array(tensor: Tensor) -> np.ndarray:
    return tensor.float().cpu().numpy()
