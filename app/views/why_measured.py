"""Time and memory of real layers against the length, measured on this machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from app import controls, measurements, prose, show
from app.measurements import Points, Setup
from app.state import Why
from app.views.why_common import COLOURS, size
from attnviz import complexity, figures
from attnviz.complexity import CONVOLUTION, LSTM, RESTRICTED, RNN, SELF, Sizes

if TYPE_CHECKING:
    from attnviz.measuring import Pass, Point

AT_ONCE = 256  # tokens: so far everything is measured without being asked
LONGEST = [256, 512, 1024, 2048, 4096]
WIDTHS = [32, 64, 128, 256]
FITTED = 4  # lengths that a slope is fitted to, the last ones
PASSES: list[Pass] = ["forward", "forward and backward"]
EVER = datetime.min.replace(tzinfo=UTC)  # since when a measurement is good enough
STOPPED = ()  # in the place of a task

OF = {"self-attention, written out": SELF, "self-attention, fused": SELF}
OF |= {layer: layer for layer in (RNN, LSTM, CONVOLUTION, RESTRICTED)}
PAPER = {SELF: 2, RNN: 1, LSTM: 1, CONVOLUTION: 1, RESTRICTED: 1}  # exponents of n in Table 1
GROWTHS = ("layer", "time", "multiply-adds", "paper’s term", "memory")
DASHED = ("self-attention, fused", "RNN")

Task = tuple[Setup, int, datetime]
Bar = st.delta_generator.DeltaGenerator


@show.panel
def draw() -> None:
    """Time at the left, memory at the right; under them what to measure and what it comes to."""
    show.note(prose.text("why", "Measured"))
    time, memory = (column.empty() for column in st.columns(2, gap="large"))
    table, side = st.columns([13, 8], gap="large")
    with side:
        setup, longest = _choose()
        task = _task(setup)
        bar = _button(setup, longest, task)
    points = measurements.known(setup)
    _figures(time, memory, points)
    if points:
        with table:
            show.small("Growth: the power of n")
            show.table(GROWTHS, list(_table(points, setup.sizes)))
    more, truth = st.columns([13, 8], gap="large")
    with more:
        show.explain("why", "Measured")
        _take_away(points, setup)
    with truth:
        show.facts(_facts(points, setup))
    if task and bar is not None:
        _next_length(task, bar)
        st.rerun()


def _choose() -> tuple[Setup, int]:
    first, second = st.columns(2)
    with first:
        width = size("Width d", WIDTHS, 64, key=Why.MEASURED_WIDTH)
    with second:
        longest = size("Up to n", LONGEST, 1024, key=Why.LONGEST)
    backward = controls.one_of("Pass", PASSES, key=Why.PASSES) == PASSES[1]
    return Setup(Sizes(width), controls.chosen_device()[0], PASSES[backward]), longest


def _task(setup: Setup) -> Task | None:
    """What has to be measured now, if anything.

    Short lengths that nobody measured yet are, without being asked, until the visitor says stop.
    """
    task = st.session_state.get(Why.RUNNING)
    if task == STOPPED:
        return None
    if task and task[0] == setup and measurements.missing(*task):
        return task
    first = setup, AT_ONCE, EVER
    return first if measurements.missing(*first) else None


def _button(setup: Setup, longest: int, task: Task | None) -> Bar | None:
    """The button that starts; while something is measured, the one that stops and a bar."""
    if task:
        st.button("Stop", icon=":material/stop:", key=Why.STOP, on_click=_stop)
        left = measurements.missing(*task)
        return st.progress(_share(task, len(left)), _doing(*left[0]))
    again = not measurements.missing(setup, longest, EVER)
    st.button(
        f"Measure up to n = {longest:,}{' again' * again}", icon=":material/timer:",
        key=Why.START, on_click=_start, args=(setup, longest, again),
    )  # fmt: skip
    return None


def _start(setup: Setup, longest: int, again: bool) -> None:
    st.session_state[Why.RUNNING] = setup, longest, datetime.now(UTC) if again else EVER


def _stop() -> None:
    st.session_state[Why.RUNNING] = STOPPED


def _share(task: Task, left: int) -> float:
    """How much of a task is done, so far."""
    return 1 - left / len(measurements.wanted(task[0], task[1]))


def _doing(layer: str, length: int) -> str:
    return f"n = {length:,}: {layer}"


def _next_length(task: Task, bar: Bar) -> None:
    """All layers at one length. Each run of the page does one and asks for the next run.

    So the points come one by one, the visitor can stop in between, and others get their turn.
    """
    left = measurements.missing(*task)
    for number, (layer, length) in enumerate(left):
        if length != left[0][1]:
            break
        bar.progress(_share(task, len(left) - number), _doing(layer, length))
        measurements.measure(task[0], layer, length)


def _curve(points: Points, layer: str) -> list[Point]:
    return [points[key] for key in sorted(points) if key[0] == layer]


def _figures(time: Bar, memory: Bar, points: Points) -> None:
    curves = {layer: _curve(points, layer) for layer in OF}
    curves = {layer: curve for layer, curve in curves.items() if curve}
    colours = {layer: COLOURS[of] for layer, of in OF.items()}
    options: dict[str, Any] = {"colours": colours, "dashed": DASHED, "height": 400}
    with time:
        drawn = figures.measured_by_length(
            {name: ([p.length for p in c], [p.median for p in c]) for name, c in curves.items()},
            spread={
                name: ([p.quartiles[0] for p in c], [p.quartiles[1] for p in c])
                for name, c in curves.items()
            },
            axis="time of one pass, median", unit="s", **options,
        )  # fmt: skip
        show.plot(drawn, key="why_time", name="time", alt="Time by length")
    counted = {name: [p for p in c if p.peak] for name, c in curves.items()}
    with memory:
        drawn = figures.measured_by_length(
            {
                name: ([p.length for p in c], [p.peak or 0 for p in c])
                for name, c in counted.items()
                if c
            },
            axis="tensors alive at once", unit="B", **options,
        )  # fmt: skip
        show.plot(drawn, key="why_memory", name="memory", alt="Memory by length")


def _table(points: Points, sizes: Sizes) -> Iterable[tuple[str, ...]]:
    """Fitted exponents, beside those that counting and the paper expect."""
    for layer, of in OF.items():
        timed = _curve(points, layer)[-FITTED:]
        counted = [point for point in _curve(points, layer) if point.peak][-FITTED:]
        cost = complexity.layer_cost(of, sizes)
        yield (
            layer,
            _power(timed, [point.median for point in timed]),
            _power(timed, [float(cost.at(point.length)) for point in timed]),
            str(PAPER[of]),
            _power(counted, [point.peak or 0 for point in counted]),
        )


def _power(curve: list[Point], values: list[float]) -> str:
    if len(curve) < 2:
        return "–"
    exponent = complexity.slope(np.array([point.length for point in curve]), np.array(values))
    return f"{exponent:.2f}".replace("-", "−")


def _facts(points: Points, setup: Setup) -> Iterable[tuple[str, str]]:
    import torch

    from attnviz.measuring import LENGTHS, STEPS

    d, k, r = setup.sizes.width, setup.sizes.kernel, setup.sizes.window
    yield "Layers", f"width {d}, kernel {k}, window {r}; random weights, float32, one sequence"
    yield (
        "Machine",
        f"{setup.device}, threads: {torch.get_num_threads()}, torch {torch.__version__}; shared "
        "with all who look at these pages, so single points may jump",
    )
    if points:
        runs = [len(point.seconds) for point in points.values()]
        when = [point.when for point in points.values()]
        yield (
            "Measured",
            f"{min(when):%Y-%m-%d %H:%M} to {max(when):%H:%M} UTC, for all visitors; "
            f"median of {min(runs)} to {max(runs)} runs, bars over their middle half",
        )
    yield "Slopes", f"least squares over each line’s last {FITTED} lengths"
    yield (
        "Memory",
        "the allocator’s peak"
        if setup.device != "cpu"
        else "all tensors alive at once, counted at every operation; not the scratch memory inside "
        f"one. Recurrences are counted up to n = {STEPS:,}: counting slows their steps down",
    )
    yield (
        "Limit",
        f"n ends at {LENGTHS[-1]:,}, where a matrix of all pairs takes "
        f"{LENGTHS[-1] ** 2 * 4 / 2**20:.0f} MiB, so that no visitor can use up the memory; "
        f"recurrences are trained up to {STEPS:,}. One measurement runs at a time",
    )


def _take_away(points: Points, setup: Setup) -> None:
    shown = [points[key] for key in sorted(points)]
    sizes = setup.sizes
    show.take_away(
        key="why_measured",
        name=f"measured-d{sizes.width}-{setup.device}",
        arrays=lambda: {
            f"{layer}: {what}": np.array(values)
            for layer in OF
            for what, values in _arrays(_curve(points, layer)).items()
        },
        table=lambda: (
            ("layer", "n", "median_seconds", "fastest", "slowest", "runs", "peak_bytes", "when"),
            (
                (p.layer, p.length, p.median, min(p.seconds), max(p.seconds), len(p.seconds),
                 p.peak, p.when.isoformat())
                for p in shown
            ),
        ),
        code=(
            "from attnviz.complexity import Sizes\n"
            "from attnviz.measuring import LAYERS, measure\n\n"
            f"sizes = Sizes({sizes.width}, kernel={sizes.kernel}, window={sizes.window})\n"
            "for layer in LAYERS:\n"
            "    for length in (64, 128, 256):\n"
            f'        point = measure(layer, length, sizes, "{setup.device}", "{setup.passes}")\n'
            "        print(layer, length, point.median, point.peak)\n"
        ),
        figures=True,
    )  # fmt: skip


def _arrays(curve: list[Point]) -> Mapping[str, list[float]]:
    return {
        "n": [point.length for point in curve],
        "seconds": [point.median for point in curve],
        "bytes": [np.nan if point.peak is None else point.peak for point in curve],
    }
