"""The Python side of the linked matrices: what they take, send and accept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from app.components.linked import PRESETS, linked, read, write
from attnviz.attention_setup import Setup, mask
from tests.app.apptest import message, report

VECTORS = ((1.0, 0.2), (-0.3, 0.8), (0.5, -1.1))
SETUP = Setup(VECTORS, ((0.5, 1.0), (-1.0, 2.0)), mask=mask("causal", 3).tolist(), scaled=False)
TEXT = "100_20.-30_80.50_-110~50_100_-100_200~100_0_0_100~100_0_0_100~100.110.111~u"
hundredths = st.integers(-999, 999).map(lambda number: number / 100)
squares = st.tuples(st.tuples(hundredths, hundredths), st.tuples(hundredths, hundredths))


def test_a_setup_is_a_short_text_in_links() -> None:
    assert write(SETUP) == TEXT
    found = read(TEXT)
    assert found is not None and write(found) == TEXT
    assert found.w_q == ((0.5, 1.0), (-1.0, 2.0)) and not found.scaled


@given(st.lists(st.tuples(hundredths, hundredths), min_size=2, max_size=8), squares, st.data())
def test_what_is_written_is_read(vectors: Any, square: Any, data: Any) -> None:
    n = len(vectors)
    shown = data.draw(
        st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=n, max_size=n)
    )
    found = read(write(Setup(vectors, square, square, square, shown)))
    assert found is not None
    assert np.array_equal(found.vectors, vectors) and np.array_equal(found.w_v, square)
    assert np.array_equal(found.mask or (), shown) and found.scaled


@pytest.mark.parametrize(
    "text",
    [
        "", "x", TEXT + "x", TEXT.replace("110.111", "110"), TEXT.replace("110.111", "11.111"),
        TEXT.replace("100.110.111", "10.11"), TEXT.replace("~u", "~v"), TEXT.replace("20", "2000"),
        TEXT.replace("100_20", "nan_20"), "1_1." * 2000,
    ],
)  # fmt: skip
def test_anything_else_is_no_setup(text: str) -> None:
    assert read(text) is None


def test_presets_are_in_hundredths() -> None:
    for preset in PRESETS.values():
        for matrix in preset.values():
            assert np.array_equal(np.round(matrix, 2), matrix) and np.shape(matrix) == (2, 2)


@pytest.mark.parametrize(
    ("setup", "options", "words"),
    [
        (Setup(VECTORS[:1]), {}, "from 2 to 8 vectors, not 1"),
        (Setup(VECTORS * 3), {}, "from 2 to 8 vectors, not 9"),
        (SETUP, {"labels": ("1",)}, "3 vectors, but 1 labels"),
        (SETUP, {"view": "wall"}, "view is one of layer, mask, not 'wall'"),
        (SETUP, {"asked": Setup(VECTORS[:2])}, "3 vectors at the start, but 2 are asked for"),
    ],
)
def test_what_does_not_fit_says_why(setup: Setup, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        linked(setup, **{"labels": ("1", "2", "3"), "key": "lab", "view": "layer"} | options)


def _page() -> None:
    import streamlit as st

    from app.components.linked import linked
    from tests.app.test_linked_face import SETUP

    st.session_state["got"] = linked(SETUP, ("<b>", "2", "3"), key="lab", view="mask")


def test_what_the_browser_reports_is_checked() -> None:
    app = AppTest.from_function(_page).run(timeout=20)
    assert write(app.session_state["got"]) == TEXT
    other = TEXT.replace("100_20.", "-7_20.")
    got = report(app, 0, other).session_state["got"]
    assert got.vectors[0] == (-0.07, 0.2)
    for wrong in (TEXT[:-1], "1_1.2_2~1_0_0_1~1_0_0_1~1_0_0_1~11.11~s", ["x"], 3, None):
        assert write(report(app, 0, wrong).session_state["got"]) == TEXT
    sent = message(app)
    assert sent["labels"][0] == "<b>" and sent["start"] == TEXT
