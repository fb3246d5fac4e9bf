"""Colours, text and the blank sheet that every figure starts from.

Line and marker colours keep a contrast of at least 3:1 on white and on near-black, so that one
figure serves light and dark pages. Text colours, fonts and hover labels are left to the page.
"""

from __future__ import annotations

import html
import textwrap
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go
from plotly.colors import get_colorscale, hex_to_rgb

ACCENT = "#c44b16"
NEUTRAL = "#7b8088"  # thin rules, what is not spoken about
CATEGORICAL = (
    ACCENT,
    "#2f7fc1",
    "#2b8a5b",
    "#8a63b8",
    "#a8790f",
    "#c4588f",
    "#178a9c",
    "#7a8530",
    "#9c6b4f",
    NEUTRAL,
)

Colours = Literal["viridis", "cividis", "diverging"]

# Diverging is ColorBrewer's RdBu, blue for less and red for more, white at zero.
_DIVERGING = (
    "#053061 #2166ac #4393c3 #92c5de #d1e5f0 #f7f7f7 #fddbc7 #f4a582 #d6604d #b2182b #67001f"
)
SCALES: dict[str, list[tuple[float, str]]] = {
    "viridis": [(stop, colour) for stop, colour in get_colorscale("viridis")],
    "cividis": [(stop, colour) for stop, colour in get_colorscale("cividis")],
    "diverging": [(i / 10, colour) for i, colour in enumerate(_DIVERGING.split())],
}

TITLE_WIDTH = 46  # characters that fit a phone 360 pixels wide
_LINE = 20  # pixels


def colour_table(colours: Colours) -> np.ndarray:
    """A colour scale as 256 RGB bytes, (256, 3), for drawing outside Plotly."""
    stops, names = zip(*_scale(colours), strict=True)
    rgb = np.array([hex_to_rgb(name) for name in names])  # (stops, 3)
    place = np.linspace(0, 1, 256)
    return np.stack([np.interp(place, stops, band) for band in rgb.T], axis=-1).round().astype("u1")


def escape(text: str) -> str:
    """Text as Plotly shows it literally: no markup, no TeX, no line breaks."""
    plain = html.escape(" ".join(str(text).split()), quote=False)
    return plain.replace("$", "&#36;").replace("%{", "%&#123;")


def thin(colour: str) -> str:
    """A colour for a band behind its line."""
    red, green, blue = hex_to_rgb(colour)
    return f"rgba({red},{green},{blue},0.16)"


def wrap(text: str, width: int) -> str:
    """Escaped text broken into lines of at most ``width`` characters; long words are cut."""
    lines = textwrap.wrap(" ".join(str(text).split()), width, break_long_words=True)
    return "<br>".join(escape(line) for line in lines)


def line_count(wrapped: str) -> int:
    """How many lines a wrapped text takes."""
    return wrapped.count("<br>") + 1 if wrapped else 0


def sheet(
    *traces: Any, title: str = "", height: int = 0, plot: int = 0, room: int = 0, **layout: Any
) -> go.Figure:
    """A figure without boxes: thin rules, no grid, title at the top left.

    Args:
        title: plain text, wrapped to fit a phone.
        height, plot: of the whole figure, or of the plot alone; pixels.
        room: pixels to keep free between title and plot, e.g. for a colour bar.
        layout: further Plotly layout.
    """
    heading = wrap(title, TITLE_WIDTH)
    lines = line_count(heading)
    top = 12 + _LINE * lines + room
    base: dict[str, Any] = {
        "template": go.layout.Template(),
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "height": height or top + plot + 12,
        "margin": {"l": 12, "r": 12, "t": top, "b": 12, "pad": 4},
        "dragmode": False,  # a finger scrolls the page
        "showlegend": False,
        "colorway": list(CATEGORICAL),
    }
    if heading:
        base["title"] = {
            "text": heading,
            "font": {"size": 14},
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "pad": {"t": 8 if lines == 1 else 17, "l": 8},  # Plotly lifts blocks of lines
        }
    figure = go.Figure(list(traces), layout=base | layout)
    rule = {
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
        "automargin": True,
        "title": {"standoff": 8},
    }
    figure.update_xaxes(**rule)
    figure.update_yaxes(**rule)
    return figure


COLOUR_BAR_ROOM = 52  # pixels above the plot


def scale(
    values: np.ndarray, *, colours: Colours, maximum: float | None, name: str
) -> dict[str, Any]:
    """Heatmap settings for one shared colour scale, with a slim bar above the plot's left end.

    The scale runs from 0 to ``maximum`` (default: the largest value), for the diverging colours
    from −maximum to maximum. The bar's title is ``name``; its ends say whether values lie beyond.
    """
    finite = values[np.isfinite(values)]
    reach = float(np.abs(finite).max()) if finite.size else 0.0
    top = maximum if maximum is not None else reach
    if not top > 0:
        top = 1.0
    low = -top if colours == "diverging" else 0.0
    beyond = reach > top * (1 + 1e-6)
    upper = ("≥ " if beyond else "") + number(top)
    lower = ("≤ " if beyond and low else "") + number(low)
    ticks = [low, (low + top) / 2, top]
    return {
        "colorscale": [list(stop) for stop in _scale(colours)],
        "zmin": low,
        "zmax": top,
        "hoverongaps": False,
        "colorbar": {
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 0.999,  # at 1, Plotly moves all titles of the figure up
            "yanchor": "bottom",
            "len": 160,
            "lenmode": "pixels",
            "thickness": 8,
            "xpad": 0,
            "ypad": 8,
            "outlinewidth": 0,
            "tickvals": ticks,
            "ticktext": [lower, number(ticks[1]), upper],
            "title": {"text": escape(name), "side": "top", "font": {"size": 12}},
        },
    }


def number(value: float) -> str:
    """A value in two significant digits, with a real minus sign."""
    return f"{value:.2g}".replace("-", "−")


def _scale(colours: str) -> list[tuple[float, str]]:
    if colours not in SCALES:
        raise ValueError(f"colours are {', '.join(SCALES)}, not {colours!r}")
    return SCALES[colours]
