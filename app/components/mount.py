"""What every browser component shares: its source, its message, and the choice made in it."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from attnviz.geometry import Geometry

COMMON = Path(__file__).parent / "common"
_PICTURES = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"RIFF": "image/webp"}

Renderer = Callable[..., Any]


def register(name: str, face: str) -> Renderer:
    """Register the component whose files lie beside ``face``; call once, when the module loads."""
    folder = Path(face).parent

    def joined(kind: str) -> str:
        files = sorted(COMMON.glob(f"*.{kind}")) + sorted(folder.glob(f"*.{kind}"))
        return "\n".join(file.read_text(encoding="utf-8") for file in files)

    return st.components.v2.component(
        f"attnviz_{name}", html=joined("html"), css=joined("css"), js=joined("js")
    )


def pack(header: dict[str, Any], **blocks: bytes | np.ndarray) -> bytes:
    """One message for the browser: uint32 length, JSON header, then the blocks end to end.

    The header gains ``blocks`` (name and length of each, in order) and ``stamp``, which is equal
    exactly when the message is.
    """
    parts = {name: bytes(block) for name, block in blocks.items()}
    lengths = [[name, len(part)] for name, part in parts.items()]
    body = b"".join(parts.values())
    facts = json.dumps(header | {"blocks": lengths}, sort_keys=True)
    stamp = fingerprint(facts.encode(), body)
    text = json.dumps(json.loads(facts) | {"stamp": stamp}).encode()
    return struct.pack("<I", len(text)) + text + body


def fingerprint(*parts: bytes) -> str:
    """A short name for some content."""
    digest = hashlib.blake2b(digest_size=12)
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


@dataclass(frozen=True)
class _Choice:
    """What a page and its component last said to each other about the choice."""

    subject: str  # what is chosen from; another subject forgets the choice
    order: int  # counts what the page told the browser to show
    ordered: Any  # what it told
    asked: Any  # the page's own wish at the last run
    shown: Any  # what the last run returned


def mount(
    render: Renderer,
    *,
    key: str,
    message: Callable[[dict[str, Any]], bytes],
    subject: str,
    asked: Any,
    accept: Callable[[Any], Any],
    on_change: Callable[[Any], None] | None = None,
) -> Any:
    """Put a component on the page and return what is chosen in it.

    The browser owns the choice. The message therefore says only what the page *ordered* it to
    show, and stays byte for byte the same while the visitor clicks. A new order goes out when the
    component appears (``asked``: a link being restored), when the subject changes (nothing is
    chosen), and when the page asks for something else than it asked for before and than the
    browser shows (a slider).

    Args:
        message: builds the message around the fields that it must carry for the browser.
        accept: a reported value in its Python form, or None if it is no possible choice; what a
            browser sends is not to be trusted.
        on_change: called with the choice before the next run, so that it may set other widgets.
    """
    memory = f"{key}.choice"
    last: _Choice | None = st.session_state.get(memory) if key in st.session_state else None
    choice = _settle(last, _reported(key, last, accept), subject, asked, memory)
    st.session_state[memory] = choice

    def changed() -> None:
        if on_change is not None:
            on_change(_reported(key, choice, accept))

    fields = {"key": key, "order": choice.order, "chosen": choice.ordered}
    render(key=key, data=message(fields), on_choice_change=changed)
    return choice.shown


def _settle(last: _Choice | None, reported: Any, subject: str, asked: Any, memory: str) -> _Choice:
    """The choice of this run from the last one, the browser's report and the page's wish."""
    if last is None:  # just appeared; an older order may be remembered from before
        before: _Choice | None = st.session_state.get(memory)
        return _Choice(subject, before.order + 1 if before else 0, asked, asked, asked)
    same = subject == last.subject
    shown = reported if same else None
    wished = asked != last.asked and asked not in (reported, last.shown)
    if same and not wished:
        return _Choice(subject, last.order, last.ordered, asked, shown)
    ordered = asked if wished else None
    return _Choice(subject, last.order + 1, ordered, asked, ordered)


def _reported(key: str, choice: _Choice | None, accept: Callable[[Any], Any]) -> Any:
    """What the browser shows: its report, unless the page gave another order since."""
    state = st.session_state.get(key)
    report = state.get("choice") if isinstance(state, dict) else None
    if choice is None:
        return None
    if not isinstance(report, dict) or report.get("order") != choice.order:
        return choice.ordered
    return accept(report.get("value"))


def pair(value: Any, rows: int, columns: int) -> tuple[int, int] | None:
    """A reported (row, column) as a tuple, or None if there is no such place."""
    whole = isinstance(value, list) and [type(v) for v in value] == [int, int]
    if not (whole and 0 <= value[0] < rows and 0 <= value[1] < columns):
        return None
    return value[0], value[1]


def check_bytes(what: str, array: np.ndarray, shape: tuple[int, ...], axes: str) -> np.ndarray:
    """The array in one piece, or a ValueError that says what was expected."""
    if array.dtype != np.uint8 or array.shape != shape:
        raise ValueError(
            f"{what}: expected uint8 of shape {shape} ({axes}), got {array.dtype} {array.shape}"
        )
    return np.ascontiguousarray(array)


def signed_bytes(values: np.ndarray, reach: float) -> np.ndarray:
    """Values in [−reach, reach] as bytes, 128 for zero; the sign is exact."""
    scaled = np.rint(np.clip(values / reach, -1, 1) * 127)
    return (scaled + 128).astype(np.uint8)


def picture_kind(picture: bytes) -> str:
    """The media type of an encoded picture.

    Raises:
        ValueError: it is no PNG, JPEG or WebP file.
    """
    for magic, kind in _PICTURES.items():
        if picture.startswith(magic):
            return kind
    raise ValueError(f"the picture is no PNG, JPEG or WebP file; it begins with {picture[:4]!r}")


def layout(geometry: Geometry) -> dict[str, Any]:
    """A geometry as the browser reads it."""
    return asdict(geometry)
