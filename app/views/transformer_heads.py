"""Heads: the three kinds of attention of one translation, every layer and head of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import controls, prose, show, state
from app.components.heads import Head, heads
from app.state import Transformer
from app.translations import Talk
from app.views import transformer_common
from app.views.seq2seq_common import UNITS
from app.views.transformer_common import KINDS, NAMES, Heads
from attnviz import analysis
from attnviz.data.held_out import held_out

if TYPE_CHECKING:
    from attnviz.inside import Inside
    from attnviz.translation import Translation

NONE = "none"
FIRST = "4.3"  # the head picked at first: of a late layer, and one of the sharpest


@show.panel
def draw(talk: Talk) -> None:
    """The translation, the wall of heads with its lines over the whole width, numbers below."""
    found, inside = transformer_common.ran(talk)
    words, choice = st.columns([11, 9], gap="large", vertical_alignment="bottom")
    with words:
        language = held_out(talk.card.corpus or "").target_language
        show.translation(found.text, language, transformer_common.remarks(talk, found))
    with choice, st.container(horizontal=True, vertical_alignment="bottom"):
        kind = controls.one_of("Attention", list(KINDS), key=Transformer.KIND)
        units = controls.one_of("Tokens are", UNITS, key=Transformer.UNITS)
    shown = (
        transformer_common.of_kind(inside, kind)
        if units == "pieces"
        else transformer_common.in_words(talk, found, inside, kind)
    )
    show.note(f"Shown is {NAMES[kind]}. " + prose.text("transformer", f"Heads: {kind}"))
    picked = _heads(talk, shown, kind, found, units)
    more, truth = st.columns([11, 9], gap="large")
    with more:
        if picked is not None:
            _picked(shown, picked, kind)
        show.explain("transformer", "Heads")
        _take_away(talk, inside, shown, kind, picked)
    with truth:
        show.facts([*_facts(shown, kind), *transformer_common.facts(talk, found, inside)])


def _heads(talk: Talk, shown: Heads, kind: str, found: Translation, units: str) -> Head | None:
    """The wall and the lines; the picked head is remembered in the link."""
    layers, count = shown.weights.shape[:2]
    pinned = _pinned(layers, count)
    target = kind == "cross" and units == "pieces"
    picked = heads(
        shown.weights,
        shown.queries,
        shown.keys,
        key=Transformer.HEADS,
        kind=kind,  # type: ignore[arg-type]
        mask=shown.mask,
        selected=pinned,
        probabilities=found.probabilities if target else None,
        name=f"{talk.model}-{kind}",
    )
    if picked != pinned:
        link = NONE if picked is None else f"{picked[0]}.{picked[1]}"
        state.link(Transformer.HEAD, link, FIRST)
    state.publish(Transformer.HEAD, FIRST)
    return picked


def _pinned(layers: int, count: int) -> Head | None:
    """The head of the link or of an earlier click, if there is such a one."""
    found = state.pairs(state.linked(Transformer.HEAD, FIRST))
    return next(((layer, head) for layer, head in found if layer < layers and head < count), None)


def _picked(shown: Heads, picked: Head, kind: str) -> None:
    """Where each token of one head looks most, and how widely the head looks."""
    weights = shown.weights[picked]  # (queries, keys)
    best = weights.argmax(1)
    rows = [
        (f"{query} {shown.queries[query]} → {key} {shown.keys[key]}", float(weights[query, key]))
        for query, key in enumerate(best)
    ]
    show.values(
        f"Layer {picked[0]}, head {picked[1]}: each token looks most at", rows, unit="weight"
    )
    show.labels("On average it looks at", looks(weights, kind))
    bits = float(analysis.entropy(weights, average=True))
    show.note(f"A row of this head is {bits:.2f} bits wide on average: as many as {2**bits:.1f} "
              "tokens alike.")  # fmt: skip


def looks(weights: np.ndarray, kind: str) -> list[tuple[str, float]]:
    """The mean share on usual places, each over the queries that have such a place; (q, k)."""
    places: list[tuple[str, np.ndarray]] = []
    if kind != "cross":
        places += [("the one before", np.diagonal(weights, -1)), ("itself", np.diagonal(weights))]
    if kind == "encoder":
        places.append(("the one after", np.diagonal(weights, 1)))
    if kind == "decoder":
        places.append(("the start, <s>", weights[:, 0]))
    else:
        places.append(("the end, </s>", weights[:, -1]))
    return [(name, float(shares.mean())) for name, shares in places if shares.size]


def _facts(shown: Heads, kind: str) -> Iterable[tuple[str, str]]:
    layers, count, queries, keys = shown.weights.shape
    yield "Axes", f"{layers} layers × {count} heads × {queries} that look × {keys} looked at"
    if kind == "decoder":
        yield "Tokens", "what each position was given: the piece before the one it predicts"
    yield "Colour", "one scale for all heads of the wall"


def _take_away(talk: Talk, inside: Inside, shown: Heads, kind: str, picked: Head | None) -> None:
    layer, head = picked or (0, 0)
    rows = {"encoder": "source", "cross": "target", "decoder": "inputs"}[kind]
    columns = "inputs" if kind == "decoder" else "source"
    code = transformer_common.code(talk) + (
        f'weights = inside.weights("{kind}")  # (layers, heads, queries, keys)\n'
        f"head = weights[{layer}, {head}]\n"
        f"figures.token_matrix(head, inside.{rows}, inside.{columns}, scale_max=1.0).show()\n"
    )
    show.take_away(
        key="tf_heads_data",
        name=f"{talk.model}-{kind}-heads",
        arrays=lambda: {
            **{name: inside.weights(name) for name in KINDS},
            "source": np.array(inside.source),
            "inputs": np.array(inside.inputs),
            "target": np.array(inside.target),
        },
        table=lambda: (
            ("layer", "head", "query", *(f"{i} {name}" for i, name in enumerate(shown.keys))),
            (
                (n, h, f"{i} {name}", *shown.weights[n, h, i])
                for n in range(shown.weights.shape[0])
                for h in range(shown.weights.shape[1])
                for i, name in enumerate(shown.queries)
            ),
        ),
        code=code,
    )
