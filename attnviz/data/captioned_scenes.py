"""Scenes for captioning: known things on photographs, and what can truly be said of them.

Everything follows from (seed, index). A scene is drawn again until what its caption says is plain
to see: relations that would not change if things moved a little, sizes away from their thresholds,
everything visible, and one kind of thing that clearly covers most pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from PIL import Image

from attnviz.data.captions import Box, Item, groups, relation
from attnviz.data.cutouts import Shown
from attnviz.data.scenes import (
    background,
    bounding_box,
    keeps_all_visible,
    lit,
    opaque,
    varied,
    visible_masks,
)
from attnviz.data.sources import Photograph

SIZE = 224
COARSE = 28  # cells a side that cover is stored in, 8 pixels each

KINDS = {"empty": 0.02, "single": 0.24, "several": 0.14, "pair": 0.4, "triple": 0.2}
SINGLE_SIZES = ((0.16, 0.27), (0.34, 0.64), (0.76, 1.0))  # small, neither, big
SIZES = {"several": (0.2, 0.42), "pair": (0.26, 0.55), "triple": (0.2, 0.4)}
NUDGE = 0.02  # a relation that this much movement would change is not plain
PLAIN_MARGIN = 1.4  # how much further apart one way than the other
LARGEST_MARGIN = 1.2  # how many more pixels than the next the kind spoken of first covers
TRIES = 60


@dataclass(frozen=True)
class CaptionedScene:
    """A picture, uint8 (224, 224, 3), and what is in it.

    Args:
        items: back to front.
        names: the cut-out that shows each item.
        cover: share of each 8×8 pixels that an item visibly covers, float (items, 28, 28).
    """

    image: np.ndarray
    items: tuple[Item, ...]
    names: tuple[str, ...]
    cover: np.ndarray


@dataclass(frozen=True)
class CaptionedSceneBuilder:
    """Builds scene after scene from the same pictures.

    Args:
        shown: trimmed pictures of things; every thing is as likely, then every picture of it.
        backgrounds: what lies behind.
        seed: with the index, decides everything.
    """

    shown: Sequence[Shown]
    backgrounds: Sequence[Photograph]
    seed: int = 0

    def __post_init__(self) -> None:
        by_thing: dict[str, list[Shown]] = {}
        for one in self.shown:
            by_thing.setdefault(one.thing.en, []).append(one)
        object.__setattr__(self, "_by_thing", list(by_thing.values()))

    def build(self, index: int) -> CaptionedScene:
        """Scene number `index` of this seed."""
        rng = np.random.default_rng([self.seed, index])
        kind = str(rng.choice(list(KINDS), p=list(KINDS.values())))
        canvas = background(self.backgrounds, rng, SIZE)
        layers, shown = self._layers(kind, rng)
        for layer in layers:
            canvas.paste(layer, (0, 0), layer)
        items, cover = described(layers, shown)
        names = tuple(one.cutout.name for one in shown)
        return CaptionedScene(np.asarray(lit(canvas, rng)), items, names, cover)

    def _layers(self, kind: str, rng: Generator) -> tuple[list[Image.Image], list[Shown]]:
        """Layers of a plain scene; where luck fails, of a single thing."""
        if kind == "empty":
            return [], []
        if kind != "single":
            for _ in range(TRIES):
                shown = self._choose(kind, rng)
                pictures = [varied(s.cutout.open(), rng, self._longer(kind, rng)) for s in shown]
                layers = placed(pictures, arranged(pictures, rng))
                if plain(layers, shown):
                    return layers, shown
        one = self._pick(rng)
        picture = varied(one.cutout.open(), rng, self._longer("single", rng))
        return placed([picture], arranged([picture], rng, spread=True)), [one]

    def _pick(self, rng: Generator) -> Shown:
        by_thing: list[list[Shown]] = self.__dict__["_by_thing"]
        pictures = by_thing[int(rng.integers(len(by_thing)))]
        return pictures[int(rng.integers(len(pictures)))]

    def _choose(self, kind: str, rng: Generator) -> list[Shown]:
        """Two to four of one kind (and now and then another thing), or two or three kinds."""
        if kind == "several":
            one = self._pick(rng)
            pictures = [s for s in self.shown if s.thing is one.thing]
            count = int(rng.integers(2, 5))
            several = [pictures[int(rng.integers(len(pictures)))] for _ in range(count)]
            return several + [self._pick(rng)] * int(rng.random() < 0.2)
        return [self._pick(rng) for _ in range(2 if kind == "pair" else 3)]

    def _longer(self, kind: str, rng: Generator) -> float:
        sizes = SINGLE_SIZES[int(rng.integers(3))] if kind == "single" else SIZES[kind]
        return rng.uniform(*sizes) * SIZE


def arranged(
    pictures: Sequence[Image.Image], rng: Generator, *, spread: bool = False
) -> list[tuple[int, int]]:
    """(left, top) of each picture. A quarter of the pairs stand beside or on each other."""
    rooms = [(SIZE - picture.width, SIZE - picture.height) for picture in pictures]
    places = [tuple(_offset(rng, room) for room in pair) for pair in rooms]
    if not spread and len(pictures) == 2 and rng.random() < 0.25:
        (back, front), (left, top) = pictures, places[0]
        if rng.random() < 0.5:  # on: its foot a little below the other's top
            left += round((back.width - front.width) / 2 + rng.uniform(-0.2, 0.2) * back.width)
            top += round(rng.uniform(0.08, 0.3) * back.height) - front.height
        else:  # beside: on one level, with next to no gap
            gap = round(rng.uniform(-0.01, 0.02) * SIZE)
            left += back.width + gap if rng.random() < 0.5 else -front.width - gap
            top += back.height - front.height + round(rng.uniform(-0.03, 0.03) * SIZE)
        places[1] = (left, top)
    return [(int(left), int(top)) for left, top in places]


def _offset(rng: Generator, room: int) -> int:
    return int(rng.integers(min(room, 0), max(room, 0) + 1))


def placed(pictures: Sequence[Image.Image], places: Sequence[tuple[int, int]]) -> list[Image.Image]:
    """Each picture on an empty layer of the scene's size, its corner at (left, top)."""
    layers = []
    for picture, place in zip(pictures, places, strict=True):
        layer = Image.new("RGBA", (SIZE, SIZE))
        layer.paste(picture, place)
        layers.append(layer)
    return layers


def described(
    layers: Sequence[Image.Image], shown: Sequence[Shown]
) -> tuple[tuple[Item, ...], np.ndarray]:
    """The items of layers that each show something, and the cover of each (items, 28, 28)."""
    items, cover = [], np.zeros((len(layers), COARSE, COARSE), np.float32)
    for number, (layer, one, mask) in enumerate(
        zip(layers, shown, visible_masks(layers), strict=True)
    ):
        top, left, bottom, right = (side / SIZE for side in bounding_box(opaque(layer)))
        items.append(Item(one.thing, (top, left, bottom, right), float(mask.mean())))
        tiles = mask.reshape(COARSE, SIZE // COARSE, COARSE, SIZE // COARSE)
        cover[number] = tiles.mean((1, 3))
    return tuple(items), cover


def plain(layers: Sequence[Image.Image], shown: Sequence[Shown]) -> bool:
    """Whether what a caption would say of these layers is plain to see."""
    if not all(inside(layer) for layer in layers) or not keeps_all_visible(layers):
        return False
    items, _ = described(layers, shown)
    kinds = groups(items)
    if len(kinds) > 1 and kinds[0].area < LARGEST_MARGIN * kinds[1].area:
        return False
    return all(
        plain_relation(a.box, b.box, a.front > b.front) for a in kinds for b in kinds if a is not b
    )


def inside(layer: Image.Image) -> bool:
    """Whether something of the layer shows and nothing of it is cut by the edge."""
    mask = opaque(layer)
    edge = mask[0].any() or mask[-1].any() or mask[:, 0].any() or mask[:, -1].any()
    return bool(mask.any()) and not edge


def plain_relation(a: Box, b: Box, in_front: bool) -> bool:
    """Whether how `a` lies to `b` is clear and would be the same after a nudge."""
    said = relation(a, b, in_front)
    nudges = ((0, NUDGE), (0, -NUDGE), (NUDGE, 0), (-NUDGE, 0))
    if any(relation(moved(a, *nudge), b, in_front) != said for nudge in nudges):
        return False
    if said in ("on", "beside"):
        return True
    down = abs((a[0] + a[2]) - (b[0] + b[2]))
    across = abs((a[1] + a[3]) - (b[1] + b[3]))
    return max(down, across) >= PLAIN_MARGIN * min(down, across)


def moved(box: Box, down: float, across: float) -> Box:
    """The box somewhere else."""
    return box[0] + down, box[1] + across, box[2] + down, box[3] + across
