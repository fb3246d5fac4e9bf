"""The door for pictures that strangers send, and the way from a picture to a model's pixels.

`open_image` is the only place that opens a picture file; whatever comes in, what comes out is a
`Picture` (8-bit sRGB, upright, without metadata) or an `ImageError`, one plain sentence.
`Preprocess` resizes, crops and normalises exactly as timm's evaluation transform does.
"""

from __future__ import annotations

import hashlib
import io
import math
import os
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import numpy as np
from PIL import (
    AvifImagePlugin,
    BmpImagePlugin,
    ExifTags,
    GifImagePlugin,
    Image,
    ImageFile,
    JpegImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    WebPImagePlugin,
)

from attnviz._picture_bombs import is_bomb
from attnviz._picture_colours import eight_bits, on_white

MAX_PIXELS = 40_000_000
"""Largest picture accepted, decided from the header before anything is decoded."""

MAX_BYTES = 32 * 2**20
"""Largest file accepted."""

MAX_SIDE = 2048
"""Longer side, in pixels, of the picture that is kept; larger ones are reduced on opening."""

_READERS: dict[str, tuple[bytes, Callable[[io.BytesIO], ImageFile.ImageFile]]] = {
    "PNG": (rb"\x89PNG\r\n\x1a\n", PngImagePlugin.PngImageFile),
    "JPEG": (rb"\xff\xd8\xff", JpegImagePlugin.jpeg_factory),
    "WebP": (rb"RIFF....WEBP", WebPImagePlugin.WebPImageFile),
    "GIF": (rb"GIF8[79]a", GifImagePlugin.GifImageFile),
    "BMP": (rb"BM", BmpImagePlugin.BmpImageFile),
    "TIFF": (rb"II[*+]\0|MM\0[*+]", TiffImagePlugin.TiffImageFile),
}
if AvifImagePlugin.SUPPORTED:
    _AVIF = rb".{4}ftyp(avi[fs]|(mif1|msf1).{4,60}?avi[fs])"
    _READERS["AVIF"] = (_AVIF, AvifImagePlugin.AvifImageFile)

FORMATS = tuple(_READERS)
"""The kinds of file that are read, told by their first bytes. Nothing else reaches a decoder."""

_DECODERS = threading.BoundedSemaphore(2)
"""Bounds the memory of decoding, up to 0.6 GB apiece, however many visitors send at once."""

_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


class ImageError(ValueError):
    """A file that is not taken as a picture; the text is one plain sentence for the visitor."""


@dataclass(frozen=True)
class Picture:
    """A picture that was let in.

    Attributes:
        image: mode RGB, 8 bits, sRGB, longer side at most `MAX_SIDE`, no metadata.
        sha256: of the size and the RGB pixels, so equal pictures have equal keys.
        notes: what was done to the file that its sender may want to know, one sentence each.
        name: the file's name, "" if it had none.
    """

    image: Image.Image = field(repr=False, compare=False)
    sha256: str
    notes: tuple[str, ...] = ()
    name: str = ""


def open_image(source: bytes | Path | str | BinaryIO, *, name: str = "") -> Picture:
    """Opens a picture that anybody may have sent.

    Content decides the format, never the extension. EXIF orientation is applied, transparency is
    laid on white, grey, palette, CMYK, 16-bit and float pixels are scaled to 8 bits, embedded
    colour profiles are converted to sRGB, and of an animation the first frame is taken.

    Args:
        source: the file's bytes, its path, or a binary stream, which is read from its beginning.
        name: shown with the picture; by default the file's own name.

    Raises:
        ImageError: the file is missing, empty, too large, damaged or no picture.
    """
    data, name = _read(source, name)
    kind = _kind(data)
    damaged = f"This {kind} picture is damaged, cut short or of an unusual kind."
    with _DECODERS:
        try:
            if is_bomb(kind, data):
                raise ImageError(
                    f"This {kind} picture is built in a way that takes too long to read."
                )
            image, notes = _decode(_READERS[kind][1](io.BytesIO(data)))
        except ImageError:
            raise
        except MemoryError as error:
            raise ImageError("There is not enough memory to open this picture.") from error
        except Image.DecompressionBombError as error:
            raise ImageError(
                "This picture has far too many pixels; "
                f"at most {_megapixels(MAX_PIXELS)} megapixels are accepted."
            ) from error
        except Exception as error:  # the decoders raise whatever they like on broken files
            raise ImageError(damaged) from error
    digest = hashlib.sha256(f"{image.width}x{image.height} RGB ".encode() + image.tobytes())
    return Picture(image, digest.hexdigest(), tuple(notes), name)


def _read(source: bytes | Path | str | BinaryIO, name: str) -> tuple[bytes, str]:
    """The bytes of a source, no more than one beyond the limit, and the name to show."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        data = bytes(source)
    elif isinstance(source, (str, os.PathLike)):
        name = name or Path(source).name
        try:
            with open(source, "rb") as stream:
                data = stream.read(MAX_BYTES + 1)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "its name cannot be used"
            raise ImageError(f"The file {name!r} cannot be opened: {reason}.") from error
    else:
        name = name or os.path.basename(str(getattr(source, "name", "")))
        try:
            if source.seekable():
                source.seek(0)
            data = source.read(MAX_BYTES + 1)
        except (OSError, ValueError) as error:
            raise ImageError("The file could not be read to its end.") from error
    if not data:
        raise ImageError("This file is empty.")
    if len(data) > MAX_BYTES:
        raise ImageError(f"This file is too large; at most {MAX_BYTES // 2**20} MB are accepted.")
    return data, name


def _kind(data: bytes) -> str:
    """Which of `FORMATS` the first bytes announce."""
    for kind, (signature, _) in _READERS.items():
        if re.match(signature, data[:80], re.DOTALL):
            return kind
    known = ", ".join(FORMATS[:-1]) + " or " + FORMATS[-1]
    raise ImageError(f"This file is not a picture that can be read ({known}).")


def _decode(source: ImageFile.ImageFile) -> tuple[Image.Image, list[str]]:
    """The first frame of an opened but not yet decoded file as plain RGB, with notes."""
    notes: list[str] = []
    _check_size(*source.size)
    if isinstance(source, TiffImagePlugin.TiffImageFile):  # a tile may be larger than its picture
        _check_size(
            source.tag_v2.get(TiffImagePlugin.TILEWIDTH, 1),
            source.tag_v2.get(TiffImagePlugin.TILELENGTH, 1),
        )
    large = max(source.size) > MAX_SIDE
    if large:  # a JPEG decoder reduces by 2, 4 or 8 for less than nothing
        source.draft(None, _within(MAX_SIDE // 2, *source.size))
    source.load()
    profile = source.info.get("icc_profile")

    image = eight_bits(source, notes)
    if max(image.size) > MAX_SIDE:
        image = _reduced(image, _within(MAX_SIDE, *image.size))
    image = _upright(image, source)
    if large:
        notes.append(f"Reduced to {image.width}×{image.height} pixels.")
    image = on_white(image, profile, notes)
    notes.extend(_frame_note(source))
    return image, notes


def _check_size(width: int, height: int) -> None:
    if width * height > MAX_PIXELS:
        raise ImageError(
            f"This picture is {width}×{height} = {_megapixels(width * height)} megapixels; "
            f"at most {_megapixels(MAX_PIXELS)} are accepted."
        )


def _megapixels(pixels: int) -> str:
    """Rounded up to a tenth, so that a picture just over the limit never reads as the limit."""
    return f"{math.ceil(pixels / 100_000) / 10:.10g}"


def _within(side: int, width: int, height: int) -> tuple[int, int]:
    """A larger size scaled down to `side` on its longer side; no side vanishes."""
    scale = side / max(width, height)
    return max(1, round(width * scale)), max(1, round(height * scale))


def _reduced(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    """Resized in one or two steps; colours count by their alpha, so hidden ones stay hidden.

    Pillow sees to the alpha too, but then in one step: twice the time for a large picture.
    """
    premultiplied = {"LA": "La", "RGBA": "RGBa"}.get(image.mode)
    if premultiplied:
        return _reduced(image.convert(premultiplied), size).convert(image.mode)
    return image.resize(size, Image.Resampling.BICUBIC, reducing_gap=2.0)


def _upright(image: Image.Image, source: Image.Image) -> Image.Image:
    """`image` turned as the EXIF orientation of `source` says (TIFF files turn on loading)."""
    try:
        turn = _TURNS.get(source.getexif().get(ExifTags.Base.Orientation, 1))
    except Exception:  # broken metadata do not spoil a good picture
        return image
    return image if turn is None else image.transpose(turn)


def _frame_note(source: Image.Image) -> list[str]:
    """Says what was left out of an animation or of a document with several pages."""
    try:
        if source.format == "TIFF":  # counting pages is quadratic; that there are more is known
            return ["First of several pages."] if getattr(source, "is_animated", False) else []
        frames = getattr(source, "n_frames", 1)
    except Exception:  # a damaged tail does not spoil the first frame
        return ["First frame of an animation."]
    if frames == 1 or source.format == "MPO":  # a camera's second view or gain map
        return []
    return [f"First frame of an animation of {frames}."]


@dataclass(frozen=True)
class Preprocess:
    """How a picture becomes a model's input, as timm's evaluation transform does it.

    Attributes:
        size: height and width of the input in pixels.
        crop: share of the resized picture's side that the central crop keeps, 0 < crop <= 1.
        interpolation: "bicubic" or "bilinear", antialiased.
        mean: per RGB channel, subtracted from values in 0…1.
        std: per RGB channel, divided by.
        fit: "crop" cuts the centre out at exactly `size`; "whole" keeps the picture's shape, gives
            its shorter side min(size), and rounds both sides to `multiple`.
        multiple: granularity of sides in pixels where fit="whole", the patch size as a rule.
    """

    size: tuple[int, int] = (224, 224)
    crop: float = 0.9
    interpolation: str = "bicubic"
    mean: tuple[float, float, float] = (0.5, 0.5, 0.5)
    std: tuple[float, float, float] = (0.5, 0.5, 0.5)
    fit: str = "crop"
    multiple: int = 16

    def __post_init__(self) -> None:
        for name in ("size", "mean", "std"):  # lists, as JSON has them, become hashable
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if len(self.size) != 2 or min(self.size) < 1:
            raise ValueError(f"size must be a height and a width of at least 1, not {self.size}")
        if not 0 < self.crop <= 1:
            raise ValueError(f"crop must be above 0 and at most 1, not {self.crop}")
        if self.interpolation not in ("bicubic", "bilinear"):
            raise ValueError(
                f"interpolation must be bicubic or bilinear, not {self.interpolation!r}"
            )
        if len(self.mean) != 3 or len(self.std) != 3 or min(self.std) <= 0:
            raise ValueError(
                f"mean and std need three numbers, std above 0: {self.mean}, {self.std}"
            )
        if self.fit not in ("crop", "whole"):
            raise ValueError(f"fit must be crop or whole, not {self.fit!r}")
        if self.multiple < 1:
            raise ValueError(f"multiple must be at least 1, not {self.multiple}")

    def view(self, image: Image.Image) -> Image.Image:
        """The RGB pixels that the model sees, before normalisation.

        For fit="crop" equal to timm's up to an aspect ratio of 16:1; of longer pictures the middle
        16:1 is taken first, or resizing a line to full height would need gigabytes. For fit="whole"
        that limit is 4:1.
        """
        if image.mode != "RGB":
            image = image.convert("RGB")
        if self.fit == "whole":
            image = _middle(image, aspect=4)
            return image.resize(self._whole_size(*image.size), self._resampling)
        image = _middle(image, aspect=16)
        image = image.resize(self._covering_size(*image.size), self._resampling)
        height, width = self.size
        top, left = round((image.height - height) / 2), round((image.width - width) / 2)
        return image.crop((left, top, left + width, top + height))

    def pixels(self, view: Image.Image) -> np.ndarray:
        """A view as float32 (3, height, width), normalised by `mean` and `std`."""
        values = np.asarray(view.convert("RGB"), dtype=np.float32).transpose(2, 0, 1) / np.float32(
            255
        )
        mean, std = (np.array(row, np.float32)[:, None, None] for row in (self.mean, self.std))
        return np.ascontiguousarray((values - mean) / std)

    @property
    def _resampling(self) -> Image.Resampling:
        return Image.Resampling[self.interpolation.upper()]

    def _covering_size(self, width: int, height: int) -> tuple[int, int]:
        """The picture's shape, just covering size/crop, by timm's two ways of rounding."""
        rows, cols = (math.floor(side / self.crop) for side in self.size)
        if rows == cols:  # torchvision.transforms.Resize of the shorter side
            short = min(width, height)
            return int(rows * width / short), int(rows * height / short)
        ratio = min(height / rows, width / cols)  # timm.data.transforms.ResizeKeepRatio
        return round(width / ratio), round(height / ratio)

    def _whole_size(self, width: int, height: int) -> tuple[int, int]:
        scale = min(self.size) / min(width, height)
        sides = (self.multiple * round(side * scale / self.multiple) for side in (width, height))
        wide, high = (max(self.multiple, side) for side in sides)
        return wide, high


def _middle(image: Image.Image, aspect: int) -> Image.Image:
    """The middle of a picture that is longer than `aspect` times its shorter side."""
    limit = aspect * min(image.size)
    width, height = min(image.width, limit), min(image.height, limit)
    left, top = (image.width - width) // 2, (image.height - height) // 2
    return image.crop((left, top, left + width, top + height))
