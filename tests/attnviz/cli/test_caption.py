"""``caption``: what it prints, which model it takes, and how it fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from attnviz import models, zoo
from attnviz.captioning import describe
from attnviz.cli.caption import DEFAULT
from attnviz.images import open_image
from attnviz.text import END, Words
from attnviz.training.export import ship
from tests.attnviz.cli.command import Command
from tests.attnviz.zoo import tiny

WORDS = ["a", "frog", "left", "of", "<b>"]
KEYS = {
    "caption", "words", "weights", "probabilities", "gates", "grid", "model", "file", "sha256",
    "method", "device", "seconds", "notes",
}  # fmt: skip


@pytest.fixture(scope="module")
def assets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny ViT, and a random captioner that sees much and ends."""
    folder = tmp_path_factory.mktemp("assets")
    tiny.write(folder)
    torch.manual_seed(2)
    config = {
        "vocabulary": 4 + len(WORDS), "stem": "efficientnet_lite0_shallow",
        "width": 8, "annotation": 6, "embedding": 8, "match": 8,
    }  # fmt: skip
    model = models.build("show_attend_tell", **config)
    for name, parameter in model.named_parameters():
        if not name.startswith("stem."):
            parameter.data = torch.randn_like(parameter)
    model.adapter.weight.data *= 100  # the features of a random CNN are small
    model.L_o.bias.data[END] = 2
    card = {
        "name": DEFAULT, "title": "tiny", "family": "captioner", "variant": "show_attend_tell",
        "config": config, "preprocess": {"size": [224, 224], "crop": 1.0}, "labels": WORDS,
    }  # fmt: skip
    ship(model, card, folder)
    return folder


class Caption(Command):
    """``attnviz caption`` with the tiny captioner."""

    def __call__(self, picture: Path, *options: str) -> str:
        return self.prints("caption", str(picture), "--device", "cpu", *options)

    def json(self, picture: Path, *options: str) -> dict[str, Any]:
        return json.loads(self(picture, "--json", *options))


@pytest.fixture
def caption(assets: Path, capsys: pytest.CaptureFixture[str]) -> Caption:
    return Caption(assets, capsys)


def test_json_holds_one_map_a_word(caption: Caption, assets: Path, picture: Path) -> None:
    result = caption.json(picture)
    card = zoo.card(DEFAULT, assets)
    assert card.preprocess is not None
    pixels = card.preprocess.pixels(card.preprocess.view(open_image(picture).image))
    own = describe(zoo.load(card, "cpu", assets=assets), Words(WORDS), pixels)
    assert set(result) == KEYS
    assert result["caption"] == own.text and result["words"] == list(own.words)
    weights = np.array(result["weights"])
    assert weights.shape == (len(own.words), 14, 14) and result["grid"] == [14, 14]
    np.testing.assert_allclose(weights.sum((1, 2)), 1, atol=1e-5)
    np.testing.assert_allclose(weights, own.weights, atol=1e-6)
    assert np.ptp(weights, axis=(1, 2)).min() > 1e-3  # the maps say something
    assert (result["model"], result["method"], result["device"]) == (DEFAULT, "greedy", "cpu")


def test_text_shows_each_word_with_its_map(caption: Caption, picture: Path) -> None:
    result, printed = caption.json(picture), caption(picture)
    lines = printed.splitlines()
    assert lines[0] == f"noise picture.png: {DEFAULT} on cpu, greedy"
    assert result["caption"] in lines
    for word, chance in zip(result["words"], result["probabilities"], strict=True):
        assert f"{chance:5.0%}  {word}" in lines
    assert len(lines) >= 16 * len(result["words"])


def test_beam_one_is_greedy_and_a_seed_repeats(caption: Caption, picture: Path) -> None:
    greedy, beam = caption.json(picture), caption.json(picture, "--beam", "1")
    assert beam["words"] == greedy["words"]
    drawn = [caption.json(picture, "--sample", "2", "--seed", n) for n in "33456"]
    assert drawn[0]["words"] == drawn[1]["words"] and "seed 3" in drawn[0]["method"]
    assert len({one["caption"] for one in drawn}) > 1


def test_saved_maps(caption: Caption, picture: Path, tmp_path: Path) -> None:
    result = caption.json(picture, "--save", str(tmp_path / "maps.npz"))
    with np.load(tmp_path / "maps.npz") as saved:
        assert saved["words"].tolist() == result["words"]
        np.testing.assert_allclose(saved["maps"], result["weights"], atol=1e-6)
    printed = caption(picture, "--save", str(tmp_path / "maps.png"))
    assert printed.splitlines()[-1] == f"Saved {tmp_path / 'maps.png'}"
    with Image.open(tmp_path / "maps.png") as strip:
        assert strip.width == len(result["words"]) * strip.height  # square maps side by side


def test_another_kind_of_model(caption: Caption, picture: Path) -> None:
    error = caption.fails("caption", str(picture), "--model", tiny.NAME)
    assert f"{tiny.NAME} is no model that captions" in error


def test_no_picture(caption: Caption, tmp_path: Path) -> None:
    (tmp_path / "text.png").write_text("hello")
    error = caption.fails("caption", str(tmp_path / "text.png"))
    assert "not a picture that can be read" in error
    caption.fails("caption", str(tmp_path / "none.png"))


def test_a_file_that_is_neither(caption: Caption, picture: Path) -> None:
    error = caption.fails("caption", str(picture), "--save", "maps.gif")
    assert ".png" in error and ".npz" in error
