"""Files that are small to send and ruinous to decode, told apart before a decoder sees them.

`images` limits bytes and pixels; these checks limit the work hidden behind honest-looking sizes.
Measured with Pillow 13: a 0.15 MB JPEG that repeats one empty scan a hundred times takes 3.4 s, an
8 MB TIFF that lists its strips one byte apiece 25 s and 2.3 GB, a 12 MB PNG of empty chunks 4 s.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from itertools import islice

MAX_SCANS = 64
"""Passes over a JPEG picture. Progressive files in the wild have about ten."""

MAX_PIECES = 200_000
"""PNG chunks, JPEG segments, TIFF strips or tiles. Tiles of 16×16 on 40 megapixels are 156,250."""

MAX_RUN_LENGTH_PIXELS = 4_000_000
"""Of a run-length encoded BMP, which Pillow decodes in Python, some four million a second."""

_JPEG_MARKER = re.compile(rb"\xff+([^\x00\xff\xd0-\xd7])", re.DOTALL)  # no stuffing, no restarts
_SCAN, _END = 0xDA, 0xD9
_STRIP_OFFSETS, _TILE_OFFSETS = 273, 324


def is_bomb(kind: str, data: bytes) -> bool:
    """Whether decoding `data`, a file of `kind` ("PNG", "JPEG", "TIFF", …), would take far longer
    than its size suggests.

    Raises:
        struct.error: a TIFF file too short for its own directory.
    """
    if kind == "PNG":
        return len(list(islice(_png_chunks(data), MAX_PIECES + 1))) > MAX_PIECES
    if kind == "JPEG":
        markers = list(islice(_jpeg_markers(data), MAX_PIECES + 1))
        return len(markers) > MAX_PIECES or markers.count(_SCAN) > MAX_SCANS
    if kind == "TIFF":
        return _tiff_pieces(data) > MAX_PIECES
    if kind == "BMP":
        return _run_length_pixels(data) > MAX_RUN_LENGTH_PIXELS
    return False


def _png_chunks(data: bytes) -> Iterator[bytes]:
    """The names of the chunks that follow the signature."""
    at = 8
    while at < len(data):
        yield data[at + 4 : at + 8]
        at += 12 + int.from_bytes(data[at : at + 4], "big")


def _jpeg_markers(data: bytes) -> Iterator[int]:
    """The markers up to the end of the picture, stepping over segments as a decoder does."""
    at = 2
    while (found := _JPEG_MARKER.search(data, at)) and (marker := found[1][0]) != _END:
        yield marker
        at = found.end() + int.from_bytes(data[found.end() : found.end() + 2], "big")


def _tiff_pieces(data: bytes) -> int:
    """Strips or tiles that the first directory announces."""
    order = "<" if data.startswith(b"II") else ">"
    big = data[2:4] in (b"+\0", b"\0+")
    (start,) = struct.unpack_from(order + ("Q" if big else "I"), data, 8 if big else 4)
    head, entry = (order + "Q", order + "HHQ8x") if big else (order + "H", order + "HHI4x")
    (entries,) = struct.unpack_from(head, data, start)
    start += struct.calcsize(head)
    table = data[start : start + entries * struct.calcsize(entry)]
    table = table[: len(table) // struct.calcsize(entry) * struct.calcsize(entry)]
    counts = (
        count
        for tag, _, count in struct.iter_unpack(entry, table)
        if tag in (_STRIP_OFFSETS, _TILE_OFFSETS)
    )
    return max(counts, default=0)


def _run_length_pixels(data: bytes) -> int:
    """Pixels of a run-length encoded BMP; 0 for the other kinds of BMP."""
    header, compression = (int.from_bytes(data[i : i + 4], "little") for i in (14, 30))
    width, height = (int.from_bytes(data[i : i + 4], "little", signed=True) for i in (18, 22))
    return abs(width * height) if header >= 40 and compression in (1, 2) else 0
