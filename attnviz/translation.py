"""From a sentence through an encoder-decoder to numpy results: what a page draws.

The sentence is decoded first (`attnviz.decoding`), unwatched. Then one pass that is given the
translation records everything: a decoder that is given its own words computes what it computed when
it found them. Internals are read with taps.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from attnviz import decoding
from attnviz.text import END, PAD, START, Pieces, Sentence, Tokeniser, read_sentence
from attnviz.trace import Edit, record, taps

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
FIRST_STATES = ("fixed_vector", "initial_state")
CROSS = "cross_attn.weights"  # how the tap of a Transformer's attention over the source ends


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
            [context ; state] (T, 2d), attentional state (T, d). Without attention, states only; of
            a Transformer nothing (`attnviz.inside` has it).
        weights: (T, S), what each step looked at, rows sum to 1; of a Transformer the mean of the
            heads of the last layer but one, which aligns best (Garg et al. 2019,
            https://arxiv.org/abs/1909.02074); None for a model without attention.
        encoder_states: (S, d).
        first_state: (d,), what a recurrent decoder starts from; without attention, all it ever
            learns.
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
    weights: np.ndarray | None = field(repr=False)
    encoder_states: np.ndarray = field(repr=False)
    first_state: np.ndarray | None = field(repr=False)
    method: str
    seconds: float
    device: str

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
    edits: Mapping[str, Edit] | None = None,
    method: str = "greedy",
) -> Translation:
    """Decode freely: every piece is fed to the next step.

    Args:
        choose: `decoding.greedy` or a `decoding.sampler`; `method` names it.
        prefix: piece ids that the translation begins with; the model goes on from there.
        rows: step → attention weights over the S source pieces, used in place of the model's own;
            scaled to sum to 1.
        edits: what taps give in place of their tensors, as `record` takes it.

    Raises:
        SentenceError: nothing to read.
        ValueError: a forced row of the wrong length or without weight, or of a model without
            attention.
    """
    read = read_source(model, tokeniser, sentence)
    began = time.perf_counter()
    with edited(model, _forcing(model, rows, read.ids.shape[1]), edits):
        (found,) = decoding.decode(model, read.ids, choose=choose, prefix=prefix)
    with edited(model, _forcing(model, rows, read.ids.shape[1]), edits):
        return _followed(model, tokeniser, read, found.ids, method=method, began=began)


def follow(
    model: Any,
    tokeniser: Tokeniser,
    sentence: Sentence | str,
    ids: Sequence[int],
    *,
    asked: Sequence[int] | None = None,
    edits: Mapping[str, Edit] | None = None,
) -> Translation:
    """Teacher forcing: the steps get the pieces of a given translation (END last), not their own.

    `probabilities` are those of the given pieces; `candidates` what the model would have said.

    Args:
        asked: one piece a step, whose probability is wanted in place of the given piece's: what a
            reference costs a model that was given other words.
        edits: as in `translate`.
    """
    read = read_source(model, tokeniser, sentence)
    with edited(model, edits):
        return _followed(model, tokeniser, read, ids, asked=asked, method="teacher forcing")


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
    """Beam search; each translation's weights are its own."""
    read = read_source(model, tokeniser, sentence)
    began = time.perf_counter()
    with torch.inference_mode():
        beam = decoding.beam_search(
            model, read.ids, width=width, normalise=normalise, prefix=prefix
        )
    found = tuple(
        _followed(model, tokeniser, read, h.ids, method=f"beam of {width}", began=began)
        for h in beam.best
    )
    tree = tuple(tuple((h.ids, h.log_probability) for h in step) for step in beam.live)
    return Search(found, tree, normalise)


@dataclass(frozen=True)
class Source:
    """The sentence as it was let in, its pieces, and their ids (1, S) with END."""

    sentence: Sentence
    pieces: Pieces
    ids: Tensor


def read_source(model: Any, tokeniser: Tokeniser, sentence: Sentence | str) -> Source:
    """A sentence as a model reads it, on the model's device."""
    if isinstance(sentence, str):
        sentence = read_sentence(sentence)
    pieces = tokeniser.encode(sentence.text)
    device = next(model.parameters()).device
    return Source(sentence, pieces, torch.tensor([[*pieces.ids, END]], device=device))


@contextmanager
def edited(model: Any, *edits: Mapping[str, Edit] | None) -> Iterator[None]:
    """An inference under all of the edits, if there are any."""
    wanted = {name: edit for some in edits for name, edit in (some or {}).items()}
    with torch.inference_mode():
        if not wanted:
            yield
            return
        with record(model, edit=wanted):
            yield


def _forcing(model: Any, rows: Mapping[int, Sequence[float]] | None, size: int) -> dict[str, Edit]:
    """The edit that puts given attention rows in the place of the model's own.

    It counts the steps that it has seen, so it serves one run over one sentence.
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
    seen = 0

    def force(weights: Tensor) -> Tensor:
        nonlocal seen
        forced = weights.clone()  # (1, t, s)
        for t in range(weights.shape[1]):
            if (row := given.get(seen + t)) is not None:
                forced[:, t] = weights.new_tensor(row)
        seen += weights.shape[1]
        return forced

    return {"attention.weights": force}


def _followed(
    model: Any,
    tokeniser: Tokeniser,
    read: Source,
    ids: Sequence[int],
    *,
    asked: Sequence[int] | None = None,
    method: str,
    began: float | None = None,
) -> Translation:
    """One recorded pass over a given translation, and everything that it computed.

    Args:
        began: when the translation was begun, if finding it is part of the time.
    """
    began = time.perf_counter() if began is None else began
    given = read.ids.new_tensor([[START, *ids[:-1]]])
    names = list(taps(model))
    cross = [name for name in names if name.endswith(CROSS)][-2:][:1]
    wanted = [n for n in names if n in (*STAGES, *FIRST_STATES, *cross, "encoder_states")]
    with torch.inference_mode(), record(model, *wanted) as trace:
        memory, state = model.encode(read.ids)
        chances = decoding.next_token(model.decode(given, state, memory)[0][0]).exp()  # (T, v)
    seconds = time.perf_counter() - began
    caught = {name: _array(trace[name][0]) for name in trace.names()}
    best, candidates = chances.topk(min(TOP, tokeniser.size), -1)  # (T, k)
    wanted_ids = read.ids.new_tensor(ids if asked is None else asked)
    return Translation(
        sentence=read.sentence,
        pieces=read.pieces,
        source=(*read.pieces.texts, END_LABEL),
        target=tuple(label(tokeniser, id) for id in ids),
        ids=tuple(ids),
        text=tokeniser.decode(ids),
        finished=ids[-1] == END,
        probabilities=_array(chances.gather(1, wanted_ids[:, None])[:, 0]),
        candidates=candidates.cpu().numpy(),
        chances=_array(best),
        candidate_labels=tuple(
            tuple(label(tokeniser, id) for id in row) for row in candidates.tolist()
        ),
        stages={name: caught[name] for name in STAGES if name in caught},
        weights=caught[cross[0]].mean(0) if cross else caught.get("attention.weights"),
        encoder_states=caught["encoder_states"],
        first_state=next((caught[name] for name in FIRST_STATES if name in caught), None),
        method=method,
        seconds=seconds,
        device=str(read.ids.device),
    )


def label(tokeniser: Tokeniser, id: int) -> str:
    """A piece of a vocabulary as an axis shows it."""
    return END_LABEL if id == END else tokeniser.piece(id)


def _array(tensor: Tensor) -> np.ndarray:
    return tensor.float().cpu().numpy()
