"""Why scores are divided by √d: what becomes of a softmax as keys get longer.

Vaswani et al. 2017, "Attention Is All You Need" (arXiv:1706.03762), section 3.2.1: if the
components of q and k are independent with mean 0 and variance 1, q·k has mean 0 and variance d; the
softmax of such scores saturates, and its gradient vanishes.

    r draws · n keys · d size of a key · s sizes
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
DRAWS = 100
SPREAD = (10, 90)  # percentiles that a band reaches from and to
UNSCALED, SCALED = 0, 1


@dataclass(frozen=True)
class Softmax:
    """What a softmax over n scores is like, for each of many rows of scores.

    Args:
        entropy: bits, at most log2 n.
        largest: the largest weight.
        by_scores: ‖∂weights/∂scores‖, Frobenius.
        by_query: ‖∂weights/∂q‖, Frobenius.
    """

    entropy: np.ndarray
    largest: np.ndarray
    by_scores: np.ndarray
    by_query: np.ndarray


@dataclass(frozen=True)
class Scaling:
    """Softmaxes over products of random queries and keys, by the size of a key.

    Args:
        sizes: (s,) d.
        products: (s, r, n) q·k, unscaled.
        variance: (s,) of them, over all draws and keys; expected: d.
        softmax: of q·k and of q·k/√d; arrays (2, s, r), the unscaled first.
    """

    sizes: tuple[int, ...]
    products: np.ndarray
    variance: np.ndarray
    softmax: Softmax
    seed: int

    @property
    def keys(self) -> int:
        """n."""
        return self.products.shape[2]


def scaling(
    keys: int, *, sizes: Sequence[int] = SIZES, draws: int = DRAWS, seed: int = 0
) -> Scaling:
    """Many random queries, each over `keys` random keys; all components from N(0, 1).

    One draw serves every size: its first d components are the vectors of size d.

    Raises:
        ValueError: fewer than two keys, or a number below 1.
    """
    if keys < 2 or min(draws, *sizes) < 1:
        raise ValueError(f"{keys} keys, {draws} draws, sizes {sizes}: 2 keys or more, others 1")
    query, key = random_vectors(keys, max(sizes), draws, seed)  # (r, 1, d), (r, n, d)
    sums = (query * key).cumsum(-1)  # (r, n, d): q·k of every size
    products = sums[..., torch.tensor(sizes) - 1].double().movedim(-1, 0)  # (s, r, n)
    kinds = [
        [
            describe(row * factor, key[..., :size] * factor)
            for row, size in zip(products, sizes, strict=True)
            for factor in [size**-0.5 if scaled else 1.0]
        ]
        for scaled in (False, True)
    ]
    return Scaling(
        tuple(sizes),
        products.float().numpy(),
        products.var(dim=(1, 2)).numpy(),
        stacked(kinds),
        seed,
    )


def random_vectors(keys: int, size: int, draws: int, seed: int) -> tuple[Tensor, Tensor]:
    """Queries (draws, 1, size) and keys (draws, keys, size) from N(0, 1)."""
    generator = torch.Generator().manual_seed(seed)
    both = torch.randn(draws, keys + 1, size, generator=generator)
    return both[:, :1], both[:, 1:]


def describe(scores: Tensor, slopes: Tensor) -> Softmax:
    """Rows of scores (r, n), and how each depends on the query, ∂score/∂q (r, n, d) → (r,) each.

    The Jacobian of softmax is diag(w) − w wᵀ.
    """
    weights = scores.softmax(-1)  # (r, n)
    squares = weights.square().sum(-1)
    mean = weights[:, None].to(slopes.dtype) @ slopes  # (r, 1, d)
    apart = (slopes - mean).norm(dim=-1)  # row i of J·slopes is w_i (slope_i − mean)
    return Softmax(
        entropy=(torch.special.entr(weights).sum(-1) / np.log(2)).numpy(),
        largest=weights.amax(-1).numpy(),
        by_scores=(squares - 2 * weights.pow(3).sum(-1) + squares**2).clamp(min=0).sqrt().numpy(),
        by_query=(weights * apart).norm(dim=-1).numpy(),
    )


def stacked(kinds: Sequence[Sequence[Softmax]]) -> Softmax:
    """Softmaxes by kind and size as one, arrays (kinds, s, r)."""
    return Softmax(
        *(
            np.array([[getattr(each, name) for each in sizes] for sizes in kinds])
            for name in ("entropy", "largest", "by_scores", "by_query")
        )
    )


def band(values: np.ndarray) -> np.ndarray:
    """(…, r) → (3, …): lower end of a band, median, upper end."""
    low, high = SPREAD
    return np.percentile(values, (low, 50, high), axis=-1)
