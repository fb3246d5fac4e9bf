"""What every recipe needs while it runs: a log, and checkpoints that survive being killed."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, Protocol

import torch


class Stateful(Protocol):
    """What a checkpoint can hold."""

    def state_dict(self) -> dict[str, Any]: ...

    def load_state_dict(self, state_dict: dict[str, Any]) -> Any: ...


def save(run: Path, parts: dict[str, Stateful], step: int, seconds: float) -> None:
    """Write the checkpoint under another name first, so that a kill leaves the old one whole."""
    states = {name: part.state_dict() for name, part in parts.items()}
    state = {**states, "step": step, "seconds": seconds}
    torch.save(state, run / "checkpoint.part")
    (run / "checkpoint.part").rename(run / "checkpoint.pt")


def resume(run: Path, parts: dict[str, Stateful]) -> tuple[int, float]:
    """(step, seconds) of the checkpoint in `run`, whose state is loaded; (0, 0) without one."""
    path = run / "checkpoint.pt"
    if not path.exists():
        return 0, 0.0
    state = torch.load(path, weights_only=True)
    for name, part in parts.items():
        part.load_state_dict(state[name])
    return state["step"], state["seconds"]


def note(run: Path, **values: float | str) -> None:
    """Append one line to the run's log and say it."""
    line = json.dumps({k: round(v, 4) if isinstance(v, float) else v for k, v in values.items()})
    with (run / "log.jsonl").open("a") as log:
        log.write(line + "\n")
    print(line, flush=True)


def device_name(device: str) -> str:
    """What trained: the GPU's name, or the number of CPU threads."""
    if device.startswith("cuda"):
        return torch.cuda.get_device_name(device)
    return f"CPU, {torch.get_num_threads()} thread(s)"


def cosine(step: int, steps: int, warmup: int) -> float:
    """Share of the top learning rate: linear warm-up, then half a cosine to a hundredth."""
    if step < warmup:
        return (step + 1) / warmup
    done = (step - warmup) / max(1, steps - warmup)
    return 0.01 + 0.99 * (1 + math.cos(math.pi * done)) / 2


def inverse_root(step: int, warmup: int, width: int) -> float:
    """The paper's learning rate: d^-½ · min(step^-½, step · warmup^-1½), steps from 1.

    Vaswani et al. 2017, section 5.3, equation 3; `step` counts from 0.
    """
    return width**-0.5 * min((step + 1) ** -0.5, (step + 1) * warmup**-1.5)


def logarithmic(steps: int, first: int = 10, count: int = 8) -> list[int]:
    """`count` step numbers, evenly spaced in their logarithm, from `first` to the last."""
    return [round(first * (steps / first) ** (i / (count - 1))) for i in range(count)]
