"""Decoding: from a model that predicts the next token to a sentence, always ending.

Greedy, sampled and beam search over one interface, which every encoder-decoder here has:

    memory, state = model.encode(source)                       # source (b, s)
    logits, state = model.decode(tokens, state, memory)        # tokens (b, 1) → (b, 1, v)

Each hypothesis remembers in which row of the batch each of its tokens was predicted, so that what a
recording caught at that step (attention weights, states) follows its own beam:
``trace.steps("attention.weights")[t][hypothesis.rows[t]]``.

Search as in Bahdanau et al. 2015 (the beam narrows as hypotheses finish); length normalisation as
in Wu et al. 2016, https://arxiv.org/abs/1609.08144, §7, with the plain power of the length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor

from attnviz.text import END, PAD, START

NEVER = [PAD, START]  # what no sentence contains
LONGEST = 100  # tokens, whatever the source


class EncoderDecoder(Protocol):
    """What can be decoded. Memory and state are tuples of tensors whose first axis is the batch."""

    def encode(self, source: Tensor) -> tuple[Any, Any]: ...

    def decode(self, tokens: Tensor, state: Any, memory: Any) -> tuple[Tensor, Any]: ...


@dataclass(frozen=True)
class Hypothesis:
    """One decoded sentence.

    Args:
        ids: its tokens, with END if it was reached.
        rows: the batch row in which each token was predicted.
        log_probabilities: of each token, natural logarithm.
    """

    ids: tuple[int, ...] = ()
    rows: tuple[int, ...] = ()
    log_probabilities: tuple[float, ...] = ()

    @property
    def finished(self) -> bool:
        """Whether it ended by itself rather than at the limit."""
        return bool(self.ids) and self.ids[-1] == END

    @property
    def log_probability(self) -> float:
        """Of the whole sentence."""
        return sum(self.log_probabilities)

    def score(self, normalise: float = 0.0) -> float:
        """Log-probability divided by length to the power `normalise`; 0 leaves it as it is."""
        return self.log_probability / len(self.ids) ** normalise if self.ids else 0.0

    def extended(self, token: int, row: int, log_probability: float) -> Hypothesis:
        """One token longer."""
        return Hypothesis(
            (*self.ids, token), (*self.rows, row), (*self.log_probabilities, log_probability)
        )


def limit_for(source_tokens: int) -> int:
    """How many tokens a translation may have: twice the source and ten more, at most `LONGEST`."""
    return min(2 * source_tokens + 10, LONGEST)


def greedy(log_probabilities: Tensor) -> Tensor:
    """The likeliest token: (b, v) → (b,)."""
    return log_probabilities.argmax(-1)


def sampler(temperature: float, seed: int) -> Callable[[Tensor], Tensor]:
    """Draws tokens at a temperature, repeatably; a small temperature nears `greedy`."""
    generator = torch.Generator().manual_seed(seed)

    def draw(log_probabilities: Tensor) -> Tensor:
        chances = (log_probabilities.cpu() / temperature).softmax(-1)
        return torch.multinomial(chances, 1, generator=generator)[:, 0].to(log_probabilities.device)

    return draw


def decode(
    model: EncoderDecoder,
    source: Tensor,
    *,
    choose: Callable[[Tensor], Tensor] = greedy,
    prefix: Sequence[int] = (),
    limit: int | None = None,
) -> list[Hypothesis]:
    """Token by token, one sentence for each row of the source (b, s).

    Args:
        choose: log-probabilities (b, v) → tokens (b,): `greedy` or a `sampler`.
        prefix: tokens that every sentence begins with; the model goes on from there.
        limit: most tokens; ``limit_for`` the source by default. Reached without END, a sentence is
            returned unfinished.
    """
    limit = limit or limit_for(source.shape[1])
    memory, state = model.encode(source)
    found = [Hypothesis() for _ in source]
    tokens = torch.full((len(source), 1), START, device=source.device)
    for t in range(limit):
        logits, state = model.decode(tokens, state, memory)
        chances = next_token(logits[:, -1])  # (b, v)
        given = tokens.new_full((len(source),), prefix[t]) if t < len(prefix) else None
        chosen = choose(chances) if given is None else given
        reached = chances.gather(1, chosen[:, None])[:, 0].tolist()
        for row, (token, chance) in enumerate(zip(chosen.tolist(), reached, strict=True)):
            if not found[row].finished:
                found[row] = found[row].extended(token, row, chance)
        if all(hypothesis.finished for hypothesis in found):
            break
        tokens = chosen[:, None]
    return found


@dataclass(frozen=True)
class Beam:
    """What a beam search saw.

    Args:
        best: hypotheses, the best first; those that reached END lead.
        live: the hypotheses that were kept after each step, the likeliest first, finished ones
            among them: the tree of the search.
    """

    best: tuple[Hypothesis, ...]
    live: tuple[tuple[Hypothesis, ...], ...]


def beam_search(
    model: EncoderDecoder,
    source: Tensor,
    *,
    width: int = 4,
    normalise: float = 1.0,
    prefix: Sequence[int] = (),
    limit: int | None = None,
) -> Beam:
    """Keep the `width` likeliest beginnings of one sentence, source (1, s).

    A width of 1 is greedy decoding. Each finished hypothesis takes its place out of the beam, so
    the search ends after `width` of them or at the limit.

    Raises:
        ValueError: a width below 1, or more than one source.
    """
    if width < 1 or len(source) != 1:
        raise ValueError(f"a beam of {width} over {len(source)} sources: need 1 or more, over 1")
    limit = limit or limit_for(source.shape[1])
    memory, state = model.encode(source)
    live = [Hypothesis()]
    finished: list[Hypothesis] = []
    kept: list[tuple[Hypothesis, ...]] = []
    for t in range(limit):
        last = [hypothesis.ids[-1] if hypothesis.ids else START for hypothesis in live]
        tokens = torch.tensor(last, device=source.device)[:, None]  # (n, 1)
        logits, state = model.decode(tokens, state, memory)
        chances = next_token(logits[:, -1]).cpu()  # (n, v)
        grown = _grow(live, chances, width - len(finished), prefix[t] if t < len(prefix) else None)
        kept.append(tuple(grown))
        finished += [hypothesis for hypothesis in grown if hypothesis.finished]
        live = [hypothesis for hypothesis in grown if not hypothesis.finished]
        if not live:
            break
        parents = torch.tensor([h.rows[-1] for h in live], device=source.device)
        state, memory = rows(state, parents), rows(memory, parents)
    ranked = [sorted(part, key=lambda h: -h.score(normalise)) for part in (finished, live)]
    return Beam((*ranked[0], *ranked[1]), tuple(kept))


def _grow(
    live: list[Hypothesis], chances: Tensor, count: int, forced: int | None
) -> list[Hypothesis]:
    """The `count` likeliest continuations of the live hypotheses, the likeliest first."""
    if forced is not None:
        return [h.extended(forced, row, chances[row, forced].item()) for row, h in enumerate(live)]
    so_far = torch.tensor([hypothesis.log_probability for hypothesis in live], dtype=torch.float64)
    totals = so_far[:, None] + chances.double()  # (n, v)
    best = totals.flatten().topk(min(count, totals.numel())).indices.tolist()
    places = [divmod(index, chances.shape[1]) for index in best]
    return [
        live[row].extended(token, row, chances[row, token].item())
        for row, token in places
        if chances[row, token] > -torch.inf
    ]


def next_token(logits: Tensor) -> Tensor:
    """Log-probabilities in float32, without what no sentence contains: (b, v) → (b, v)."""
    barred = logits.float().clone()
    barred[:, NEVER] = -torch.inf
    return barred.log_softmax(-1)


def rows(tensors: Any, index: Tensor) -> Any:
    """The given batch rows of every tensor in a tuple (a memory, a state), and of tuples in it."""
    if isinstance(tensors, Tensor):
        return tensors[index]
    chosen = [rows(tensor, index) for tensor in tensors]
    return type(tensors)(*chosen) if hasattr(tensors, "_fields") else tuple(chosen)
