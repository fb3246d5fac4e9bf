"""The table of timm checkpoints against the timm that is installed."""

from __future__ import annotations

import pytest
import timm
import torch

from attnviz import models
from attnviz.zoo import Card, UnknownModel, card
from attnviz.zoo.timm_table import TIMM_CARDS, timm_card


@pytest.mark.parametrize("found", TIMM_CARDS, ids=lambda found: found.name)
def test_the_table_says_what_timm_says(found: Card) -> None:
    looked_up = timm_card(found.name)
    assert found.preprocess == looked_up.preprocess
    assert found.labels == looked_up.labels
    assert found.file == looked_up.file
    assert found.family == looked_up.family


@pytest.mark.parametrize("found", TIMM_CARDS, ids=lambda found: found.name)
def test_the_table_counts_parameters(found: Card) -> None:
    with torch.device("meta"):
        theirs = timm.create_model(found.name)
    assert found.parameters == sum(p.numel() for p in theirs.parameters())


def test_every_row_is_an_architecture_of_ours() -> None:
    assert {found.variant for found in TIMM_CARDS} <= set(models.names())


def test_a_checkpoint_outside_the_table() -> None:
    found = card("vit_base_patch16_384")
    assert found.file == "timm/vit_base_patch16_384.augreg_in21k_ft_in1k/model.safetensors"
    assert found.preprocess is not None
    assert (found.preprocess.size, found.preprocess.crop) == ((384, 384), 1.0)


@pytest.mark.parametrize("name", ["resnet50", "vit_base_patch16_224.no_such_tag", "vit_", "", "."])
def test_what_timm_lacks_or_is_of_another_kind(name: str) -> None:
    with pytest.raises(UnknownModel):
        timm_card(name)
