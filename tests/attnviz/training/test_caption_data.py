"""Captioned scenes in batches: where words should look, mirrored scenes, and what is shown."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from attnviz.data.captioned_scenes import COARSE
from attnviz.data.captions import text, vocabulary
from attnviz.data.things import things
from attnviz.text import END, PAD, START, Words
from attnviz.training.caption_data import SIDE, Scenes, load, mirror
from attnviz.training.caption_shards import MOST_ITEMS
from attnviz.training.captions import shown

LEFT, RIGHT = (0.3, 0.1, 0.6, 0.4), (0.3, 0.6, 0.6, 0.9)  # boxes, (top, left, bottom, right)


def write(folder: Path) -> None:
    """One shard of two scenes: two things side by side, and one alone on the left."""
    first, second = things()[:2]
    shard = folder / "0000"
    shard.mkdir(parents=True)
    rng = np.random.default_rng(0)
    for name, channels in (("shallow", 3), ("deep", 5)):
        np.save(shard / f"{name}.npy", rng.random((2, SIDE * SIDE, channels)).astype(np.float16))
    cover = np.zeros((2, MOST_ITEMS, COARSE, COARSE), np.uint8)
    for scene, item, box in ((0, 0, LEFT), (0, 1, RIGHT), (1, 0, LEFT)):
        top, left, bottom, right = (round(edge * COARSE) for edge in box)
        cover[scene, item, top:bottom, left:right] = 255
    np.save(shard / "cover.npy", cover.reshape(2, MOST_ITEMS, -1))
    items = [
        {"thing": thing.en, "name": thing.en, "box": box, "area": 0.09}
        for thing, box in ((first, LEFT), (second, RIGHT))
    ]
    (shard / "scenes.json").write_text(json.dumps([items, items[:1]]))


@pytest.fixture(params=["en", "ko"])
def language(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def scenes(tmp_path: Path, language: str) -> Scenes:
    write(tmp_path)
    return load(tmp_path, "both", language, Words(vocabulary(language)))


def said(ids: torch.Tensor, language: str) -> str:
    return Words(vocabulary(language)).decode([id for id in ids.tolist() if id not in (PAD, END)])


def test_grids_are_joined_and_captions_are_shifted(scenes: Scenes, language: str) -> None:
    batch = scenes.batch([0, 1])
    assert batch.grid.shape == (2, 196, 8)  # deep, then shallow
    assert batch.given[0, 0] == START and batch.given[0, 1:].equal(batch.wanted[0, :-1])
    assert [said(row, language) for row in batch.wanted] == [text(c) for c in scenes.captions]
    assert (batch.wanted[1] == PAD).any() and (batch.wanted[1] == END).sum() == 1


def test_words_that_name_a_thing_are_to_look_where_it_is(scenes: Scenes) -> None:
    batch = scenes.batch([0])
    naming = batch.naming[0].nonzero().flatten().tolist()
    where = batch.target[0].reshape(-1, SIDE, SIDE)
    columns = [(where[t].sum(0) * torch.arange(SIDE)).sum().item() for t in naming]
    assert len(naming) == 2 and abs(columns[0] - columns[1]) > 5  # one left, one right
    sums = batch.target[0].sum(-1)
    assert torch.all((sums == 0) | ((sums - 1).abs() < 1e-5)) and (sums == 0).any()
    # Words of place look at one thing, too.
    assert int((sums > 0).sum()) > len(naming)


def test_a_mirrored_scene_is_mirrored_in_cells_targets_and_words(
    scenes: Scenes, language: str
) -> None:
    plain, flipped = scenes.batch([0]), scenes.batch([0], [1])
    for name in ("grid", "target"):
        one, other = getattr(plain, name)[0], getattr(flipped, name)[0]
        cells = one.T if name == "grid" else one
        found = other.T if name == "grid" else other
        assert torch.from_numpy(mirror(cells.numpy()).copy()).equal(found)
    left, right = {"en": ("left", "right"), "ko": ("왼쪽", "오른쪽")}[language]
    one, other = said(plain.wanted[0], language), said(flipped.wanted[0], language)
    assert one != other and (left in one) != (right in one)
    swapped = one.replace(left, "#").replace(right, left).replace("#", right)
    assert other == swapped
    assert flipped.given[0, 1:].equal(flipped.wanted[0, :-1])


def test_of_shown_places_there_are_as_many_as_asked(scenes: Scenes) -> None:
    batch = scenes.batch([0, 1] * 100)
    told = batch.target.sum(-1) > 0  # (b, t)
    everything = shown(batch, 1.0, torch.Generator().manual_seed(0))
    assert everything is not None and everything.equal(batch.target)
    half = shown(batch, 0.5, torch.Generator().manual_seed(0))
    assert half is not None
    chosen = half.sum(-1) > 0
    assert (chosen & ~told).sum() == 0 and half[chosen].equal(batch.target[chosen])
    assert 0.4 < float(chosen.sum() / told.sum()) < 0.6
    assert shown(batch, 0.0, torch.Generator()) is None
    assert shown(batch, -0.2, torch.Generator()) is None


def test_no_shards_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="write them with --only fill"):
        load(tmp_path, "both", "en", Words(vocabulary("en")))
