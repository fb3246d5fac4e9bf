"""The Python side of the head view: what it takes, sends and accepts, and how it rounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app.components.heads import heads
from app.components.heads.encoding import BUDGET, Encoded, decode, encode
from tests.app.apptest import message, report

GOOD: dict[str, Any] = {
    "weights": np.full((2, 3, 2, 4), 0.25),
    "queries": ("I", "</s>"),
    "keys": ("나", "는", "나", "</s>"),
    "key": "heads",
    "kind": "cross",
}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"weights": np.ones((3, 2, 4))}, r"expected \(layers, heads, q, k\), got shape \(3, 2, 4"),
        ({"weights": np.ones((2, 0, 2, 4))}, "expected"),
        ({"queries": ("I",)}, "have 2 rows and 4 columns, labels name 1 and 4"),
        ({"weights": np.full((2, 3, 2, 4), np.nan)}, "finite and not negative"),
        ({"weights": np.full((2, 3, 2, 4), -0.1)}, "finite and not negative"),
        ({"kind": "self"}, "are encoder, decoder, cross, not 'self'"),
        ({"mask": np.ones((4, 2), bool)}, r"mask: expected bool of shape \(2, 4\), got bool \(4"),
        ({"mask": np.ones((2, 4))}, "got float64"),
        ({"vmax": 0.0}, "more than 0, not 0"),
        ({"mass": 0.4}, "0.5–1, not 0.4"),
        ({"silenced": [(2, 0)]}, r"no head \(2, 0\) in 2 layers × 3 heads"),
        ({"selected": (0, 3)}, r"no head \(0, 3\)"),
        ({"probabilities": np.ones(4)}, r"probabilities: expected shape \(2,\), got \(4,\)"),
        ({"colours": "jet"}, "not 'jet'"),
    ],
)
def test_what_does_not_fit_says_why(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        heads(**GOOD | change)


def _page() -> None:
    import numpy as np
    import streamlit as st

    from app.components.heads import heads

    queries = st.session_state.get("queries", ("a", "a", "<b>$x$</b>"))
    scores = np.random.default_rng(1).normal(size=(2, 4, len(queries), len(queries)))
    st.session_state["got"] = heads(
        np.exp(scores) / 20,
        queries,
        queries,
        key="heads",
        kind="decoder",
        silenced=[(1, 2), (0, 3)],
        probabilities=np.full(len(queries), 0.5),
        selected=st.session_state.get("asked"),
    )


@pytest.fixture
def page() -> AppTest:
    return AppTest.from_function(_page).run(timeout=20)


def test_the_message_has_literal_labels_and_no_cell_after_the_query(page: AppTest) -> None:
    sent = message(page)
    assert sent["queries"] == sent["keys"] == ["a", "a", "<b>$x$</b>"]
    assert sent["silenced"] == [[0, 3], [1, 2]] and sent["probabilities"] == [0.5] * 3
    allowed = np.frombuffer(sent["mask"], np.uint8).reshape(3, 3).astype(bool)
    assert (allowed == np.tri(3, dtype=bool)).all()
    encoded = Encoded(sent["weights"], sent["levels"], sent["top_weight"], sent["error"])
    shape = (2, 4, 3, 3)
    weights = np.exp(np.random.default_rng(1).normal(size=shape)) / 20
    assert np.abs(decode(encoded, shape, allowed) - weights * allowed).max() < 1e-4
    assert sent["vmax"] == pytest.approx((weights * allowed).max(), rel=1e-6)
    assert len(set(sent["palette"])) == 4


def test_a_click_is_a_head_and_costs_no_new_message(page: AppTest) -> None:
    before = message(page)
    report(page, 0, [1, 3])
    assert page.session_state["got"] == (1, 3)
    assert message(page) == before


@pytest.mark.parametrize("value", ["<script>", [2, 0], [0, 4], [0], [True, 0], [0.5, 1], None])
def test_what_is_no_head_picks_nothing(page: AppTest, value: Any) -> None:
    report(page, 0, value)
    assert page.session_state["got"] is None


def test_the_page_picks_and_another_sentence_keeps_it(page: AppTest) -> None:
    page.session_state["asked"] = (0, 1)
    page.run()
    assert page.session_state["got"] == (0, 1) and message(page)["chosen"] == [0, 1]
    page.session_state["queries"] = ("another", "sentence")
    page.run()
    assert page.session_state["got"] == (0, 1)


def _softmax(temperature: float, tokens: int = 128) -> np.ndarray:
    scores = np.random.default_rng(0).normal(size=(12, 12, tokens, tokens)) / temperature
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return (weights / weights.sum(-1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize(
    ("name", "weights", "most"),
    [
        ("sharp", _softmax(0.3), 0.007),
        ("plain", _softmax(1), 0.008),
        ("flat", _softmax(3), 0.001),
        ("uniform", np.full((12, 12, 128, 128), 1 / 128, np.float32), 1e-6),
        ("one-hot", np.tile(np.eye(128, dtype=np.float32), (12, 12, 1, 1)), 1e-6),
    ],
)
def test_twelve_layers_of_twelve_heads_over_128_tokens_fit_and_stay_close(
    name: str, weights: np.ndarray, most: float
) -> None:
    allowed = np.ones((128, 128), bool)
    encoded = encode(weights, allowed)
    assert len(encoded.body) <= BUDGET
    decoded = decode(encoded, weights.shape, allowed)
    assert encoded.error == pytest.approx(np.abs(decoded - weights).max(), abs=1e-7)
    assert encoded.error <= most
    half_a_step = 0.5 / encoded.levels
    root = np.abs(np.sqrt(decoded / encoded.top) - np.sqrt(weights / encoded.top))
    assert root.max() <= half_a_step + 1e-6
    assert np.abs(decoded.sum(-1) - 1).max() < 0.06, "rows keep their sum"


def test_a_budget_is_kept_by_coarser_steps_and_the_error_says_so() -> None:
    weights, allowed = _softmax(1, 32), np.ones((32, 32), bool)
    fine = encode(weights, allowed)
    tight = encode(weights, allowed, budget=len(fine.body) // 2)
    assert fine.levels == 255 and tight.levels < 64
    assert len(tight.body) <= len(fine.body) // 2 and tight.error > fine.error


def test_few_weights_travel_almost_exactly() -> None:
    weights, allowed = _softmax(1, 20), np.ones((20, 20), bool)
    encoded = encode(weights, allowed)
    assert encoded.levels == 65_535
    assert np.abs(decode(encoded, weights.shape, allowed) - weights).max() < 2e-5


def test_masked_cells_are_not_sent() -> None:
    weights, allowed = _softmax(1, 64), np.tri(64, dtype=bool)
    weights[:, :, ~allowed] = np.nan  # nobody reads them
    encoded = encode(weights, allowed)
    assert (decode(encoded, weights.shape, allowed)[:, :, ~allowed] == 0).all()
    whole = encode(_softmax(1, 64), np.ones((64, 64), bool))
    assert len(encoded.body) < 0.55 * len(whole.body)


def test_a_mask_that_allows_nothing_is_a_view_without_lines() -> None:
    nothing = np.zeros((4, 4), bool)
    encoded = encode(np.zeros((1, 1, 4, 4)), nothing)
    assert (decode(encoded, (1, 1, 4, 4), nothing) == 0).all() and encoded.error == 0
