"""Ours against timm, side by side: plain forward, and every layer's weights recorded.

    python benchmarks/model_speed.py [--models vit_small_patch16_224 …] [--rounds 30] [--threads 2]

Rounds alternate between the two, so that a slow moment of the machine meets both; the ratio of the
medians is what docs and issues quote.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import timm
import torch

from attnviz.trace import record
from attnviz.zoo.convert import from_timm

MODELS = ("vit_tiny_patch16_224", "vit_small_patch16_224", "vit_base_patch16_224")


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def compare(name: str, rounds: int) -> dict[str, list[float]]:
    """Seconds of each round for timm plain (fused), ours plain, ours with weights recorded."""
    reference = timm.create_model(name).eval()
    ours = from_timm(reference)
    pixels = torch.randn(1, 3, 224, 224)

    def recorded() -> None:
        with record(ours, "*.weights"):
            ours(pixels)

    runs: dict[str, Callable[[], object]] = {
        "timm": lambda: reference(pixels),
        "ours": lambda: ours(pixels),
        "recorded": recorded,
    }
    times: dict[str, list[float]] = {kind: [] for kind in runs}
    with torch.inference_mode():
        for run in runs.values():
            run(), run()
        for _ in range(rounds):
            for kind, run in runs.items():
                times[kind].append(seconds(run))
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", nargs="+", default=MODELS)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    print(f"torch {torch.__version__}, timm {timm.__version__}, {args.threads} threads, batch 1")
    print(f"{'model':28}{'timm':>9}{'ours':>9}{'recorded':>10}{'ours/timm':>11}{'rec/timm':>10}")
    for name in args.models:
        times = compare(name, args.rounds)
        ms = {kind: 1e3 * statistics.median(values) for kind, values in times.items()}
        print(
            f"{name:28}{ms['timm']:7.1f}ms{ms['ours']:7.1f}ms{ms['recorded']:8.1f}ms"
            f"{ms['ours'] / ms['timm']:11.3f}{ms['recorded'] / ms['timm']:10.3f}"
        )


if __name__ == "__main__":
    main()
