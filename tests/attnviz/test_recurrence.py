"""Unrolled states are the model's own; gradients are those that mathematics says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from attnviz import models
from attnviz.data.pairs import Pair
from attnviz.layers.recurrent import CELLS
from attnviz.recurrence import (
    Gradients,
    side_by_side,
    trained_gradients,
    unroll,
    untrained_gradients,
)
from attnviz.text import END, START, Tokeniser
from attnviz.translation import translate

TOKENISER = Tokeniser.load("dates")
SENTENCE = "2026년 3월 9일"


def tiny(variant: str = "seq2seq", **config: Any) -> Any:
    torch.manual_seed(0)
    options = {"vocabulary": TOKENISER.size, "width": 8} | config
    model = models.build(variant, **options).eval()
    for weight in model.parameters():
        weight.data *= 2
    return model.requires_grad_(False)


@pytest.mark.parametrize("variant", ["seq2seq", "seq2seq_reversed", "seq2seq_rnn"])
def test_the_strips_are_what_torchs_own_layer_computes(variant: str) -> None:
    model = tiny(variant)
    found = unroll(model, TOKENISER, SENTENCE)
    own: Any = (nn.RNN if variant == "seq2seq_rnn" else nn.LSTM)(8, 8, batch_first=True)
    source = [*TOKENISER.encode(SENTENCE).ids, END]
    read = source[::-1] if variant == "seq2seq_reversed" else source
    given = [START, *translate(model, TOKENISER, SENTENCE).ids[:-1]]
    state = None
    for cell, ids, strip in (
        (model.encoder[0].cell, read, found.encoder),
        (model.decoder[0].cell, given, found.decoder),
    ):
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            getattr(own, f"{name}_l0").data = getattr(cell, name).data
        states, state = own(model.embed(torch.tensor([ids])), state)
        np.testing.assert_allclose(strip["hidden"], states[0].detach(), atol=1e-5)
        np.testing.assert_allclose(
            strip["cell" if "cell" in strip else "hidden"][-1],
            (state[1] if isinstance(state, tuple) else state)[0, 0].detach(),
            atol=1e-5,
        )
    assert found.deviation < 1e-5


def test_what_was_read_said_and_handed_over() -> None:
    model = tiny("seq2seq_reversed")
    found = unroll(model, TOKENISER, SENTENCE)
    same = translate(model, TOKENISER, SENTENCE)
    assert found.text == same.text and found.said == same.target
    np.testing.assert_allclose(found.probabilities, same.probabilities, atol=1e-6)
    np.testing.assert_array_equal(found.fixed["hidden"], same.first_state)
    np.testing.assert_array_equal(found.fixed["cell"], found.encoder["cell"][-1])
    assert found.order == tuple(range(len(found.read)))[::-1]
    assert found.read[::-1] == same.source
    assert found.given == ("<s>", *found.said[:-1])
    assert found.over_time("forget_gate").shape == (len(found.read) + len(found.said), 8)
    assert found.over_time("forget_gate").min() > 0 and found.over_time("forget_gate").max() < 1
    assert found.parts[:3] == ("hidden", "cell", "forget_gate")
    assert unroll(tiny("seq2seq_rnn"), TOKENISER, SENTENCE).parts == ("hidden",)


@pytest.mark.parametrize("config", [{"variant": "seq2seq_mlp"}, {"layers": 2}])
def test_only_one_layer_with_one_vector_is_unrolled(config: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="one fixed vector"):
        unroll(tiny(**config), TOKENISER, SENTENCE)


@pytest.mark.parametrize("kind", CELLS)
def test_cells_side_by_side_do_not_meet(kind: str) -> None:
    torch.manual_seed(0)
    cells = [CELLS[kind](3, 5) for _ in range(4)]
    for cell in cells:
        nn.init.normal_(cell.bias_hh)
    inputs = torch.randn(2, 4, 3)
    states = [torch.randn(2, 4, 5) for _ in range(cells[0].parts)]
    joint = side_by_side(cells)
    together = joint(inputs.flatten(1), tuple(state.flatten(1) for state in states))
    for k, cell in enumerate(cells):
        alone = cell(inputs[:, k], tuple(state[:, k] for state in states))
        for one, all_ in zip(alone, together, strict=True):
            torch.testing.assert_close(all_.view(2, 4, 5)[:, k], one)


@pytest.mark.parametrize("scale", [0.3, 1.0])
def test_a_vanilla_network_cannot_keep_more_than_its_matrices_allow(scale: float) -> None:
    """|∂L/∂h_t| shrinks by tanh' ≤ 1 times an orthogonal matrix times the scale, each step."""
    kept = untrained_gradients("rnn", 12, scale=scale, networks=3).relative("states")
    assert kept.shape == (3, 12)
    assert (kept <= scale ** np.arange(12) * (1 + 1e-9)).all()
    assert (kept[:, 1:] < kept[:, :-1]).all()


def test_an_lstms_lane_loses_only_what_it_forgets() -> None:
    """Without recurrent weights, the cell's gradient is the product of the forget gates."""
    open_gates = untrained_gradients("lstm", 30, scale=0, forget_bias=40, networks=2)
    np.testing.assert_allclose(open_gates.relative("states"), 1, atol=1e-9)
    half = untrained_gradients("lstm", 30, scale=0, forget_bias=0, networks=40)
    mean = half.curve("states")[1]
    assert half.forget == pytest.approx(0.5, abs=0.02)
    assert np.log(mean[29]) / 29 == pytest.approx(np.log(0.5), abs=0.1)
    lost = untrained_gradients("rnn", 5, scale=0)
    assert (lost.relative("states")[:, 1:] == 0).all()


def test_a_larger_matrix_explodes_and_seeds_repeat() -> None:
    wild = untrained_gradients("rnn", 100, scale=2)
    assert wild.curve("inputs")[1][-1] > 1e3
    np.testing.assert_array_equal(wild.inputs, untrained_gradients("rnn", 100, scale=2).inputs)
    other = untrained_gradients("rnn", 100, scale=2, seed=1)
    assert not np.allclose(wild.inputs, other.inputs)


def test_impossible_networks_are_refused() -> None:
    with pytest.raises(ValueError, match="cells are rnn, lstm"):
        untrained_gradients("gru", 5)
    with pytest.raises(ValueError, match="over 0 steps"):
        untrained_gradients("rnn", 0)


PAIRS = [Pair("3월", "March"), Pair("2026년 3월 9일", "March 9, 2026")]


@pytest.mark.parametrize("variant", ["seq2seq", "seq2seq_reversed", "seq2seq_rnn"])
def test_a_trained_encoders_gradient_is_the_slope_of_its_loss(variant: str) -> None:
    model = tiny(variant).double()
    found = trained_gradients(model, TOKENISER, PAIRS)
    source = torch.tensor([[*TOKENISER.encode(PAIRS[1].source).ids, END]])
    target = torch.tensor([[START, *TOKENISER.encode(PAIRS[1].target).ids, END]])

    def loss(embedded: torch.Tensor) -> torch.Tensor:
        _, state = model.encoder(embedded)
        logits, _ = model.decode(target[:, :-1], state, ())
        return F.cross_entropy(logits[0], target[0, 1:], reduction="sum")

    embedded, slopes, step = model.embed(source), [], 1e-6
    for place in range(source.shape[1]):
        nudges = torch.zeros(8, *embedded.shape[1:], dtype=torch.float64)
        nudges[range(8), place, range(8)] = step
        slopes.append([(loss(embedded + n) - loss(embedded - n)) / (2 * step) for n in nudges])
    norms = np.linalg.norm(np.array(slopes), axis=1)
    nearest_first = norms if variant == "seq2seq_reversed" else norms[::-1]
    np.testing.assert_allclose(found.inputs[1], nearest_first, rtol=1e-4)


def test_padding_changes_no_gradient() -> None:
    model = tiny()
    both = trained_gradients(model, TOKENISER, PAIRS)
    alone = trained_gradients(model, TOKENISER, PAIRS[:1])
    steps = alone.inputs.shape[1]
    for name in ("inputs", "states"):
        np.testing.assert_allclose(getattr(both, name)[0, :steps], getattr(alone, name)[0], 1e-4)
        assert np.isnan(getattr(both, name)[0, steps:]).all()
    with pytest.raises(ValueError, match="without attention"):
        trained_gradients(tiny("seq2seq_dot"), TOKENISER, PAIRS)


def test_the_curve_is_the_geometric_mean_with_its_spread() -> None:
    norms = np.array([[2.0, 0.2, np.nan], [1.0, 1.0, 0.5]])
    low, mean, high = Gradients(norms, norms, None, 0.0).curve("inputs")
    np.testing.assert_allclose(mean, [1, 0.1**0.5, 0.5])
    assert low[1] < mean[1] < high[1] <= 1
    assert Gradients(norms, norms, None, 0.0).curve("states", least=2).shape == (3, 2)
