"""Composed scenes are drawn where they say, and what is true of them is known."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from attnviz.composition import MOST, Placement, Scene, render, truth
from attnviz.data.things import things

THINGS = {thing.en: thing for thing in things()}


def half(left: str, right: str) -> Image.Image:
    """A picture whose halves have a colour each, twice as wide as it is high."""
    picture = Image.new("RGBA", (80, 40), left)
    picture.paste(Image.new("RGBA", (40, 40), right), (40, 0))
    return picture


CUTOUTS = {"two": half("red", "blue"), "green": Image.new("RGBA", (30, 30), "lime")}
WHITE = Image.new("RGB", (10, 20), "white")


def drawn(*objects: Placement, side: int = 100) -> np.ndarray:
    return np.asarray(render(Scene("white", objects), CUTOUTS, WHITE, side))


def test_an_object_lies_where_it_says() -> None:
    picture = drawn(Placement("two", 0.5, 0.3, 0.4))
    rows, cols = np.nonzero((picture != 255).any(-1))
    assert (rows.min(), rows.max() + 1, cols.min(), cols.max() + 1) == (20, 40, 30, 70)
    assert tuple(picture[30, 35]) == (255, 0, 0) and tuple(picture[30, 65]) == (0, 0, 255)


def test_a_flipped_one_is_mirrored_and_later_ones_lie_in_front() -> None:
    flipped = Placement("two", 0.5, 0.3, 0.4, flip=True)
    assert tuple(drawn(flipped)[30, 35]) == (0, 0, 255)
    over = Placement("green", 0.35, 0.3, 0.1)
    assert tuple(drawn(flipped, over)[30, 35]) == (0, 255, 0)
    assert tuple(drawn(over, flipped)[30, 35]) == (0, 0, 255)


def test_the_edges_cut_and_beyond_them_nothing_is_true() -> None:
    things = {"green": THINGS["frog"], "two": THINGS["car"]}
    cut, gone = Placement("green", 1.0, 0.5, 0.2), Placement("two", -0.2, 0.5, 0.1)
    scene = Scene("white", (cut, gone))
    assert (drawn(cut, gone) != 255).any()
    (item,) = truth(scene, CUTOUTS, things, 100)
    assert item.thing.en == "frog" and item.box == (0.4, 0.9, 0.6, 1.0)
    assert item.area == pytest.approx(0.02)


def test_what_has_no_name_is_passed_over() -> None:
    scene = Scene("white", (Placement("two", 0.5, 0.5, 0.3),))
    assert truth(scene, CUTOUTS, {}, 100) == ()


@pytest.mark.parametrize(
    ("objects", "words"),
    [
        ([Placement("green", 0.5, 0.5, 0.1)] * (MOST + 1), "at most 40 objects; this one has 41"),
        ([Placement("green", 1.5, 0.5, 0.1)], "not at"),
        ([Placement("green", float("nan"), 0.5, 0.1)], "not at"),
        ([Placement("green", 0.5, 0.5, 3.0)], "not 3.0"),
    ],
)
def test_what_nobody_can_compose_is_refused(objects: list[Placement], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        drawn(*objects)


def test_forty_objects_are_drawn() -> None:
    assert drawn(*[Placement("green", 0.5, 0.5, 0.1)] * MOST).shape == (100, 100, 3)
