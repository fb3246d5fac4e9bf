"""Transformer: no recurrence, every token looks at every other at once.

Vaswani et al. 2017, "Attention Is All You Need", https://arxiv.org/abs/1706.03762: §3.1 (stacks,
post-norm), §3.2 (attention), §3.3 (feed-forward), §3.4 (one table for source, target and output,
scaled by √d), §3.5 (positions), §5.4 (dropout), table 3 (sizes). Reference code: the paper's
tensor2tensor; torch's layers hold the same weights.

    source ─ embed·√d + PE ─ [self-attention, feed-forward] × N ───────────────┐ keys, values
    target ─ embed·√d + PE ─ [masked self-attention, cross-attention, feed-forward] × N ─ logits

Decoding keeps the keys and values of the positions so far: `decode` takes only what is new.

    b batch · s source tokens · t target tokens · d width · h heads · e = d/h · v vocabulary
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnviz.layers.positions import sinusoid
from attnviz.layers.transformer import Cache, DecoderLayer, EncoderLayer, LayerConfig
from attnviz.trace import Tap

PAD = 0  # the id of padding, in every vocabulary
POSITIONS = ("sinusoid", "learned", "none")


@dataclass(frozen=True)
class TransformerConfig(LayerConfig):
    """Sizes of a `Transformer`; the defaults are the paper's base model.

    Args:
        vocabulary: v, tokens in the table that source and target share.
        layers: N, of the encoder and of the decoder.
        positions: ``"sinusoid"``, ``"learned"`` or ``"none"``.
        longest: rows of a learned position table.
    """

    width: int = 512
    heads: int = 8
    hidden: int = 2048
    vocabulary: int = 37_000
    layers: int = 6
    positions: str = "sinusoid"
    longest: int = 128

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("vocabulary", "layers", "longest"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} should be at least 1, not {getattr(self, name)}")
        if self.positions not in POSITIONS:
            known = ", ".join(POSITIONS)
            raise ValueError(f"positions should be one of {known}, not {self.positions!r}")
        if self.positions == "sinusoid" and self.width % 2:
            raise ValueError(f"sinusoids need an even width, not {self.width}")


class Memory(NamedTuple):
    """What the decoder looks at: of each layer the keys and values, and where the source is."""

    layers: tuple[Cache, ...]
    mask: Tensor  # True at real tokens, (b, s)


State = tuple[Cache, ...]  # of each decoder layer the keys and values of the target so far


class Encoder(nn.Module):
    """N layers of self-attention and feed-forward."""

    def __init__(self, cfg: TransformerConfig) -> None:
        super().__init__()
        self.embedded = Tap("b s d")
        self.layers = nn.ModuleList(EncoderLayer(cfg) for _ in range(cfg.layers))
        self.norm = nn.LayerNorm(cfg.width, cfg.eps) if cfg.pre_norm else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """(b, s, d), mask (b, s) → (b, s, d)."""
        x = self.embedded(x)
        for layer in self.layers:
            x = layer(x, mask[:, None, None])  # (b, 1, 1, s): the same for each head and query
        return self.norm(x)


class Decoder(nn.Module):
    """N layers of masked self-attention, attention over the encoder, and feed-forward."""

    def __init__(self, cfg: TransformerConfig) -> None:
        super().__init__()
        self.embedded = Tap("b t d")
        self.layers = nn.ModuleList(DecoderLayer(cfg) for _ in range(cfg.layers))
        self.norm = nn.LayerNorm(cfg.width, cfg.eps) if cfg.pre_norm else nn.Identity()

    def keys_values(self, states: Tensor) -> tuple[Cache, ...]:
        """What each layer's cross-attention makes of the encoder's states (b, s, d), once."""
        attentions = (cast(DecoderLayer, layer).cross_attn for layer in self.layers)
        return tuple(attention.keys_values(states) for attention in attentions)

    def forward(
        self, x: Tensor, state: State, memory: Memory, look_ahead: Tensor
    ) -> tuple[Tensor, State]:
        """New positions (b, t, d), look_ahead (t, past + t) → (b, t, d) and the longer state."""
        x, caches = self.embedded(x), []
        source_mask = memory.mask[:, None, None]  # (b, 1, 1, s)
        for layer, past, cross in zip(self.layers, state, memory.layers, strict=True):
            x, cache = layer(x, past, cross, look_ahead, source_mask)
            caches.append(cache)
        return self.norm(x), tuple(caches)


class Transformer(nn.Module):
    """The whole model, over one vocabulary and one table."""

    def __init__(self, cfg: TransformerConfig) -> None:
        super().__init__()
        self.cfg = cfg
        self.embed = nn.Embedding(cfg.vocabulary, cfg.width)
        learned = cfg.positions == "learned"
        self.positions = nn.Parameter(torch.empty(cfg.longest, cfg.width)) if learned else None
        self.drop = nn.Dropout(cfg.dropout)
        self.encoder, self.decoder = Encoder(cfg), Decoder(cfg)
        self.source_mask, self.look_ahead = Tap("b s"), Tap("q k")
        self.encoder_states, self.logits = Tap("b s d"), Tap("b t v")
        nn.init.normal_(self.embed.weight, std=cfg.width**-0.5)
        if self.positions is not None:
            nn.init.normal_(self.positions, std=0.02)

    def encode(self, source: Tensor) -> tuple[Memory, State]:
        """Source ids (b, s), 0 is padding → what to look at, and a state without any target."""
        mask = self.source_mask(source != PAD)
        states = self.encoder_states(self.encoder(self.embedding(source), mask))  # (b, s, d)
        layers = self.decoder.keys_values(states)
        nothing = states.new_empty(len(source), self.cfg.heads, 0, self.cfg.width // self.cfg.heads)
        return Memory(layers, mask), ((nothing, nothing),) * self.cfg.layers

    def decode(self, tokens: Tensor, state: State, memory: Memory) -> tuple[Tensor, State]:
        """Next-token logits (b, t, v) after each of the new tokens (b, t), and the longer state."""
        past = state[0][0].shape[2]
        look_ahead = self.look_ahead(causal(tokens.shape[1], past, tokens.device))
        x, state = self.decoder(self.embedding(tokens, past), state, memory, look_ahead)
        return self.logits(self.predict(x)), state

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Teacher forcing: source (b, s), target (b, t) beginning with <s> → logits (b, t, v)."""
        memory, state = self.encode(source)
        return self.decode(target, state, memory)[0]

    def embedding(self, tokens: Tensor, first: int = 0) -> Tensor:
        """√d · embedding + position, tokens (b, t) at positions first … → (b, t, d)."""
        x = self.embed(tokens) * self.cfg.width**0.5
        table = self.position_table(tokens.shape[1], first)
        return self.drop(x if table is None else x + table.to(x))  # (b, t, d)

    def position_table(self, length: int, first: int = 0) -> Tensor | None:
        """What is added at positions first … first + length − 1: (length, d), or None.

        Raises:
            ValueError: beyond the end of a learned table.
        """
        if self.cfg.positions == "sinusoid":
            return sinusoid(length, self.cfg.width, first)
        if self.positions is None:
            return None
        if first + length > self.cfg.longest:
            raise ValueError(
                f"this model learned {self.cfg.longest} positions; {first + length} are needed"
            )
        return self.positions[first : first + length]

    def predict(self, states: Tensor) -> Tensor:
        """States (…, d) in the decoder's space → logits (…, v) by the table (§3.4)."""
        return F.linear(states, self.embed.weight)


def causal(new: int, past: int, device: torch.device) -> Tensor:
    """The look-ahead mask: query i, at position past + i, may see keys up to itself → (q, k)."""
    seen = torch.ones(new, past + new, dtype=torch.bool, device=device)
    return seen.tril(past)


# Vaswani et al. 2017, table 3; `transformer` has the paper's depth and heads, this project's width.
VARIANTS = {
    "transformer": TransformerConfig(vocabulary=2400, width=128, hidden=512, gain=0.5),
    "transformer_base": TransformerConfig(),
    "transformer_big": TransformerConfig(width=1024, heads=16, hidden=4096, dropout=0.3),
}


def build(cfg: TransformerConfig) -> Transformer:
    """A model with random weights."""
    return Transformer(cfg)
