"""Recurrent networks over time: the states of an encoder-decoder, and how far its gradients reach.

Everything ends in numpy: what a page draws. States are read with taps. Gradients are those of a
loss at the end with respect to earlier inputs and states, by their distance to the last one read;
why they vanish or explode is in Bengio, Simard & Frasconi (1994) and Pascanu et al. (2013),
https://arxiv.org/abs/1211.5063.

    S source pieces with END · T target pieces · d state size · n networks or sentences
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from attnviz import decoding
from attnviz.data.pairs import Pair
from attnviz.layers.recurrent import CELLS, Cell, LSTMCell, Recurrent, State
from attnviz.text import END, PAD, START, Pieces, Sentence, Tokeniser, read_sentence
from attnviz.trace import Trace, record, taps
from attnviz.translation import END_LABEL, label, padded

At = Literal["inputs", "states"]

PARTS = ("hidden", "cell", "forget_gate", "input_gate", "candidate", "output_gate")
"""What a cell shows at each step; a vanilla RNN has only the first."""

START_LABEL = "<s>"
WIDTH = 32  # of untrained networks
NETWORKS = 8  # of them, each with a seed of its own
SPREAD = (10, 90)  # percentiles that a band reaches from and to


@dataclass(frozen=True)
class Unrolled:
    """An encoder and a decoder at every step of their time.

    Args:
        sentence: what was read.
        pieces: of the source, without END.
        order: (S,) which source piece each step of the encoder read.
        read: (S,) labels of what the encoder was given, in that order.
        given: (T,) labels of what the decoder was given: <s>, then its own words.
        said: (T,) labels of what the decoder answered.
        probabilities: (T,) of each answer.
        encoder, decoder: part of the cell → (S, d) and (T, d), a row a step.
        fixed: part of the state → (d,): all that the decoder learns of the source.
        cell: ``"lstm"`` or ``"rnn"``.
        text: the translation; ``finished`` if it ended by itself.
        deviation: largest difference between a state and the cell's equation, computed again from
            the state before it.
    """

    sentence: Sentence
    pieces: Pieces
    order: tuple[int, ...]
    read: tuple[str, ...]
    given: tuple[str, ...]
    said: tuple[str, ...]
    probabilities: np.ndarray
    encoder: dict[str, np.ndarray] = field(repr=False)
    decoder: dict[str, np.ndarray] = field(repr=False)
    fixed: dict[str, np.ndarray] = field(repr=False)
    cell: str
    text: str
    finished: bool
    deviation: float
    seconds: float
    device: str

    @property
    def parts(self) -> tuple[str, ...]:
        """What this cell shows, in the order of `PARTS`."""
        return tuple(part for part in PARTS if part in self.encoder)

    def over_time(self, part: str) -> np.ndarray:
        """One part over the whole time, (S + T, d): the encoder's steps, then the decoder's."""
        return np.concatenate([self.encoder[part], self.decoder[part]])


@torch.inference_mode()
def unroll(model: Any, tokeniser: Tokeniser, sentence: Sentence | str) -> Unrolled:
    """A sentence through a `Seq2Seq`, decoded greedily, with every state that it went through.

    Raises:
        SentenceError: nothing to read.
        ValueError: the model has attention, or more than one layer.
    """
    if "fixed_vector" not in taps(model) or model.cfg.layers != 1:
        raise ValueError("Only encoder-decoders with one layer and one fixed vector are unrolled.")
    sentence = read_sentence(sentence) if isinstance(sentence, str) else sentence
    pieces = tokeniser.encode(sentence.text)
    device = next(model.parameters()).device
    source = torch.tensor([[*pieces.ids, END]], device=device)
    began = time.perf_counter()
    with record(model, "encoder.0.cell.*", "decoder.0.cell.*") as trace:
        (found,) = decoding.decode(model, source)
    seconds = time.perf_counter() - began
    encoder, decoder = _parts(trace, "encoder"), _parts(trace, "decoder")
    order = range(source.shape[1])[:: -1 if model.cfg.reverse else 1]
    given = torch.tensor([START, *found.ids[:-1]], device=device)
    state = ("hidden", "cell")[: CELLS[model.cfg.cell].parts]
    last = tuple(encoder[part][-1] for part in state)
    first = tuple(torch.zeros_like(part) for part in last)
    labels = (*pieces.texts, END_LABEL)
    return Unrolled(
        sentence=sentence,
        pieces=pieces,
        order=tuple(order),
        read=tuple(labels[place] for place in order),
        given=(START_LABEL, *(label(tokeniser, id) for id in found.ids[:-1])),
        said=tuple(label(tokeniser, id) for id in found.ids),
        probabilities=np.exp(np.array(found.log_probabilities, dtype=np.float32)),
        encoder={name: _array(part) for name, part in encoder.items()},
        decoder={name: _array(part) for name, part in decoder.items()},
        fixed={name: _array(part) for name, part in zip(state, last, strict=True)},
        cell=model.cfg.cell,
        text=tokeniser.decode(found.ids),
        finished=found.finished,
        deviation=max(
            _deviation(model.encoder[0].cell, model.embed(source[0, list(order)]), first, encoder),
            _deviation(model.decoder[0].cell, model.embed(given), last, decoder),
        ),
        seconds=seconds,
        device=str(device),
    )


def _parts(trace: Trace, side: str) -> dict[str, Tensor]:
    """Part of the cell → (steps, d), in the order of time."""
    names = {part: f"{side}.0.cell.{part}" for part in PARTS}
    return {part: torch.cat(trace.steps(name)) for part, name in names.items() if name in trace}


def _deviation(cell: Cell, inputs: Tensor, first: State, parts: dict[str, Tensor]) -> float:
    """How far any recorded state is from the cell's equation, all steps of it computed at once."""
    known = [parts["hidden"], parts["cell"]] if "cell" in parts else [parts["hidden"]]
    before = [torch.cat([a[None], b[:-1]]) for a, b in zip(first, known, strict=True)]
    again = cell(inputs, tuple(before))
    return max((a - b).abs().max().item() for a, b in zip(again, known, strict=True))


@dataclass(frozen=True)
class Gradients:
    """Lengths of gradients by distance to the last step that was read.

    Args:
        inputs: (n, steps) |∂L/∂x|, column k at k steps before the last; NaN where there is none.
        states: (n, steps) |∂L/∂h| of a vanilla RNN, |∂L/∂c| of an LSTM: of the state that is
            carried.
        forget: the mean forget gate of an LSTM.
    """

    inputs: np.ndarray
    states: np.ndarray
    forget: float | None
    seconds: float

    def relative(self, at: At) -> np.ndarray:
        """(n, steps) as a share of the gradient at the last step, which is therefore 1."""
        norms = self.inputs if at == "inputs" else self.states
        return norms / norms[:, :1]

    def curve(self, at: At, least: int = 1) -> np.ndarray:
        """(3, steps): the band's lower end, the geometric mean, the band's upper end.

        NaN where fewer than `least` networks or sentences reach so far back.
        """
        logs = np.log10(np.maximum(self.relative(at), np.finfo(np.float64).tiny))
        logs = logs[:, (~np.isnan(logs)).sum(0) >= max(least, 1)]
        low, high = np.nanpercentile(logs, SPREAD, axis=0)
        return 10 ** np.stack([low, np.nanmean(logs, axis=0), high])


def untrained_gradients(
    cell: str,
    length: int,
    *,
    scale: float = 1.0,
    forget_bias: float = 1.0,
    width: int = WIDTH,
    networks: int = NETWORKS,
    seed: int = 0,
) -> Gradients:
    """Gradients through fresh networks, each with random weights and a random input of its own.

    Inputs are as long as fresh embeddings, about 1. L is the last hidden state along a random
    direction. Runs in float64 on the CPU, all networks side by side.

    Args:
        cell: ``"rnn"`` or ``"lstm"``.
        length: steps, 1 or more.
        scale: what the orthogonal recurrent matrices are multiplied by: their spectral radius.
        forget_bias: of an LSTM's forget gates.
        seed: of the first network; the others follow.

    Raises:
        ValueError: an unknown cell, or a number below 1.
    """
    if cell not in CELLS or min(length, width, networks) < 1:
        raise ValueError(
            f"{networks} networks of {width} {cell!r} units over {length} steps: "
            f"cells are {', '.join(CELLS)}, numbers 1 or more"
        )
    draw = torch.Generator().manual_seed(seed)
    cells = [_fresh(cell, width, scale, forget_bias, seed + k) for k in range(networks)]
    layer = Recurrent(side_by_side(cells)).double().requires_grad_(False)
    options: dict[str, Any] = {"generator": draw, "dtype": torch.float64}
    inputs = torch.randn(1, length, networks * width, **options) * width**-0.5
    direction = F.normalize(torch.randn(networks, width, **options), dim=1)
    began = time.perf_counter()
    carried = "cell.cell" if cell == "lstm" else "cell.hidden"
    with record(layer, "cell.*", grad=True) as trace:
        _, (hidden, *_) = layer(inputs.requires_grad_())
    (hidden.view(networks, width) * direction).sum().backward()
    assert inputs.grad is not None
    states = torch.cat([step.grad for step in trace.steps(carried) if step.grad is not None])

    def norms(gradients: Tensor) -> np.ndarray:  # (steps, n · d) → (n, steps), the last step first
        return gradients.view(length, networks, width).norm(dim=2).flip(0).T.numpy()

    return Gradients(
        norms(inputs.grad[0]), norms(states), _mean_gate(trace), time.perf_counter() - began
    )


def _fresh(cell: str, width: int, scale: float, forget_bias: float, seed: int) -> Cell:
    """A cell as a model begins with, its recurrent matrices scaled."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        made = CELLS[cell](width, width)
    made.weight_hh.data *= scale
    if isinstance(made, LSTMCell):
        made.bias_ih.data[width : 2 * width] = forget_bias
    return made


def side_by_side(cells: Sequence[Cell]) -> Cell:
    """One cell that is several: block-diagonal matrices, so that no state meets another's.

    A step of all of them is then one product.
    """
    inputs, hidden = cells[0].weight_ih.shape[1], cells[0].hidden_size
    joint = type(cells[0])(len(cells) * inputs, len(cells) * hidden)
    for name, parameter in joint.named_parameters():
        blocks = zip(*(cell.get_parameter(name).data.split(hidden) for cell in cells), strict=True)
        together = torch.cat if parameter.ndim == 1 else lambda block: torch.block_diag(*block)
        parameter.data = torch.cat([together(block) for block in blocks])
    return joint


def trained_gradients(model: Any, tokeniser: Tokeniser, pairs: Sequence[Pair]) -> Gradients:
    """Gradients through a trained encoder: L is what it pays for the translations it should give.

    Args:
        model: a `Seq2Seq`, in eval mode.
        pairs: sentences with their translations, which the decoder is given (teacher forcing).

    Raises:
        ValueError: no pairs, or the model has attention: no gradient of it has to go all the way.
    """
    if not pairs or "fixed_vector" not in taps(model):
        raise ValueError(f"{len(pairs)} pairs; need some, and a model without attention")
    device = next(model.parameters()).device
    sources = padded([[*tokeniser.encode(p.source).ids, END] for p in pairs]).to(device)
    targets = padded([[START, *tokeniser.encode(p.target).ids, END] for p in pairs]).to(device)
    began = time.perf_counter()
    mask = sources != PAD  # (n, S)
    embedded = model.embed(sources).detach().requires_grad_()
    with record(model, "encoder.0.cell.*", grad=True) as trace:
        _, state = model.encoder(embedded, mask=mask)
    logits, _ = model.decode(targets[:, :-1], state, ())
    F.cross_entropy(
        logits.flatten(0, 1), targets[:, 1:].flatten(), ignore_index=PAD, reduction="sum"
    ).backward()
    steps = trace.steps(f"encoder.0.cell.{'cell' if model.cfg.cell == 'lstm' else 'hidden'}")
    states = torch.stack([_grad(step) for step in steps], 1)  # (n, S, d), in the order of time
    inputs = _grad(embedded)
    if model.cfg.reverse:
        inputs, mask = inputs.flip(1), mask.flip(1)
    return Gradients(
        _from_the_end(inputs.norm(dim=2), mask),
        _from_the_end(states.norm(dim=2), mask),
        _mean_gate(trace, mask.T.to(device)),
        time.perf_counter() - began,
    )


def _from_the_end(norms: Tensor, mask: Tensor) -> np.ndarray:
    """(n, S) in the order of time → (n, S) by distance to the last real step; the rest is NaN."""
    found = np.full(norms.shape, np.nan)
    for row, (values, real) in enumerate(zip(norms, mask, strict=True)):
        kept = _array(values[real])[::-1]
        found[row, : len(kept)] = kept
    return found


def _mean_gate(trace: Trace, mask: Tensor | None = None) -> float | None:
    """The mean forget gate over steps (and, masked (S, n), over real ones); None without gates."""
    name = next((name for name in trace.names() if name.endswith("forget_gate")), None)
    if name is None:
        return None
    gates = torch.stack(trace.steps(name)).detach()  # (S, n, d)
    return (gates if mask is None else gates[mask]).mean().item()


def _grad(tensor: Tensor) -> Tensor:
    """The gradient of what a loss depends on; zero where it does not."""
    return torch.zeros_like(tensor) if tensor.grad is None else tensor.grad


def _array(tensor: Tensor) -> np.ndarray:
    return tensor.detach().float().cpu().numpy()
