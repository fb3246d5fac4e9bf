"""The Python side of the composer: what it takes, sends and accepts."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.components.composer import Backdrop, Sprite, composer
from attnviz.composition import Placement, Scene
from tests.app.apptest import message, report

PNG, JPEG, WEBP = b"\x89PNG one", b"\xff\xd8\xffground", b"RIFF two"
FROG, HAT = Sprite("frog", "개구리", PNG), Sprite("hat-2", "<b>hat</b>", WEBP)
FIELD, NIGHT = Backdrop("field", "field", JPEG), Backdrop("night", "night", PNG)
SCENE = Scene("field", (Placement("frog", 0.25, 0.12345, 0.5),))
GOOD: dict[str, Any] = {
    "sprites": [FROG, HAT],
    "backdrops": [FIELD, NIGHT],
    "key": "composer",
    "scene": SCENE,
    "most": 3,
}
ONE = {"name": "hat-2", "x": 0.5, "y": 1, "size": 0.25, "flip": True}
REPORT = {"backdrop": "night", "objects": [ONE]}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sprites": []}, "at least one object"),
        ({"backdrops": []}, "one backdrop"),
        ({"sprites": [FROG, FROG]}, "the same name"),
        ({"sprites": [Sprite("Frog!", "frog", PNG)]}, "not 'Frog!'"),
        ({"sprites": [Sprite("frog", "frog", JPEG)]}, "'frog' is a JPEG"),
        ({"backdrops": [Backdrop("field", "field", b"GIF89a")]}, "no PNG, JPEG or WebP"),
        ({"most": 0}, "may hold 1 to 40 objects, not 0"),
        ({"most": 41}, "not 41"),
        ({"scene": Scene("moon")}, "no backdrop 'moon'"),
        ({"scene": Scene("field", (Placement("cat", 0, 0, 1),))}, "no object 'cat'"),
        ({"scene": Scene("field", 4 * SCENE.objects)}, "has 4 objects; it may hold 3"),
        ({"scene": Scene("field", (Placement("frog", 2, 0, 1),))}, "centre"),
        ({"scene": Scene("field", (Placement("frog", 0, 0, 0.01),))}, "size"),
    ],
)
def test_what_does_not_fit_says_why(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        composer(**GOOD | change)


def _page() -> None:
    import streamlit as st

    from app.components.composer import composer
    from tests.app.test_composer_face import GOOD

    def heard(scene: object) -> None:
        st.session_state.setdefault("heard", []).append(scene)

    change = st.session_state.get("change", {})
    if st.session_state.get("echo"):
        change = change | {"scene": st.session_state["got"]}
    st.session_state["got"] = composer(**GOOD | change, on_change=heard)


@pytest.fixture
def page() -> AppTest:
    return AppTest.from_function(_page).run(timeout=20)


def test_the_message_has_the_pictures_and_the_scene(page: AppTest) -> None:
    sent = message(page)
    assert sent["pictures"] == PNG + WEBP + JPEG + PNG
    assert sent["sprites"] == [
        ["frog", "개구리", "image/png", len(PNG)],
        ["hat-2", "<b>hat</b>", "image/webp", len(WEBP)],
    ]
    assert [kind for _, _, kind, _ in sent["backdrops"]] == ["image/jpeg", "image/png"]
    frog = {"name": "frog", "x": 0.25, "y": 0.123, "size": 0.5, "flip": False}
    assert sent["chosen"] == {"backdrop": "field", "objects": [frog]}
    assert page.session_state["got"] == Scene("field", (Placement("frog", 0.25, 0.123, 0.5),))


def test_a_drop_is_a_scene_and_costs_no_new_message(page: AppTest) -> None:
    before = message(page)
    report(page, 0, REPORT)
    expected = Scene("night", (Placement("hat-2", 0.5, 1, 0.25, True),))
    assert page.session_state["got"] == expected and page.session_state["heard"] == [expected]
    assert message(page) == before


def test_numbers_are_rounded_to_three_decimals(page: AppTest) -> None:
    report(page, 0, {"backdrop": "field", "objects": [ONE | {"x": 1 / 3, "size": 0.98765}]})
    one = page.session_state["got"].objects[0]
    assert (one.x, one.size) == (0.333, 0.988)


def _hostile() -> list[Any]:
    found: list[Any] = ["<script>", None, [], {}, {"backdrop": "night"}]
    found += [REPORT | change for change in (
        {"backdrop": "moon"}, {"backdrop": ["night"]}, {"objects": {}}, {"objects": 4 * [ONE]},
        {"objects": [None]}, {"objects": [[]]}, {"more": 1},
    )]  # fmt: skip
    for change in (
        {"name": "cat"}, {"name": None}, {"name": ["frog"]}, {"x": True}, {"x": "0.5"},
        {"x": None}, {"x": [0.5]}, {"x": float("nan")}, {"y": float("inf")}, {"x": -0.21},
        {"y": 1.21}, {"y": 10**400}, {"size": 0.04}, {"size": 1.51}, {"size": -1},
        {"size": float("nan")}, {"size": False}, {"flip": 1}, {"flip": None}, {"angle": 0},
    ):  # fmt: skip
        found.append({"backdrop": "night", "objects": [ONE | change]})
    without = copy.deepcopy(REPORT)
    del without["objects"][0]["flip"]  # type: ignore[attr-defined]
    return [*found, without]


@pytest.mark.parametrize("value", _hostile(), ids=repr)
def test_what_nobody_can_have_composed_is_refused(page: AppTest, value: Any) -> None:
    asked = page.session_state["got"]
    assert report(page, 0, value).session_state["got"] == asked
    assert "heard" not in page.session_state
    assert report(page, 0, REPORT).session_state["got"].backdrop == "night"


def test_the_page_orders_another_scene(page: AppTest) -> None:
    report(page, 0, REPORT)
    page.session_state["change"] = {"scene": Scene("night")}
    page.run()
    assert page.session_state["got"] == Scene("night")
    assert message(page)["chosen"] == {"backdrop": "night", "objects": []}
    assert message(page)["order"] == 1


def test_a_page_may_hand_back_what_it_got(page: AppTest) -> None:
    before = message(page)
    page.session_state["echo"] = True
    report(page, 0, REPORT)
    page.run()
    assert page.session_state["got"].backdrop == "night"
    assert message(page) == before


def test_other_pictures_keep_a_scene_that_is_handed_back(page: AppTest) -> None:
    page.session_state["echo"] = True
    report(page, 0, REPORT)
    composed = page.session_state["got"]
    page.session_state["change"] = {"sprites": [HAT, FROG, Sprite("owl", "owl", PNG)]}
    page.run()
    assert page.session_state["got"] == composed
    assert message(page)["order"] == 0  # the browser keeps what it shows


def test_a_scene_whose_objects_are_gone_is_ordered_anew(page: AppTest) -> None:
    report(page, 0, REPORT)
    page.session_state["change"] = {"sprites": [FROG]}
    page.run()
    assert page.session_state["got"].objects[0].name == "frog"
    assert message(page)["chosen"]["objects"][0]["name"] == "frog"
