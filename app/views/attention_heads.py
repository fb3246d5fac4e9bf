"""Heads: one of size d against h of size d/h, at equal cost, on a task that needs two of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import controls, prose, show, studies
from app.state import Studies
from attnviz.figures.studies import losses_by_step, matrix_panels

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from attnviz.attention_studies.heads import Cost, Learned

WIDTH, TOKENS = 256, 128  # of the layers whose cost is counted


@show.panel
def draw() -> None:
    """Losses of the trainings at the left, what they cost at the right, where heads look below."""
    from attnviz.attention_studies.heads import HEADS, ONE_AVERAGE

    figure, side = st.columns([13, 8], gap="large")
    with side:
        show.note(prose.text("attention", "Heads"))
        seed = st.slider(
            "Start of the training", 0, 20, 0, key=Studies.START, bind="query-params",
            help="A seed: of the first weights, and of the sequences. Another one trains again.",
        )  # fmt: skip
    with figure:
        found = _learned(HEADS, seed)
        drawn = losses_by_step(
            {_name(heads): each.losses for heads, each in found.items()},
            floor=ONE_AVERAGE, floor_name="the best that one average can do",
            axis="squared error of both contents", height=440,
        )  # fmt: skip
        show.plot(drawn, key="attn_losses", name=f"heads-{seed}", alt="Losses by training step")
    with side:
        show.facts(_errors(found), title="Squared error on 1,000 fresh sequences")
        show.small(f"The same cost: width {WIDTH}, {TOKENS} tokens")
        prices = studies.costs(WIDTH, TOKENS)
        show.table(
            ("heads × size", "parameters", "multiply-adds", "fused", "written out"),
            [_price(cost) for cost in prices],
        )
    several = [str(heads) for heads in HEADS[1:]]
    chosen = int(controls.one_of("One head beside", several, key=Studies.HEADS))
    pair = {1: found[1], chosen: found[chosen]}
    drawn = _weights(pair)
    show.plot(drawn, key="attn_head_weights", name=f"head-weights-{seed}", alt="Weights of heads")
    more, truth = st.columns([13, 8], gap="large")
    with more:
        show.explain("attention", "Heads")
        _take_away(found, prices, seed)
    with truth:
        show.facts(_facts(found, prices, seed))


def _name(heads: int) -> str:
    return "1 head" if heads == 1 else f"{heads} heads"


def _learned(heads: Sequence[int], seed: int) -> dict[int, Learned]:
    """Each training, with a bar while it runs; whatever the visitor does meanwhile stops it."""
    place = st.empty()
    found = {}
    for number, count in enumerate(heads):
        found[count] = studies.learned(count, seed, _progress(place, number, len(heads), count))
    place.empty()
    return found


def _progress(
    place: st.delta_generator.DeltaGenerator, number: int, total: int, heads: int
) -> Callable[[int], None]:
    from attnviz.attention_studies.heads import STEPS

    def progress(step: int) -> None:
        if step % 25 == 0:
            share = (number + step / STEPS) / total
            place.progress(share, f"Training {_name(heads)}: step {step} of {STEPS}")

    return progress


def _errors(found: Mapping[int, Learned]) -> Iterable[tuple[str, str]]:
    for heads, each in found.items():
        before, after = each.by_side
        yield _name(heads), f"{each.error:.4f}: {before:.4f} before, {after:.4f} after"


def _price(cost: Cost) -> tuple[str, ...]:
    return (
        f"{cost.heads} × {cost.size}",
        f"{cost.parameters:,}",
        f"{cost.multiply_adds / 1e6:.2f} M",
        f"{1000 * cost.seconds:.2f} ms",
        f"{1000 * cost.written_out:.2f} ms",
    )


def _weights(found: Mapping[int, Learned]) -> go.Figure:
    """Every head of a few layers, on one scale from 0 to 1."""
    panels = {
        f"{_name(heads)}: head {head}": matrix
        for heads, each in found.items()
        for head, matrix in enumerate(each.weights)
    }
    places, keys = next(iter(panels.values())).shape
    down = [str(place) for place in range(1, places + 1)]
    columns = min(len(panels), 5)
    lines = -(-len(panels) // columns)
    return matrix_panels(
        panels, [down] * len(panels), across=[[str(key) for key in range(keys)]] * len(panels),
        columns=columns, name="attention weight, same scale for all", colours="viridis",
        maximum=1.0, height=100 + 230 * lines,
    )  # fmt: skip


def _facts(
    found: Mapping[int, Learned], prices: Sequence[Cost], seed: int
) -> Iterable[tuple[str, str]]:
    from attnviz.attention_studies.heads import BATCH, PLACES, RATE, STEPS
    from attnviz.attention_studies.heads import WIDTH as TRAINED

    off = max(
        float(np.abs(each.weights.sum(-1, dtype=np.float64) - 1).max()) for each in found.values()
    )
    half = TRAINED // 2
    yield (
        "Task",
        f"{PLACES} tokens of {half} random numbers and {half} of sinusoidal position; at each "
        "place bring back the numbers of the place before and of the place after",
    )
    yield "Error", "1 is what knowing nothing costs; places at the ends are not asked"
    yield (
        "Layers",
        f"width {TRAINED}, {found[1].parameters:,} parameters each; nothing else is learned",
    )
    yield (
        "Training",
        f"{STEPS} steps of Adam, {BATCH} fresh sequences each, rate up to {RATE}, seed {seed}; "
        f"{sum(each.seconds for each in found.values()):.1f} s for all, cpu",
    )
    yield "Rows", f"sum to 1; the largest deviation measured is {off:.1e}"
    yield (
        "Counted",
        "by torch.utils.flop_counter: matrix products of the written-out path; it leaves out the "
        f"softmax, whose {TOKENS}² exponentials there are h times",
    )
    same = len({(cost.parameters, cost.multiply_adds) for cost in prices}) == 1
    yield "Equal", "parameters and multiply-adds are the same in all rows" if same else "not equal"
    yield "Timed", "medians of 15 passes that take turns, one sequence, on this machine’s cpu"


def _take_away(found: Mapping[int, Learned], prices: Sequence[Cost], seed: int) -> None:
    show.take_away(
        key="attn_heads_study",
        name=f"heads-{seed}",
        arrays=lambda: (
            {f"losses_{heads}": each.losses for heads, each in found.items()}
            | {f"weights_{heads}": each.weights for heads, each in found.items()}
        ),
        table=lambda: (
            ("heads", "error", "before", "after", "parameters", "multiply_adds", "ms", "ms_out"),
            (
                (
                    heads,
                    each.error,
                    *each.by_side,
                    cost.parameters,
                    cost.multiply_adds,
                    1000 * cost.seconds,
                    1000 * cost.written_out,
                )
                for (heads, each), cost in zip(found.items(), prices, strict=True)
            ),
        ),
        code=(
            "from attnviz.attention_studies.heads import costs, learn_two_places\n\n"
            f"for cost in costs({WIDTH}, {TOKENS}):\n"
            "    print(cost)\n"
            "for heads in (1, 2):\n"
            f"    print(heads, learn_two_places(heads, seed={seed}).error)\n"
        ),
        figures=True,
    )
