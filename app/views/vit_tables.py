"""What the model learned once, and what its heads do on average: positions, filters, distances."""

from __future__ import annotations

import numpy as np
import streamlit as st

from app import controls, loaders, maps, prose, show
from app.loaders import Subject
from app.pictures import painted
from app.state import Vit
from app.views import vit_code, vit_common
from attnviz import analysis, figures
from attnviz.geometry import Geometry

GRIDS = ("native", "half", "one and a half", "double")
_FACTORS = {"native": 1.0, "half": 0.5, "one and a half": 1.5, "double": 2.0}


@show.panel
def positions(subject: Subject) -> None:
    """The position table: similarity tiles, and what interpolation makes of them."""
    run = loaders.run(subject)
    here = (run.geometry.rows, run.geometry.cols)
    native = loaders.positions(subject, here)
    show.note(prose.text("vit", "Positions"))
    if native is None:
        show.note("This model has no position table.")
        return
    left, right = st.columns([11, 10], gap="large")
    with right:
        scale = controls.one_of("Grid", GRIDS, key=Vit.GRID)
        grid = tuple(max(1, round(side * _FACTORS[scale])) for side in native.native_grid)
        found = loaders.positions(subject, (grid[0], grid[1]))
        assert found is not None
        show.note(
            f"Trained on {native.native_grid[0]} × {native.native_grid[1]} places; "
            f"shown for {grid[0]} × {grid[1]}. Places between the trained ones are interpolated "
            "(bicubic, antialiased); the class token's row has no place and stays."
        )
        show.pair(
            [
                (_table(found.native, found.native_grid), "the table as trained"),
                (_table(found.resized, found.grid), f"for {grid[0]} × {grid[1]} patches"),
            ]
        )
    with left:
        tiles = analysis.cosine_tiles(found.resized, _bare(found.resized, found.grid))
        figure = figures.cosine_tiles(tiles, title="Similarity of each place with all others")
        show.plot(figure, key="vit_tiles", name="positions", alt="Similarity of all positions")
        show.explain("vit", "Positions")
    with right:
        show.facts(
            [
                ("Table", " × ".join(map(str, found.native.shape)) + ", learned"),
                ("Tile (r, c)", "cosine of the vector at row r, column c with all others"),
                ("Colours", "three principal components of the table"),
                *vit_common.run_facts(subject, run),
            ]
        )
        show.take_away(
            key="vit_positions",
            name=f"{subject.model}-positions",
            arrays=lambda: {"native": found.native, "resized": found.resized, "tiles": tiles},
            table=lambda: (
                ("place", *range(found.resized.shape[1])),
                ((i, *row) for i, row in enumerate(found.resized)),
            ),
            code=vit_code.model_only(
                subject,
                f"table = model.position_table({grid!r})[0].detach().float().cpu().numpy()\n"
                f"geometry = model.geometry({grid[0]} * model.cfg.stride, "
                f"{grid[1]} * model.cfg.stride)\n"
                "figures.cosine_tiles(analysis.cosine_tiles(table, geometry)).show()\n",
            ),
            figures=True,
        )


@show.panel
def filters(subject: Subject) -> None:
    """What meets the pixels first: principal filters of the projection, or a stem's convolution."""
    run = loaders.run(subject)
    weight, stem = loaders.filters(subject)
    show.note(prose.text("vit", "Filters of a stem" if stem else "Filters"))
    left, right = st.columns([11, 10], gap="large")
    pictures = (
        weight.transpose(0, 2, 3, 1) if stem else analysis.principal_filters(weight, 28)
    )  # (count, height, width, 3)
    with left:
        figure = figures.filters(pictures, columns=8 if stem else 7, height=460)
        show.plot(figure, key="vit_filters", name="filters", alt="Filters as colour pictures")
    with right:
        count, _, high, wide = weight.shape
        what = "all filters of the stem's first convolution" if stem else (
            f"the first {len(pictures)} principal components of all {count} filters")  # fmt: skip
        show.facts(
            [
                ("Shown", what),
                ("Each", f"{high} × {wide} pixels × 3 colours; zero is grey, contrast its own"),
                *vit_common.run_facts(subject, run),
            ]
        )
        source = "model.patch_embed.backbone" if stem else "model.patch_embed.proj.weight"
        lines = (
            f"first = next(m for m in {source}.modules() if getattr(m, 'in_channels', 0) == 3)\n"
            "weight = first.weight.detach().float().cpu().numpy()\n"
            "figures.filters(weight.transpose(0, 2, 3, 1), columns=8).show()\n"
            if stem
            else f"weight = {source}.detach().float().cpu().numpy()\n"
            "weight = weight.reshape(len(weight), 3, model.cfg.patch_size, model.cfg.patch_size)\n"
            "figures.filters(analysis.principal_filters(weight, 28)).show()\n"
        )
        show.take_away(
            key="vit_filters",
            name=f"{subject.model}-filters",
            arrays=lambda: {"weight": weight, "shown": pictures},
            table=lambda: (
                ("filter", *range(weight[0].size)),
                ((i, *row.reshape(-1)) for i, row in enumerate(weight)),
            ),
            code=vit_code.model_only(subject, lines),
            figures=True,
        )


@show.panel
def distance(subject: Subject) -> None:
    """How far and how widely each head looks, by depth."""
    run = loaders.run(subject)
    found = loaders.per_head(subject)
    show.note(prose.text("vit", "Distance & entropy"))
    left, right = st.columns(2, gap="large")
    with left:
        far = figures.head_distance(
            found.distance, title="How far a head looks", uniform=_uniform(run.geometry)
        )
        show.plot(far, key="vit_distance", name="distance", alt="Mean distance of each head")
        show.explain("vit", "Distance & entropy")
    with right:
        patches = run.geometry.rows * run.geometry.cols
        wide = figures.entropy(found.entropy, title="How widely it looks", keys=patches)
        show.plot(wide, key="vit_entropy", name="entropy", alt="Entropy of each head")
        show.facts(
            [
                ("Distance", "from a patch to those it looks at, weighted, mean over all patches"),
                ("Entropy", f"0 bits: one patch; {np.log2(patches):.1f} bits: all {patches} alike"),
                ("Left out", "prefix tokens, which have no place; rows are renormalised"),
                *vit_common.run_facts(subject, run),
            ]
        )
        layers, heads = found.distance.shape
        show.take_away(
            key="vit_distance",
            name=f"{subject.model}-distance",
            arrays=found._asdict,
            table=lambda: (
                ("layer", "head", "distance_px", "entropy_bits"),
                (
                    (layer, head, found.distance[layer, head], found.entropy[layer, head])
                    for layer in range(layers)
                    for head in range(heads)
                ),
            ),
            code=vit_code.whole_run(
                subject,
                "distance = analysis.head_distance(run.weights, run.geometry)\n"
                "figures.head_distance(distance).show()\n",
            ),
            figures=True,
        )


def _uniform(geometry: Geometry) -> float:
    """The mean distance of a head that looks at all patches alike."""
    alike = np.ones((1, geometry.tokens, geometry.tokens), np.float32)
    return float(analysis.head_distance(alike, geometry)[0])


def _bare(table: np.ndarray, grid: tuple[int, int]) -> Geometry:
    """The grid of a table, with as many prefix tokens as it has rows before the places."""
    prefix = len(table) - grid[0] * grid[1]
    return Geometry(*grid, *grid, prefix=("",) * prefix, pool="avg")


def _table(table: np.ndarray, grid: tuple[int, int]) -> bytes:
    """The places as colours: like vectors, like colours."""
    places = table[-grid[0] * grid[1] :]
    return painted(maps.principal_colours(places).reshape(*grid, 3))
