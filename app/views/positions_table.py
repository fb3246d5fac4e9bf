"""The table of sinusoids: a pair of components is a wave, from fast to slow."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import streamlit as st

from app import places, prose, show
from app.components.waves import waves
from app.state import Positions
from app.views import positions_common
from attnviz import analysis, figures


@show.panel
def draw() -> None:
    """The table with the waves of a pair under it; sizes and wavelengths beside it."""
    left, side = st.columns([13, 8], gap="large")
    with side:
        show.note(prose.text("positions", "Table"))
        length, width = positions_common.sizes()
    table = places.table(length, width)
    frequencies = analysis.frequencies(width)
    with left:
        pair = waves(
            table,
            frequencies,
            key=Positions.WAVES,
            asked=positions_common.pair(len(frequencies)),
            name=f"sinusoids-{length}x{width}",
            on_change=positions_common.choose_pair,
        )
    with side:
        figure = figures.wavelengths(frequencies, length=length, marked=pair)
        show.plot(figure, key="pos_wavelengths", name="wavelengths", alt="Wavelength of each pair")
    more, truth = st.columns([13, 8], gap="large")
    with more:
        show.explain("positions", "Table")
        _take_away(table, frequencies)
    with truth:
        show.facts(_facts(table, frequencies, pair))


def _facts(table: np.ndarray, frequencies: np.ndarray, pair: int) -> Iterable[tuple[str, str]]:
    length, width = table.shape
    longest = 2 * np.pi / frequencies
    whole = int((longest <= length).sum())
    norm = np.linalg.norm(table, axis=1)
    off = float(np.abs(norm - np.sqrt(width / 2)).max())
    near = float(np.linalg.norm(np.diff(table, axis=0), axis=1).min())
    yield "Axes", f"position across (0–{length - 1}), component down (0–{width - 1})"
    yield "Pair", f"{pair}, kept: {frequencies[pair]:.3g} radians, {longest[pair]:,.3g} positions"
    yield (
        "Waves",
        f"from {longest[0]:.2f} to {longest[-1]:,.0f} positions; {whole} of {width // 2} pairs "
        f"turn at least once within {length}",
    )
    yield "Length", f"every row is √(d/2) = {np.sqrt(width / 2):.3f} long, to within {off:.1e}"
    yield "Neighbours", f"differ: the nearest two are {near:.2f} apart"
    yield "Source", "Vaswani et al. 2017, §3.5; no weights, nothing is learned"
    yield "Run", "angles in float64, the table in float32"


def _take_away(table: np.ndarray, frequencies: np.ndarray) -> None:
    length, width = table.shape
    show.take_away(
        key="pos_table",
        name=f"sinusoids-{length}x{width}",
        arrays=lambda: {"table": table, "frequencies": frequencies},
        table=lambda: (
            ("position", *(f"{part}_{i}" for i in range(width // 2) for part in ("sin", "cos"))),
            ((position, *row) for position, row in enumerate(table)),
        ),
        code=(
            "from attnviz import analysis, figures\n"
            "from attnviz.position_study import table\n\n"
            f"pe = table({length}, {width})  # (position, component)\n"
            f"frequencies = analysis.frequencies({width})\n"
            "print(pe[1], 6.2832 / frequencies)\n"
            f"figures.wavelengths(frequencies, length={length}).show()\n"
        ),
        figures=True,
    )
