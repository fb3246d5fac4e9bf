"""Additive or dot: the same complexity, but not the same price, and not the same softmax."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import controls, prose, show, studies
from app.state import Studies
from app.views.attention_scaling import PANELS, panels
from attnviz.figures import measured_by_length, theme
from attnviz.figures.studies import by_size

if TYPE_CHECKING:
    from attnviz.attention_studies.scaling import Softmax
    from attnviz.measuring import Point

WIDTHS = ("64", "16")  # sizes of a key that can be measured
Points = dict[tuple[str, int], "Point"]
Bar = st.delta_generator.DeltaGenerator


@show.panel
def draw() -> None:
    """Softmaxes by the size of a key, then time and memory as measured here."""
    from attnviz.attention_studies.additive import KINDS
    from attnviz.attention_studies.scaling import SIZES

    figure, side = st.columns([13, 8], gap="large")
    with side:
        show.note(prose.text("attention", "Additive or dot"))
        keys = st.slider("Keys, n", 2, 64, 32, key=Studies.KEYS, bind="query-params")
        size = st.select_slider(
            "Size of a key, d", SIZES, 64, key=Studies.SIZE, bind="query-params"
        )
        found = studies.quality(keys)
        place = SIZES.index(size)
        for at, title in ((0, "At d = 1"), (place, f"At d = {size}")):
            show.facts(_here(found, at, keys), title=f"{title}: entropy, gradient by the query")
    with figure:
        drawn = by_size(
            SIZES, panels(found, KINDS), marked=size, ceilings={PANELS["entropy"]: np.log2(keys)},
            height=520,
        )  # fmt: skip
        show.plot(drawn, key="attn_quality", name="additive-or-dot", alt="Softmaxes by size")
    show.small("What they cost, measured on this machine")
    choice, button = st.columns([8, 13], gap="large", vertical_alignment="bottom")
    with choice:
        width = int(controls.one_of("Size of a key", WIDTHS, key=Studies.WIDTH))
    with button.empty().container(horizontal=True, vertical_alignment="center"):
        bar = _measure(width)
    points = _points(width)
    _prices(points)
    more, truth = st.columns([13, 8], gap="large")
    with more:
        show.explain("attention", "Additive or dot")
        _take_away(found, points, keys, width)
    with truth:
        show.facts(_facts(points, width))
    if bar is not None:
        _next(width, bar)
        st.rerun()


def _here(found: Softmax, place: int, keys: int) -> Iterable[tuple[str, str]]:
    from attnviz.attention_studies.additive import KINDS

    for kind, name in enumerate(KINDS):
        entropy, gradient = (
            float(np.median(getattr(found, measure)[kind, place]))
            for measure in ("entropy", "by_query")
        )
        yield name, f"{entropy:.2f} of {np.log2(keys):.2f} bits, {gradient:.3g}"


def _wanted() -> list[tuple[str, int]]:
    """What is measured, the short ones first."""
    from attnviz.attention_studies.additive import LENGTHS, PRICED

    return [(kind, length) for length in LENGTHS for kind in PRICED]


def _done(width: int) -> int:
    return st.session_state.get(Studies.MEASURED, {}).get(width, 0)


def _points(width: int) -> Points:
    """What was measured for this visitor so far."""
    return {each: studies.price(*each, width) for each in _wanted()[: _done(width)]}


def _measure(width: int) -> Bar | None:
    """The button that starts; while it runs, the one that stops and a bar."""
    done, wanted = _done(width), _wanted()
    if st.session_state.get(Studies.RUNNING) != width:
        rest = "" if not done else " to the end" if done < len(wanted) else " again"
        st.button(
            f"Measure time and memory{rest}", icon=":material/play_arrow:", key=Studies.MEASURE,
            on_click=_start, args=(width, done == len(wanted)),
        )  # fmt: skip
        return None
    st.button("Stop", icon=":material/stop:", key=Studies.STOP, on_click=_stop)
    kind, length = wanted[done]
    return st.progress(done / len(wanted), f"{kind} over {length} keys")


def _next(width: int, bar: Bar) -> None:
    """One point; each run of the page does one and asks for the next."""
    done, wanted = _done(width), _wanted()
    studies.price(*wanted[done], width)
    bar.progress((done + 1) / len(wanted))
    measured = st.session_state.get(Studies.MEASURED, {})
    st.session_state[Studies.MEASURED] = measured | {width: done + 1}
    if done + 1 == len(wanted):
        _stop()


def _start(width: int, afresh: bool) -> None:
    if afresh:
        studies.forget_prices(width)
        st.session_state[Studies.MEASURED] = {}
    st.session_state[Studies.RUNNING] = width


def _stop() -> None:
    st.session_state[Studies.RUNNING] = 0


def _prices(points: Points) -> None:
    """Time and memory against the number of keys."""
    time, memory = (column.empty() for column in st.columns(2, gap="medium"))
    kinds = list(dict.fromkeys(kind for kind, _ in points))
    colours = dict(zip(kinds, theme.CATEGORICAL, strict=False))
    by_kind = {
        kind: [point for (name, _), point in points.items() if name == kind] for kind in kinds
    }
    if not points:
        show.note("Nothing was measured yet: the button starts it, and it can be stopped.")
        return
    with time:
        drawn = measured_by_length(
            {kind: _curve(each, [p.median for p in each]) for kind, each in by_kind.items()},
            colours=colours, axis="time of a pass", unit="s", height=340,
            spread={
                kind: ([min(p.seconds) for p in each], [max(p.seconds) for p in each])
                for kind, each in by_kind.items()
            },
        )  # fmt: skip
        show.plot(drawn, key="attn_time", name="additive-time", alt="Time by number of keys")
    with memory:
        drawn = measured_by_length(
            {kind: _curve(each, [p.peak or 1 for p in each]) for kind, each in by_kind.items()},
            colours=colours, axis="memory held at once", unit="B", height=340,
        )  # fmt: skip
        show.plot(drawn, key="attn_memory", name="additive-memory", alt="Memory by keys")


def _curve(points: list[Point], values: list[float]) -> tuple[list[int], list[float]]:
    return [point.length for point in points], values


def _facts(points: Points, width: int) -> Iterable[tuple[str, str]]:
    from attnviz.attention_studies.additive import DRAWN
    from attnviz.attention_studies.scaling import SPREAD

    yield (
        "Draws",
        f"{DRAWN} queries and their keys, components from N(0, 1), seed {studies.SEED}",
    )
    yield (
        "Additive",
        "vᵀ tanh(W q + U k), the translators’ MLP score, with fresh weights as torch draws them: "
        "its scores are small, so its softmax is nearly even whatever d is",
    )
    yield "Lines", f"medians; bands reach from the {SPREAD[0]}th to the {SPREAD[1]}th percentile"
    yield "Complexity", "O(n²·d) for both; additive holds n²·d numbers at once, a dot product n²"
    last = max((length for _, length in points), default=0)
    costs = {kind: point for (kind, length), point in points.items() if length == last}
    for kind, point in costs.items():
        memory = f"{(point.peak or 0) / 1e6:.2f} MB"
        yield kind, f"{last} keys of {width}: {1000 * point.median:.2f} ms, {memory}"
    if costs:
        when = next(iter(costs.values())).when
        yield "Measured", f"cpu, float32, {when:%Y-%m-%d %H:%M} UTC; medians, bars to both ends"


def _take_away(found: Softmax, points: Mapping, keys: int, width: int) -> None:
    from attnviz.attention_studies.additive import KINDS
    from attnviz.attention_studies.scaling import SIZES

    show.take_away(
        key="attn_additive",
        name=f"additive-or-dot-{keys}-keys",
        arrays=lambda: (
            {measure: getattr(found, measure) for measure in PANELS}
            | {"sizes": np.array(SIZES)}
            | {f"seconds_{kind}_{n}": np.array(p.seconds) for (kind, n), p in points.items()}
        ),
        table=lambda: (
            ("scores", "d", *PANELS),
            (
                (
                    name,
                    size,
                    *(np.median(getattr(found, measure)[kind, place]) for measure in PANELS),
                )
                for kind, name in enumerate(KINDS)
                for place, size in enumerate(SIZES)
            ),
        ),
        code=(
            "from attnviz.attention_studies.additive import KINDS, PRICED, price, quality\n\n"
            f"found = quality({keys}, seed={studies.SEED})\n"
            "print(dict(zip(KINDS, found.entropy.mean(-1).round(2).tolist())))\n"
            "for kind in PRICED:\n"
            f"    point = price(kind, 64, {width})\n"
            "    print(kind, point.median, point.peak)\n"
        ),
        figures=True,
    )
