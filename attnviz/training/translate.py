"""Translating many sentences at once, as recipes do to measure a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import nn

from attnviz.data.pairs import Pair
from attnviz.text import Tokeniser
from attnviz.translation import translate_all


def exact_share(model: nn.Module, pairs: Sequence[Pair], tokeniser: Tokeniser) -> float:
    """Share of pairs that greedy decoding translates word for word."""
    answers = translations(model, [pair.source for pair in pairs], tokeniser)
    return sum(a == pair.target for a, pair in zip(answers, pairs, strict=True)) / len(pairs)


def translations(model: Any, sources: Sequence[str], tokeniser: Tokeniser) -> list[str]:
    """Greedy translations, in order; the model is left in the mode it was in."""
    was_training = model.training
    found = translate_all(model.eval(), tokeniser, sources)
    model.train(was_training)
    return found
