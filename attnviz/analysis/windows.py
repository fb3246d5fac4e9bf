"""Attention inside windows, put back on the picture (Liu et al. 2021, section 3.2).

A window's weights say nothing of where it sits. Its ``order`` does: int (windows, cells of a
window), for every place of every window the cell of the map, row by row; −1 where it is padding.

    w windows · h heads · n cells of a window · m cells of the map
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Step(NamedTuple):
    """One block of a Swin, as attention flows through it."""

    weights: np.ndarray  # (w, h, n, n), rows sum to 1
    order: np.ndarray  # (w, n)


def place_of(order: np.ndarray, cell: int) -> tuple[int, int]:
    """The window that a cell of the map lies in, and its place there.

    Raises:
        IndexError: the map has no such cell.
    """
    found = np.argwhere(order == cell)
    if cell < 0 or not len(found):
        raise IndexError(f"no cell {cell} on a map of {int(order.max()) + 1} cells")
    window, place = found[0]
    return int(window), int(place)


def placed(weights: np.ndarray, order: np.ndarray, cell: int) -> np.ndarray:
    """What one cell attends to, on the map: (w, h, n, n) → (h, m), 0 outside its window.

    Rows sum to 1 but for what went to padding.
    """
    window, place = place_of(order, cell)
    row, where = weights[window, :, place], order[window]
    found = np.zeros((weights.shape[1], int(order.max()) + 1), weights.dtype)
    found[:, where[where >= 0]] = row[:, where >= 0]
    return found


def assembled(weights: np.ndarray, order: np.ndarray) -> np.ndarray:
    """All weights of a block as if it saw the whole map: (w, h, n, n) → (h, m, m)."""
    cells = int(order.max()) + 1
    found = np.zeros((weights.shape[1], cells, cells), weights.dtype)
    for window, where in zip(weights, order, strict=True):
        real = where >= 0
        found[:, where[real][:, None], where[real]] = window[:, real][:, :, real]
    return found


def back(flow: np.ndarray, step: Step, residual: float = 0.5) -> np.ndarray:
    """From a block's output back to its input: (m,) → (m,).

    Rollout (Abnar & Zuidema 2020, section 3) a row at a time: flow · (r I + (1 − r) A), A the mean
    of the heads, without a matrix of all pairs. What padding got is left out of A.
    """
    fused = step.weights.mean(1)  # (w, n, n)
    real = step.order >= 0  # (w, n)
    fused = fused * real[:, None]
    fused = fused / np.maximum(fused.sum(-1, keepdims=True), np.finfo(fused.dtype).tiny)
    inside = np.where(real, flow[step.order], 0)  # (w, n)
    moved = np.zeros_like(flow)
    moved[step.order[real]] = np.einsum("wq,wqk->wk", inside, fused)[real]
    return residual * flow + (1 - residual) * moved


def unmerge(flow: np.ndarray, coarse: tuple[int, int], fine: tuple[int, int]) -> np.ndarray:
    """From the map after merging 2×2 cells back to the one before: (m/4,) → (m,).

    Each cell's share goes to the cells it was made of, evenly; padding is no cell.
    """
    spread = flow.reshape(coarse).repeat(2, 0).repeat(2, 1)[: fine[0], : fine[1]]
    ones = np.ones(fine)
    padded = np.pad(ones, [(0, 2 * c - f) for c, f in zip(coarse, fine, strict=True)])
    members = padded.reshape(coarse[0], 2, coarse[1], 2).sum((1, 3))  # cells of each coarse one
    members = members.repeat(2, 0).repeat(2, 1)[: fine[0], : fine[1]]
    return (spread / members).ravel()


def reach(
    cell: int, stages: Sequence[Sequence[Step]], maps: Sequence[tuple[int, int]],
    residual: float = 0.5,
) -> list[list[np.ndarray]]:  # fmt: skip
    """Where one cell of the last map gathered what it holds, through shifts and merging.

    Args:
        cell: of the last stage's map.
        stages: blocks of each stage, first to last; leave blocks off the end to stop earlier.
        maps: (rows, cols) of each stage.

    Returns:
        For each stage the flow (m,) at its input after 0, 1, … of its blocks, in the blocks' order:
        element i of stage s is the share of each cell entering block i; the last is what leaves.
    """
    flow = np.zeros(int(np.prod(maps[-1])))
    flow[cell] = 1
    found: list[list[np.ndarray]] = []
    for number in reversed(range(len(stages))):
        flows = [flow]
        for step in reversed(stages[number]):
            flow = back(flow, step, residual)
            flows.append(flow)
        found.append(flows[::-1])
        if number:
            flow = unmerge(flow, maps[number], maps[number - 1])
    return found[::-1]
