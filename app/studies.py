"""What the studies of the page "Attention layer" compute, each thing once and for everybody.

torch is imported inside the functions, so that the page paints before it arrives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from app import captions, loaders, translations
from app.translations import Talk
from attnviz.text import Sentence

if TYPE_CHECKING:
    from attnviz.attention_studies.correspondence import Look
    from attnviz.attention_studies.heads import Cost, Learned
    from attnviz.attention_studies.permutation import Shuffled
    from attnviz.attention_studies.scaling import Scaling, Softmax
    from attnviz.measuring import Point

KIND = "mlp"  # of the translators that lend their embeddings: Bahdanau's
SEED = 0


def scaling(keys: int) -> Scaling:
    """Softmaxes by the size of a key."""
    from attnviz.attention_studies.scaling import scaling

    return _kept(("scaling", keys), lambda: scaling(keys, seed=SEED))


def quality(keys: int) -> Softmax:
    """Softmaxes of additive scores and of dot products, by the size of a key."""
    from attnviz.attention_studies.additive import quality

    return _kept(("quality", keys), lambda: quality(keys, seed=SEED))


def price(kind: str, keys: int, size: int) -> Point:
    """The time and the memory of one attention, measured once and shared."""
    from attnviz.attention_studies.additive import price

    known = _prices(size)
    if (kind, keys) not in known:
        known[kind, keys] = _turn(lambda: price(kind, keys, size, seed=SEED))()
    return known[kind, keys]


def forget_prices(size: int) -> None:
    """Measure again."""
    _prices(size).clear()


def _prices(size: int) -> dict[tuple[str, int], Point]:
    return loaders.kept(("prices", size), dict, lambda _: 10_000)


def talk(sentence: Sentence, corpus: str) -> Talk:
    """The sentence through the translator whose embeddings the studies take."""
    return Talk(f"{corpus}_{KIND}", "cpu", sentence)


def rows(talk: Talk) -> tuple[np.ndarray, tuple[str, ...]]:
    """A sentence's embeddings times √d (n, d), and the names of its pieces."""
    from attnviz.attention_studies.permutation import embedded

    pieces = talk.tokeniser.encode(talk.sentence.text)
    model = loaders.translator(talk.model, talk.device)
    make = lambda: embedded(model, pieces.ids)  # noqa: E731
    return loaders.kept((talk.key, "embedded"), make, lambda found: found.nbytes), pieces.texts


def shuffled(talk: Talk, order: Sequence[int], positions: bool) -> Shuffled:
    """A fresh attention layer over the sentence, before and after it was shuffled."""
    from attnviz.attention_studies.permutation import fresh_layer, shuffled

    inputs, _ = rows(talk)
    layer = fresh_layer(inputs.shape[1], seed=SEED)
    key = (talk.key, "shuffled", tuple(order), positions)
    return _kept(key, lambda: shuffled(layer, inputs, order, positions=positions))


def costs(width: int, tokens: int) -> tuple[Cost, ...]:
    """What different numbers of heads cost."""
    from attnviz.attention_studies.heads import costs

    return loaders.kept(("costs", width, tokens), _turn(lambda: costs(width, tokens)), lambda _: 0)


def learned(heads: int, seed: int, progress: Callable[[int], None]) -> Learned:
    """A layer trained on the task of two places; progress is told its steps while it learns."""
    from attnviz.attention_studies.heads import learn_two_places

    return _kept(
        ("learned", heads, seed), lambda: learn_two_places(heads, seed=seed, progress=progress)
    )


def layer_look(talk: Talk, token: int) -> Look:
    """One token of a sentence in a fresh attention layer."""
    from attnviz.attention_studies.correspondence import layer_look
    from attnviz.attention_studies.permutation import fresh_layer

    inputs, _ = rows(talk)
    return _kept(
        (talk.key, "look", token),
        lambda: layer_look(fresh_layer(inputs.shape[1], seed=SEED), inputs, token),
    )


def translator_look(talk: Talk, step: int) -> Look:
    """One step of the translation of a sentence."""
    from attnviz.attention_studies.correspondence import translator_look

    found = translations.translation(talk)
    model = loaders.translator(talk.model, talk.device)
    return _kept((talk.key, "translator look", step), lambda: translator_look(model, found, step))


def captioner_look(look: captions.Look, step: int) -> Look:
    """What a captioner did before one word."""
    from attnviz.attention_studies.correspondence import captioner_look

    return captioner_look(captions.caption(look), step)


def _kept(key: Any, make: Callable[[], Any]) -> Any:
    return loaders.kept(key, _turn(make), _size)


def _turn(make: Callable[[], Any]) -> Callable[[], Any]:
    """Computed while nothing else runs on the CPU."""

    def run() -> Any:
        with loaders.turn("cpu"):
            return make()

    return run


def _size(found: Any) -> int:
    """Bytes of a dataclass's arrays."""
    values = (getattr(found, field.name) for field in fields(found))
    arrays = (value for value in values if isinstance(value, np.ndarray))
    return sum(array.nbytes for array in arrays)
