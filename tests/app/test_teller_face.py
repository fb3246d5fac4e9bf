"""The Python side of the teller: what it takes, sends and accepts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app.components.teller import STAGES, Telling, teller
from attnviz.geometry import Geometry
from tests.app.apptest import message, report

GRID = Geometry(2, 3, 32, 48, stride=(16, 16), centre=(9, 9))
PICTURE = b"\x89PNG and so on"


def made(steps: int = 2, geometry: Geometry = GRID, numbers: int = 5, channels: int = 4) -> Telling:
    """Something to walk through; text that looks like markup among it."""
    rng = np.random.default_rng(0)
    cells = geometry.rows * geometry.cols
    scores = rng.normal(size=(steps, cells)).astype(np.float32)
    weights = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    annotations = rng.uniform(0, 3, (cells, numbers))
    return Telling(
        words=("<b>$x$</b>",) * (steps - 1) + ("(end)",),
        grid=rng.integers(0, 255, (cells, 3)).astype(np.uint8),
        annotations=annotations,
        mean=annotations.mean(0),
        initial_state=rng.uniform(-0.7, 0.7, channels),
        scores=scores,
        weights=weights,
        averages=weights @ annotations,
        gates=np.linspace(0.25, 0.75, steps),
        contexts=0.5 * weights @ annotations,
        states=rng.uniform(-0.7, 0.7, (steps, channels)),
        candidates=(("<b>$x$</b>", "<unk>"),) * (steps - 1) + (("a", "b"),),
        chances=np.full((steps, 2), 0.5, np.float32),
        probabilities=np.full(steps, 0.5, np.float32),
        kind="mlp",
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"grid": np.zeros((5, 3), np.uint8)}, r"grid: .*\(6, 3\).* got uint8 \(5, 3\)"),
        ({"grid": np.zeros((6, 3))}, r"grid: expected uint8 .* got float64 \(6, 3\)"),
        ({"annotations": np.zeros((6, 4))}, r"annotations: .*\(6, 5\), got \(6, 4\)"),
        ({"scores": np.zeros((3, 6))}, r"scores: expected shape \(2, 6\), got \(3, 6\)"),
        ({"weights": np.zeros((2, 2, 3))}, r"weights: expected .*\(2, 6\), got \(2, 2, 3\)"),
        ({"averages": np.zeros((2, 4))}, r"averages: expected shape \(2, 5\), got \(2, 4\)"),
        ({"gates": np.zeros((2, 1))}, r"gates: expected shape \(2,\), got \(2, 1\)"),
        ({"contexts": np.zeros((1, 5))}, r"contexts: expected shape \(2, 5\), got \(1, 5\)"),
        ({"states": np.zeros((3, 4))}, r"states: expected shape \(2, 4\), got \(3, 4\)"),
        ({"chances": np.zeros((2, 3))}, r"chances: expected shape \(2, 2\), got \(2, 3\)"),
        ({"candidates": (("a", "b"),)}, r"candidates: expected 2 times 2 .* got \(2,\)"),
        ({"candidates": (("a", "b"), ("a",))}, r"candidates: .* got \(2, 1\)"),
        ({"kind": "none"}, "mlp, bilinear, dot, not 'none'"),
        ({"words": ()}, "0 words"),
    ],
)
def test_what_does_not_fit_says_why(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        teller(PICTURE, replace(made(), **change), GRID, key="told")


@pytest.mark.parametrize("asked", [(2, 0), (0, 8), (-1, 0)])
def test_a_place_that_is_not_there_says_so(asked: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="in 2 words of 8 stages"):
        teller(PICTURE, made(), GRID, key="told", asked=asked)


def test_a_picture_or_a_geometry_that_does_not_fit_says_so() -> None:
    with pytest.raises(ValueError, match="PNG, JPEG or WebP"):
        teller(b"GIF89a", made(), GRID, key="told")
    with pytest.raises(ValueError, match="without tokens before them, not 1"):
        teller(PICTURE, made(), replace(GRID, prefix=("class",)), key="told")


def test_the_longest_caption_travels_in_two_hundred_kilobytes() -> None:
    sizes: list[int] = []
    grid = Geometry(14, 14, 224, 224)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "app.components.teller.mount",
            lambda *_, message, **__: sizes.append(len(message({}))),
        )
        teller(PICTURE, made(24, grid, 320, 160), grid, key="told")
    assert sizes[0] < 200_000


def _page() -> None:
    import streamlit as st

    from app.components.teller import teller
    from tests.app.test_teller_face import GRID, PICTURE, made

    st.session_state["got"] = teller(PICTURE, made(3), GRID, key="told")


def test_what_the_browser_reports_is_checked() -> None:
    app = AppTest.from_function(_page).run(timeout=20)
    assert app.session_state["got"] == (0, 0)
    assert report(app, 0, [2, 7]).session_state["got"] == (2, 7)
    for wrong in ([3, 0], [0, len(STAGES)], [-1, 0], [0], "x", [0.0, 1], None):
        assert report(app, 0, wrong).session_state["got"] == (0, 0)


def test_numbers_text_and_the_first_state_travel_as_they_are() -> None:
    sent, told = message(AppTest.from_function(_page).run(timeout=20)), made(3)
    for name in ("scores", "weights", "gates", "chances", "probabilities"):
        found = np.frombuffer(sent[name], np.float32)
        assert (found == getattr(told, name).astype(np.float32).ravel()).all(), name
    assert sent["picture"] == PICTURE and sent["grid"] == told.grid.tobytes()
    assert sent["target"] == list(told.words)
    assert sent["picked"] == [0, 0, -1]  # "(end)" is none of the candidates
    states = (np.frombuffer(sent["states"], np.uint8).reshape(4, 4) - 128.0) / 127
    reach = sent["reach"]["states"]
    close = np.abs(states[0] * reach - told.initial_state)
    assert (close[np.abs(told.initial_state) < reach] <= 0.5 / 127 * reach + 1e-9).all()
