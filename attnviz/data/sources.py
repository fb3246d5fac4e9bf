"""Where pictures for training come from: cut-outs with captions, backgrounds and photographs.

All of them install as ordinary packages and stay outside the repository (most are copyleft);
recipes open them when they run. A missing package raises `SourceError` with the command that
installs it.
"""

from __future__ import annotations

import io
import json
import random
import re
import struct
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

from PIL import Image

STAMPS = Path("/usr/share/tuxpaint/stamps")
MATE_BACKGROUNDS = Path("/usr/share/backgrounds/mate")
PLASMA_WALLPAPERS = Path("/usr/share/wallpapers")
GCOMPRIS = Path("/usr/share/gcompris-qt/rcc")

LANGUAGES = ("en", "ko", "fr", "de", "es", "ja")
DRAWN_FOLDERS = {"cartoon", "symbols", "flags", "roadsigns", "hanukkah", "halloween"}
# The gallery shows these, so no recipe may learn from them: scikit-image's astronaut, brick,
# camera, chelsea, coffee, grass, gravel, hubble and rocket, and scikit-learn's china and flower.
SKIMAGE_PHOTOGRAPHS = ("coins.png", "ihc.png", "moon.png", "motorcycle_left.png", "retina.jpg")
GCOMPRIS_ACTIVITIES = (
    "categorization",
    "clickgame",
    "details",
    "erase",
    "explore_farm_animals",
    "explore_monuments",
    "explore_world_animals",
    "explore_world_music",
    "leftright",
    "louis-braille",
)


class SourceError(FileNotFoundError):
    """A package that the recipe needs is not installed; the message says which."""


@dataclass(frozen=True)
class Cutout:
    """A picture with transparency and what it shows.

    Args:
        name: unique among all sources, e.g. ``"stamps/animals/birds/crow"``.
        captions: language code to a short noun phrase ("a crow"); English is always there.
        open: returns the picture as RGBA, any size.
        drawn: True for drawings and symbols, False for photographs.
    """

    name: str
    captions: dict[str, str]
    open: Callable[[], Image.Image] = field(repr=False, compare=False)
    drawn: bool = False

    @property
    def head(self) -> str:
        """The head noun of the English caption; cut-outs with one head count as one concept."""
        return head_noun(self.captions["en"])


@dataclass(frozen=True)
class Photograph:
    """A whole picture, used as background or cropped as it is."""

    name: str
    open: Callable[[], Image.Image] = field(repr=False, compare=False)


Source = TypeVar("Source", Cutout, Photograph)


def in_memory(sources: Sequence[Source]) -> list[Source]:
    """The same sources, each decoded at most once; callers must not change a picture."""
    return [replace(source, open=cache(source.open)) for source in sources]


def head_noun(caption: str) -> str:
    """The noun that a short English caption is about: "A bunch of bananas." → "banana"."""
    sentence = re.split(r"[.!?:]", caption.lower().replace("’", "'"))[0]
    words = re.sub(r"[^a-z' -]", " ", sentence)
    words = re.sub(r"\b(bunch|pair|piece|slice|quarter|pile|head|ear|set) of\b", " ", words)
    phrase = re.split(r"\b(?:with|of|on|in|for|from|to|and|at|that|which)\b", words)[0].split()
    noun = (phrase or words.split() or [""])[-1]
    return noun[:-1] if len(noun) > 3 and noun.endswith("s") and not noun.endswith("ss") else noun


def need(path: Path, install: str) -> Path:
    """`path`, or `SourceError` naming the command that puts it there."""
    if not path.exists():
        raise SourceError(f"{path} is missing; install it with: {install}")
    return path


def opener(path: Path, mode: str, longest: int) -> Callable[[], Image.Image]:
    """A function that opens `path` in `mode`, at most `longest` pixels on its longer side."""

    def open_picture() -> Image.Image:
        with Image.open(path) as file:
            file.draft("RGB", (longest, longest))
            picture = file.convert(mode)
        picture.thumbnail((longest, longest), Image.Resampling.LANCZOS)
        return picture

    return open_picture


def read_captions(path: Path) -> dict[str, str]:
    """Captions of one Tux Paint stamp: the first line is English, the others ``xx.utf8=…``."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    captions = {"en": lines[0].strip()} if lines else {}
    for line in lines[1:]:
        code, _, text = line.partition(".utf8=")
        if code in LANGUAGES and text.strip():
            captions[code] = text.strip()
    return {code: text.rstrip(" .。") for code, text in captions.items()}


def stamps(root: Path = STAMPS) -> list[Cutout]:
    """Tux Paint's stamps that have a caption, in a fixed order."""
    need(root, "apt-get install tuxpaint-stamps-default")
    found = []
    for path in sorted(root.rglob("*.png")):
        caption_file = path.with_suffix(".txt")
        if not caption_file.exists() or path.stem.endswith(("_mirror", "_flip")):
            continue
        captions = read_captions(caption_file)
        if not captions.get("en"):
            continue
        place = path.relative_to(root).with_suffix("")
        found.append(
            Cutout(
                name=f"stamps/{place.as_posix()}",
                captions=captions,
                open=opener(path, "RGBA", 320),
                drawn=bool(DRAWN_FOLDERS & set(place.parts[:-1])),
            )
        )
    return found


def render_svg(source: str, pixels: int = 192) -> Image.Image:
    """A square SVG as RGBA of `pixels` a side (needs the package cairosvg)."""
    import cairosvg

    png = cairosvg.svg2png(bytestring=source.encode(), output_width=pixels, output_height=pixels)
    return Image.open(io.BytesIO(png)).convert("RGBA")


def render_file(path: Path) -> Image.Image:
    """`render_svg` of a file."""
    return render_svg(path.read_text(encoding="utf-8"))


def emoji(node_modules: Path) -> list[Cutout]:
    """Colour emoji of two hands: OpenMoji (objects, animals, people; no flags) and Fluent flat."""
    install = "npm install openmoji @iconify-json/fluent-emoji-flat"
    openmoji = need(node_modules / "openmoji", install)
    fluent = need(node_modules / "@iconify-json" / "fluent-emoji-flat", install)
    if find_spec("cairosvg") is None:
        raise SourceError("emoji are drawn by cairosvg; install it with: pip install cairosvg")
    skip = {"flags", "symbols", "component", "extras-unicode"}
    found = []
    for entry in json.loads((openmoji / "data" / "openmoji.json").read_text(encoding="utf-8")):
        if entry["skintone"] or entry["group"] in skip:
            continue
        path = openmoji / "color" / "svg" / f"{entry['hexcode']}.svg"
        if path.exists():
            found.append(
                Cutout(
                    name=f"openmoji/{entry['hexcode']}",
                    captions={"en": entry["annotation"]},
                    open=partial(render_file, path),
                    drawn=True,
                )
            )
    icons = json.loads((fluent / "icons.json").read_text(encoding="utf-8"))
    box = f'viewBox="0 0 {icons["width"]} {icons["height"]}"'
    tones = re.compile(r"(light|medium|dark)(-(light|dark))?$|-(light|dark|medium)")
    for name, icon in sorted(icons["icons"].items()):
        if tones.search(name) or name.startswith("flag"):
            continue
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" {box}>{icon["body"]}</svg>'
        found.append(
            Cutout(
                name=f"fluent/{name}",
                captions={"en": name.replace("-", " ")},
                open=partial(render_svg, svg),
                drawn=True,
            )
        )
    return found


def backgrounds(
    mate: Path = MATE_BACKGROUNDS, plasma: Path = PLASMA_WALLPAPERS, longest: int = 900
) -> list[Photograph]:
    """Desktop backgrounds of MATE and Plasma, and scikit-image's pictures outside the gallery."""
    need(mate, "apt-get install mate-backgrounds")
    need(plasma, "apt-get install --no-install-recommends plasma-workspace-wallpapers")
    spec = find_spec("skimage")
    if spec is None or spec.origin is None:
        raise SourceError("scikit-image is missing; install it with: pip install scikit-image")
    skimage = Path(spec.origin).parent / "data"
    named = [(f"mate/{path.stem}", path) for path in sorted(mate.rglob("*.[jp][pn]g"))]
    for path in largest_of_each_folder(plasma):
        named.append((f"plasma/{path.relative_to(plasma).parts[0]}/{path.parent.name}", path))
    named += [(f"skimage/{name}", skimage / name) for name in SKIMAGE_PHOTOGRAPHS]
    return [Photograph(name, opener(path, "RGB", longest)) for name, path in named]


def largest_of_each_folder(root: Path) -> Iterator[Path]:
    """Wallpapers come in many sizes of one picture: the largest file of each folder of pictures."""
    folders = defaultdict(list)
    for path in sorted(root.rglob("images*/*.[jp][pn]g")):
        folders[path.parent].append(path)
    for _, files in sorted(folders.items()):
        yield max(files, key=lambda path: (path.stat().st_size, path.name))


def photographs(root: Path = GCOMPRIS, smallest: int = 150) -> list[Photograph]:
    """Photographs inside GCompris's resource files: opaque WebP pictures of the listed
    activities.
    """
    need(root, "apt-get install --no-install-recommends gcompris-qt-data")
    found = []
    for activity in GCOMPRIS_ACTIVITIES:
        data = (root / f"{activity}.rcc").read_bytes()
        for number, (start, end) in enumerate(webp_spans(data)):
            picture = data[start:end]
            with Image.open(io.BytesIO(picture)) as image:
                usable = image.mode == "RGB" and min(image.size) >= smallest
            if usable:
                found.append(
                    Photograph(
                        f"gcompris/{activity}-{number}",
                        partial(decode, picture),
                    )
                )
    return found


def decode(data: bytes) -> Image.Image:
    """An encoded picture as RGB."""
    return Image.open(io.BytesIO(data)).convert("RGB")


def webp_spans(data: bytes) -> Iterator[tuple[int, int]]:
    """Start and end of every WebP file stored uncompressed inside `data`."""
    for match in re.finditer(rb"RIFF(....)WEBP", data, re.DOTALL):
        (length,) = struct.unpack("<I", match.group(1))
        if match.start() + 8 + length <= len(data):
            yield match.start(), match.start() + 8 + length


def hold_out(
    cutouts: Sequence[Cutout], count: int, seed: int = 0
) -> tuple[list[Cutout], list[Cutout]]:
    """Split off whole concepts: (kept, held out), no head noun on both sides.

    Concepts are drawn by `seed` among the photographs until `count` photographs are out (exactly:
    a concept that would overshoot is passed over). Drawings that share a held-out head are dropped.
    """
    concepts: dict[str, list[Cutout]] = defaultdict(list)
    for cutout in cutouts:
        if not cutout.drawn:
            concepts[cutout.head].append(cutout)
    heads = sorted(concepts)
    random.Random(seed).shuffle(heads)
    chosen: set[str] = set()
    held: list[Cutout] = []
    for head in heads:
        if len(held) + len(concepts[head]) <= count:
            chosen.add(head)
            held += concepts[head]
    if len(held) < count:
        raise ValueError(f"only {len(held)} photographs can be held out, {count} were asked for")
    kept = [c for c in cutouts if not chosen & {head_noun(w) for w in c.captions["en"].split()}]
    return kept, held
