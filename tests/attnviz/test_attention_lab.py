"""The lab of the attention layer: numbers against the formula, masks, and who depends on whom."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from attnviz.attention_lab import leaks, quarter_turn_on, run, trained
from attnviz.attention_setup import MASKS, TRAINED, Setup, mask, plane

VECTORS = ((1.0, 0.2), (-0.3, 0.8), (0.5, -1.1), (-1.2, -0.4))
W_Q, W_K, W_V = ((0.5, 1.0), (-1.0, 2.0)), ((1.5, 0.3), (0.2, -1.0)), ((0.1, -2.0), (1.0, 0.4))


def by_hand(setup: Setup) -> tuple[np.ndarray, np.ndarray]:
    """Weights and outputs, straight from the formula."""
    x = np.array(setup.vectors)
    scores = (x @ setup.w_q) @ (x @ setup.w_k).T
    scores = np.where(mask("none", len(x)) if setup.mask is None else setup.mask, scores, -np.inf)
    e = np.exp(scores / (2**0.5 if setup.scaled else 1))
    weights = e / e.sum(1, keepdims=True)
    return weights, weights @ (x @ setup.w_v)


@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("kind", MASKS)
def test_the_layer_computes_the_formula(kind: str, scaled: bool) -> None:
    setup = Setup(VECTORS, W_Q, W_K, W_V, mask(kind, 4), scaled)
    weights, output = by_hand(setup)
    found = run(setup)
    np.testing.assert_allclose(found.weights, weights, atol=1e-6)
    np.testing.assert_allclose(found.output, output, atol=1e-6)
    np.testing.assert_allclose(found.query, np.array(VECTORS) @ W_Q, atol=1e-12)


@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=4, max_size=4))
@settings(max_examples=30, deadline=None)
def test_outputs_depend_on_what_the_mask_shows_and_on_nothing_else(rows: list[list[bool]]) -> None:
    shown = np.array(rows)
    setup = Setup(VECTORS, W_Q, W_K, W_V, shown)
    found = run(setup)
    assert all(np.isfinite(part).all() for part in (found.weights, found.output))
    np.testing.assert_allclose(found.weights.sum(1), shown.any(1), atol=1e-6)
    assert not found.weights[~shown].any()
    assert not found.output[~shown.any(1)].any(), "a row that sees nothing gets zeros"
    changed = leaks(setup) > 0
    allowed = shown | (np.eye(4, dtype=bool) & shown.any(1)[:, None])  # its own query
    assert not changed[~allowed].any()
    assert changed[shown & ~np.eye(4, dtype=bool)].all()


def test_a_hole_in_the_causal_mask_is_found_at_its_place() -> None:
    shown = mask("causal", 4)
    assert not np.triu(leaks(Setup(VECTORS, mask=shown)), 1).any()
    shown[1, 2] = True
    later = np.argwhere(np.triu(leaks(Setup(VECTORS, mask=shown)), 1) > 0)
    assert later.tolist() == [[1, 2]]


def test_masks() -> None:
    assert mask("band", 4, 1).sum() == 4 + 2 * 3
    assert mask("padding", 4, 2).tolist() == [[True, True, False, False]] * 4
    with pytest.raises(ValueError, match="masks are none, causal, band, padding, not 'all'"):
        mask("all", 4)


@pytest.mark.parametrize(
    ("vectors", "shown", "words"),
    [
        ((), None, "vectors"),
        (((1.0, 2.0, 3.0),), None, r"vectors: expected shape \(1, 2\) for 1 tokens, got \(1, 3\)"),
        (VECTORS, mask("none", 3), r"mask: expected shape \(4, 4\) for 4 tokens, got \(3, 3\)"),
    ],
)
def test_sizes_that_do_not_fit_say_why(
    vectors: tuple[tuple[float, ...], ...], shown: ArrayLike, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        Setup(vectors, mask=shown)


def test_training_comes_to_the_weights_that_are_kept_and_they_do_the_task() -> None:
    found = trained(0)
    score = np.array(found["w_q"]) @ found["w_k"].T
    kept = np.array(TRAINED["w_q"]) @ np.array(TRAINED["w_k"]).T
    np.testing.assert_allclose(score, kept, rtol=0.1, atol=0.6)
    torch.manual_seed(5)
    x = torch.randn(200, 5, 2)
    wanted = quarter_turn_on(x).numpy()
    got = np.stack([run(Setup(rows.tolist(), **TRAINED)).output for rows in x.numpy()])
    assert ((got - wanted) ** 2).mean() < 0.35 * (wanted**2).mean()


def test_the_plane_keeps_what_lies_in_a_plane() -> None:
    rng = np.random.default_rng(0)
    flat = rng.normal(size=(6, 2)) @ rng.normal(size=(2, 30))
    found, kept = plane(flat)
    assert kept == pytest.approx(1)
    assert np.linalg.norm(found, axis=1).max() == pytest.approx(2)
    assert plane(np.ones((1, 5)))[0].tolist() == [[0, 0]]
    assert plane(rng.normal(size=(6, 30)))[1] < 0.9
