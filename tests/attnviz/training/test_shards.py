"""Shards: written whole or not at all, read back as they were, drawn by the generator alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from attnviz.data.scenes import Placed, Scene
from attnviz.training import cache
from attnviz.training.shards import Shards
from attnviz.training.teacher import Observation


class Echo:
    """In the teacher's place: repeats each picture's first pixel, to tell rows apart."""

    calls = 0

    def observe(self, pixels: Tensor) -> Observation:
        self.calls += 1
        first = pixels[:, 0, 0, 0]
        return Observation(
            first[:, None, None].expand(-1, 4, 3), first[:, None].expand(-1, 2), first[:, None]
        )


def picture(index: int) -> Scene:
    image = np.full((8, 8, 3), index, np.uint8)
    return Scene(image, (Placed("fox", {"en": "a fox"}, (1, 2, 3, 4), 0.25),))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cache, "SHARD", 5)
    monkeypatch.setattr(cache, "BATCH", 2)
    for number in (0, 1):
        cache.write_shard(tmp_path, number, picture, Echo())  # type: ignore[arg-type]
    return tmp_path


def test_pictures_come_back_in_order(folder: Path) -> None:
    shards = Shards(folder)
    assert len(shards) == 10
    batches = list(shards.batches(3, count=7))
    assert [len(b.seen) for b in batches] == [3, 2, 2]  # a batch ends where its shard does
    first = torch.cat([b.logits for b in batches])[:, 0]
    torch.testing.assert_close(first, torch.arange(7) / 127.5 - 1, atol=1e-3, rtol=0)
    assert batches[0].seen.dtype == torch.float32
    assert shards.scenes()[9] == [{"name": "fox", "box": [1, 2, 3, 4], "area": 0.25}]


def test_a_finished_shard_is_left_alone(folder: Path) -> None:
    teacher = Echo()
    cache.write_shard(folder, 1, picture, teacher)  # type: ignore[arg-type]
    assert teacher.calls == 0


def test_an_interrupted_shard_is_not_read(folder: Path) -> None:
    (folder / ".0002.part").mkdir()
    assert len(Shards(folder)) == 10


def test_a_later_shard_is_taken_in(folder: Path) -> None:
    shards = Shards(folder)

    cache.write_shard(folder, 2, picture, Echo())  # type: ignore[arg-type]
    shards.scan()
    assert len(shards) == 15 and len(shards.scenes()) == 15


def test_drawing_follows_the_generator(folder: Path) -> None:
    shards = Shards(folder)
    one, two = (shards.draw(40, torch.Generator().manual_seed(3)) for _ in range(2))
    torch.testing.assert_close(one.logits, two.logits, rtol=0, atol=0)
    assert len(one.logits.unique()) > 5


def test_no_shards_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no shards"):
        Shards(tmp_path)


def test_pictures_themselves_and_a_share_of_them(folder: Path) -> None:
    shards = Shards(folder, "pictures", most=1)
    assert len(shards) == 5
    (batch,) = shards.batches(5)
    assert batch.seen.shape == (5, 8, 8, 3)
    assert batch.seen[:, 0, 0, 0].tolist() == [0, 1, 2, 3, 4]
