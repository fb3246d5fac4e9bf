"""Greedy decoding with cached keys and values against recomputing the whole beginning each step.

    python benchmarks/decoding_speed.py [--model transformer_base] [--tokens 64] [--rounds 3]

Both begin from the same encoded source and run side by side in rounds; the ratio of the medians is
what docs and issues quote. Weights are random: the work does not depend on them.
"""

from __future__ import annotations

import argparse
import statistics
import time

import torch
from torch import Tensor, nn

from attnviz import models
from attnviz.text import START


def cached(model: nn.Module, source: Tensor, length: int) -> None:
    """Every step is given its one new token."""
    memory, state = model.encode(source)
    token = source.new_full((1, 1), START)
    for _ in range(length):
        logits, state = model.decode(token, state, memory)
        token = logits[:, -1:].argmax(-1)


def recomputed(model: nn.Module, source: Tensor, length: int) -> None:
    """Every step is given all tokens so far."""
    memory, empty = model.encode(source)
    tokens = source.new_full((1, 1), START)
    for _ in range(length):
        logits, _ = model.decode(tokens, empty, memory)
        tokens = torch.cat([tokens, logits[:, -1:].argmax(-1)], 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="transformer_base")
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    model = models.build(given.model).eval()
    source = torch.randint(4, model.cfg.vocabulary, (1, given.tokens))
    times: dict[str, list[float]] = {"cached": [], "recomputed": []}
    with torch.inference_mode():
        cached(model, source, 4)
        for _ in range(given.rounds):
            for run in (cached, recomputed):
                began = time.perf_counter()
                run(model, source, given.tokens)
                times[run.__name__].append(time.perf_counter() - began)
    fast, slow = (statistics.median(times[name]) for name in ("cached", "recomputed"))
    print(f"{given.model}, {given.tokens} tokens: cached {fast:.2f} s, recomputed {slow:.2f} s")
    print(f"ratio {slow / fast:.1f}")


if __name__ == "__main__":
    main()
