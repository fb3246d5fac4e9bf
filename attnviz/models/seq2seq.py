"""Sequence to sequence through one vector: an encoder reads, a decoder writes.

Sutskever, Vinyals & Le (2014), "Sequence to Sequence Learning with Neural Networks",
https://arxiv.org/abs/1409.3215: §2 (model), §3.3 (source read backwards), §3.4 (four layers).
All that the decoder learns of the source is the encoder's last state.

Differs from the paper: one shared table embeds source and target and serves as the output layer
(Press & Wolf 2017, https://arxiv.org/abs/1608.05859), the sizes, and beginning and end have tokens
of their own, <s> and </s>. ``cell="rnn"`` puts Elman's network in the LSTM's place.

    b batch · s source tokens · t target tokens · d width · v vocabulary
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn import functional as F

from attnviz.layers.recurrent import CELLS, Stack, State
from attnviz.trace import Tap

PAD = 0  # the id of padding, in every vocabulary


@dataclass(frozen=True)
class Seq2SeqConfig:
    """Sizes of a `Seq2Seq`.

    Args:
        vocabulary: pieces in the table that source and target share.
        width: of embeddings and states, d.
        layers: of encoder and decoder.
        cell: ``"lstm"`` or ``"rnn"``.
        reverse: whether the encoder reads the source from its end (§3.3).
        dropout: of embeddings and of the states that predict.
    """

    vocabulary: int = 2400
    width: int = 192
    layers: int = 1
    cell: str = "lstm"
    reverse: bool = False
    dropout: float = 0.2

    def __post_init__(self) -> None:
        for name in ("vocabulary", "width", "layers"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} should be at least 1, not {getattr(self, name)}")
        if self.cell not in CELLS:
            raise ValueError(f"cell should be one of {', '.join(CELLS)}, not {self.cell!r}")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout should be in [0, 1), not {self.dropout}")


class Seq2Seq(nn.Module):
    """p(y | x) = Π p(y_t | v, y_1 … y_t−1), with v the encoder's last state (§2, equation 1)."""

    def __init__(self, cfg: Seq2SeqConfig) -> None:
        super().__init__()
        self.cfg = cfg
        d, stack = cfg.width, (cfg.cell, cfg.width, cfg.width, cfg.layers)
        self.embed = nn.Embedding(cfg.vocabulary, d)
        self.dropout = nn.Dropout(cfg.dropout)
        self.encoder = Stack(*stack, backward=cfg.reverse)
        self.decoder = Stack(*stack)
        self.head_bias = nn.Parameter(self.embed.weight.new_zeros(cfg.vocabulary))
        self.encoder_states, self.decoder_states = Tap("b s d"), Tap("b t d")
        self.fixed_vector, self.logits = Tap("b d"), Tap("b t v")
        nn.init.normal_(self.embed.weight, std=d**-0.5)

    def encode(self, source: Tensor) -> tuple[State, State]:
        """Source ids (b, s), 0 is padding → nothing to look back at, and the first state."""
        states, last = self.encoder(self.dropout(self.embed(source)), mask=source != PAD)
        self.encoder_states(states)
        parts = len(last) // self.cfg.layers
        return (), (*last[:-parts], self.fixed_vector(last[-parts]), *last[len(last) - parts + 1 :])

    def decode(self, tokens: Tensor, state: State, memory: State) -> tuple[Tensor, State]:
        """Next-token logits (b, t, v) after each of `tokens` (b, t), and the state they leave."""
        states, state = self.decoder(self.dropout(self.embed(tokens)), state)
        states = self.dropout(self.decoder_states(states))
        return self.logits(F.linear(states, self.embed.weight, self.head_bias)), state

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Teacher forcing: source (b, s), target (b, t) beginning with <s> → logits (b, t, v)."""
        memory, state = self.encode(source)
        return self.decode(target, state, memory)[0]


VARIANTS = {
    "seq2seq": Seq2SeqConfig(),
    "seq2seq_reversed": Seq2SeqConfig(reverse=True),
    "seq2seq_rnn": Seq2SeqConfig(cell="rnn"),
}


def build(cfg: Seq2SeqConfig) -> Seq2Seq:
    """A model with random weights."""
    return Seq2Seq(cfg)
