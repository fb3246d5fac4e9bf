"""Additive scores against dot products: the same complexity, another price, another softmax.

Additive (Bahdanau et al. 2015, arXiv:1409.0473): vᵀ tanh(W q + U k). Dot product, scaled (Vaswani
et al. 2017, arXiv:1706.03762, section 3.2.1): q·k/√d. n queries over n keys of size d are O(n²d)
operations for both, but the additive score holds n²d numbers at once where the dot product is one
matrix multiplication with n² results.

    n queries and keys · d size of a key · r draws · s sizes
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import torch
from torch import Tensor

from attnviz.attention_studies.scaling import (
    SIZES,
    Softmax,
    describe,
    random_vectors,
    stacked,
)
from attnviz.layers.attention import attend
from attnviz.measuring import Point, peak_bytes, repeated
from attnviz.models.seq2seq_attention import MLPScore
from attnviz.trace import Tap

KINDS = ("additive", "dot product, not scaled", "dot product, scaled")
DRAWN = 50  # queries
PRICED = ("additive", "dot product, written out", "dot product, fused")
LENGTHS = (16, 32, 64, 128, 256, 512)
LONGEST = 512  # keys: at a size of 64 the additive score then makes tensors of 64 MB


def quality(
    keys: int, *, sizes: Sequence[int] = SIZES, draws: int = DRAWN, seed: int = 0
) -> Softmax:
    """Softmaxes over fresh scores of the three `KINDS`, arrays (3, s, r).

    Queries and keys are random, components from N(0, 1); the MLP's weights are fresh, too, one MLP
    a size, initialised as torch does.
    """
    query, key = random_vectors(keys, max(sizes), draws, seed)  # (r, 1, d), (r, n, d)
    kinds: list[list[Softmax]] = [[], [], []]
    for size in sizes:
        q, k = query[..., :size], key[..., :size]
        products = (q @ k.mT)[:, 0].double()  # (r, n)
        found = (
            additive_scores(fresh_score(size, seed), q, k),
            (products, k),
            (products * size**-0.5, k * size**-0.5),
        )
        for kind, (scores, slopes) in zip(kinds, found, strict=True):
            kind.append(describe(scores, slopes))
    return stacked(kinds)


def fresh_score(size: int, seed: int = 0) -> MLPScore:
    """An MLP score with random weights."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return MLPScore(size).eval()


@torch.inference_mode()
def additive_scores(score: MLPScore, query: Tensor, key: Tensor) -> tuple[Tensor, Tensor]:
    """Scores (r, n) of queries (r, 1, d) over keys (r, n, d), and ∂score/∂q (r, n, d)."""
    made = score.keys(key)
    inner = (score.query(query) + made).tanh()  # (r, n, d)
    slopes = (score.v.weight[0] * (1 - inner.square())) @ score.query.weight  # vᵀ diag(1 − t²) W
    return score(query, made)[:, 0].double(), slopes


Attention = Callable[[Tensor, Tensor, Tensor], Tensor]


def attentions(size: int, seed: int = 0) -> dict[str, Attention]:
    """`PRICED` by name, from queries, keys and values (1, n, d) to contexts (1, n, d)."""
    score = fresh_score(size, seed)
    scores, weights, watching = Tap("b h q k"), Tap("b h q k"), _Watched("b h q k")

    def additive(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return score(q, score.keys(k)).softmax(-1) @ v

    def dot(tap: Tap) -> Attention:
        return lambda q, k, v: attend(
            q[None], k[None], v[None], scores_tap=scores, weights_tap=tap
        )[0]

    return {
        "additive": additive,
        "dot product, written out": dot(watching),
        "dot product, fused": dot(weights),
    }


class _Watched(Tap):
    """A tap that is always watched, so that `attend` takes the written-out path."""

    watched = True


@torch.inference_mode()
def price(kind: str, keys: int, size: int, *, seed: int = 0) -> Point:
    """The time and the memory of self-attention over `keys` random vectors, on the CPU.

    Raises:
        ValueError: no such kind, or a number out of range.
    """
    runs = attentions(size, seed)
    if kind not in runs or not 1 <= keys <= LONGEST:
        raise ValueError(f"{kind} over {keys} keys: one of {', '.join(runs)}, 1 to {LONGEST} keys")
    generator = torch.Generator().manual_seed(seed)
    q, k, v = (torch.randn(1, keys, size, generator=generator) for _ in range(3))

    def run() -> None:
        runs[kind](q, k, v)

    return Point(kind, keys, repeated(run), peak_bytes(run), datetime.now(UTC))
