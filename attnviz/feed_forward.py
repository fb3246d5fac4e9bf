"""A Transformer's feed-forward net, computed as the convolution of kernel 1 that it is.

Vaswani et al. 2017, §3.3: "Another way of describing this is as two convolutions with kernel size
1."
"""

from __future__ import annotations

from typing import cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnviz.layers.transformer import FeedForward
from attnviz.models.transformer import Transformer


def as_convolution(net: FeedForward, x: Tensor) -> Tensor:
    """(b, t, d) → (b, t, d) by two convolutions over the positions, with the net's own weights."""
    first, second = net.linear1, net.linear2
    hidden = F.conv1d(x.mT, first.weight[..., None], first.bias)  # (b, m, t), kernel (m, d, 1)
    hidden = net.activation(hidden)
    return F.conv1d(hidden, second.weight[..., None], second.bias).mT  # kernel (d, m, 1)


@torch.inference_mode()
def both_ways(
    model: Transformer, stack: str, layer: int, entering: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """One layer's feed-forward net over given states, (t, d) each.

    Args:
        stack: ``"encoder"`` or ``"decoder"``.
        entering: (t, d), what the net reads.

    Returns:
        What two matrices make of it at every position, one after another, and what two convolutions
        make of all positions at once.

    Raises:
        IndexError: no such layer.
    """
    layers = cast(nn.ModuleList, getattr(model, stack).layers)
    net = cast(FeedForward, layers[layer].feed_forward)
    x = torch.as_tensor(entering).to(net.linear1.weight)
    alone = torch.cat([net(row[None, None]) for row in x], 1)[0]
    return alone.cpu().numpy(), as_convolution(net, x[None])[0].cpu().numpy()


def gain_and_bias(
    model: Transformer, stack: str, layer: int, number: int
) -> tuple[np.ndarray, np.ndarray]:
    """What LayerNorm of one sublayer multiplies by and adds, (d,) each.

    Args:
        number: of the sublayer in its layer, from 1.
    """
    layers = cast(nn.ModuleList, getattr(model, stack).layers)
    norm = cast(nn.LayerNorm, getattr(layers[layer], f"add_norm{number}").norm)
    return norm.weight.detach().cpu().numpy(), norm.bias.detach().cpu().numpy()
