"""What `open_image` makes of every kind of picture that it lets in."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageCms

from attnviz.images import FORMATS, MAX_SIDE, Picture, open_image
from tests.attnviz.picture_files import (
    ADOBE_PRIMARIES,
    SRGB_PRIMARIES,
    chunk,
    encoded,
    pattern,
    png,
    png16,
    profile,
)

RGB = Image.fromarray(pattern())


def pixels(data: bytes) -> np.ndarray:
    return np.asarray(open_image(data).image).astype(int)


def assert_flat(data: bytes, colour: tuple[int, int, int], within: int = 0) -> None:
    found = pixels(data)
    assert np.abs(found - np.array(colour)).max() <= within, found.reshape(-1, 3)[0]


# ---------------------------------------------------------------- formats and sources


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_opens(kind: str) -> None:
    options = {"lossless": True} if kind == "WebP" else {"quality": 95} if kind != "TIFF" else {}
    picture = open_image(encoded(RGB, kind, **options))
    assert picture.image.mode == "RGB" and picture.image.size == (40, 24) and picture.notes == ()
    error = np.abs(np.asarray(picture.image).astype(int) - pattern())
    assert error.mean() < (6 if kind in ("JPEG", "AVIF", "GIF") else 0.001)


@pytest.mark.parametrize("compression", ["raw", "tiff_lzw", "tiff_deflate", "packbits"])
def test_compressed_tiff(compression: str) -> None:
    assert (pixels(encoded(RGB, "TIFF", compression=compression)) == pattern()).all()


def test_content_decides_not_the_name(tmp_path: Path) -> None:
    path = tmp_path / "drawing.txt"
    path.write_bytes(encoded(RGB, "PNG"))
    assert open_image(path).name == "drawing.txt"
    assert open_image(str(path)) == open_image(path)


def test_streams_are_read_from_their_beginning() -> None:
    stream = io.BytesIO(encoded(RGB, "PNG"))
    stream.seek(100)
    stream.name = "/some/where/cat.png"
    assert open_image(stream).name == "cat.png"
    assert open_image(stream, name="my cat").name == "my cat"


def test_key_follows_the_pixels_and_the_shape() -> None:
    saved = open_image(encoded(RGB, "PNG")).sha256
    assert saved == open_image(encoded(RGB, "TIFF")).sha256
    assert saved != open_image(encoded(RGB.resize((40, 25)), "PNG")).sha256
    wide, high = (open_image(encoded(Image.new("RGB", s), "PNG")) for s in ((8, 2), (2, 8)))
    assert wide.sha256 != high.sha256 and wide != high


def test_nothing_of_the_file_stays_with_the_picture() -> None:
    exif = Image.Exif()
    exif[0x010E] = "taken at home"
    data = encoded(RGB, "JPEG", exif=exif, icc_profile=profile(ADOBE_PRIMARIES), comment="secret")
    assert open_image(data).image.info == {} and not open_image(data).image.getexif()


# ---------------------------------------------------------------- pixel modes


def test_one_bit_and_grey() -> None:
    assert_flat(encoded(Image.new("1", (5, 3), 1), "PNG"), (255, 255, 255))
    assert_flat(encoded(Image.new("1", (5, 3), 1), "TIFF", compression="group4"), (255,) * 3)
    assert_flat(encoded(Image.new("L", (5, 3), 77), "BMP"), (77, 77, 77))


def test_palette() -> None:
    indexed = RGB.quantize(16)
    assert (pixels(encoded(indexed, "PNG")) == np.asarray(indexed.convert("RGB"))).all()


@pytest.mark.parametrize("quality", [75, 100])
def test_cmyk_jpeg_with_adobes_inversion(quality: int) -> None:
    red = Image.new("CMYK", (16, 16), (0, 255, 255, 0))
    data = encoded(red, "JPEG", quality=quality)
    assert b"Adobe" in data
    assert_flat(data, (255, 0, 0), within=3)
    assert_flat(encoded(Image.new("CMYK", (16, 16), (0, 0, 0, 128)), "TIFF"), (127, 127, 127))


def test_16_bit_grey_is_rounded_to_the_nearest_of_256() -> None:
    values = np.arange(65536).reshape(256, 256)
    for data in (
        png16(values),
        encoded(Image.fromarray(values.astype(np.uint16)), "TIFF"),
        encoded(Image.fromarray(values.astype(np.uint16)), "TIFF", compression="tiff_lzw"),
        encoded(Image.frombytes("I;16B", (256, 256), values.astype(">u2").tobytes()), "TIFF"),
    ):
        assert (pixels(data)[..., 0] == np.rint(values / 257)).all()


def test_16_bit_colour() -> None:
    values = np.stack([np.arange(0, 65536, 64).reshape(32, 32) * k % 65536 for k in (1, 3, 7)], -1)
    assert np.abs(pixels(png16(values)) - values / 257).max() <= 1


def test_float_is_stretched_and_said_so() -> None:
    values = np.linspace(-3, 5, 12, dtype=np.float32).reshape(3, 4)
    picture = open_image(encoded(Image.fromarray(values), "TIFF"))
    assert np.abs(np.asarray(picture.image)[..., 0] - (values + 3) / 8 * 255).max() <= 0.51
    assert picture.notes == ("Brightness was stretched: -3 is black, 5 is white.",)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([np.nan, 0, 1, 2], [0, 0, 128, 255]),
        ([-np.inf, 0, 2, np.inf], [0, 0, 255, 255]),
        ([np.nan] * 4, [0] * 4),
        ([7, 7, 7, 7], [0] * 4),
        ([-3e38, 3e38, 0, 0], [0, 255, 128, 128]),
        ([0, 1e-45, 0, 0], [0, 255, 0, 0]),
        ([np.nan, np.inf, -np.inf, np.nan], [0, 0, 0, 0]),
    ],
)
def test_float_with_holes_and_extremes(values: list[float], expected: list[int]) -> None:
    data = encoded(Image.fromarray(np.array([values], np.float32)), "TIFF")
    assert pixels(data)[0, :, 0].tolist() == expected


def test_32_bit_integers_keep_small_differences() -> None:
    values = np.array([[2**30, 2**30 + 1, 2**30 + 2]], np.int32)
    assert pixels(encoded(Image.fromarray(values), "TIFF"))[0, :, 0].tolist() == [0, 128, 255]


def test_lab_and_ycbcr_tiff() -> None:
    to_lab = ImageCms.profileToProfile(
        Image.new("RGB", (4, 4), (200, 60, 30)),
        ImageCms.createProfile("sRGB"),
        ImageCms.createProfile("LAB"),
        outputMode="LAB",
    )
    assert_flat(encoded(to_lab, "TIFF"), (200, 60, 30), within=3)
    ycbcr = Image.new("RGB", (4, 4), (200, 60, 30)).convert("YCbCr")
    assert_flat(encoded(ycbcr, "TIFF"), (200, 60, 30), within=3)


# ---------------------------------------------------------------- transparency


@pytest.mark.parametrize("kind", ["PNG", "WebP", "TIFF"])
def test_alpha_is_blended_with_white(kind: str) -> None:
    options = {"lossless": True, "exact": True} if kind == "WebP" else {}
    image = Image.new("RGBA", (6, 6), (200, 0, 100, 51))
    data = encoded(image, kind, **options)
    assert_flat(data, (244, 204, 224), within=1)
    assert open_image(data).notes == ("Transparent parts are shown on white.",)
    opaque = Image.new("RGBA", (6, 6), (200, 0, 100, 255))
    assert open_image(encoded(opaque, kind, **options)).notes == ()


def test_grey_with_alpha() -> None:
    assert_flat(encoded(Image.new("LA", (4, 4), (0, 51)), "PNG"), (204, 204, 204))


def test_palette_with_alpha_per_entry_and_with_one_clear_entry() -> None:
    indexed = Image.fromarray(np.array([[0, 1, 2]], np.uint8), "P")
    indexed.putpalette([255, 0, 0, 0, 255, 0, 0, 0, 255])
    graded = pixels(encoded(indexed, "PNG", transparency=bytes([0, 51, 255])))
    assert graded.tolist() == [[[255, 255, 255], [204, 255, 204], [0, 0, 255]]]
    for kind in ("PNG", "GIF"):
        single = pixels(encoded(indexed, kind, transparency=1))
        assert single.tolist() == [[[255, 0, 0], [255, 255, 255], [0, 0, 255]]]


def test_colour_keys() -> None:
    grey = encoded(Image.fromarray(np.array([[10, 20]], np.uint8)), "PNG", transparency=10)
    assert pixels(grey)[0, :, 0].tolist() == [255, 20]
    colour = Image.fromarray(np.array([[[1, 2, 3], [4, 5, 6]]], np.uint8))
    assert pixels(encoded(colour, "PNG", transparency=(1, 2, 3))).tolist() == [
        [[255, 255, 255], [4, 5, 6]]
    ]
    bits = png(8, 1, 1, 0, b"\0\xf0", chunk(b"tRNS", b"\0\0"))
    assert pixels(bits)[0, :, 0].tolist() == [255] * 8


def test_16_bit_colour_keys() -> None:
    grey = png16(np.array([[0, 257, 65535]]), chunk(b"tRNS", b"\x01\x01"))
    assert pixels(grey)[0, :, 0].tolist() == [0, 255, 255]
    values = np.array([[[0x0102, 0x0304, 0x0506], [0x4000, 0x5000, 0x6000]]])
    keyed = pixels(png16(values, chunk(b"tRNS", bytes([1, 2, 3, 4, 5, 6]))))
    assert keyed.tolist() == [[[255, 255, 255], [64, 80, 96]]]


def test_hidden_colours_do_not_bleed_when_reducing() -> None:
    stored = np.zeros((2, 2 * MAX_SIDE, 4), np.uint8)
    stored[:, ::2] = (255, 0, 0, 255)
    stored[:, 1::2] = (0, 255, 0, 0)  # clear, but green underneath
    middle = pixels(encoded(Image.fromarray(stored), "PNG"))[0, MAX_SIDE // 2]
    assert middle[0] == 255 and abs(middle[1] - middle[2]) <= 1


# ---------------------------------------------------------------- colour profiles


def linear(values: np.ndarray) -> np.ndarray:
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def encode(values: np.ndarray) -> np.ndarray:
    values = values.clip(0, 1)
    return np.where(values <= 0.0031308, values * 12.92, 1.055 * values ** (1 / 2.4) - 0.055)


@pytest.mark.parametrize("kind", ["PNG", "TIFF", "WebP"])
def test_wide_gamut_becomes_srgb(kind: str) -> None:
    stored = pattern() // 2 + 60
    options = {"lossless": True} if kind == "WebP" else {}
    data = encoded(Image.fromarray(stored), kind, icc_profile=profile(ADOBE_PRIMARIES), **options)
    xyz = linear(stored / 255) @ ADOBE_PRIMARIES
    expected = encode(xyz @ np.linalg.inv(SRGB_PRIMARIES)) * 255
    assert np.abs(expected - stored).max() > 10
    assert np.abs(pixels(data) - expected).max() <= 2
    assert open_image(data).notes == ()


def test_profile_on_palette_alpha_and_grey() -> None:
    swapped = profile(SRGB_PRIMARIES[[1, 0, 2]])  # what is called red is green
    red = Image.new("RGB", (4, 4), (255, 0, 0))
    assert_flat(encoded(red, "JPEG", icc_profile=swapped, quality=100), (0, 255, 0), within=5)
    assert_flat(encoded(red.quantize(2), "PNG", icc_profile=swapped), (0, 255, 0), within=1)
    half = Image.new("RGBA", (4, 4), (255, 0, 0, 51))
    assert_flat(encoded(half, "PNG", icc_profile=swapped), (204, 255, 204), within=1)
    grey = encoded(Image.new("L", (4, 4), 99), "PNG", icc_profile=swapped)
    assert_flat(grey, (99, 99, 99), within=1)
    assert open_image(grey).notes == ()


def test_srgb_profile_changes_nothing() -> None:
    data = encoded(RGB, "PNG", icc_profile=profile(SRGB_PRIMARIES))
    assert np.abs(pixels(data) - pattern()).max() <= 1


@pytest.mark.parametrize(
    "broken",
    [b"no profile at all", bytes(200), profile(SRGB_PRIMARIES)[:300]],
    ids=["text", "zeros", "cut"],
)
def test_broken_profile_is_left_out_and_said_so(broken: bytes) -> None:
    picture = open_image(encoded(RGB, "PNG", icc_profile=broken))
    assert (np.asarray(picture.image) == pattern()).all()
    assert picture.notes == ("Its colour profile could not be used and was left out.",)


def test_profile_of_another_kind_is_left_out() -> None:
    cmyk = encoded(
        Image.new("CMYK", (9, 9), (0, 255, 255, 0)), "JPEG", icc_profile=profile(SRGB_PRIMARIES)
    )
    assert_flat(cmyk, (255, 0, 0), within=3)
    assert len(open_image(cmyk).notes) == 1


# ---------------------------------------------------------------- orientation

UPRIGHT = {
    1: lambda a: a,
    2: np.fliplr,
    3: lambda a: np.rot90(a, 2),
    4: np.flipud,
    5: lambda a: a.transpose(1, 0, 2),
    6: lambda a: np.rot90(a, -1),
    7: lambda a: np.rot90(a, 2).transpose(1, 0, 2),
    8: np.rot90,
}


@pytest.mark.parametrize("orientation", UPRIGHT)
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WebP", "TIFF", "TIFF raw"])
def test_exif_orientation(kind: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    options = {
        "PNG": {},
        "JPEG": {"quality": 100, "subsampling": 0},
        "WebP": {"lossless": True},
        "TIFF": {"compression": "tiff_lzw"},
        "TIFF raw": {},
    }[kind]
    found = pixels(encoded(RGB, kind.split()[0], exif=exif, **options))
    expected = UPRIGHT[orientation](pattern().astype(int))
    assert found.shape == expected.shape
    assert np.abs(found - expected).mean() < 1.5


@pytest.mark.filterwarnings("ignore:Corrupt EXIF")
@pytest.mark.parametrize(
    "exif", [b"Exif\0\0garbage", b"Exif\0\0II*\0\xff\xff\xff\xff", b"Exif\0\0"]
)
def test_broken_exif_does_not_spoil_the_picture(exif: bytes) -> None:
    assert pixels(encoded(RGB, "JPEG", exif=exif)).shape == (24, 40, 3)


# ---------------------------------------------------------------- animations and documents


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WebP", "AVIF"])
def test_first_frame_of_an_animation(kind: str) -> None:
    if kind not in FORMATS:
        pytest.skip("this Pillow reads no AVIF")
    frames = [Image.new("RGB", (16, 16), colour) for colour in ("red", "lime", "blue")]
    data = encoded(frames[0], kind, save_all=True, append_images=frames[1:], duration=100)
    assert_flat(data, (255, 0, 0), within=4)
    assert open_image(data).notes == ("First frame of an animation of 3.",)


def test_damaged_later_frames_do_not_spoil_the_first() -> None:
    frames = [Image.fromarray(pattern() // k) for k in (1, 2, 3)]
    whole = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    first = pixels(whole)
    second = whole.index(b"\x21\xf9", whole.index(b"\x21\xf9") + 500)
    for cut in (second + 3, second + 12, second + 19, len(whole) - 100):
        assert (pixels(whole[:cut]) == first).all()


def test_first_page_of_a_document() -> None:
    pages = [Image.new("L", (9, 9), value) for value in (50, 100)]
    data = encoded(pages[0], "TIFF", save_all=True, append_images=pages[1:])
    assert_flat(data, (50, 50, 50))
    assert open_image(data).notes == ("First of several pages.",)


def test_cameras_second_picture_goes_without_saying() -> None:
    data = encoded(RGB, "MPO", save_all=True, append_images=[RGB])
    assert open_image(data).notes == ()


# ---------------------------------------------------------------- sizes


def test_one_pixel() -> None:
    assert_flat(encoded(Image.new("RGB", (1, 1), (1, 2, 3)), "PNG"), (1, 2, 3))


@pytest.mark.parametrize("size", [(40_000, 1), (1, 40_000), (60_000, 600)])
def test_lines_keep_a_pixel(size: tuple[int, int]) -> None:
    picture = open_image(encoded(Image.new("L", size, 9), "PNG"))
    assert max(picture.image.size) == MAX_SIDE and min(picture.image.size) >= 1


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_large_pictures_are_reduced_and_said_so(kind: str) -> None:
    y, x = np.mgrid[0:1500, 0:5000]
    stored = np.stack([x / 20, y / 6, (x + y) / 26], -1).astype(np.uint8)
    options = {"compress_level": 1} if kind == "PNG" else {}
    picture = open_image(encoded(Image.fromarray(stored), kind, **options))
    width, height = picture.image.size
    assert MAX_SIDE // 2 <= width <= MAX_SIDE and abs(width / height - 5000 / 1500) < 0.01
    assert picture.notes == (f"Reduced to {width}×{height} pixels.",)
    expected = np.asarray(Image.fromarray(stored).resize((width, height)))
    assert np.abs(np.asarray(picture.image).astype(int) - expected).mean() < 2


def test_pictures_within_the_limit_are_kept_to_the_pixel() -> None:
    stored = pattern(30, MAX_SIDE)
    assert (pixels(encoded(Image.fromarray(stored), "PNG")) == stored).all()


def test_pictures_are_values() -> None:
    picture = open_image(encoded(RGB, "PNG"))
    assert isinstance(picture, Picture) and hash(picture) == hash(open_image(encoded(RGB, "BMP")))
