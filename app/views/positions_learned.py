"""What a Vision Transformer learned about places, beside what could have been given to it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import streamlit as st

from app import controls, places, prose, show
from app.loaders import Positions as Table
from app.state import Positions
from attnviz import analysis, figures, zoo
from attnviz.geometry import Geometry

FIXED = ("2-D sinusoids", "1-D sinusoids, row by row")
SIDE = 14  # of the bundled ViT's grid


@show.panel
def draw() -> None:
    """Tiles of the learned table and of a fixed one, beside each other."""
    show.note(prose.text("positions", "Learned tables"))
    kind = controls.one_of("Beside the learned table", FIXED, key=Positions.FIXED)
    found = places.learned(SIDE)
    rows, cols = found.native_grid
    width = found.native.shape[1]
    fixed = (
        places.table_2d(rows, cols, width) if kind == FIXED[0] else places.table(rows * cols, width)
    )
    grid = Geometry(rows, cols, rows, cols)
    learned, given = (centred(each, grid) for each in (found.native[-rows * cols :], fixed))
    left, right = st.columns(2, gap="large")
    for column, tiles, title in (
        (left, learned, "Learned by the Vision Transformer"),
        (right, given, f"{kind}, as given"),
    ):
        with column:
            figure = figures.cosine_tiles(tiles, title=title, height=560)
            show.plot(figure, key=f"pos_tiles_{title[0]}", name="tiles", alt=title)
    more, truth = st.columns([13, 8], gap="large")
    with more:
        show.explain("positions", "Learned tables")
        _take_away(learned, given, kind, (rows, cols))
    with truth:
        show.facts(_facts(found, learned, given))


def centred(table: np.ndarray, grid: Geometry) -> np.ndarray:
    """Tiles of a table less what all its places share, which would make all of them alike."""
    return analysis.cosine_tiles(table - table.mean(0), grid)


def agreement(one: np.ndarray, other: np.ndarray) -> float:
    """Correlation of two sets of tiles, each place with all others but itself."""
    count = one.shape[0] * one.shape[1]
    apart = ~np.eye(count, dtype=bool)
    pair = [tiles.reshape(count, count)[apart] for tiles in (one, other)]
    return float(np.corrcoef(pair)[0, 1])


def _facts(found: Table, learned: np.ndarray, given: np.ndarray) -> Iterable[tuple[str, str]]:
    rows, cols = found.native_grid
    card = zoo.card(places.vit().model)
    yield (
        "Tile (r, c)",
        "cosine of the vector at row r, column c with all others, once the mean vector is taken "
        "off",
    )
    yield (
        "Alike",
        f"the two sets of tiles correlate by {agreement(learned, given):.2f}, each place with "
        "itself left out",
    )
    yield "Row, column", _neighbours(learned)
    yield "Learned", f"one vector a place, {rows} × {cols}, numbered 0–{rows * cols - 1}: nothing "\
        "says that they lie in a plane"  # fmt: skip
    yield "Weights", f"{card.title}, {card.parameters / 1e6:.2f} M parameters"
    yield "Given", "no weights (Beyer et al. 2022; Vaswani et al. 2017, §3.5)"
    yield "Run", "cpu, float32"


def _neighbours(tiles: np.ndarray) -> str:
    """How near the next place is along a row, and along a column."""
    rows, cols = tiles.shape[:2]
    right = np.mean([tiles[r, c, r, c + 1] for r in range(rows) for c in range(cols - 1)])
    down = np.mean([tiles[r, c, r + 1, c] for r in range(rows - 1) for c in range(cols)])
    return f"learned neighbours: cosine {right:.2f} to the right, {down:.2f} below, mean over all"


def _take_away(learned: np.ndarray, given: np.ndarray, kind: str, grid: tuple[int, int]) -> None:
    rows, cols = grid
    names = [f"{r}.{c}" for r, c in np.ndindex(rows, cols)]
    fixed = (
        f"table_2d({rows}, {cols}, learned.shape[1])"
        if kind == FIXED[0]
        else f"table({rows * cols}, learned.shape[1])"
    )
    show.take_away(
        key="pos_learned",
        name="learned-and-fixed",
        arrays=lambda: {"learned": learned, "fixed": given},
        table=lambda: (
            ("table", "place", *names),
            (
                (table, name, *row)
                for table, tiles in (("learned", learned), ("fixed", given))
                for name, row in zip(names, tiles.reshape(len(names), len(names)), strict=True)
            ),
        ),
        code=(
            "from attnviz import analysis, figures, zoo\n"
            "from attnviz.geometry import Geometry\n"
            "from attnviz.position_study import table, table_2d\n\n"
            f'model = zoo.load("{zoo.DEFAULT}", "cpu")\n'
            f"learned = model.position_table(({rows}, {cols}))[0, -{rows * cols}:]\n"
            f"fixed = {fixed}\n"
            f"grid = Geometry({rows}, {cols}, {rows}, {cols})\n"
            "for each in (learned.detach().numpy(), fixed):\n"
            "    tiles = analysis.cosine_tiles(each - each.mean(0), grid)\n"
            "    print(tiles[0, 0])\n"
            "    figures.cosine_tiles(tiles).show()\n"
        ),
        figures=True,
    )
