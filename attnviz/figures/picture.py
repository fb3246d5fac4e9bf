"""A picture with a map over it."""

from __future__ import annotations

import base64
import io
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go
from PIL import Image

from attnviz.analysis import upsample
from attnviz.figures import theme
from attnviz.geometry import Geometry


def attention_map(
    image: np.ndarray | Image.Image,
    values: np.ndarray,
    geometry: Geometry,
    *,
    title: str = "",
    name: str = "attention weight",
    scale_max: float | None = None,
    opacity: float = 0.6,
    colours: theme.Colours = "viridis",
    mode: Literal["cells", "smooth"] = "cells",
    marked: tuple[int, int] | None = None,
    height: int = 460,
) -> go.Figure:
    """The picture that the model saw, with each cell's value over the pixels it stands for.

    Args:
        image: RGB, (height, width, 3) uint8 or PIL; the size is the geometry's.
        values: (rows, cols), one value a cell.
        name: what the values are; titles the colour bar and the hover text.
        scale_max: upper end of the colour scale; share it to compare figures. Default: the maximum.
        opacity: of the overlay, 0 to 1.
        colours: ``"diverging"`` for signed values, centred on zero.
        mode: ``"cells"`` draws sharp cells, ``"smooth"`` goes linearly from centre to centre.
            Hovering names the exact value of a cell in both.
        marked: (row, col) of a cell to outline, such as the query.
        height: of the figure, pixels.

    Raises:
        ValueError: the values or the image do not fit the geometry.
    """
    rows, cols = geometry.rows, geometry.cols
    if values.shape != (rows, cols):
        raise ValueError(f"expected a map of {rows}×{cols} cells, got {values.shape}")
    picture = _rgb(image)
    if picture.size != (geometry.width, geometry.height):
        raise ValueError(
            f"expected a picture {geometry.width}×{geometry.height}, got {picture.width}×"
            f"{picture.height} (width × height)"
        )
    scale = theme.scale(values, colours=colours, maximum=scale_max, name=name)
    if mode == "smooth":
        overlay = _painted(upsample(values, geometry, "smooth"), scale, colours)
        picture = Image.blend(picture, overlay, opacity)
    down, across = _edges(geometry)
    cells = go.Heatmap(
        z=values.astype(np.float32),
        x=across,
        y=down,
        customdata=np.moveaxis(np.indices((rows, cols), dtype=np.uint16), 0, -1),
        hovertemplate=(
            "row %{customdata[0]}, column %{customdata[1]}<br>"
            f"{theme.escape(name)} %{{z:.3~g}}<extra></extra>"
        ),
        opacity=opacity if mode == "cells" else 0,
        **scale,
    )
    return theme.sheet(
        cells,
        title=title,
        height=height,
        room=theme.COLOUR_BAR_ROOM,
        images=[_layer(picture, geometry)],
        shapes=[] if marked is None else [_outline(geometry, *marked)],
        xaxis=_pixels(0, geometry.width, constraintoward="left"),
        yaxis=_pixels(geometry.height, 0, constraintoward="top", scaleanchor="x"),
    )


def data_uri(picture: Image.Image) -> str:
    """The picture as a JPEG of quality 90 in a ``data:`` address."""
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=90)
    return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode()


def _rgb(image: np.ndarray | Image.Image) -> Image.Image:
    if isinstance(image, np.ndarray):
        if image.dtype != np.uint8:
            raise ValueError(f"an image array is uint8, not {image.dtype}")
        image = Image.fromarray(image)
    return image.convert("RGB")


def _layer(picture: Image.Image, geometry: Geometry) -> dict[str, Any]:
    """A picture stretched over the axes, which count its pixels."""
    return {
        "source": data_uri(picture),
        "xref": "x",
        "yref": "y",
        "x": 0,
        "y": 0,
        "sizex": geometry.width,
        "sizey": geometry.height,
        "sizing": "stretch",
        "layer": "below",
    }


def _painted(values: np.ndarray, scale: dict[str, Any], colours: theme.Colours) -> Image.Image:
    low, high = scale["zmin"], scale["zmax"]
    index = np.clip((values - low) / (high - low) * 255, 0, 255).round().astype(np.uint8)
    return Image.fromarray(theme.colour_table(colours)[index])


def _edges(geometry: Geometry) -> list[np.ndarray]:
    """Pixel edges of the cells: down (rows + 1) and across (cols + 1), to the picture's edge."""
    edges = []
    for cells, size, axis in (
        (geometry.rows, geometry.height, 0),
        (geometry.cols, geometry.width, 1),
    ):
        start = geometry.centre[axis] - geometry.stride[axis] / 2
        line = start + np.arange(cells + 1, dtype=np.float32) * geometry.stride[axis]
        line[0], line[-1] = 0, size
        edges.append(line.astype(np.float32))
    return edges


def _outline(geometry: Geometry, row: int, col: int) -> dict[str, Any]:
    top, left, bottom, right = geometry.box(row, col)
    line = {"color": theme.ACCENT, "width": 3}
    return {"type": "rect", "x0": left, "x1": right, "y0": top, "y1": bottom, "line": line}


def _pixels(start: float, end: float, **axis: Any) -> dict[str, Any]:
    """An axis without marks that never stretches the picture."""
    return {
        "range": [start, end],
        "constrain": "domain",
        "visible": False,
        "fixedrange": True,
    } | axis
