"""From a sentence through an encoder to numpy results: its attention, its states, its vector."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from attnviz.text import Pieces, Sentence, WordPiece, foreign, read_sentence
from attnviz.text.tokeniser import LIMIT_PIECES
from attnviz.text.wordpiece import CLS, SEP
from attnviz.trace import record

WEIGHTS = "layers.*.self_attn.weights"
STATES = "layers.*.residual"


@dataclass(frozen=True)
class Encoding:
    """One sentence through an encoder; T tokens, [CLS] and [SEP] among them.

    Attributes:
        sentence: what was read.
        pieces: the same in the vocabulary, without [CLS] and [SEP].
        weights: (layers, heads, T, T) float32; rows are queries and sum to 1.
        stream: (layers + 1, T, d), the state of each token before and after each layer.
        embedding: (d,), the mean of the last states, of length 1.
        seconds: wall time of the pass, recording included.
    """

    sentence: Sentence
    pieces: Pieces
    weights: np.ndarray = field(repr=False)
    stream: np.ndarray = field(repr=False)
    embedding: np.ndarray = field(repr=False)
    seconds: float
    device: str

    @property
    def labels(self) -> tuple[str, ...]:
        """What the axes are labelled with, [CLS] first and [SEP] last."""
        return (CLS, *self.pieces.texts, SEP)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know: what was cut, unknown, or is not English."""
        warning = foreign(self.sentence.text, "en")
        return (*self.sentence.notes, *self.pieces.notes, *warning)

    def words(self) -> tuple[list[list[int]], tuple[str, ...]]:
        """Tokens by word, and the words as they were typed; [CLS] and [SEP] are words as well."""
        groups = self.pieces.words()
        spans = [(self.pieces.spans[g[0]][0], self.pieces.spans[g[-1]][1]) for g in groups]
        inner = [[1 + piece for piece in group] for group in groups]
        names = [self.sentence.text[start:end] for start, end in spans]
        return [[0], *inner, [len(self.pieces) + 1]], (CLS, *names, SEP)


def encode(
    model: Any, tokeniser: WordPiece, sentence: Sentence | str, *, limit: int = LIMIT_PIECES
) -> Encoding:
    """Run one sentence and keep what every layer computed.

    Args:
        model: a `Bert`.
        limit: pieces that are read at most.

    Raises:
        SentenceError: nothing to read.
        ValueError: the limit is beyond the positions that the model learned.
    """
    read = read_sentence(sentence) if isinstance(sentence, str) else sentence
    pieces = tokeniser.encode(read.text, limit)
    device = next(model.parameters()).device
    tokens = torch.tensor([[tokeniser.start, *pieces.ids, tokeniser.end]], device=device)  # (1, t)
    start = time.perf_counter()
    with torch.inference_mode(), record(model, "embedded", WEIGHTS, STATES) as trace:
        states = model(tokens)
        embedding = model.sentence(states, tokens)[0].float().cpu()  # waits for the device
    return Encoding(
        sentence=read,
        pieces=pieces,
        weights=_array(torch.cat(trace.match(WEIGHTS))),
        stream=_array(torch.cat([trace["embedded"], *trace.match(STATES)])),
        embedding=_array(embedding),
        seconds=time.perf_counter() - start,
        device=str(device),
    )


def similarity(a: Encoding, b: Encoding) -> float:
    """The cosine of two sentences' vectors, −1 to 1."""
    return float(a.embedding @ b.embedding)


def _array(tensor: torch.Tensor) -> np.ndarray:
    return tensor.float().cpu().numpy()
