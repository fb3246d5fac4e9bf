"""The unrolled network: a cell a time step, its numbers as colours, and each unit over time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.components.mount import fingerprint, mount, pack, register
from attnviz.figures.theme import Colours, colour_table

_RENDER = register("unrolled", __file__)

Place = tuple[int | None, int | None]  # (unit, step)
NOWHERE: Place = (None, None)


@dataclass(frozen=True)
class Course:
    """What happens over time: S steps of an encoder, then T of a decoder.

    Args:
        source: S pieces as the sentence is written, its end last.
        order: (S,) which of them each step reads.
        given, said: (T,) what the decoder is given, and what it answers.
        probabilities: (T,) of the answers.
        unknown: source pieces that the model was never shown.
    """

    source: tuple[str, ...]
    order: tuple[int, ...]
    given: tuple[str, ...]
    said: tuple[str, ...]
    probabilities: np.ndarray
    unknown: tuple[int, ...] = ()

    @property
    def steps(self) -> int:
        """S + T."""
        return len(self.source) + len(self.said)


def unrolled(
    values: np.ndarray,
    course: Course,
    *,
    key: str,
    vmax: float,
    units: Sequence[int],
    signed: bool = True,
    what: str = "hidden state",
    passed: str = "",
    name: str = "unrolled",
    scale: str = "",
    asked: Place = NOWHERE,
    on_change: Callable[[Place], None] | None = None,
) -> Place:
    """Show values over time, and return the unit and the step that the visitor keeps.

    Moving over a unit draws it over time, playing and scrubbing uncover the steps, all in the
    browser and with the exact numbers. A click keeps a unit; where playing comes to rest is kept
    as well.

    Args:
        values: (S + T, d), of any float type.
        vmax: the value that the colours end at.
        units: (d,) the order in which the units lie one under another.
        signed: blue below zero and red above, from −vmax to vmax; else from 0 to vmax.
        what: the values, in words.
        passed: words at the vector that goes from encoder to decoder; none if it is not on show.
        name: of the downloaded files.
        scale: words beside the colour bar.
        asked: the unit and the step that the page wants kept.

    Raises:
        ValueError: values, units or texts do not fit each other, or ``vmax`` is not positive.
        IndexError: there is no such unit or step.
    """
    steps, width = _check(values, course, units, vmax)
    unit, step = asked
    for what_, place, count in (("unit", unit, width), ("step", step, steps)):
        if place is not None and not 0 <= place < count:
            raise IndexError(f"no {what_} {place}: {what_}s are 0–{count - 1}")
    colours: Colours = "diverging" if signed else "viridis"
    facts = {
        "source": list(course.source),
        "reads": list(course.order),
        "given": list(course.given),
        "said": list(course.said),
        "unknown": list(course.unknown),
        "units": [int(unit) for unit in units],
        "vmax": float(vmax),
        "signed": signed,
        "what": what,
        "passed": passed,
        "name": name,
        "scale": scale,
    }

    def message(fields: dict[str, Any]) -> bytes:
        return pack(
            facts | fields,
            colours=colour_table(colours),
            values=np.ascontiguousarray(values, "<f4"),
            probabilities=np.ascontiguousarray(course.probabilities, "<f4"),
        )

    def accept(value: Any) -> list[int | None] | None:
        if not isinstance(value, list) or len(value) != 2 or value == [None, None]:
            return None
        for place, count in zip(value, (width, steps), strict=True):
            if not (place is None or (type(place) is int and 0 <= place < count)):
                return None
        return value

    found = mount(
        _RENDER,
        key=key,
        message=message,
        subject=fingerprint(repr((course.source, course.order, course.said, width)).encode()),
        asked=None if asked == NOWHERE else list(asked),
        accept=accept,
        on_change=None if on_change is None else lambda value: on_change(_place(value)),
    )
    return _place(found)


def _place(value: list[int | None] | None) -> Place:
    return (value[0], value[1]) if value else NOWHERE


def _check(
    values: np.ndarray, course: Course, units: Collection[int], vmax: float
) -> tuple[int, int]:
    """The shape of values that fit."""
    if values.ndim != 2 or len(values) != course.steps:
        raise ValueError(f"values {values.shape} for {course.steps} steps")
    if sorted(units) != list(range(values.shape[1])):
        raise ValueError(f"units name each of 0–{values.shape[1] - 1} once")
    if sorted(course.order) != list(range(len(course.source))):
        raise ValueError(f"an order of {len(course.order)} for {len(course.source)} pieces")
    if not len(course.given) == len(course.said) == len(course.probabilities):
        raise ValueError(
            f"{len(course.given)} given, {len(course.said)} said, "
            f"{len(course.probabilities)} probabilities"
        )
    if not vmax > 0:
        raise ValueError(f"vmax is more than 0, not {vmax}")
    return values.shape
