"""How well a distilled model copies its teacher, and whether its attention points at what it names.

Everything is measured on stored scenes that training never saw: ``seen`` are new scenes of known
objects, ``unseen`` are made of held-out cut-outs (whole concepts) on held-out backgrounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attnviz.analysis import class_map, fuse_heads, relevance, rollout
from attnviz.data.scenes import Box
from attnviz.geometry import Geometry
from attnviz.models.vit import ViT
from attnviz.trace import record
from attnviz.training.shards import Shards

SURE = 0.5  # the teacher's probability from which it counts as sure
LARGEST = 0.4  # boxes above this share of the picture are too easy to hit
WEIGHTS = "blocks.*.attn.weights"
BATCH = 16

Encode = Callable[[ViT, Tensor], Tensor]


def agreement(student: Tensor, teacher: Tensor) -> dict[str, float]:
    """Shares of pictures, from logits (n, classes) each.

    ``top1``: the student's first answer is the teacher's; ``top5``: the teacher's first answer is
    among the student's five; ``top1_sure``: ``top1`` where the teacher's probability is above
    `SURE`.
    """
    wanted = teacher.argmax(-1)
    first = student.argmax(-1) == wanted
    among = (student.topk(5, -1).indices == wanted[:, None]).any(-1)
    sure = teacher.softmax(-1).amax(-1) > SURE
    shares = {"top1": first, "top5": among, "top1_sure": first[sure]}
    return {name: share.float().mean().item() for name, share in shares.items()}


@dataclass
class Hits:
    """Peaks counted: how many fell into the box, method by method."""

    tried: int = 0
    inside: dict[str, float] = field(default_factory=dict)

    def count(self, maps: dict[str, np.ndarray], box: Box, geometry: Geometry) -> None:
        """Add one picture: maps (rows, cols) by method, and the box of the object in pixels.

        Two baselines need no map: ``uniform``, the chance of a cell drawn blindly, and ``centre``,
        the middle of the picture.
        """
        self.tried += 1
        cells = cells_inside(box, geometry)
        middle = within((geometry.height / 2, geometry.width / 2), box)
        found = {"uniform": float(cells.mean()), "centre": float(middle)}
        for name, values in maps.items():
            found[name] = float(cells.flat[int(np.argmax(values))])
        for name, hit in found.items():
            self.inside[name] = self.inside.get(name, 0.0) + hit

    def shares(self) -> dict[str, float]:
        """Method to its share of hits, and the number of pictures as ``pictures``."""
        rates = {name: hits / self.tried for name, hits in self.inside.items()}
        return {**rates, "pictures": float(self.tried)}


def within(point: tuple[float, float], box: Box) -> bool:
    """Whether a (down, right) point lies in a (top, left, bottom, right) box."""
    (y, x), (top, left, bottom, right) = point, box
    return top <= y < bottom and left <= x < right


def cells_inside(box: Box, geometry: Geometry) -> np.ndarray:
    """Which cells' centres lie in the box: bool (rows, cols)."""
    rows = geometry.centre[0] + geometry.stride[0] * np.arange(geometry.rows)
    cols = geometry.centre[1] + geometry.stride[1] * np.arange(geometry.cols)
    top, left, bottom, right = box
    down, across = (rows >= top) & (rows < bottom), (cols >= left) & (cols < right)
    return down[:, None] & across[None]


@dataclass(frozen=True)
class Reading:
    """One stored picture as the model reads it: its logits and where each method says it looked."""

    logits: Tensor  # (classes,)
    teacher: Tensor  # (classes,)
    maps: dict[str, np.ndarray]  # method to (rows, cols)


def readings(model: ViT, shards: Shards, encode: Encode, geometry: Geometry) -> Iterator[Reading]:
    """Run the model over stored pictures, keeping three maps of each.

    ``attention``: the class token in the last block, mean of the heads; ``rollout`` and
    ``relevance`` (for the class that the model names): `attnviz.analysis`.
    """
    for batch in shards.batches(BATCH):
        grid = batch.seen.requires_grad_()
        with torch.enable_grad(), record(model, WEIGHTS, grad=True) as trace:
            logits = model.classify(encode(model, grid))
        layers = trace.match(WEIGHTS)
        slopes = torch.autograd.grad(logits.amax(-1).sum(), layers)
        weights, gradients = (
            torch.stack(tuple(tensors), 1).detach().float().cpu().numpy()
            for tensors in (layers, slopes)
        )  # (b, layers, heads, t, t)
        for row in range(len(logits)):
            maps = {
                "attention": class_map(fuse_heads(weights[row, -1]), geometry),
                "rollout": class_map(rollout(weights[row]), geometry),
                "relevance": class_map(relevance(weights[row], gradients[row]), geometry),
            }
            yield Reading(logits[row].detach(), batch.logits[row], maps)


def evaluate(
    model: ViT,
    shards: Shards,
    encode: Encode,
    answers: dict[str, int],
) -> dict[str, float]:
    """Agreement and pointing on one split.

    Args:
        encode: from model and stored grid to normalised tokens.
        answers: cut-out name to the class that the teacher names for it alone; in a scene of
            several objects this tells which of them the model named.

    Returns:
        ``top1`` …; ``one_*``: pointing where there is one object whose box is at most `LARGEST`;
        ``several_*``: where there are more and the model names exactly one of them.
    """
    size = model.cfg.image_size
    geometry = model.geometry(*size)
    one, several = Hits(), Hits()
    student, teacher = [], []
    for reading, scene in zip(
        readings(model, shards, encode, geometry), shards.scenes(), strict=True
    ):
        student.append(reading.logits)
        teacher.append(reading.teacher)
        target = named(scene, int(reading.logits.argmax()), answers)
        if target is not None and share_of(target["box"], size) <= LARGEST:
            (one if len(scene) == 1 else several).count(reading.maps, target["box"], geometry)
    scores = agreement(torch.stack(student), torch.stack(teacher))
    scores["pictures"] = float(len(student))
    for prefix, hits in (("one", one), ("several", several)):
        scores |= {f"{prefix}_{name}": value for name, value in hits.shares().items()}
    return scores


def named(
    scene: Sequence[dict[str, Any]], answer: int, answers: dict[str, int]
) -> dict[str, Any] | None:
    """The object a map should point at: the only one, or the only one whose class is `answer`."""
    if len(scene) == 1:
        return scene[0]
    matching = [placed for placed in scene if answers.get(placed["name"]) == answer]
    return matching[0] if len(matching) == 1 else None


def share_of(box: Box, size: tuple[int, int]) -> float:
    """Area of a box as a share of the picture."""
    top, left, bottom, right = box
    return (bottom - top) * (right - left) / (size[0] * size[1])
