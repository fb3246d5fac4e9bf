"""Horizontal bars with names and numbers written out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from attnviz.figures import theme

NAME_WIDTH = 22  # characters a line beside the bars


def labels_bar(
    names: Sequence[str],
    probabilities: np.ndarray | Sequence[float],
    *,
    title: str = "",
    marked: int | None = None,
) -> go.Figure:
    """What the model calls the picture: one bar a label, on a scale from 0 to 100 %.

    Args:
        names: label names in the order to show, first on top; long ones are wrapped.
        probabilities: (labels,), 0 to 1.
        marked: the label to show in the accent colour. Default: all of them.
    """
    values = np.asarray(probabilities, dtype=np.float32)
    colours = [theme.ACCENT if marked in (None, i) else theme.NEUTRAL for i in range(len(values))]
    bars = _bars(values, [_percent(value) for value in values], marker={"color": colours})
    return _bar_sheet([bars], names, longest=1.0, title=title)


def labels_change(
    names: Sequence[str],
    before: np.ndarray | Sequence[float],
    after: np.ndarray | Sequence[float],
    *,
    title: str = "",
) -> go.Figure:
    """How an edit changed the labels: before and after, with the change in percentage points.

    Args:
        names: label names in the order to show.
        before, after: (labels,) probabilities, 0 to 1.
    """
    old = np.asarray(before, dtype=np.float32)
    new = np.asarray(after, dtype=np.float32)
    moved = [f"{_percent(b)} ({_points(b - a)})" for a, b in zip(old, new, strict=True)]
    traces = [
        _bars(old, [_percent(value) for value in old], name="before", marker_color=theme.NEUTRAL),
        _bars(new, moved, name="after", marker_color=theme.ACCENT),
    ]
    return _bar_sheet(traces, names, longest=1.0, text_room=0.55, title=title)


def data_path(stages: Mapping[str, np.ndarray | Sequence[int]], *, title: str = "") -> go.Figure:
    """The path of the data through the model: at each stage its shape and how many numbers it is.

    Args:
        stages: name → array or shape, in the order of the forward pass.
    """
    shapes = [tuple(getattr(stage, "shape", stage)) for stage in stages.values()]
    sizes = np.array([math.prod(shape) for shape in shapes], dtype=np.float32)
    texts = [" × ".join(str(size) for size in shape) for shape in shapes]
    bars = _bars(
        sizes,
        texts,
        marker={"color": theme.ACCENT},
        hovertemplate="%{y}: %{text}<br>%{x:,} numbers<extra></extra>",
    )
    longest = float(sizes.max(initial=1.0))
    return _bar_sheet([bars], list(stages), longest=longest, text_room=0.45, title=title)


def _bars(values: np.ndarray, texts: list[str], **options: Any) -> go.Bar:
    """Bars at 0, 1, 2, … with their values written at the end."""
    return go.Bar(
        x=values,
        y=np.arange(len(values), dtype=np.uint8),
        orientation="h",
        text=[theme.escape(text) for text in texts],
        textposition="outside",
        cliponaxis=False,
        constraintext="none",
        **({"hovertemplate": "%{y}<br>%{text}<extra></extra>"} | options),
    )


def _bar_sheet(
    traces: list[go.Bar],
    names: Sequence[str],
    *,
    longest: float,
    title: str,
    text_room: float = 0.25,
) -> go.Figure:
    """Bars under each other, names at the left, room for the numbers at the right."""
    for trace in traces:
        if len(trace.x) != len(names):
            raise ValueError(f"{len(names)} names for {len(trace.x)} values")
    wrapped = [theme.wrap(name, NAME_WIDTH) for name in names]
    lines = max((theme.line_count(name) for name in wrapped), default=1)
    row = max(lines * 17 + 12, 22 * len(traces) + 12)  # pixels
    legend = len(traces) > 1
    room = 28 if legend else 4
    plot = row * max(len(names), 1)
    figure = theme.sheet(*traces, title=title, plot=plot, room=room, bargap=0.35, bargroupgap=0.1)
    figure.update_xaxes(visible=False, fixedrange=True, range=[0, longest * (1 + text_room)])
    figure.update_yaxes(
        range=[len(names) - 0.5, -0.5],
        tickvals=list(range(len(names))),
        ticktext=wrapped,
        fixedrange=True,
        showline=True,
        linewidth=1,
        linecolor=theme.NEUTRAL,
    )
    if legend:
        figure.update_layout(
            showlegend=True,
            legend={"orientation": "h", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"},
        )
    return figure


def _percent(value: float) -> str:
    if 0 < value < 0.001:
        return "< 0.1 %"
    return f"{value * 100:.1f} %"


def _points(change: float) -> str:
    """A change in percentage points, signed; no sign when it rounds to nothing."""
    points = round(float(change) * 100, 1)
    return f"{points:+.1f}".replace("-", "−") if points else "±0.0"
