"""Permutation: shuffle the inputs and the outputs shuffle along, until positions are added."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import controls, prose, show, studies
from app.state import Studies
from app.translations import Talk
from app.views import attention_examples, seq2seq_common
from attnviz.figures.studies import matrix_panels

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from attnviz.attention_studies.permutation import Shuffled

ORDERS = ("shuffled", "reversed", "first two swapped")
SHOWN = ("outputs", "attention weights", "inputs")
FIRST = 40  # of a row's numbers are drawn
CASES = {False: "no positions", True: "positions added"}


@show.panel
def draw() -> None:
    """Before, after, and the difference once rows are put back; with positions underneath."""
    figure, side = st.columns([13, 8], gap="large")
    with side:
        show.note(prose.text("attention", "Permutation"))
        talk = attention_examples.choose()
        _, names = studies.rows(talk)
        order = _order(len(names))
        what = controls.one_of("Matrices of", SHOWN, key=Studies.SHOWN)
    found = {added: studies.shuffled(talk, order, added) for added in CASES}
    with figure:
        drawn = _figure(found, names, what)
        show.plot(drawn, key="attn_shuffled", name="permutation", alt="Rows before and after")
    with side:
        show.tokens([("X", names, ()), ("P X", [names[i] for i in order], _moved(order))])
        show.facts(_verdict(found), title="Largest difference once rows are put back")
    more, truth = st.columns([13, 8], gap="large")
    with more:
        show.explain("attention", "Permutation")
        _take_away(talk, found, names, order)
    with truth:
        show.facts(_facts(talk, found))


def _order(count: int) -> list[int]:
    """The places' tokens after the shuffle that is chosen."""
    kind = controls.one_of("Order of the tokens", ORDERS, key=Studies.ORDER)
    if kind == "reversed":
        return list(range(count))[::-1]
    if kind == "first two swapped":
        return [1, 0, *range(2, count)][:count]
    seed = st.slider("Shuffle", 0, 20, 1, key=Studies.SHUFFLE, bind="query-params")
    return np.random.default_rng(seed).permutation(count).tolist()


def _moved(order: list[int]) -> list[int]:
    return [place for place, token in enumerate(order) if place != token]


def _figure(found: Mapping[bool, Shuffled], names: tuple[str, ...], what: str) -> go.Figure:
    rows = [f"{i} {name}" for i, name in enumerate(names)]
    mixed = [rows[i] for i in found[False].order]
    panels, labels, across = {}, [], []
    for added in CASES:
        x, shuffled = ("X + E", "P X + E") if added else ("X", "P X")
        titles = (f"f({x})", f"f({shuffled})", "difference, E" if added else "difference")
        for title, matrix, down in zip(
            titles, _matrices(found[added], what), (rows, mixed, rows), strict=True
        ):
            panels[title] = matrix
            labels.append(down)
            across.append(down)
    every = np.concatenate([matrix.ravel() for matrix in panels.values()])
    return matrix_panels(
        panels, labels, columns=3, across=across if what == SHOWN[1] else None,
        name=f"{what}, one scale for all", maximum=float(np.percentile(np.abs(every), 96)),
        gap=0.09, height=600,
    )  # fmt: skip


def _matrices(found: Shuffled, what: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Before, after, and the difference with the rows put back."""
    if what == SHOWN[1]:
        return found.weights[0, 0], found.weights[1, 0], found.weight_difference[0]
    if what == SHOWN[2]:
        before, after = found.inputs
        return before[:, :FIRST], after[:, :FIRST], (after[found.back] - before)[:, :FIRST]
    before, after = found.outputs
    return before[:, :FIRST], after[:, :FIRST], found.difference[:, :FIRST]


def _verdict(found: Mapping[bool, Shuffled]) -> Iterable[tuple[str, str]]:
    for added, case in CASES.items():
        each = found[added]
        off, largest, weights = (
            float(np.abs(values).max())
            for values in (each.difference, each.outputs[0], each.weight_difference)
        )
        yield (
            case.capitalize(),
            f"{off:.1g} in outputs of up to {largest:.1f}; {weights:.1g} in the weights",
        )


def _facts(talk: Talk, found: Mapping[bool, Shuffled]) -> Iterable[tuple[str, str]]:
    each = found[False]
    heads, tokens = each.weights.shape[1:3]
    width = each.inputs.shape[2]
    off = max(
        float(np.abs(run.weights.sum(-1, dtype=np.float64) - 1).max()) for run in found.values()
    )
    yield "Difference", "rows of f(P X) put back in their old order, minus those of f(X)"
    yield "Rows", f"{tokens} tokens; weights sum to 1, the largest deviation measured is {off:.1e}"
    yield "Columns", f"the first {min(FIRST, width)} of {width} numbers; weights are head 0’s"
    yield "Colour", "blue below zero, red above; cut where 4 % of the numbers lie beyond"
    yield "Inputs", f"trained embeddings × √{width}; {seq2seq_common.weights_of(talk.card)}"
    yield (
        "Layer",
        f"self-attention of {heads} heads with fresh weights, seed {studies.SEED}: it holds for "
        "any weights",
    )
    yield "Positions", "E: sinusoids (Vaswani et al. 2017, §3.5), added after the shuffle"
    yield "Run", "cpu, float32: what is left without positions is rounding"


def _take_away(
    talk: Talk, found: Mapping[bool, Shuffled], names: tuple[str, ...], order: list[int]
) -> None:
    show.take_away(
        key="attn_permutation",
        name="permutation",
        arrays=lambda: (
            {
                f"{part}_{CASES[added].replace(' ', '_')}": getattr(each, part)
                for added, each in found.items()
                for part in ("inputs", "weights", "outputs")
            }
            | {"order": np.array(order)}
        ),
        table=lambda: (
            ("token", "piece", "moved_to", *(f"difference_{case}" for case in CASES.values())),
            (
                (
                    i,
                    name,
                    int(found[False].back[i]),
                    *(float(np.abs(found[added].difference[i]).max()) for added in CASES),
                )
                for i, name in enumerate(names)
            ),
        ),
        code=attention_examples.code(talk)
        + (
            "\nfrom attnviz.attention_studies.permutation import shuffled\n\n"
            f"order = {order}\n"
            "for positions in (False, True):\n"
            "    found = shuffled(layer, inputs, order, positions=positions)\n"
            "    print(positions, abs(found.difference).max())\n"
        ),
        figures=True,
    )
