"""Scenes that a visitor composes: cut-outs placed on a backdrop, and what is true of them.

The browser draws the same scene from the same numbers, so nothing here may depend on pixels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PIL import Image, ImageOps

from attnviz.data.captions import Item
from attnviz.data.scenes import bounding_box, opaque, visible_masks
from attnviz.data.things import Thing

MOST = 40  # objects of a scene
PLACES = (-0.2, 1.2)
SIZES = (0.05, 1.5)


@dataclass(frozen=True)
class Placement:
    """One object of a composed scene; lengths are shares of the scene's side.

    Args:
        name: of the cut-out.
        x, y: its centre, in `PLACES`.
        size: its longer side, in `SIZES`.
        flip: mirrored, left for right.
    """

    name: str
    x: float
    y: float
    size: float
    flip: bool = False


@dataclass(frozen=True)
class Scene:
    """A backdrop's name, and objects from back to front."""

    backdrop: str
    objects: tuple[Placement, ...] = ()


def check(scene: Scene) -> None:
    """Refuse what no composer makes.

    Raises:
        ValueError: too many objects, or one of an impossible place or size; one sentence.
    """
    if len(scene.objects) > MOST:
        raise ValueError(
            f"A scene holds at most {MOST} objects; this one has {len(scene.objects)}."
        )
    for one in scene.objects:
        if not all(PLACES[0] <= at <= PLACES[1] for at in (one.x, one.y)):
            raise ValueError(f"An object's centre lies in {PLACES}, not at ({one.x}, {one.y}).")
        if not SIZES[0] <= one.size <= SIZES[1]:
            raise ValueError(f"An object's size lies in {SIZES}, not {one.size}.")


def render(
    scene: Scene, cutouts: Mapping[str, Image.Image], backdrop: Image.Image, side: int = 448
) -> Image.Image:
    """The scene as a picture of side × side pixels, RGB.

    Args:
        cutouts: trimmed RGBA pictures by name.
        backdrop: of which the middle square is shown.

    Raises:
        ValueError: as `check`.
        KeyError: a cut-out that there is not.
    """
    canvas = ImageOps.fit(backdrop.convert("RGB"), (side, side), Image.Resampling.BICUBIC)
    for layer in layers(scene, cutouts, side):
        canvas.paste(layer, (0, 0), layer)
    return canvas


def layers(scene: Scene, cutouts: Mapping[str, Image.Image], side: int = 448) -> list[Image.Image]:
    """Every object alone on an empty RGBA layer, back to front."""
    check(scene)
    return [_layer(one, cutouts[one.name], side) for one in scene.objects]


def _layer(one: Placement, picture: Image.Image, side: int) -> Image.Image:
    scale = one.size * side / max(picture.size)
    width, height = (max(1, round(length * scale)) for length in picture.size)
    small = picture.resize((width, height), Image.Resampling.BICUBIC, reducing_gap=2.0)
    if one.flip:
        small = ImageOps.mirror(small)
    layer = Image.new("RGBA", (side, side))
    layer.paste(small, (round(one.x * side - width / 2), round(one.y * side - height / 2)))
    return layer


def truth(
    scene: Scene, cutouts: Mapping[str, Image.Image], things: Mapping[str, Thing], side: int = 448
) -> tuple[Item, ...]:
    """The objects that show and have a name, as captions are made of them.

    Args:
        things: what each known cut-out shows; others are passed over.
    """
    found: Sequence[Image.Image] = layers(scene, cutouts, side)
    items = []
    for one, layer, mask in zip(scene.objects, found, visible_masks(found), strict=True):
        if one.name in things and mask.any():
            top, left, bottom, right = (edge / side for edge in bounding_box(opaque(layer)))
            box = (top, left, bottom, right)
            items.append(Item(things[one.name], box, float(mask.mean())))
    return tuple(items)
