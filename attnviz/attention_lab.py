"""A lab for one attention layer in the plane: given numbers in, every matrix on the way out.

Vaswani et al. 2017, "Attention Is All You Need" (arXiv:1706.03762), section 3.2.1, with d = 2 so
that vectors can be drawn. All arrays are float64.

    n tokens · d = 2
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from attnviz.attention_setup import Setup
from attnviz.models.attention_layer import AttentionLayer, AttentionLayerConfig
from attnviz.trace import record

NUDGE = 0.5  # how far a token is moved to see who notices
SETS, TOKENS, STEPS, RATE = 64, 5, 400, 0.05  # of the training


@dataclass(frozen=True)
class Found:
    """What the layer computed.

    Args:
        query, key, value, output: (n, 2).
        scores, weights: (n, n), a row a query; the scores are those before the mask.
    """

    query: np.ndarray
    key: np.ndarray
    value: np.ndarray
    scores: np.ndarray
    weights: np.ndarray
    output: np.ndarray


@torch.inference_mode()
def run(setup: Setup) -> Found:
    """One pass of the layer over the setup's vectors, watched."""
    layer = _layer(setup)
    with record(layer, "*") as trace:
        output = layer(_batch(setup), _mask(setup))
    parts = {name: trace[f"attention.{name}"][0, 0].numpy() for name in _PARTS}
    return Found(**parts, output=output[0].numpy())


_PARTS = ("query", "key", "value", "scores", "weights")


@torch.inference_mode()
def leaks(setup: Setup, nudge: float = NUDGE) -> np.ndarray:
    """Move one token at a time by `nudge` in both directions, and run the layer again.

    Returns:
        (n, n): the largest change of output i (row) after token j (column) was moved; 0 exactly
        where output i does not depend on token j.
    """
    layer, x, mask = _layer(setup), _batch(setup), _mask(setup)
    n = x.shape[1]
    moved = x.repeat(n, 1, 1)  # (n, n, 2): in the j-th copy, token j is elsewhere
    moved[range(n), range(n)] += nudge
    before = layer(x.repeat(n, 1, 1), mask)
    change = (layer(moved, mask) - before).abs().amax(-1)  # (token moved, output)
    return change.T.numpy()


def trained(seed: int = 0) -> dict[str, np.ndarray]:
    """W_Q, W_K and W_V, (2, 2) each, that learned to bring back what lies a quarter turn on.

    Random sets of vectors; each token should get the vector of its set that is most nearly its own
    direction turned left by 90°. Adam on the squared error, all three matrices at once.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        layer = AttentionLayer(AttentionLayerConfig(width=2, projected=False))
    optimiser = torch.optim.Adam(layer.parameters(), RATE)
    for _ in range(STEPS):
        x = torch.randn(SETS, TOKENS, 2, generator=generator)
        loss = nn.functional.mse_loss(layer(x), quarter_turn_on(x))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    attention = layer.attention
    linears = {"w_q": attention.w_q, "w_k": attention.w_k, "w_v": attention.w_v}
    return {name: linear.weight.detach().double().T.numpy() for name, linear in linears.items()}


def quarter_turn_on(x: Tensor) -> Tensor:
    """(b, n, 2) → for each token the one of its set whose direction is nearest to 90° further."""
    turned = torch.stack([-x[..., 1], x[..., 0]], -1)
    near = nn.functional.normalize(turned, dim=-1) @ nn.functional.normalize(x, dim=-1).mT
    best = near.argmax(-1, keepdim=True).expand(-1, -1, 2)
    return x.gather(1, best)


def _layer(setup: Setup) -> AttentionLayer:
    layer = AttentionLayer(AttentionLayerConfig(2, scaled=setup.scaled, projected=False))
    layer = layer.double().eval()
    for name in ("w_q", "w_k", "w_v"):
        matrix = torch.tensor(np.asarray(getattr(setup, name)), dtype=torch.float64)
        getattr(layer.attention, name).weight.copy_(matrix.T)
    return layer


def _batch(setup: Setup) -> Tensor:
    return torch.tensor(np.asarray(setup.vectors), dtype=torch.float64)[None]


def _mask(setup: Setup) -> Tensor | None:
    return None if setup.mask is None else torch.tensor(np.asarray(setup.mask, bool))
