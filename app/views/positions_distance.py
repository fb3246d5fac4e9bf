"""Products of positions: they depend on the distance alone, and fall off with it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import streamlit as st

from app import places, prose, show
from app.views import positions_common
from attnviz import analysis, figures
from attnviz.analysis import ByOffset


@show.panel
def draw() -> None:
    """The curve by distance at the left, the matrix that it sums up at the right."""
    left, side = st.columns([13, 8], gap="large")
    with side:
        show.note(prose.text("positions", "Distance"))
        length, width = positions_common.sizes()
    table = places.table(length, width).astype(np.float64)
    products = table @ table.T
    curve = analysis.by_offset(products)
    with left:
        figure = figures.by_offset(
            {"PE(p) · PE(p + k)": curve}, axis="dot product", offsets="distance k", height=500
        )
        show.plot(figure, key="pos_products", name="products", alt="Dot product by distance")
    with side:
        matrix = figures.position_matrix(products, name="PE(p) · PE(q)", height=330)
        show.plot(matrix, key="pos_gram", name="product-matrix", alt="Products of all positions")
    more, truth = st.columns([13, 8], gap="large")
    with more:
        show.explain("positions", "Distance")
        _take_away(products, curve, width)
    with truth:
        show.facts(_facts(curve, width))


def _facts(curve: ByOffset, width: int) -> Iterable[tuple[str, str]]:
    spread = float((curve.high - curve.low).max())
    sides = float(np.abs(curve.mean - curve.mean[::-1]).max())
    exact = np.cos(curve.offsets[:, None] * analysis.frequencies(width)).sum(1)
    ahead = curve.mean[len(curve.mean) // 2 :]
    half = np.flatnonzero(ahead < ahead[0] / 2)
    where = f"at k = {half[0]}" if len(half) else "nowhere in this table"
    yield "Alone", f"at one distance all pairs of positions agree, to within {spread:.1e}"
    yield "Both ways", f"k and −k differ by at most {sides:.1g}: it tells how far, not which way"
    yield "Formula", f"Σ cos kω, off by at most {float(np.abs(curve.mean - exact).max()):.1e}"
    yield "Falls off", f"from d/2 = {ahead[0]:.1f}, first below half of it {where}; it wiggles"
    yield "Band", "least to greatest over all pairs of positions: too narrow to be seen"
    yield "Run", "no weights; the table in float32, products in float64"


def _take_away(products: np.ndarray, curve: ByOffset, width: int) -> None:
    length = len(products)
    show.take_away(
        key="pos_distance",
        name=f"products-{length}x{width}",
        arrays=lambda: {"products": products} | curve._asdict(),
        table=lambda: (ByOffset._fields, zip(*curve, strict=True)),
        code=(
            "from attnviz import analysis, figures\n"
            "from attnviz.position_study import table\n\n"
            f'pe = table({length}, {width}).astype("float64")\n'
            "curve = analysis.by_offset(pe @ pe.T)\n"
            "print((curve.high - curve.low).max())\n"
            'figures.by_offset({"products": curve}, axis="dot product", offsets="k").show()\n'
        ),
        figures=True,
    )
