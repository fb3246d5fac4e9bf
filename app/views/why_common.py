"""What the views of layers' costs share: their colours, one picker, how numbers are said."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from attnviz.complexity import CONVOLUTION, LSTM, RECURRENT, RESTRICTED, RNN, SELF
from attnviz.figures import theme

COLOURS = {
    SELF: theme.CATEGORICAL[0],
    RECURRENT: theme.CATEGORICAL[1],
    RNN: theme.CATEGORICAL[1],
    LSTM: theme.CATEGORICAL[1],
    CONVOLUTION: theme.CATEGORICAL[2],
    RESTRICTED: theme.CATEGORICAL[3],
}


def size(label: str, options: Sequence[int], default: int, *, key: str) -> int:
    """One of a few sizes, on a slider, in the link."""
    return st.select_slider(label, list(options), default, key=key, bind="query-params")


def short(value: float) -> str:
    """A number in three digits, such as ``16.8 M``; below a million whole."""
    for power, letter in ((12, "T"), (9, "G"), (6, "M")):
        if value >= 10**power:
            return f"{value / 10**power:,.3g} {letter}"
    return f"{value:,.0f}"
