"""A shift is a rotation: of every pair by an angle of its own, and the same at every position."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import streamlit as st

from app import places, prose, show
from app.state import Positions
from app.views import positions_common
from attnviz import analysis, figures

POSITIONS = 64  # that can be chosen
CHECKED = 512  # that the rotation is checked at
CLOCKS = 16


@show.panel
def draw() -> None:
    """One pair on its circle at the left, its block at the right, and many pairs as clocks."""
    left, side = st.columns([13, 8], gap="large")
    with side:
        show.note(prose.text("positions", "Rotation"))
        width = positions_common.width()
        pair = _pair(width // 2)
        position = st.slider(
            "Position p", 0, POSITIONS - 1, 3, key=Positions.AT, bind="query-params"
        )
        shift = st.slider("Shift k", 0, POSITIONS, 4, key=Positions.SHIFT, bind="query-params")
    table = places.table(CHECKED + POSITIONS, width)
    frequencies = analysis.frequencies(width)
    with left:
        circle = figures.rotation_circle(
            table[: POSITIONS + shift, 2 * pair : 2 * pair + 2],
            position,
            shift,
            name=f"Pair {pair}: from position {position} to {position + shift}",
        )
        show.plot(circle, key="pos_circle", name="rotation", alt="A pair of components on a circle")
    with side:
        st.latex(_block(frequencies[pair] * shift))
    clocks = figures.rotation_clocks(
        table[position],
        table[position + shift],
        _spread(width // 2, pair),
        chosen=pair,
        names=(f"PE({position})", f"PE({position + shift}), each pair turned by its own angle"),
    )
    show.plot(clocks, key="pos_clocks", name="rotations", alt="Many pairs, each turned")
    more, truth = st.columns([13, 8], gap="large")
    with more:
        show.explain("positions", "Rotation")
        _take_away(table, shift)
    with truth:
        show.facts(_facts(table, shift, pair))


def _pair(count: int) -> int:
    """The pair that all views share, on a slider."""
    chosen = positions_common.pair(count)
    st.session_state[Positions.PAIR_SLIDER] = chosen
    st.slider(
        "Pair i", 0, count - 1, key=Positions.PAIR_SLIDER,
        on_change=lambda: positions_common.choose_pair(st.session_state[Positions.PAIR_SLIDER]),
    )  # fmt: skip
    return chosen


def _spread(count: int, chosen: int) -> list[int]:
    """Pairs from the fastest to the slowest, the chosen one among them."""
    pairs = np.unique(np.linspace(0, count - 1, min(CLOCKS, count)).round().astype(int))
    pairs[np.abs(pairs - chosen).argmin()] = chosen
    return pairs.tolist()


def _block(angle: float) -> str:
    cos, sin = np.cos(angle), np.sin(angle)
    return (
        rf"M_{{k,i}} = \begin{{pmatrix}} {cos:.3f} & {sin:.3f} \\ {-sin:.3f} & {cos:.3f} "
        r"\end{pmatrix}"
    )


def deviation(table: np.ndarray, shift: int) -> float:
    """Largest difference of M_k PE(p) from PE(p + k) over the positions that are checked."""
    turned = analysis.rotate(table[:CHECKED], shift)
    return float(np.abs(turned - table[shift : CHECKED + shift]).max())


def _facts(table: np.ndarray, shift: int, pair: int) -> Iterable[tuple[str, str]]:
    width = table.shape[1]
    omega = analysis.frequencies(width)[pair]
    yield (
        "Checked",
        f"M PE(p) against PE(p + {shift}) for every p from 0 to {CHECKED - 1}: the largest "
        f"deviation is {deviation(table, shift):.1e}, float32’s rounding",
    )
    yield "Angle", f"of pair {pair}: {shift} × {omega:.3g} = {np.degrees(shift * omega):,.1f}°"
    yield "M", f"depends on k alone, not on p; {width // 2} blocks of 2 × 2, {width} × {width}"
    yield "Circle", "cosine to the right, sine up: a later position lies further on, anticlockwise"
    yield "Dots", f"positions 0–{POSITIONS + shift - 1} of this pair"
    yield "Source", "Vaswani et al. 2017, §3.5: “PE(pos + k) is a linear function of PE(pos)”"
    yield "Run", "no weights; M in float64, the table in float32"


def _take_away(table: np.ndarray, shift: int) -> None:
    width = table.shape[1]
    blocks = analysis.rotations(width, shift)
    show.take_away(
        key="pos_rotation",
        name=f"rotation-by-{shift}",
        arrays=lambda: {
            "blocks": blocks,
            "before": table[:CHECKED],
            "turned": analysis.rotate(table[:CHECKED], shift),
            "after": table[shift : CHECKED + shift],
        },
        table=lambda: (
            ("pair", "angle", "cos", "sin"),
            (
                (i, shift * omega, block[0, 0], block[0, 1])
                for i, (omega, block) in enumerate(
                    zip(analysis.frequencies(width), blocks, strict=True)
                )
            ),
        ),
        code=(
            "from attnviz import analysis\n"
            "from attnviz.position_study import table\n\n"
            f"k, pe = {shift}, table({CHECKED + POSITIONS}, {width})\n"
            f"turned = analysis.rotate(pe[:{CHECKED}], k)\n"
            f"print(abs(turned - pe[k : {CHECKED} + k]).max())\n"
        ),
        figures=True,
    )
