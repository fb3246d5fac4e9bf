"""Recurrent cells written out, and a layer that carries one along a padded sequence.

Elman (1990), "Finding structure in time"; Hochreiter & Schmidhuber (1997), "Long short-term
memory", with the forget gate of Gers et al. (2000). Parameter names and gate order (input, forget,
candidate, output) follow ``torch.nn.RNNCell`` and ``torch.nn.LSTMCell``: weights copy by name.

    b batch · t time · i input size · d state size
"""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnviz.trace import Tap

State = tuple[Tensor, ...]  # (hidden,) for a vanilla cell, (hidden, cell) for an LSTM; each (b, d)


class Cell(nn.Module):
    """What both cells share: W x + b for a whole sequence at once, and an all-zero first state.

    The input's part of a step does not depend on the state, so a layer computes it for all steps
    in one product.
    """

    gates: ClassVar[int]  # how many blocks of d rows the matrices hold
    parts: ClassVar[int]  # how many tensors a state holds

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        self.hidden_size = hidden
        self.weight_ih = nn.Parameter(torch.empty(self.gates * hidden, inputs))
        self.weight_hh = nn.Parameter(torch.empty(self.gates * hidden, hidden))
        self.bias_ih = nn.Parameter(torch.zeros(self.gates * hidden))
        self.bias_hh = nn.Parameter(torch.zeros(self.gates * hidden))
        self.hidden = Tap("b d")
        nn.init.xavier_uniform_(self.weight_ih)
        for block in self.weight_hh.data.split(hidden):
            nn.init.orthogonal_(block)  # Saxe et al. 2014: a step neither grows nor shrinks

    def zero(self, batch: int) -> State:
        """The state before the first step, all zero."""
        return (self.weight_hh.new_zeros(batch, self.hidden_size),) * self.parts

    def project(self, inputs: Tensor) -> Tensor:
        """The input's part of a step, W x + b: (..., i) → (..., gates · d)."""
        return F.linear(inputs, self.weight_ih, self.bias_ih)

    def step(self, projected: Tensor, state: State) -> State:
        """One step from the projected input (b, gates · d)."""
        raise NotImplementedError

    def forward(self, inputs: Tensor, state: State) -> State:
        """One step from the input (b, i)."""
        return self.step(self.project(inputs), state)


class RNNCell(Cell):
    """h' = tanh(W x + U h + b)."""

    gates, parts = 1, 1

    def step(self, projected: Tensor, state: State) -> State:
        (hidden,) = state
        return (self.hidden((projected + F.linear(hidden, self.weight_hh, self.bias_hh)).tanh()),)


class LSTMCell(Cell):
    """c' = f ⊙ c + i ⊙ g,  h' = o ⊙ tanh c'. The cell c is a lane that gates can leave alone."""

    gates, parts = 4, 2

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__(inputs, hidden)
        self.input_gate, self.forget_gate = Tap("b d"), Tap("b d")
        self.candidate, self.output_gate = Tap("b d"), Tap("b d")
        self.cell = Tap("b d")
        nn.init.ones_(self.bias_ih.data[hidden : 2 * hidden])  # Gers et al. 2000: begin by keeping

    def step(self, projected: Tensor, state: State) -> State:
        hidden, cell = state
        gates = projected + F.linear(hidden, self.weight_hh, self.bias_hh)  # (b, 4d)
        i, f, g, o = gates.chunk(4, -1)  # (b, d) each
        i, f = self.input_gate(i.sigmoid()), self.forget_gate(f.sigmoid())
        g, o = self.candidate(g.tanh()), self.output_gate(o.sigmoid())
        cell = self.cell(f * cell + i * g)
        return self.hidden(o * cell.tanh()), cell


CELLS: dict[str, type[Cell]] = {"rnn": RNNCell, "lstm": LSTMCell}


class Recurrent(nn.Module):
    """A cell carried along a sequence, from the left or, ``backward``, from the right.

    At padding the state stays as it is. So padding changes nothing, on either side of the sequence
    and in either direction: what ``pack_padded_sequence`` is for.
    """

    def __init__(self, cell: Cell, backward: bool = False) -> None:
        super().__init__()
        self.cell = cell
        self.backward = backward

    def forward(
        self, inputs: Tensor, state: State | None = None, mask: Tensor | None = None
    ) -> tuple[Tensor, State]:
        """Inputs (b, t, i), mask (b, t) True at real tokens → states (b, t, d), the last state."""
        state = state or self.cell.zero(len(inputs))
        projected = self.cell.project(inputs).unbind(1)  # t × (b, gates · d)
        real = None if mask is None or mask.all() else mask[..., None].unbind(1)  # t × (b, 1)
        states = [state[0]] * len(projected)
        steps = range(len(projected))
        for t in reversed(steps) if self.backward else steps:
            new = self.cell.step(projected[t], state)
            if real is not None:
                new = tuple(torch.where(real[t], n, s) for n, s in zip(new, state, strict=True))
            state = new
            states[t] = state[0]
        return torch.stack(states, 1), state  # (b, t, d)


class Stack(nn.ModuleList):
    """Recurrent layers on top of each other; the state of all is one flat tuple, bottom first."""

    def __init__(
        self, cell: str, inputs: int, hidden: int, layers: int, backward: bool = False
    ) -> None:
        sizes = [inputs] + [hidden] * (layers - 1)
        super().__init__(Recurrent(CELLS[cell](size, hidden), backward) for size in sizes)
        self.parts = CELLS[cell].parts  # tensors of each layer's state

    def forward(
        self, inputs: Tensor, state: State | None = None, mask: Tensor | None = None
    ) -> tuple[Tensor, State]:
        """(b, t, i) → the top layer's states (b, t, d) and the last state of every layer."""
        last: State = ()
        for number, layer in enumerate(self):
            own = state[number * self.parts : (number + 1) * self.parts] if state else None
            inputs, end = layer(inputs, own, mask)
            last = (*last, *end)
        return inputs, last
