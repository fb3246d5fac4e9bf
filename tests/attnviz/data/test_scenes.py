"""Scenes: boxes are exact, everything follows from the seed, later objects hide earlier ones."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw

from attnviz.data.scenes import (
    SceneBuilder,
    keeps_all_visible,
    mix,
    random_crop,
    visible_masks,
)
from attnviz.data.sources import Cutout, Photograph

COLOURS = {"red": (255, 0, 0), "green": (0, 255, 0), "blue": (0, 0, 255)}


def disc(name: str) -> Cutout:
    """A round cut-out of one pure colour with an empty margin and a soft edge."""

    def draw() -> Image.Image:
        picture = Image.new("RGBA", (90, 60), (*COLOURS[name], 0))
        ImageDraw.Draw(picture).ellipse((20, 5, 75, 50), fill=(*COLOURS[name], 255))
        return picture

    return Cutout(name, {"en": f"a {name} disc"}, draw)


def black() -> Photograph:
    return Photograph("black", lambda: Image.new("RGB", (300, 200)))


class Plain(SceneBuilder):
    """Scenes on black, so that what is not black is an object."""

    def background(self, rng: np.random.Generator) -> Image.Image:
        return Image.new("RGB", (self.size, self.size))


@pytest.fixture
def builder() -> SceneBuilder:
    return SceneBuilder([disc(name) for name in COLOURS], [black()], seed=3, size=96)


def test_a_scene_follows_from_seed_and_index(builder: SceneBuilder) -> None:
    first, again = builder.build(5), builder.build(5)
    assert first.objects == again.objects
    np.testing.assert_array_equal(first.image, again.image)
    other_seed = SceneBuilder(builder.cutouts, builder.backgrounds, seed=4, size=96)
    assert not np.array_equal(first.image, builder.build(6).image)
    assert not np.array_equal(first.image, other_seed.build(5).image)


@pytest.mark.parametrize("index", range(30))
def test_a_box_is_around_the_pixels_that_show(index: int) -> None:
    """Seen from the finished picture alone: a colour's pixels fill its object's box to the edge."""
    cutouts = [disc(name) for name in COLOURS]
    scene = Plain(cutouts, [], seed=1, size=96, shares=(0.4, 0.3, 0.3)).build(index)
    assert scene.objects
    names = [placed.name for placed in scene.objects]
    for placed in scene.objects:
        if names.count(placed.name) > 1:
            continue  # two of one colour cannot be told apart in the picture
        channel = list(COLOURS).index(placed.name)
        others = [c for c in range(3) if c != channel]
        bright = scene.image[..., channel].astype(int) - scene.image[..., others].max(-1)
        rows, cols = np.nonzero(bright > 50)
        seen = (rows.min(), cols.min(), rows.max() + 1, cols.max() + 1)
        assert np.abs(np.subtract(seen, placed.box)).max() <= 2  # blur and soft edges


def test_later_objects_hide_earlier_ones() -> None:
    below, above = Image.new("RGBA", (4, 4)), Image.new("RGBA", (4, 4))
    below.paste((9, 9, 9, 255), (0, 0, 4, 2))
    above.paste((9, 9, 9, 255), (2, 0, 4, 4))
    lower, upper = visible_masks([below, above])
    assert lower.sum() == 4 and not lower[:, 2:].any()
    assert upper.sum() == 8


@pytest.mark.parametrize(("hidden", "allowed"), [(0, True), (4, True), (5, False), (10, False)])
def test_an_object_may_lose_four_tenths(hidden: int, allowed: bool) -> None:
    below, above = Image.new("RGBA", (10, 10)), Image.new("RGBA", (10, 10))
    below.paste((9, 9, 9, 255), (0, 0, 10, 10))
    above.paste((9, 9, 9, 255), (0, 0, max(hidden, 1), 10 if hidden else 1))
    assert keeps_all_visible([below, above]) is allowed


def test_a_crowd_has_three_objects_where_they_fit(builder: SceneBuilder) -> None:
    crowded = SceneBuilder(builder.cutouts, [], seed=0, size=96, shares=(0.0, 0.0, 1.0))
    scenes = [crowded.build(i) for i in range(20)]
    assert {len(scene.objects) for scene in scenes} >= {2, 3}
    assert all(placed.area > 0 for scene in scenes for placed in scene.objects)


def test_extras_take_their_share(builder: SceneBuilder) -> None:
    mixed = SceneBuilder([disc("red")], [], extras=[disc("blue")], extra_share=0.5, size=48)
    names = [placed.name for i in range(60) for placed in mixed.build(i).objects]
    assert 0.3 < names.count("blue") / len(names) < 0.7


def test_a_crop_is_square_and_from_the_picture() -> None:
    picture = Image.new("RGB", (40, 30), (10, 20, 30))
    crop = random_crop(picture, np.random.default_rng(0), 24, (0.1, 1.0))
    assert crop.size == (24, 24)
    assert crop.getcolors() == [(24 * 24, (10, 20, 30))]


def test_a_mixture_lies_between_or_is_cut_in() -> None:
    low, high = np.zeros((32, 32, 3), np.uint8), np.full((32, 32, 3), 200, np.uint8)
    for seed in range(20):
        values = np.unique(mix(low, high, np.random.default_rng(seed)))
        blended = len(values) == 1 and 40 <= values[0] <= 160
        cut = values.tolist() == [0, 200]
        assert blended or cut
