"""Composed scenes: what a link may say, and the picture that comes of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import scenes
from attnviz.composition import MOST, Placement, Scene
from attnviz.data.captions import caption, text

NAMES = [sprite.name for sprite in scenes.sprites("en")]
BACKDROPS = [backdrop.name for backdrop in scenes.backdrops()]
shares = st.integers(-200, 1200).map(lambda n: n / 1000)
placements = st.builds(
    Placement,
    st.sampled_from(NAMES),
    shares,
    shares,
    st.integers(50, 1500).map(lambda n: n / 1000),
    st.booleans(),
)


@given(st.builds(Scene, st.sampled_from(BACKDROPS), st.lists(placements, max_size=6).map(tuple)))
def test_a_link_gives_the_scene_back(scene: Scene) -> None:
    assert scenes.read(scenes.text(scene)) == scene


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("", 0),
        ("nowhere;1f427.500.500.300", 1),
        ("grass;1f427.500.500.300;<script>.1.1.1;1f427.5;1f427.500.500.9999", 1),
        ("grass;1f427.5000.500.300;1f427.500.500.300x;zzzz.500.500.300", 0),
        ("grass" + ";1f427.500.500.300" * 500, MOST),
    ],
)
def test_a_link_may_say_anything(written: str, kept: int) -> None:
    scene = scenes.read(written)
    assert len(scene.objects) == kept and scene.backdrop in BACKDROPS


def test_examples_say_what_their_names_promise() -> None:
    said = {
        name: text(caption(scenes.items(scenes.read(written)), "en"))
        for name, written in scenes.EXAMPLES.items()
    }
    assert said["A penguin on a car"] == "a penguin on a car"
    assert said["How many"] == "three ladybugs"
    assert said["Nothing"] == said["Strangers"] == "nothing"
    assert len(said["Three kinds"].split(" and ")) == 2


def test_forty_objects_make_a_picture() -> None:
    written = "sky" + ";1f427.500.500.300" * MOST
    picture = np.asarray(scenes.shown(written).image)
    assert picture.shape == (scenes.SIDE, scenes.SIDE, 3)
    assert (picture != picture[0, 0]).any(), "the penguins are there"


def test_names_come_in_both_languages() -> None:
    english, korean = (
        {sprite.name: sprite.label for sprite in scenes.sprites(code)} for code in ("en", "ko")
    )
    assert (english["1f427"], korean["1f427"]) == ("penguin", "펭귄")
    assert set(english) == set(korean)
