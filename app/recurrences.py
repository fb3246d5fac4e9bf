"""What the page of recurrent networks computes, each thing once: runs, gradients, translations.

torch is imported inside the functions, so that the page paints before it arrives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app import loaders
from app.translations import Talk
from attnviz import zoo
from attnviz.data.held_out import held_out
from attnviz.data.pairs import Pair
from attnviz.text import Tokeniser

if TYPE_CHECKING:
    from attnviz.recurrence import Gradients, Unrolled

CHUNK = 20  # sentences that are translated at once
SAMPLED = 60  # held-out sentences that trained gradients are averaged over


def unrolled(talk: Talk) -> Unrolled:
    """Every state of an encoder-decoder with one vector over a sentence."""
    from attnviz.recurrence import unroll

    def make() -> Unrolled:
        model = loaders.translator(talk.model, talk.device, talk.snapshot)
        with loaders.turn(talk.device):
            return unroll(model, talk.tokeniser, talk.sentence)

    return loaders.kept((talk.key, "unrolled"), make, _size)


def untrained(cell: str, length: int, scale: float, forget_bias: float) -> Gradients:
    """Gradients through fresh networks."""
    from attnviz.recurrence import untrained_gradients

    def make() -> Gradients:
        with loaders.turn("cpu"):
            return untrained_gradients(cell, length, scale=scale, forget_bias=forget_bias)

    key = ("untrained", cell, length, scale, forget_bias)
    return loaders.kept(key, make, lambda found: 2 * found.inputs.nbytes)


def trained(name: str, device: str) -> Gradients:
    """Gradients through a bundled encoder, over held-out sentences of every length."""
    from attnviz.recurrence import trained_gradients

    def make() -> Gradients:
        card = zoo.card(name)
        pairs = held_out(card.corpus or "").pairs
        sample = pairs[:: max(1, len(pairs) // SAMPLED)]
        model = loaders.translator(name, device)
        with loaders.turn(device):
            return trained_gradients(model, Tokeniser.load(card.tokeniser or ""), sample)

    return loaders.kept(("trained", name, device), make, lambda found: 2 * found.inputs.nbytes)


def parts(corpus: str) -> list[tuple[Pair, ...]]:
    """A corpus's held-out pairs in parts of at most ``CHUNK``, each of every length alike."""
    pairs = held_out(corpus).pairs
    count = -(-len(pairs) // CHUNK)
    return [pairs[start::count] for start in range(count)]


def answers(name: str, device: str, part: int) -> list[str]:
    """A model's translations of a part of its corpus's held-out pairs."""
    from attnviz.translation import translate_all

    def make() -> list[str]:
        card = zoo.card(name)
        texts = [pair.source for pair in parts(card.corpus or "")[part]]
        model = loaders.translator(name, device)
        with loaders.turn(device):
            return translate_all(model, Tokeniser.load(card.tokeniser or ""), texts)

    return loaders.kept(("answers", name, device, part), make, lambda found: 200 * len(found))


def _size(found: Unrolled) -> int:
    return sum(part.nbytes for part in (*found.encoder.values(), *found.decoder.values()))
