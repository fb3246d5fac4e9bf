"""Sequence to sequence with attention: at every word the decoder looks back at the source.

Bahdanau, Cho & Bengio (2015), "Neural Machine Translation by Jointly Learning to Align and
Translate", https://arxiv.org/abs/1409.0473: §3.2 (encoder that reads both ways), §3.1 (alignment
model, context), §A.1.2 (the MLP score). Luong, Pham & Manning (2015), "Effective Approaches to
Attention-based Neural Machine Translation", https://arxiv.org/abs/1508.04025: §3.1 (dot and
bilinear scores, equation 8; attentional state, equation 5). One decoding step, in Luong's order:

    state s ─┬─► scores e_i = score(s, h_i) ─► weights α = softmax e ─► context c = Σ α_i h_i ─┐
             └──────────────────────────────────────────► [c ; s] ─► s̃ = tanh(W [c ; s]) ─► logits

Differs from the papers: an LSTM where Bahdanau has a GRU, the sizes, and one shared table that
embeds source and target and serves as the output layer.

    b batch · s source tokens · t target tokens · d width · v vocabulary
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnviz.layers.recurrent import CELLS, Stack, State
from attnviz.trace import Tap

PAD = 0  # the id of padding, in every vocabulary


@dataclass(frozen=True)
class AttentionSeq2SeqConfig:
    """Sizes of an `AttentionSeq2Seq`.

    Args:
        vocabulary: pieces in the table that source and target share.
        width: of embeddings and states, d; each direction of the encoder has half of it.
        layers: of the decoder; the encoder has one.
        score: ``"dot"``, ``"bilinear"`` or ``"mlp"``.
        cell: ``"lstm"`` or ``"rnn"``.
        dropout: of embeddings and of the states that predict.
    """

    vocabulary: int = 2400
    width: int = 192
    layers: int = 1
    score: str = "mlp"
    cell: str = "lstm"
    dropout: float = 0.2

    def __post_init__(self) -> None:
        for name in ("vocabulary", "width", "layers"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} should be at least 1, not {getattr(self, name)}")
        if self.width % 2:
            raise ValueError(f"width should be even, a half for each direction, not {self.width}")
        for name, known in (("score", SCORES), ("cell", CELLS)):
            if getattr(self, name) not in known:
                given = getattr(self, name)
                raise ValueError(f"{name} should be one of {', '.join(known)}, not {given!r}")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout should be in [0, 1), not {self.dropout}")


class DotScore(nn.Module):
    """e_i = s · h_i. Nothing to learn: both must live in one space."""

    def __init__(self, width: int) -> None:
        super().__init__()

    def keys(self, states: Tensor) -> Tensor:
        """What of the score does not depend on the decoder: (b, s, d) → (b, s, d)."""
        return states

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        """(b, t, d), (b, s, d) → (b, t, s)."""
        return query @ keys.mT


class BilinearScore(nn.Module):
    """e_i = sᵀ W h_i, Luong's "general"."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Linear(width, width, bias=False)

    def keys(self, states: Tensor) -> Tensor:
        """W h: (b, s, d) → (b, s, d)."""
        return self.weight(states)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        """(b, t, d), (b, s, d) → (b, t, s)."""
        return query @ keys.mT


class MLPScore(nn.Module):
    """e_i = vᵀ tanh(W s + U h_i), additive."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, width, bias=False)  # W_a
        self.key = nn.Linear(width, width)  # U_a
        self.v = nn.Linear(width, 1, bias=False)  # v_a

    def keys(self, states: Tensor) -> Tensor:
        """U h, once for all steps: (b, s, d) → (b, s, d)."""
        return self.key(states)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        """(b, t, d), (b, s, d) → (b, t, s)."""
        mixed = self.query(query)[:, :, None] + keys[:, None]  # (b, t, s, d)
        return self.v(mixed.tanh())[..., 0]


Score = DotScore | BilinearScore | MLPScore
SCORES: dict[str, type[Score]] = {"dot": DotScore, "bilinear": BilinearScore, "mlp": MLPScore}


class Memory(NamedTuple):
    """What the decoder looks back at."""

    states: Tensor  # h, (b, s, d)
    keys: Tensor  # what the score makes of them, (b, s, d)
    mask: Tensor  # True at real tokens, (b, s)


class Attention(nn.Module):
    """Scores, weights and context of decoder states over a memory, and what comes of both."""

    def __init__(self, width: int, score: str) -> None:
        super().__init__()
        self.score = SCORES[score](width)
        self.combine = nn.Linear(2 * width, width, bias=False)  # W_c of Luong's equation 5
        self.scores, self.weights = Tap("b t s"), Tap("b t s")
        self.context, self.concatenated, self.output = Tap("b t d"), Tap("b t e"), Tap("b t d")

    def forward(self, query: Tensor, memory: Memory) -> Tensor:
        """Decoder states (b, t, d) → attentional states s̃ (b, t, d)."""
        scores = self.score(query, memory.keys).float()  # (b, t, s)
        scores = self.scores(scores.masked_fill(~memory.mask[:, None], -torch.inf))
        # A row without any real token would be NaN; zero is what nothing to look at gives.
        weights = scores.softmax(-1).masked_fill(~memory.mask[:, None], 0)
        weights = self.weights(weights).to(query.dtype)
        context = self.context(weights @ memory.states)  # (b, t, d)
        both = self.concatenated(torch.cat([context, query], -1))  # (b, t, 2d)
        return self.output(self.combine(both).tanh())


class AttentionSeq2Seq(nn.Module):
    """An encoder that reads both ways, and a decoder that looks back at every step."""

    def __init__(self, cfg: AttentionSeq2SeqConfig) -> None:
        super().__init__()
        self.cfg = cfg
        d = cfg.width
        self.embed = nn.Embedding(cfg.vocabulary, d)
        self.dropout = nn.Dropout(cfg.dropout)
        self.encoder_forward = Stack(cfg.cell, d, d // 2, 1)
        self.encoder_backward = Stack(cfg.cell, d, d // 2, 1, backward=True)
        self.decoder = Stack(cfg.cell, d, d, cfg.layers)
        parts = CELLS[cfg.cell].parts
        self.bridge = nn.ModuleList(nn.Linear(d, d) for _ in range(cfg.layers * parts))
        self.attention = Attention(d, cfg.score)
        self.head_bias = nn.Parameter(torch.zeros(cfg.vocabulary))
        self.encoder_states, self.initial_state = Tap("b s d"), Tap("b d")
        self.decoder_states, self.logits = Tap("b t d"), Tap("b t v")
        nn.init.normal_(self.embed.weight, std=d**-0.5)

    def encode(self, source: Tensor) -> tuple[Memory, State]:
        """Source ids (b, s), 0 is padding → what to look back at, and the state to begin with."""
        mask = source != PAD
        embedded = self.dropout(self.embed(source))  # (b, s, d)
        ahead, ahead_last = self.encoder_forward(embedded, mask=mask)
        back, back_last = self.encoder_backward(embedded, mask=mask)
        states = self.encoder_states(torch.cat([ahead, back], -1))  # (b, s, d)
        last = [torch.cat(pair, -1) for pair in zip(ahead_last, back_last, strict=True)]
        # s_0 = tanh(W [h→ ; h←]) for each tensor of the decoder's state (Bahdanau §A.2.2)
        first = [bridge(last[i % len(last)]).tanh() for i, bridge in enumerate(self.bridge)]
        memory = Memory(states, self.attention.score.keys(states), mask)
        return memory, (self.initial_state(first[0]), *first[1:])

    def decode(self, tokens: Tensor, state: State, memory: Memory) -> tuple[Tensor, State]:
        """Next-token logits (b, t, v) after each of `tokens` (b, t), and the state they leave."""
        states, state = self.decoder(self.dropout(self.embed(tokens)), state)
        output = self.dropout(self.attention(self.decoder_states(states), memory))  # (b, t, d)
        return self.logits(F.linear(output, self.embed.weight, self.head_bias)), state

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Teacher forcing: source (b, s), target (b, t) beginning with <s> → logits (b, t, v)."""
        memory, state = self.encode(source)
        return self.decode(target, state, memory)[0]


VARIANTS = {f"seq2seq_{score}": AttentionSeq2SeqConfig(score=score) for score in SCORES}


def build(cfg: AttentionSeq2SeqConfig) -> AttentionSeq2Seq:
    """A model with random weights."""
    return AttentionSeq2Seq(cfg)
