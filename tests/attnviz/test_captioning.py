"""From a picture to a caption: searching, forcing, and that it always ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from attnviz import models
from attnviz.analysis import upsample
from attnviz.captioning import LONGEST, describe, follow, search
from attnviz.geometry import Geometry
from attnviz.text import END, Words

WORDS = Words([f"w{i}" for i in range(12)])
SIZES = {
    "width": 22,
    "annotation": 6,
    "embedding": 8,
    "match": 8,
}  # 22: 6 and the places, as dots need


@pytest.fixture(scope="module", params=["mlp", "bilinear", "dot"])
def model(request: pytest.FixtureRequest) -> Any:
    torch.manual_seed(2)
    found = models.build(
        "show_attend_tell", vocabulary=WORDS.size, score=request.param,
        stem="efficientnet_lite0_shallow", **SIZES,
    ).eval()  # fmt: skip
    with torch.no_grad():
        for name, weight in found.named_parameters():
            if not name.startswith("stem"):
                weight.copy_(torch.randn_like(weight))
        found.adapter.weight *= 100  # the features of a random CNN are small
    return found


@pytest.fixture(scope="module")
def pixels() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(3, 64, 96)).astype(np.float32)


def test_maps_sum_to_one_on_the_grid(model: Any, pixels: np.ndarray) -> None:
    run = describe(model, WORDS, pixels)
    assert run.weights.shape == (len(run.words), 4, 6)
    np.testing.assert_allclose(run.weights.sum((1, 2)), 1, atol=1e-6)
    np.testing.assert_allclose(run.coverage.sum(), len(run.words), rtol=1e-5)
    assert run.regulariser == pytest.approx(float(((1 - run.coverage) ** 2).sum()))
    assert run.geometry.centre == (9, 9) and run.geometry.stride == (16, 16)


def test_a_beam_of_one_is_greedy_and_every_beam_keeps_its_maps(
    model: Any, pixels: np.ndarray
) -> None:
    assert (
        search(model, WORDS, pixels, width=1).captions[0].ids == describe(model, WORDS, pixels).ids
    )
    for one in search(model, WORDS, pixels, width=4).captions:
        again = follow(model, WORDS, pixels, one.ids)
        np.testing.assert_allclose(one.weights, again.weights, atol=1e-6)


def test_given_words_are_used_and_it_goes_on_from_them(model: Any, pixels: np.ndarray) -> None:
    one, other = (describe(model, WORDS, pixels, prefix=[first, 6]) for first in (4, 5))
    assert one.ids[:2] == (4, 6) and other.ids[:2] == (5, 6) and one.forced == (0, 1)
    np.testing.assert_array_equal(one.stages["states"][0], other.stages["states"][0])
    assert not np.allclose(one.stages["states"][1], other.stages["states"][1]), "it heard the word"
    again = follow(model, WORDS, pixels, one.ids)
    np.testing.assert_allclose(one.probabilities, again.probabilities, atol=1e-6)


def test_where_it_has_to_look_is_really_used(model: Any, pixels: np.ndarray) -> None:
    asked = np.zeros(24)
    asked[[3, 17]] = 2.0
    free = follow(model, WORDS, pixels, [4, 5, END])
    run = describe(model, WORDS, pixels, prefix=[4], where={1: asked})
    np.testing.assert_allclose(run.weights[1].ravel(), asked / 4)
    seen = run.stages["annotations"][[3, 17]].mean(0)
    np.testing.assert_allclose(run.stages["attention.average"][1], seen, atol=1e-4)
    assert run.guided == (1,)
    assert not np.allclose(run.stages["states"][1], free.stages["states"][1])
    np.testing.assert_allclose(run.weights[0], free.weights[0], atol=1e-6)


@pytest.mark.parametrize("row", [[1.0], np.zeros(24), -np.ones(24), np.full(24, np.nan)])
def test_an_impossible_map_is_refused(model: Any, pixels: np.ndarray, row: Any) -> None:
    with pytest.raises(ValueError, match="needs 24 weights, none negative and not all zero"):
        describe(model, WORDS, pixels, where={0: row})


def test_it_always_ends(model: Any, pixels: np.ndarray) -> None:
    before = model.L_o.bias.data.clone()
    model.L_o.bias.data[END] = -1e4
    run = describe(model, WORDS, pixels)
    model.L_o.bias.data = before
    assert len(run.words) == LONGEST and not run.finished and "did not end" in run.notes[0]


@pytest.mark.parametrize("mode", ["smooth", "cells"])
def test_upsampled_maps_sit_on_their_cells(mode: Any) -> None:
    where = Geometry(14, 14, 224, 224, pool="avg", stride=(16, 16), centre=(9, 9))
    for row, col in ((2, 3), (6, 9), (12, 5)):
        one_hot = np.zeros((14, 14))
        one_hot[row, col] = 1
        drawn = upsample(one_hot, where, mode)
        rows, cols = np.indices(drawn.shape) + 0.5
        centroid = (drawn * rows).sum() / drawn.sum(), (drawn * cols).sum() / drawn.sum()
        np.testing.assert_allclose(centroid, (16 * row + 9, 16 * col + 9), atol=0.51)
