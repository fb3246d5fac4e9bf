"""The Python side of the browser components: checks, messages, and who decides what is chosen."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app.components import mount
from app.components.lens import lens, query_tokens
from app.components.wall import wall
from attnviz.geometry import Geometry

GRID = Geometry(2, 3, 32, 48, ("class",))
PNG = b"\x89PNG\r\n\x1a\n"
GOOD: dict[str, Any] = {
    "picture": PNG,
    "matrix": np.zeros((7, 7), np.uint8),
    "geometry": GRID,
    "key": "lens",
    "vmax": 0.5,
    "rest": np.zeros(7, np.uint8),
}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"picture": b"GIF89a"}, "no PNG, JPEG or WebP"),
        ({"matrix": np.zeros((7, 6), np.uint8)}, r"matrix: expected uint8 of shape \(7, 7\)"),
        ({"matrix": np.zeros((7, 7))}, "float64"),
        ({"query_step": 2}, r"\(3, 7\).*got uint8 \(7, 7\)"),
        ({"query_step": 0}, "at least 1, not 0"),
        ({"rest": np.zeros(6, np.uint8)}, r"rest: expected uint8 of shape \(7,\)"),
        ({"vmax": 0.0}, "more than 0, not 0"),
        ({"opacity": 1.5}, "not 1.5"),
        ({"mass": 0.0}, "not 0.0"),
        ({"pinned": 7}, "no token 7 to pin: tokens are 0–6"),
        ({"removed": (0,)}, "token 0 is no patch"),
        ({"colours": "jet"}, "not 'jet'"),
    ],
)
def test_a_lens_that_does_not_fit_says_why(change: dict[str, Any], words: str) -> None:
    with pytest.raises((ValueError, IndexError), match=words):
        lens(**GOOD | change)


@pytest.mark.parametrize(
    ("rows", "options", "words"),
    [
        (np.zeros((2, 7), np.uint8), {}, r"got shape \(2, 7\)"),
        (np.zeros((2, 2, 6), np.uint8), {}, r"shape \(2, 2, 7\)"),
        (np.zeros((2, 2, 7), np.uint8), {"vmax": -1}, "not -1"),
        (np.zeros((2, 2, 7), np.uint8), {"selected": (2, 0)}, r"no head \(2, 0\) in 2 layers × 2"),
        (np.zeros((2, 2, 7), np.uint8), {"silenced": [(0, 2)]}, r"no head \(0, 2\)"),
    ],
)
def test_a_wall_that_does_not_fit_says_why(rows: Any, options: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        wall(rows, GRID, **{"key": "wall", "vmax": 1.0} | options)


def test_query_tokens() -> None:
    assert query_tokens(GRID) == list(range(7))
    assert query_tokens(GRID, 2) == [0, 1, 3]


def test_a_message_can_be_read_back() -> None:
    packed = mount.pack({"name": "Où?"}, first=b"abc", second=np.arange(4, dtype=np.uint8))
    size = struct.unpack("<I", packed[:4])[0]
    header = json.loads(packed[4 : 4 + size])
    assert header["name"] == "Où?" and header["blocks"] == [["first", 3], ["second", 4]]
    assert packed[4 + size :] == b"abc\0\1\2\3"
    assert mount.pack({"name": "Où?"}, first=b"abc", second=np.arange(4, dtype=np.uint8)) == packed
    assert mount.pack({"name": "?"}, first=b"abc")[4:] != packed[4:]


def _page() -> None:
    """A page that asks for `asked` and shows what it got and what it sent."""
    import streamlit as st

    from app.components import mount

    def message(fields: dict) -> bytes:
        st.session_state["message"] = fields
        return b"\n" + repr(fields).encode()

    st.session_state["got"] = mount.mount(
        st.components.v2.component("probe", js="export default () => {\n}"),
        key="probe",
        message=message,
        subject=st.session_state.get("subject", "a"),
        asked=st.session_state.get("asked"),
        accept=lambda value: value if isinstance(value, int) else None,
        on_change=lambda value: st.session_state.update(heard=value),
    )


@pytest.fixture
def page() -> AppTest:
    app = AppTest.from_function(_page)
    app.session_state["asked"] = 4
    return app.run(timeout=20)


def _click(app: AppTest, value: Any) -> None:
    """What the browser sends when the visitor chooses: private API, as there is no other."""
    states = app._tree.get_widget_states()
    widget = states.widgets.add()
    widget.id = app.get("bidi_component")[0].proto.id
    order = app.session_state["message"]["order"]
    widget.json_value = json.dumps({"choice": {"order": order, "value": value}})
    app._run(states)


def test_the_page_orders_once_and_then_the_visitor_decides(page: AppTest) -> None:
    first = page.session_state["message"]
    assert first == {"key": "probe", "order": 0, "chosen": 4} and page.session_state["got"] == 4
    _click(page, 9)
    assert page.session_state["got"] == page.session_state["heard"] == 9
    assert page.session_state["message"] == first  # byte for byte the same: Streamlit's cache works
    page.session_state["asked"] = 9  # the page catches up: nothing to order
    _click(page, 9)
    assert page.session_state["message"] == first
    page.session_state["asked"] = 2  # a slider
    _click(page, 9)
    assert page.session_state["message"] == {"key": "probe", "order": 1, "chosen": 2}
    assert page.session_state["got"] == 2


def test_another_subject_forgets_the_choice(page: AppTest) -> None:
    _click(page, 9)
    page.session_state["subject"] = "b"
    _click(page, 9)
    assert page.session_state["message"] == {"key": "probe", "order": 1, "chosen": None}
    assert page.session_state["got"] is None


def test_what_the_browser_reports_is_checked(page: AppTest) -> None:
    _click(page, "<script>")
    assert page.session_state["got"] is None
