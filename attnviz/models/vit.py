"""Vision Transformer: cut a picture into patches and read them as words.

Paper: Dosovitskiy et al. 2021, "An Image is Worth 16x16 Words" (arXiv:2010.11929), section 3,
equations 1–4. Sizes Ti/S and the augreg weights: Steiner et al. 2022 (arXiv:2106.10270).
Distillation token: Touvron et al. 2021, DeiT (arXiv:2012.12877). LayerScale: Touvron et al. 2021,
CaiT (arXiv:2103.17239). Registers: Darcet et al. 2024 (arXiv:2309.16588). Reference code:
google-research/vision_transformer; attribute names follow timm's ``VisionTransformer``, whose
weights load as they are.

    b batch · n patches · t tokens (prefix + patches) · d width · h heads · e = d/h · m MLP width
    H×W pixels · P patch size · r×c grid (n = r·c)

    pixels ─ patches ─ project ─┬─ + positions ─ [x + Attn(LN x), x + MLP(LN x)] × depth ─ LN ─ head
              class, registers ─┘
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import Tensor, nn

from attnviz.geometry import Geometry
from attnviz.layers.attention import attend
from attnviz.layers.positions import RelativeBias, interpolate_positions, sinusoid_2d
from attnviz.layers.stems import STEMS, build_stem
from attnviz.trace import Tap, note_geometry

PROJECTIONS = ("conv", "linear")
POSITIONS = ("learned", "none", "sinusoid", "relative")
POOLS = ("token", "avg")


@dataclass(frozen=True)
class ViTConfig:
    """Everything that decides a ViT's shape. Sizes in pixels or units; validated on creation.

    Args:
        image_size: (height, width) of the position table; other sizes interpolate it.
        stem: ``None`` cuts pixels; else a CNN of ``layers.stems`` whose grid is cut instead.
        projection: a linear layer on flattened patches, or the equal strided convolution.
        prefix_positions: whether the table has rows for the prefix tokens (concatenate, then add)
            or for the patches alone (add, then concatenate: "no_embed_class" in timm).
        representation: width of the pre-training head's hidden layer (paper, section 3.1), or None.
        fc_norm: LayerNorm after pooling in place of before.
    """

    image_size: tuple[int, int] = (224, 224)
    patch_size: int = 16
    width: int = 768
    depth: int = 12
    heads: int = 12
    mlp_ratio: float = 4.0
    classes: int = 1000
    stem: str | None = None
    projection: str = "conv"
    positions: str = "learned"
    prefix_positions: bool = True
    class_token: bool = True
    distilled: bool = False
    registers: int = 0
    pool: str = "token"
    fc_norm: bool = False
    qkv_bias: bool = True
    layer_scale: float | None = None
    representation: int | None = None
    dropout: float = 0.0

    def __post_init__(self) -> None:
        for value, allowed, what in (
            (self.projection, PROJECTIONS, "projection"),
            (self.positions, POSITIONS, "positions"),
            (self.pool, POOLS, "pool"),
            (self.stem, (None, *STEMS), "stem"),
        ):
            if value not in allowed:
                raise ValueError(f"{what} is one of {allowed}, not {value!r}")
        if self.width % self.heads:
            raise ValueError(f"width {self.width} does not divide into {self.heads} heads")
        if self.pool == "token" and not self.class_token:
            raise ValueError("pool='token' reads the class token, but class_token=False")
        if self.distilled and not (self.class_token and self.pool == "token"):
            raise ValueError("a distilled model has a class token and pool='token'")
        if self.positions == "sinusoid" and self.width % 4:
            raise ValueError(f"2-D sinusoids need a width divisible by 4, got {self.width}")
        self.grid(*self.image_size)

    @property
    def stride(self) -> int:
        """Pixels from one patch to the next."""
        return self.patch_size * (STEMS[self.stem].stride if self.stem else 1)

    @property
    def prefix(self) -> tuple[str, ...]:
        """Names of the tokens before the patches, in order."""
        named = ["class"] * self.class_token + ["distillation"] * self.distilled
        return tuple(named + [f"register {i + 1}" for i in range(self.registers)])

    def grid(self, height: int, width: int) -> tuple[int, int]:
        """Patches down and across; ValueError for a size that does not divide."""
        if height % self.stride or width % self.stride or min(height, width) < self.stride:
            raise ValueError(
                f"this model needs a height and width that are multiples of {self.stride} pixels; "
                f"{height}×{width} is not"
            )
        return height // self.stride, width // self.stride


class PatchEmbed(nn.Module):
    """Pixels, or a CNN's grid, in P×P patches projected to the width (equation 1, x_p E)."""

    def __init__(self, cfg: ViTConfig) -> None:
        super().__init__()
        self.patch_size = cfg.patch_size
        self.backbone = build_stem(cfg.stem) if cfg.stem else None
        channels = STEMS[cfg.stem].channels if cfg.stem else 3
        self.grid = Tap("b c r s") if cfg.stem else None
        self.proj: nn.Module
        if cfg.projection == "linear":
            self.proj = nn.Linear(channels * cfg.patch_size**2, cfg.width)
        else:
            self.proj = nn.Conv2d(channels, cfg.width, cfg.patch_size, stride=cfg.patch_size)
        self.projected = Tap("b n d")

    def forward(self, pixels: Tensor) -> Tensor:
        if self.backbone is not None and self.grid is not None:
            pixels = self.grid(self.backbone(pixels))  # (b, c, H/s, W/s)
        return self.projected(self.project(pixels))

    def project(self, image: Tensor) -> Tensor:
        """(b, c, r·P, c·P) → (b, n, d)."""
        p = self.patch_size
        if isinstance(self.proj, nn.Linear):
            patches = rearrange(image, "b c (r p) (s q) -> b (r s) (c p q)", p=p, q=p)
            return self.proj(patches)  # (b, n, d)
        return rearrange(self.proj(image), "b d r s -> b (r s) d")  # (b, n, d)


class Attention(nn.Module):
    """Multi-head self-attention (appendix A, equations 5–8)."""

    def __init__(self, cfg: ViTConfig) -> None:
        super().__init__()
        self.heads, self.dropout = cfg.heads, cfg.dropout
        self.qkv = nn.Linear(cfg.width, 3 * cfg.width, bias=cfg.qkv_bias)
        self.rel_pos = (
            RelativeBias(cfg.grid(*cfg.image_size), cfg.heads, len(cfg.prefix))
            if cfg.positions == "relative"
            else None
        )
        self.query, self.key, self.value = Tap("b h t e"), Tap("b h t e"), Tap("b h t e")
        self.scores, self.weights = Tap("b h q k"), Tap("b h q k")
        self.context = Tap("b h q e")
        self.proj = nn.Linear(cfg.width, cfg.width)

    def forward(self, x: Tensor, grid: tuple[int, int]) -> Tensor:
        q, k, v = rearrange(self.qkv(x), "b t (three h e) -> three b h t e", three=3, h=self.heads)
        context = attend(
            self.query(q),
            self.key(k),
            self.value(v),
            scores_tap=self.scores,
            weights_tap=self.weights,
            mask=None if self.rel_pos is None else self.rel_pos(grid),
            dropout=self.dropout if self.training else 0.0,
        )
        return self.proj(rearrange(self.context(context), "b h t e -> b t (h e)"))


class MLP(nn.Module):
    """Two layers with exact GELU."""

    def __init__(self, cfg: ViTConfig) -> None:
        super().__init__()
        hidden = int(cfg.width * cfg.mlp_ratio)
        self.fc1, self.fc2 = nn.Linear(cfg.width, hidden), nn.Linear(hidden, cfg.width)
        self.hidden = Tap("b t m")
        self.drop = nn.Dropout(cfg.dropout)

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.hidden(F.gelu(self.fc1(x)))  # (b, t, m)
        return self.fc2(self.drop(hidden))  # (b, t, d)


class LayerScale(nn.Module):
    """A learned scale for each channel of a residual branch."""

    def __init__(self, width: int, initial: float) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.full((width,), initial))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.gamma


class Block(nn.Module):
    """Pre-norm block (equations 2 and 3)."""

    def __init__(self, cfg: ViTConfig) -> None:
        super().__init__()
        scale = cfg.layer_scale
        self.norm1 = nn.LayerNorm(cfg.width, eps=1e-6)
        self.attn = Attention(cfg)
        self.ls1 = nn.Identity() if scale is None else LayerScale(cfg.width, scale)
        self.norm2 = nn.LayerNorm(cfg.width, eps=1e-6)
        self.mlp = MLP(cfg)
        self.ls2 = nn.Identity() if scale is None else LayerScale(cfg.width, scale)
        self.drop = nn.Dropout(cfg.dropout)
        self.residual = Tap("b t d")

    def forward(self, x: Tensor, grid: tuple[int, int]) -> Tensor:
        x = x + self.drop(self.ls1(self.attn(self.norm1(x), grid)))
        x = x + self.drop(self.ls2(self.mlp(self.norm2(x))))
        return self.residual(x)


class ViT(nn.Module):
    """The whole model: (b, 3, H, W) pixels → (b, classes) logits."""

    def __init__(self, cfg: ViTConfig) -> None:
        super().__init__()
        self.cfg = cfg
        d, prefix = cfg.width, len(cfg.prefix)
        rows, cols = cfg.grid(*cfg.image_size)
        self.patch_embed = PatchEmbed(cfg)
        self.cls_token = nn.Parameter(torch.empty(1, 1, d)) if cfg.class_token else None
        self.dist_token = nn.Parameter(torch.empty(1, 1, d)) if cfg.distilled else None
        self.reg_token = nn.Parameter(torch.empty(1, cfg.registers, d)) if cfg.registers else None
        length = rows * cols + (prefix if cfg.prefix_positions else 0)
        learned = cfg.positions == "learned"
        self.pos_embed = nn.Parameter(torch.empty(1, length, d)) if learned else None
        self.drop = nn.Dropout(cfg.dropout)
        self.embedded = Tap("b t d")
        self.blocks = nn.ModuleList(Block(cfg) for _ in range(cfg.depth))
        self.norm = nn.Identity() if cfg.fc_norm else nn.LayerNorm(d, eps=1e-6)
        self.normed = Tap("b t d")
        self.fc_norm = nn.LayerNorm(d, eps=1e-6) if cfg.fc_norm else nn.Identity()
        hidden = cfg.representation
        self.pre_logits = nn.Linear(d, hidden) if hidden else None
        self.head = nn.Linear(hidden or d, cfg.classes) if cfg.classes else nn.Identity()
        self.head_dist = nn.Linear(d, cfg.classes) if cfg.distilled and cfg.classes else None
        self.logits = Tap("b c")
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Truncated normal of deviation 0.02, zero biases (timm's ``init_weights_vit_timm``)."""
        for module in self.blocks.modules():
            if isinstance(module, nn.Linear):
                nn.init.trunc_normal_(module.weight, std=0.02)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        for table in (self.pos_embed, self.dist_token, self.cls_token, self.reg_token):
            if table is not None:
                nn.init.trunc_normal_(table, std=0.02)

    def forward(self, pixels: Tensor) -> Tensor:
        return self.classify(self.encode(pixels))

    def encode(self, pixels: Tensor) -> Tensor:
        """(b, 3, H, W) → the last block's tokens, normalised: (b, t, d)."""
        height, width = pixels.shape[-2:]
        grid = self.cfg.grid(height, width)
        note_geometry(lambda: self.geometry(height, width))
        return self.transform(self.patch_embed(pixels), grid)

    def transform(self, patches: Tensor, grid: tuple[int, int]) -> Tensor:
        """Projected patches (b, n, d) → prefix, positions and blocks → (b, t, d)."""
        x = self.embedded(self.drop(self.embed(patches, grid)))  # (b, t, d)
        for block in self.blocks:
            x = block(x, grid)
        return self.normed(self.norm(x))

    def embed(self, patches: Tensor, grid: tuple[int, int]) -> Tensor:
        """Prepend the prefix tokens and add positions (equation 1)."""
        tokens = (self.cls_token, self.dist_token, self.reg_token)
        prefix = [t.expand(len(patches), -1, -1) for t in tokens if t is not None]
        table = self.position_table(grid)
        if table is None:
            return torch.cat([*prefix, patches], 1)  # (b, t, d)
        table = table.to(patches)
        if self.cfg.prefix_positions and self.pos_embed is not None:
            return torch.cat([*prefix, patches], 1) + table  # (b, t, d)
        return torch.cat([*prefix, patches + table], 1)  # (b, t, d)

    def position_table(self, grid: tuple[int, int]) -> Tensor | None:
        """What is added to the tokens at this grid: (1, t or n, d), or None."""
        if self.cfg.positions == "sinusoid":
            return sinusoid_2d(*grid, self.cfg.width)[None]  # (1, n, d)
        if self.pos_embed is None:
            return None
        prefix = len(self.cfg.prefix) if self.cfg.prefix_positions else 0
        return interpolate_positions(
            self.pos_embed, self.cfg.grid(*self.cfg.image_size), grid, prefix
        )

    def classify(self, tokens: Tensor) -> Tensor:
        """Tokens (b, t, d) → logits (b, classes); a distilled model averages its two heads."""
        if self.head_dist is not None:
            return self.logits((self.head(tokens[:, 0]) + self.head_dist(tokens[:, 1])) / 2)
        return self.logits(self.head(self.represent(tokens)))

    def represent(self, tokens: Tensor) -> Tensor:
        """What the last linear layer reads: pooled tokens, through the hidden layer if any."""
        if self.cfg.pool == "token":
            pooled = tokens[:, 0]  # (b, d)
        else:
            pooled = tokens[:, len(self.cfg.prefix) :].mean(1)  # (b, d)
        pooled = self.fc_norm(pooled)
        return pooled if self.pre_logits is None else torch.tanh(self.pre_logits(pooled))

    def geometry(self, height: int, width: int) -> Geometry:
        """Where the tokens of a picture of this size sit; ValueError if it does not divide."""
        rows, cols = self.cfg.grid(height, width)
        stride = float(self.cfg.stride)
        shift = STEMS[self.cfg.stem].shift if self.cfg.stem else 0.0
        return Geometry(
            rows,
            cols,
            height,
            width,
            prefix=self.cfg.prefix,
            pool=self.cfg.pool,
            stride=(stride, stride),
            centre=(stride / 2 + shift, stride / 2 + shift),
        )


def _plain(width: int, depth: int, heads: int, patch: int, **more: Any) -> ViTConfig:
    return replace(ViTConfig(), width=width, depth=depth, heads=heads, patch_size=patch, **more)


# Paper table 1 (B, L, H); Steiner et al. table 1 (Ti, S, hybrids); DeiT table 1; names as in timm.
_TI, _S, _B, _L = (192, 12, 3), (384, 12, 6), (768, 12, 12), (1024, 24, 16)
_DINO: dict[str, Any] = {"layer_scale": 1e-5, "image_size": (518, 518), "classes": 0}
_REGISTERS: dict[str, Any] = {**_DINO, "registers": 4, "prefix_positions": False}
_GAP: dict[str, Any] = {"class_token": False, "pool": "avg"}
VARIANTS: dict[str, ViTConfig] = {
    "vit_tiny_patch16_224": _plain(*_TI, 16),
    "vit_small_patch16_224": _plain(*_S, 16),
    "vit_small_patch32_224": _plain(*_S, 32),
    "vit_base_patch8_224": _plain(*_B, 8),
    "vit_base_patch16_224": _plain(*_B, 16),
    "vit_base_patch32_224": _plain(*_B, 32),
    "vit_large_patch16_224": _plain(*_L, 16),
    "vit_large_patch32_224": _plain(*_L, 32),
    "vit_huge_patch14_224": _plain(1280, 32, 16, 14),
    "deit_tiny_patch16_224": _plain(*_TI, 16),
    "deit_small_patch16_224": _plain(*_S, 16),
    "deit_base_patch16_224": _plain(*_B, 16),
    "deit_tiny_distilled_patch16_224": _plain(*_TI, 16, distilled=True),
    "deit_small_distilled_patch16_224": _plain(*_S, 16, distilled=True),
    "deit_base_distilled_patch16_224": _plain(*_B, 16, distilled=True),
    "vit_small_patch14_dinov2": _plain(*_S, 14, **_DINO),
    "vit_base_patch14_dinov2": _plain(*_B, 14, **_DINO),
    "vit_large_patch14_dinov2": _plain(*_L, 14, **_DINO),
    "vit_small_patch14_reg4_dinov2": _plain(*_S, 14, **_REGISTERS),
    "vit_base_patch14_reg4_dinov2": _plain(*_B, 14, **_REGISTERS),
    "vit_large_patch14_reg4_dinov2": _plain(*_L, 14, **_REGISTERS),
    "vit_medium_patch16_gap_240": _plain(
        512, 12, 8, 16, image_size=(240, 240), qkv_bias=False, layer_scale=1e-6, **_GAP
    ),
    "vit_medium_patch16_reg4_gap_256": _plain(
        512, 12, 8, 16, image_size=(256, 256), layer_scale=1e-5, registers=4,
        prefix_positions=False, fc_norm=True, **_GAP,
    ),
    "vit_base_r50_s16_224": _plain(*_B, 1, stem="resnetv2_50"),
    "vit_base_r50_s16_384": _plain(*_B, 1, stem="resnetv2_50", image_size=(384, 384)),
    "vit_small_r26_s32_224": _plain(*_S, 1, stem="resnetv2_26"),
    "vit_tiny_r_s16_p8_224": _plain(*_TI, 8, stem="resnetv2_root"),
}  # fmt: skip


def build(cfg: ViTConfig) -> ViT:
    """A model with random weights."""
    return ViT(cfg)
