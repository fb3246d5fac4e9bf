"""The Python side of the writer: what it takes, sends and accepts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app.components.writer import Writing, writer
from tests.app.apptest import message, report

GOOD = Writing(
    source=("나", "<b>$x$</b>", "</s>"),
    unknown=(1,),
    inputs=("<s>", "I"),
    target=("I", "</s>"),
    cross=np.full((2, 2, 3), 1 / 3),
    own=np.array([[[1, 0], [0.25, 0.75]]] * 2),
    candidates=(("I", "You"), ("</s>", ".")),
    chances=np.array([[0.9, 0.1], [0.6, 0.4]]),
    picked=(0, -1),
    texts=("I", "I"),
)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"target": ()}, "nothing to write: 0 steps"),
        ({"cross": np.ones((2, 3, 2))}, r"cross: expected shares of shape \(2, 2, 3\)"),
        ({"own": np.ones((1, 2, 2))}, r"own: expected shares of shape \(2, 2, 2\)"),
        ({"own": np.full((2, 2, 2), 0.5)}, "looks at what comes after it, with 0.5"),
        ({"chances": np.full((2, 2), np.nan)}, "chances: expected shares"),
        ({"chances": np.full((2, 2), 1.5)}, "chances: expected shares"),
        ({"inputs": ("<s>",)}, "inputs: expected 2 of them, got 1"),
        ({"candidates": (("I", "You"), ("a",))}, "each step has 2 candidates"),
    ],
)
def test_what_does_not_fit_says_why(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        writer(replace(GOOD, **change), key="writer")


@pytest.mark.parametrize("asked", [(2, 0), (0, 2), (-1, 0)])
def test_a_place_that_is_not_there(asked: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="no step and layer"):
        writer(GOOD, key="writer", asked=asked)


def _page() -> None:
    import streamlit as st

    from app.components.writer import writer
    from tests.app.test_writer_face import GOOD

    st.session_state["got"] = writer(GOOD, key="writer", asked=(1, 0))


@pytest.fixture
def page() -> AppTest:
    return AppTest.from_function(_page).run(timeout=20)


def test_weights_travel_finely_and_masked_ones_are_zero(page: AppTest) -> None:
    sent = message(page)
    own = np.frombuffer(sent["own"], "<u2").reshape(2, 2, 2)
    np.testing.assert_allclose(own / 65535, GOOD.own, atol=1e-5)
    assert (own[:, 0, 1] == 0).all()
    np.testing.assert_allclose(
        np.frombuffer(sent["cross"], "<u2").reshape(2, 2, 3) / 65535, GOOD.cross, atol=1e-5
    )
    assert sent["source"] == list(GOOD.source) and sent["picked"] == [0, -1]
    assert page.session_state["got"] == (1, 0)


@pytest.mark.parametrize("value", [[2, 0], [0, 2], [0], "x", [0.5, 1], [True, 0]])
def test_only_places_that_are_there_are_accepted(page: AppTest, value: Any) -> None:
    assert report(page, 0, [0, 1]).session_state["got"] == (0, 1)
    assert report(page, 0, value).session_state["got"] is None


def test_coming_to_rest_does_not_change_the_message(page: AppTest) -> None:
    before = message(page)["stamp"]
    assert message(report(page, 0, [0, 1]))["stamp"] == before
