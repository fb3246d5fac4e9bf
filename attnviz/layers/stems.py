"""CNN stems whose grid a hybrid Vision Transformer reads (Dosovitskiy et al. 2021, section 3.1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor, nn

from attnviz.layers.efficientnet import CELL_CENTRES, EfficientNetLite0
from attnviz.layers.resnetv2 import ResNetV2, Root


@dataclass(frozen=True)
class Stem:
    """A stem's grid: pixels a cell, channels, and where the cells really see.

    ``shift``: how far a cell's centre lies below and right of its tile's middle, pixels, because
    SAME padding is asymmetric. Exact for chains of strided convolutions (½ input pixel for each);
    where strided 1×1 shortcuts pull the other way it is the measured centroid of the gradient.
    """

    channels: int
    stride: int
    shift: float
    build: Callable[[], nn.Module]


class EfficientNetGrid(EfficientNetLite0):
    """EfficientNet-Lite0 without its head: (b, 3, h, w) → (b, 320, h/16, w/16)."""

    def __init__(self) -> None:
        super().__init__(output_stride=16)
        del self.conv_head, self.bn2, self.classifier

    def forward(self, pixels: Tensor) -> Tensor:
        return self.features(pixels)


STEMS: dict[str | None, Stem] = {
    "resnetv2_root": Stem(64, 4, 1.5, Root),
    "resnetv2_26": Stem(2048, 32, 6.5, lambda: ResNetV2((2, 2, 2, 2))),
    "resnetv2_50": Stem(1024, 16, 4.0, lambda: ResNetV2((3, 4, 9))),
    "efficientnet_lite0": Stem(320, 16, CELL_CENTRES[16][1] - 8, EfficientNetGrid),
}


def build_stem(name: str | None) -> nn.Module:
    """A stem with random weights."""
    return STEMS[name].build()
