"""The sublayers of a Transformer's stack in the order of their work, and LayerNorm by hand.

Ba, Kiros & Hinton 2016, "Layer Normalization", https://arxiv.org/abs/1607.06450.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

SUBLAYERS = {
    "encoder": ("self-attention", "feed-forward"),
    "decoder": ("self-attention", "cross-attention", "feed-forward"),
}
"""What a layer of each stack is made of, in order."""


@dataclass(frozen=True)
class Sublayer:
    """One sublayer over t positions of width d, post-norm: ``normed = LayerNorm(x + added)``.

    Args:
        layer: counted from 0; number: of the sublayer within it, from 1 as in ``add_norm1``.
        added: (t, d), what it adds to the stream.
        summed: (t, d), the sum.
        normed: (t, d), what LayerNorm makes of it.
    """

    layer: int
    number: int
    name: str
    added: np.ndarray = field(repr=False)
    summed: np.ndarray = field(repr=False)
    normed: np.ndarray = field(repr=False)

    @property
    def entering(self) -> np.ndarray:
        """(t, d), the stream that it reads and adds to."""
        return self.summed - self.added


def sublayers(stages: Mapping[str, np.ndarray], stack: str) -> tuple[Sublayer, ...]:
    """All sublayers of a stack.

    Args:
        stages: taps by their names, as `attnviz.inside.Inside.stages`, each (t, d).
        stack: ``"encoder"`` or ``"decoder"``.

    Raises:
        LookupError: the stages hold no layer of the stack.
    """
    found: list[Sublayer] = []
    layer = 0
    while (place := f"{stack}.layers.{layer}") + ".add_norm1.output" in stages:
        for number, name in enumerate(SUBLAYERS[stack], 1):
            taps = (f"{place}.add_norm{number}.{tap}" for tap in ("output", "summed", "normed"))
            found.append(Sublayer(layer, number, name, *(stages[tap] for tap in taps)))
        layer += 1
    if not found:
        raise LookupError(f"no layer of the {stack} among {len(stages)} stages")
    return tuple(found)


def standardised(x: np.ndarray, eps: float = 1e-5) -> np.ndarray:
    """LayerNorm before its gain and bias: each vector (…, d) with mean 0 and deviation 1."""
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt(centred.var(-1, keepdims=True) + eps)
