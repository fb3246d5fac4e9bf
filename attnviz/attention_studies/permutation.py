"""What order means to an attention layer: nothing, until positions are added.

For a permutation matrix P and self-attention f, f(P X) = P f(X): each row is computed from the set
of all rows. With positions E added, f(P X + E) is something else. Vaswani et al. 2017
(arXiv:1706.03762), section 3.5.

    n tokens · d width · h heads
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from attnviz.layers.positions import sinusoid
from attnviz.layers.transformer import MultiHeadAttention
from attnviz.trace import record

HEADS = 4


@dataclass(frozen=True)
class Shuffled:
    """A layer's inputs, weights and outputs, before and after its tokens were shuffled.

    Args:
        order: (n,) the token that each place holds after the shuffle.
        inputs: (2, n, d); weights: (2, h, n, n); outputs: (2, n, d): before and after.
    """

    order: np.ndarray
    inputs: np.ndarray
    weights: np.ndarray
    outputs: np.ndarray

    @property
    def back(self) -> np.ndarray:
        """(n,) where each token went: ``after[back]`` puts rows in their old order."""
        return np.argsort(self.order)

    @property
    def difference(self) -> np.ndarray:
        """(n, d): outputs after the shuffle, put back, minus those before."""
        return self.outputs[1][self.back] - self.outputs[0]

    @property
    def weight_difference(self) -> np.ndarray:
        """(h, n, n): the same of the weights, whose rows and columns are both put back."""
        back = self.back
        return self.weights[1][:, back][:, :, back] - self.weights[0]


def fresh_layer(width: int, heads: int = HEADS, seed: int = 0) -> MultiHeadAttention:
    """An attention layer as training would find it, in eval mode."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return MultiHeadAttention(width, heads).eval()


@torch.inference_mode()
def embedded(model: torch.nn.Module, ids: Sequence[int]) -> np.ndarray:
    """A translator's embeddings of a sentence times √d, as Transformers enter them → (n, d)."""
    table = model.embed.weight  # type: ignore[union-attr]
    return (table[torch.tensor(ids)] * table.shape[1] ** 0.5).float().cpu().numpy()  # type: ignore[index]


@torch.inference_mode()
def shuffled(
    layer: MultiHeadAttention, inputs: np.ndarray, order: Sequence[int], *, positions: bool = False
) -> Shuffled:
    """Self-attention over rows and over the same rows in another order.

    Args:
        inputs: (n, d).
        order: the row that each place gets, each row once.
        positions: add sinusoidal positions to the rows, after they were shuffled.

    Raises:
        ValueError: the order is no permutation of the rows.
    """
    if sorted(order) != list(range(len(inputs))):
        raise ValueError(f"order {list(order)} should name each of the {len(inputs)} rows once")
    x = torch.from_numpy(inputs)
    pair = torch.stack([x, x[list(order)]])  # (2, n, d)
    if positions:
        pair = pair + sinusoid(*x.shape)
    with record(layer, "weights") as trace:
        outputs = layer(pair, *layer.keys_values(pair))
    return Shuffled(np.array(order), _array(pair), _array(trace["weights"]), _array(outputs))


def _array(tensor: Tensor) -> np.ndarray:
    return tensor.float().cpu().numpy()
