"""Picture files for the tests of the picture door, made by hand where Pillow cannot write them."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
from PIL import Image, ImageCms


def encoded(image: Image.Image, kind: str, **options: object) -> bytes:
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(width: int, height: int, depth: int, colour: int, rows: bytes, *before: bytes) -> bytes:
    """A PNG file; `rows` carry their filter bytes, `before` are chunks between header and data."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))
    data = chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(before) + data


def png16(values: np.ndarray, *before: bytes) -> bytes:
    """16 bits a channel: (h, w) grey or (h, w, 3) RGB."""
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in values)
    return png(values.shape[1], values.shape[0], 16, 2 if values.ndim == 3 else 0, rows, *before)


def tiff(tags: dict[int, tuple[int, int, int]], body: bytes, start: int = 256) -> bytes:
    """A little-endian TIFF of one directory; tags are (type, count, value)."""
    entries = b"".join(struct.pack("<HHII", tag, *tags[tag]) for tag in sorted(tags))
    head = b"II*\0" + struct.pack("<IH", 8, len(tags)) + entries + bytes(4)
    return head.ljust(start, b"\0") + body


def bmp_rle(width: int, height: int, body: bytes) -> bytes:
    """An 8-bit run-length encoded BMP with a black palette."""
    start = 14 + 40 + 1024
    info = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 8, 1, len(body), 0, 0, 256, 0)
    return b"BM" + struct.pack("<IHHI", start + len(body), 0, 0, start) + info + bytes(1024) + body


def profile(primaries: np.ndarray) -> bytes:
    """An RGB profile with sRGB's curve and other primaries: columns of XYZ (D50), rows R, G, B."""
    data = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    for i in range(struct.unpack_from(">I", data, 128)[0]):
        name, offset, _ = struct.unpack_from(">4sII", data, 132 + 12 * i)
        if name in (b"rXYZ", b"gXYZ", b"bXYZ"):
            fixed = np.rint(primaries[b"rgb".index(name[:1])] * 65536).astype(int)
            struct.pack_into(">iii", data, offset + 8, *fixed.tolist())
    return bytes(data)


SRGB_PRIMARIES = np.array(
    [[0.43607, 0.22249, 0.01392], [0.38515, 0.71687, 0.09708], [0.14307, 0.06061, 0.7141]]
)
ADOBE_PRIMARIES = np.array(
    [[0.60974, 0.31111, 0.01947], [0.20528, 0.62567, 0.06087], [0.14919, 0.06322, 0.74457]]
)


def pattern(height: int = 24, width: int = 40, channels: int = 3) -> np.ndarray:
    """A smooth picture without symmetry, so that every turn and every mix-up shows."""
    y, x = np.mgrid[0:height, 0:width].astype(float)
    waves = [128 + 100 * np.sin(x / (7 + i) + y / (11 - i) + 2 * i) for i in range(channels)]
    stack = np.stack(waves, -1)
    stack[: height // 3, : width // 4] = np.arange(channels) * 60 + 20
    return stack.astype(np.uint8)
