"""One head of size d against h heads of size d/h: the same cost, and what one head cannot do.

Vaswani et al. 2017 (arXiv:1706.03762), section 3.2.2: "Multi-head attention allows the model to
jointly attend to information from different representation subspaces at different positions. With
a single attention head, averaging inhibits this."

The task is to bring back two things at once: at every place the content of the place before and,
beside it, that of the place after. One softmax can only mix the two, w·a + (1 − w)·b, and from such
a mixture the best linear readout of both loses half of their variance, whatever w is:

    1 − w²/(w² + (1 − w)²)  +  1 − (1 − w)²/(w² + (1 − w)²)  =  1   of 2.

    b sequences · n places · d width · h heads · e = d/h
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from attnviz.attention_studies.permutation import fresh_layer
from attnviz.layers.positions import sinusoid
from attnviz.layers.transformer import MultiHeadAttention
from attnviz.trace import record

HEADS = (1, 2, 4, 8)
WIDTH = 32  # of the task: half content, half position
PLACES = 10
BATCH = 32
STEPS = 250
RATE = 0.03
ONE_AVERAGE = 0.5  # the share of the variance that one softmax has to lose


@dataclass(frozen=True)
class Cost:
    """What self-attention with so many heads costs.

    Args:
        size: of a head.
        parameters: of the four matrices.
        multiply_adds: of one sequence, counted by torch.
        seconds: median of one pass, as it is used.
        written_out: the same where somebody watches the weights, which are then stored.
    """

    heads: int
    size: int
    parameters: int
    multiply_adds: int
    seconds: float
    written_out: float


def costs(
    width: int, tokens: int, heads: Sequence[int] = HEADS, *, repeats: int = 15, seed: int = 0
) -> tuple[Cost, ...]:
    """Layers of one width with different numbers of heads, over the same random tokens.

    Passes take turns, so that what else the machine does falls on all of them alike.
    """
    layers = [fresh_layer(width, count, seed) for count in heads]
    x = torch.randn(1, tokens, width, generator=torch.Generator().manual_seed(seed))
    seconds: list[list[tuple[float, float]]] = [[] for _ in layers]
    with torch.inference_mode():
        for _ in range(repeats):
            for layer, times in zip(layers, seconds, strict=True):
                times.append((_seconds(layer, x), _seconds(layer, x, watched=True)))
        counted = [_multiply_adds(layer, x) for layer in layers]
    return tuple(
        Cost(
            count,
            width // count,
            sum(weight.numel() for weight in layer.parameters()),
            flops,
            *np.median(times, axis=0).tolist(),
        )
        for count, layer, flops, times in zip(heads, layers, counted, seconds, strict=True)
    )


def _seconds(layer: MultiHeadAttention, x: Tensor, *, watched: bool = False) -> float:
    began = time.perf_counter()
    if watched:
        with record(layer, "weights"):
            layer(x, *layer.keys_values(x))
    else:
        layer(x, *layer.keys_values(x))
    return time.perf_counter() - began


def _multiply_adds(layer: MultiHeadAttention, x: Tensor) -> int:
    """Counted on the written-out path, whose products the counter knows; two flops are one."""
    with FlopCounterMode(display=False) as counter, record(layer, "weights"):
        layer(x, *layer.keys_values(x))
    return counter.get_total_flops() // 2


@dataclass(frozen=True)
class Learned:
    """A layer that was trained on the two places.

    Args:
        losses: (steps,) squared error a number; contents have variance 1: knowing nothing costs 1.
        weights: (h, n − 2, n) of one sequence after training; a row for each place but the ends.
        error: of 1,000 fresh sequences after training.
        by_side: (2,) the same for the place before and the place after.
    """

    heads: int
    losses: np.ndarray
    weights: np.ndarray
    error: float
    by_side: np.ndarray
    parameters: int
    seconds: float


def learn_two_places(
    heads: int,
    *,
    steps: int = STEPS,
    seed: int = 0,
    progress: Callable[[int], None] = lambda step: None,
) -> Learned:
    """Train one layer with Adam to bring back the places before and after.

    Args:
        heads: how many of size `WIDTH` / heads.
        progress: called with the number of each step before it is taken; may raise to stop.
    """
    layer = fresh_layer(WIDTH, heads, seed).train()
    generator = torch.Generator().manual_seed(seed)
    adam = torch.optim.Adam(layer.parameters(), RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(adam, RATE, total_steps=steps)
    losses = []
    began = time.perf_counter()
    for step in range(steps):
        progress(step)
        tokens, wanted = two_places(BATCH, generator)
        loss = _errors(layer, tokens, wanted).mean()
        adam.zero_grad()
        loss.backward()
        adam.step()
        schedule.step()
        losses.append(loss.item())
    seconds = time.perf_counter() - began
    layer.eval()
    tokens, wanted = two_places(1000, torch.Generator().manual_seed(seed + 1))
    with torch.inference_mode(), record(layer, "weights") as trace:
        by_side = _errors(layer, tokens, wanted).mean((0, 1, 3))
    return Learned(
        heads,
        np.array(losses, dtype=np.float32),
        trace["weights"][0].numpy(),
        by_side.mean().item(),
        by_side.numpy(),
        sum(weight.numel() for weight in layer.parameters()),
        seconds,
    )


def two_places(count: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Tokens [content ; position] (b, n, d), and what is wanted at each place (b, n − 2, 2, d/2).

    Contents are from N(0, 1). The ends, which have one neighbour only, are asked for nothing: the
    second axis of what is wanted leaves them out.
    """
    content = torch.randn(count, PLACES, WIDTH // 2, generator=generator)  # (b, n, d/2)
    position = sinusoid(PLACES, WIDTH // 2).expand(count, -1, -1)
    wanted = torch.stack([content[:, :-2], content[:, 2:]], 2)  # (b, n − 2, 2, d/2)
    return torch.cat([content, position], -1), wanted


def _errors(layer: MultiHeadAttention, tokens: Tensor, wanted: Tensor) -> Tensor:
    """Squared errors (b, n − 2, 2, d/2) of the layer's outputs, read as two contents."""
    outputs = layer(tokens[:, 1:-1], *layer.keys_values(tokens))  # (b, n − 2, d)
    return (outputs.view_as(wanted) - wanted).square()
