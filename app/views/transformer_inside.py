"""Inside: what each sublayer adds, what LayerNorm does to it, and the feed-forward net."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import controls, prose, show, translations
from app.state import Transformer
from app.translations import Talk
from app.views import transformer_common
from attnviz import figures
from attnviz.analysis import SUBLAYERS, Sublayer, standardised, sublayers
from attnviz.figures.studies import matrix_panels

if TYPE_CHECKING:
    from attnviz.inside import Inside

MOST = 0.98  # the quantile that colours end at, so that single outliers do not bleach the rest

SHORT = {"self-attention": "self-attn", "cross-attention": "cross-attn", "feed-forward": "feed-fwd"}

Facts = Iterable[tuple[str, str]]


@dataclass(frozen=True)
class Chosen:
    """What the pickers stand on.

    Args:
        all: the sublayers of the stack; one: the picked one.
        labels: of the stack's positions.
    """

    talk: Talk
    inside: Inside
    stack: str
    all: tuple[Sublayer, ...]
    one: Sublayer
    labels: tuple[str, ...]


@show.panel
def draw(talk: Talk) -> None:
    """The pickers, the figures of one part over the whole width, and below what they say."""
    found, inside = transformer_common.ran(talk)
    part, chosen = _pickers(talk, inside)
    show.note(prose.text("transformer", f"Inside: {part}"))
    own = list(PARTS[part](chosen))  # draws, too
    for remark in transformer_common.remarks(talk, found):
        show.note(remark)
    more, truth = st.columns([11, 9], gap="large")
    with more:
        show.explain("transformer", "Inside")
        _take_away(chosen)
    with truth:
        show.facts([*own, *transformer_common.facts(talk, found, inside)])


def _pickers(talk: Talk, inside: Inside) -> tuple[str, Chosen]:
    part = controls.one_of("Part", list(PARTS), key=Transformer.PART)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        stack = controls.one_of("Stack", list(SUBLAYERS), key=Transformer.STACK)
        every = sublayers(inside.stages, stack)
        count = every[-1].layer + 1
        layer = int(controls.one_of("Layer", [str(n) for n in range(count)], key=Transformer.DEPTH))
        name = SUBLAYERS[stack][-1]
        if part in BY_SUBLAYER:
            name = controls.one_of("Sublayer", SUBLAYERS[stack], key=Transformer.SUBLAYER)
    one = next(s for s in every if (s.layer, s.name) == (layer, name))
    labels = inside.source if stack == "encoder" else inside.inputs
    return part, Chosen(talk, inside, stack, every, one, labels)


def _residual(chosen: Chosen) -> Facts:
    """Lengths of all sublayers at all positions, then the vectors of the picked one."""
    every, one = chosen.all, chosen.one
    added = np.array([np.linalg.norm(s.added, axis=-1) for s in every])
    stream = np.array([np.linalg.norm(s.entering, axis=-1) for s in every])
    _by_sublayer(chosen, {"what is added": added, "what it is added to": stream}, "length")
    show.small(f"Layer {one.layer}, {one.name}: every number of every position")
    four = {
        "x": one.entering,
        f"+ {one.name}(x)": one.added,
        "= the sum": one.summed,
        "LayerNorm of it": one.normed,
    }
    _vectors(chosen, four, "value", key="tf_inside_vectors")
    ratio = added / stream
    most = int(ratio.mean(1).argmax())
    yield "Length", f"the Euclidean one; vectors have {one.added.shape[1]} numbers"
    yield (
        "Adds most",
        f"{every[most].name} of layer {every[most].layer}: {ratio[most].mean():.2f} times the "
        "length of what it reads, in the mean over positions",
    )
    apart = max(
        float(np.abs(after.entering - before.normed).max()) for before, after in pairwise(every)
    )
    yield "Stream", f"each sublayer reads what the last LayerNorm gave, within {apart:.1e}"


def _norm(chosen: Chosen) -> Facts:
    """Deviations before and after at every sublayer, then the picked one by position."""
    every, one = chosen.all, chosen.one
    before = np.array([s.summed.std(-1) for s in every])
    after = np.array([s.normed.std(-1) for s in every])
    _by_sublayer(chosen, {"before LayerNorm": before, "after it": after}, "deviation")
    plain = standardised(one.summed)
    gain, bias = translations.gain_and_bias(chosen.talk, chosen.stack, one.layer, one.number)
    stages = {"the sum": one.summed, "centred and scaled": plain, "with gain and bias": one.normed}
    show.small(f"Layer {one.layer}, after {one.name}: the numbers of each vector")
    left, right = st.columns(2, gap="large")
    for place, axis, measure in ((left, "mean", np.mean), (right, "deviation", np.std)):
        curves = {name: measure(values, axis=-1) for name, values in stages.items()}
        with place:
            drawn = figures.by_position(chosen.labels, curves, axis=axis, height=300)
            show.plot(drawn, key=f"tf_inside_{axis}", name=axis, alt=f"The {axis} by position")
    off = float(np.abs(plain * gain + bias - one.normed).max())
    yield "Mean", f"of the centred and scaled: 0 within {np.abs(plain.mean(-1)).max():.1e}"
    yield "Deviation", f"of the same: 1 within {np.abs(plain.std(-1) - 1).max():.1e}"
    yield "By hand", f"with the model’s gain and bias it is the layer’s own within {off:.1e}"
    yield (
        "Gain, bias",
        f"{gain.min():.2f} to {gain.max():.2f}, {bias.min():.2f} to {bias.max():.2f}",
    )


def _feed_forward(chosen: Chosen) -> Facts:
    """The hidden units of one layer at every position, busiest first, and their silence."""
    one, labels = chosen.one, chosen.labels
    every = chosen.inside.layers(f"{chosen.stack}.layers.{{}}.feed_forward.hidden")  # (N, t, m)
    hidden = every[one.layer]
    order = np.argsort(-hidden.max(0), kind="stable")
    named = [f"{i} {label}" for i, label in enumerate(labels)]
    drawn = matrix_panels(
        {"units after ReLU, the strongest first": hidden[:, order]},
        [named],
        columns=1,
        name="activation",
        colours="viridis",
        maximum=float(np.quantile(hidden, 0.995)) or None,
        height=150 + 24 * len(labels),
    )
    show.plot(drawn, key="tf_inside_hidden", name="hidden", alt="Hidden units by position")
    left, right = st.columns([12, 8], gap="large")
    silent = (every == 0).mean(-1)  # (N, t)
    with left:
        _by_layer(silent, named)
    with right:
        best = hidden.argmax(1)
        rows = [
            (f"{name}: unit {best[i]}", float(hidden[i, best[i]])) for i, name in enumerate(named)
        ]
        show.values("The strongest unit of each position", rows, unit="activation")
    never = int((hidden.max(0) == 0).sum())
    yield "Zeros", f"{silent[one.layer].mean():.1%} of this layer’s activations are exactly 0"
    yield "Silent", f"{never} of {hidden.shape[1]} units are 0 at every position of this sentence"
    yield "Order", "units are sorted by their largest activation here; the data have their numbers"


def _convolution(chosen: Chosen) -> Facts:
    """One net both ways over the same states."""
    one = chosen.one
    matrices, convolutions = translations.fed_forward(
        chosen.talk, chosen.stack, one.layer, one.entering
    )
    apart = np.abs(matrices - convolutions)
    three = {
        "two matrices": matrices,
        "two convolutions": convolutions,
        "difference": matrices - convolutions,
    }
    show.small(f"The largest difference is {apart.max():.1e}, where values reach "
               f"{np.abs(matrices).max():.2f}.")  # fmt: skip
    _vectors(chosen, three, "value", key="tf_inside_convolution", columns=3)
    hidden = chosen.inside.stages[f"{chosen.stack}.layers.{one.layer}.feed_forward.hidden"]
    d, m = one.added.shape[1], hidden.shape[1]
    yield "Kernels", f"{m} × {d} × 1 and {d} × {m} × 1: the two matrices with one more axis"
    yield "Largest difference", f"{apart.max():.1e} of {apart.size:,} numbers; rounding of float32"
    recorded = np.abs(matrices - one.added).max()
    yield "Recorded", f"what the layer added in its own run is the same within {recorded:.1e}"


PARTS: dict[str, Callable[[Chosen], Facts]] = {
    "Residual stream": _residual,
    "LayerNorm": _norm,
    "Feed-forward": _feed_forward,
    "1×1 convolution": _convolution,
}
BY_SUBLAYER = ("Residual stream", "LayerNorm")


def _by_sublayer(chosen: Chosen, panels: dict[str, np.ndarray], name: str) -> None:
    """One number for each sublayer and position, in panels beside each other."""
    rows = [f"{s.layer} {SHORT[s.name]}" for s in chosen.all]
    across = [f"{i} {label}" for i, label in enumerate(chosen.labels)]
    drawn = matrix_panels(
        panels, [rows] * len(panels), across=[across] * len(panels), columns=len(panels),
        name=name, colours="viridis", height=190 + 19 * len(rows),
        maximum=float(np.quantile(np.stack(list(panels.values())), MOST)) or None,
    )  # fmt: skip
    show.plot(drawn, key="tf_inside_map", name=name, alt=f"The {name} by sublayer and position")


def _by_layer(silent: np.ndarray, named: list[str]) -> None:
    drawn = matrix_panels(
        {"share of zeros": silent}, [[f"layer {n}" for n in range(len(silent))]],
        across=[named], columns=1, name="share", colours="cividis", maximum=1.0, height=330,
    )  # fmt: skip
    show.plot(drawn, key="tf_inside_zeros", name="zeros", alt="Share of zeros by layer")


def _vectors(
    chosen: Chosen, panels: dict[str, np.ndarray], name: str, *, key: str, columns: int = 2
) -> None:
    """Vectors of all positions in panels, one scale around zero."""
    rows = [f"{i} {label}" for i, label in enumerate(chosen.labels)]
    every = np.abs(np.concatenate([panel.ravel() for panel in panels.values()]))
    lines = -(-len(panels) // columns)
    drawn = matrix_panels(
        panels, [rows] * len(panels), columns=columns, name=name,
        maximum=float(np.quantile(every, MOST)) or None,
        height=110 + lines * (60 + 17 * len(rows)),
    )  # fmt: skip
    show.plot(drawn, key=key, name=name, alt="Every number of every position")


def _take_away(chosen: Chosen) -> None:
    talk, stack, one = chosen.talk, chosen.stack, chosen.one
    hidden = chosen.inside.stages[f"{stack}.layers.{one.layer}.feed_forward.hidden"]
    code = transformer_common.code(talk) + (
        "from attnviz.analysis import standardised, sublayers\n"
        "from attnviz.feed_forward import both_ways\n\n"
        f'every = sublayers(inside.stages, "{stack}")\n'
        f"one = next(s for s in every if (s.layer, s.name) == ({one.layer}, {one.name!r}))\n"
        "print(one.added.shape, standardised(one.summed).std(-1))\n"
        f'net = next(s for s in every if (s.layer, s.name) == ({one.layer}, "feed-forward"))\n'
        f'matrices, convolutions = both_ways(model, "{stack}", {one.layer}, net.entering)\n'
        "print(abs(matrices - convolutions).max())\n"
    )
    show.take_away(
        key="tf_inside",
        name=f"{talk.model}-{stack}-layer-{one.layer}",
        arrays=lambda: {
            "entering": one.entering,
            "added": one.added,
            "summed": one.summed,
            "normed": one.normed,
            "hidden": hidden,
            "stream": chosen.inside.stream(stack),
            "labels": np.array(chosen.labels),
        },
        table=lambda: (
            ("layer", "sublayer", "position", "token", "added", "stream", "mean", "deviation"),
            (
                (
                    *(s.layer, s.name, i, label, np.linalg.norm(s.added[i])),
                    *(np.linalg.norm(s.entering[i]), s.summed[i].mean(), s.summed[i].std()),
                )
                for s in chosen.all
                for i, label in enumerate(chosen.labels)
            ),
        ),
        code=code,
        figures=True,
    )
