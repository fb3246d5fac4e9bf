"""Translating many sentences at once, as recipes do to measure a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from attnviz.data.pairs import Pair
from attnviz.decoding import decode
from attnviz.text import END, PAD, Tokeniser


def padded(rows: Sequence[Sequence[int]]) -> Tensor:
    """Rows of ids as one tensor (b, longest), filled up with PAD."""
    return nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], True, PAD)


def exact_share(
    model: nn.Module, pairs: Sequence[Pair], tokeniser: Tokeniser, device: str
) -> float:
    """Share of pairs that greedy decoding translates word for word."""
    answers = translations(model, [pair.source for pair in pairs], tokeniser, device)
    return sum(a == pair.target for a, pair in zip(answers, pairs, strict=True)) / len(pairs)


@torch.inference_mode()
def translations(
    model: Any, sources: Sequence[str], tokeniser: Tokeniser, device: str = "cpu", size: int = 100
) -> list[str]:
    """Greedy translations, in order; the model is left in the mode it was in."""
    was_training = model.training
    model.eval()
    ids = [[*tokeniser.encode(source).ids, END] for source in sources]
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    found = [""] * len(ids)
    for start in range(0, len(order), size):
        group = order[start : start + size]
        for i, hypothesis in zip(
            group, decode(model, padded([ids[i] for i in group]).to(device)), strict=True
        ):
            found[i] = tokeniser.decode(hypothesis.ids)
    model.train(was_training)
    return found
