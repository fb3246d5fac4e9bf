"""Greedy decoding with cached keys and values against recomputing the whole beginning each step.

    python benchmarks/decoding_speed.py [--model transformer_base] [--tokens 64] [--sentences 1]

Three ways run side by side in rounds; the ratio of the medians is what docs and issues quote: with
the cache, with the decoder recomputed over all tokens so far, and with the whole model recomputed.
Weights are random: the work does not depend on them.
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
    token = source.new_full((len(source), 1), START)
    for _ in range(length):
        logits, state = model.decode(token, state, memory)
        token = logits[:, -1:].argmax(-1)


def decoder_recomputed(model: nn.Module, source: Tensor, length: int) -> None:
    """Every step is given all tokens so far; the source is encoded once."""
    memory, empty = model.encode(source)
    tokens = source.new_full((len(source), 1), START)
    for _ in range(length):
        logits, _ = model.decode(tokens, empty, memory)
        tokens = torch.cat([tokens, logits[:, -1:].argmax(-1)], 1)


def all_recomputed(model: nn.Module, source: Tensor, length: int) -> None:
    """Every step is a forward pass over source and tokens."""
    tokens = source.new_full((len(source), 1), START)
    for _ in range(length):
        tokens = torch.cat([tokens, model(source, tokens)[:, -1:].argmax(-1)], 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="transformer_base")
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--sentences", type=int, default=1, help="decoded at once")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    model = models.build(given.model).eval()
    source = torch.randint(4, model.cfg.vocabulary, (given.sentences, given.tokens))
    times: dict[str, list[float]] = {run.__name__: [] for run in WAYS}
    with torch.inference_mode():
        cached(model, source, 4)
        for _ in range(given.rounds):
            for run in WAYS:
                began = time.perf_counter()
                run(model, source, given.tokens)
                times[run.__name__].append(time.perf_counter() - began)
    fast = statistics.median(times["cached"])
    print(f"{given.model}, {given.sentences} sentence(s) of {given.tokens} tokens")
    for name, taken in times.items():
        print(
            f"{name:20} {statistics.median(taken):6.2f} s  {statistics.median(taken) / fast:5.1f}"
        )


WAYS = (cached, decoder_recomputed, all_recomputed)

if __name__ == "__main__":
    main()
