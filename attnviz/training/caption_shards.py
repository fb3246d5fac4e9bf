"""Captioned scenes as the frozen CNN sees them, stored in shards that training reads again.

A shard is a folder of `SHARD` scenes: ``shallow.npy`` (n, 196, 112) and ``deep.npy`` (n, 196, 320),
float16, the two feature grids to choose from; ``cover.npy`` (n, 5, 784), uint8, how much of every
8×8 pixels each item covers; ``scenes.json`` with every item. Shards are written under another name
and moved when whole, so that a run can be stopped and taken up again.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from attnviz.data.captioned_scenes import COARSE, CaptionedScene, CaptionedSceneBuilder
from attnviz.data.captions import Item
from attnviz.data.cutouts import cutouts, in_memory
from attnviz.data.sources import Photograph, backgrounds
from attnviz.data.sources import in_memory as photographs_in_memory
from attnviz.data.things import things
from attnviz.training.cache import HELD_BACKGROUNDS
from attnviz.training.teacher import CaptionGrids, normalise

SHARD = 512
BATCH = 32
MOST_ITEMS = 5
SEEDS = {"train": 100, "seen": 103, "moved": 101, "unseen": 102}
ARRAYS = ("shallow", "deep")


def builders(node_modules: Path) -> dict[str, CaptionedSceneBuilder]:
    """Split name to its scenes. ``seen``: new scenes of known pictures; ``moved``: known pictures
    on backgrounds never learned from; ``unseen``: pictures of known things never learned from, on
    those backgrounds.
    """
    known, held = (in_memory(cutouts(node_modules, held=held)) for held in (False, True))
    scenery = photographs_in_memory(backgrounds())
    learned, kept = split(scenery)
    return {
        "train": CaptionedSceneBuilder(known, learned, SEEDS["train"]),
        "seen": CaptionedSceneBuilder(known, learned, SEEDS["seen"]),
        "moved": CaptionedSceneBuilder(known, kept, SEEDS["moved"]),
        "unseen": CaptionedSceneBuilder(held, kept, SEEDS["unseen"]),
    }


def split(scenery: Sequence[Photograph]) -> tuple[list[Photograph], list[Photograph]]:
    """Backgrounds to learn from, and those kept for measuring."""
    kept = [p for p in scenery if p.name in HELD_BACKGROUNDS]
    return [p for p in scenery if p.name not in HELD_BACKGROUNDS], kept


def write_shard(
    folder: Path, number: int, build: Callable[[int], CaptionedScene], grids: CaptionGrids
) -> None:
    """Build, look at and store shard `number`; nothing is done where it is there already."""
    target = folder / f"{number:04d}"
    if target.exists():
        return
    scenes = [build(number * SHARD + i) for i in range(SHARD)]
    seen = []
    for start in range(0, SHARD, BATCH):
        pictures = np.stack([scene.image for scene in scenes[start : start + BATCH]])
        seen.append(grids.observe(normalise(torch.from_numpy(pictures))))
    partial = folder / f".{number:04d}.part"
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    for name, parts in zip(ARRAYS, zip(*seen, strict=True), strict=True):
        np.save(partial / f"{name}.npy", torch.cat(parts).cpu().numpy().astype(np.float16))
    cover = np.zeros((SHARD, MOST_ITEMS, COARSE * COARSE), np.uint8)
    for row, scene in enumerate(scenes):
        flat = scene.cover.reshape(len(scene.items), COARSE * COARSE)
        cover[row, : len(scene.items)] = np.rint(flat * 255)
    np.save(partial / "cover.npy", cover)
    rows = [described(scene) for scene in scenes]
    (partial / "scenes.json").write_text(json.dumps(rows))
    partial.rename(target)


def described(scene: CaptionedScene) -> list[dict[str, Any]]:
    """The items of a scene as JSON."""
    return [
        {"thing": item.thing.en, "name": name, "box": item.box, "area": item.area}
        for item, name in zip(scene.items, scene.names, strict=True)
    ]


def read_items(rows: Sequence[dict[str, Any]]) -> tuple[Item, ...]:
    """The items that `described` wrote."""
    known = {thing.en: thing for thing in things()}
    return tuple(Item(known[row["thing"]], tuple(row["box"]), row["area"]) for row in rows)


def fill(
    root: Path, node_modules: Path, shards: dict[str, int], *, worker: int = 0, workers: int = 1
) -> None:
    """Write the asked number of shards of each split; of several workers each takes every nth."""
    torch.set_num_threads(1 if workers > 1 else torch.get_num_threads())
    grids = CaptionGrids()
    build = builders(node_modules)
    for split_name, count in shards.items():
        for number in range(worker, count, workers):
            write_shard(root / split_name, number, build[split_name].build, grids)
            print(f"{split_name} {number + 1}/{count}", flush=True)
