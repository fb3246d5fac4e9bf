"""Recurrent cells against torch's, and what padding, direction and gates may and may not do."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attnviz.layers.recurrent import CELLS, LSTMCell, Recurrent, RNNCell, Stack
from attnviz.trace import record

INPUTS, HIDDEN = 5, 6
LENGTHS = [7, 4, 1]  # of the sentences of a batch, longest first


def randomised(module: nn.Module) -> nn.Module:
    """Random weights and biases: zeros would hide mistakes."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.5)
    return module.eval()


def ragged() -> tuple[Tensor, Tensor]:
    """Inputs (b, t, i), and the mask of sentences of `LENGTHS` steps, padded on the right."""
    mask = torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS)[:, None]
    return torch.randn(len(LENGTHS), max(LENGTHS), INPUTS), mask


@pytest.mark.parametrize(("ours", "theirs"), [(RNNCell, nn.RNNCell), (LSTMCell, nn.LSTMCell)])
def test_a_cell_is_torchs_cell(ours: type, theirs: type) -> None:
    cell = randomised(ours(INPUTS, HIDDEN))
    reference = theirs(INPUTS, HIDDEN)
    reference.load_state_dict(cell.state_dict(), strict=True)  # copied by name
    inputs = torch.randn(3, INPUTS)
    state = tuple(torch.randn(3, HIDDEN) for _ in range(cell.parts))
    expected = reference(inputs, state if cell.parts > 1 else state[0])
    expected = expected if cell.parts > 1 else (expected,)
    for got, wanted in zip(cell(inputs, state), expected, strict=True):
        torch.testing.assert_close(got, wanted, atol=1e-5, rtol=0)


def torchs(stack: Stack, kind: type[nn.RNNBase]) -> nn.RNNBase:
    """torch's network with the weights of a stack that reads from the left."""
    reference = kind(INPUTS, HIDDEN, num_layers=len(stack), batch_first=True)
    names = {f"{n}_l{i}": p for i, layer in enumerate(stack) for n, p in cells(layer)}
    reference.load_state_dict(names, strict=True)
    return reference


def cells(layer: nn.Module) -> list[tuple[str, Tensor]]:
    return [(name, p.detach()) for name, p in layer.cell.named_parameters()]  # type: ignore[union-attr]


@pytest.mark.parametrize(("cell", "kind"), [("rnn", nn.RNN), ("lstm", nn.LSTM)])
@pytest.mark.parametrize("layers", [1, 2])
@torch.no_grad()
def test_a_stack_is_torchs_network_on_packed_sentences(
    cell: str, kind: type[nn.RNNBase], layers: int
) -> None:
    stack = randomised(Stack(cell, INPUTS, HIDDEN, layers))
    inputs, mask = ragged()
    states, last = stack(inputs, mask=mask)
    packed = pack_padded_sequence(inputs, torch.tensor(LENGTHS), batch_first=True)
    found, end = torchs(stack, kind)(packed)
    expected, _ = pad_packed_sequence(found, batch_first=True)
    torch.testing.assert_close(states[mask], expected[mask], atol=1e-5, rtol=0)
    parts = end if cell == "lstm" else (end,)  # each (layers, b, d)
    flat = [part[layer] for layer in range(layers) for part in parts]
    assert len(last) == len(flat)
    for got, wanted in zip(last, flat, strict=True):
        torch.testing.assert_close(got, wanted, atol=1e-5, rtol=0)


@torch.no_grad()
def test_both_directions_are_torchs_bidirectional_network() -> None:
    ahead = randomised(Recurrent(LSTMCell(INPUTS, HIDDEN)))
    back = randomised(Recurrent(LSTMCell(INPUTS, HIDDEN), backward=True))
    reference = nn.LSTM(INPUTS, HIDDEN, batch_first=True, bidirectional=True)
    weights = {f"{n}_l0": p for n, p in cells(ahead)}
    reference.load_state_dict(weights | {f"{n}_l0_reverse": p for n, p in cells(back)})
    inputs, mask = ragged()
    packed = pack_padded_sequence(inputs, torch.tensor(LENGTHS), batch_first=True)
    found, (hidden, cell) = reference(packed)
    expected, _ = pad_packed_sequence(found, batch_first=True)  # (b, t, 2d)
    for direction, layer in enumerate((ahead, back)):
        states, last = layer(inputs, mask=mask)
        wanted = expected[..., direction * HIDDEN : (direction + 1) * HIDDEN]
        torch.testing.assert_close(states[mask], wanted[mask], atol=1e-5, rtol=0)
        torch.testing.assert_close(last, (hidden[direction], cell[direction]), atol=1e-5, rtol=0)


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("cell", CELLS)
@torch.no_grad()
def test_padding_on_either_side_changes_nothing(cell: str, backward: bool) -> None:
    stack = randomised(Stack(cell, INPUTS, HIDDEN, 2, backward))
    inputs = torch.randn(2, 4, INPUTS)
    states, last = stack(inputs)
    noise = torch.randn(2, 3, INPUTS)  # what stands at padding must not matter
    real, none = torch.ones(2, 4, dtype=torch.bool), torch.zeros(2, 3, dtype=torch.bool)
    for order in (1, -1):
        padded = torch.cat([inputs, noise][::order], 1)
        mask = torch.cat([real, none][::order], 1)
        seen, end = stack(padded, mask=mask)
        torch.testing.assert_close(seen[mask], states.flatten(0, 1), atol=1e-5, rtol=0)
        torch.testing.assert_close(end, last, atol=1e-5, rtol=0)


@torch.no_grad()
def test_reading_backward_is_reading_the_reversed_sequence() -> None:
    ahead = randomised(Stack("lstm", INPUTS, HIDDEN, 2))
    back = Stack("lstm", INPUTS, HIDDEN, 2, backward=True)
    back.load_state_dict(ahead.state_dict())
    inputs = torch.randn(2, 5, INPUTS)
    states, last = back(inputs)
    expected, end = ahead(inputs.flip(1))
    torch.testing.assert_close(states, expected.flip(1))
    torch.testing.assert_close(last, end)


@pytest.mark.parametrize("cell", CELLS)
@torch.no_grad()
def test_a_sequence_can_be_carried_on(cell: str) -> None:
    stack = randomised(Stack(cell, INPUTS, HIDDEN, 2))
    inputs = torch.randn(2, 6, INPUTS)
    states, last = stack(inputs)
    first, state = stack(inputs[:, :2])
    rest, end = stack(inputs[:, 2:], state)
    torch.testing.assert_close(torch.cat([first, rest], 1), states)
    torch.testing.assert_close(end, last)


@torch.no_grad()
def test_open_forget_and_closed_input_gate_keep_the_cell() -> None:
    cell = randomised(LSTMCell(INPUTS, HIDDEN))
    for parameter in (cell.weight_ih, cell.weight_hh, cell.bias_hh):
        parameter[: 2 * HIDDEN] = 0
    cell.bias_ih[:HIDDEN], cell.bias_ih[HIDDEN : 2 * HIDDEN] = -1e4, 1e4
    hidden, kept = torch.randn(2, HIDDEN), torch.randn(2, HIDDEN)
    with record(cell, "*_gate", "candidate") as trace:
        new, after = cell(torch.randn(2, INPUTS), (hidden, kept))
    assert after.equal(kept)
    assert (trace["input_gate"] == 0).all() and (trace["forget_gate"] == 1).all()
    torch.testing.assert_close(new, trace["output_gate"] * kept.tanh())


def test_an_lstm_begins_by_keeping_and_its_steps_neither_grow_nor_shrink() -> None:
    cell = LSTMCell(INPUTS, HIDDEN)
    bias = (cell.bias_ih + cell.bias_hh).detach().split(HIDDEN)
    assert [set(part.tolist()) for part in bias] == [{0.0}, {1.0}, {0.0}, {0.0}]
    for block in (*cell.weight_hh.split(HIDDEN), RNNCell(INPUTS, HIDDEN).weight_hh):
        torch.testing.assert_close(block @ block.mT, torch.eye(HIDDEN), atol=1e-5, rtol=0)


def test_padding_gets_no_gradient() -> None:
    layer = randomised(Recurrent(LSTMCell(INPUTS, HIDDEN)))
    inputs, mask = ragged()
    inputs.requires_grad_()
    layer(inputs, mask=mask)[0].sum().backward()
    assert inputs.grad is not None
    assert not inputs.grad[~mask].any() and inputs.grad[mask].abs().sum(-1).all()
