"""The pictures behind the cut-outs that `attnviz.data.things` names.

Two hands: Tux Paint's photographed stamps (Debian, GPL-2+) and Fluent's 3D emoji (npm, MIT). What
is committed to the project is made from the emoji alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from attnviz.data.scenes import trimmed
from attnviz.data.sources import Cutout, SourceError, need, opener, stamps
from attnviz.data.things import Thing, things

EMOJI_PACKAGE = "@lobehub/fluent-emoji-3d"
_CODE = re.compile(r"[0-9a-f]{4,5}(-[0-9a-f]{4,5})*")


@dataclass(frozen=True)
class Shown:
    """A thing and one picture of it."""

    thing: Thing
    cutout: Cutout


def is_emoji(name: str) -> bool:
    """Whether a cut-out's name is an emoji's code points rather than a stamp's file name."""
    return bool(_CODE.fullmatch(name))


def cutouts(node_modules: Path, *, held: bool = False) -> list[Shown]:
    """Every cut-out of every thing, opened when needed; the held-out ones instead with `held`.

    Raises:
        SourceError: a package is missing, or does not hold a picture that is named.
    """
    photographed = _stamps_by_name()
    return [
        Shown(
            thing,
            emoji_cutout(node_modules, name) if is_emoji(name) else _stamp(photographed, name),
        )
        for thing in things()
        for name in (thing.held if held else thing.cutouts)
    ]


def in_memory(shown: Sequence[Shown]) -> list[Shown]:
    """The same without empty margins, each picture decoded once; callers must not change it."""
    return [
        replace(one, cutout=replace(one.cutout, open=cache(partial(trimmed, one.cutout))))
        for one in shown
    ]


def emoji_cutout(node_modules: Path, name: str) -> Cutout:
    """The emoji of the given code points."""
    path = node_modules / EMOJI_PACKAGE / "assets" / f"{name}.webp"
    need(path, f"npm install {EMOJI_PACKAGE}@1.1.0")
    return Cutout(f"fluent-3d/{name}", {}, opener(path, "RGBA", 256), drawn=True)


def _stamps_by_name() -> dict[str, list[Cutout]]:
    """Photographed stamps by file name and by folder/file name."""
    found = defaultdict(list)
    for cutout in stamps():
        if not cutout.drawn:
            *_, folder, stem = cutout.name.split("/")
            found[stem].append(cutout)
            found[f"{folder}/{stem}"].append(cutout)
    return found


def _stamp(photographed: dict[str, list[Cutout]], name: str) -> Cutout:
    found = photographed.get(name, [])
    if len(found) != 1:
        raise SourceError(f"{len(found)} stamps are named {name!r}, expected one")
    return found[0]
