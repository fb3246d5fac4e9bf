"""Cut-outs and backdrops of simple shapes, known to the demo page and to its tests alike."""

from __future__ import annotations

import io

from PIL import Image, ImageDraw

from app.components.composer import Backdrop, Sprite
from attnviz.composition import Placement, Scene

RED, BLUE, GREEN, PURPLE = (200, 30, 30), (30, 60, 200), (20, 140, 60), (120, 50, 160)
SKY, GRASS = (190, 215, 235), (150, 185, 120)
MOST = 5


def _file(image: Image.Image, kind: str = "PNG") -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind)
    return buffer.getvalue()


def _sheet(width: int, height: int) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    image = Image.new("RGBA", (width, height))
    return image, ImageDraw.Draw(image)


def _square() -> bytes:
    image, draw = _sheet(100, 100)
    draw.rectangle((0, 0, 99, 99), fill=RED)
    return _file(image)


def _flag() -> bytes:
    """Twice as wide as high; green on the left, purple on the right."""
    image, draw = _sheet(120, 60)
    draw.rectangle((0, 0, 59, 59), fill=GREEN)
    draw.rectangle((60, 0, 119, 59), fill=PURPLE)
    return _file(image)


def _ring() -> bytes:
    """A frame with an empty middle, and a veil over it that is too thin to be hit."""
    image, draw = _sheet(100, 100)
    draw.ellipse((0, 0, 99, 99), fill=BLUE)
    draw.ellipse((25, 25, 74, 74), fill=(*BLUE, 100))
    return _file(image)


def _hook() -> bytes:
    """The left half, and the right half of the lower half."""
    image, draw = _sheet(100, 100)
    draw.rectangle((0, 0, 49, 99), fill=PURPLE)
    draw.rectangle((50, 50, 99, 99), fill=PURPLE)
    return _file(image)


def _many(index: int) -> Sprite:
    image, draw = _sheet(60, 80)
    colour = ((index * 67) % 200, (index * 113) % 200, (index * 29) % 200)
    corners = [(30, 0), (59, 30 + index), (30, 79), (0, 30 + index)]
    draw.polygon(corners, fill=colour)
    return Sprite(f"stone-{index}", f"stone {index}", _file(image))


SPRITES = [
    Sprite("square", "square", _square()),
    Sprite("flag", "flag <b>of</b> two", _flag()),
    Sprite("ring", "고리", _ring()),
    Sprite("hook", "hook", _hook()),
    *map(_many, range(40)),
]


def _meadow(sky: tuple[int, int, int], ground: tuple[int, int, int]) -> bytes:
    image = Image.new("RGB", (256, 256), sky)
    ImageDraw.Draw(image).rectangle((0, 128, 255, 255), fill=ground)
    return _file(image)


BACKDROPS = [
    Backdrop("meadow", "meadow", _meadow(SKY, GRASS)),
    Backdrop("night", "night", _meadow((30, 35, 60), (40, 60, 45))),
    Backdrop("beach", "beach", _meadow((120, 190, 220), (225, 205, 150))),
]

SCENES = {
    "three": Scene(
        "meadow",
        (
            Placement("square", 0.25, 0.25, 0.2),
            Placement("flag", 0.7, 0.3, 0.4),
            Placement("ring", 0.5, 0.7, 0.4),
        ),
    ),
    "pile": Scene(
        "meadow",
        (
            Placement("square", 0.4, 0.5, 0.3),
            Placement("flag", 0.5, 0.5, 0.4, True),
            Placement("ring", 0.5, 0.55, 0.5),
        ),
    ),
    "empty": Scene("night"),
}
