"""What a layer costs: Table 1 of "Attention Is All You Need", and the same layers counted exactly.

Vaswani et al. 2017 (https://arxiv.org/abs/1706.03762), section 4. The paper's terms leave out all
constants and the projections of attention; the multiply-adds of the layers that `attnviz.measuring`
runs leave out nothing but what is done to single numbers (softmax, gates, sums of biases).

    n tokens · d width · k kernel of a convolution · r tokens that restricted attention may look at
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SELF, RECURRENT, CONVOLUTION, RESTRICTED = (
    "self-attention",
    "recurrence",
    "convolution",
    "restricted attention",
)
KINDS = (SELF, RECURRENT, CONVOLUTION, RESTRICTED)
"""The rows of the paper's table, in its order."""

RNN, LSTM = "RNN", "LSTM"
LAYERS = (SELF, RNN, LSTM, CONVOLUTION, RESTRICTED)
"""Layers that are counted exactly: recurrence is a vanilla RNN or an LSTM."""


@dataclass(frozen=True)
class Sizes:
    """Sizes of a layer other than its length.

    Args:
        width: d.
        kernel: k, odd: a convolution reads as far to the left as to the right.
        window: r, odd for the same reason.

    Raises:
        ValueError: a size out of range, with the number.
    """

    width: int
    kernel: int = 3
    window: int = 33

    def __post_init__(self) -> None:
        if self.width < 1:
            raise ValueError(f"width should be at least 1, not {self.width}")
        for name in ("kernel", "window"):
            size = getattr(self, name)
            if size < 3 or size % 2 == 0:
                raise ValueError(f"{name} should be odd and at least 3, not {size}")

    @property
    def half(self) -> int:
        """How far restricted attention looks to each side; its blocks have this many tokens."""
        return self.window // 2


@dataclass(frozen=True)
class Cost:
    """``square`` · n² + ``line`` · n operations."""

    square: int
    line: int

    def at(self, length: np.ndarray | float) -> np.ndarray:
        """Operations for n tokens, float64."""
        n = np.asarray(length, dtype=np.float64)
        return self.square * n**2 + self.line * n

    def crossing(self, other: Cost) -> float | None:
        """The n > 0 at which both cost the same; None if there is none."""
        if self.square == other.square:
            return None
        n = (other.line - self.line) / (self.square - other.square)
        return n if n > 0 else None


def paper_cost(kind: str, sizes: Sizes) -> Cost:
    """A row's "complexity per layer" in Table 1.

    Raises:
        ValueError: no such row.
    """
    d, k, r = sizes.width, sizes.kernel, sizes.window
    costs = {
        SELF: Cost(d, 0),  # n² · d
        RECURRENT: Cost(0, d**2),  # n · d²
        CONVOLUTION: Cost(0, k * d**2),  # k · n · d²
        RESTRICTED: Cost(0, r * d),  # r · n · d
    }
    return _known(costs, kind)


def layer_cost(layer: str, sizes: Sizes) -> Cost:
    """Multiply-adds of a real layer's matrix products; two of torch's "flops" are one of them.

    Restricted attention works in blocks of half a window, each of which looks at three blocks: one
    and a half times the scores that it needs. n has to be a multiple of ``sizes.half`` to be exact.

    Raises:
        ValueError: no such layer.
    """
    d, k = sizes.width, sizes.kernel
    projections = 4 * d**2  # of queries, keys, values and the output
    costs = {
        SELF: Cost(2 * d, projections),  # scores and weighted sum
        RNN: Cost(0, 2 * d**2),  # W x and U h
        LSTM: Cost(0, 8 * d**2),  # the same for four gates
        CONVOLUTION: Cost(0, k * d**2),
        RESTRICTED: Cost(0, projections + 2 * d * 3 * sizes.half),
    }
    return _known(costs, layer)


def _known(costs: dict[str, Cost], name: str) -> Cost:
    if name not in costs:
        raise ValueError(f"there are {', '.join(costs)}, not {name!r}")
    return costs[name]


def sequential(kind: str, length: int) -> int:
    """Steps that have to wait for each other in one layer: n in a recurrence, else one."""
    return length if kind == RECURRENT else 1


def path_length(kind: str, length: int, sizes: Sizes, *, dilated: bool = True) -> int:
    """Edges between the first token going in and the last one coming out: the longest such path.

    The paper's O(1), O(n), O(log_k n), O(n/r), exactly: every layer that is needed is one edge, in
    a recurrence every step. A convolution reads its token and the k − 1 before it, so that dilated
    ones leave no token out; restricted attention gets (r − 1)/2 tokens further a layer, both ways.

    Args:
        dilated: each convolution's taps are k times as far apart as those of the one before.
    """
    far, k, r = max(length - 1, 0), sizes.kernel, sizes.window
    if kind == SELF or not far:
        return 1
    if kind == RECURRENT:
        return length
    if kind == RESTRICTED:
        return -(-2 * far // (r - 1))
    if kind != CONVOLUTION:
        raise ValueError(f"there are {', '.join(KINDS)}, not {kind!r}")
    if not dilated:
        return -(-far // (k - 1))
    return next(layers for layers in range(1, length) if k**layers >= length)


def slope(lengths: np.ndarray, values: np.ndarray) -> float:
    """The exponent p of values ∝ n^p: least squares of the logarithms.

    Raises:
        ValueError: fewer than two points, or something that has no logarithm.
    """
    x, y = np.asarray(lengths, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if len(x) < 2 or len(x) != len(y) or min(x.min(), y.min()) <= 0:
        raise ValueError(f"{len(x)} lengths, {len(y)} values: need two or more of each, above 0")
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])
