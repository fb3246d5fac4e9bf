"""Pictures, seen once by the teacher, stored in shards that training reads again and again.

A shard is a folder of `SHARD` pictures: ``pictures.npy`` (n, 224, 224, 3), uint8; ``grid.npy``
(n, 196, 320), ``pooled.npy`` (n, 1280) and ``logits.npy`` (n, 1000), float16; and ``scenes.json``
with every object's name and box. Shards are written under another name and moved when whole, so a
run can be stopped and taken up again.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from attnviz.data.scenes import Scene, SceneBuilder, mix, random_crop
from attnviz.data.sources import (
    Cutout,
    Photograph,
    backgrounds,
    emoji,
    hold_out,
    in_memory,
    photographs,
    stamps,
)
from attnviz.training.teacher import Observation, Teacher, normalise

SHARD = 512
BATCH = 32
HELD_CUTOUTS = 71
HELD_BACKGROUNDS = ("mate/Dune", "mate/FreshFlower", "mate/LadyBird", "mate/Storm")
SEEDS = {"train": 0, "seen": 1, "unseen": 2}


@dataclass(frozen=True)
class Pool:
    """Everything that pictures are made of, split once: nothing held out is among the rest."""

    cutouts: Sequence[Cutout]
    drawings: Sequence[Cutout]
    backgrounds: Sequence[Photograph]
    photographs: Sequence[Photograph]
    held_cutouts: Sequence[Cutout]
    held_backgrounds: Sequence[Photograph]


def gather(node_modules: Path, teacher: Teacher) -> Pool:
    """Open all sources and hold out 71 cut-outs (whole concepts) and 4 backgrounds.

    Emoji that share a noun with a held-out cut-out are left out, and so are photographs in which
    the teacher sees the class that it sees in one: unseen concepts are unseen in every source.
    """
    kept, held = hold_out([*stamps(), *emoji(node_modules)], HELD_CUTOUTS)
    held = in_memory(held)
    unseen = {answer(on_grey(cutout), teacher) for cutout in held}
    scenery = in_memory(backgrounds())
    photos = [p for p in in_memory(photographs()) if answer(p.open(), teacher) not in unseen]
    return Pool(
        cutouts=in_memory([c for c in kept if not c.drawn]),
        drawings=in_memory([c for c in kept if c.drawn]),
        backgrounds=[p for p in scenery if p.name not in HELD_BACKGROUNDS],
        photographs=photos,
        held_cutouts=held,
        held_backgrounds=[p for p in scenery if p.name in HELD_BACKGROUNDS],
    )


def cutout_answers(teacher: Teacher) -> dict[str, int]:
    """The class that the teacher names for each photographed cut-out alone on grey."""
    return {c.name: answer(on_grey(c), teacher) for c in stamps() if not c.drawn}


def on_grey(cutout: Cutout) -> Image.Image:
    """A cut-out on plain grey."""
    picture = cutout.open()
    canvas = Image.new("RGB", picture.size, (128, 128, 128))
    canvas.paste(picture, (0, 0), picture)
    return canvas


def answer(picture: Image.Image, teacher: Teacher) -> int:
    """The class that the teacher names for a picture squeezed to its input size."""
    array = np.asarray(picture.convert("RGB").resize((224, 224)))
    return int(teacher.observe(normalise(torch.from_numpy(array.copy())[None])).logits.argmax())


def training_pictures(pool: Pool) -> Callable[[int], Scene]:
    """Index to picture, for training: scenes, photograph crops, drawings, and mixtures of two.

    A mixture keeps no objects: nobody measures pointing on it.
    """
    scenes = SceneBuilder(pool.cutouts, pool.backgrounds, extras=pool.drawings, extra_share=0.15)
    drawn = SceneBuilder(pool.drawings, pool.backgrounds)
    photos = [*pool.photographs, *pool.backgrounds]

    def one(rng: np.random.Generator) -> Scene:
        kind = rng.random()
        if kind < 0.65:
            return scenes.compose(rng)
        if kind < 0.75:
            return drawn.compose(rng)
        # Photographs of things first: backgrounds are many, and seldom show one.
        source = pool.photographs if rng.random() < 0.7 else photos
        crop = random_crop(source[int(rng.integers(len(source)))].open(), rng, 224, (0.1, 1.0))
        return Scene(np.asarray(crop), ())

    def build(index: int) -> Scene:
        rng = np.random.default_rng([SEEDS["train"], index])
        if rng.random() < 0.75:
            return one(rng)
        return Scene(mix(one(rng).image, one(rng).image, rng), ())

    return build


def builders(pool: Pool) -> dict[str, Callable[[int], Scene]]:
    """Split name to its pictures. ``seen``: new scenes of known objects; ``unseen``: nothing
    known.
    """
    return {
        "train": training_pictures(pool),
        "seen": SceneBuilder(pool.cutouts, pool.backgrounds, seed=SEEDS["seen"]).build,
        "unseen": SceneBuilder(
            pool.held_cutouts, pool.held_backgrounds, seed=SEEDS["unseen"]
        ).build,
    }


def write_shard(folder: Path, number: int, build: Callable[[int], Scene], teacher: Teacher) -> None:
    """Build, observe and store shard `number`; nothing is done where it is there already."""
    target = folder / f"{number:04d}"
    if target.exists():
        return
    scenes = [build(number * SHARD + i) for i in range(SHARD)]
    seen: list[Observation] = []
    for start in range(0, SHARD, BATCH):
        pictures = np.stack([scene.image for scene in scenes[start : start + BATCH]])
        seen.append(teacher.observe(normalise(torch.from_numpy(pictures))))
    partial = folder / f".{number:04d}.part"
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    for name, parts in zip(Observation._fields, zip(*seen, strict=True), strict=True):
        np.save(partial / f"{name}.npy", torch.cat(parts).cpu().numpy().astype(np.float16))
    np.save(partial / "pictures.npy", np.stack([scene.image for scene in scenes]))
    rows = [
        [{"name": o.name, "box": o.box, "area": round(o.area, 4)} for o in scene.objects]
        for scene in scenes
    ]
    (partial / "scenes.json").write_text(json.dumps(rows))
    partial.rename(target)


def fill(
    root: Path, node_modules: Path, shards: dict[str, int], *, worker: int = 0, workers: int = 1
) -> None:
    """Write the asked number of shards of each split; of several workers each takes every nth."""
    torch.set_num_threads(1 if workers > 1 else torch.get_num_threads())
    teacher = Teacher()
    build = builders(gather(node_modules, teacher))
    for split, count in shards.items():
        for number in range(worker, count, workers):
            write_shard(root / split, number, build[split], teacher)
            print(f"{split} {number + 1}/{count}", flush=True)
