"""One attention layer by itself: every token asks, all answer, each gets a mixture.

Vaswani et al. 2017, "Attention Is All You Need" (arXiv:1706.03762), section 3.2. The layer is the
one that Transformers are made of (`layers.transformer.MultiHeadAttention`), with what a lab takes
away: the division by √e, and the projection of the result.

    b batch · n tokens · d width · h heads · e = d/h

    X ─┬─ W_Q ─ Q ─┐
       ├─ W_K ─ K ─┴─ Q Kᵀ/√e + M ─ softmax ─ A ─┐
       └─ W_V ─ V ──────────────────────────────┴─ A V ─ W_O ─ output
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from attnviz.layers.transformer import MultiHeadAttention


@dataclass(frozen=True)
class AttentionLayerConfig:
    """Sizes of the layer.

    Args:
        width: d of the tokens; heads: h, which divide it.
        bias: whether the projections have biases; the paper's are matrices.
        scaled: divide scores by √e.
        projected: apply W_O to the heads' results; without, they are the output.
    """

    width: int = 64
    heads: int = 1
    bias: bool = False
    scaled: bool = True
    projected: bool = True

    def __post_init__(self) -> None:
        for name in ("width", "heads"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} should be at least 1, not {getattr(self, name)}")
        if self.width % self.heads:
            raise ValueError(f"width {self.width} does not divide into {self.heads} heads")


class AttentionLayer(nn.Module):
    """softmax(Q Kᵀ/√e + M) V over one set of tokens."""

    def __init__(self, cfg: AttentionLayerConfig) -> None:
        super().__init__()
        self.cfg = cfg
        self.attention = MultiHeadAttention(cfg.width, cfg.heads, bias=cfg.bias)
        if not cfg.projected:
            self.attention.w_o = nn.Identity()  # type: ignore[assignment]

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """(b, n, d) → (b, n, d).

        Args:
            mask: True where a token may look at another; broadcasts to (b, h, n, n). A token that
                may look at nothing gets zeros from its heads.
        """
        key, value = self.attention.keys_values(x)  # (b, h, n, e)
        if not self.cfg.scaled:
            key = key * (self.cfg.width // self.cfg.heads) ** 0.5  # undoes the division
        return self.attention(x, key, value, mask)


VARIANTS: dict[str, AttentionLayerConfig] = {
    "attention_layer": AttentionLayerConfig(),
    # one layer of Vaswani et al. 2017, table 3, "base"
    "attention_layer_base": AttentionLayerConfig(width=512, heads=8),
}


def build(cfg: AttentionLayerConfig) -> AttentionLayer:
    return AttentionLayer(cfg)
