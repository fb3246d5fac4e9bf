"""Beyond the trained length: sinusoids go on, a learned table ends, or it is stretched."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import streamlit as st

from app import places, prose, show
from app.loaders import Positions as Table
from app.state import Positions
from attnviz import analysis, figures, zoo
from attnviz.figures import Grid
from attnviz.geometry import Geometry

WAYS = ("sinusoids go on", "learned: it ends", "learned, stretched")
LARGEST = 28


@show.panel
def draw() -> None:
    """Three maps of one place's similarity with all others, on a larger grid."""
    show.note(prose.text("positions", "Beyond the length"))
    with st.container(horizontal=True, gap="large"):
        side = st.slider(
            "Side of the new grid", 14, LARGEST, 21, key=Positions.SIDE,
            bind="query-params",
        )  # fmt: skip
        row = st.slider("Row", 0, 13, 10, key=Positions.ROW, bind="query-params")
        column = st.slider("Column", 0, 13, 10, key=Positions.COLUMN, bind="query-params")
    found = places.learned(side)
    fixed = places.table_2d(side, side, found.native.shape[1])
    grids = _grids(found, fixed, (row, column))
    for number, (panel, (way, grid)) in enumerate(
        zip(st.columns(3, gap="medium"), grids.items(), strict=True)
    ):
        with panel:
            figure = figures.place_map(
                grid, name="cosine with the marked place", title=way.capitalize(), bar=not number
            )
            show.plot(figure, key=f"pos_beyond_{number}", name="beyond", alt=f"Similarity: {way}")
    more, truth = st.columns([13, 8], gap="large")
    with more:
        show.explain("positions", "Beyond the length")
        _take_away(grids, side, (row, column))
    with truth:
        show.facts(_facts(found, fixed, grids))


def _grids(found: Table, fixed: np.ndarray, place: tuple[int, int]) -> dict[str, Grid]:
    native, grid = found.native_grid, found.grid
    ended = np.full(grid, np.nan, np.float32)
    ended[: native[0], : native[1]] = similarity(found.native, native, place)
    moved = tuple(
        min(int((at + 0.5) * new / old), new - 1)
        for at, old, new in zip(place, native, grid, strict=True)
    )
    stretched = similarity(found.resized, grid, (moved[0], moved[1]))
    kinds = (
        Grid(similarity(fixed, grid, place), native, place),
        Grid(ended, native, place),
        Grid(stretched, grid, (moved[0], moved[1])),
    )
    return dict(zip(WAYS, kinds, strict=True))


def similarity(table: np.ndarray, grid: tuple[int, int], place: tuple[int, int]) -> np.ndarray:
    """Cosine of a place's vector with all others, (rows, cols); prefix tokens are left out."""
    rows, cols = grid
    return analysis.cosine_tiles(table[-rows * cols :], Geometry(rows, cols, rows, cols))[place]


def _facts(found: Table, fixed: np.ndarray, grids: dict[str, Grid]) -> Iterable[tuple[str, str]]:
    rows, cols = found.native_grid
    side, width = found.grid[0], found.native.shape[1]
    trained = places.table_2d(rows, cols, width)
    kept = fixed.reshape(side, side, width)[:rows, :cols].reshape(-1, width)
    card = zoo.card(places.vit().model)
    missing = int(np.isnan(grids[WAYS[1]].values).sum())
    yield "Trained on", f"{rows} × {cols} places, outlined; asked for {side} × {side}"
    yield (
        "Go on",
        f"the first {rows} × {cols} rows of the larger sinusoid table differ by "
        f"{float(np.abs(kept - trained).max()):.1g}",
    )
    yield (
        "Ends",
        f"{missing} of {side * side} places have no row; asked for one, a Transformer says: "
        f"“{places.refusal(rows * cols)}”",
    )
    yield "Stretched", "bicubic, antialiased, over the plane (Dosovitskiy et al. 2021, §3.2)"
    yield (
        "Sentences",
        "a Transformer with sinusoids goes on as well; what it makes of such places is not trained",
    )
    yield "Learned", f"{card.title}, {width} numbers a place; {_scores(card)}"
    yield "Run", "cpu, float32; cosines from −1 to 1"


def _scores(card: zoo.Card) -> str:
    top = card.scores.get("unseen_top1")
    return f"{100 * top:.1f} % of unseen pictures named right" if top else "not measured"


def _take_away(grids: dict[str, Grid], side: int, place: tuple[int, int]) -> None:
    show.take_away(
        key="pos_beyond",
        name=f"beyond-{side}",
        arrays=lambda: {name.replace(" ", "_"): grid.values for name, grid in grids.items()},
        table=lambda: (
            ("row", "column", *WAYS),
            (
                (row, column, *(grid.values[row, column] for grid in grids.values()))
                for row, column in np.ndindex(side, side)
            ),
        ),
        code=(
            "from attnviz import analysis, zoo\n"
            "from attnviz.geometry import Geometry\n"
            "from attnviz.position_study import table_2d\n\n"
            f'model = zoo.load("{zoo.DEFAULT}", "cpu")\n'
            f"stretched = model.position_table(({side}, {side}))[0, -{side * side}:]\n"
            f"fixed = table_2d({side}, {side}, stretched.shape[1])\n"
            f"grid = Geometry({side}, {side}, {side}, {side})\n"
            f"print(analysis.cosine_tiles(fixed, grid)[{place[0]}, {place[1]}])\n"
            "print(analysis.cosine_tiles(stretched.detach().numpy(), grid)[0, 0])\n"
        ),
        figures=True,
    )
