"""What `open_image` refuses, in which words, how fast, and that nothing else can come out of it."""

from __future__ import annotations

import io
import random
import struct
import subprocess
import sys
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image

from attnviz import images
from attnviz.images import FORMATS, ImageError, Picture, open_image
from tests.attnviz.picture_files import (
    SRGB_PRIMARIES,
    bmp_rle,
    chunk,
    encoded,
    pattern,
    png,
    profile,
    tiff,
)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:PIL")  # chatty about broken tags

RGB = Image.fromarray(pattern())
DAMAGED = "This {} picture is damaged, cut short or of an unusual kind."
SLOW = "This {} picture is built in a way that takes too long to read."


def refusal(source: object) -> str:
    with pytest.raises(ImageError) as caught:
        open_image(source)  # type: ignore[arg-type]
    return str(caught.value)


@pytest.mark.parametrize(
    "data",
    [
        b"just a text",
        b"<!doctype html><html></html>",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"PK\x03\x04" + bytes(100),
        b"%PDF-1.7\n",
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n",
        b"\0\0\0\x18ftypheic" + bytes(40),
        encoded(RGB, "PPM"),
        encoded(RGB, "ICO"),
        encoded(RGB, "TGA"),
    ],
)
def test_foreign_files(data: bytes) -> None:
    assert refusal(data) == (
        "This file is not a picture that can be read (PNG, JPEG, WebP, GIF, BMP, TIFF or AVIF)."
    )


def test_missing_empty_and_unreadable(tmp_path: Path) -> None:
    assert refusal(b"") == "This file is empty."
    assert "'none.png' cannot be opened: No such file" in refusal(tmp_path / "none.png")
    assert "cannot be opened" in refusal(tmp_path)
    assert "cannot be opened" in refusal("bad\0name")
    closed = io.BytesIO(b"x")
    closed.close()
    assert refusal(closed) == "The file could not be read to its end."


def test_unusual_kinds_are_called_so() -> None:
    tags = {256: (4, 1, 2), 257: (4, 1, 2), 258: (3, 1, 8), 262: (3, 1, 32803), 273: (4, 1, 256)}
    assert refusal(tiff(tags, bytes(4))) == (
        "This TIFF picture is damaged, cut short or of an unusual kind."
    )


# ---------------------------------------------------------------- too much to decode


def test_too_many_pixels_are_refused_from_the_header() -> None:
    rows = zlib.compress(bytes(2501 * 20_000), 9)
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 20_000, 20_000, 1, 0, 0, 0, 0))
    bomb = b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    began = time.perf_counter()
    assert refusal(bomb) == "This picture is 20000×20000 = 400 megapixels; at most 40 are accepted."
    assert time.perf_counter() - began < 0.5


@pytest.mark.parametrize(
    ("size", "megapixels"), [((40_001, 1000), "40.1"), ((2**31 - 1, 1), "2147.5")]
)
def test_sizes_just_over_and_absurd(size: tuple[int, int], megapixels: str) -> None:
    data = png(*size, 8, 0, b"")
    assert f"= {megapixels} megapixels; at most 40 are accepted" in refusal(data)


def test_forty_megapixels_are_accepted() -> None:
    picture = open_image(encoded(Image.new("1", (40_000, 1000)), "PNG"))
    assert picture.image.size == (2048, 51)


def test_too_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "MAX_BYTES", 2**20)
    assert refusal(bytes(2**20 + 1)) == "This file is too large; at most 1 MB are accepted."
    assert "too large" in refusal(io.BytesIO(bytes(2**20 + 1)))


def jpeg_of_many_scans(scans: int) -> bytes:
    data = encoded(Image.new("L", (2000, 2000), 128), "JPEG", progressive=True)
    last = data[data.rindex(b"\xff\xda") : -2]
    return data[:-2] + last * scans + b"\xff\xd9"


def tiff_of_many_strips(strips: int) -> bytes:
    size = {256: (4, 1, 4), 257: (4, 1, strips), 258: (3, 1, 8), 262: (3, 1, 1)}
    return tiff({**size, 273: (1, strips, 256), 278: (4, 1, 1)}, bytes(strips))


def tiff_of_a_huge_tile(side: int) -> bytes:
    tile = zlib.compress(bytes(side * side), 9)
    size = {256: (4, 1, 10), 257: (4, 1, 10), 258: (3, 1, 8), 259: (3, 1, 8), 262: (3, 1, 1)}
    return tiff(
        {**size, 322: (4, 1, side), 323: (4, 1, side), 324: (4, 1, 256), 325: (4, 1, len(tile))},
        tile,
    )


def webp_canvas(side: int) -> bytes:
    body = b"VP8X" + struct.pack("<I", 10) + b"\x02\0\0\0" + (side - 1).to_bytes(3, "little") * 2
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


def gif_screen(side: int) -> bytes:
    frame = b"!\xf9\x04\x08\0\0\0\0," + struct.pack("<HHHH", 0, 0, side, side) + b"\0\x02\0"
    return b"GIF89a" + struct.pack("<HH", 1, 1) + bytes(3) + frame + b";"


BOMBS = {
    "JPEG of 20,000 scans": (lambda: jpeg_of_many_scans(20_000), SLOW.format("JPEG")),
    "JPEG of a million segments": (
        lambda: b"\xff\xd8" + b"\xff\xfe\0\x02" * 10**6 + encoded(RGB, "JPEG")[2:],
        SLOW.format("JPEG"),
    ),
    "PNG of a million chunks": (
        lambda: png(1, 1, 8, 0, b"\0\0", chunk(b"prVt", b"") * 10**6),
        SLOW.format("PNG"),
    ),
    "TIFF of 8 million strips": (lambda: tiff_of_many_strips(8 * 10**6), SLOW.format("TIFF")),
    "TIFF with a huge tile": (lambda: tiff_of_a_huge_tile(20_000), "= 400 megapixels"),
    "PNG with a huge text": (
        lambda: png(1, 1, 8, 0, b"\0\0", chunk(b"zTXt", b"k\0\0" + zlib.compress(bytes(2**27)))),
        DAMAGED.format("PNG"),
    ),
    "PNG with a huge profile": (
        lambda: png(1, 1, 8, 0, b"\0\0", chunk(b"iCCP", b"k\0\0" + zlib.compress(bytes(2**27)))),
        DAMAGED.format("PNG"),
    ),
    "WebP with a huge canvas": (lambda: webp_canvas(16_000), "megapixels"),
    "GIF with a huge frame": (lambda: gif_screen(60_000), "megapixels"),
    "BMP that jumps far": (
        lambda: bmp_rle(30_000, 1000, b"\0\x02\xff\xff" * 9),
        SLOW.format("BMP"),
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_defused_quickly(name: str) -> None:
    build, message = BOMBS[name]
    data = build()
    assert len(data) < images.MAX_BYTES
    began = time.perf_counter()
    assert message in refusal(data)
    assert time.perf_counter() - began < 2


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
def test_bombs_cost_no_memory(tmp_path: Path) -> None:
    for i, name in enumerate(BOMBS):
        (tmp_path / str(i)).write_bytes(BOMBS[name][0]())
    code = f"""
import pathlib, re
from attnviz.images import ImageError, open_image
def peak():
    status = pathlib.Path("/proc/self/status").read_text()
    return int(re.search("VmHWM:.*?([0-9]+) kB", status)[1])
before = peak()
for path in sorted(pathlib.Path({str(tmp_path)!r}).iterdir()):
    try:
        open_image(path)
    except ImageError:
        pass
print(peak() - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 60_000, "kB"


def test_progressive_pictures_are_no_bombs() -> None:
    photo = Image.fromarray(pattern(400, 600))
    assert open_image(encoded(photo, "JPEG", progressive=True)).image.size == (600, 400)
    thumbnail = b"Exif\0\0" + encoded(photo, "JPEG", progressive=True)[:60_000]
    assert open_image(encoded(photo, "JPEG", exif=thumbnail)).image.size == (600, 400)


# ---------------------------------------------------------------- nothing but Picture or ImageError


def opens(data: bytes) -> bool:
    """Whether it opens; anything but a Picture or an ImageError of one sentence fails the test."""
    try:
        picture = open_image(data)
    except ImageError as error:
        text = str(error)
        assert text.endswith(".") and "\n" not in text and len(text) < 200
        return False
    assert isinstance(picture, Picture) and picture.image.mode == "RGB"
    return True


VALID = {
    **{kind: encoded(RGB, kind) for kind in FORMATS},
    "grey 16": encoded(Image.fromarray(pattern()[..., 0].astype(np.uint16) * 257), "PNG"),
    "palette": encoded(RGB.quantize(9), "PNG", transparency=bytes(range(9))),
    "profile": encoded(RGB, "PNG", icc_profile=profile(SRGB_PRIMARIES)),
    "cmyk": encoded(RGB.convert("CMYK"), "JPEG", icc_profile=profile(SRGB_PRIMARIES)),
    "progressive": encoded(RGB, "JPEG", progressive=True),
    "float": encoded(Image.fromarray(np.array([[np.nan, 1]], np.float32)), "TIFF"),
    "deflated": encoded(RGB, "TIFF", compression="tiff_deflate"),
    "gif": encoded(RGB, "GIF", save_all=True, append_images=[RGB.rotate(180)]),
    "webp": encoded(RGB, "WebP", save_all=True, append_images=[RGB.rotate(180)], lossless=True),
    "rle": bmp_rle(8, 2, b"\x08\x01\0\0\x08\x02\0\x01"),
}


@pytest.mark.parametrize("name", VALID)
def test_cut_anywhere(name: str) -> None:
    data = VALID[name]
    assert opens(data)
    cuts = sorted({*range(0, min(64, len(data))), *range(64, len(data), max(1, len(data) // 60))})
    results = [opens(data[:cut]) for cut in cuts]
    assert not any(results[:20])


@settings(max_examples=300, deadline=timedelta(seconds=5))
@given(
    st.sampled_from(sorted(VALID)),
    st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 255)), min_size=1, max_size=8),
    st.integers(0, 400) | st.none(),
)
def test_damaged_anywhere(name: str, changes: list[tuple[int, int]], cut: int | None) -> None:
    data = bytearray(VALID[name])
    for at, value in changes:
        data[at % len(data)] = value
    opens(bytes(data[:cut] if cut else data))


@settings(max_examples=150, deadline=timedelta(seconds=5))
@given(
    st.sampled_from(
        [
            b"",
            b"\x89PNG\r\n\x1a\n",
            b"\xff\xd8\xff",
            b"RIFF\x40\0\0\0WEBPVP8 ",
            b"GIF89a",
            b"BM",
            b"II*\0\x08\0\0\0",
            b"MM\0+\0\x08\0\0",
            b"\0\0\0\x1cftypavif",
        ]
    ),
    st.binary(max_size=300),
)
@example(b"II*\0\x08\0\0\0", b"\xff\xff")
def test_noise_behind_a_signature(signature: bytes, noise: bytes) -> None:
    opens(signature + noise)


@pytest.mark.parametrize(
    ("raised", "message"),
    [
        (MemoryError(), "There is not enough memory to open this picture."),
        (RecursionError("deep"), DAMAGED.format("PNG")),
        (KeyError("odd"), DAMAGED.format("PNG")),
        (
            Image.DecompressionBombError("x"),
            "This picture has far too many pixels; at most 40 megapixels are accepted.",
        ),
    ],
)
def test_whatever_the_decoder_raises(
    raised: Exception, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise raised

    monkeypatch.setattr(images, "eight_bits", fail)
    assert refusal(encoded(RGB, "PNG")) == message


def test_threads_do_not_mix_pictures() -> None:
    files = [
        encoded(Image.fromarray(pattern(90 + i, 120)), kind) for i, kind in enumerate(FORMATS * 4)
    ]
    alone = [open_image(data).sha256 for data in files]
    order = random.Random(0).sample(range(len(files)), len(files)) * 3
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda i: open_image(files[i]).sha256, order))
    assert together == [alone[i] for i in order]


def test_a_refusal_frees_the_decoder() -> None:
    for _ in range(5):
        refusal(VALID["PNG"][:60])
    done = threading.Thread(target=open_image, args=(VALID["PNG"],), daemon=True)
    done.start()
    done.join(timeout=5)
    assert not done.is_alive()
