"""The picture on show, a sample or the visitor's own, small enough to keep in a session."""

from __future__ import annotations

import io
from dataclasses import dataclass, field, replace

import numpy as np
from PIL import Image

from attnviz.data.samples import Sample
from attnviz.figures.theme import colour_table
from attnviz.images import Preprocess, open_image

KEPT_SIDE = 1024  # longer side of a visitor's picture in the session, pixels


@dataclass(frozen=True)
class Shown:
    """A picture by its encoded bytes.

    Args:
        key: sha256 of its pixels, what caches go by.
        data: PNG or JPEG.
        title, credit: plain text for its caption.
        notes: what was done to the file, one sentence each.
        code: the Python expression that opens the same pixels.
    """

    key: str
    data: bytes = field(repr=False, compare=False)
    title: str = ""
    credit: str = ""
    notes: tuple[str, ...] = ()
    code: str = ""

    @property
    def image(self) -> Image.Image:
        """The decoded RGB picture."""
        return Image.open(io.BytesIO(self.data)).convert("RGB")


def from_sample(sample: Sample) -> Shown:
    """A bundled sample."""
    data = sample.path.read_bytes()
    return Shown(
        key=open_image(data).sha256,
        data=data,
        title=sample.title,
        credit=f"{sample.author}, {sample.licence}",
        code=f'open_image(sample("{sample.name}").path).image',
    )


def from_upload(data: bytes, name: str) -> Shown:
    """A file that a visitor sent; ``ImageError`` with one sentence if it is no picture."""
    picture = open_image(data, name=name)
    image, notes = picture.image, list(picture.notes)
    code = "open_image(PATH).image  # PATH: your file"
    key = picture.sha256
    if max(image.size) > KEPT_SIDE:
        image = image.copy()
        image.thumbnail((KEPT_SIDE, KEPT_SIDE))
        notes = [note for note in notes if not note.startswith("Reduced")]
        notes.append(f"Reduced to {image.width}×{image.height} pixels.")
        key += f"-{KEPT_SIDE}"
        code += f"\nimage.thumbnail(({KEPT_SIDE}, {KEPT_SIDE}))"
    buffer = io.BytesIO()
    image.save(buffer, "PNG", compress_level=1)
    title = picture.name or "Your picture"
    return Shown(key, buffer.getvalue(), title, "your picture", tuple(notes), code)


def drawn(image: Image.Image, preprocess: Preprocess, side: int = 448) -> Image.Image:
    """What the model sees of a picture, in more pixels: a whole multiple near ``side``."""
    factor = max(1, round(side / min(preprocess.size)))
    height, width = preprocess.size
    finer = replace(
        preprocess, size=(height * factor, width * factor), multiple=preprocess.multiple * factor
    )
    return finer.view(image)


def encoded(image: Image.Image, quality: int = 85) -> bytes:
    """A WebP to send to the browser: half the bytes of a JPEG that looks the same."""
    buffer = io.BytesIO()
    image.save(buffer, "WEBP", quality=quality, method=2)
    return buffer.getvalue()


def painted(values: np.ndarray, table: np.ndarray | None = None) -> bytes:
    """uint8 pixels as PNG: (height, width, 3), or (height, width) places in a colour table."""
    picture = Image.fromarray(values)
    buffer = io.BytesIO()
    if table is not None:
        picture.putpalette(table.tobytes())
    picture.save(buffer, "PNG")
    return buffer.getvalue()


def signed(values: np.ndarray) -> bytes:
    """(rows, columns) as PNG: blue below zero, red above, cut at the 99th percentile."""
    reach = float(np.percentile(np.abs(values), 99)) or 1.0
    places = np.clip(7.5 + 7.5 * values / reach, 0, 15).round().astype(np.uint8)
    return painted(places, colour_table("diverging")[::17])  # 16 colours: half a byte a number
