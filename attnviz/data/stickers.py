"""The cut-outs that come with the package, for composing scenes: Fluent's 3D emoji (MIT).

``assets/stickers/CODE.webp``, trimmed; what each shows is in `attnviz.data.things`, but for a few
that no captioner has a word for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from PIL import Image

from attnviz.data.things import Thing, thing_of

FOLDER = Path(__file__).resolve().parent.parent / "assets" / "stickers"

CODES = """
    1f427 1f353 1f697 1f415 1f408 1f418 1f992 1f98a 1f43c 1f981 1f405 1f993 1f40e
    1f407 1f438 1f989 1f9a9 1f986 1f414 1f41f 1f419 1f980 1f422 1f42c 1f433 1f41d
    1f98b 1f41e 1f40c 1f995 1f984 1f34e 1f34c 1f34b 1f34d 1f347 1f349 1f355 1f354
    1f369 1f382 1f955 1f344 1f345 2615 1fad6 1f3b8 1f941 23f0 2602-fe0f 1f388 1f4d5
    1f511 26bd 2b50 1f315 1f31e 1f451 1f9f8 1f68c 1f6b2 1f682 1f681 1f680 26f5
    1f339 1f33b 1f335 1f334 1f384
"""
STRANGE = {"1f916": ("robot", "로봇"), "1f47b": ("ghost", "유령"), "1f968": ("pretzel", "프레첼")}
"""Things that no captioner has a word for: it calls them by the nearest that it has."""


@dataclass(frozen=True)
class Sticker:
    """A cut-out that comes with the package.

    Args:
        name: its code point.
        thing: what it shows; None if captioners have no word for it.
        en, ko: its name.
    """

    name: str
    thing: Thing | None
    en: str
    ko: str

    @property
    def path(self) -> Path:
        """Its picture, WebP with transparency, trimmed."""
        return FOLDER / f"{self.name}.webp"

    def open(self) -> Image.Image:
        """Its picture, RGBA."""
        with Image.open(self.path) as file:
            return file.convert("RGBA")


@cache
def stickers() -> tuple[Sticker, ...]:
    """All of them, the most telling first."""
    shown = [(code, thing_of()[code]) for code in CODES.split()]
    known = [Sticker(code, thing, thing.en, thing.ko) for code, thing in shown]
    return (*known, *(Sticker(code, None, en, ko) for code, (en, ko) in STRANGE.items()))
