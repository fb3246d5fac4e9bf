"""How good captions are, and whether the captioner looks at what it names.

Shares are 0…1, BLEU is 0…100 (as in `evaluate_translation`). Written freely: ``bleu`` against the
caption that recipes teach, ``exact_match`` with any caption that is true of the scene,
``object_recall`` of the kinds of thing in it. Given the words so far: ``object_words`` is how many
words that name things are predicted, ``pointing`` how many of them are looked for inside the box
of what they name (the peak cell's centre), beside what the middle of the picture (``centre``) and a
cell drawn blindly (``uniform``) would reach; ``relation_words`` is how many words such as "left"
are predicted, beside always saying the ``commonest``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

import numpy as np
import torch

from attnviz.data.captions import Caption, Item, groups, text, true_captions
from attnviz.decoding import decode
from attnviz.geometry import Geometry
from attnviz.models.show_attend_tell import ShowAttendTell
from attnviz.text import Words
from attnviz.training.caption_data import LONGEST, SIDE, Scenes
from attnviz.training.evaluate_translation import bleu

SIZE = (SIDE, SIDE)  # of the grid
AT_ONCE = 128  # scenes


class FromGrid:
    """The captioner over stored grids, as `attnviz.decoding` takes it."""

    def __init__(self, model: ShowAttendTell) -> None:
        self.encode, self.decode = partial(model.encode_grid, size=SIZE), model.decode


@torch.inference_mode()
def evaluate(
    model: ShowAttendTell, scenes: Scenes, words: Words, language: str, geometry: Geometry
) -> dict[str, float]:
    """A card's scores of one split; the model is in eval mode."""
    device = next(model.parameters()).device
    written: list[str] = []
    named = hits = counted = related = 0
    relations: Counter[str] = Counter()
    centre = uniform = 0.0
    for batch in scenes.batches(AT_ONCE):
        first = len(written)
        batch = batch.to(str(device))
        found = decode(FromGrid(model), batch.grid, limit=LONGEST)
        written += [words.decode(hypothesis.ids) for hypothesis in found]
        memory, state = model.encode_grid(batch.grid, SIZE)
        told, _ = model.tell(batch.given, state, memory)
        right = (told.logits.argmax(-1) == batch.wanted).cpu().numpy()
        peaks = told.weights.argmax(-1).cpu().numpy()  # (b, t)
        for n in range(len(batch.grid)):
            items, said = scenes.items[first + n], scenes.captions[first + n]
            for t, inside in named_cells(said, items, geometry):
                counted += 1
                named += int(right[n, t])
                hits += int(inside[peaks[n, t]])
                uniform += inside.mean()
                centre += float(inside[middle(geometry)])
            for t in relation_steps(said):
                relations[said[t].text] += 1
                related += int(right[n, t])
    wanted = [text(said) for said in scenes.captions]
    true = [true_captions(items, language) for items in scenes.items]
    exact = sum(w in t for w, t in zip(written, true, strict=True)) / len(written)
    return {
        "bleu": bleu(written, wanted, language),
        "exact_match": exact,
        "object_recall": object_recall(written, scenes.items, language),
        "object_words": named / counted,
        "pointing": hits / counted,
        "pointing_centre": centre / counted,
        "pointing_uniform": uniform / counted,
        "relation_words": related / relations.total(),
        "relation_words_commonest": max(relations.values()) / relations.total(),
        "scenes": float(len(written)),
    }


def named_cells(
    said: Caption, items: Sequence[Item], geometry: Geometry
) -> list[tuple[int, np.ndarray]]:
    """Of each word that names things: its step, and the cells centred in one of their boxes."""
    return [
        (t, np.any([in_box(items[i], geometry) for i in word.items], axis=0))
        for t, word in enumerate(said)
        if word.items
    ]


def relation_steps(said: Caption) -> list[int]:
    """Steps at which a word such as "left" is chosen; the "of" after it is not."""
    return [t for t, word in enumerate(said) if word.by and not (t and said[t - 1].by)]


def in_box(item: Item, geometry: Geometry) -> np.ndarray:
    """Which cells' centres lie in the item's box, bool (cells,)."""
    rows = (geometry.centre[0] + geometry.stride[0] * np.arange(geometry.rows)) / geometry.height
    cols = (geometry.centre[1] + geometry.stride[1] * np.arange(geometry.cols)) / geometry.width
    top, left, bottom, right = item.box
    down, across = (rows >= top) & (rows < bottom), (cols >= left) & (cols < right)
    return (down[:, None] & across).ravel()


def middle(geometry: Geometry) -> int:
    """The cell nearest to the middle of the picture."""
    row, col = (
        round((side / 2 - centre) / stride)
        for side, centre, stride in zip(
            (geometry.height, geometry.width), geometry.centre, geometry.stride, strict=True
        )
    )
    return geometry.cell(row, col)


def object_recall(written: Sequence[str], scenes: Sequence[Sequence[Item]], language: str) -> float:
    """Share of the kinds of thing in the scenes that their captions name."""
    named = counted = 0
    for sentence, items in zip(written, scenes, strict=True):
        for group in groups(items):
            names = [group.thing.ko] if language == "ko" else [group.thing.en, group.thing.plural]
            named += any(f" {name} " in f" {sentence} " for name in names)
            counted += 1
    return named / counted
