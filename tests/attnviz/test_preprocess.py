"""`Preprocess` against timm's evaluation transform, pixel for pixel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from timm.data import create_transform

from attnviz.images import Preprocess
from tests.attnviz.picture_files import pattern

IMAGENET = {"mean": (0.485, 0.456, 0.406), "std": (0.229, 0.224, 0.225)}
SETTINGS = [
    Preprocess(),
    Preprocess(crop=0.875, interpolation="bilinear", **IMAGENET),
    Preprocess(size=(384, 384), crop=1.0),
    Preprocess(size=(518, 518), crop=1.0, **IMAGENET),
    Preprocess(size=(240, 240), crop=0.95, interpolation="bilinear", mean=(0, 0, 0), std=(1, 1, 1)),
    Preprocess(size=(160, 320), crop=0.9, **IMAGENET),
    Preprocess(size=(256, 96), crop=0.95, interpolation="bilinear"),
]
SIZES = [(512, 512), (640, 427), (451, 300), (300, 451), (1000, 872), (225, 224), (48, 3), (3, 47)]


def timm_transform(preprocess: Preprocess, **options: bool):
    return create_transform(
        (3, *preprocess.size),
        is_training=False,
        crop_pct=preprocess.crop,
        crop_mode="center",
        interpolation=preprocess.interpolation,
        mean=preprocess.mean,
        std=preprocess.std,
        **options,
    )


def assert_equals_timm(preprocess: Preprocess, image: Image.Image) -> None:
    view = preprocess.view(image)
    assert view.mode == "RGB" and (view.height, view.width) == preprocess.size
    expected = timm_transform(preprocess, normalize=False)(image)
    assert (np.asarray(view).transpose(2, 0, 1) == expected.numpy()).all()
    pixels = preprocess.pixels(view)
    assert pixels.dtype == np.float32 and pixels.flags.c_contiguous
    torch.testing.assert_close(
        torch.from_numpy(pixels), timm_transform(preprocess)(image), rtol=0, atol=1e-6
    )


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("preprocess", SETTINGS, ids=lambda p: f"{p.size}-{p.crop}")
def test_equals_timm(preprocess: Preprocess, size: tuple[int, int]) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (size[1], size[0], 3), np.uint8)
    assert_equals_timm(preprocess, Image.fromarray(noise))


@settings(max_examples=80, deadline=None)
@given(
    st.integers(1, 130),
    st.integers(1, 130),
    st.integers(8, 60),
    st.integers(8, 60),
    st.sampled_from([0.5, 0.875, 0.9, 0.95, 1.0]),
    st.sampled_from(["bicubic", "bilinear"]),
)
def test_equals_timm_at_any_size(
    width: int, height: int, rows: int, cols: int, crop: float, interpolation: str
) -> None:
    if max(width, height) > 16 * min(width, height):
        width = height
    image = Image.fromarray(pattern(height, width))
    assert_equals_timm(Preprocess((rows, cols), crop, interpolation), image)


@pytest.mark.parametrize("size", [(1, 1), (2048, 1), (1, 2048), (2048, 51)])
@pytest.mark.parametrize("fit", ["crop", "whole"])
def test_lines_and_single_pixels_stay_small(
    size: tuple[int, int], fit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, resized = Image.Image.resize, []

    def resize(image: Image.Image, to: tuple[int, int], *rest: object) -> Image.Image:
        resized.append(to)
        return plain(image, to, *rest)

    monkeypatch.setattr(Image.Image, "resize", resize)
    preprocess = Preprocess(size=(518, 518), crop=1.0, fit=fit, multiple=14)
    view = preprocess.view(Image.new("RGB", size, (9, 8, 7)))
    assert view.getpixel((0, 0)) == (9, 8, 7) and max(view.size) <= 4 * 518
    assert len(resized) == 1 and max(resized[0]) <= 16 * 518


def test_long_pictures_show_their_middle() -> None:
    stripes = Image.new("RGB", (4000, 40), "red")
    stripes.paste("lime", (1500, 0, 2500, 40))
    assert Preprocess().view(stripes).getcolors() == [(224 * 224, (0, 255, 0))]


@pytest.mark.parametrize(
    ("picture", "size", "multiple", "expected"),
    [
        ((640, 480), (224, 224), 16, (304, 224)),
        ((480, 640), (224, 224), 16, (224, 304)),
        ((300, 300), (518, 518), 14, (518, 518)),
        ((1000, 100), (224, 224), 16, (896, 224)),
        ((640, 480), (100, 300), 32, (128, 96)),
        ((5, 4), (4, 4), 16, (16, 16)),
    ],
)
def test_whole_keeps_the_shape(
    picture: tuple[int, int], size: tuple[int, int], multiple: int, expected: tuple[int, int]
) -> None:
    preprocess = Preprocess(size=size, fit="whole", multiple=multiple)
    view = preprocess.view(Image.new("RGB", picture))
    assert view.size == expected
    assert preprocess.pixels(view).shape == (3, expected[1], expected[0])


def test_whole_cuts_nothing_off_up_to_four_to_one() -> None:
    image = Image.new("RGB", (400, 100), "black")
    image.paste("white", (0, 0, 8, 100))
    image.paste("white", (392, 0, 400, 100))
    view = np.asarray(Preprocess(fit="whole").view(image))
    assert view.shape == (224, 896, 3) and view[:, [0, -1]].min() > 240 and view[:, 448].max() == 0


def test_view_takes_other_modes_and_leaves_its_input_alone() -> None:
    grey = Image.fromarray(pattern()[..., 0])
    before = grey.tobytes()
    assert Preprocess().view(grey).tobytes() == Preprocess().view(grey.convert("RGB")).tobytes()
    assert grey.mode == "L" and grey.tobytes() == before


def test_lists_become_hashable() -> None:
    read = Preprocess(size=[384, 384], mean=[0.5] * 3, std=[0.5] * 3)  # type: ignore[arg-type]
    assert hash(read) == hash(Preprocess(size=(384, 384)))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"size": (224,)}, "height and a width"),
        ({"size": (0, 9)}, "not (0, 9)"),
        ({"crop": 0}, "not 0"),
        ({"crop": 1.1}, "not 1.1"),
        ({"interpolation": "nearest"}, "'nearest'"),
        ({"mean": (0.5,)}, "three numbers"),
        ({"std": (1, 1, 0)}, "above 0"),
        ({"fit": "squash"}, "'squash'"),
        ({"multiple": 0}, "not 0"),
    ],
)
def test_wrong_settings_say_what_is_wrong(wrong: dict, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        replace(Preprocess(), **wrong)
    assert message in str(caught.value)
