"""The Python side of the beam component: what it takes, sends and accepts."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.components.beam import Node, beam
from tests.app.apptest import message, report

STEPS = (
    (Node("<b>$x$", True, 0, -0.5), Node("나", True, 0, -1.0)),
    (Node("</s>", False, 1, -1.1, True), Node("<unk>", False, 0, -2.0)),
)
GOOD: dict[str, Any] = {"steps": STEPS, "key": "beam", "best": (1, 0), "shown": (1, 0)}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"steps": ()}, "a tree of 0 steps"),
        ({"steps": (STEPS[0], ())}, "without nodes"),
        ({"steps": (STEPS[0], (Node("a", True, 2, -1.0),))}, "node 1.0 continues 2 of 2"),
        ({"steps": ((Node("a", True, 1, -1.0),),)}, "node 0.0 continues 1 of 1"),
        ({"best": (2, 0)}, "no node 2.0 in 2 steps"),
        ({"shown": (0, 2)}, "no node 0.2"),
    ],
)
def test_what_does_not_fit_says_why(change: dict[str, Any], words: str) -> None:
    with pytest.raises((ValueError, IndexError), match=words):
        beam(**GOOD | change)


def _page() -> None:
    import streamlit as st

    from app.components.beam import beam
    from tests.app.test_beam_face import GOOD

    st.session_state["got"] = beam(
        **GOOD, on_change=lambda place: st.session_state.update(heard=place)
    )


def test_a_click_is_heard_and_nothing_travels_again() -> None:
    app = AppTest.from_function(_page).run(timeout=20)
    first = message(app)
    assert first["chosen"] == [1, 0] and app.session_state["got"] == (1, 0)
    app = report(app, 0, [0, 1])
    assert app.session_state["heard"] == app.session_state["got"] == (0, 1)
    assert message(app)["stamp"] == first["stamp"]


@pytest.mark.parametrize("wrong", [[2, 0], [0, 2], [-1, 0], [0], "x", [0.0, 1]])
def test_what_the_browser_reports_is_checked(wrong: Any) -> None:
    app = report(AppTest.from_function(_page).run(timeout=20), 0, wrong)
    assert app.session_state["got"] is None


def test_text_travels_as_it_is() -> None:
    sent = message(AppTest.from_function(_page).run(timeout=20))
    assert sent["steps"][0][0] == ["<b>$x$", True, 0, -0.5, False]
