"""Pages under test run on tiny random models, through the real zoo and its checks."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
import torch
from safetensors.torch import save
from streamlit.testing.v1 import AppTest

from app import captions
from app.translations import KINDS
from attnviz import models, zoo
from attnviz.text import END, Tokeniser
from attnviz.zoo.cards import ASSETS
from tests.app.apptest import MAIN

CONFIG = {"width": 32, "depth": 3, "heads": 2}
SCORES = {
    "unseen_top1": 0.25,
    "unseen_top5": 0.5,
    "unseen_pictures": 1200.0,
    "seen_top1": 0.75,
    "seen_top5": 0.875,
}


TRANSFORMER = "transformer"
CORPUS, OTHER_CORPUS = "dates_ko_en", "numbers_ko_en"
SNAPSHOTS = (10, 100)
TEXT_SCORES = {"exact_match": 0.5, "bleu": 61.25, "chrf": 70.0, "token_accuracy": 0.75}


@pytest.fixture(scope="module", autouse=True)
def _empty_caches() -> None:
    """Some modules run on the real zoo and others on the tiny one, under the same names."""
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.fixture(scope="module", autouse=True)
def _tiny_zoo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A zoo of a random ViT of 3 layers and 2 heads, a random recurrent translator of each kind,
    and the smallest bundled Transformer: a random one says one word for ever."""
    assets = tmp_path_factory.mktemp("assets")
    for folder in ("cards", "weights"):
        (assets / folder).mkdir()
    write_vit(assets)
    for kind in KINDS:
        if kind != TRANSFORMER:
            write_translator(assets, CORPUS, "dates", kind)
    for path in ASSETS.glob(f"*/{CORPUS}_{TRANSFORMER}*"):
        shutil.copy(path, assets / path.parent.name / path.name)
    write_translator(assets, OTHER_CORPUS, "numbers", "mlp")
    for language in captions.LANGUAGES:
        for kind in captions.KINDS:
            write_captioner(assets, language, kind)
    import attnviz.zoo.loading

    cards = sys.modules["attnviz.zoo.cards"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zoo, "cards", partial(cards.cards, assets))
        patch.setattr(zoo, "card", partial(cards.card, assets=assets))
        load = partial(attnviz.zoo.loading.load, assets=assets)
        patch.setattr(zoo, "load", load, raising=False)
        yield


def write_vit(assets: Path) -> None:
    torch.manual_seed(1)
    model = models.build("vit_tiny_patch16_224", **CONFIG)
    for block in model.blocks:
        block.attn.qkv.weight.data *= 20  # attention that is not the same everywhere
    card = {
        "name": zoo.DEFAULT,
        "title": "Tiny",
        "family": "vit",
        "variant": "vit_tiny_patch16_224",
        "config": CONFIG,
        "preprocess": {"size": [224, 224], "multiple": 16},
        "labels": "imagenet",
        "file": "tiny.safetensors",
        "sha256": write_weights(model, assets / "weights" / "tiny.safetensors"),
        "scores": SCORES,
    }
    write_card(card, assets)


def write_translator(assets: Path, corpus: str, tokeniser: str, kind: str) -> None:
    """A random translator that says a few pieces and ends; the kind "mlp" has snapshots."""
    torch.manual_seed(2)
    config = {"vocabulary": Tokeniser.load(tokeniser).size, "width": 16}
    variant = "seq2seq" if kind == "none" else f"seq2seq_{kind}"
    name, attends = f"{corpus}_{kind}", kind in ("dot", "bilinear", "mlp")
    taken = []
    model = models.build(variant, **config)
    for step in (*SNAPSHOTS, None):
        for weight in model.parameters():
            weight.data *= 1.8  # chances and weights that are not the same everywhere
        if step and kind == "mlp":
            file = f"{name}_{step}.safetensors"
            sha256 = write_weights(model, assets / "weights" / file)
            scores = {"exact_match": step / 1000}
            taken.append({"step": step, "file": file, "sha256": sha256, "scores": scores})
    model.head_bias.data[END] = 6
    scores = TEXT_SCORES | ({"alignment_accuracy": 0.25} if attends else {})
    lengths = ((1, 5), (6, 10), (11, 20))
    card = {
        "name": name,
        "title": f"Tiny {kind}",
        "family": "seq2seq",
        "variant": variant,
        "config": config,
        "corpus": corpus,
        "tokeniser": tokeniser,
        "file": f"{name}.safetensors",
        "sha256": write_weights(model, assets / "weights" / f"{name}.safetensors"),
        "scores": scores,
        "by_length": [{"from": a, "to": b, "count": 10 * b, **scores} for a, b in lengths],
        "snapshots": taken,
        "steps": 1000,
        "seconds": 60.0,
        "trained_on": "a made-up machine",
    }
    write_card(card, assets)


def write_captioner(assets: Path, language: str, kind: str) -> None:
    """A random captioner that says a few words and ends; the kind "guided" has snapshots."""
    torch.manual_seed(3)
    words = {
        "en": ["a", "frog", "star", "left", "of"],
        "ko": ["개구리", "별", "왼쪽에", "있는", "큰"],
    }
    config = {
        "vocabulary": 4 + len(words[language]),
        "stem": "efficientnet_lite0_shallow",
        "score": kind if kind in ("bilinear", "dot") else "mlp",
        "hard": kind == "hard",
        **{"width": 22, "annotation": 6, "embedding": 8, "match": 8},  # 22: 6 and the places
    }
    name, taken = f"captions_{language}_{kind}", []
    model = models.build("show_attend_tell", **config)
    model.adapter.weight.data *= 100  # the features of a random CNN are small
    for weight in model.attention.score.parameters():
        weight.data *= 3  # maps that are not the same everywhere
    for step in (*SNAPSHOTS, None):
        for part in (model.adapter, model.attention, model.lstm, model.L_o):
            for weight in part.parameters():
                weight.data *= 1.5
        if step and kind == "guided":
            file = f"{name}_{step}.safetensors"
            sha256 = write_weights(model, assets / "weights" / file)
            scores = {"seen_pointing": step / 1000}
            taken.append({"step": step, "file": file, "sha256": sha256, "scores": scores})
    card = {
        "name": name,
        "title": f"Tiny {kind}",
        "family": "captioner",
        "variant": "show_attend_tell",
        "config": config,
        "preprocess": {"size": [224, 224], "crop": 1.0},
        "labels": words[language],
        "language": language,
        "file": f"{name}.safetensors",
        "sha256": write_weights(model, assets / "weights" / f"{name}.safetensors"),
        "scores": {"seen_pointing": 0.875, "seen_bleu": 61.25, "unseen_pointing": 0.5},
        "snapshots": taken,
        "steps": 1000,
        "seconds": 60.0,
        "trained_on": "a made-up machine",
    }
    write_card(card, assets)


def write_weights(model: torch.nn.Module, path: Path) -> str:
    """The file's sha256."""
    content = save({name: tensor.contiguous() for name, tensor in model.state_dict().items()})
    path.write_bytes(content)
    return hashlib.sha256(content).hexdigest()


def write_card(card: dict[str, Any], assets: Path) -> None:
    (assets / "cards" / f"{card['name']}.json").write_text(json.dumps(card))


@pytest.fixture
def home() -> AppTest:
    """The app, open at its first page."""
    app = AppTest.from_file(str(MAIN), default_timeout=60).run()
    assert not app.exception
    return app


@pytest.fixture
def vit(home: AppTest) -> Callable[..., AppTest]:
    """Opens the Vision Transformer page with query parameters."""
    return partial(_opened, home, "vit")


@pytest.fixture
def seq2seq(home: AppTest) -> Callable[..., AppTest]:
    """Opens the page "Seq2Seq with attention" with query parameters."""
    return partial(_opened, home, "seq2seq")


@pytest.fixture
def rnn(home: AppTest) -> Callable[..., AppTest]:
    """Opens the page "RNN to Seq2Seq" with query parameters."""
    return partial(_opened, home, "rnn")


@pytest.fixture
def tell(home: AppTest) -> Callable[..., AppTest]:
    """Opens the page "Show, Attend and Tell" with query parameters."""
    return partial(_opened, home, "tell")


@pytest.fixture
def transformer(home: AppTest) -> Callable[..., AppTest]:
    """Opens the page "Transformer" with query parameters."""
    return partial(_opened, home, "transformer")


def _opened(app: AppTest, page: str, **query: str) -> AppTest:
    app.switch_page(f"../pages/{page}.py")
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app
