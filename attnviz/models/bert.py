"""BERT: the encoder of a Transformer alone, so that every token sees both sides of a sentence.

Devlin et al. 2018, https://arxiv.org/abs/1810.04805: §3 (sizes; GELU; learned positions; token
types). Wang et al. 2020, "MiniLM", https://arxiv.org/abs/2002.10957: a small BERT that learned its
teacher's attention. Reimers & Gurevych 2019, "Sentence-BERT", https://arxiv.org/abs/1908.10084:
one vector a sentence, the mean over its tokens. Reference code: Hugging Face's `BertModel`.

    tokens ─ word + position + type, LayerNorm ─ [self-attention, feed-forward] × N ─ mean

Left out: the pooler over [CLS], which learned to tell next sentences and is no part of the mean.

    b batch · t tokens · d width
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnviz.layers.transformer import EncoderLayer, LayerConfig
from attnviz.trace import Tap

PAD = 0  # the id of padding


@dataclass(frozen=True)
class BertConfig(LayerConfig):
    """Sizes of a `Bert`; the defaults are BERT-base.

    Args:
        vocabulary: pieces in the table of words.
        layers: N.
        longest: rows of the table of positions.
        types: rows of the table of token types: first and second sentence of a pair.
    """

    width: int = 768
    heads: int = 12
    hidden: int = 3072
    attention_bias: bool = True
    activation: str = "gelu"
    eps: float = 1e-12
    vocabulary: int = 30_522
    layers: int = 12
    longest: int = 512
    types: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("vocabulary", "layers", "longest", "types"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} should be at least 1, not {getattr(self, name)}")


class Bert(nn.Module):
    """From tokens to what each of them means in its sentence."""

    def __init__(self, cfg: BertConfig) -> None:
        super().__init__()
        self.cfg = cfg
        self.words = nn.Embedding(cfg.vocabulary, cfg.width)
        self.positions = nn.Embedding(cfg.longest, cfg.width)
        self.types = nn.Embedding(cfg.types, cfg.width)
        self.norm = nn.LayerNorm(cfg.width, cfg.eps)
        self.drop = nn.Dropout(cfg.dropout)
        self.layers = nn.ModuleList(EncoderLayer(cfg) for _ in range(cfg.layers))
        self.mask, self.embedded = Tap("b t"), Tap("b t d")
        for table in (self.words, self.positions, self.types):
            nn.init.normal_(table.weight, std=0.02)

    def forward(self, tokens: Tensor, types: Tensor | None = None) -> Tensor:
        """Token ids (b, t), 0 is padding → states (b, t, d).

        Args:
            types: (b, t), 0 or 1; all of the first sentence by default.

        Raises:
            ValueError: more tokens than positions.
        """
        mask = self.mask(tokens != PAD)
        x = self.embedded(self.embedding(tokens, types))
        for layer in self.layers:
            x = layer(x, mask[:, None, None])  # (b, 1, 1, t): the same for each head and query
        return x

    def embedding(self, tokens: Tensor, types: Tensor | None = None) -> Tensor:
        """LayerNorm(word + position + type): (b, t) → (b, t, d)."""
        length = tokens.shape[1]
        if length > self.cfg.longest:
            raise ValueError(
                f"this model learned {self.cfg.longest} positions; {length} are needed"
            )
        types = torch.zeros_like(tokens) if types is None else types
        x = self.words(tokens) + self.positions.weight[:length] + self.types(types)  # (b, t, d)
        return self.drop(self.norm(x))

    def sentence(self, states: Tensor, tokens: Tensor) -> Tensor:
        """The mean of the states over real tokens, of length 1: (b, t, d), (b, t) → (b, d)."""
        real = (tokens != PAD).unsqueeze(-1).to(states)  # (b, t, 1)
        mean = (states * real).sum(1) / real.sum(1).clamp(min=1)
        return F.normalize(mean, dim=-1)


# Devlin et al. 2018, §3; Wang et al. 2020, table 2: 6 layers of width 384.
VARIANTS = {
    "bert_base": BertConfig(),
    "minilm_l6": BertConfig(width=384, hidden=1536, layers=6),
}


def build(cfg: BertConfig) -> Bert:
    """A model with random weights."""
    return Bert(cfg)
