"""What a translator pays for each word, and how it comes to know them over its training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from attnviz.figures import theme
from attnviz.figures.matrix import MAX_LABELS

SHORT = 14  # characters of a word under its bars
_RULE = {"showline": True, "linewidth": 1, "linecolor": theme.NEUTRAL, "fixedrange": True}
_LEGEND = {"orientation": "h", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"}


def word_losses(
    words: Sequence[str],
    losses: Mapping[str, np.ndarray | Sequence[float]],
    *,
    title: str = "",
    parted: int | None = None,
    height: int = 300,
) -> go.Figure:
    """What each word cost in each of a few runs, as bars beside each other.

    Args:
        words: in the order in which they are said; the axis numbers them, so repeated ones stay
            apart.
        losses: name of a run → (words,) nats, −ln of the probability that the word got; NaN where
            a run never came to it. The last run is in the accent colour.
        parted: the word from which on the runs were given different beginnings; a dotted line.

    Raises:
        ValueError: a run has another number of losses than there are words.
    """
    colours = [*theme.CATEGORICAL[1 : len(losses)], theme.ACCENT]
    figure = theme.sheet(title=title, height=height, room=28, bargap=0.25, bargroupgap=0.05)
    for (name, values), colour in zip(losses.items(), colours, strict=True):
        if len(values) != len(words):
            raise ValueError(f"{name}: {len(values)} losses for {len(words)} words")
        figure.add_bar(
            x=np.arange(len(words), dtype=np.uint16),
            y=np.asarray(values, dtype=np.float32),
            name=theme.escape(name),
            marker={"color": colour},
            customdata=[theme.escape(word) for word in words],
            hovertemplate="%{x} %{customdata}<br>"
            f"{theme.escape(name)}: %{{y:.3~f}} nats<extra></extra>",
        )
    if parted is not None:
        line = {"color": theme.NEUTRAL, "width": 1, "dash": "dot"}
        figure.add_vline(x=parted - 0.5, line=line)
    shown = range(0, len(words), max(1, -(-len(words) // MAX_LABELS)))
    figure.update_xaxes(
        range=[-0.6, max(len(words), 1) - 0.4],
        tickvals=list(shown),
        ticktext=[f"{index} {theme.escape(_shortened(words[index]))}" for index in shown],
        tickangle=-90 if len(words) > 8 else 0,
        **_RULE,
    )
    figure.update_yaxes(title_text="loss, nats", rangemode="tozero", **_RULE)
    return figure.update_layout(barmode="group", showlegend=True, legend=_LEGEND)


def by_step(
    steps: Sequence[int],
    curves: Mapping[str, Sequence[float | None]],
    *,
    title: str = "",
    axis: str = "",
    share: bool = False,
    marked: int | None = None,
    height: int = 260,
) -> go.Figure:
    """Curves over the steps of a training, which are spaced by their logarithm.

    Args:
        steps: 1 or more, ascending.
        curves: name → one value a step; None where nothing was measured.
        axis: what the values are.
        share: values are shares of 1, drawn on a scale from 0 to 100 %.
        marked: a step to point out.

    Raises:
        ValueError: a curve has another number of values than there are steps.
    """
    figure = theme.sheet(title=title, height=height, room=28 if len(curves) > 1 else 8)
    unit = ":.1%" if share else ":.3~g"
    for (name, values), colour in zip(curves.items(), theme.CATEGORICAL, strict=False):
        if len(values) != len(steps):
            raise ValueError(f"{name}: {len(values)} values for {len(steps)} steps")
        figure.add_scatter(
            x=list(steps),
            y=np.array(values, dtype=np.float32),
            name=theme.escape(name),
            mode="lines+markers",
            line={"color": colour, "width": 2},
            marker={"size": [10 if step == marked else 5 for step in steps]},
            hovertemplate=f"step %{{x:,}}<br>{theme.escape(name)}: %{{y{unit}}}<extra></extra>",
        )
    if marked is not None:
        figure.add_vline(x=marked, line={"color": theme.NEUTRAL, "width": 1, "dash": "dot"})
    figure.update_xaxes(
        title_text="training step",
        type="log",
        tickvals=list(steps),
        ticktext=[f"{step:,}" for step in steps],
        **_RULE,
    )
    scale: dict[str, Any] = {"range": [0, 1.04], "tickformat": ".0%"} if share else {}
    figure.update_yaxes(title_text=axis, rangemode="tozero", **scale, **_RULE)
    return figure.update_layout(showlegend=len(curves) > 1, legend=_LEGEND)


def _shortened(word: str) -> str:
    return word if len(word) <= SHORT else word[: SHORT - 1] + "…"
