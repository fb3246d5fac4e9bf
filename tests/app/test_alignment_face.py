"""The Python side of the alignment component: what it takes, sends and accepts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app.components.alignment import alignment
from tests.app.apptest import message, report

GOOD: dict[str, Any] = {
    "weights": np.full((2, 3), 1 / 3),
    "source": ("나", "는", "</s>"),
    "target": ("I", "</s>"),
    "key": "matrix",
}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"weights": np.zeros((3, 2))}, r"weights: expected finite numbers of shape \(2, 3\)"),
        ({"weights": np.full((2, 3), np.nan)}, "weights: expected finite"),
        ({"target": ("I",)}, r"shape \(1, 3\), got \(2, 3\)"),
        ({"probabilities": np.ones(3)}, r"probabilities: .* shape \(2,\), got \(3,\)"),
        ({"vmax": 0.0}, "more than 0, not 0"),
        ({"unknown": (3,)}, "no source piece 3: there are 3"),
        ({"rows_forced": (-1,)}, "no target row -1: there are 2"),
        ({"asked": (2, 0)}, "no target row 2"),
        ({"asked": (0, 3)}, "no source piece 3"),
        ({"colours": "jet"}, "not 'jet'"),
    ],
)
def test_what_does_not_fit_says_why(change: dict[str, Any], words: str) -> None:
    with pytest.raises((ValueError, IndexError), match=words):
        alignment(**GOOD | change)


def _page() -> None:
    import numpy as np
    import streamlit as st

    from app.components.alignment import alignment

    target = st.session_state.get("target", ("I", "am", "</s>"))
    weights = np.arange(3 * len(target)).reshape(len(target), 3) / 10
    st.session_state["got"] = alignment(
        weights,
        ("a", "a", "<b>$x$</b>"),
        target,
        key="matrix",
        probabilities=np.full(len(target), 0.5),
        unknown=(2,),
        rows_forced=(1,),
        asked=st.session_state.get("asked"),
    )


@pytest.fixture
def page() -> AppTest:
    return AppTest.from_function(_page).run(timeout=20)


def test_the_message_has_exact_weights_and_literal_labels(page: AppTest) -> None:
    sent = message(page)
    weights = np.frombuffer(sent["weights"], "<f4").reshape(3, 3)
    assert (weights == (np.arange(9).reshape(3, 3) / 10).astype("f4")).all()
    assert (np.frombuffer(sent["probabilities"], "<f4") == 0.5).all()
    assert sent["source"] == ["a", "a", "<b>$x$</b>"] and sent["target"] == ["I", "am", "</s>"]
    assert sent["unknown"] == [2] and sent["forced"] == [1] and sent["chosen"] is None


def test_a_click_is_a_cell_and_costs_no_new_message(page: AppTest) -> None:
    before = message(page)
    report(page, 0, [1, 2])
    assert page.session_state["got"] == (1, 2)
    assert message(page) == before


@pytest.mark.parametrize("value", ["<script>", [3, 0], [0, 3], [0], [True, 0], [0.5, 1], None])
def test_what_is_no_cell_pins_nothing(page: AppTest, value: Any) -> None:
    report(page, 0, value)
    assert page.session_state["got"] is None


def test_the_page_pins_and_other_labels_forget_it(page: AppTest) -> None:
    page.session_state["asked"] = (0, 1)
    page.run()
    assert page.session_state["got"] == (0, 1) and message(page)["chosen"] == [0, 1]
    page.session_state["target"] = ("You", "</s>")
    page.run()
    assert page.session_state["got"] is None
