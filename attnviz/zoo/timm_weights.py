"""timm's checkpoints in our implementation: converted, then compared with timm."""

from __future__ import annotations

from pathlib import Path

import timm
import torch
from safetensors import SafetensorError
from torch import nn

from attnviz.zoo.cards import Card
from attnviz.zoo.convert import from_timm
from attnviz.zoo.errors import ZooError

TOLERANCE = 1e-3  # largest difference from timm's output, relative to its largest value; float32


def load_timm(card: Card, path: Path) -> nn.Module:
    """Our implementation with the weights of a timm checkpoint, in float32 on the CPU.

    Raises:
        ZooError: the file is damaged or another model's, the model has no counterpart here, or our
            implementation does not compute what timm's does.
    """
    reference = _timm_model(card.name, path)
    try:
        model = from_timm(reference)
    except (TypeError, ValueError, AttributeError, RuntimeError) as error:
        raise ZooError(
            f"{card.name} is built differently from every model of this library."
        ) from error
    difference = disagreement(model, reference, card)
    if not difference <= TOLERANCE:
        raise ZooError(
            f"{card.name} is not offered: this library's output differs from timm's "
            f"by {difference:.1%} on a test picture."
        )
    return model


def _timm_model(name: str, path: Path) -> nn.Module:
    """timm's own model from a safetensors file; timm's loader knows the layouts of older files."""
    try:
        return timm.create_model(
            name, pretrained=True, pretrained_cfg_overlay={"file": str(path), "custom_load": False}
        ).eval()
    except (SafetensorError, RuntimeError, KeyError) as error:
        raise ZooError(
            f"{path} is damaged or not the file of {name}: delete it and load again."
        ) from error


@torch.inference_mode()
def disagreement(model: nn.Module, reference: nn.Module, card: Card) -> float:
    """How far our output is from timm's on one random picture, relative to timm's largest value."""
    height, width = card.preprocess.size if card.preprocess else (224, 224)
    picture = torch.randn(1, 3, height, width, generator=torch.Generator().manual_seed(0))
    ours, theirs = model(picture), reference(picture)
    return float((ours - theirs).abs().max() / theirs.abs().max())
