"""Linked matrices: an attention layer in the plane, computed in the browser as it is changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from app.components.mount import fingerprint, mount, pack, register
from attnviz.attention_setup import IDENTITY, TRAINED, Matrix, Setup

_RENDER = register("linked", __file__)

FEWEST, MOST = 2, 8  # vectors
VIEWS = ("layer", "mask")
_NUMBER = r"-?\d{1,3}"
_ROW = rf"{_NUMBER}_{_NUMBER}"
_TEXT = re.compile(
    rf"{_ROW}(\.{_ROW}){{{FEWEST - 1},{MOST - 1}}}(~{_ROW}_{_ROW}){{3}}~[01]+(\.[01]+)+~[su]"
)


def _everywhere(matrix: Matrix) -> dict[str, Matrix]:
    return {"Wq": matrix, "Wk": matrix, "Wv": matrix}


_HALF = 0.71
PRESETS: Mapping[str, Mapping[str, Matrix]] = {
    "identity": _everywhere(IDENTITY),
    "turn by 45°": _everywhere(((_HALF, _HALF), (-_HALF, _HALF))),
    "turn by 90°": _everywhere(((0.0, 1.0), (-1.0, 0.0))),
    "mirror": _everywhere(((-1.0, 0.0), (0.0, 1.0))),
    "reverse": _everywhere(((-1.0, 0.0), (0.0, -1.0))),
    "four times": _everywhere(((4.0, 0.0), (0.0, 4.0))),
    "zero": _everywhere(((0.0, 0.0), (0.0, 0.0))),
    "trained": {"Wq": TRAINED["w_q"], "Wk": TRAINED["w_k"], "Wv": TRAINED["w_v"]},
}
"""Usual matrices, for rows: ``x @ W``."""


def linked(
    start: Setup,
    labels: Sequence[str],
    *,
    key: str,
    view: str,
    asked: Setup | None = None,
    hint: str = "",
    caption: str = "",
    name: str = "attention",
    on_change: Callable[[Setup | None], None] | None = None,
) -> Setup:
    """Show a layer's matrices, and return the setup that the visitor left.

    Dragging, typing and hovering happen in the browser, which computes the whole layer itself; the
    page hears of a change once the pointer is lifted or the field is left.

    Args:
        start: what is shown at first, and again after "Start again".
        labels: of the vectors; another start or other labels forget what was changed.
        view: ``"layer"``: everything; ``"mask"``: without the plane and the projections.
        asked: what the page wants shown instead of the start.
        hint: said while nothing is hovered.

    Raises:
        ValueError: sizes do not fit.
    """
    n = len(start.vectors)
    if not FEWEST <= n <= MOST:
        raise ValueError(f"from {FEWEST} to {MOST} vectors, not {n}")
    if len(labels) != n:
        raise ValueError(f"{n} vectors, but {len(labels)} labels")
    if view not in VIEWS:
        raise ValueError(f"view is one of {', '.join(VIEWS)}, not {view!r}")
    if asked is not None and len(asked.vectors) != n:
        raise ValueError(f"{n} vectors at the start, but {len(asked.vectors)} are asked for")
    first = write(start)
    facts = {
        "start": first,
        "labels": list(labels),
        "view": view,
        "presets": PRESETS,
        "hint": hint,
        "caption": caption,
        "name": name,
    }

    def accept(value: Any) -> str | None:
        found = read(value) if isinstance(value, str) else None
        return value if found and len(found.vectors) == n else None

    def changed(value: str | None) -> None:
        if on_change is not None:
            on_change(read(value) if value else None)

    chosen = mount(
        _RENDER,
        key=key,
        message=lambda fields: pack(facts | fields),
        subject=fingerprint(repr((first, tuple(labels))).encode()),
        asked=write(asked) if asked else None,
        accept=accept,
        on_change=changed,
    )
    return (read(chosen) if chosen else None) or read(first) or start


def write(setup: Setup) -> str:
    """A setup as links have it, its numbers in hundredths."""

    def numbers(values: Any) -> str:
        return "_".join(str(round(100 * float(value))) for value in np.ravel(values))

    n = len(setup.vectors)
    shown = np.ones((n, n), bool) if setup.mask is None else np.asarray(setup.mask)
    parts = [".".join(numbers(row) for row in setup.vectors)]
    parts += [numbers(matrix) for matrix in (setup.w_q, setup.w_k, setup.w_v)]
    parts.append(".".join("".join(str(int(cell)) for cell in row) for row in shown))
    return "~".join([*parts, "s" if setup.scaled else "u"])


def read(text: str) -> Setup | None:
    """What ``write`` wrote; None for anything else."""
    if len(text) > 400 or not _TEXT.fullmatch(text):
        return None
    vectors, *matrices, mask, scaled = text.split("~")
    rows = tuple(_numbers(row) for row in vectors.split("."))
    shown = tuple(tuple(cell == "1" for cell in row) for row in mask.split("."))
    if len(shown) != len(rows) or any(len(row) != len(rows) for row in shown):
        return None
    w_q, w_k, w_v = ((n[:2], n[2:]) for n in map(_numbers, matrices))
    return Setup(rows, w_q, w_k, w_v, shown, scaled == "s")


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(int(number) / 100 for number in text.split("_"))
