"""What is said of scenes, in English and Korean, and of which words."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from attnviz.data.captioned_scenes import KINDS, NUDGE, SIZE, CaptionedSceneBuilder, moved
from attnviz.data.captions import (
    Box,
    Item,
    caption,
    groups,
    relation,
    text,
    true_captions,
    vocabulary,
)
from attnviz.data.cutouts import Shown
from attnviz.data.sources import Cutout
from attnviz.data.stickers import STRANGE, stickers
from attnviz.data.things import thing_of, things
from attnviz.text import END, UNKNOWN, Words

THINGS = {thing.en: thing for thing in things()}
LEFT, RIGHT = (0.4, 0.05, 0.6, 0.25), (0.42, 0.6, 0.62, 0.8)
LOW = (0.6, 0.2, 0.9, 0.45)
ABOVE, BELOW = (0.05, 0.4, 0.25, 0.6), (0.7, 0.42, 0.9, 0.62)


def item(name: str, box: Box, area: float = 0.1) -> Item:
    return Item(THINGS[name], box, area)


@pytest.mark.parametrize(
    ("items", "english", "korean"),
    [
        ([], "nothing", "아무것도 없음"),
        ([item("frog", (0.3, 0.3, 0.7, 0.8))], "a frog", "개구리"),
        ([item("owl", (0.4, 0.4, 0.6, 0.6))], "a small owl", "작은 올빼미"),
        ([item("owl", (0.0, 0.1, 0.9, 0.6))], "a big owl", "큰 올빼미"),
        ([item("owl", (0.3, 0.3, 0.7, 0.8))], "an owl", "올빼미"),
        ([item("corn", (0.3, 0.3, 0.7, 0.8))], "corn", "옥수수"),
        ([item("grapes", (0.3, 0.3, 0.7, 0.8))], "grapes", "포도"),
        ([item("frog", LEFT), item("frog", RIGHT)], "two frogs", "개구리 두 마리"),
        ([item("car", LEFT)] * 3, "three cars", "자동차 세 대"),
        ([item("mouse", LEFT)] * 4, "four mice", "쥐 네 마리"),
        ([item("rose", LEFT)] * 5, "many roses", "장미 여러 송이"),
        (
            [item("strawberry", LEFT, 0.2), item("penguin", RIGHT)],
            "a strawberry left of a penguin",
            "펭귄 왼쪽에 있는 딸기",
        ),
        (
            [item("strawberry", LEFT), item("penguin", RIGHT, 0.2)],
            "a penguin right of a strawberry",
            "딸기 오른쪽에 있는 펭귄",
        ),
        (
            [item("car", BELOW, 0.2), item("owl", ABOVE)],
            "a car below an owl",
            "올빼미 아래쪽에 있는 자동차",
        ),
        (
            [item("car", (0.5, 0.3, 0.9, 0.7)), item("cat", (0.2, 0.35, 0.6, 0.65), 0.2)],
            "a cat on a car",
            "자동차 위에 있는 고양이",
        ),
        (
            [item("car", (0.4, 0.1, 0.7, 0.4), 0.2), item("bus", (0.4, 0.42, 0.7, 0.7))],
            "a car beside a bus",
            "버스 옆에 있는 자동차",
        ),
        (
            [item("elephant", LOW, 0.3), item("train", RIGHT, 0.2), item("balloon", ABOVE)],
            "an elephant left of a train and below a balloon",
            "기차 왼쪽과 풍선 아래쪽에 있는 코끼리",
        ),
    ],
)
def test_hand_made_scenes(items: list[Item], english: str, korean: str) -> None:
    assert text(caption(items, "en")) == english
    assert text(caption(items, "ko")) == korean
    for language in ("en", "ko"):
        assert text(caption(items, language)) in true_captions(items, language)
        assert len(true_captions(items, language)) == [1, 1, 2, 6][len(groups(items))]


def test_words_know_what_they_name() -> None:
    items = [item("elephant", LEFT, 0.3), item("train", RIGHT, 0.2), item("train", ABOVE, 0.05)]
    named = {word.text: word.items for word in caption(items, "en") if word.items}
    assert named == {"elephant": (0,), "trains": (1, 2)}
    named = {word.text: word.items for word in caption(items, "ko") if word.items}
    assert named == {"코끼리": (0,), "기차": (1, 2)}
    # "An elephant left of two trains", and in Korean "left of two trains is an elephant".
    for language, place, other in (("en", "left", (1, 2)), ("ko", "왼쪽에", (0,))):
        refers = {word.text: word.by for word in caption(items, language) if word.by}
        assert refers[place] == other


sides = st.tuples(st.floats(0, 0.6), st.floats(0, 0.6), st.floats(0.1, 0.4), st.floats(0.1, 0.4))
boxes = sides.map(lambda s: (s[0], s[1], s[0] + s[2], s[1] + s[3]))
OPPOSITE = {"left of": "right of", "right of": "left of", "above": "below", "below": "above"}


@given(boxes, boxes)
def test_places_are_told_the_other_way_round_from_the_other_thing(a: Box, b: Box) -> None:
    there, back = relation(a, b, False), relation(b, a, False)
    assume(abs((a[0] + a[2]) - (b[0] + b[2])) != abs((a[1] + a[3]) - (b[1] + b[3])))
    assert back == OPPOSITE.get(there, there)


def test_things_are_told_apart() -> None:
    assert len({thing.en for thing in things()}) == len({thing.ko for thing in things()})
    assert len(THINGS) == len(things()) > 200
    pictures = [name for thing in things() for name in (*thing.cutouts, *thing.held)]
    assert len(pictures) == len(set(pictures)), "no picture shows two things"
    assert all(thing.cutouts for thing in things()), "every thing can be learned"
    assert sum(len(thing.held) for thing in things()) > 20


def test_stickers_have_a_picture_and_a_name() -> None:
    for sticker in stickers():
        picture = sticker.open()
        assert picture.mode == "RGBA" and 100 <= max(picture.size) <= 176
        assert picture.getchannel("A").getbbox() == (0, 0, *picture.size), "trimmed"
        known = thing_of().get(sticker.name)
        assert sticker.thing is known and (known is None) == (sticker.name in STRANGE)
    assert sum(sticker.path.stat().st_size for sticker in stickers()) < 700_000


def disc(colour: str) -> Image.Image:
    picture = Image.new("RGBA", (60, 40))
    ImageDraw.Draw(picture).ellipse((0, 0, 59, 39), fill=colour)
    return picture


@pytest.fixture(scope="module")
def builder() -> CaptionedSceneBuilder:
    names = {"frog": "green", "car": "red", "star": "yellow", "owl": "brown", "key": "blue"}
    shown = [
        Shown(THINGS[name], Cutout(f"disc/{colour}", {}, lambda colour=colour: disc(colour)))
        for name, colour in names.items()
    ]
    return CaptionedSceneBuilder(shown, [], seed=5)


def test_a_captioned_scene_follows_from_seed_and_index(builder: CaptionedSceneBuilder) -> None:
    first, again = builder.build(3), builder.build(3)
    assert first.items == again.items and np.array_equal(first.image, again.image)
    assert not np.array_equal(first.image, builder.build(4).image)


def test_scenes_are_of_all_kinds_and_plain(builder: CaptionedSceneBuilder) -> None:
    scenes = [builder.build(index) for index in range(120)]
    kinds = [len(groups(scene.items)) for scene in scenes]
    assert abs(kinds.count(0) / 120 - KINDS["empty"]) < 0.05
    assert {1, 2, 3} <= set(kinds)
    words = {language: set(vocabulary(language)) for language in ("en", "ko")}
    for scene in scenes:
        for language, known in words.items():
            assert {word.text for word in caption(scene.items, language)} <= known
        for a, b in permutations(groups(scene.items), 2):
            said = relation(a.box, b.box, a.front > b.front)
            assert relation(moved(a.box, NUDGE, 0), b.box, a.front > b.front) == said


def test_cover_and_boxes_are_where_the_pixels_are(builder: CaptionedSceneBuilder) -> None:
    for index in range(30):
        scene = builder.build(index)
        for one, cover in zip(scene.items, scene.cover, strict=True):
            assert cover.mean() == pytest.approx(one.area, abs=1e-6)
            rows, cols = np.nonzero(cover)
            top, left, bottom, right = (side * 28 for side in one.box)
            assert rows.min() >= int(top) and cols.min() >= int(left)
            assert rows.max() < bottom and cols.max() < right
        assert scene.image.shape == (SIZE, SIZE, 3)


def test_words_come_back_from_their_ids() -> None:
    words = Words(["a", "frog"])
    assert words.size == 6 and words.encode(["a", "frog", "owl"]) == (4, 5, UNKNOWN)
    assert words.decode([4, 5, END, 4]) == "a frog" and "frog" in words
    assert words.decode([UNKNOWN]) == "<unk>"
    for wrong in (["a", "a"], ["a", " "]):
        with pytest.raises(ValueError, match="each of them once"):
            Words(wrong)
