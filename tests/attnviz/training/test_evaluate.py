"""Agreement and pointing against cases counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from attnviz.geometry import Geometry
from attnviz.training.evaluate import Hits, agreement, cells_inside, named, share_of

GEOMETRY = Geometry(2, 2, 32, 32, prefix=("class",))  # centres at 8 and 24


def one_hot(*classes: int, count: int = 8, height: float = 9.0) -> torch.Tensor:
    logits = torch.zeros(len(classes), count)
    logits[torch.arange(len(classes)), torch.tensor(classes)] = height
    return logits


def test_agreement_by_hand() -> None:
    teacher = one_hot(0, 1, 2, 3)
    teacher[3] /= 9  # unsure: e / (e + 7) = 0.28
    student = torch.zeros(4, 8)
    student[0, 0] = 1  # right
    student[1, [7, 1]] = torch.tensor([2.0, 1.0])  # second
    student[2] = torch.tensor([5.0, 4, 0, 3, 2, 1, 0.5, 0.2])  # last
    student[3, 3] = 1  # right, where the teacher is unsure
    assert agreement(student, teacher) == pytest.approx(
        {"top1": 2 / 4, "top5": 3 / 4, "top1_sure": 1 / 3}
    )


def test_cells_inside_follow_the_centres() -> None:
    assert cells_inside((0, 0, 32, 16), GEOMETRY).tolist() == [[True, False], [True, False]]
    assert not cells_inside((9, 9, 24, 24), GEOMETRY).any()
    shifted = Geometry(2, 2, 32, 32, stride=(16.0, 16.0), centre=(1.0, 1.0))
    assert cells_inside((0, 0, 8, 8), shifted).tolist() == [[True, False], [False, False]]


def test_hits_count_peaks_and_baselines() -> None:
    hits = Hits()
    left, right = np.array([[3.0, 1], [2, 0]]), np.array([[0.0, 5], [1, 2]])
    hits.count({"attention": left, "rollout": right}, (0, 0, 32, 16), GEOMETRY)
    hits.count({"attention": left, "rollout": left}, (0, 0, 20, 20), GEOMETRY)
    assert hits.shares() == {
        "attention": 1.0,
        "rollout": 0.5,
        "uniform": (2 / 4 + 1 / 4) / 2,
        "centre": 0.5,  # (16, 16) lies in the second box only
        "pictures": 2.0,
    }


def test_the_object_that_is_named() -> None:
    fox, owl, cub = ({"name": name, "box": (0, 0, 1, 1)} for name in ("fox", "owl", "cub"))
    answers = {"fox": 7, "owl": 3, "cub": 7}
    assert named([owl], 7, answers) is owl  # alone: whatever the model says
    assert named([fox, owl], 7, answers) is fox
    assert named([fox, owl, cub], 7, answers) is None  # two could be meant
    assert named([fox, owl], 5, answers) is None
    assert named([], 5, answers) is None


def test_share_of_the_picture() -> None:
    assert share_of((0, 8, 16, 16), (32, 16)) == 0.25
