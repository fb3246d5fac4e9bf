"""The composer: a scene that a visitor puts together from cut-outs on a backdrop."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from app.components.mount import fingerprint, mount, pack, picture_kind, register
from attnviz.composition import MOST, PLACES, SIZES, Placement, Scene, check

_RENDER = register("composer", __file__)

_NAME = re.compile(r"[a-z0-9-]+")


@dataclass(frozen=True)
class Sprite:
    """Something that can be put into the scene.

    Args:
        name: its id, of a–z, 0–9 and hyphens.
        label: what the palette says.
        picture: PNG or WebP with transparency, trimmed to its opaque pixels.
    """

    name: str
    label: str
    picture: bytes


@dataclass(frozen=True)
class Backdrop:
    """What a scene may stand on; ``picture`` is a square PNG, JPEG or WebP."""

    name: str
    label: str
    picture: bytes


def composer(
    sprites: Sequence[Sprite],
    backdrops: Sequence[Backdrop],
    *,
    key: str,
    scene: Scene,
    most: int = 12,
    name: str = "scene",
    on_change: Callable[[Scene], None] | None = None,
) -> Scene:
    """Let the visitor compose a scene, and return it as it lies.

    Everything moves in the browser; the page hears of it once, when something is dropped. Numbers
    are rounded to three decimals.

    Args:
        sprites: the palette, in its order.
        backdrops: at least one.
        scene: what the page wants shown. It may hand back what it got: that changes nothing.
        most: objects that the scene may hold, at most `attnviz.composition.MOST`.
        name: of the downloaded file.
        on_change: called with the scene before the rerun that a drop causes.

    Raises:
        ValueError: names, pictures or the scene do not fit; one sentence.
    """
    if not 1 <= most <= MOST:
        raise ValueError(f"A scene may hold 1 to {MOST} objects, not {most}.")
    catalogue = {
        "sprites": _listed(sprites),
        "backdrops": _listed(backdrops),
    }
    for sprite, _, kind, _ in catalogue["sprites"]:
        if kind == "image/jpeg":
            raise ValueError(f"The picture of {sprite!r} is a JPEG, which has no transparency.")
    known = {one.name for one in sprites}, {one.name for one in backdrops}
    asked = _rounded(scene)
    _check(asked, *known, most)
    pictures = b"".join([one.picture for one in sprites] + [one.picture for one in backdrops])
    subject = fingerprint(repr(catalogue).encode(), pictures)

    def message(fields: dict[str, Any]) -> bytes:
        facts = {"subject": subject, "most": most, "places": PLACES, "sizes": SIZES, "name": name}
        chosen = {"chosen": asdict(fields["chosen"][1])}
        return pack(catalogue | facts | fields | chosen, pictures=pictures)

    def accept(value: Any) -> tuple[str, Scene] | None:
        found = accepted(value, *known, most)
        return None if found is None else (subject, found)

    def changed(choice: tuple[str, Scene] | None) -> None:
        if choice is not None and on_change is not None:
            on_change(choice[1])

    # Other pictures are another wish, so that a scene is always on order; what is composed stays
    # if the page hands it back.
    choice = mount(
        _RENDER,
        key=key,
        message=message,
        subject="",
        asked=(subject, asked),
        accept=accept,
        on_change=changed,
    )
    return asked if choice is None else choice[1]


def accepted(
    value: Any, sprites: Collection[str], backdrops: Collection[str], most: int
) -> Scene | None:
    """The scene that a browser sent, or None if no visitor can have composed it."""
    try:
        scene = _rounded(_parsed(value))
        _check(scene, sprites, backdrops, most)
    except ValueError:
        return None
    return scene


def _parsed(value: Any) -> Scene:
    backdrop, objects = _fields(value, backdrop=str, objects=list)
    return Scene(backdrop, tuple(_placement(one) for one in objects))


def _placement(value: Any) -> Placement:
    number = (int, float)
    return Placement(*_fields(value, name=str, x=number, y=number, size=number, flip=bool))


def _fields(value: Any, **kinds: type | tuple[type, ...]) -> list[Any]:
    """The fields of a JSON object that has exactly these, each of exactly this kind."""
    if not isinstance(value, dict) or value.keys() != kinds.keys():
        raise ValueError(f"expected the fields {', '.join(kinds)}")
    for name, kind in kinds.items():
        if type(value[name]) not in (kind if isinstance(kind, tuple) else (kind,)):
            raise ValueError(f"{name} is no {kind}")
    return [value[name] for name in kinds]


def _rounded(scene: Scene) -> Scene:
    check(scene)  # before: a number beyond all bounds cannot be rounded
    return replace(
        scene,
        objects=tuple(
            replace(one, x=round(one.x, 3), y=round(one.y, 3), size=round(one.size, 3))
            for one in scene.objects
        ),
    )


def _check(scene: Scene, sprites: Collection[str], backdrops: Collection[str], most: int) -> None:
    if scene.backdrop not in backdrops:
        raise ValueError(f"There is no backdrop {scene.backdrop!r}.")
    if len(scene.objects) > most:
        raise ValueError(f"The scene has {len(scene.objects)} objects; it may hold {most}.")
    for one in scene.objects:
        if one.name not in sprites:
            raise ValueError(f"There is no object {one.name!r}.")


def _listed(things: Sequence[Sprite] | Sequence[Backdrop]) -> list[tuple[str, str, str, int]]:
    """Name, label, kind of picture and its length in bytes."""
    if not things:
        raise ValueError("A scene needs at least one object to place and one backdrop.")
    if len({one.name for one in things}) < len(things):
        raise ValueError("Two objects or two backdrops have the same name.")
    for one in things:
        if not _NAME.fullmatch(one.name):
            raise ValueError(f"A name is of a–z, 0–9 and hyphens, not {one.name!r}.")
    return [(one.name, one.label, picture_kind(one.picture), len(one.picture)) for one in things]
