"""What the page "Positions" computes, each thing once and for everybody.

torch is imported inside the functions, so that the page paints before it arrives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from app import loaders, show
from app.loaders import Positions, Subject
from app.translations import Talk
from attnviz import zoo
from attnviz.data.samples import samples
from attnviz.images import Preprocess
from attnviz.zoo import DEFAULT

if TYPE_CHECKING:
    from attnviz.position_study import Cost, Joined, Moved, Terms


def table(length: int, width: int) -> np.ndarray:
    """The sinusoids of the first positions, (length, d)."""
    from attnviz.position_study import table

    return loaders.kept(
        ("sinusoids", length, width), lambda: table(length, width), lambda found: found.nbytes
    )


def table_2d(rows: int, cols: int, width: int) -> np.ndarray:
    """Fixed 2-D sinusoids, (rows·cols, d)."""
    from attnviz.position_study import table_2d

    return table_2d(rows, cols, width)


def refusal(longest: int) -> str:
    """What a Transformer with learned positions says beyond its last one."""
    from attnviz.position_study import refusal

    return refusal(longest)


def joined(talk: Talk, own: bool) -> Joined:
    """The first layer's queries over concatenated positions."""
    from attnviz.position_study import join

    return _kept(talk, "joined", own, lambda model, ids: join(model, ids, own=own))


def costs(talk: Talk) -> dict[str, Cost]:
    """What adding and concatenating cost in the encoder."""
    from attnviz.position_study import costs

    return costs(loaders.translator(talk.model, talk.device))


def terms(talk: Talk) -> Terms:
    """The first layer's scores, taken apart."""
    from attnviz.position_study import score_terms

    return _kept(talk, "terms", None, score_terms)


def moved(talk: Talk, order: Sequence[int], positions: bool) -> Moved:
    """The whole encoder before and after its tokens changed places."""
    from attnviz.position_study import shuffle

    return _kept(
        talk,
        "moved",
        (tuple(order), positions),
        lambda model, ids: shuffle(model, ids, order, positions=positions),
    )


def vit() -> Subject:
    """A sample picture, as the bundled Vision Transformer sees it."""
    card = zoo.card(DEFAULT)
    shown = loaders.sample_picture(samples()[0].name)
    return Subject(card.name, "cpu", False, shown, card.preprocess or Preprocess())


def learned(side: int) -> Positions:
    """The bundled ViT's position table, as trained and for a square grid.

    Raises:
        Problem: it has none.
    """
    subject = vit()
    found = loaders.positions(subject, (side, side))
    if found is None:
        raise show.Problem("This Vision Transformer has no position table.")
    return found


def _kept(talk: Talk, what: str, which: Any, make: Callable[[Any, Sequence[int]], Any]) -> Any:
    """Computed once, while nothing else runs on the device."""
    ids = talk.tokeniser.encode(talk.sentence.text).ids

    def run() -> Any:
        model = loaders.translator(talk.model, talk.device)
        with loaders.turn(talk.device):
            return make(model, ids)

    return loaders.kept((talk.key, what, which), run, _size)


def _size(found: Any) -> int:
    """Bytes of a dataclass's arrays."""
    return sum(getattr(found, field.name).nbytes for field in fields(found))
