"""Composed scenes: what they are made of, how a link writes them, and the picture they give."""

from __future__ import annotations

import io
import re
from functools import cache, lru_cache

from PIL import Image

from app.components.composer import Backdrop, Sprite
from app.pictures import Shown, encoded
from attnviz.composition import MOST, PLACES, SIZES, Placement, Scene, render, truth
from attnviz.data.captions import Item
from attnviz.data.samples import sample
from attnviz.data.stickers import stickers
from attnviz.data.things import Thing

SIDE = 448  # pixels of the picture that a scene gives
BACKDROPS = {
    "paper": ("Paper", (238, 234, 224)),
    "sky": ("Sky", (176, 206, 232)),
    "night": ("Night", (34, 40, 64)),
}
SAMPLES = ("grass", "gravel", "brick", "china", "coffee")
EXAMPLES = {
    "A penguin on a car": "sky;1f697.500.690.430;1f427.500.380.460",
    "Two kinds": "grass;1f353.280.560.380;1f427.720.520.460",
    "Three kinds": "brick;1f418.330.600.480;1f388.760.250.300;1f682.750.740.360",
    "How many": "gravel;1f41e.270.300.300;1f41e.690.330.280f;1f41e.470.710.300",
    "Strangers": "paper;1f916.300.540.420;1f47b.720.500.400",
    "Nothing": "china",
}
"""Scenes to begin with, the first by default."""


@cache
def sprites(language: str) -> list[Sprite]:
    """What a composer offers, with names in a language."""
    return [
        Sprite(one.name, one.ko if language == "ko" else one.en, one.path.read_bytes())
        for one in stickers()
    ]


@cache
def backdrops() -> list[Backdrop]:
    """What may lie behind."""
    plain = [
        Backdrop(name, title, encoded(Image.new("RGB", (64, 64), colour)))
        for name, (title, colour) in BACKDROPS.items()
    ]
    pictures = [
        Backdrop(name, sample(name).title, encoded(_square(name, 320), quality=70))
        for name in SAMPLES
    ]
    return [*pictures, *plain]


def text(scene: Scene) -> str:
    """A scene as links write it: ``"grass;1f427.500.300.400f"``, lengths in thousandths."""
    objects = (
        f"{one.name}.{_thousandths(one.x)}.{_thousandths(one.y)}.{_thousandths(one.size)}"
        + "f" * one.flip
        for one in scene.objects
    )
    return ";".join([scene.backdrop, *objects])


def read(written: str) -> Scene:
    """What ``text`` wrote; what is no object is left out, and no more than `MOST` are read."""
    backdrop, *parts = written.split(";")[: MOST + 1]
    known = {*BACKDROPS, *SAMPLES}
    objects = filter(None, map(_placement, parts))
    return Scene(backdrop if backdrop in known else SAMPLES[0], tuple(objects))


def _thousandths(share: float) -> int:
    return round(1000 * share)


def _placement(part: str) -> Placement | None:
    match = re.fullmatch(r"([0-9a-f-]{4,12})\.(-?\d{1,4})\.(-?\d{1,4})\.(\d{1,4})(f?)", part)
    if match is None or match[1] not in _cutouts():
        return None
    x, y, size = (int(match[number]) / 1000 for number in (2, 3, 4))
    inside = all(PLACES[0] <= at <= PLACES[1] for at in (x, y)) and SIZES[0] <= size <= SIZES[1]
    return Placement(match[1], x, y, size, bool(match[5])) if inside else None


@lru_cache(maxsize=64)
def shown(written: str) -> Shown:
    """The picture of a scene, as captioners are given it."""
    scene = read(written)
    picture = render(scene, _cutouts(), _backdrop(scene.backdrop), SIDE)
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", compress_level=1)
    return Shown(
        key=f"scene {written}",
        data=buffer.getvalue(),
        title="A composed scene",
        credit="cut-outs: Fluent Emoji, Microsoft, MIT",
        code=_code(scene),
    )


def items(scene: Scene) -> tuple[Item, ...]:
    """What is truly in it, of what captioners have words for."""
    return truth(scene, _cutouts(), _things(), SIDE)


@cache
def _cutouts() -> dict[str, Image.Image]:
    return {one.name: one.open() for one in stickers()}


@cache
def _things() -> dict[str, Thing]:
    return {one.name: one.thing for one in stickers() if one.thing is not None}


@cache
def _backdrop(name: str) -> Image.Image:
    if name in BACKDROPS:
        return Image.new("RGB", (SIDE, SIDE), BACKDROPS[name][1])
    return _square(name, SIDE)


def _square(name: str, side: int) -> Image.Image:
    """The middle of a sample."""
    with Image.open(sample(name).path) as file:
        picture = file.convert("RGB")
    short = min(picture.size)
    left, top = ((length - short) // 2 for length in picture.size)
    box = (left, top, left + short, top + short)
    return picture.resize((side, side), Image.Resampling.LANCZOS, box)


def _code(scene: Scene) -> str:
    """Python that makes the same picture."""
    objects = "".join(
        f"    Placement({one.name!r}, {one.x:g}, {one.y:g}, {one.size:g}, {one.flip}),\n"
        for one in scene.objects
    )
    behind = (
        f'Image.new("RGB", ({SIDE}, {SIDE}), {BACKDROPS[scene.backdrop][1]})'
        if scene.backdrop in BACKDROPS
        else f'Image.open(sample("{scene.backdrop}").path)'
    )
    return (
        f"render(Scene({scene.backdrop!r}, (\n{objects})), "
        "{one.name: one.open() for one in stickers()}, "
        f"{behind}, {SIDE})"
    )
