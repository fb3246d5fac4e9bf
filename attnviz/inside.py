"""Inside a Transformer: every head, every layer and every sum, over one sentence and translation.

One recorded pass that is given the translation; numpy comes out.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from attnviz import decoding
from attnviz.interventions import ATTENTIONS
from attnviz.models.transformer import Transformer
from attnviz.text import END, START, Sentence, Tokeniser
from attnviz.trace import Edit, Trace, record
from attnviz.translation import END_LABEL, TOP, edited, label, read_source

START_LABEL = "<s>"
BARE = ("look_ahead",)  # taps without a batch


@dataclass(frozen=True)
class Inside:
    """One run, N layers of h heads. S source pieces with END, T inputs of the decoder.

    Args:
        source: labels of the S positions of the encoder.
        inputs: labels of the T positions of the decoder, ``<s>`` first: what each was given.
        target: labels of the T pieces that the positions had to predict.
        stages: every tap by its name, without the batch: ``encoder.layers.0.self_attn.weights``
            (h, S, S), ``decoder.layers.0.add_norm1.summed`` (T, d), …
        chances: (N + 1, T, k), probabilities of the likeliest next pieces if the model ended with
            the embedding (row 0) or with a layer, read through its table (nostalgebraist 2020, "the
            logit lens"). Only the last layer was trained to be read so.
        ids: (N + 1, T, k) of these pieces; labels: their texts.
        right: (N + 1, T), probability of the piece that had to be predicted.
        ranks: (N + 1, T), how many pieces were likelier than it.
    """

    source: tuple[str, ...]
    inputs: tuple[str, ...]
    target: tuple[str, ...]
    stages: dict[str, np.ndarray] = field(repr=False)
    chances: np.ndarray = field(repr=False)
    ids: np.ndarray = field(repr=False)
    labels: tuple[tuple[tuple[str, ...], ...], ...] = field(repr=False)
    right: np.ndarray = field(repr=False)
    ranks: np.ndarray = field(repr=False)
    seconds: float
    device: str

    def layers(self, pattern: str) -> np.ndarray:
        """One stage of every layer: ``"decoder.layers.{}.add_norm1.output"`` → (N, T, d).

        Raises:
            LookupError: no such stage.
        """
        found: list[np.ndarray] = []
        while (name := pattern.format(len(found))) in self.stages:
            found.append(self.stages[name])
        if not found:
            raise LookupError(f"no stage {pattern!r}; there are {', '.join(self.stages)}")
        return np.stack(found)

    def weights(self, kind: str) -> np.ndarray:
        """All heads of one kind of attention: encoder (N, h, S, S), decoder (N, h, T, T), cross
        (N, h, T, S); rows sum to 1 over the keys."""
        return self.layers(ATTENTIONS[kind] + ".weights")

    def scores(self, kind: str) -> np.ndarray:
        """The same before the mask and the softmax."""
        return self.layers(ATTENTIONS[kind] + ".scores")

    def stream(self, stack: str) -> np.ndarray:
        """What enters the first layer and leaves each: (N + 1, positions, d)."""
        layers = self.layers(f"{stack}.layers.{{}}.residual")
        return np.concatenate([self.stages[f"{stack}.embedded"][None], layers])


def look_inside(
    model: Transformer,
    tokeniser: Tokeniser,
    sentence: Sentence | str,
    ids: Sequence[int],
    *,
    edits: Mapping[str, Edit] | None = None,
) -> Inside:
    """Give a Transformer a sentence and its translation (END last), and keep all it computes.

    Args:
        edits: what taps give in place of their tensors, as `record` takes it.
    """
    read = read_source(model, tokeniser, sentence)
    given = read.ids.new_tensor([[START, *ids[:-1]]])
    began = time.perf_counter()
    with edited(model, edits), record(model, "*") as trace:
        model(read.ids, given)
    with torch.inference_mode():
        chances = _by_layer(model, trace)  # (N + 1, T, v)
        best, places = chances.topk(min(TOP, tokeniser.size), -1)  # (N + 1, T, k)
    seconds = time.perf_counter() - began
    wanted = chances.new_tensor(ids, dtype=torch.long).expand(len(chances), 1, -1).mT
    right = chances.gather(2, wanted)  # (N + 1, T, 1)
    return Inside(
        source=(*read.pieces.texts, END_LABEL),
        inputs=(START_LABEL, *(label(tokeniser, id) for id in ids[:-1])),
        target=tuple(label(tokeniser, id) for id in ids),
        stages={name: _alone(trace, name) for name in trace.names()},
        chances=best.cpu().numpy(),
        ids=places.cpu().numpy(),
        labels=tuple(
            tuple(tuple(label(tokeniser, id) for id in row) for row in layer)
            for layer in places.tolist()
        ),
        right=right[..., 0].cpu().numpy(),
        ranks=(chances > right).sum(-1).cpu().numpy(),
        seconds=seconds,
        device=str(read.ids.device),
    )


def _by_layer(model: Transformer, trace: Trace) -> Tensor:
    """Next-piece probabilities if the model ended early, (N + 1, T, v)."""
    names = [f"decoder.layers.{n}.residual" for n in range(model.cfg.layers)]
    streams = torch.cat([trace[name] for name in ("decoder.embedded", *names)])  # (N + 1, T, d)
    logits = model.predict(model.decoder.norm(streams))
    return torch.stack([decoding.next_token(layer).exp() for layer in logits])


def _alone(trace: Trace, name: str) -> np.ndarray:
    """What a tap caught of the one sentence."""
    tensor = trace[name]
    return (tensor if name in BARE else tensor[0]).cpu().numpy()


ROUNDING = 1e-5  # of a probability: below it two runs are the same


@torch.inference_mode()
def head_effects(
    model: Transformer, tokeniser: Tokeniser, sentence: Sentence | str, ids: Sequence[int]
) -> dict[str, np.ndarray]:
    """What each head is worth: the change of a translation's log-probability without it.

    Every head is silenced alone, a layer's heads at once as rows of a batch.

    Returns:
        Kind of attention → (N, h), nats; negative where the translation becomes less likely.
    """
    read = read_source(model, tokeniser, sentence)
    given = read.ids.new_tensor([[START, *ids[:-1]]])
    wanted = read.ids.new_tensor(ids)[None, :, None]  # (1, T, 1)

    def likelihood(copies: int) -> Tensor:
        logits = model(read.ids.expand(copies, -1), given.expand(copies, -1))  # (c, T, v)
        chances = torch.stack([decoding.next_token(row) for row in logits])
        return chances.gather(2, wanted.expand(copies, -1, -1)).sum((1, 2))  # (c,)

    def each_alone(context: Tensor) -> Tensor:
        context = context.clone()  # (h, h, q, e): row i of the batch has no head i
        context[range(len(context)), range(len(context))] = 0
        return context

    before = likelihood(1)
    found = {}
    for kind, place in ATTENTIONS.items():
        changes = []
        for layer in range(model.cfg.layers):
            with record(model, edit={f"{place.format(layer)}.context": each_alone}):
                changes.append(likelihood(model.cfg.heads) - before)
        found[kind] = torch.stack(changes).cpu().numpy()
    return found


def leaks(
    model: Transformer,
    tokeniser: Tokeniser,
    sentence: Sentence | str,
    ids: Sequence[int],
    *,
    edits: Mapping[str, Edit] | None = None,
) -> np.ndarray:
    """Which predictions depend on which input: every input of the decoder exchanged, one at a time.

    Returns:
        (T, T): how far the probabilities of position i (row) moved at most when input j (column)
        became another piece; 0 where it is no more than `ROUNDING`. Above the diagonal lies what a
        look-ahead mask must prevent.
    """
    read = read_source(model, tokeniser, sentence)
    given = read.ids.new_tensor([[START, *ids[:-1]]])
    size = given.shape[1]
    first = END + 1  # the first piece that is no special one
    other = first + (given - first + 1).clamp(min=0) % (tokeniser.size - first)
    place = torch.eye(size, dtype=torch.bool, device=given.device)
    exchanged = torch.where(place, other, given)  # (T, T), row j with another input j
    with edited(model, edits):
        runs = model(read.ids.expand(size + 1, -1), torch.cat([given, exchanged]))  # (1 + T, T, v)
        chances = torch.stack([decoding.next_token(row).exp() for row in runs])
    moved = (chances[1:] - chances[:1]).abs().amax(-1).T  # (i, j)
    return torch.where(moved > ROUNDING, moved, 0.0).cpu().numpy()
