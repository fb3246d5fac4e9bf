"""Layers measured on this machine, step by step; what was found is shared by all visitors."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from app import loaders
from attnviz.complexity import Sizes

if TYPE_CHECKING:
    from attnviz.measuring import Pass, Point

SHELF_BYTES = 100_000  # of all points of one setup


@dataclass(frozen=True)
class Setup:
    """What is measured: layers of these sizes, on a device, trained or not."""

    sizes: Sizes
    device: str
    passes: Pass


Points = dict[tuple[str, int], "Point"]
"""(layer, length) → what was measured last."""


def known(setup: Setup) -> Points:
    """All that was measured with this setup, by whomever; `measured` adds to it."""
    return loaders.kept(("measured", setup), dict, lambda _: SHELF_BYTES)


def wanted(setup: Setup, up_to: int) -> list[tuple[str, int]]:
    """Layers and lengths to measure, short lengths first."""
    from attnviz.measuring import LAYERS, LENGTHS, longest

    return [
        (layer, length)
        for length in LENGTHS
        for layer in LAYERS
        if length <= min(up_to, longest(layer, setup.passes))
    ]


def missing(setup: Setup, up_to: int, since: datetime) -> list[tuple[str, int]]:
    """Those that nobody measured since then."""
    found = known(setup)
    return [
        key
        for key in wanted(setup, up_to)
        if (point := found.get(key)) is None or point.when < since
    ]


def measure(setup: Setup, layer: str, length: int) -> None:
    """Measure one point, when it is this visitor's turn, and keep it for all."""
    from attnviz import measuring

    with loaders.turn(setup.device):
        point = measuring.measure(layer, length, setup.sizes, setup.device, setup.passes)
    known(setup)[layer, length] = point
