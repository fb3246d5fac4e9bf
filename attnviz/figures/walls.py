"""Many small maps as one picture: all heads, all positions, all filters.

A hundred subplots take Plotly over a second; one heatmap with gaps between its tiles a fraction.
"""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from PIL import Image

from attnviz.figures import theme

MAX_TILES = 16  # position tiles in each direction


def head_wall(
    maps: np.ndarray,
    *,
    title: str = "",
    name: str = "attention weight",
    scale_max: float | None = None,
    colours: theme.Colours = "viridis",
    height: int = 620,
) -> go.Figure:
    """Every head of every layer on one colour scale: layers down, heads across.

    Args:
        maps: (layers, heads, rows, cols).
        name: what the values are.
        scale_max: upper end of the shared scale. Default: the largest value of all heads.
    """
    layers, heads, rows, cols = maps.shape
    wall, gap = _tiled(maps)
    figure = _wall(
        wall,
        down=_names(layers, rows, gap, "layer {}, row {}"),
        across=_names(heads, cols, gap, "head {}, column {}"),
        scale=theme.scale(
            maps, colours=colours, maximum=scale_max, name=f"{name}, same scale for all"
        ),
        title=title,
        height=height,
    )
    figure.update_xaxes(title_text="head", **_ticks(range(heads), cols + gap, cols))
    figure.update_yaxes(title_text="layer", **_ticks(range(layers), rows + gap, rows))
    return figure


def head_shares(
    shares: np.ndarray,
    names: Sequence[str],
    *,
    title: str = "",
    name: str = "share of the attention",
    scale_max: float | None = 1.0,
    columns: int = 3,
    marked: tuple[int, int] | None = None,
    height: int = 420,
) -> go.Figure:
    """Several shares of every head, a tile a share: within each, layers down and heads across.

    Args:
        shares: (layers, heads, kinds), 0 to 1.
        names: of the kinds.
        name: what they are shares of.
        scale_max: upper end of the scale; None for the largest.
        marked: (layer, head) to point out in every tile.

    Raises:
        ValueError: there is not one name for each kind.
    """
    layers, heads, kinds = shares.shape
    if len(names) != kinds:
        raise ValueError(f"{kinds} kinds of shares, but {len(names)} names")
    lines = math.ceil(kinds / columns)
    tiles = np.full((lines * columns, layers, heads), np.nan, np.float32)
    tiles[:kinds] = np.moveaxis(shares, -1, 0)
    wall, gap = _tiled(tiles.reshape(lines, columns, layers, heads), gap=3)
    figure = _wall(
        wall,
        down=_names(lines, layers, gap, "line {}, layer {}"),
        across=_names(columns, heads, gap, "column {}, head {}"),
        scale=theme.scale(shares, colours="viridis", maximum=scale_max, name=name),
        title=title,
        height=height,
    )
    figure.update_xaxes(**_ticks([f"heads 0–{heads - 1}"] * columns, heads + gap, heads))
    figure.update_yaxes(
        scaleanchor=None,  # cells need not be square
        range=[len(wall) - 0.5, -gap],
        **_ticks([f"layers 0–{layers - 1}"] * lines, layers + gap, layers),
    )
    hover = np.full(wall.shape, "", object)
    for kind, layer, head in np.ndindex(kinds, layers, heads):
        line, column = divmod(kind, columns)
        at = line * (layers + gap) + layer, column * (heads + gap) + head
        hover[at] = f"layer {layer}, head {head}<br>{theme.escape(names[kind])}"
    figure.update_traces(customdata=hover, hovertemplate="%{customdata} %{z:.1%}<extra></extra>")
    for kind, name in enumerate(names):
        line, column = divmod(kind, columns)
        left, top = column * (heads + gap) - 0.5, line * (layers + gap) - 0.5
        figure.add_annotation(
            x=left, y=top, text=theme.escape(name), showarrow=False,
            xanchor="left", yanchor="bottom", font={"size": 12},
        )  # fmt: skip
        if marked is not None:
            layer, head = marked
            figure.add_shape(
                type="rect", x0=left + head, x1=left + head + 1, y0=top + layer,
                y1=top + layer + 1, line={"color": theme.ACCENT, "width": 2},
            )  # fmt: skip
    return figure


def cosine_tiles(
    tiles: np.ndarray,
    *,
    title: str = "Position embeddings: similarity of each to all others",
    height: int = 620,
) -> go.Figure:
    """Similarity of every position with every other, a tile a position, where it sits on the grid.

    Grids of more than 16 rows or columns show every n-th position, in tiles and within tiles, and
    the title says so.

    Args:
        tiles: (rows, cols, rows, cols) cosines, from `attnviz.analysis.cosine_tiles`.
    """
    step = max(1, math.ceil(max(tiles.shape) / MAX_TILES))
    if step > 1:
        title = f"{title} (every {_ordinal(step)} row and column)"
    shown = tiles[::step, ::step, ::step, ::step]
    rows, cols = shown.shape[:2]
    wall, gap = _tiled(shown)
    figure = _wall(
        wall,
        down=_names(rows, rows, gap, "row {} with row {}", step, step),
        across=_names(cols, cols, gap, "column {} with column {}", step, step),
        scale=theme.scale(shown, colours="diverging", maximum=1.0, name="cosine similarity"),
        title=title,
        height=height,
    )
    figure.update_xaxes(
        title_text="column", **_ticks(range(0, cols * step, step), cols + gap, cols)
    )
    figure.update_yaxes(title_text="row", **_ticks(range(0, rows * step, step), rows + gap, rows))
    return figure


def filters(
    pictures: np.ndarray, *, title: str = "", columns: int = 7, height: int = 360
) -> go.Figure:
    """Filters as small pictures, numbered row by row from 0, each with its own contrast.

    Args:
        pictures: (count, height, width, 3 or 1) of any sign; zero is drawn mid-grey.

    Raises:
        ValueError: a filter looks at other than 1 or 3 channels, so it is no picture.
    """
    count, rows, cols, channels = pictures.shape
    if channels not in (1, 3):
        raise ValueError(f"filters over {channels} channels are no pictures; 1 or 3 are")
    lines = math.ceil(count / columns)
    gap = max(1, cols // 8)
    reach = np.abs(pictures).max(axis=(1, 2, 3), keepdims=True)
    grey = 127.5 + 127.5 * pictures / np.where(reach > 0, reach, 1)
    tiles = np.zeros((lines * columns, rows, cols, 4), np.uint8)  # transparent where no filter is
    tiles[:count, ..., :3] = grey.round()
    tiles[:count, ..., 3] = 255
    plane = np.zeros((lines, rows + gap, columns, cols + gap, 4), np.uint8)
    plane[:, :rows, :, :cols] = tiles.reshape(lines, columns, rows, cols, 4).transpose(
        0, 2, 1, 3, 4
    )
    plane = plane.reshape(lines * (rows + gap), columns * (cols + gap), 4)[:-gap, :-gap]
    figure = theme.sheet(
        go.Image(source=_png(plane), hoverinfo="skip"),
        title=title,
        height=height,
        xaxis={"visible": False, "constrain": "domain", "constraintoward": "left"},
        yaxis={"constrain": "domain", "constraintoward": "top", "scaleanchor": "x"},
    )
    figure.update_yaxes(range=[plane.shape[0] - 0.5, -0.5], fixedrange=True)
    figure.update_xaxes(range=[-0.5, plane.shape[1] - 0.5], fixedrange=True)
    last = [min((line + 1) * columns, count) - 1 for line in range(lines)]
    spans = [f"{line * columns}–{end}" for line, end in enumerate(last)]
    figure.update_yaxes(**_ticks(spans, rows + gap, rows))
    return figure


def _tiled(tiles: np.ndarray, gap: int = 0) -> tuple[np.ndarray, int]:
    """(R, C, rows, cols) → one float32 plane with NaN gaps between the tiles, and the gap."""
    down, across, rows, cols = tiles.shape
    gap = gap or max(1, round(max(rows, cols) / 14))
    plane = np.full((down, rows + gap, across, cols + gap), np.nan, np.float32)
    plane[:, :rows, :, :cols] = tiles.transpose(0, 2, 1, 3)
    return plane.reshape(down * (rows + gap), across * (cols + gap))[:-gap, :-gap], gap


def _wall(
    plane: np.ndarray,
    *,
    down: list[str],
    across: list[str],
    scale: dict[str, Any],
    title: str,
    height: int,
) -> go.Figure:
    """One heatmap whose rows and columns carry names, so that hovering tells where one is."""
    heatmap = go.Heatmap(
        z=plane, x=across, y=down, hovertemplate="%{y}<br>%{x}<br>%{z:.3~g}<extra></extra>", **scale
    )
    return theme.sheet(
        heatmap,
        title=title,
        height=height,
        room=theme.COLOUR_BAR_ROOM,
        xaxis={
            "type": "category",
            "range": [-0.5, len(across) - 0.5],
            "constrain": "domain",
            "constraintoward": "left",
        },
        yaxis={
            "type": "category",
            "range": [len(down) - 0.5, -0.5],
            "constrain": "domain",
            "constraintoward": "top",
            "scaleanchor": "x",
        },
    )


def _names(
    tiles: int, cells: int, gap: int, text: str, tile_step: int = 1, cell_step: int = 1
) -> list[str]:
    """A distinct name for every line of a wall; gaps are named by blanks."""
    names = []
    for tile in range(tiles):
        names += [text.format(tile * tile_step, cell * cell_step) for cell in range(cells)]
        names += [" " * (tile * gap + blank + 1) for blank in range(gap)]
    return names[:-gap]


def _ticks(names: Sequence[object], pitch: int, size: int) -> dict[str, Any]:
    """Axis ticks in the middle of every tile."""
    middles = [index * pitch + (size - 1) / 2 for index in range(len(names))]
    return {"tickvals": middles, "ticktext": [str(name) for name in names], "tickangle": 0}


def _ordinal(number: int) -> str:
    return {2: "second", 3: "third", 4: "fourth"}.get(number, f"{number}th")


def _png(pixels: np.ndarray) -> str:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()
