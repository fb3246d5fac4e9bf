"""How far the first token is from the last, in each kind of layer: drawn, and counted."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import streamlit as st

from app import prose, show
from app.state import Why
from app.views.why_common import COLOURS, size
from attnviz import complexity, figures
from attnviz.complexity import CONVOLUTION, KINDS, RECURRENT, Sizes
from attnviz.connections import Web, web

Webs = dict[str, Web]
WIDTH = 512  # of the layers; it does not matter here


@show.panel
def draw() -> None:
    """A drawing for each kind of layer at the left, their sizes at the right."""
    left, side = st.columns([15, 6], gap="large")
    with side:
        show.note(prose.text("why", "Paths"))
        tokens, sizes, dilated = _choose()
    webs = {kind: web(kind, tokens, sizes, dilated=dilated) for kind in KINDS}
    with left:
        for pair in (KINDS[:2], KINDS[2:]):
            for kind, column in zip(pair, st.columns(2, gap="medium"), strict=True):
                with column:
                    _drawing(webs[kind])
    more, truth = st.columns([13, 8], gap="large")
    with more:
        show.explain("why", "Paths")
        _take_away(webs, sizes, dilated)
    with truth:
        show.facts(_facts(webs, sizes, dilated))


def _choose() -> tuple[int, Sizes, bool]:
    tokens = size("Tokens n", range(2, 25), 12, key=Why.TOKENS)
    kernel = size("Kernel k", range(3, 10, 2), 3, key=Why.TAPS)
    window = size("Window r", range(3, 18, 2), 5, key=Why.NEAR)
    dilated = st.toggle(
        "Dilated convolutions", True, key=Why.DILATED, bind="query-params",
        help="Taps k times as far apart in each layer; else side by side.",
    )  # fmt: skip
    return tokens, Sizes(WIDTH, kernel, window), dilated


def _drawing(found: Web) -> None:
    edges, layers = found.length, found.rows - 1
    if found.kind == RECURRENT:
        says = f"{edges} {_plural('step', edges)}, one after another"
    else:
        says = f"{layers} {_plural('layer', layers)}"
    drawn = figures.information_path(
        found.edges,
        found.path,
        found.reached,
        names=_rows(found),
        colour=COLOURS[found.kind],
        title=f"{found.kind.capitalize()}: {says}",
        height=270,
    )
    name = f"path-{found.kind.replace(' ', '-')}"
    show.plot(drawn, key=f"why_{name}", name=name, alt=f"Path of information: {found.kind}")


def _rows(found: Web) -> list[str]:
    if found.kind == RECURRENT:
        return ["input", "state"]
    return ["input", *(f"layer {row}" for row in range(1, found.rows))]


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"


def _facts(webs: Webs, sizes: Sizes, dilated: bool) -> Iterable[tuple[str, str]]:
    for kind, found in webs.items():
        formula = complexity.path_length(kind, found.tokens, sizes, dilated=dilated)
        yield (
            kind.capitalize(),
            f"{found.length} {_plural('edge', found.length)} found among {len(found.edges):,}; "
            f"the formula says {formula}",
        )
    yield "Search", "through the connections drawn, layer by layer until the last token is reached"
    yield "Dots", "filled: can have heard of the first token; rings: cannot"


def _take_away(webs: Webs, sizes: Sizes, dilated: bool) -> None:
    tokens = webs[CONVOLUTION].tokens
    show.take_away(
        key="why_paths",
        name=f"paths-{tokens}",
        arrays=lambda: {kind: np.array(found.path) for kind, found in webs.items()},
        table=lambda: (
            ("layer", "edge", "row", "token"),
            (
                (kind, number, row, token + 1)
                for kind, found in webs.items()
                for number, (row, token) in enumerate(found.path)
            ),
        ),
        code=(
            "from attnviz.complexity import KINDS, Sizes\n"
            "from attnviz.connections import web\n\n"
            f"sizes = Sizes(width={WIDTH}, kernel={sizes.kernel}, window={sizes.window})\n"
            "for kind in KINDS:\n"
            f"    found = web(kind, {tokens}, sizes, dilated={dilated})\n"
            "    print(kind, found.length, found.path)\n"
        ),
        figures=True,
    )
