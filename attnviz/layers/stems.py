"""CNNs whose grid another model reads: the stems of hybrid Vision Transformers (Dosovitskiy et al.
2021, section 3.1), and the grids that a captioner looks at (Xu et al. 2015, section 3.1.1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from attnviz.layers.efficientnet import (
    CELL_CENTRES,
    GRID_CHANNELS,
    SHALLOW_CENTRE,
    STAGES,
    EfficientNetLite0,
    half_a_tile_on,
)
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


class CentredGrid(EfficientNetGrid):
    """The same grid of the picture moved by half a tile, so that cells look at their own tiles."""

    def forward(self, pixels: Tensor) -> Tensor:
        return self.features(half_a_tile_on(pixels))


class ShallowGrid(EfficientNetGrid):
    """The first five stages alone: fewer channels and a smaller view, (b, 112, h/16, w/16)."""

    def __init__(self) -> None:
        super().__init__()
        del self.blocks[SHALLOW_STAGES:]


SHALLOW_STAGES = 5
SHALLOW_CHANNELS = STAGES[SHALLOW_STAGES - 1].channels


class TwoGrids(EfficientNetGrid):
    """Both grids of one CNN, cell upon cell: (b, 320 + 112, h/16, w/16).

    A deep cell knows what is there and around; a shallow one little more than its own place.
    """

    def forward(self, pixels: Tensor) -> Tensor:
        shallow = self.stages(pixels, SHALLOW_STAGES)
        return torch.cat([self.features(half_a_tile_on(pixels)), shallow], 1)


@dataclass(frozen=True)
class Grid:
    """What a captioner looks at.

    Args:
        channels: of a cell.
        where: how many of them, the last ones, decide where to look; 0 for all.
        stride, centre: pixels a cell, and the pixel that cell 0 centres on.
    """

    channels: int
    where: int
    stride: int
    centre: float
    build: Callable[[], nn.Module]


GRIDS: dict[str, Grid] = {
    "efficientnet_lite0": Grid(GRID_CHANNELS, 0, 16, CELL_CENTRES[16][1] + 8, CentredGrid),
    "efficientnet_lite0_shallow": Grid(SHALLOW_CHANNELS, 0, 16, SHALLOW_CENTRE, ShallowGrid),
    "efficientnet_lite0_both": Grid(
        GRID_CHANNELS + SHALLOW_CHANNELS, SHALLOW_CHANNELS, 16, SHALLOW_CENTRE, TwoGrids
    ),
}
