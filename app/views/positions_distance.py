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
    """Both curves by distance at the left, the matrix that they sum up at the right."""
    left, side = st.columns([13, 8], gap="large")
    with side:
        show.note(prose.text("positions", "Distance"))
        length, width = positions_common.sizes()
    table = places.table(length, width).astype(np.float64)
    products = table @ table.T
    lengths = np.linalg.norm(table, axis=1)
    curve = analysis.by_offset(products)
    cosine = analysis.by_offset(products / np.outer(lengths, lengths))
    with left:
        figure = figures.by_offset(
            {"PE(p) · PE(p + k)": curve}, axis="dot product", offsets="distance k", height=290
        )
        show.plot(figure, key="pos_products", name="products", alt="Dot product by distance")
        figure = figures.by_offset(
            {"cos(PE(p), PE(p + k))": cosine}, axis="cosine", offsets="distance k", height=290
        )
        show.plot(figure, key="pos_cosines", name="cosines", alt="Cosine by distance")
    with side:
        matrix = figures.position_matrix(products, name="PE(p) · PE(q)", height=330)
        show.plot(matrix, key="pos_gram", name="product-matrix", alt="Products of all positions")
    more, truth = st.columns([13, 8], gap="large")
    with more:
        show.explain("positions", "Distance")
        _take_away(products, curve, cosine, width)
    with truth:
        show.facts(_facts(curve, lengths, width))


def _facts(curve: ByOffset, lengths: np.ndarray, width: int) -> Iterable[tuple[str, str]]:
    spread = float((curve.high - curve.low).max())
    sides = float(np.abs(curve.mean - curve.mean[::-1]).max())
    exact = np.cos(curve.offsets[:, None] * analysis.frequencies(width)).sum(1)
    ahead = curve.mean[len(curve.mean) // 2 :]
    half = np.flatnonzero(ahead < ahead[0] / 2)
    where = f"at k = {half[0]}" if len(half) else "nowhere in this table"
    yield "Alone", f"at one distance all pairs of positions agree, to within {spread:.1e}"
    yield "Both ways", f"k and −k differ by at most {sides:.1g}: it tells how far, not which way"
    uneven = float(np.abs(lengths - np.sqrt(width / 2)).max())
    yield (
        "Cosine",
        f"the same curve divided by d/2: every position is √(d/2) long, to within {uneven:.1e}",
    )
    yield "Formula", f"Σ cos kω, off by at most {float(np.abs(curve.mean - exact).max()):.1e}"
    yield "Falls off", f"from d/2 = {ahead[0]:.1f}, first below half of it {where}; it wiggles"
    yield "Band", "least to greatest over all pairs of positions: too narrow to be seen"
    yield "Run", "no weights; the table in float32, products in float64"


def _take_away(products: np.ndarray, curve: ByOffset, cosine: ByOffset, width: int) -> None:
    length = len(products)
    show.take_away(
        key="pos_distance",
        name=f"products-{length}x{width}",
        arrays=lambda: {"products": products, "cosine": cosine.mean} | curve._asdict(),
        table=lambda: (
            (*ByOffset._fields, "cosine"),
            zip(*curve, cosine.mean, strict=True),
        ),
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
