"""Without positions a whole encoder sees a set of words; with them, a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import places, prose, show
from app.state import Positions
from app.translations import Talk
from app.views import positions_common, seq2seq_common
from attnviz.figures.studies import matrix_panels

if TYPE_CHECKING:
    from attnviz.position_study import Moved

CASES = {False: "no positions", True: "positions added"}


@show.panel
def draw() -> None:
    """How far each output lies from each output after the shuffle, without and with positions."""
    left, side = st.columns([13, 8], gap="large")
    with side:
        show.note(prose.text("positions", "Permutation"))
        talk = positions_common.sentence()
        names = positions_common.names(talk)
        seed = st.slider("Shuffle", 0, 20, 1, key=Positions.SHUFFLE, bind="query-params")
        order = np.random.default_rng(seed).permutation(len(names)).tolist()
        moved = [place for place, token in enumerate(order) if place != token]
        shuffled = [names[token] for token in order]
        show.tokens([("before", names, ()), ("after", shuffled, moved)])
    found = {added: places.moved(talk, order, added) for added in CASES}
    with left:
        rows = positions_common.numbered(names)
        across = positions_common.spaced(len(names))
        panels = {CASES[added]: each.distances for added, each in found.items()}
        figure = matrix_panels(
            panels, [rows] * 2, across=[across] * 2, columns=2, colours="viridis",
            name="distance of two outputs", height=480,
        )  # fmt: skip
        show.plot(figure, key="pos_moved", name="shuffled", alt="Distances before and after")
    with side:
        show.facts(_verdict(found), title="Largest difference once rows are put back")
    more, truth = st.columns([13, 8], gap="large")
    with more:
        show.explain("positions", "Permutation")
        _take_away(talk, found, order)
    with truth:
        show.facts(_facts(talk, found))


def _verdict(found: Mapping[bool, Moved]) -> Iterable[tuple[str, str]]:
    for added, case in CASES.items():
        each = found[added]
        largest = float(np.abs(each.before).max())
        yield case.capitalize(), f"{each.deviation:.2g} in outputs of up to {largest:.1f}"


def _facts(talk: Talk, found: Mapping[bool, Moved]) -> Iterable[tuple[str, str]]:
    tokens, width = found[False].before.shape
    yield (
        "Cell",
        "Euclidean distance of a token’s output before (down) and a place’s after (across), "
        f"{width} numbers each; 0 is the same output",
    )
    yield "Dark cells", "without positions each token finds itself again, wherever it went"
    yield "Tokens", f"{tokens}; one that stands there twice has two dark cells: only places differ"
    yield "Encoder", "all layers, trained with positions; without them it runs on bare embeddings"
    yield "Weights", seq2seq_common.weights_of(talk.card)
    yield "Held out", seq2seq_common.held_out_scores(talk.card)
    yield "Run", "cpu, float64: what is left without positions is rounding"


def _take_away(talk: Talk, found: Mapping[bool, Moved], order: list[int]) -> None:
    names = positions_common.numbered(positions_common.names(talk))
    show.take_away(
        key="pos_permutation",
        name="shuffled-sentence",
        arrays=lambda: (
            {
                f"{part}_{CASES[added].replace(' ', '_')}": getattr(each, part)
                for added, each in found.items()
                for part in ("before", "after", "distances")
            }
            | {"order": np.array(order)}
        ),
        table=lambda: (
            ("place_after", "token", *(f"difference_{case}" for case in CASES.values())),
            (
                (place, names[token], *(each.distances[token, place] for each in found.values()))
                for place, token in enumerate(order)
            ),
        ),
        code=positions_common.code(talk, "shuffle")
        + (
            f"\norder = {order}\n"
            "for positions in (False, True):\n"
            "    print(positions, shuffle(model, ids, order, positions=positions).deviation)\n"
        ),
        figures=True,
    )
