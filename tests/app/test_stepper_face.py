"""The Python side of the step player: what it takes, sends and accepts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app.components.mount import signed_bytes
from app.components.stepper import Walk, stepper
from tests.app.apptest import message, report


def made(steps: int = 2, pieces: int = 3, channels: int = 10) -> Walk:
    """Something to walk through; text that looks like markup among it."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(steps, pieces)).astype(np.float32)
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    rest = {"contexts": steps, "states": steps, "outputs": steps, "encoder_states": pieces}
    return Walk(
        source=("<b>$x$</b>", *["나"] * (pieces - 1)),
        target=("I",) * steps,
        unknown=(0,),
        kind="mlp",
        scores=scores,
        weights=weights,
        candidates=(("I", "<unk>"),) * steps,
        chances=np.full((steps, 2), 0.5, np.float32),
        probabilities=np.full(steps, 0.5, np.float32),
        picked=(0,) * steps,
        **{name: rng.uniform(-0.7, 0.7, (count, channels)) for name, count in rest.items()},
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scores": np.zeros((3, 2))}, r"scores: expected shape \(2, 3\), got \(3, 2\)"),
        ({"encoder_states": np.zeros((2, 10))}, r"encoder_states: expected shape \(3, 10\)"),
        ({"contexts": np.zeros((2, 9))}, r"contexts: expected shape \(2, 10\)"),
        ({"chances": np.zeros((2, 3))}, r"chances: expected shape \(2, 2\)"),
        ({"picked": (0,)}, "picked: expected 2 of them, got 1"),
        ({"kind": "none"}, "not 'none'"),
        ({"source": ()}, "2 steps over 0 pieces"),
    ],
)
def test_what_does_not_fit_says_why(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        stepper(replace(made(), **change), key="steps")


@pytest.mark.parametrize("asked", [(2, 0), (0, 5), (-1, 0)])
def test_a_place_that_is_not_there_says_so(asked: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="in 2 steps of 5 stages"):
        stepper(made(), key="steps", asked=asked)


def test_bytes_keep_sign_and_zero() -> None:
    found = signed_bytes(np.array([-2.0, -1, -0.5, 0, 0.004, 0.5, 1, 9]), 1.0)
    assert found.tolist() == [1, 1, 64, 128, 129, 192, 255, 255]


def test_the_longest_translation_travels_in_two_hundred_kilobytes() -> None:
    sizes: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "app.components.stepper.mount",
            lambda *_, message, **__: sizes.append(len(message({}))),
        )
        labels = tuple(f"candidate {i}" for i in range(8))
        walk = replace(
            made(100, 65, 192), candidates=(labels,) * 100, chances=np.zeros((100, 8), np.float32)
        )
        stepper(walk, key="steps")
    assert sizes[0] < 200_000


def _page() -> None:
    import streamlit as st

    from app.components.stepper import stepper
    from tests.app.test_stepper_face import made

    st.session_state["got"] = stepper(made(3), key="steps")


def test_what_the_browser_reports_is_checked() -> None:
    app = AppTest.from_function(_page).run(timeout=20)
    assert app.session_state["got"] == (0, 0)
    assert report(app, 0, [2, 4]).session_state["got"] == (2, 4)
    for wrong in ([3, 0], [0, 5], [0], "x", [0.0, 1], None):
        assert report(app, 0, wrong).session_state["got"] == (0, 0)


def test_text_travels_as_it_is() -> None:
    sent = message(AppTest.from_function(_page).run(timeout=20))
    assert sent["source"][0] == "<b>$x$</b>" and sent["candidates"][0] == ["I", "<unk>"]
