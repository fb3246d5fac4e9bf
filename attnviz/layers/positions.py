"""Where a token is, told to a model that sees a set: tables for sentences and picture grids."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import Tensor, nn


def interpolate_positions(
    table: Tensor, old: tuple[int, int], new: tuple[int, int], prefix: int
) -> Tensor:
    """A learned table at another resolution (Dosovitskiy et al. 2021, section 3.2).

    Bicubic with antialiasing in float32, by target size, as timm and DINOv2 do it; the rows of the
    prefix tokens have no place in the grid and stay as they are.

    Args:
        table: (1, prefix + rows·cols, d); old, new: (rows, cols).

    Returns:
        (1, prefix + new rows·cols, d).
    """
    if old == new:
        return table
    grid = rearrange(table[:, prefix:], "1 (r c) d -> 1 d r c", r=old[0])
    grid = F.interpolate(grid.float(), size=new, mode="bicubic", antialias=True)
    patches = rearrange(grid, "1 d r c -> 1 (r c) d").to(table.dtype)
    return torch.cat([table[:, :prefix], patches], 1)


def sinusoid(length: int, width: int, first: int = 0) -> Tensor:
    """PE(pos, 2i) = sin(pos / 10000^(2i/d)), PE(pos, 2i+1) = cos of the same → (length, d).

    Vaswani et al. 2017 (arXiv:1706.03762), section 3.5. Computed in float64, so that far positions
    keep their phase, and returned in float32.

    Args:
        first: the position of the first row.

    Raises:
        ValueError: an odd width.
    """
    if width % 2:
        raise ValueError(f"sinusoids come in pairs: the width should be even, not {width}")
    omega = 10_000.0 ** -(torch.arange(0, width, 2, dtype=torch.float64) / width)  # (d/2,)
    angle = torch.arange(first, first + length)[:, None] * omega  # (length, d/2)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1).float()  # (length, d)


def sinusoid_2d(rows: int, cols: int, width: int, temperature: float = 10_000.0) -> Tensor:
    """Fixed 2-D sinusoids: sin x, cos x, sin y, cos y, a quarter of the width each → (n, d).

    Beyer et al. 2022, "Better plain ViT baselines for ImageNet-1k" (arXiv:2205.01580),
    ``posemb_sincos_2d``.
    """
    quarter = width // 4
    omega = temperature ** -(torch.arange(quarter) / max(quarter - 1, 1))  # (d/4,)
    y, x = torch.meshgrid(torch.arange(rows), torch.arange(cols), indexing="ij")
    y, x = y.reshape(-1, 1) * omega, x.reshape(-1, 1) * omega  # (n, d/4)
    return torch.cat([x.sin(), x.cos(), y.sin(), y.cos()], 1)  # (n, d)


def relative_index(rows: int, cols: int, prefix: int) -> Tensor:
    """Which row of the bias table a (query, key) pair reads → (t, t) integers.

    Patches: (Δrow + rows − 1)(2·cols − 1) + (Δcol + cols − 1) with Δ = query − key (Liu et al.
    2021, Swin, section 3.2). Prefix tokens have no place: prefix→patch, patch→prefix and
    prefix→prefix read the three rows behind those.
    """
    place = torch.stack(torch.meshgrid(torch.arange(rows), torch.arange(cols), indexing="ij"))
    place = place.reshape(2, -1)  # (2, n)
    row, col = place[:, :, None] - place[:, None, :]  # (n, n) each
    patches = (row + rows - 1) * (2 * cols - 1) + col + cols - 1
    if not prefix:
        return patches
    last = (2 * rows - 1) * (2 * cols - 1)
    index = F.pad(patches, (prefix, 0, prefix, 0))  # (t, t)
    index[:prefix, prefix:], index[prefix:, :prefix], index[:prefix, :prefix] = (
        last,
        last + 1,
        last + 2,
    )
    return index


class RelativeBias(nn.Module):
    """A learned number for each head and each offset between two patches, added to the scores.

    Names follow timm's ``RelPosBias``. On another grid the table of offsets is interpolated.
    """

    def __init__(self, grid: tuple[int, int], heads: int, prefix: int) -> None:
        super().__init__()
        self.grid, self.prefix = grid, prefix
        offsets = (2 * grid[0] - 1) * (2 * grid[1] - 1) + (3 if prefix else 0)
        self.relative_position_bias_table = nn.Parameter(torch.empty(offsets, heads))
        nn.init.trunc_normal_(self.relative_position_bias_table, std=0.02)

    def forward(self, grid: tuple[int, int]) -> Tensor:
        """The bias at a grid: (1, h, t, t)."""
        table: Tensor = self.relative_position_bias_table  # (offsets, h)
        if grid != self.grid:
            table = self._resize(table, grid)
        index = relative_index(*grid, self.prefix).to(table.device)
        return rearrange(table[index], "q k h -> 1 h q k")

    def _resize(self, table: Tensor, grid: tuple[int, int]) -> Tensor:
        old, new = (tuple(2 * side - 1 for side in g) for g in (self.grid, grid))
        end = old[0] * old[1]
        offsets = rearrange(table[:end].float(), "(r c) h -> 1 h r c", r=old[0])
        offsets = F.interpolate(offsets, size=new, mode="bicubic", antialias=True)
        return torch.cat([rearrange(offsets, "1 h r c -> (r c) h").to(table.dtype), table[end:]])
