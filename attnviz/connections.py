"""Which token can have heard of which: the connections of a layer, and the paths through them.

A path from the first token to the last is found by a search over the real connections, never by a
formula; the tests compare it with the formulas of `attnviz.complexity`.

    n tokens · places are (row, token): row 0 is what goes in, a layer's outputs are the next row
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from attnviz.complexity import CONVOLUTION, RECURRENT, RESTRICTED, SELF, Sizes

Place = tuple[int, int]
MOST = 4096  # tokens; with more a search takes too long


@dataclass(frozen=True)
class Web:
    """Layers of one kind, as many as the first token needs to reach the last.

    Args:
        kind: a row of the paper's table.
        tokens: n.
        rows: one more than there are layers.
        edges: from place to place, in the direction of the information.
        path: the shortest way from the first token going in to the last one coming out.
        reached: places that the first token can be heard of at.
    """

    kind: str
    tokens: int
    rows: int
    edges: tuple[tuple[Place, Place], ...]
    path: tuple[Place, ...]
    reached: frozenset[Place]

    @property
    def length(self) -> int:
        """Edges of the path."""
        return len(self.path) - 1


def web(kind: str, tokens: int, sizes: Sizes, *, dilated: bool = True) -> Web:
    """The connections of as many layers as it takes, and the shortest path through them.

    Args:
        dilated: each convolution's taps are k times as far apart as those of the one before.

    Raises:
        ValueError: no such kind, or too few or too many tokens.
    """
    if kind not in (SELF, RECURRENT, CONVOLUTION, RESTRICTED) or not 1 <= tokens <= MOST:
        raise ValueError(f"{tokens} tokens through {kind!r}: need 1 to {MOST}, and a known layer")
    came: dict[Place, Place | None] = {(0, 0): None}
    edges: list[tuple[Place, Place]] = []
    row, end = 0, tokens - 1
    while row == 0 or (row, end) not in came:
        row += 1
        spread = sizes.kernel ** (row - 1) if kind == CONVOLUTION and dilated else 1
        for token in range(tokens):  # in the order of time, as a recurrence runs
            place = (row, token)
            for source in _sources(kind, row, token, tokens, sizes, spread):
                edges.append((source, place))
                if source in came and place not in came:
                    came[place] = source
    path: list[Place] = [(row, end)]
    while (before := came[path[-1]]) is not None:
        path.append(before)
    return Web(kind, tokens, row + 1, tuple(edges), tuple(path[::-1]), frozenset(came))


def _sources(
    kind: str, row: int, token: int, tokens: int, sizes: Sizes, spread: int
) -> Iterable[Place]:
    """What one output is made of directly."""
    if kind == SELF:
        return [(row - 1, other) for other in range(tokens)]
    if kind == RECURRENT:  # what is read now, and the state after the token before
        before = [(row, token - 1)] if token else []
        return [*before, (row - 1, token)]
    if kind == CONVOLUTION:  # its own token and those before it
        others = [token - spread * step for step in range(sizes.kernel)]
    else:
        others = list(range(token - sizes.half, token + sizes.half + 1))
    return [(row - 1, other) for other in sorted(others) if 0 <= other < tokens]
