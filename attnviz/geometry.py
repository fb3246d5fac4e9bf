"""Where the tokens of a picture sit: grid, prefix tokens, and the pixels each cell looks at.

Every attention tensor travels with one of these, so that nobody has to guess a grid by a square
root or drop the first token and hope.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Geometry:
    """The layout of one run's tokens over its input picture.

    Tokens come as the prefix (class, distillation, registers; in that order) followed by the
    patches, row by row. Pixels are continuous coordinates: pixel ``i`` covers ``[i, i + 1)``.

    Args:
        rows, cols: the patch grid.
        height, width: the picture that the model saw, in pixels.
        prefix: names of the tokens before the patches, e.g. ``("class", "register 1")``.
        pool: what the head reads, ``"token"`` (class token) or ``"avg"`` (mean of the patches).
        stride: distance between neighbouring cell centres, pixels (down, right). Default: the
            picture divided evenly.
        centre: centre of cell (0, 0), pixels (down, right). Default: half a stride.
    """

    rows: int
    cols: int
    height: int
    width: int
    prefix: tuple[str, ...] = ()
    pool: str = "token"
    stride: tuple[float, float] = (0.0, 0.0)
    centre: tuple[float, float] = (-1.0, -1.0)

    def __post_init__(self) -> None:
        if min(self.rows, self.cols, self.height, self.width) < 1:
            raise ValueError(
                f"a grid needs at least one cell and one pixel; got {self.rows}×{self.cols} cells "
                f"on {self.height}×{self.width} pixels"
            )
        if self.pool not in ("token", "avg"):
            raise ValueError(f"pool is 'token' or 'avg', not {self.pool!r}")
        if self.stride == (0.0, 0.0):
            even = (self.height / self.rows, self.width / self.cols)
            object.__setattr__(self, "stride", even)
        if self.centre == (-1.0, -1.0):
            object.__setattr__(self, "centre", (self.stride[0] / 2, self.stride[1] / 2))

    @property
    def num_prefix(self) -> int:
        """How many tokens come before the patches."""
        return len(self.prefix)

    @property
    def tokens(self) -> int:
        """All tokens: prefix and patches."""
        return self.num_prefix + self.rows * self.cols

    def cell(self, row: int, col: int) -> int:
        """The token of the patch at (row, col)."""
        if not (0 <= row < self.rows and 0 <= col < self.cols):
            raise IndexError(f"no patch ({row}, {col}) in a grid of {self.rows}×{self.cols}")
        return self.num_prefix + row * self.cols + col

    def position(self, token: int) -> tuple[int, int]:
        """The (row, col) of a patch token."""
        if not self.num_prefix <= token < self.tokens:
            raise IndexError(
                f"token {token} is no patch: patches are {self.num_prefix}–{self.tokens - 1}"
            )
        return divmod(token - self.num_prefix, self.cols)

    def grid(self, values: Any) -> Any:
        """The patch tokens as a grid: (..., tokens) → (..., rows, cols), array or tensor."""
        if values.shape[-1] != self.tokens:
            raise ValueError(
                f"expected {self.tokens} tokens ({self.num_prefix} prefix + "
                f"{self.rows}×{self.cols}) on the last axis, got {values.shape[-1]}"
            )
        patches = values[..., self.num_prefix :]  # (..., rows·cols)
        return patches.reshape(*values.shape[:-1], self.rows, self.cols)  # (..., rows, cols)

    def box(self, row: int, col: int) -> tuple[float, float, float, float]:
        """The pixels (top, left, bottom, right) that a cell stands for, clipped to the picture."""
        self.cell(row, col)
        edges = []
        for index, stride, centre, size in (
            (row, self.stride[0], self.centre[0], self.height),
            (col, self.stride[1], self.centre[1], self.width),
        ):
            middle = centre + index * stride
            edges.append((max(0.0, middle - stride / 2), min(float(size), middle + stride / 2)))
        return edges[0][0], edges[1][0], edges[0][1], edges[1][1]

    def labels(self) -> list[str]:
        """A name for every token: the prefix names, then ``"row,col"``."""
        return list(self.prefix) + [f"{r},{c}" for r in range(self.rows) for c in range(self.cols)]
