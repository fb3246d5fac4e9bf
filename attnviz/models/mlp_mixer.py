"""MLP-Mixer: what is left when attention is taken away.

Paper: Tolstikhin et al. 2021, "MLP-Mixer: An all-MLP Architecture for Vision" (arXiv:2105.01601),
section 2, equation 1, table 1 (sizes). Reference code: google-research/vision_transformer
(``models_mixer.py``); attribute names follow timm's ``MlpMixer``, whose weights load as they are.

    b batch · n patches · d width (C in the paper) · s hidden of token mixing · m of channel mixing

    pixels ─ patches ─ project ─ [ x + (W₂ gelu(W₁ LN(x)ᵀ))ᵀ      the same mixing of places, for
                                                                  every channel
                                   x + W₄ gelu(W₃ LN(x)) ] × depth ─ LN ─ mean ─ head

Token mixing is a matrix of the places alone: like attention it lets patches speak to each other,
but who listens to whom is learned once and for all pictures. So the number of patches is fixed.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch.nn.functional as F
from einops import rearrange
from torch import Tensor, nn

from attnviz.geometry import Geometry
from attnviz.trace import Tap, note_geometry


@dataclass(frozen=True)
class MixerConfig:
    """Everything that decides a Mixer's shape.

    Args:
        image_size: (height, width) in pixels, the only size that the model takes.
        width, tokens, channels: d, hidden units of token mixing, and of channel mixing.
    """

    image_size: tuple[int, int] = (224, 224)
    patch_size: int = 16
    width: int = 768
    depth: int = 12
    tokens: int = 384
    channels: int = 3072
    classes: int = 1000
    dropout: float = 0.0

    def __post_init__(self) -> None:
        for name in ("patch_size", "width", "depth", "tokens", "channels"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} should be at least 1, not {getattr(self, name)}")
        height, width = self.image_size
        if height % self.patch_size or width % self.patch_size or not height * width:
            raise ValueError(f"{height}×{width} pixels do not divide by {self.patch_size}")

    @property
    def grid(self) -> tuple[int, int]:
        """Patches down and across."""
        return self.image_size[0] // self.patch_size, self.image_size[1] // self.patch_size


class Stem(nn.Module):
    """Patches, projected: (b, 3, H, W) → (b, n, d)."""

    def __init__(self, cfg: MixerConfig) -> None:
        super().__init__()
        self.proj = nn.Conv2d(3, cfg.width, cfg.patch_size, stride=cfg.patch_size)

    def forward(self, pixels: Tensor) -> Tensor:
        return rearrange(self.proj(pixels), "b d r c -> b (r c) d")


class MLP(nn.Module):
    """Two layers with exact GELU, over the last axis."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(width, hidden), nn.Linear(hidden, width)
        self.hidden = Tap("b i h")

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(self.hidden(F.gelu(self.fc1(x))))


class Block(nn.Module):
    """Token mixing, then channel mixing (equation 1)."""

    def __init__(self, cfg: MixerConfig) -> None:
        super().__init__()
        rows, cols = cfg.grid
        self.norm1 = nn.LayerNorm(cfg.width, eps=1e-6)
        self.mlp_tokens = MLP(rows * cols, cfg.tokens)
        self.norm2 = nn.LayerNorm(cfg.width, eps=1e-6)
        self.mlp_channels = MLP(cfg.width, cfg.channels)
        self.drop = nn.Dropout(cfg.dropout)
        self.mixed, self.residual = Tap("b n d"), Tap("b n d")

    def forward(self, x: Tensor) -> Tensor:
        """(b, n, d), the same."""
        mixed = self.mixed(self.mlp_tokens(self.norm1(x).mT).mT)  # (b, d, n) inside
        x = x + self.drop(mixed)
        return self.residual(x + self.drop(self.mlp_channels(self.norm2(x))))


class MLPMixer(nn.Module):
    """The whole model: (b, 3, H, W) pixels → (b, classes) logits."""

    def __init__(self, cfg: MixerConfig) -> None:
        super().__init__()
        self.cfg = cfg
        self.stem = Stem(cfg)
        self.embedded = Tap("b n d")
        self.blocks = nn.Sequential(*(Block(cfg) for _ in range(cfg.depth)))
        self.norm = nn.LayerNorm(cfg.width, eps=1e-6)
        self.normed = Tap("b n d")
        self.head = nn.Linear(cfg.width, cfg.classes) if cfg.classes else nn.Identity()
        self.logits = Tap("b c")
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Xavier, tiny random biases in the MLPs, and a head of zeros (reference code)."""
        for module in self.modules():
            if isinstance(module, MLP):
                for layer in (module.fc1, module.fc2):
                    nn.init.xavier_uniform_(layer.weight)
                    nn.init.normal_(layer.bias, std=1e-6)
        if isinstance(self.head, nn.Linear):
            nn.init.zeros_(self.head.weight)
            nn.init.zeros_(self.head.bias)

    def forward(self, pixels: Tensor) -> Tensor:
        return self.classify(self.encode(pixels))

    def encode(self, pixels: Tensor) -> Tensor:
        """(b, 3, H, W) → the last block's patches, normalised: (b, n, d)."""
        height, width = pixels.shape[-2:]
        where = self.geometry(height, width)
        note_geometry(lambda: where)
        return self.normed(self.norm(self.blocks(self.embedded(self.stem(pixels)))))

    def classify(self, patches: Tensor) -> Tensor:
        """The mean of the patches (b, n, d) → logits (b, classes)."""
        return self.logits(self.head(patches.mean(1)))

    def geometry(self, height: int, width: int) -> Geometry:
        """Where the patches sit; ValueError for a picture of another size than the model's."""
        if (height, width) != self.cfg.image_size:
            wanted = "×".join(map(str, self.cfg.image_size))
            raise ValueError(
                f"this Mixer takes pictures of {wanted} pixels, not {height}×{width}: it has one "
                "weight for each pair of places"
            )
        return Geometry(*self.cfg.grid, height, width, pool="avg")


def _sized(patch: int, width: int, depth: int, tokens: int) -> MixerConfig:
    return MixerConfig(
        patch_size=patch, width=width, depth=depth, tokens=tokens, channels=4 * width
    )


VARIANTS: dict[str, MixerConfig] = {  # table 1; names as in timm
    f"mixer_{letter}{patch}_224": _sized(patch, *sizes)
    for letter, sizes in (
        ("s", (512, 8, 256)),
        ("b", (768, 12, 384)),
        ("l", (1024, 24, 512)),
    )
    for patch in (32, 16)
}


def build(cfg: MixerConfig) -> MLPMixer:
    """A model with random weights."""
    return MLPMixer(cfg)
