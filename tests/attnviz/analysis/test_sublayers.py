"""Sublayers in order, and LayerNorm by hand against torch's."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch

from attnviz.analysis import SUBLAYERS, standardised, sublayers
from attnviz.inside import Inside, look_inside
from attnviz.translation import translate
from tests.attnviz.transformers import SENTENCE, TOKENISER, N, tiny


@pytest.fixture(scope="module")
def found() -> Inside:
    run = translate(tiny(), TOKENISER, SENTENCE)
    return look_inside(tiny(), TOKENISER, SENTENCE, run.ids)


@pytest.mark.parametrize("stack", SUBLAYERS)
def test_each_reads_what_the_one_before_gave(found: Inside, stack: str) -> None:
    every = sublayers(found.stages, stack)
    assert [(s.layer, s.name) for s in every] == [
        (layer, name) for layer in range(N) for name in SUBLAYERS[stack]
    ]
    np.testing.assert_allclose(every[0].entering, found.stages[f"{stack}.embedded"], atol=1e-5)
    for before, after in pairwise(every):
        np.testing.assert_allclose(after.entering, before.normed, atol=1e-4)


def test_by_hand_it_is_torchs_layer_norm(found: Inside) -> None:
    for one in sublayers(found.stages, "decoder"):
        norm = getattr(tiny().decoder.layers[one.layer], f"add_norm{one.number}").norm
        by_hand = standardised(one.summed) * norm.weight.numpy() + norm.bias.numpy()
        np.testing.assert_allclose(by_hand, one.normed, atol=1e-5)
    x = np.random.default_rng(0).normal(3, 5, (4, 7)).astype(np.float32)
    expected = torch.nn.functional.layer_norm(torch.from_numpy(x), (7,)).numpy()
    np.testing.assert_allclose(standardised(x), expected, atol=1e-6)
    np.testing.assert_array_equal(standardised(np.ones((2, 5))), 0)


def test_without_layers_there_is_nothing_to_list() -> None:
    with pytest.raises(LookupError, match="no layer of the encoder among 1 stages"):
        sublayers({"logits": np.zeros((1, 2))}, "encoder")
