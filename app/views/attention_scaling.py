"""Scaling: what becomes of the softmax as keys get longer, with and without √d."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import prose, show, studies
from app.state import Studies
from attnviz.figures.studies import by_size, score_histograms, variance_by_size

if TYPE_CHECKING:
    from attnviz.attention_studies.scaling import Scaling, Softmax

NAMES = ("not scaled", "divided by √d")
PANELS = {
    "entropy": "entropy, bits",
    "largest": "largest weight",
    "by_scores": "gradient ‖∂α/∂e‖",
    "by_query": "gradient ‖∂α/∂q‖",
}
"""What is measured of a softmax: its name in the library → in words."""


@show.panel
def draw() -> None:
    """Four measures at the left; the size, and the scores at that size, at the right."""
    from attnviz.attention_studies.scaling import SIZES

    figure, side = st.columns([13, 8], gap="large")
    with side:
        show.note(prose.text("attention", "Scaling"))
        size = st.select_slider(
            "Size of a key, d", SIZES, 64, key=Studies.SIZE, bind="query-params"
        )
        keys = st.slider("Keys, n", 2, 64, 32, key=Studies.KEYS, bind="query-params")
        found = studies.scaling(keys)
        place = found.sizes.index(size)
        products = found.products[place]
        scores = {NAMES[0]: products, NAMES[1]: products / np.sqrt(size)}
        show.plot(
            score_histograms(scores), key="attn_histograms", name=f"scores-{size}",
            alt="Distribution of the scores",
        )  # fmt: skip
        show.facts(_here(found, place), title=f"At d = {size}, medians")
    with figure:
        drawn = by_size(
            found.sizes, panels(found.softmax, NAMES), marked=size,
            ceilings={PANELS["entropy"]: np.log2(keys), PANELS["largest"]: 1.0}, height=620,
        )  # fmt: skip
        show.plot(drawn, key="attn_saturation", name="scaling", alt="Softmax by the size of a key")
    more, truth = st.columns([13, 8], gap="large")
    with more:
        show.small("Why √d: the variance of q·k is d")
        drawn = variance_by_size(found.sizes, found.variance, marked=size)
        show.plot(drawn, key="attn_variance", name="variance", alt="Variance of products by size")
        show.explain("attention", "Scaling")
        _take_away(found)
    with truth:
        show.facts(_facts(found))


def panels(softmax: Softmax, names: Iterable[str]) -> dict[str, dict[str, np.ndarray]]:
    """Bands of every measure, by the names of the kinds."""
    from attnviz.attention_studies.scaling import band

    return {
        title: dict(zip(names, map(band, getattr(softmax, measure)), strict=True))
        for measure, title in PANELS.items()
    }


def _here(found: Scaling, place: int) -> Iterable[tuple[str, str]]:
    for kind, name in enumerate(NAMES):
        entropy, largest, scores, query = (
            float(np.median(getattr(found.softmax, measure)[kind, place])) for measure in PANELS
        )
        yield (
            name.capitalize(),
            f"entropy {entropy:.2f} of {np.log2(found.keys):.2f} bits, largest weight "
            f"{largest:.1%}, gradients {scores:.3g} by the scores, {query:.3g} by the query",
        )


def _facts(found: Scaling) -> Iterable[tuple[str, str]]:
    from attnviz.attention_studies.scaling import SPREAD

    draws = found.products.shape[1]
    off = found.variance / np.array(found.sizes) - 1
    worst = int(np.abs(off).argmax())
    yield (
        "Draws",
        f"{draws} queries, each over {found.keys} keys of its own; components from N(0, 1), seed "
        f"{found.seed}; one draw serves every d by its first components",
    )
    yield (
        "Variance",
        f"of {draws * found.keys:,} products; furthest from d at d = {found.sizes[worst]}, by "
        f"{off[worst]:+.1%}".replace("-", "−"),
    )
    yield "Lines", f"medians; bands reach from the {SPREAD[0]}th to the {SPREAD[1]}th percentile"
    yield "Dotted", "the size chosen; the most there can be: log₂ n bits, a weight of 1"
    yield (
        "Gradient",
        "of the weights α by the scores e that enter the softmax, and by the query q: Frobenius "
        "norm of the Jacobian, in closed form (a test compares autograd’s)",
    )
    yield "Run", "cpu; softmax in float64; no weights are involved"


def _take_away(found: Scaling) -> None:
    softmax = found.softmax
    show.take_away(
        key="attn_scaling",
        name=f"scaling-{found.keys}-keys",
        arrays=lambda: {
            "sizes": np.array(found.sizes),
            "variance": found.variance,
            "products": found.products,
            **{measure: getattr(softmax, measure) for measure in PANELS},
        },
        table=lambda: (
            ("scores", "d", *PANELS),
            (
                (
                    name,
                    size,
                    *(np.median(getattr(softmax, measure)[kind, place]) for measure in PANELS),
                )
                for kind, name in enumerate(NAMES)
                for place, size in enumerate(found.sizes)
            ),
        ),
        code=(
            "from attnviz.attention_studies.scaling import band, scaling\n"
            "from attnviz.figures.studies import by_size\n\n"
            f"found = scaling({found.keys}, seed={found.seed})\n"
            f"names = {NAMES!r}\n"
            "bands = dict(zip(names, map(band, found.softmax.entropy)))\n"
            'by_size(found.sizes, {"entropy, bits": bands}, columns=1).show()\n'
        ),
        figures=True,
    )
