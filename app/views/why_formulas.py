"""The paper's table with numbers filled in, and operations against the length."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping

import numpy as np
import streamlit as st

from app import controls, prose, show
from app.state import Why
from app.views.why_common import COLOURS, short, size
from attnviz import complexity, figures
from attnviz.complexity import CONVOLUTION, LAYERS, RECURRENT, RESTRICTED, SELF, Cost, Sizes

LENGTHS = [2**power for power in range(2, 17)]
WIDTHS = [2**power for power in range(4, 13)]
WINDOWS = [2**power + 1 for power in range(1, 11)]
PAPER, EXACT = "the paper’s terms", "multiply-adds"
ORDERS = {  # of the paper's table: complexity, sequential operations, maximum path length
    SELF: ("n²·d", "1", "1"),
    RECURRENT: ("n·d²", "n", "n"),
    CONVOLUTION: ("k·n·d²", "1", "logₖ n"),
    RESTRICTED: ("r·n·d", "1", "n/r"),
}
ORDERED = ("layer", "complexity per layer", "sequential operations", "longest path")
GRID = np.geomspace(LENGTHS[0], LENGTHS[-1], 57)


@show.panel
def draw() -> None:
    """The lines and the table at the left; sizes and what they come to at the right."""
    figure, side = st.columns([13, 8], gap="large")
    with side:
        show.note(prose.text("why", "Formulas"))
        length, sizes = _choose()
        count = controls.one_of("Count", [PAPER, EXACT], key=Why.COUNT, help=_HELP)
    costs = _costs(count, sizes)
    crossings = list(_crossings(costs))
    with figure:
        drawn = figures.cost_by_length(
            {name: cost.at(GRID) for name, cost in costs.items()},
            GRID,
            colours=COLOURS,
            crossings=[(n, y, f"n = {n:,.4g}") for n, y, _ in crossings],
            marked=length,
            dashed=[complexity.RNN],
            axis="operations a layer" if count == PAPER else "multiply-adds a layer",
            height=440,
        )
        show.plot(drawn, key="why_cost", name="operations", alt="Operations by length")
        show.table(ORDERED, list(_table(length, sizes)))
    with side:
        attention = float(costs[SELF].at(length))
        show.facts(
            [
                (name, f"{_times(attention / float(cost.at(length)))} as many")
                for name, cost in costs.items()
                if name != SELF
            ],
            title=f"Self-attention at n = {length:,}, against",
        )
    more, truth = st.columns([13, 8], gap="large")
    with more:
        show.explain("why", "Formulas")
        _take_away(costs, count, length, sizes)
    with truth:
        show.facts(_facts(crossings, count))


_HELP = (
    "The paper's terms leave out constants and attention's projections. Multiply-adds are those of "
    "every matrix product of the layers as they are built here."
)


def _choose() -> tuple[int, Sizes]:
    length = size("Tokens n", LENGTHS, 64, key=Why.LENGTH)
    width = size("Width d", WIDTHS, 512, key=Why.WIDTH)
    kernel, window = st.columns(2)
    with kernel:
        k = size("Kernel k", range(3, 32, 2), 3, key=Why.KERNEL)
    with window:
        r = size("Window r", WINDOWS, 33, key=Why.WINDOW)
    return length, Sizes(width, k, r)


def _costs(count: str, sizes: Sizes) -> dict[str, Cost]:
    if count == PAPER:
        return {kind: complexity.paper_cost(kind, sizes) for kind in complexity.KINDS}
    return {layer: complexity.layer_cost(layer, sizes) for layer in LAYERS}


def _crossings(costs: Mapping[str, Cost]) -> Iterable[tuple[float, float, str]]:
    """n, operations and names of the lines that meet within the figure."""
    for (one, a), (other, b) in itertools.combinations(costs.items(), 2):
        n = a.crossing(b)
        if n is not None and LENGTHS[0] <= n <= LENGTHS[-1]:
            yield n, float(a.at(n)), f"{one} and {other}"


def _times(ratio: float) -> str:
    return f"{ratio:,.3g} times" if ratio >= 1 else f"1/{1 / ratio:,.3g}"


def _table(length: int, sizes: Sizes) -> Iterable[tuple[str, ...]]:
    """Table 1, each order with its number."""
    for kind in complexity.KINDS:
        numbers = (
            short(float(complexity.paper_cost(kind, sizes).at(length))),
            short(complexity.sequential(kind, length)),
            short(complexity.path_length(kind, length, sizes)),
        )
        yield kind, *(f"O({o}) = {n}" for o, n in zip(ORDERS[kind], numbers, strict=True))


def _facts(crossings: Iterable[tuple[float, float, str]], count: str) -> Iterable[tuple[str, str]]:
    yield "Source", "Vaswani et al. 2017, §4, Table 1; its numbers leave out the O’s constants"
    yield "Axes", "tokens n against operations, both logarithmic: a power is a straight line"
    for n, y, names in crossings:
        yield "Crossing", f"{names}: n = {n:,.4g}, {short(y)} operations each"
    yield (
        "Path",
        "exact: each layer one edge, each step of a recurrence one; the convolutions dilated",
    )
    if count == EXACT:
        yield (
            "Checked",
            "against torch’s own counter on the real layers (FlopCounterMode; two of its flops are "
            "one multiply-add)",
        )
    yield "Not counted", "softmax, gates, biases: linear in the numbers that they work on"


def _take_away(costs: Mapping[str, Cost], count: str, length: int, sizes: Sizes) -> None:
    function, names = ("paper_cost", "KINDS") if count == PAPER else ("layer_cost", "LAYERS")
    show.take_away(
        key="why_formulas",
        name=f"operations-d{sizes.width}",
        arrays=lambda: {"n": GRID} | {name: cost.at(GRID) for name, cost in costs.items()},
        table=lambda: (
            ("n", *costs),
            ((n, *(float(cost.at(n)) for cost in costs.values())) for n in (*LENGTHS, length)),
        ),
        code=(
            f"from attnviz.complexity import {names}, Sizes, {function}, path_length\n\n"
            f"sizes = Sizes(width={sizes.width}, kernel={sizes.kernel}, window={sizes.window})\n"
            f"costs = {{name: {function}(name, sizes) for name in {names}}}\n"
            "for name, cost in costs.items():\n"
            f"    print(name, cost.at({length}))\n"
            "one, other, *_ = costs.values()\n"
            'print("crossing at n =", one.crossing(other))\n'
        ),
        figures=True,
    )
