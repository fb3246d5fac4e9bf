"""Every layer: what a Transformer would say next if it ended earlier."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import controls, prose, show
from app.state import Transformer
from app.translations import Talk
from app.views import transformer_common
from attnviz import figures
from attnviz.data.held_out import held_out

if TYPE_CHECKING:
    from attnviz.inside import Inside

CURVES = ("probability", "rank")
ROOMY = 10  # positions: so far pieces are written as large on a phone; of more, plotly shrinks them
SHORT = 45  # letters across all columns that a phone has room for


@show.panel
def draw(talk: Talk) -> None:
    """Layers × positions over the whole width; how the right pieces come up, and facts, below."""
    found, inside = transformer_common.ran(talk)
    language = held_out(talk.card.corpus or "").target_language
    show.translation(found.text, language, transformer_common.remarks(talk, found), large=False)
    show.note(prose.text("transformer", "Every layer"))
    labels, chances = likeliest(inside)
    drawn = figures.next_pieces(labels, chances, inside.inputs, inside.target, height=480)
    if (columns := len(inside.target)) <= ROOMY:
        longest = max(len(label) for row in labels for label in row)
        drawn.update_traces(textfont_size=11 if columns * longest <= SHORT else 9)
    show.plot(drawn, key="tf_depth_map", name="every-layer", alt="Likeliest pieces by layer")
    more, truth = st.columns([11, 9], gap="large")
    with more:
        _curves(inside)
        show.explain("transformer", "Every layer")
        _take_away(talk, inside)
    with truth:
        show.facts([*_facts(inside), *transformer_common.facts(talk, found, inside)])


def likeliest(inside: Inside) -> tuple[list[list[str]], np.ndarray]:
    """The likeliest piece at every layer and position, and its probability, (N + 1, T)."""
    return [[row[0] for row in layer] for layer in inside.labels], inside.chances[..., 0]


def _curves(inside: Inside) -> None:
    which = controls.one_of("The right piece’s", CURVES, key=Transformer.RIGHT)
    share = which == "probability"
    drawn = figures.right_by_layer(
        inside.right if share else inside.ranks + 1,
        inside.target,
        axis="probability of the right piece" if share else "rank of the right piece",
        share=share,
    )
    show.plot(drawn, key="tf_depth_curves", name="right-piece", alt=f"The right piece’s {which}")


def _facts(inside: Inside) -> Iterable[tuple[str, str]]:
    first = (inside.ranks == 0).sum(1)  # of each layer, how many positions read right
    steps = len(inside.target)
    read = ", ".join(f"{count}" for count in first)
    yield "Read right", f"of {steps} positions, from the embedding to the last layer: {read}"
    yield "Readable", "only the last layer was trained to be read; the others share its table alone"
    yield "Right", "the piece that the model itself wrote, given those before it"
    yield "Curves", "thin: one piece; thick: their mean, of ranks the geometric one"


def _take_away(talk: Talk, inside: Inside) -> None:
    code = transformer_common.code(talk) + (
        "labels = [[row[0] for row in layer] for layer in inside.labels]\n"
        "chances = inside.chances[..., 0]  # (layers + 1, positions), row 0 the embedding\n"
        "print(inside.right.round(3), inside.ranks + 1)\n"
        "figures.next_pieces(labels, chances, inside.inputs, inside.target).show()\n"
    )
    show.take_away(
        key="tf_depth_data",
        name=f"{talk.model}-every-layer",
        arrays=lambda: {
            "chances": inside.chances,
            "ids": inside.ids,
            "right": inside.right,
            "ranks": inside.ranks,
            "inputs": np.array(inside.inputs),
            "target": np.array(inside.target),
        },
        table=lambda: (
            ("layers", "position", "given", "right", "probability", "rank", "likeliest", "its"),
            (
                (
                    *(n, t, inside.inputs[t], piece, inside.right[n, t], inside.ranks[n, t] + 1),
                    *(inside.labels[n][t][0], inside.chances[n, t, 0]),
                )
                for n in range(len(inside.right))
                for t, piece in enumerate(inside.target)
            ),
        ),
        code=code,
        figures=True,
    )
