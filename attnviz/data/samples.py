"""The sample pictures that come with the project: photographs free to redistribute.

`samples()` lists them with the authors and licences that the packages they come from document;
`attnviz/assets/NOTICE` says the same beside the files. `rebuild()` writes them again.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

FOLDER = Path(__file__).parents[1] / "assets" / "samples"

LONGER_SIDE = 512
"""Pixels of the longer side; smaller originals keep their size."""


@dataclass(frozen=True)
class Sample:
    """A bundled picture.

    Attributes:
        name: key and file name, e.g. "chelsea".
        title: what it shows, for people.
        author: who made it, as far as its package says.
        licence: under which it may be redistributed.
        source: package, and where the package has it from.
        labels: names of ImageNet classes that describe it, as `timm.data.ImageNetInfo` writes them;
            empty where no class does.
    """

    name: str
    title: str
    author: str
    licence: str
    source: str
    labels: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """A JPEG file, at most `LONGER_SIDE` pixels long."""
        return FOLDER / f"{self.name}.jpg"


_CC0 = "CC0"
_CC_BY = "CC BY 2.0"
_SAMPLES = (
    Sample(
        "chelsea",
        "Chelsea the cat",
        "Stefan van der Walt",
        _CC0,
        "scikit-image, skimage.data.chelsea",
        ("tabby, tabby cat", "tiger cat", "Egyptian cat"),
    ),
    Sample(
        "coffee",
        "Coffee cup",
        "Rachel Michetti, courtesy of Pikolo Espresso Bar",
        _CC0,
        "scikit-image, skimage.data.coffee",
        ("espresso", "cup", "coffee mug"),
    ),
    Sample(
        "flower",
        "Flower",
        "vultilion",
        _CC_BY,
        "scikit-learn, sklearn.datasets.load_sample_image('flower.jpg'), from "
        "https://www.flickr.com/photos/vultilion/6056698931/sizes/z/in/photostream/",
    ),
    Sample(
        "china",
        "China",
        "danielbuechele",
        _CC_BY,
        "scikit-learn, sklearn.datasets.load_sample_image('china.jpg'), from "
        "https://www.flickr.com/photos/danielbuechele/6061409035/sizes/z/in/photostream/",
        ("palace",),
    ),
    Sample(
        "rocket",
        "Launch of DSCOVR on a Falcon 9",
        "SpaceX",
        "public domain",
        "scikit-image, skimage.data.rocket, from "
        "https://www.flickr.com/photos/spacexphotos/16511594820/in/photostream/",
        ("missile", "projectile, missile"),
    ),
    Sample(
        "astronaut",
        "Astronaut Eileen Collins",
        "NASA Great Images database",
        "public domain",
        "scikit-image, skimage.data.astronaut, from https://flic.kr/p/r9qvLn",
        ("space shuttle",),
    ),
    Sample(
        "camera",
        "Photographer with a camera",
        "Lav Varshney",
        _CC0,
        "scikit-image, skimage.data.camera",
        ("tripod",),
    ),
    Sample(
        "hubble_deep_field",
        "Hubble eXtreme Deep Field",
        "NASA",
        "public domain",
        "scikit-image, skimage.data.hubble_deep_field, from "
        "http://hubblesite.org/newscenter/archive/releases/2012/37/image/a/",
    ),
    Sample(
        "brick",
        "Brick wall",
        "CC0Textures",
        _CC0,
        "scikit-image, skimage.data.brick, from https://cc0textures.com/view.php?tex=Bricks25",
    ),
    Sample(
        "grass",
        "Grass",
        "linolafett on DeviantArt",
        _CC0,
        "scikit-image, skimage.data.grass, from "
        "https://www.deviantart.com/linolafett/art/Grass-01-434853879",
    ),
    Sample(
        "gravel",
        "Gravel",
        "CC0Textures",
        _CC0,
        "scikit-image, skimage.data.gravel, from https://cc0textures.com/view.php?tex=Gravel04",
    ),
)


def samples() -> list[Sample]:
    """Every bundled picture; the first is the one to open a page with."""
    return list(_SAMPLES)


def sample(name: str) -> Sample:
    """The sample called `name`.

    Raises:
        LookupError: there is none; the message lists the names.
    """
    for candidate in _SAMPLES:
        if candidate.name == name:
            return candidate
    names = ", ".join(candidate.name for candidate in _SAMPLES)
    raise LookupError(f"there is no sample {name!r}; the samples are {names}")


def rebuild(folder: Path = FOLDER) -> list[Path]:
    """Writes every sample as a JPEG (quality 90) from the packages that carry the originals.

    Needs scikit-image and scikit-learn, neither of which the project needs otherwise; nothing is
    downloaded. Run as `python -m attnviz.data.samples`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for each in _SAMPLES:
        picture = _original(each)
        picture.thumbnail((LONGER_SIDE, LONGER_SIDE))
        path = folder / each.path.name
        picture.save(path, quality=90, optimize=True)
        written.append(path)
    return written


def _original(each: Sample) -> Image.Image:
    from PIL import Image

    if each.source.startswith("scikit-learn"):
        from sklearn.datasets import load_sample_image

        return Image.fromarray(load_sample_image(f"{each.name}.jpg"))
    from skimage import data

    return Image.fromarray(getattr(data, each.name)()).convert("RGB")


if __name__ == "__main__":
    for file in rebuild():
        print(file)
