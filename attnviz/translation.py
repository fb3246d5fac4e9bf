"""From a sentence through an encoder-decoder to numpy results: what a page draws.

One run keeps everything that a decoding step computes, so that views only slice it. Decoding itself
is in `attnviz.decoding`; internals are read with taps.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from attnviz import decoding
from attnviz.decoding import Hypothesis
from attnviz.text import END, PAD, START, Pieces, Sentence, Tokeniser, read_sentence
from attnviz.trace import Edit, Trace, record, taps

TOP = 8  # candidates kept of each step
END_LABEL = "</s>"
STAGES = (
    "decoder_states",
    "attention.scores",
    "attention.weights",
    "attention.context",
    "attention.concatenated",
    "attention.output",
)
BEFORE = ("encoder_states", "fixed_vector", "initial_state")  # caught before the first step


@dataclass(frozen=True)
class Translation:
    """One sentence through one model, step by step. S source pieces with END, T target pieces.

    Args:
        sentence: what was read; its notes and the pieces' say what was cut or unknown.
        pieces: the source's pieces, without END (labels have it).
        source, target: what the axes are labelled with, END last if it was reached.
        ids: of the target pieces.
        text: the translation.
        finished: whether it ended by itself rather than at the limit.
        probabilities: (T,) of each target piece, given those before it.
        candidates, chances: (T, k) ids and probabilities of the likeliest pieces of each step.
        candidate_labels: their texts.
        stages: tap name → (T, …): decoder states (T, d), scores and weights (T, S), context (T, d),
            [context ; state] (T, 2d), attentional state (T, d). Without attention, states only.
        encoder_states: (S, d).
        first_state: (d,), what the decoder starts from; without attention, all it ever learns.
        method: how it was decoded, in words.
    """

    sentence: Sentence
    pieces: Pieces
    source: tuple[str, ...]
    target: tuple[str, ...]
    ids: tuple[int, ...]
    text: str
    finished: bool
    probabilities: np.ndarray
    candidates: np.ndarray
    chances: np.ndarray
    candidate_labels: tuple[tuple[str, ...], ...]
    stages: dict[str, np.ndarray] = field(repr=False)
    encoder_states: np.ndarray = field(repr=False)
    first_state: np.ndarray = field(repr=False)
    method: str
    seconds: float
    device: str

    @property
    def weights(self) -> np.ndarray | None:
        """Attention (T, S), rows sum to 1; None for a model without."""
        return self.stages.get("attention.weights")

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know: what was cut, unknown, or did not end."""
        unfinished = f"The model did not end: stopped after {len(self.ids)} pieces."
        ended = () if self.finished else (unfinished,)
        return (*self.sentence.notes, *self.pieces.notes, *ended)

    @property
    def losses(self) -> np.ndarray:
        """(T,) surprise of each target piece, −log p in nats."""
        return -np.log(np.maximum(self.probabilities, 1e-12))


def translate(
    model: Any,
    tokeniser: Tokeniser,
    sentence: Sentence | str,
    *,
    choose: Callable[[Tensor], Tensor] = decoding.greedy,
    prefix: Sequence[int] = (),
    rows: Mapping[int, Sequence[float]] | None = None,
    method: str = "greedy",
) -> Translation:
    """Decode freely: every piece is fed to the next step.

    Args:
        choose: `decoding.greedy` or a `decoding.sampler`; `method` names it.
        prefix: piece ids that the translation begins with; the model goes on from there.
        rows: step → attention weights over the S source pieces, used in place of the model's own;
            scaled to sum to 1.

    Raises:
        SentenceError: nothing to read.
        ValueError: a forced row of the wrong length or without weight, or of a model without
            attention.
    """
    sentence, pieces, source = _read(model, tokeniser, sentence)
    with _recorded(model, _forcing(model, rows or {}, source.shape[1])) as recording:
        (found,) = decoding.decode(model, source, choose=choose, prefix=prefix)
    return _translation(recording, tokeniser, sentence, pieces, found, method)


def follow(
    model: Any,
    tokeniser: Tokeniser,
    sentence: Sentence | str,
    ids: Sequence[int],
    *,
    asked: Sequence[int] | None = None,
) -> Translation:
    """Teacher forcing: the steps get the pieces of a given translation (END last), not their own.

    `probabilities` are those of the given pieces; `candidates` what the model would have said.

    Args:
        asked: one piece a step, whose probability is wanted in place of the given piece's: what a
            reference costs a model that was given other words.
    """
    sentence, pieces, source = _read(model, tokeniser, sentence)
    given = source.new_tensor([[START, *ids]])
    wanted = source.new_tensor([ids if asked is None else asked])
    with _recorded(model, {}) as recording:
        memory, state = model.encode(source)
        chances = decoding.next_token(model.decode(given[:, :-1], state, memory)[0][0])  # (T, v)
    reached = chances.gather(1, wanted[0, :, None])[:, 0].tolist()
    found = Hypothesis(tuple(ids), (0,) * len(ids), tuple(reached))
    return _translation(recording, tokeniser, sentence, pieces, found, "teacher forcing")


@torch.inference_mode()
def translate_all(
    model: Any, tokeniser: Tokeniser, texts: Sequence[str], *, size: int = 100
) -> list[str]:
    """Greedy translations of many sentences, in order, `size` at once and alike in length.

    Args:
        model: in eval mode.
        texts: as `read_sentence` gives them.
    """
    device = next(model.parameters()).device
    ids = [[*tokeniser.encode(text).ids, END] for text in texts]
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    found = [""] * len(ids)
    for start in range(0, len(order), size):
        group = order[start : start + size]
        answers = decoding.decode(model, padded([ids[i] for i in group]).to(device))
        for i, answer in zip(group, answers, strict=True):
            found[i] = tokeniser.decode(answer.ids)
    return found


def padded(rows: Sequence[Sequence[int]]) -> Tensor:
    """Rows of ids as one tensor (b, longest), filled up with PAD."""
    return nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], True, PAD)


@dataclass(frozen=True)
class Search:
    """A beam search: complete translations, the best first, and the tree of what was kept.

    Args:
        tree: for each step the kept beginnings, the likeliest first: (ids, log-probability).
        normalise: the power of the length that log-probabilities are divided by.
    """

    translations: tuple[Translation, ...]
    tree: tuple[tuple[tuple[tuple[int, ...], float], ...], ...]
    normalise: float


def search(
    model: Any,
    tokeniser: Tokeniser,
    sentence: Sentence | str,
    *,
    width: int = 4,
    normalise: float = 1.0,
    prefix: Sequence[int] = (),
) -> Search:
    """Beam search; each translation's weights are those of its own beam."""
    sentence, pieces, source = _read(model, tokeniser, sentence)
    with _recorded(model, {}) as recording:
        beam = decoding.beam_search(model, source, width=width, normalise=normalise, prefix=prefix)
    found = tuple(
        _translation(recording, tokeniser, sentence, pieces, h, f"beam of {width}")
        for h in beam.best
    )
    tree = tuple(tuple((h.ids, h.log_probability) for h in step) for step in beam.live)
    return Search(found, tree, normalise)


@dataclass
class _Recording:
    """A run that was recorded, where and for how long."""

    trace: Trace
    device: str
    seconds: float = 0.0

    def once(self, name: str) -> np.ndarray:
        """What a tap caught before decoding began, without the batch."""
        return _array(self.trace[name][0])

    def path(self, name: str, rows: Sequence[int]) -> np.ndarray:
        """What a tap caught along one hypothesis, (T, …), stepwise or all steps at once."""
        steps = self.trace.steps(name)
        if len(steps) == 1:
            return _array(steps[0][0, : len(rows)])
        return np.stack([_array(step[row, 0]) for step, row in zip(steps, rows, strict=False)])


@contextmanager
def _recorded(model: Any, edits: Mapping[str, Edit]) -> Iterator[_Recording]:
    known = taps(model)
    wanted = [name for name in (*STAGES, *BEFORE, "logits") if name in known]
    with torch.inference_mode(), record(model, *wanted, edit=edits) as trace:
        recording = _Recording(trace, str(next(model.parameters()).device))
        began = time.perf_counter()
        yield recording
        recording.seconds = time.perf_counter() - began


def _read(
    model: Any, tokeniser: Tokeniser, sentence: Sentence | str
) -> tuple[Sentence, Pieces, Tensor]:
    """The sentence as it was let in, its pieces, and the source (1, S) with END."""
    if isinstance(sentence, str):
        sentence = read_sentence(sentence)
    pieces = tokeniser.encode(sentence.text)
    device = next(model.parameters()).device
    return sentence, pieces, torch.tensor([[*pieces.ids, END]], device=device)


def _forcing(model: Any, rows: Mapping[int, Sequence[float]], size: int) -> dict[str, Edit]:
    """The edit that puts given attention rows in the place of the model's own.

    It counts the steps that it has seen, so it serves one decoding of one sentence.
    """
    if not rows:
        return {}
    if "attention.weights" not in taps(model):
        raise ValueError("This model has no attention that could be forced.")
    given = {}
    for step, row in rows.items():
        weights = np.asarray(row, dtype=np.float64)
        if weights.shape != (size,) or not np.isfinite(weights).all() or (weights < 0).any():
            raise ValueError(f"A forced row needs {size} weights, none negative: step {step}.")
        if weights.sum() <= 0:
            raise ValueError(f"A forced row needs some weight: step {step} has none.")
        given[step] = weights / weights.sum()
    steps = itertools.count()

    def force(weights: Tensor) -> Tensor:
        row = given.get(next(steps))
        return weights if row is None else weights.new_tensor(row).expand_as(weights)

    return {"attention.weights": force}


def _translation(
    recording: _Recording,
    tokeniser: Tokeniser,
    sentence: Sentence,
    pieces: Pieces,
    found: Hypothesis,
    method: str,
) -> Translation:
    """Everything of one hypothesis, gathered from the rows in which its tokens were predicted."""
    trace = recording.trace
    logits = torch.from_numpy(recording.path("logits", found.rows))  # (T, v)
    chances, best = decoding.next_token(logits).exp().topk(min(TOP, tokeniser.size), -1)  # (T, k)
    labels = tuple(tuple(label(tokeniser, id) for id in row) for row in best.tolist())
    return Translation(
        sentence=sentence,
        pieces=pieces,
        source=(*pieces.texts, END_LABEL),
        target=tuple(label(tokeniser, id) for id in found.ids),
        ids=found.ids,
        text=tokeniser.decode(found.ids),
        finished=found.finished,
        probabilities=np.exp(np.array(found.log_probabilities, dtype=np.float32)),
        candidates=best.numpy(),
        chances=chances.numpy(),
        candidate_labels=labels,
        stages={name: recording.path(name, found.rows) for name in STAGES if name in trace},
        encoder_states=recording.once("encoder_states"),
        first_state=recording.once(next(name for name in BEFORE[1:] if name in trace)),
        method=method,
        seconds=recording.seconds,
        device=recording.device,
    )


def label(tokeniser: Tokeniser, id: int) -> str:
    """A piece of a vocabulary as an axis shows it."""
    return END_LABEL if id == END else tokeniser.piece(id)


def _array(tensor: Tensor) -> np.ndarray:
    return tensor.float().cpu().numpy()
