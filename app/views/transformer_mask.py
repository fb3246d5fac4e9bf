"""Mask: the look-ahead mask before the softmax, cell by cell, and what leaks through it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import controls, prose, show, state, translations
from app.components.alignment import Cell, alignment
from app.state import Transformer
from app.translations import Talk
from app.views import transformer_common
from attnviz import figures
from attnviz.figures.leaks import leak_matrix

if TYPE_CHECKING:
    from attnviz.inside import Inside
    from attnviz.interventions import Intervention
    from attnviz.translation import Translation

MASKS = ("look-ahead", "no mask", "last two", "itself")
TALL = 256  # of a matrix, pixels
BARS = 164  # its colour bar and labels


@show.panel
def draw(talk: Talk) -> None:
    """Scores, mask and weights of one head beside each other; what comes of it below."""
    found, inside = transformer_common.ran(talk)
    layers, count, size = inside.weights("decoder").shape[:3]
    show.note(prose.text("transformer", "Mask"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = controls.one_of("Mask", MASKS, key=Transformer.MASK)
        layer = int(controls.one_of("Layer", _names(layers), key=Transformer.MASK_LAYER))
        head = int(controls.one_of("Head", _names(count), key=Transformer.MASK_HEAD))
    shown, intervention = _edited(name, size)
    edited = translations.looked_inside(talk, found.ids, intervention)
    _panels(edited, shown, layer, head)
    leaky = translations.leaks(talk, found.ids, intervention)
    left, right = st.columns(2, gap="large")
    with left:
        _predictions(found, inside, edited)
    with right:
        show.small("Leak test")
        show.note(" ".join(sentences(leaky, shown)))
        drawn = leak_matrix(leaky, first=0, height=360)
        show.plot(drawn, key="tf_leaks", name="leak-test", alt="Which predictions changed")
    more, truth = st.columns(2, gap="large")
    with more:
        show.explain("transformer", "Mask")
        _take_away(talk, found, edited, leaky, shown, intervention, layer, head)
    with truth:
        show.facts([*_facts(edited, leaky, shown), *transformer_common.facts(talk, found, edited)])


def _names(count: int) -> list[str]:
    return [str(place) for place in range(count)]


def preset(name: str, size: int) -> np.ndarray:
    """A mask by its name, (size, size), True where a position may look."""
    past = np.tril(np.ones((size, size), dtype=bool))
    if name == "no mask":
        return np.ones_like(past)
    if name == "last two":
        return past & ~np.tril(past, -2)
    return np.eye(size, dtype=bool) if name == "itself" else past


def _edited(name: str, size: int) -> tuple[np.ndarray, Intervention]:
    """The mask with the cells that were turned over in it, and what it changes in the model."""
    from attnviz.interventions import Intervention

    shown = preset(name, size)
    for query, key in state.pairs(state.linked(Transformer.TURNED)):
        if query < size and key < size:
            shown[query, key] ^= True
    state.publish(Transformer.TURNED)
    changed = shown ^ preset(MASKS[0], size)
    cells = ((int(query), int(key)) for query, key in np.argwhere(changed))
    return shown, Intervention(turned=tuple(cells))


def _panels(edited: Inside, shown: np.ndarray, layer: int, head: int) -> None:
    """Scores → mask → weights of one head; a click turns a cell of the mask over."""
    labels = edited.inputs
    scores, mask, weights = st.columns(3, gap="medium")
    with scores:
        show.small("Scores, before the mask")
        drawn = figures.token_matrix(
            edited.scores("decoder")[layer, head], labels,
            name="score", colours="diverging", height=TALL + BARS,
        )  # fmt: skip
        show.plot(drawn, key="tf_mask_scores", name="scores", alt="Scores before the mask")
    with mask:
        show.small("Mask: click a cell to hide it or show it")
        alignment(
            shown.astype(np.float32), labels, labels,
            key=Transformer.CELLS, height=TALL, name="mask", colours="cividis",
            scale="0: may not look, 1: may look", axes=("key", "query"), on_change=_turn,
        )  # fmt: skip
        if state.linked(Transformer.TURNED):
            st.button("Turn all back", on_click=_back, key="tf_back", type="tertiary")
    with weights:
        show.small("Weights, after the softmax")
        drawn = figures.token_matrix(
            edited.weights("decoder")[layer, head], labels, scale_max=1.0, height=TALL + BARS
        )
        show.plot(drawn, key="tf_mask_weights", name="weights", alt="Weights after the softmax")


def _turn(cell: Cell | None) -> None:
    """A click on the pinned cell again reports that none is pinned."""
    clicked = st.session_state.get(Transformer.CELL_CLICKED) if cell is None else cell
    st.session_state[Transformer.CELL_CLICKED] = cell
    if clicked is None:
        return
    turned = set(state.pairs(state.linked(Transformer.TURNED))) ^ {tuple(clicked)}
    state.link(Transformer.TURNED, "-".join(f"{query}.{key}" for query, key in sorted(turned)))


def _back() -> None:
    state.link(Transformer.TURNED, "")


def _predictions(found: Translation, inside: Inside, edited: Inside) -> None:
    """What each piece of the translation cost before and after."""
    losses = {
        "with the look-ahead mask": -np.log(np.maximum(inside.right[-1], 1e-12)),
        "with this mask": -np.log(np.maximum(edited.right[-1], 1e-12)),
    }
    show.small("The translation, given piece by piece")
    says = [row[0] for row in edited.labels[-1]]
    wrong = [i for i, name in enumerate(says) if name != found.target[i]]
    show.tokens([("given it, says", says, wrong)])
    drawn = figures.word_losses(found.target, losses, height=300)
    show.plot(drawn, key="tf_mask_losses", name="losses", alt="What each piece cost")


def sentences(leaky: np.ndarray, shown: np.ndarray) -> Iterable[str]:
    """The leak test in words; positions count from 0, as the labels do.

    Args:
        leaky: (T, T), how far prediction i (row) moved when input j (column) was exchanged.
        shown: (T, T), the mask.
    """
    pairs = np.argwhere(np.triu(leaky, 1) > 0)
    if not len(pairs):
        yield "No prediction depends on a later input: nothing leaks."
    for row in np.unique(pairs[:, 0])[:3]:
        later = ", ".join(str(j) for i, j in pairs if i == row)
        yield f"Prediction {row} depends on the later input {later}: the mask leaks."
    if (more := len(np.unique(pairs[:, 0])) - 3) > 0:
        yield f"So do {more} more."
    for row in np.flatnonzero(~shown.any(1)):
        yield f"Position {row} may look at nothing: its weights are all zero."


def _facts(edited: Inside, leaky: np.ndarray, shown: np.ndarray) -> Iterable[tuple[str, str]]:
    from attnviz.inside import ROUNDING

    hidden = edited.weights("decoder")[:, :, ~shown]
    largest = float(hidden.max()) if hidden.size else 0.0
    yield "Hidden cells", f"{int((~shown).sum())}; the largest weight in all heads is {largest:g}"
    yield (
        "Test",
        f"each of {len(leaky)} inputs exchanged for another piece, the decoder run again; numbers "
        f"are the largest change of a probability, 0 up to {ROUNDING:g}",
    )
    yield "Given", "the model's own translation, all at once: a free run has no future to look at"


def _take_away(
    talk: Talk,
    found: Translation,
    edited: Inside,
    leaky: np.ndarray,
    shown: np.ndarray,
    intervention: Intervention,
    layer: int,
    head: int,
) -> None:
    code = transformer_common.code(talk) + (
        "from attnviz.inside import leaks\n"
        "from attnviz.interventions import Intervention, edits\n\n"
        f"mask = edits(model, Intervention(turned={intervention.turned!r}))\n"
        "inside = look_inside(model, tokeniser, found.sentence, found.ids, edits=mask)\n"
        f'weights = inside.weights("decoder")[{layer}, {head}]\n'
        "print(leaks(model, tokeniser, found.sentence, found.ids, edits=mask).round(3))\n"
        "figures.token_matrix(weights, inside.inputs, scale_max=1.0).show()\n"
    )
    show.take_away(
        key="tf_mask_data",
        name=f"{talk.model}-mask",
        arrays=lambda: {
            "mask": shown,
            "scores": edited.scores("decoder"),
            "weights": edited.weights("decoder"),
            "leaks": leaky,
            "right": edited.right[-1],
        },
        table=lambda: (
            ("prediction", *(f"input {i} {name}" for i, name in enumerate(edited.inputs))),
            ((f"{i} {name}", *leaky[i]) for i, name in enumerate(found.target)),
        ),
        code=code,
        figures=True,
    )
