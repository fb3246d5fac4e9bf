"""The beam: the tree of the beginnings that a beam search kept, to look over and go on from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from app.components.mount import fingerprint, mount, pack, register

_RENDER = register("beam", __file__)

Place = tuple[int, int]  # (step, rank)


class Node(NamedTuple):
    """One kept beginning.

    Args:
        piece: its last piece.
        spaced: whether a space comes before the piece.
        parent: rank, one step before, of the beginning that it continues; 0 at the first step.
        log_probability: of the whole beginning, natural.
        ended: whether it is a complete translation.
    """

    piece: str
    spaced: bool
    parent: int
    log_probability: float
    ended: bool = False


def beam(
    steps: Sequence[Sequence[Node]],
    *,
    key: str,
    best: Place,
    shown: Place,
    given: int = 0,
    name: str = "beam",
    on_change: Callable[[Place | None], None] | None = None,
) -> Place | None:
    """Show the tree, steps across and ranks down, and return the node that was clicked last.

    Hovering or walking to a node marks the way to it and says what it has written, in the browser.

    Args:
        steps: for each step the kept beginnings, the likeliest first.
        best: where the best translation ends; its path stands out.
        shown: the ending that the page shows more of.
        given: how many steps were not searched but given.
        name: of the downloaded files.
        on_change: called with (step, rank) before the rerun that a click causes.

    Raises:
        ValueError: there is no step, or a step without nodes.
        IndexError: a parent or a place does not exist.
    """
    if not steps or not all(steps):
        raise ValueError(f"a tree of {len(steps)} steps, some of them without nodes")
    for step, nodes in enumerate(steps):
        before = len(steps[step - 1]) if step else 1
        for rank, node in enumerate(nodes):
            if not 0 <= node.parent < before:
                raise IndexError(f"node {step}.{rank} continues {node.parent} of {before}")
    for place in (best, shown):
        if not _exists(place, steps):
            raise IndexError(f"no node {place[0]}.{place[1]} in {len(steps)} steps")
    facts = {
        "steps": [[list(node) for node in nodes] for nodes in steps],
        "best": list(best),
        "given": given,
        "name": name,
    }

    def message(fields: dict[str, Any]) -> bytes:
        return pack(facts | fields)

    def accept(value: Any) -> Place | None:
        whole = isinstance(value, list) and [type(v) for v in value] == [int, int]
        return (value[0], value[1]) if whole and _exists(value, steps) else None

    return mount(
        _RENDER,
        key=key,
        message=message,
        subject=fingerprint(repr(facts["steps"]).encode()),
        asked=shown,
        accept=accept,
        on_change=on_change,
    )


def _exists(place: Sequence[int], steps: Sequence[Sequence[Node]]) -> bool:
    return 0 <= place[0] < len(steps) and 0 <= place[1] < len(steps[place[0]])
