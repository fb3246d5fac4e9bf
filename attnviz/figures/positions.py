"""Positions: waves by pair, rotations on circles, products by distance, tables beyond their end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from attnviz.figures import theme

_RULE = {"showline": True, "linewidth": 1, "linecolor": theme.NEUTRAL, "fixedrange": True}
_LEGEND = {"orientation": "h", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"}
_DOTTED = {"color": theme.NEUTRAL, "width": 1, "dash": "dot"}
_THIN = {"color": theme.NEUTRAL, "width": 1}
_HIDDEN = {"visible": False, "fixedrange": True}
_TURN = np.linspace(0, 2 * np.pi, 91)


class Grid(NamedTuple):
    """A map over a grid of places, (rows, cols), NaN where there is nothing.

    Args:
        frame: rows and columns, from the upper left, to outline.
        place: the row and column that all others are compared with.
    """

    values: np.ndarray
    frame: tuple[int, int]
    place: tuple[int, int]


Band = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # offsets, mean, low, high


def wavelengths(
    frequencies: np.ndarray, *, length: int, marked: int | None = None, height: int = 250
) -> go.Figure:
    """How many positions each pair takes for one turn, on a logarithmic axis.

    Args:
        frequencies: (pairs,) radians a position.
        length: positions in the table, drawn as a dotted line: longer waves never close in it.
        marked: a pair to point out.
    """
    pairs = np.arange(len(frequencies))
    figure = theme.sheet(height=height)
    figure.add_scatter(
        x=pairs,
        y=(2 * np.pi / frequencies).astype(np.float32),
        mode="markers",
        marker={
            "color": [theme.ACCENT if pair == marked else theme.NEUTRAL for pair in pairs],
            "size": [11 if pair == marked else 5 for pair in pairs],
        },
        customdata=frequencies.astype(np.float32),
        hovertemplate="pair %{x}: one turn in %{y:,.4~g} positions<br>"
        "%{customdata:.3~g} radians a position<extra></extra>",
    )
    figure.add_hline(
        length,
        line=_DOTTED,
        annotation={
            "text": f"{length} positions",
            "y": float(np.log10(length)),  # annotations, unlike shapes, are placed by the exponent
            "x": 1,
            "xanchor": "right",
            "yanchor": "top",
            "font": {"size": 11},
        },
    )
    figure.update_xaxes(title_text="pair", rangemode="tozero", nticks=6, **_RULE)
    return figure.update_yaxes(
        title_text="wavelength, positions", type="log", exponentformat="power", dtick=1, **_RULE
    )


def rotation_circle(
    pair: np.ndarray, position: int, shift: int, *, name: str, height: int = 460
) -> go.Figure:
    """One pair of a sinusoid table on its circle: a position, and where the shift turns it.

    Args:
        pair: (n, 2) sine and cosine at each position; drawn at (cosine, sine).
        position, shift: p and k; p + k is a row of ``pair``.
        name: of the pair, in words.

    Raises:
        ValueError: p or p + k is not in the table.
    """
    target = position + shift
    if not (0 <= position < len(pair) and 0 <= target < len(pair)):
        raise ValueError(f"positions {position} and {target} are not both below {len(pair)}")
    y, x = np.asarray(pair, dtype=np.float64).T
    figure = theme.sheet(title=name, height=height)
    figure.add_scatter(
        x=np.cos(_TURN), y=np.sin(_TURN), mode="lines", line=_THIN, opacity=0.6, hoverinfo="skip"
    )
    start = np.arctan2(y[position], x[position])
    end = start + _angle(pair[position], pair[target], shift)
    sweep = np.linspace(start, end, 60)
    figure.add_scatter(
        x=0.28 * np.cos(sweep), y=0.28 * np.sin(sweep), mode="lines",
        line={"color": theme.ACCENT, "width": 2}, hoverinfo="skip",
    )  # fmt: skip
    figure.add_scatter(
        x=x, y=y, mode="markers", marker={"size": 6, "color": theme.NEUTRAL},
        customdata=np.arange(len(pair)),
        hovertemplate="position %{customdata}<br>sine %{y:.4f}, cosine %{x:.4f}<extra></extra>",
    )  # fmt: skip
    for at, colour, width in ((position, theme.NEUTRAL, 2), (target, theme.ACCENT, 3)):
        figure.add_scatter(
            x=[0, x[at]], y=[0, y[at]], mode="lines+markers", cliponaxis=False,
            line={"color": colour, "width": width}, marker={"size": [0, 12], "color": colour},
            hovertemplate=f"position {at}<br>sine %{{y:.4f}}, cosine %{{x:.4f}}<extra></extra>",
        )  # fmt: skip
        figure.add_annotation(
            x=1.16 * x[at], y=1.16 * y[at], text=f"PE({at})", showarrow=False,
            font={"color": colour, "size": 13},
        )  # fmt: skip
    ends = {"range": [-1.28, 1.28], "constrain": "domain"}
    figure.update_xaxes(**_HIDDEN, **ends)
    return figure.update_yaxes(**_HIDDEN, **ends, scaleanchor="x")


def rotation_clocks(
    before: np.ndarray,
    after: np.ndarray,
    pairs: Sequence[int],
    *,
    chosen: int,
    names: tuple[str, str],
    columns: int = 8,
) -> go.Figure:
    """Several pairs as clocks: the hand of a position, and the hand after the shift.

    Args:
        before, after: (d,) rows of a sinusoid table.
        pairs: which pairs to draw, in reading order.
        chosen: the one to point out.
        names: of the two rows.
    """
    lines = -(-len(pairs) // columns)
    figure = theme.sheet(plot=118 * lines, room=24)
    place = [(column * 2.7, -line * 3.1) for line in range(lines) for column in range(columns)]
    rims: tuple[list[Any], list[Any]] = ([], [])
    for x, y in place[: len(pairs)]:
        rims[0].extend([*(x + np.cos(_TURN[::3])), None])
        rims[1].extend([*(y + np.sin(_TURN[::3])), None])
    figure.add_scatter(
        x=rims[0], y=rims[1], mode="lines", line=_THIN, opacity=0.6, hoverinfo="skip",
        showlegend=False,
    )  # fmt: skip
    for row, name, colour in zip(
        (before, after), names, (theme.NEUTRAL, theme.ACCENT), strict=True
    ):
        hands: dict[str, list[Any]] = {"x": [], "y": [], "customdata": []}
        for pair, (x, y) in zip(pairs, place, strict=False):
            sine, cosine = map(float, row[2 * pair : 2 * pair + 2])
            hands["x"] += [x, x + cosine, None]
            hands["y"] += [y, y + sine, None]
            hands["customdata"] += [[pair, sine, cosine]] * 3
        figure.add_scatter(
            **hands, name=theme.escape(name), mode="lines+markers",
            line={"color": colour, "width": 2}, marker={"size": 5, "color": colour},
            hovertemplate=f"{theme.escape(name)}, pair %{{customdata[0]}}<br>sine "
            "%{customdata[1]:.4f}, cosine %{customdata[2]:.4f}<extra></extra>",
        )  # fmt: skip
    for pair, (x, y) in zip(pairs, place, strict=False):
        figure.add_annotation(
            x=x, y=y - 1.35, text=f"<b>{pair}</b>" if pair == chosen else f"{pair}",
            showarrow=False, font={"size": 13 if pair == chosen else 11},
        )  # fmt: skip
    figure.update_xaxes(**_HIDDEN, range=[-1.3, (columns - 1) * 2.7 + 1.3], constrain="domain")
    figure.update_yaxes(**_HIDDEN, range=[-(lines - 1) * 3.1 - 1.8, 1.2], scaleanchor="x")
    return figure.update_layout(showlegend=True, legend=_LEGEND)


def by_offset(
    curves: Mapping[str, Band], *, axis: str, offsets: str, title: str = "", height: int = 400
) -> go.Figure:
    """A matrix's diagonals: mean, and the band between its least and greatest value.

    Args:
        curves: name → offsets, mean, low, high, as `attnviz.analysis.by_offset` gives them.
        axis, offsets: what the values are, and what an offset is.
    """
    figure = theme.sheet(title=title, height=height, room=28 if len(curves) > 1 else 8)
    for (name, band), colour in zip(curves.items(), theme.CATEGORICAL, strict=False):
        x, mean, low, high = (np.asarray(values, dtype=np.float32) for values in band)
        group = {"x": x, "mode": "lines", "legendgroup": name}
        hidden = {"line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
        figure.add_scatter(y=low, **group, **hidden)
        figure.add_scatter(y=high, fill="tonexty", fillcolor=theme.thin(colour), **group, **hidden)
        figure.add_scatter(
            y=mean,
            name=theme.escape(name),
            line={"color": colour, "width": 2},
            customdata=np.stack([low, high], -1),
            hovertemplate=f"{theme.escape(name)}, offset %{{x:+d}}: %{{y:.4~g}}<br>"
            "from %{customdata[0]:.4~g} to %{customdata[1]:.4~g}<extra></extra>",
            **group,
        )
    figure.add_vline(0, line=_DOTTED)
    figure.update_xaxes(title_text=theme.escape(offsets), nticks=9, **_RULE)
    figure.update_yaxes(title_text=theme.escape(axis), nticks=6, **_RULE)
    return figure.update_layout(showlegend=len(curves) > 1, legend=_LEGEND)


def position_matrix(
    matrix: np.ndarray, *, name: str, colours: theme.Colours = "diverging", height: int = 380
) -> go.Figure:
    """A value for every pair of positions, as a square."""
    heatmap = go.Heatmap(
        z=matrix.astype(np.float32),
        hovertemplate=f"positions %{{y}} and %{{x}}<br>{theme.escape(name)} %{{z:.4~g}}"
        "<extra></extra>",
        **theme.scale(matrix, colours=colours, maximum=None, name=name),
    )
    figure = theme.sheet(heatmap, height=height, room=theme.COLOUR_BAR_ROOM)
    plain = {"constrain": "domain", "fixedrange": True, "nticks": 6}
    figure.update_xaxes(**plain, title_text="position", constraintoward="left")
    return figure.update_yaxes(
        **plain, title_text="position", scaleanchor="x", autorange="reversed", constraintoward="top"
    )


def place_map(
    grid: Grid, *, name: str, title: str = "", bar: bool = True, height: int = 420
) -> go.Figure:
    """One place's value with all others; what is missing stays blank.

    Args:
        name: what the values are, −1 to 1.
        bar: whether the colour bar is shown; without it, its room is kept.
    """
    scale = theme.scale(grid.values, colours="diverging", maximum=1.0, name=name)
    heatmap = go.Heatmap(
        z=grid.values.astype(np.float32),
        hovertemplate="row %{y}, column %{x}: %{z:.3f}<extra></extra>",
        showscale=bar,
        **scale,
    )
    figure = theme.sheet(heatmap, title=title, height=height, room=theme.COLOUR_BAR_ROOM)
    (rows, cols), (row, column) = grid.values.shape, grid.place
    figure.add_shape(
        type="rect", x0=-0.5, y0=-0.5, x1=grid.frame[1] - 0.5, y1=grid.frame[0] - 0.5,
        line={"color": theme.NEUTRAL, "width": 1.5},
    )  # fmt: skip
    figure.add_scatter(
        x=[column], y=[row], mode="markers", hoverinfo="skip",
        marker={"symbol": "circle-open", "size": 12, "color": "#000", "line": {"width": 2}},
    )  # fmt: skip
    plain = {"constrain": "domain", "fixedrange": True, "nticks": 6}
    figure.update_xaxes(**plain, range=[-0.5, cols - 0.5], constraintoward="left")
    return figure.update_yaxes(
        **plain, range=[rows - 0.5, -0.5], scaleanchor="x", constraintoward="top"
    )


def _angle(before: np.ndarray, after: np.ndarray, shift: int) -> float:
    """The turn from one point to another, clockwise for negative shifts, below a full turn."""
    turn = np.arctan2(after[0], after[1]) - np.arctan2(before[0], before[1])
    return float(turn % (2 * np.pi)) if shift >= 0 else -float(-turn % (2 * np.pi))
