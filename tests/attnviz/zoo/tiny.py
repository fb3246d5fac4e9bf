"""A bundled model small enough to make in a test."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from torch import nn

from attnviz import models

NAME = "tiny_vit_test"
VARIANT = "vit_tiny_patch16_224"
CONFIG = {"image_size": [48, 64], "width": 24, "depth": 3, "heads": 2, "classes": 4}
LABELS = ["cat", "dog", "boat", "<unk>"]


def write(assets: Path, **changes: Any) -> nn.Module:
    """Write a card and float16 weights under ``assets``; return the float32 model they came from.

    ``changes`` replace fields of the card; a field that is None is left out.
    """
    torch.manual_seed(0)
    config = {key: tuple(v) if isinstance(v, list) else v for key, v in CONFIG.items()}
    model = models.build(VARIANT, **config)
    with torch.no_grad():
        for (
            parameter
        ) in model.parameters():  # weights that float16 holds exactly, maps with contrast
            parameter.copy_((torch.randn_like(parameter) * 0.3).half())
    state = {k: v.half() if v.ndim > 1 else v for k, v in model.state_dict().items()}
    for folder in ("cards", "weights"):
        (assets / folder).mkdir(parents=True, exist_ok=True)
    weights = assets / "weights" / f"{NAME}.safetensors"
    safetensors.torch.save_file(state, weights)
    card = {
        "name": NAME,
        "title": "Tiny ViT",
        "family": "vit",
        "variant": VARIANT,
        "config": CONFIG,
        "preprocess": {
            "size": [48, 64],
            "crop": 1.0,
            "mean": [0.5, 0.5, 0.5],
            "std": [0.5, 0.5, 0.5],
        },
        "labels": LABELS,
        "parameters": sum(p.numel() for p in model.parameters()),
        "file": weights.name,
        "sha256": hashlib.sha256(weights.read_bytes()).hexdigest(),
        "data": [{"name": "noise", "version": "1", "licence": "none"}],
        "scores": {"top1": 0.25},
        **changes,
    }
    content = {key: value for key, value in card.items() if value is not None}
    (assets / "cards" / f"{NAME}.json").write_text(json.dumps(content), encoding="utf-8")
    return model.eval()
