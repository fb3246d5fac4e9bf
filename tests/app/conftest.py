"""Pages under test run on a tiny random model, through the real zoo and its checks."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
import torch
from safetensors.torch import save
from streamlit.testing.v1 import AppTest

from attnviz import models, zoo
from tests.app.apptest import MAIN

CONFIG = {"width": 32, "depth": 3, "heads": 2}
SCORES = {
    "unseen_top1": 0.25,
    "unseen_top5": 0.5,
    "unseen_pictures": 1200.0,
    "seen_top1": 0.75,
    "seen_top5": 0.875,
}


@pytest.fixture(scope="module", autouse=True)
def _tiny_zoo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A zoo whose bundled default is a random ViT of 3 layers and 2 heads."""
    assets = tmp_path_factory.mktemp("assets")
    write_model(assets)
    import attnviz.zoo.loading

    cards = sys.modules["attnviz.zoo.cards"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zoo, "cards", partial(cards.cards, assets))
        patch.setattr(zoo, "card", partial(cards.card, assets=assets))
        load = partial(attnviz.zoo.loading.load, assets=assets)
        patch.setattr(zoo, "load", load, raising=False)
        yield


def write_model(assets: Path) -> None:
    torch.manual_seed(1)
    model = models.build("vit_tiny_patch16_224", **CONFIG)
    for block in model.blocks:
        block.attn.qkv.weight.data *= 20  # attention that is not the same everywhere
    content = save({name: tensor.contiguous() for name, tensor in model.state_dict().items()})
    for folder in ("cards", "weights"):
        (assets / folder).mkdir(parents=True)
    (assets / "weights" / "tiny.safetensors").write_bytes(content)
    card = {
        "name": zoo.DEFAULT,
        "title": "Tiny",
        "family": "vit",
        "variant": "vit_tiny_patch16_224",
        "config": CONFIG,
        "preprocess": {"size": [224, 224], "multiple": 16},
        "labels": "imagenet",
        "file": "tiny.safetensors",
        "sha256": hashlib.sha256(content).hexdigest(),
        "scores": SCORES,
    }
    (assets / "cards" / f"{zoo.DEFAULT}.json").write_text(json.dumps(card))


@pytest.fixture
def home() -> AppTest:
    """The app, open at its first page."""
    app = AppTest.from_file(str(MAIN), default_timeout=60).run()
    assert not app.exception
    return app


@pytest.fixture
def vit(home: AppTest) -> Callable[..., AppTest]:
    """Opens the Vision Transformer page with query parameters."""

    def opened(**query: str) -> AppTest:
        home.switch_page("../pages/vit.py")
        for name, value in query.items():
            home.query_params[name] = value
        home.run()
        assert not home.exception
        return home

    return opened
