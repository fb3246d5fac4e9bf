"""Where a hybrid's cells really see: the centroid of the pixels that move one cell."""

from __future__ import annotations

import pytest
import torch

from attnviz.layers.stems import STEMS, build_stem


@pytest.mark.parametrize(
    ("name", "size", "tolerance"),
    [("resnetv2_root", 64, 0.5), ("resnetv2_50", 256, 1.5), ("resnetv2_26", 320, 2.0)],
)
def test_cells_see_where_the_geometry_says(name: str, size: int, tolerance: float) -> None:
    """Squared gradient of the middle cell, averaged over random weights and pictures."""
    stem = STEMS[name]
    off = 0.0
    for seed in range(4):
        torch.manual_seed(seed)
        backbone = build_stem(name).eval()
        pixels = torch.randn(1, 3, size, size, requires_grad=True)
        grid = backbone(pixels)
        assert grid.shape[1:] == (stem.channels, size // stem.stride, size // stem.stride)
        cell = grid.shape[-1] // 2
        (slope,) = torch.autograd.grad(grid[0, :, cell, cell] @ torch.randn(stem.channels), pixels)
        energy = slope[0].square().sum(0)  # (h, w)
        middle = torch.arange(size) + 0.5
        centroid = [float((energy.sum(axis) * middle).sum() / energy.sum()) for axis in (0, 1)]
        off += sum(centroid) / 2 - (cell + 0.5) * stem.stride
    assert abs(off / 4 - stem.shift) < tolerance
