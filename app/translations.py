"""What the pages of sentences look at: one sentence through one translator, computed once.

torch is imported inside the functions, so that the pages paint before it arrives.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from app import loaders
from attnviz import zoo
from attnviz.text import Sentence, Tokeniser

if TYPE_CHECKING:
    import numpy as np

    from attnviz.inside import Inside
    from attnviz.interventions import Intervention
    from attnviz.translation import Search, Translation

FAMILIES = ("seq2seq", "transformer")
CORPORA = (
    "everyday_ko_en",
    "everyday_en_ko",
    "dates_ko_en",
    "numbers_ko_en",
    "manual_en_fr",
    "manual_ko_en",
)
KINDS = {
    "none": "no attention",
    "reversed": "no attention, reversed",
    "rnn": "no attention, vanilla RNN",
    "dot": "dot",
    "bilinear": "bilinear",
    "mlp": "MLP",
    "transformer": "Transformer",
}
"""Kinds of translators in the order of history, with their names for people."""
ATTENDING = ("mlp", "bilinear", "dot")
"""Those with attention, the default first."""

Rows = tuple[tuple[int, tuple[float, ...]], ...]  # step → weights over the source pieces


@dataclass(frozen=True)
class Talk:
    """What a view looks at: one sentence, one translator, one device.

    Args:
        snapshot: a step of the training, for the translator as it was then.
    """

    model: str
    device: str
    sentence: Sentence
    snapshot: int | None = None

    @property
    def key(self) -> tuple[Any, ...]:
        """What results are kept by."""
        return self.model, self.snapshot, self.device, self.sentence

    @cached_property
    def card(self) -> zoo.Card:
        """Of the translator at that step."""
        found = zoo.card(self.model)
        return found if self.snapshot is None else found.at_step(self.snapshot)

    @property
    def tokeniser(self) -> Tokeniser:
        """The vocabulary of source and target."""
        return Tokeniser.load(self.card.tokeniser or "")


def corpora(family: str = "seq2seq") -> list[str]:
    """The corpora that there are translators of a family of, in the order to meet them."""
    bundled = {card.corpus for card in zoo.cards() if card.family == family}
    return [name for name in CORPORA if name in bundled]


def kinds(corpus: str, families: Sequence[str] = ("seq2seq",)) -> list[str]:
    """The kinds of translators there are of a corpus, in the order of ``KINDS``."""
    bundled = {card.name for card in zoo.cards() if card.family in families}
    return [kind for kind in KINDS if f"{corpus}_{kind}" in bundled]


def translation(
    talk: Talk,
    *,
    prefix: Sequence[int] = (),
    rows: Rows = (),
    intervention: Intervention | None = None,
    temperature: float | None = None,
    seed: int = 0,
) -> Translation:
    """The sentence decoded freely, greedily unless there is a temperature.

    Args:
        prefix: piece ids that the translation begins with.
        rows: steps whose attention weights are replaced.
        intervention: what is silenced or hidden in a Transformer.
    """
    from attnviz import decoding
    from attnviz.interventions import edits
    from attnviz.translation import translate

    def make() -> Translation:
        model = _model(talk)
        choose = decoding.greedy if temperature is None else decoding.sampler(temperature, seed)
        method = "greedy" if temperature is None else f"sampled, {temperature:g}, seed {seed}"
        with loaders.turn(talk.device):
            return translate(
                model, talk.tokeniser, talk.sentence,
                choose=choose, prefix=prefix, rows=dict(rows), edits=edits(model, intervention),
                method=method,
            )  # fmt: skip

    key = (talk.key, "translation", tuple(prefix), rows, intervention, temperature, seed)
    return loaders.kept(key, make, _size)


def followed(
    talk: Talk,
    ids: Sequence[int],
    asked: Sequence[int] | None = None,
    intervention: Intervention | None = None,
) -> Translation:
    """Teacher forcing: every step gets the pieces of a given translation (END last).

    Args:
        asked: one piece a step, whose probability is wanted in place of the given piece's.
    """
    from attnviz.interventions import edits
    from attnviz.translation import follow

    def make() -> Translation:
        model = _model(talk)
        with loaders.turn(talk.device):
            return follow(
                model, talk.tokeniser, talk.sentence, ids,
                asked=asked, edits=edits(model, intervention),
            )  # fmt: skip

    key = (talk.key, "followed", tuple(ids), None if asked is None else tuple(asked), intervention)
    return loaders.kept(key, make, _size)


def looked_inside(
    talk: Talk, ids: Sequence[int], intervention: Intervention | None = None
) -> Inside:
    """Everything that a Transformer computes while it is given a translation (END last)."""
    from attnviz.inside import look_inside
    from attnviz.interventions import edits

    def make() -> Inside:
        model = _model(talk)
        with loaders.turn(talk.device):
            return look_inside(
                model, talk.tokeniser, talk.sentence, ids, edits=edits(model, intervention)
            )

    key = (talk.key, "inside", tuple(ids), intervention)
    return loaders.kept(key, make, lambda found: sum(a.nbytes for a in found.stages.values()))


def fed_forward(
    talk: Talk, stack: str, layer: int, entering: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A layer's feed-forward net over given states, as matrices and as convolutions."""
    from attnviz.feed_forward import both_ways

    model = _model(talk)
    with loaders.turn(talk.device):
        return both_ways(model, stack, layer, entering)


def gain_and_bias(talk: Talk, stack: str, layer: int, number: int) -> tuple[np.ndarray, np.ndarray]:
    """What one LayerNorm of a Transformer multiplies by and adds."""
    from attnviz.feed_forward import gain_and_bias as read

    return read(_model(talk), stack, layer, number)


def head_effects(talk: Talk, ids: Sequence[int]) -> dict[str, np.ndarray]:
    """What each head of a Transformer is worth for a translation, nats by kind of attention."""
    from attnviz.inside import head_effects as measure

    def make() -> dict[str, np.ndarray]:
        model = _model(talk)
        with loaders.turn(talk.device):
            return measure(model, talk.tokeniser, talk.sentence, ids)

    key = (talk.key, "head effects", tuple(ids))
    return loaders.kept(key, make, lambda found: sum(a.nbytes for a in found.values()))


def leaks(talk: Talk, ids: Sequence[int], intervention: Intervention | None = None) -> np.ndarray:
    """Which predictions of a Transformer depend on which of its inputs, (T, T)."""
    from attnviz.inside import leaks as measure
    from attnviz.interventions import edits

    def make() -> np.ndarray:
        model = _model(talk)
        with loaders.turn(talk.device):
            return measure(
                model, talk.tokeniser, talk.sentence, ids, edits=edits(model, intervention)
            )

    return loaders.kept((talk.key, "leaks", tuple(ids), intervention), make, lambda a: a.nbytes)


def timed(talk: Talk, runs: int = 5) -> float:
    """Seconds that a greedy translation takes, unwatched: the median of a few runs here."""
    import torch

    from attnviz import decoding
    from attnviz.translation import read_source

    def make() -> float:
        model = _model(talk)
        read = read_source(model, talk.tokeniser, talk.sentence)
        taken = []
        with loaders.turn(talk.device), torch.inference_mode():
            for _ in range(runs):
                began = time.perf_counter()
                decoding.decode(model, read.ids)
                taken.append(time.perf_counter() - began)
        return statistics.median(taken)

    return loaders.kept((talk.key, "timed", runs), make, lambda _: 8)


def searched(talk: Talk, width: int, normalise: float = 1.0, prefix: Sequence[int] = ()) -> Search:
    """Beam search, with the tree of what it kept."""
    from attnviz.translation import search

    def make() -> Search:
        model = _model(talk)
        with loaders.turn(talk.device):
            return search(
                model, talk.tokeniser, talk.sentence,
                width=width, normalise=normalise, prefix=prefix,
            )  # fmt: skip

    key = (talk.key, "searched", width, normalise, tuple(prefix))
    return loaders.kept(key, make, lambda found: sum(map(_size, found.translations)))


def _model(talk: Talk) -> Any:
    return loaders.translator(talk.model, talk.device, talk.snapshot)


def _size(found: Translation) -> int:
    optional = (found.weights, found.first_state)
    arrays = [found.encoder_states, found.chances, *found.stages.values()]
    arrays += [array for array in optional if array is not None]
    return sum(array.nbytes for array in arrays)
