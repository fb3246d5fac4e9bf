"""What is shipped: float16 matrices, a card that the zoo reads, weights that it loads."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from attnviz import models, zoo
from attnviz.training.export import compact, rounded, ship, ship_snapshot

CONFIG = {"image_size": (32, 32), "width": 16, "depth": 1, "heads": 2, "classes": 3}
CARD = {
    "name": "tiny",
    "title": "Tiny",
    "family": "vit",
    "variant": "vit_tiny_patch16_224",
    "config": CONFIG,
    "preprocess": {"size": (32, 32)},
    "labels": ["fox", "owl", "cub"],
}


def tiny() -> torch.nn.Module:
    torch.manual_seed(0)
    return models.build(CARD["variant"], **CONFIG).eval()


def test_matrices_are_halved_and_vectors_are_not() -> None:
    state = compact(tiny())
    assert state["head.weight"].dtype == torch.float16
    assert state["head.bias"].dtype == torch.float32


def test_weights_beyond_float16_are_refused() -> None:
    model = tiny()
    model.head.weight.data[0, 0] = 1e6
    with pytest.raises(ValueError, match=r"head\.weight does not fit float16"):
        compact(model)


@torch.inference_mode()
def test_what_is_shipped_is_what_the_zoo_loads(tmp_path: Path) -> None:
    model = tiny()
    ship(model, CARD, tmp_path)
    loaded = zoo.load("tiny", device="cpu", assets=tmp_path)
    pixels = torch.randn(2, 3, 32, 32)
    torch.testing.assert_close(loaded(pixels), rounded(model)(pixels), rtol=0, atol=0)
    assert zoo.card("tiny", assets=tmp_path).parameters == sum(
        p.numel() for p in model.parameters()
    )


def test_snapshots_are_shipped_beside_the_model(tmp_path: Path) -> None:
    early, last = tiny(), tiny()
    early.head.bias.data += 1
    taken = ship_snapshot(early, "tiny", 40, tmp_path, scores={"top1": 0.5})
    ship(last, CARD | {"snapshots": [taken]}, tmp_path)
    assert (taken["step"], taken["file"]) == (40, "tiny-000040.safetensors")
    assert zoo.card("tiny", assets=tmp_path).snapshots == (taken,)
    loaded = zoo.load("tiny", device="cpu", snapshot=40, assets=tmp_path)
    assert torch.equal(loaded.head.bias, early.head.bias)
    assert torch.equal(zoo.load("tiny", device="cpu", assets=tmp_path).head.bias, last.head.bias)
