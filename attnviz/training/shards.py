"""Reading the shards that `attnviz.training.cache` writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

ANSWERS = ("pooled", "logits")


class Batch(NamedTuple):
    """Stored pictures, float32: what the student sees, grids (b, 196, 320) or pictures
    (b, 224, 224, 3) in 0…255; and the teacher's pooled (b, 1280) and logits (b, 1000).
    """

    seen: Tensor
    pooled: Tensor
    logits: Tensor

    def to(self, device: str) -> Batch:
        """The same on another device."""
        return Batch(*(tensor.to(device) for tensor in self))


class Shards:
    """All whole shards of one split, read from disk as they are needed.

    Args:
        sees: the array that the student sees, ``"grid"`` or ``"pictures"``.
        most: take the first shards only.

    Raises:
        FileNotFoundError: the folder holds no shard.
    """

    def __init__(self, folder: Path, sees: str = "grid", most: int | None = None) -> None:
        self.folder, self.read, self.most = folder, (sees, *ANSWERS), most
        self.arrays: list[dict[str, np.ndarray]] = []
        self.names: list[str] = []
        self.scan()
        if not self.arrays:
            raise FileNotFoundError(f"no shards in {folder}; write them with --only fill")

    def scan(self) -> None:
        """Take in shards that were finished since."""
        names = sorted(p.name for p in self.folder.glob("[0-9]*"))[: self.most]
        for name in names:
            if name not in self.names:
                load = {
                    a: np.load(self.folder / name / f"{a}.npy", mmap_mode="r") for a in self.read
                }
                self.arrays.append(load)
                self.names.append(name)

    def __len__(self) -> int:
        return sum(len(arrays["logits"]) for arrays in self.arrays)

    def draw(self, count: int, generator: torch.Generator) -> Batch:
        """A random batch, each picture as likely as any other (shards are equally long)."""
        shard = torch.randint(len(self.arrays), (count,), generator=generator).tolist()
        size = len(self.arrays[0]["logits"])
        row = torch.randint(size, (count,), generator=generator).tolist()
        return Batch(
            *(
                tensor(np.stack([self.arrays[s][name][r] for s, r in zip(shard, row, strict=True)]))
                for name in self.read
            )
        )

    def batches(self, size: int, count: int | None = None) -> Iterator[Batch]:
        """The pictures in order, `size` at a time, the first `count` or all."""
        left = len(self) if count is None else min(count, len(self))
        for arrays in self.arrays:
            for start in range(0, min(left, len(arrays["logits"])), size):
                stop = min(start + size, left)
                yield Batch(*(tensor(arrays[a][start:stop]) for a in self.read))
            left = max(0, left - len(arrays["logits"]))

    def scenes(self) -> list[list[dict[str, Any]]]:
        """Every picture's objects (name, box, area), in order."""
        return [
            scene
            for name in self.names
            for scene in json.loads((self.folder / name / "scenes.json").read_text())
        ]


def tensor(array: np.ndarray) -> Tensor:
    """Float32 copy of a stored array."""
    return torch.from_numpy(array.astype(np.float32))
