"""The bundled pictures: there, small, attributed, and what the packages carry."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from timm.data import ImageNetInfo

from attnviz.data.samples import FOLDER, LONGER_SIDE, Sample, rebuild, sample, samples
from attnviz.images import open_image

NOTICE = FOLDER.parent / "NOTICE"


@pytest.mark.parametrize("each", samples(), ids=lambda s: s.name)
def test_opens_through_the_door(each: Sample) -> None:
    picture = open_image(each.path)
    assert picture.notes == () and picture.name == f"{each.name}.jpg"
    assert min(picture.image.size) >= 224 and max(picture.image.size) <= LONGER_SIDE


@pytest.mark.parametrize("each", samples(), ids=lambda s: s.name)
def test_is_attributed(each: Sample) -> None:
    assert each.title and each.author and each.source
    assert each.licence in ("CC0", "CC BY 2.0", "public domain")
    section = NOTICE.read_text().split(f"\n{each.path.name}\n")[1].split(".jpg\n")[0]
    assert each.author.split()[0] in section
    if " from " in each.source:
        assert each.source.split(" from ")[1] in " ".join(section.split())


def test_folder_notice_and_list_agree() -> None:
    names = {each.path.name for each in samples()}
    assert names == {path.name for path in FOLDER.iterdir()} and len(names) == 11
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 1_000_000


def test_lookup() -> None:
    assert sample("coffee").title == "Coffee cup"
    with pytest.raises(LookupError, match="the samples are chelsea, coffee"):
        sample("tea")


def test_labels_are_imagenet_names() -> None:
    info = ImageNetInfo()
    known = {info.index_to_description(i) for i in range(1000)}
    assert {label for each in samples() for label in each.labels} <= known


def test_rebuild_gives_the_bundled_pictures(tmp_path: Path) -> None:
    for path in rebuild(tmp_path):
        new, bundled = (
            np.asarray(Image.open(folder / path.name)).astype(int) for folder in (tmp_path, FOLDER)
        )
        assert new.shape == bundled.shape and np.abs(new - bundled).mean() < 1
