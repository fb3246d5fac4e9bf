"""How far gradients reach back: vanilla RNN against LSTM, live."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import controls, prose, recurrences, show
from app.state import Rnn
from app.views import rnn_common
from app.views.rnn_common import NETWORKS
from attnviz import figures

if TYPE_CHECKING:
    from attnviz.recurrence import At, Gradients

FRESH = {"rnn": "vanilla RNN", "lstm": "LSTM"}
OF: dict[str, At] = {"inputs": "inputs", "carried state": "states"}
LEAST = 5  # sentences that reach so far back


@show.panel
def draw(corpus: str) -> None:
    """The curves at the left; what they depend on, and what they come to, at the right."""
    figure, side = st.columns([13, 8], gap="large")
    with side:
        show.note(prose.text("rnn", "Gradients"))
        length, scale, bias = _choose_network()
        at = OF[controls.one_of("Gradient of the", list(OF), key=Rnn.AT, help=_HELP)]
        trained = st.toggle(
            "Trained encoders of these sentences too", key=Rnn.TRAINED, bind="query-params"
        )
    fresh = {name: recurrences.untrained(cell, length, scale, bias) for cell, name in FRESH.items()}
    taught = _trained(corpus) if trained else {}
    curves = {name: found.curve(at) for name, found in fresh.items()}
    curves |= {name: found.curve(at, LEAST) for name, found in taught.items()}
    with figure:
        drawn = figures.gradient_reach(curves, dashed=list(taught), height=500)
        show.plot(drawn, key="rnn_gradient_reach", name="gradients", alt="Gradients by distance")
    with side:
        show.facts(
            [(name, _left(curves[name][1, -1])) for name in fresh],
            title=f"What is left {length - 1} steps back",
        )
    more, truth = st.columns([13, 8], gap="large")
    with more:
        show.explain("rnn", "Gradients")
        _take_away(curves, length, scale, bias, at)
    with truth:
        show.facts(_facts(fresh, taught, curves, length))


_HELP = (
    "The inputs are what the network reads. The carried state is h in a vanilla RNN and the cell c "
    "in an LSTM."
)


def _choose_network() -> tuple[int, float, float]:
    """Length, spectral radius and forget bias."""
    length = st.slider(
        "Length, steps", 2, 200, 60, key=Rnn.LENGTH, bind="query-params",
        help="Gradients go from the last step back to the first.",
    )  # fmt: skip
    scale = st.slider(
        "Recurrent weights, spectral radius", 0.2, 2.5, 1.0, 0.05, key=Rnn.RADIUS,
        bind="query-params",
        help="Recurrent matrices are orthogonal times this: below 1 they shrink what passes "
        "through, above 1 they stretch it.",
    )  # fmt: skip
    bias = st.slider(
        "Forget bias of the LSTM", -2.0, 6.0, 1.0, 0.5, key=Rnn.BIAS, bind="query-params",
        help="Added before the forget gate's sigmoid: the larger, the more of the cell is kept.",
    )  # fmt: skip
    return length, scale, bias


def _trained(corpus: str) -> dict[str, Gradients]:
    """Gradients of the encoders that are bundled for the corpus."""
    device = controls.chosen_device()[0]
    return {
        f"{NETWORKS[kind]}, trained": recurrences.trained(f"{corpus}_{kind}", device)
        for kind in rnn_common.networks(corpus)
    }


def _left(share: float) -> str:
    """A share of a gradient in words; it may be tiny, and it may have grown."""
    if share > 1:
        return f"{share:.3g} times the gradient: it grew"
    return f"{share:.2%} of the gradient" if share >= 0.0001 else f"{share:.1e} of the gradient"


def _facts(
    fresh: Mapping[str, Gradients],
    taught: Mapping[str, Gradients],
    curves: Mapping[str, np.ndarray],
    length: int,
) -> Iterable[tuple[str, str]]:
    networks, width = len(fresh["LSTM"].inputs), _width()
    yield (
        "Untrained",
        f"{networks} networks of {width} units, seeds 0–{networks - 1}, each with random inputs of "
        "its own; L is the last state along a random direction; float64 on the CPU",
    )
    yield "Lines", "geometric means; bands reach from the 10th to the 90th percentile"
    for name, curve in curves.items():
        steps = curve.shape[1] - 1
        if steps:
            factor = (curve[1, -1] / curve[1, 0]) ** (1 / steps)
            yield name, f"× {factor:.3f} a step on average, over {steps} steps"
    for name, found in {**fresh, **taught}.items():
        if found.forget is not None:
            alone = found.forget ** (length - 1)
            yield (
                "Forget gate",
                f"{name}: {found.forget:.3f} on average; {length - 1} of these multiply to "
                f"{alone:.1e}",
            )
    if taught:
        count = len(next(iter(taught.values())).inputs)
        yield (
            "Trained",
            f"{count} held-out sentences; L is what the decoder pays for the reference; drawn as "
            f"far back as at least {LEAST} sentences reach",
        )
    seconds = sum(found.seconds for found in (*fresh.values(), *taught.values()))
    yield "Run", f"{1000 * seconds:.0f} ms for all of them, when they were computed"


def _width() -> int:
    from attnviz.recurrence import WIDTH

    return WIDTH


def _take_away(
    curves: Mapping[str, np.ndarray], length: int, scale: float, bias: float, at: At
) -> None:
    show.take_away(
        key="rnn_gradients",
        name=f"gradients-{length}",
        arrays=lambda: dict(curves),
        table=lambda: (
            ("network", "steps_before_the_end", "low", "middle", "high"),
            (
                (name, step, *curve[:, step])
                for name, curve in curves.items()
                for step in range(curve.shape[1])
            ),
        ),
        code=(
            "from attnviz import figures\n"
            "from attnviz.recurrence import untrained_gradients\n\n"
            "curves = {\n"
            "    cell: untrained_gradients(\n"
            f"        cell, {length}, scale={scale:g}, forget_bias={bias:g}\n"
            f'    ).curve("{at}")\n'
            '    for cell in ("rnn", "lstm")\n'
            "}\n"
            "figures.gradient_reach(curves).show()\n"
        ),
        figures=True,
    )
