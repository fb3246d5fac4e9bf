"""Scenes whose every object is known: cut-outs pasted on a background, with exact boxes.

Cut-outs carry transparency, so the pixels that an object covers are known to the pixel; a box is
the smallest one around the pixels of an object that remain visible after later ones were pasted
over it. Everything follows from (seed, index): scene 17 of a seed is the same picture on every
machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from PIL import Image, ImageEnhance, ImageFilter

from attnviz.data.sources import Cutout, Photograph

Box = tuple[int, int, int, int]  # top, left, bottom, right in pixels, ends exclusive

OPAQUE = 128  # alpha from which a pixel counts as the object's
SMALLEST_VISIBLE = 0.6  # share of a pasted object's pixels that must stay uncovered

# Longer side of an object as a share of the scene's side (low, high), by how many objects there
# are.
SIZES = {1: (0.4, 1.05), 2: (0.3, 0.65), 3: (0.25, 0.5)}


@dataclass(frozen=True)
class Placed:
    """One object of a scene.

    Args:
        name, captions: the cut-out's.
        box: around its visible pixels.
        area: visible pixels as a share of the scene's.
    """

    name: str
    captions: dict[str, str]
    box: Box
    area: float


@dataclass(frozen=True)
class Scene:
    """A picture, uint8 (size, size, 3), and its objects in the order they were pasted."""

    image: np.ndarray
    objects: tuple[Placed, ...]

    @property
    def main(self) -> Placed | None:
        """The object that covers most pixels."""
        return max(self.objects, key=lambda placed: placed.area, default=None)


@dataclass(frozen=True)
class SceneBuilder:
    """Builds scene after scene from the same cut-outs and backgrounds.

    Args:
        cutouts: what is pasted.
        backgrounds: pictures whose crops lie behind; flat colours take their share of scenes too.
        seed: with the index, decides everything.
        size: side of the square scene in pixels.
        shares: how often a scene has one, two, three objects.
        extras: cut-outs (drawings) that take the place of an object in a share of cases.
        extra_share: that share.
    """

    cutouts: Sequence[Cutout]
    backgrounds: Sequence[Photograph]
    seed: int = 0
    size: int = 224
    shares: tuple[float, float, float] = (0.6, 0.25, 0.15)
    extras: Sequence[Cutout] = ()
    extra_share: float = 0.0

    def build(self, index: int) -> Scene:
        """Scene number `index` of this seed."""
        rng = np.random.default_rng([self.seed, index])
        return self.compose(rng)

    def compose(self, rng: Generator) -> Scene:
        """A scene drawn with `rng`: background, objects, then light over the whole picture."""
        canvas = self.background(rng)
        count = int(rng.choice(len(self.shares), p=self.shares)) + 1
        low, high = SIZES[count]
        chosen: list[Cutout] = []
        layers: list[Image.Image] = []
        for _ in range(count):
            cutout = self.pick(rng)
            layer = paste_layer(trimmed(cutout), rng, self.size, low, high)
            if not keeps_all_visible([*layers, layer]):
                continue  # it would hide what lies there already
            chosen.append(cutout)
            layers.append(layer)
        for layer in layers:
            canvas.paste(layer, (0, 0), layer)
        objects = tuple(
            Placed(cutout.name, cutout.captions, bounding_box(mask), float(mask.mean()))
            for cutout, mask in zip(chosen, visible_masks(layers), strict=True)
        )
        return Scene(np.asarray(lit(canvas, rng)), objects)

    def pick(self, rng: Generator) -> Cutout:
        """One cut-out, from `extras` in `extra_share` of the cases."""
        pool = self.extras if self.extras and rng.random() < self.extra_share else self.cutouts
        return pool[int(rng.integers(len(pool)))]

    def background(self, rng: Generator) -> Image.Image:
        """What lies behind."""
        return background(self.backgrounds, rng, self.size)


def background(photographs: Sequence[Photograph], rng: Generator, size: int) -> Image.Image:
    """A crop of one of the photographs, or in a fifth of the cases one flat colour."""
    if not photographs or rng.random() < 0.2:
        colour = tuple(int(v) for v in rng.integers(0, 256, 3))
        return Image.new("RGB", (size, size), colour)
    photograph = photographs[int(rng.integers(len(photographs)))]
    return random_crop(photograph.open(), rng, size, (0.15, 1.0))


def trimmed(cutout: Cutout) -> Image.Image:
    """The cut-out without its empty margin."""
    picture = cutout.open()
    box = picture.getchannel("A").point(lambda alpha: 255 * (alpha >= OPAQUE)).getbbox()
    return picture.crop(box) if box else picture


def random_crop(
    picture: Image.Image, rng: Generator, size: int, areas: tuple[float, float]
) -> Image.Image:
    """A crop of a random share of the area, aspect 3:4 to 4:3, flipped half the time, as a
    square.
    """
    width, height = picture.size
    area = rng.uniform(*areas) * width * height
    aspect = np.exp(rng.uniform(np.log(3 / 4), np.log(4 / 3)))
    w = min(width, max(1, round(np.sqrt(area * aspect))))
    h = min(height, max(1, round(np.sqrt(area / aspect))))
    left, top = int(rng.integers(width - w + 1)), int(rng.integers(height - h + 1))
    crop = picture.resize(
        (size, size), Image.Resampling.BICUBIC, (left, top, left + w, top + h), reducing_gap=2.0
    )
    return crop.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if rng.random() < 0.5 else crop


def paste_layer(
    picture: Image.Image, rng: Generator, size: int, low: float, high: float
) -> Image.Image:
    """The cut-out scaled, flipped, turned a little and placed on an empty RGBA layer.

    It lies wholly inside wherever it fits; one that is larger than the scene is cut by its edge.
    """
    picture = varied(picture, rng, rng.uniform(low, high) * size)
    layer = Image.new("RGBA", (size, size))
    left, top = (place(rng, size - side) for side in picture.size)
    layer.paste(picture, (left, top))
    return layer


def varied(picture: Image.Image, rng: Generator, longer: float) -> Image.Image:
    """The cut-out with its longer side `longer` pixels, flipped, turned and lit a little."""
    scale = longer / max(picture.size)
    width, height = (max(2, round(side * scale)) for side in picture.size)
    picture = picture.resize((width, height), Image.Resampling.BICUBIC, reducing_gap=2.0)
    if rng.random() < 0.5:
        picture = picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    if rng.random() < 0.5:
        picture = picture.rotate(rng.uniform(-15, 15), Image.Resampling.BICUBIC, expand=True)
    return ImageEnhance.Brightness(picture).enhance(rng.uniform(0.85, 1.15))


def place(rng: Generator, room: int) -> int:
    """An offset that keeps the object inside (room ≥ 0) or covers the scene with it (room < 0)."""
    return int(rng.integers(min(room, 0), max(room, 0) + 1))


def opaque(layer: Image.Image) -> np.ndarray:
    """Where a layer's object is, bool (size, size)."""
    return np.asarray(layer.getchannel("A")) >= OPAQUE


def visible_masks(layers: Sequence[Image.Image]) -> list[np.ndarray]:
    """For each layer, its object's pixels that no later layer covers; bool (size, size) each."""
    masks: list[np.ndarray] = []
    covered: np.ndarray | None = None
    for layer in reversed(layers):
        mask = opaque(layer)
        masks.append(mask if covered is None else mask & ~covered)
        covered = mask if covered is None else covered | mask
    return masks[::-1]


def keeps_all_visible(layers: Sequence[Image.Image]) -> bool:
    """Whether every object still shows `SMALLEST_VISIBLE` of its pixels, and any at all."""
    return all(
        mask.any() and mask.sum() >= SMALLEST_VISIBLE * opaque(layer).sum()
        for layer, mask in zip(layers, visible_masks(layers), strict=True)
    )


def bounding_box(mask: np.ndarray) -> Box:
    """(top, left, bottom, right) around the True pixels of a mask that has some, ends exclusive."""
    rows, cols = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return int(rows[0]), int(cols[0]), int(rows[-1]) + 1, int(cols[-1]) + 1


def lit(picture: Image.Image, rng: Generator) -> Image.Image:
    """Light colour jitter over the whole picture, and a light blur once in five."""
    adjust: tuple[Callable[..., ImageEnhance._Enhance], ...] = (
        ImageEnhance.Brightness,
        ImageEnhance.Contrast,
        ImageEnhance.Color,
    )
    for enhance in adjust:
        picture = enhance(picture).enhance(rng.uniform(0.8, 1.2))
    if rng.random() < 0.2:
        picture = picture.filter(ImageFilter.GaussianBlur(rng.uniform(0.3, 1.5)))
    return picture


def mix(first: np.ndarray, second: np.ndarray, rng: Generator) -> np.ndarray:
    """Two pictures in one, (h, w, 3) each: half the time blended (mixup), half cut in (CutMix).

    Beyer et al. 2022 (https://arxiv.org/abs/2106.05237): a student that matches its teacher as a
    function may be shown any picture, since the teacher answers all of them.
    """
    if rng.random() < 0.5:
        share = rng.uniform(0.2, 0.8)
        return (share * first + (1 - share) * second).astype(np.uint8)
    height, width = first.shape[:2]
    share = np.sqrt(rng.uniform(0.1, 0.6))
    h, w = round(height * share), round(width * share)
    top, left = int(rng.integers(height - h + 1)), int(rng.integers(width - w + 1))
    mixed = first.copy()
    mixed[top : top + h, left : left + w] = second[top : top + h, left : left + w]
    return mixed
