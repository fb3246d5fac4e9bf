"""Captioned scenes as training and measuring read them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from attnviz.data.captioned_scenes import COARSE
from attnviz.data.captions import Caption, Item, caption
from attnviz.text import END, PAD, START, Words
from attnviz.training.caption_shards import MOST_ITEMS, read_items

LONGEST = 24  # words of any caption, END included
SIDE = 14  # cells of the grid a side


class Batch(NamedTuple):
    """Scenes and the words to be said of them; t is the longest caption of the batch."""

    grid: Tensor  # (b, 196, c)
    given: Tensor  # (b, t) from START on
    wanted: Tensor  # (b, t) END last, then PAD
    target: Tensor  # (b, t, 196) where words should look, rows sum to 1, or 0 for any place
    naming: Tensor  # (b, t) True at words that name a thing

    def to(self, device: str) -> Batch:
        """The same on another device."""
        return Batch(*(tensor.to(device) for tensor in self))


@dataclass(frozen=True)
class Scenes:
    """Stored scenes of one split.

    Args:
        grids: of each shard, memory-mapped arrays (n, 196, c) whose channels are joined.
        items: of every scene.
        captions: of every scene.
        ids: the captions' words, END last.
        cover: (scenes, items, 196) uint8, share of each cell that an item visibly covers.
        sides: ids of words for left to those for right, and back.
    """

    grids: list[tuple[np.ndarray, ...]]
    items: list[tuple[Item, ...]]
    captions: list[Caption]
    ids: list[tuple[int, ...]]
    cover: np.ndarray
    sides: dict[int, int]

    def __len__(self) -> int:
        return len(self.items)

    def draw(self, count: int, generator: torch.Generator) -> Batch:
        """A random batch, half of its scenes mirrored."""
        rows = torch.randint(len(self), (count,), generator=generator).tolist()
        flips = torch.randint(2, (count,), generator=generator).tolist()
        return self.batch(rows, flips)

    def batches(self, size: int) -> Iterator[Batch]:
        """All scenes in order."""
        for start in range(0, len(self), size):
            yield self.batch(list(range(start, min(start + size, len(self)))))

    def grid(self, row: int) -> np.ndarray:
        """What the CNN sees in one scene, (196, c)."""
        shard, place = divmod(row, len(self.grids[0][0]))
        return np.concatenate([array[place] for array in self.grids[shard]], -1)

    def batch(self, rows: list[int], flips: Sequence[int] = ()) -> Batch:
        """The scenes of the given numbers; those of `flips` mirrored.

        The CNN was trained on mirrored pictures, so the mirrored grid is nearly that of the
        mirrored picture; of the caption only left and right change.
        """
        mirrored = {n for n, flip in enumerate(flips) if flip}
        grid = np.stack(
            [
                mirror(self.grid(row).T).T if n in mirrored else self.grid(row)
                for n, row in enumerate(rows)
            ]
        )
        longest = max(len(self.ids[row]) for row in rows)
        given = torch.full((len(rows), longest), PAD)
        wanted = torch.full((len(rows), longest), PAD)
        target = np.zeros((len(rows), longest, SIDE * SIDE), np.float32)
        naming = torch.zeros(len(rows), longest, dtype=torch.bool)
        for n, row in enumerate(rows):
            ids = self.ids[row]
            if n in mirrored:
                ids = tuple(self.sides.get(id, id) for id in ids)
            wanted[n, : len(ids)] = torch.tensor(ids)
            given[n, : len(ids)] = torch.tensor([START, *ids[:-1]])
            for t, word in enumerate(self.captions[row]):
                naming[n, t] = bool(word.items)
                if shown := word.items or word.by:
                    covered = self.cover[row, list(shown)].sum(0)
                    target[n, t] = mirror(covered) if n in mirrored else covered
        target /= np.maximum(target.sum(-1, keepdims=True), 1e-9)
        return Batch(
            torch.from_numpy(grid).float(), given, wanted, torch.from_numpy(target), naming
        )


def load(folder: Path, grid: str, language: str, words: Words, most: int | None = None) -> Scenes:
    """All whole shards in a folder, or the first of them.

    Args:
        grid: "deep", "shallow" or "both".

    Raises:
        FileNotFoundError: the folder holds no shard.
    """
    shards = sorted(folder.glob("[0-9]*"))[:most]
    if not shards:
        raise FileNotFoundError(f"no shards in {folder}; write them with --only fill")
    names = ("deep", "shallow") if grid == "both" else (grid,)
    items = [
        read_items(rows) for s in shards for rows in json.loads((s / "scenes.json").read_text())
    ]
    captions = [caption(found, language) for found in items]
    ids = [(*words.encode([word.text for word in said]), END) for said in captions]
    cover = np.concatenate([np.load(s / "cover.npy") for s in shards])
    step = COARSE // SIDE
    tiles = cover.reshape(-1, MOST_ITEMS, SIDE, step, SIDE, step).mean((3, 5))
    return Scenes(
        grids=[tuple(np.load(s / f"{name}.npy", mmap_mode="r") for name in names) for s in shards],
        items=items,
        captions=captions,
        ids=ids,
        cover=tiles.reshape(-1, MOST_ITEMS, SIDE * SIDE).round().astype(np.uint8),
        sides=sides(words),
    )


def sides(words: Words) -> dict[int, int]:
    """Ids of words that say left to those that say right, and back."""
    pairs = [
        (words.id(word), words.id(word.replace(left, right)))
        for left, right in (("left", "right"), ("왼쪽", "오른쪽"))
        for word in words.words
        if word.startswith(left)
    ]
    return dict(pairs) | {right: left for left, right in pairs}


def mirror(cells: np.ndarray) -> np.ndarray:
    """A grid row by row, (..., 196), left for right."""
    shape = cells.shape
    return cells.reshape(*shape[:-1], SIDE, SIDE)[..., ::-1].reshape(shape)
