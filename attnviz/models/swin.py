"""Swin Transformer: attention inside windows, and windows that move.

Paper: Liu et al. 2021, "Swin Transformer: Hierarchical Vision Transformer using Shifted Windows"
(arXiv:2103.14030): section 3.1 (stages, patch merging), 3.2 (windows, equations 1–3, cyclic shift,
relative position bias, equation 4), table 7 (sizes). Reference code: microsoft/Swin-Transformer;
attribute names follow timm's ``SwinTransformer``, whose weights load as they are.

    b batch · r×c map (rows, columns) · n cells of a window · w windows of the batch · d width
    h heads · e = d/h · m MLP width

    pixels ─ 4×4 patches ─ [stage: merge 2×2 (not the first) ─ blocks in pairs: still, shifted] × 4
           ─ LN ─ mean ─ head

    one shifted block:   pad ─ roll up and left ─ cut ─ attend within each window, but never across
                         a seam of the roll ─ join ─ roll back ─ crop
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import Tensor, nn

from attnviz.geometry import Geometry
from attnviz.layers.attention import attend
from attnviz.trace import Tap, note_geometry

BLOCKED = -100.0  # added to the scores of pairs that a seam parts, as in the reference code


@dataclass(frozen=True)
class SwinConfig:
    """Everything that decides a Swin's shape.

    Args:
        patch_size: pixels a side of a first cell.
        width: of the first stage; it doubles with every stage.
        depths, heads: of each stage.
        window: cells a side.
        shifted: whether every second block moves its windows (False: table 4's ablation).
        bias: whether scores get the relative position bias (likewise).
    """

    patch_size: int = 4
    width: int = 96
    depths: tuple[int, ...] = (2, 2, 6, 2)
    heads: tuple[int, ...] = (3, 6, 12, 24)
    window: int = 7
    mlp_ratio: float = 4.0
    classes: int = 1000
    shifted: bool = True
    bias: bool = True
    dropout: float = 0.0

    def __post_init__(self) -> None:
        if len(self.depths) != len(self.heads):
            raise ValueError(
                f"depths and heads tell of as many stages, not {len(self.depths)} and "
                f"{len(self.heads)}"
            )
        for name in ("patch_size", "width", "window"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} should be at least 1, not {getattr(self, name)}")
        for stage, heads in enumerate(self.heads):
            if self.width_of(stage) % heads:
                raise ValueError(
                    f"width {self.width_of(stage)} of stage {stage + 1} does not divide into "
                    f"{heads} heads"
                )

    def width_of(self, stage: int) -> int:
        """Channels of the stage, counted from 0."""
        return self.width * 2**stage

    def maps(self, height: int, width: int) -> list[tuple[int, int]]:
        """(rows, cols) of each stage's map for a picture of that size; edges are padded."""
        rows, cols = -(-height // self.patch_size), -(-width // self.patch_size)
        found = []
        for _ in self.depths:
            found.append((rows, cols))
            rows, cols = -(-rows // 2), -(-cols // 2)
        return found

    def windows(self, size: tuple[int, int], block: int) -> Windows:
        """How block number `block` of a stage cuts a map of that size.

        A map no larger than a window is one window, which there is no use in shifting; each axis
        decides for itself.
        """
        side = (min(self.window, size[0]), min(self.window, size[1]))
        moves = self.shifted and block % 2 == 1
        half = tuple(self.window // 2 if moves and n > self.window else 0 for n in size)
        return Windows(size, side, (half[0], half[1]))


@dataclass(frozen=True)
class Windows:
    """How a map is cut into windows. All in cells, (down, across).

    Args:
        size: of the map.
        side: of a window.
        shift: how far the map is rolled up and left before it is cut.
    """

    size: tuple[int, int]
    side: tuple[int, int]
    shift: tuple[int, int] = (0, 0)

    @property
    def padded(self) -> tuple[int, int]:
        """The map's size with what is added below and on the right to fill the last windows."""
        (rows, cols), (down, across) = self.size, self.side
        return -(-rows // down) * down, -(-cols // across) * across

    @property
    def counts(self) -> tuple[int, int]:
        """Windows down and across."""
        return self.padded[0] // self.side[0], self.padded[1] // self.side[1]

    def cut(self, cells: Tensor) -> Tensor:
        """Pad, roll and cut: (b, rows, cols, d) → (b · windows, cells of a window, d)."""
        below, right = self.padded[0] - self.size[0], self.padded[1] - self.size[1]
        if below or right:
            cells = F.pad(cells, (0, 0, 0, right, 0, below))  # (b, padded rows, padded cols, d)
        if any(self.shift):
            cells = cells.roll((-self.shift[0], -self.shift[1]), (1, 2))
        down, across = self.side
        return rearrange(cells, "b (r i) (c j) d -> (b r c) (i j) d", i=down, j=across)

    def join(self, windows: Tensor) -> Tensor:
        """The way back: (b · windows, cells of a window, d) → (b, rows, cols, d)."""
        (down, across), (r, c) = self.side, self.counts
        cells = rearrange(windows, "(b r c) (i j) d -> b (r i) (c j) d", r=r, c=c, i=down, j=across)
        if any(self.shift):
            cells = cells.roll(self.shift, (1, 2))
        return cells[:, : self.size[0], : self.size[1]]  # (b, rows, cols, d)

    def regions(self) -> Tensor:
        """Which cells were neighbours before the roll: int (padded rows, padded cols), rolled.

        The roll brings the map's first rows under its last, so in the last row of windows two
        regions meet that have nothing to do with each other; columns likewise.
        """
        axes = []
        for n, side, shift in zip(self.padded, self.side, self.shift, strict=True):
            at = torch.arange(n)
            axes.append((at >= n - side).int() + ((at >= n - shift) & (shift > 0)).int())  # (n,)
        return axes[0][:, None] * 3 + axes[1]  # (padded rows, padded cols)

    def blocked(self) -> Tensor:
        """Pairs of each window that a seam parts: bool (windows, cells, cells)."""
        plain = replace(self, size=self.padded, shift=(0, 0))
        of = plain.cut(self.regions()[None, ..., None])[..., 0]  # (windows, cells)
        return of[:, :, None] != of[:, None]

    def order(self) -> Tensor:
        """The cell of the map (row by row) at each place of each window; −1 where it is padding.

        int (windows, cells of a window)."""
        numbers = torch.arange(1, self.size[0] * self.size[1] + 1)
        return self.cut(numbers.reshape(1, *self.size, 1))[..., 0] - 1


@lru_cache(maxsize=64)
def shift_mask(windows: Windows) -> Tensor | None:
    """What is added to scores: (windows, 1, cells, cells), or None where nothing moved."""
    if not any(windows.shift):
        return None
    return windows.blocked()[:, None] * BLOCKED


@lru_cache(maxsize=64)
def offsets(side: tuple[int, int], window: int) -> Tensor:
    """Row of the bias table for every pair of cells of a window: int (cells, cells).

    (Δrow + w − 1)(2w − 1) + (Δcol + w − 1) with Δ = query − key: a window smaller than w uses the
    middle of the table.
    """
    place = torch.cartesian_prod(torch.arange(side[0]), torch.arange(side[1]))  # (cells, 2)
    delta = place[:, None] - place + window - 1  # (cells, cells, 2)
    return delta[..., 0] * (2 * window - 1) + delta[..., 1]


class PatchEmbed(nn.Module):
    """Patches of pixels, projected and normalised: (b, 3, H, W) → (b, rows, cols, d)."""

    def __init__(self, cfg: SwinConfig) -> None:
        super().__init__()
        self.side = cfg.patch_size
        self.proj = nn.Conv2d(3, cfg.width, self.side, stride=self.side)
        self.norm = nn.LayerNorm(cfg.width)

    def forward(self, pixels: Tensor) -> Tensor:
        below, right = -pixels.shape[-2] % self.side, -pixels.shape[-1] % self.side
        pixels = F.pad(pixels, (0, right, 0, below))
        return self.norm(rearrange(self.proj(pixels), "b d r c -> b r c d"))


class PatchMerging(nn.Module):
    """Four neighbours become one cell: (b, rows, cols, d) → (b, rows/2, cols/2, 2d).

    In the order top left, bottom left, top right, bottom right.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(4 * width)
        self.reduction = nn.Linear(4 * width, 2 * width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        x = F.pad(x, (0, 0, 0, x.shape[2] % 2, 0, x.shape[1] % 2))
        x = rearrange(x, "b (r i) (c j) d -> b r c (j i d)", i=2, j=2)
        return self.reduction(self.norm(x))


class WindowAttention(nn.Module):
    """Multi-head attention within windows, with relative position bias (equation 4)."""

    def __init__(self, cfg: SwinConfig, stage: int) -> None:
        super().__init__()
        width, self.heads = cfg.width_of(stage), cfg.heads[stage]
        self.window = cfg.window
        self.relative_position_bias_table = (
            nn.Parameter(torch.zeros((2 * cfg.window - 1) ** 2, self.heads)) if cfg.bias else None
        )
        self.qkv = nn.Linear(width, 3 * width)
        self.query, self.key, self.value = Tap("w h n e"), Tap("w h n e"), Tap("w h n e")
        self.scores, self.weights = Tap("w h q k"), Tap("w h q k")
        self.context = Tap("w h q e")
        self.proj = nn.Linear(width, width)

    def forward(self, x: Tensor, windows: Windows) -> Tensor:
        """(w, n, d) → (w, n, d)."""
        q, k, v = rearrange(self.qkv(x), "w n (three h e) -> three w h n e", three=3, h=self.heads)
        context = attend(
            self.query(q),
            self.key(k),
            self.value(v),
            scores_tap=self.scores,
            weights_tap=self.weights,
            mask=self.added(windows, len(x)),
        )
        return self.proj(rearrange(self.context(context), "w h n e -> w n (h e)"))

    def bias(self, side: tuple[int, int]) -> Tensor | None:
        """B of equation 4 for every head: (h, n, n)."""
        table = self.relative_position_bias_table
        return None if table is None else table[offsets(side, self.window)].permute(2, 0, 1)

    def added(self, windows: Windows, count: int) -> Tensor | None:
        """Bias and mask together, for `count` windows of a batch: (1 or w, h or 1, n, n)."""
        bias, mask = self.bias(windows.side), shift_mask(windows)
        if mask is None:
            return None if bias is None else bias[None]  # (1, h, n, n)
        mask = mask.to(self.proj.weight)
        whole = mask if bias is None else mask + bias  # (windows, h, n, n)
        return whole.repeat(count // len(whole), 1, 1, 1)  # (w, h, n, n)


class MLP(nn.Module):
    """Two layers with exact GELU."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(width, hidden), nn.Linear(hidden, width)
        self.hidden = Tap("b r c m")

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(self.hidden(F.gelu(self.fc1(x))))


class Block(nn.Module):
    """Pre-norm block over a map (equation 3), whose windows stand still or are shifted."""

    def __init__(self, cfg: SwinConfig, stage: int, number: int) -> None:
        super().__init__()
        self.cfg, self.number = cfg, number
        width = cfg.width_of(stage)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn = WindowAttention(cfg, stage)
        self.mlp = MLP(width, int(width * cfg.mlp_ratio))
        self.drop = nn.Dropout(cfg.dropout)
        self.residual = Tap("b r c d")

    def forward(self, x: Tensor) -> Tensor:
        """(b, rows, cols, d), the same."""
        windows = self.cfg.windows((x.shape[1], x.shape[2]), self.number)
        attended = windows.join(self.attn(windows.cut(self.norm1(x)), windows))
        x = x + self.drop(attended)
        return self.residual(x + self.drop(self.mlp(self.norm2(x))))


class Stage(nn.Module):
    """Merging (not in the first stage), then blocks."""

    def __init__(self, cfg: SwinConfig, stage: int) -> None:
        super().__init__()
        self.downsample = PatchMerging(cfg.width_of(stage - 1)) if stage else nn.Identity()
        self.merged = Tap("b r c d")
        self.blocks = nn.Sequential(*(Block(cfg, stage, n) for n in range(cfg.depths[stage])))

    def forward(self, x: Tensor) -> Tensor:
        """(b, rows, cols, d) → (b, rows/2, cols/2, 2d); the first stage keeps the size."""
        return self.blocks(self.merged(self.downsample(x)))


class Swin(nn.Module):
    """The whole model: (b, 3, H, W) pixels of any size → (b, classes) logits."""

    def __init__(self, cfg: SwinConfig) -> None:
        super().__init__()
        self.cfg = cfg
        self.patch_embed = PatchEmbed(cfg)
        self.layers = nn.ModuleList(Stage(cfg, stage) for stage in range(len(cfg.depths)))
        width = cfg.width_of(len(cfg.depths) - 1)
        self.norm = nn.LayerNorm(width)
        self.normed = Tap("b r c d")
        fc = nn.Linear(width, cfg.classes) if cfg.classes else nn.Identity()
        self.head = nn.ModuleDict({"fc": fc})
        self.logits = Tap("b c")
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Truncated normal of deviation 0.02, zero biases (section A2.1; reference code)."""
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.trunc_normal_(module.weight, std=0.02)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
            if isinstance(module, WindowAttention):
                table = module.relative_position_bias_table
                if table is not None:
                    nn.init.trunc_normal_(table, std=0.02)

    def forward(self, pixels: Tensor) -> Tensor:
        return self.classify(self.encode(pixels))

    def encode(self, pixels: Tensor) -> Tensor:
        """(b, 3, H, W) → the last stage's map, normalised: (b, rows, cols, d)."""
        size = pixels.shape[-2], pixels.shape[-1]
        x = self.patch_embed(pixels)
        for number, stage in enumerate(self.layers):
            note_geometry(lambda number=number: self.geometry(*size, stage=number))  # type: ignore[misc]
            x = stage(x)  # (b, rows, cols, d)
        return self.normed(self.norm(x))

    def classify(self, cells: Tensor) -> Tensor:
        """The mean of the cells (b, rows, cols, d) → logits (b, classes)."""
        return self.logits(self.head["fc"](cells.mean((1, 2))))

    def geometry(self, height: int, width: int, stage: int = -1) -> Geometry:
        """Where the cells of a stage sit on a picture of this size."""
        rows, cols = self.cfg.maps(height, width)[stage]
        number = stage % len(self.cfg.depths)
        stride = float(self.cfg.patch_size * 2**number)
        return Geometry(rows, cols, height, width, pool="avg", stride=(stride, stride))

    def windows(self, height: int, width: int) -> list[list[Windows]]:
        """How every block of every stage cuts its map for a picture of this size."""
        cfg = self.cfg
        return [
            [cfg.windows(size, block) for block in range(depth)]
            for size, depth in zip(cfg.maps(height, width), cfg.depths, strict=True)
        ]


_T = SwinConfig()
_S = replace(_T, depths=(2, 2, 18, 2))
_B = replace(_S, width=128, heads=(4, 8, 16, 32))
_L = replace(_S, width=192, heads=(6, 12, 24, 48))
VARIANTS: dict[str, SwinConfig] = {  # table 7; names as in timm
    "swin_tiny_patch4_window7_224": _T,
    "swin_small_patch4_window7_224": _S,
    "swin_base_patch4_window7_224": _B,
    "swin_large_patch4_window7_224": _L,
    "swin_base_patch4_window12_384": replace(_B, window=12),
    "swin_large_patch4_window12_384": replace(_L, window=12),
}


def build(cfg: SwinConfig) -> Swin:
    """A model with random weights."""
    return Swin(cfg)
