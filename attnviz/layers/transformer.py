"""The pieces of a Transformer, shared by every model that is made of them.

Vaswani et al. 2017, "Attention Is All You Need" (arXiv:1706.03762): multi-head attention §3.2.2,
feed-forward network §3.3, residual connection and LayerNorm §3.1, masks §3.2.3. Pre-norm: Xiong et
al. 2020, "On Layer Normalization in the Transformer Architecture" (arXiv:2002.04745).

    b batch · t tokens (q queries, k keys) · d width · h heads · e = d/h · m hidden width
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import Tensor, nn

from attnviz.layers.attention import attend
from attnviz.trace import Tap

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu}


@dataclass(frozen=True)
class LayerConfig:
    """Sizes of one layer.

    Args:
        width: d; heads: h, which divide it; hidden: m, of the feed-forward network.
        pre_norm: LayerNorm before each sublayer rather than after the sum.
        attention_bias: whether the four projections have biases; the paper's are matrices.
        eps: of LayerNorm.
        gain: scale of the initial values, outputs and feed-forward weights. Post-norm stacks of six
            learn at once with 0.5 and stand still for thousands of steps with the usual 1 (Wang et
            al. 2022, "DeepNet", arXiv:2203.00555, section 4).
    """

    width: int
    heads: int
    hidden: int
    dropout: float = 0.1
    pre_norm: bool = False
    attention_bias: bool = False
    activation: str = "relu"
    eps: float = 1e-5
    gain: float = 1.0

    def __post_init__(self) -> None:
        for name in ("width", "heads", "hidden"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} should be at least 1, not {getattr(self, name)}")
        if self.width % self.heads:
            raise ValueError(f"width {self.width} does not divide into {self.heads} heads")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout should be in [0, 1), not {self.dropout}")
        if self.activation not in ACTIVATIONS:
            known = ", ".join(ACTIVATIONS)
            raise ValueError(f"activation should be one of {known}, not {self.activation!r}")


class MultiHeadAttention(nn.Module):
    """Concat(head_1 … head_h) W_O, where head_i = Attention(Q W_Q, K W_K, V W_V)."""

    def __init__(
        self,
        width: int,
        heads: int,
        *,
        bias: bool = False,
        dropout: float = 0.0,
        gain: float = 1.0,
    ) -> None:
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.w_q, self.w_k, self.w_v, self.w_o = (
            nn.Linear(width, width, bias=bias) for _ in range(4)
        )
        self.query, self.key, self.value = Tap("b h q e"), Tap("b h k e"), Tap("b h k e")
        self.scores, self.weights = Tap("b h q k"), Tap("b h q k")
        self.context = Tap("b h q e")
        for projection, scale in zip(
            (self.w_q, self.w_k, self.w_v, self.w_o), (1.0, 1.0, gain, gain), strict=True
        ):
            _initialise(projection, scale)

    def keys_values(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """What does not depend on the queries: (b, k, d) → key and value, (b, h, k, e) each."""
        key, value = self._split(self.w_k(memory)), self._split(self.w_v(memory))
        return self.key(key), self.value(value)

    def forward(self, x: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        """Queries (b, q, d) over given keys and values → (b, q, d).

        Args:
            mask: True where a query may look at a key; broadcasts to (b, h, q, k).
        """
        context = attend(
            self.query(self._split(self.w_q(x))),
            key,
            value,
            scores_tap=self.scores,
            weights_tap=self.weights,
            mask=mask,
            dropout=self.dropout if self.training else 0.0,
        )
        return self.w_o(rearrange(self.context(context), "b h q e -> b q (h e)"))

    def _split(self, x: Tensor) -> Tensor:
        return rearrange(x, "b t (h e) -> b h t e", h=self.heads)


class FeedForward(nn.Module):
    """W_2 max(0, W_1 x + b_1) + b_2 at every position alone: two convolutions of kernel 1."""

    def __init__(
        self, width: int, hidden: int, activation: str = "relu", gain: float = 1.0
    ) -> None:
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(width, hidden), nn.Linear(hidden, width)
        self.activation = ACTIVATIONS[activation]
        self.hidden = Tap("b t m")
        for linear in (self.linear1, self.linear2):
            _initialise(linear, gain)

    def forward(self, x: Tensor) -> Tensor:
        """(b, t, d) → (b, t, d)."""
        return self.linear2(self.hidden(self.activation(self.linear1(x))))  # (b, t, m) within


class AddNorm(nn.Module):
    """LayerNorm(x + Sublayer(x)); pre-norm: x + Sublayer(LayerNorm(x)).

    Taps: ``output`` what the sublayer adds, ``summed`` the sum, ``normed`` what LayerNorm gives.
    """

    def __init__(
        self, width: int, *, dropout: float = 0.0, pre_norm: bool = False, eps: float = 1e-5
    ) -> None:
        super().__init__()
        self.pre_norm = pre_norm
        self.norm = nn.LayerNorm(width, eps)
        self.drop = nn.Dropout(dropout)
        self.output, self.summed, self.normed = Tap("b t d"), Tap("b t d"), Tap("b t d")

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """(b, t, d) → (b, t, d)."""
        entering = self.normed(self.norm(x)) if self.pre_norm else x
        summed = self.summed(x + self.drop(self.output(sublayer(entering))))
        return summed if self.pre_norm else self.normed(self.norm(summed))


class EncoderLayer(nn.Module):
    """Self-attention, then the feed-forward network (figure 1, left)."""

    def __init__(self, cfg: LayerConfig) -> None:
        super().__init__()
        self.self_attn = _attention(cfg)
        self.add_norm1 = _add_norm(cfg)
        self.feed_forward = FeedForward(cfg.width, cfg.hidden, cfg.activation, cfg.gain)
        self.add_norm2 = _add_norm(cfg)
        self.residual = Tap("b t d")

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """(b, t, d) → (b, t, d); mask as in `MultiHeadAttention`."""
        x = self.add_norm1(x, lambda y: self.self_attn(y, *self.self_attn.keys_values(y), mask))
        return self.residual(self.add_norm2(x, self.feed_forward))


Cache = tuple[Tensor, Tensor]  # keys and values of the positions so far, (b, h, t, e) each


class DecoderLayer(nn.Module):
    """Masked self-attention, attention over the encoder, feed-forward network (figure 1, right)."""

    def __init__(self, cfg: LayerConfig) -> None:
        super().__init__()
        self.self_attn = _attention(cfg)
        self.add_norm1 = _add_norm(cfg)
        self.cross_attn = _attention(cfg)
        self.add_norm2 = _add_norm(cfg)
        self.feed_forward = FeedForward(cfg.width, cfg.hidden, cfg.activation, cfg.gain)
        self.add_norm3 = _add_norm(cfg)
        self.residual = Tap("b t d")

    def forward(
        self, x: Tensor, past: Cache, memory: Cache, look_ahead: Tensor, source_mask: Tensor
    ) -> tuple[Tensor, Cache]:
        """New positions (b, q, d) after `past` ones → (b, q, d), and the cache with both.

        Args:
            memory: keys and values of the encoder's output.
            look_ahead: (q, past + q), source_mask: broadcasts to (b, h, q, s); True may be seen.
        """
        cache = past

        def attend_self(y: Tensor) -> Tensor:
            nonlocal cache
            cache = _extend(past, self.self_attn.keys_values(y))
            return self.self_attn(y, *cache, look_ahead)

        x = self.add_norm1(x, attend_self)
        x = self.add_norm2(x, lambda y: self.cross_attn(y, *memory, source_mask))
        return self.residual(self.add_norm3(x, self.feed_forward)), cache


def _extend(past: Cache, new: Cache) -> Cache:
    """The keys and the values of the past with the new ones behind them."""
    return torch.cat([past[0], new[0]], 2), torch.cat([past[1], new[1]], 2)


def _initialise(linear: nn.Linear, gain: float) -> None:
    nn.init.xavier_uniform_(linear.weight, gain)
    if linear.bias is not None:
        nn.init.zeros_(linear.bias)


def _attention(cfg: LayerConfig) -> MultiHeadAttention:
    return MultiHeadAttention(
        cfg.width, cfg.heads, bias=cfg.attention_bias, dropout=cfg.dropout, gain=cfg.gain
    )


def _add_norm(cfg: LayerConfig) -> AddNorm:
    return AddNorm(cfg.width, dropout=cfg.dropout, pre_norm=cfg.pre_norm, eps=cfg.eps)
