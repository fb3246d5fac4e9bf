"""Geometry: prefix tokens, rectangles and cells that see beside their tile."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from attnviz.geometry import Geometry


def test_tokens_and_cells_of_a_rectangle_with_registers() -> None:
    g = Geometry(2, 3, 32, 48, prefix=("class", "register 1"))
    assert (g.num_prefix, g.tokens) == (2, 8)
    assert [g.cell(0, 0), g.cell(1, 0), g.cell(1, 2)] == [2, 5, 7]
    assert all(g.position(g.cell(r, c)) == (r, c) for r in range(2) for c in range(3))
    assert g.labels() == ["class", "register 1", "0,0", "0,1", "0,2", "1,0", "1,1", "1,2"]


@pytest.mark.parametrize("kind", [np.arange, torch.arange])
def test_grid_drops_the_prefix_and_keeps_rows(kind: object) -> None:
    g = Geometry(2, 3, 32, 48, prefix=("class",))
    grid = g.grid(kind(7))  # type: ignore[operator]
    assert grid.tolist() == [[1, 2, 3], [4, 5, 6]]
    with pytest.raises(ValueError, match="expected 7 tokens.*got 6"):
        g.grid(np.arange(6))


def test_boxes_tile_the_picture_when_cells_are_centred() -> None:
    g = Geometry(2, 3, 32, 48)
    assert g.box(0, 0) == (0, 0, 16, 16)
    assert g.box(1, 2) == (16, 32, 32, 48)


def test_boxes_follow_where_cells_see_and_stay_inside() -> None:
    g = Geometry(14, 14, 224, 224, stride=(16.0, 16.0), centre=(15.5, 15.5))
    assert g.box(0, 0) == (7.5, 7.5, 23.5, 23.5)
    assert g.box(13, 13) == (215.5, 215.5, 224, 224)


def test_what_is_no_patch_is_refused() -> None:
    g = Geometry(2, 3, 32, 48, prefix=("class",))
    for row, col in ((2, 0), (0, 3), (-1, 0)):
        with pytest.raises(IndexError, match="no patch"):
            g.cell(row, col)
    with pytest.raises(IndexError, match="token 0 is no patch: patches are 1–6"):
        g.position(0)
    with pytest.raises(ValueError, match="0×3"):
        Geometry(0, 3, 32, 48)
    with pytest.raises(ValueError, match="'max'"):
        Geometry(1, 1, 1, 1, pool="max")
