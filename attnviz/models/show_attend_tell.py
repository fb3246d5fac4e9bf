"""Show, Attend and Tell: a caption, one word at a time, each from where the decoder looks.

Xu et al. (2015), "Show, Attend and Tell: Neural Image Caption Generation with Visual Attention",
https://arxiv.org/abs/1502.03044: §3.1.1 (annotation vectors), §3.1.2 (decoder, equations 1–3, first
state, deep output 7), §4.1 (hard attention), §4.2 (soft attention, equation 13), §4.2.1 (gate,
doubly stochastic regulariser). One step:

    state h ─┬─► scores e_i = score(h, a_i) ─► weights α = softmax e ─► context z = β Σ α_i a_i ─┐
             └─► gate β = sigmoid(f h)                                                            │
    word y ──► embedding E y ──┬──────────────────────── LSTM ◄────────────────────────────────────┤
                               └─► logits = L_o tanh(E y + L_h h' + L_z z) ◄───────────────────────┘

Differs from the paper: the CNN is EfficientNet-Lite0 (or any stem with a grid); a 1×1 layer,
normalised, with ReLU makes its features, and the place of each, the annotation vectors; dropout is
of what is seen and leaves the places alone; scores may be bilinear or dot products, too; and where
to look may be decided on shallow features alone: deep ones know their neighbours so well that a
decoder need not look at a thing to name it.

    b batch · n cells · c channels of the CNN · a annotation size · d state · m embedding · v words
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnviz.geometry import Geometry
from attnviz.layers.recurrent import LSTMCell, State
from attnviz.layers.stems import GRIDS
from attnviz.trace import Tap, note_geometry

AMPLITUDE = 3.0  # of places: about as large as what else an annotation vector holds


@dataclass(frozen=True)
class ShowAttendTellConfig:
    """Sizes of a `ShowAttendTell`.

    Args:
        vocabulary: words, the four special ones among them.
        width: of the state, d.
        annotation: of what a cell says, a.
        embedding: of words, m.
        match: of the space in which state and cells are compared.
        stem: name of a grid in `attnviz.layers.stems.GRIDS`; None if a stem will be given.
        channels: of the given stem; None takes those of the named one.
        score: ``"mlp"`` (the paper's), ``"bilinear"`` or ``"dot"``.
        waves: of the row and as many of the column that each annotation vector ends in, their
            sine and cosine (`places`); 0 for none. What is seen tells little of where it was seen,
            and "left of" needs that; finer waves let a decoder pass over what it has named.
        narrow: decide where to look on the shallow channels alone, in grids that hold both.
        hard: look at one cell, sampled in training and the likeliest otherwise (§4.1).
        dropout: of what cells say (not of where they are), embeddings and the deep output.
    """

    vocabulary: int = 500
    width: int = 160
    annotation: int = 320
    embedding: int = 128
    match: int = 128
    stem: str | None = "efficientnet_lite0"
    channels: int | None = None
    score: str = "mlp"
    waves: int = 4
    narrow: bool = True
    hard: bool = False
    dropout: float = 0.2

    def __post_init__(self) -> None:
        for name in ("vocabulary", "width", "annotation", "embedding", "match"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} should be at least 1, not {getattr(self, name)}")
        if self.score not in SCORES:
            known = ", ".join(SCORES)
            raise ValueError(f"score should be one of {known}, not {self.score!r}")
        if self.stem is not None and self.stem not in GRIDS:
            known = ", ".join(GRIDS)
            raise ValueError(f"stem should be one of {known} or None, not {self.stem!r}")
        if (self.stem is None) == (self.channels is None):
            raise ValueError("give either the name of a stem or the channels of one of your own")
        if self.score == "dot" and self.width != self.seen:
            raise ValueError(
                f"a dot product needs states as long as annotation vectors, not {self.width} "
                f"and {self.seen}"
            )
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout should be in [0, 1), not {self.dropout}")

    @property
    def seen(self) -> int:
        """Size of an annotation vector with its place, a."""
        return self.annotation + 4 * self.waves

    @property
    def grid_channels(self) -> tuple[int, int]:
        """Channels of the CNN's grid, c, and how many of them, the last, alone decide where to
        look; 0 if all do."""
        if self.stem is None:
            return self.channels or 0, 0
        return GRIDS[self.stem].channels, GRIDS[self.stem].where * self.narrow


class MLPScore(nn.Module):
    """e_i = vᵀ tanh(W h + U a_i), the paper's f_att."""

    def __init__(self, cfg: ShowAttendTellConfig) -> None:
        super().__init__()
        self.query = nn.Linear(cfg.width, cfg.match, bias=False)  # W
        self.key = nn.Linear(cfg.seen, cfg.match)  # U
        self.v = nn.Linear(cfg.match, 1, bias=False)

    def keys(self, annotations: Tensor) -> Tensor:
        """U a, once for all words: (b, n, a) → (b, n, m)."""
        return self.key(annotations)

    def forward(self, state: Tensor, keys: Tensor) -> Tensor:
        """(b, d), (b, n, m) → (b, n)."""
        return self.v((self.query(state)[:, None] + keys).tanh())[..., 0]


class BilinearScore(nn.Module):
    """e_i = hᵀ W a_i."""

    def __init__(self, cfg: ShowAttendTellConfig) -> None:
        super().__init__()
        self.weight = nn.Linear(cfg.seen, cfg.width, bias=False)

    def keys(self, annotations: Tensor) -> Tensor:
        """W a, once for all words: (b, n, a) → (b, n, d)."""
        return self.weight(annotations)

    def forward(self, state: Tensor, keys: Tensor) -> Tensor:
        """(b, d), (b, n, d) → (b, n)."""
        return (keys @ state[..., None])[..., 0]


class DotScore(nn.Module):
    """e_i = h · a_i. Nothing to learn: states and cells must live in one space."""

    def __init__(self, cfg: ShowAttendTellConfig) -> None:
        super().__init__()

    def keys(self, annotations: Tensor) -> Tensor:
        """The annotation vectors themselves, (b, n, d)."""
        return annotations

    def forward(self, state: Tensor, keys: Tensor) -> Tensor:
        """(b, d), (b, n, d) → (b, n)."""
        return (keys @ state[..., None])[..., 0]


Score = MLPScore | BilinearScore | DotScore
SCORES: dict[str, type[Score]] = {"mlp": MLPScore, "bilinear": BilinearScore, "dot": DotScore}


class Memory(NamedTuple):
    """What the decoder looks at."""

    annotations: Tensor  # a_i, (b, n, a)
    keys: Tensor  # what the score makes of them, or of a narrower view of the same cells


class Told(NamedTuple):
    """What a pass that is given all words computes."""

    logits: Tensor  # (b, t, v)
    weights: Tensor  # α, (b, t, n), rows sum to 1
    looked: Tensor  # the distribution whose mean is the context: α, or one-hot if hard


class Attention(nn.Module):
    """Where to look for the next word, and what is seen there."""

    def __init__(self, cfg: ShowAttendTellConfig) -> None:
        super().__init__()
        self.hard = cfg.hard
        self.score = SCORES[cfg.score](cfg)
        self.f_beta = nn.Linear(cfg.width, 1)
        self.scores, self.weights, self.looked = Tap("b n"), Tap("b n"), Tap("b n")
        self.average, self.gate, self.context = Tap("b a"), Tap("b o"), Tap("b a")

    def forward(
        self, state: Tensor, memory: Memory, shown: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """States (b, d) → context z (b, a), weights α and where it looked, both (b, n).

        Args:
            shown: (b, n), where to look in place of the weights; rows of 0 leave it to those.
        """
        scores = self.scores(self.score(state, memory.keys).float())
        weights = self.weights(scores.softmax(-1))  # (b, n)
        looked = self._one_cell(weights) if self.hard else weights
        if shown is not None:
            looked = torch.where(shown.any(-1, keepdim=True), shown, looked)
        looked = self.looked(looked)
        share = looked[:, None].to(memory.annotations.dtype)  # (b, 1, n)
        average = self.average((share @ memory.annotations)[:, 0])  # (b, a)
        gate = self.gate(self.f_beta(state).sigmoid())  # β, (b, 1)
        return self.context(gate * average), weights, looked

    def _one_cell(self, weights: Tensor) -> Tensor:
        """One-hot rows: drawn from α in training (equation 8), the likeliest cell otherwise."""
        cell = torch.multinomial(weights, 1)[:, 0] if self.training else weights.argmax(-1)
        return F.one_hot(cell, weights.shape[-1]).to(weights.dtype)


class ShowAttendTell(nn.Module):
    """A CNN's grid, and an LSTM that looks at it again for every word.

    Args:
        stem: pixels (b, 3, h, w) → grid (b, c, rows, cols), where the config names none.
    """

    def __init__(self, cfg: ShowAttendTellConfig, stem: nn.Module | None = None) -> None:
        super().__init__()
        if (stem is None) == (cfg.stem is None):
            raise ValueError("give a stem exactly where the config names none")
        self.cfg = cfg
        self.stem = GRIDS[cfg.stem].build() if stem is None else stem  # type: ignore[index]
        channels, where = cfg.grid_channels
        self.adapter, self.norm = nn.Linear(channels, cfg.annotation), nn.LayerNorm(cfg.annotation)
        self.locator = nn.Linear(where, cfg.annotation) if where else None
        self.init_h = nn.Linear(cfg.seen, cfg.width)
        self.init_c = nn.Linear(cfg.seen, cfg.width)
        self.embed = nn.Embedding(cfg.vocabulary, cfg.embedding)
        self.attention = Attention(cfg)
        self.lstm = LSTMCell(cfg.embedding + cfg.seen, cfg.width)
        self.L_h = nn.Linear(cfg.width, cfg.embedding, bias=False)
        self.L_z = nn.Linear(cfg.seen, cfg.embedding, bias=False)
        self.L_o = nn.Linear(cfg.embedding, cfg.vocabulary)
        self.dropout = nn.Dropout(cfg.dropout)
        self.grid, self.annotations, self.keys = Tap("b n c"), Tap("b n a"), Tap("b n k")
        self.mean = Tap("b a")
        self.initial_state, self.states = Tap("b d"), Tap("b d")
        self.deep_output, self.logits = Tap("b m"), Tap("b v")

    def encode(self, pixels: Tensor) -> tuple[Memory, State]:
        """Pixels (b, 3, h, w) → what to look at, and the state to begin with."""
        grid = self.stem(pixels)  # (b, c, rows, cols)
        note_geometry(lambda: self.geometry(tuple(pixels.shape[-2:]), tuple(grid.shape[-2:])))
        size = grid.shape[-2], grid.shape[-1]
        return self.encode_grid(grid.flatten(2).mT, size)  # (b, n, c), row by row

    def encode_grid(self, grid: Tensor, size: tuple[int, int]) -> tuple[Memory, State]:
        """The same from the CNN's features (b, n, c), of a grid of `size` rows and columns."""
        grid = self.grid(grid)
        seen = self.dropout(self.norm(self.adapter(grid)).relu())  # (b, n, a) but for places
        annotations = self.annotations(self._placed(seen, size))  # (b, n, a)
        places = annotations
        if self.locator is not None:
            narrow = grid[..., -self.locator.in_features :]
            places = self._placed(self.locator(narrow).relu(), size)  # (b, n, a)
        mean = self.mean(annotations.mean(1))  # (b, a)
        hidden, cell = self.init_h(mean).tanh(), self.init_c(mean).tanh()  # f_init,h and f_init,c
        memory = Memory(annotations, self.keys(self.attention.score.keys(places)))
        return memory, (self.initial_state(hidden), cell)

    def _placed(self, seen: Tensor, size: tuple[int, int]) -> Tensor:
        """The place of each cell after what is seen in it, if the model is to know it."""
        if not self.cfg.waves:
            return seen
        where = places(size, self.cfg.waves).to(seen).expand(len(seen), -1, -1)  # (b, n, 4 waves)
        return torch.cat([seen, where], -1)

    def step(
        self, token: Tensor, state: State, memory: Memory, shown: Tensor | None = None
    ) -> tuple[Tensor, State, Told]:
        """One word (b,): where to look given the state so far, then what comes next (b, v)."""
        word = self.dropout(self.embed(token))  # (b, m)
        context, weights, looked = self.attention(state[0], memory, shown)
        hidden, cell = self.lstm(torch.cat([word, context], -1), state)
        hidden = self.states(hidden)
        output = self.deep_output((word + self.L_h(hidden) + self.L_z(context)).tanh())  # (b, m)
        logits = self.logits(self.L_o(self.dropout(output)))  # (b, v)
        return logits, (hidden, cell), Told(logits, weights, looked)

    def decode(self, tokens: Tensor, state: State, memory: Memory) -> tuple[Tensor, State]:
        """Next-word logits (b, t, v) after each of `tokens` (b, t), and the state they leave."""
        told, state = self.tell(tokens, state, memory)
        return told.logits, state

    def tell(
        self, tokens: Tensor, state: State, memory: Memory, shown: Tensor | None = None
    ) -> tuple[Told, State]:
        """The same with weights, which `shown` (b, t, n) may replace: see `Attention`."""
        steps = []
        for t, token in enumerate(tokens.unbind(1)):
            where = None if shown is None else shown[:, t]
            _, state, told = self.step(token, state, memory, where)
            steps.append(told)
        return Told(*(torch.stack(parts, 1) for parts in zip(*steps, strict=True))), state

    def forward(self, pixels: Tensor, tokens: Tensor) -> Tensor:
        """Teacher forcing: pixels (b, 3, h, w), words (b, t) from <s> on → logits (b, t, v)."""
        memory, state = self.encode(pixels)
        return self.decode(tokens, state, memory)[0]

    def geometry(self, size: tuple[int, ...], cells: tuple[int, ...]) -> Geometry:
        """Where the cells of a picture of that size see; a given stem's divide it evenly."""
        (rows, cols), (height, width) = cells, size
        evenly = Geometry(rows, cols, height, width, pool="avg")
        if self.cfg.stem is None:
            return evenly
        known = GRIDS[self.cfg.stem]
        return replace(evenly, stride=(known.stride,) * 2, centre=(known.centre,) * 2)


def places(size: tuple[int, int], waves: int) -> Tensor:
    """Sines and cosines of each cell's row and column, row by row: (n, 4 · waves).

    A grid's side is half of the first wave, so that its sine grows from one edge to the other, and
    as many, twice as many, … of the next: Vaswani et al. 2017, §3.5, in two dimensions.
    """
    axes = []
    for n in size:
        at = torch.linspace(-1, 1, n) if n > 1 else torch.zeros(1)
        angles = at[:, None] * math.pi / 2 * 2.0 ** torch.arange(waves)  # (n, waves)
        axes.append(AMPLITUDE * torch.cat([angles.sin(), angles.cos()], -1))  # (n, 2 · waves)
    rows, cols = size
    down, across = axes[0].repeat_interleave(cols, 0), axes[1].repeat(rows, 1)
    return torch.cat([down, across], -1)


def doubly_stochastic(weights: Tensor, mask: Tensor) -> Tensor:
    """Σ_i (1 − Σ_t α_ti)², mean of the batch: no cell shall be overlooked (equation 14).

    Args:
        weights: (b, t, n).
        mask: (b, t), True at words that count.
    """
    seen = (weights * mask[..., None]).sum(1)  # (b, n)
    return (1 - seen).square().sum(-1).mean()


VARIANTS = {
    "show_attend_tell": ShowAttendTellConfig(),
    "show_attend_tell_bilinear": ShowAttendTellConfig(score="bilinear"),
    "show_attend_tell_dot": ShowAttendTellConfig(score="dot", width=336),
}


def build(cfg: ShowAttendTellConfig) -> ShowAttendTell:
    """A model with random weights."""
    return ShowAttendTell(cfg)
