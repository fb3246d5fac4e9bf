"""What the page "Show, Attend and Tell" looks at: a picture through a captioner, computed once.

torch is imported inside the functions, so that the page paints before it arrives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from app import loaders
from app.pictures import Shown
from attnviz import zoo
from attnviz.images import Preprocess
from attnviz.text import Words

if TYPE_CHECKING:
    from attnviz.captioning import Captioning, Search

FAMILY = "captioner"
LANGUAGES = {"en": "English", "ko": "Korean"}
KINDS = {
    "guided": "guided",
    "learned": "learned",
    "bilinear": "bilinear",
    "dot": "dot",
    "hard": "hard",
}
"""Kinds of captioners with their names for people, the default first."""

Where = tuple[tuple[int, tuple[int, ...]], ...]  # step → cells that it has to look at, evenly


@dataclass(frozen=True)
class Look:
    """What a view looks at: one picture, one captioner, one device.

    Args:
        snapshot: a step of the training, for the captioner as it was then.
    """

    language: str
    kind: str
    device: str
    picture: Shown
    snapshot: int | None = None

    @property
    def model(self) -> str:
        """The captioner's name."""
        return f"captions_{self.language}_{self.kind}"

    @property
    def key(self) -> tuple[Any, ...]:
        """What results are kept by."""
        return self.model, self.snapshot, self.device, self.picture.key

    @cached_property
    def card(self) -> zoo.Card:
        """Of the captioner at that step."""
        found = zoo.card(self.model)
        return found if self.snapshot is None else found.at_step(self.snapshot)

    @cached_property
    def words(self) -> Words:
        """All that it can say."""
        return Words(self.card.labels or ())

    @property
    def preprocess(self) -> Preprocess:
        """How a picture becomes what it sees."""
        return self.card.preprocess or Preprocess()

    @property
    def view(self) -> bytes:
        """The picture as it sees it, finer where there are pixels for it."""
        return loaders.view(self.picture, self.preprocess)

    def by(self, kind: str = "", language: str = "", snapshot: int | None = None) -> Look:
        """The same picture through another captioner."""
        return replace(
            self, kind=kind or self.kind, language=language or self.language, snapshot=snapshot
        )


def kinds(language: str) -> list[str]:
    """The captioners that there are in a language, in the order of ``KINDS``."""
    bundled = {card.name for card in zoo.cards() if card.family == FAMILY}
    return [kind for kind in KINDS if f"captions_{language}_{kind}" in bundled]


def caption(look: Look, *, prefix: Sequence[int] = (), where: Where = ()) -> Captioning:
    """The picture captioned freely, greedily.

    Args:
        prefix: word ids that the caption begins with.
        where: steps that look evenly at given cells in place of where they would.
    """
    from attnviz.captioning import describe

    def make() -> Captioning:
        model, pixels = _model(look), _pixels(look)
        with loaders.turn(look.device):
            return describe(model, look.words, pixels, prefix=prefix, where=maps(where))

    return loaders.kept((look.key, "caption", tuple(prefix), where), make, _size)


def followed(look: Look, ids: Sequence[int]) -> Captioning:
    """Teacher forcing: every step gets the words of a given caption (END last)."""
    from attnviz.captioning import follow

    def make() -> Captioning:
        model, pixels = _model(look), _pixels(look)
        with loaders.turn(look.device):
            return follow(model, look.words, pixels, ids)

    return loaders.kept((look.key, "caption followed", tuple(ids)), make, _size)


def searched(look: Look, width: int, normalise: float = 1.0, prefix: Sequence[int] = ()) -> Search:
    """Beam search, with the tree of what it kept."""
    from attnviz.captioning import search

    def make() -> Search:
        model, pixels = _model(look), _pixels(look)
        with loaders.turn(look.device):
            return search(
                model, look.words, pixels, width=width, normalise=normalise, prefix=prefix
            )

    key = (look.key, "captions searched", width, normalise, tuple(prefix))
    return loaders.kept(key, make, lambda found: sum(map(_size, found.captions)))


def maps(where: Where, cells: int = 196) -> dict[int, list[float]]:
    """Marked cells as maps: the same weight on each of them."""
    return {step: [float(cell in marked) for cell in range(cells)] for step, marked in where}


def _model(look: Look) -> Any:
    return loaders.captioner(look.model, look.device, look.snapshot)


def _pixels(look: Look) -> Any:
    return look.preprocess.pixels(look.preprocess.view(look.picture.image))


def _size(found: Captioning) -> int:
    return found.weights.nbytes + sum(array.nbytes for array in found.stages.values())
