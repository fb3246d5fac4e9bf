"""``attend``: what it prints, what it saves, and how it fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from attnviz import analysis, inference, zoo
from attnviz.cli.attend import overlay
from attnviz.geometry import Geometry
from tests.attnviz.cli.command import Command
from tests.attnviz.zoo import tiny

LAYERS, HEADS = tiny.CONFIG["depth"], tiny.CONFIG["heads"]


class Attend(Command):
    """``attnviz attend`` on the tiny model."""

    picture: Path

    def __call__(self, *options: str) -> str:
        return self.prints(
            "attend", str(self.picture), "--model", tiny.NAME, "--device", "cpu", *options
        )

    def json(self, *options: str) -> dict[str, Any]:
        return json.loads(self("--json", *options))


@pytest.fixture
def attend(assets: Path, picture: Path, capsys: pytest.CaptureFixture[str]) -> Attend:
    command = Attend(assets, capsys)
    command.picture = picture
    return command


@pytest.fixture(scope="module")
def looked(assets: Path, picture: Path) -> inference.PictureRun:
    card = zoo.card(tiny.NAME, assets)
    assert card.preprocess is not None
    pixels = card.preprocess.pixels(card.preprocess.view(Image.open(picture)))
    return inference.look(zoo.load(card, "cpu", assets=assets), pixels)  # type: ignore[arg-type]


def test_json_holds_everything(attend: Attend, looked: inference.PictureRun) -> None:
    result = attend.json()
    assert set(result) == {
        "model", "weights", "device", "labels", "method", "layer", "head", "size", "grid", "map",
        "total", "seconds", "notes",
    }  # fmt: skip
    assert (result["model"], result["device"]) == (tiny.NAME, "cpu")
    assert result["weights"]["source"] == "bundled" and len(result["weights"]["sha256"]) == 64
    assert (result["method"], result["layer"], result["head"]) == ("class", LAYERS - 1, "mean")
    assert (result["size"], result["grid"]) == ([48, 64], [3, 4])
    probabilities = [label["probability"] for label in result["labels"]]
    assert probabilities == sorted(probabilities, reverse=True)
    assert sum(probabilities) == pytest.approx(1)
    assert {label["name"] for label in result["labels"]} == set(tiny.LABELS)
    assert result["labels"][0]["name"] == tiny.LABELS[int(looked.logits.argmax())]


def test_the_map_is_the_class_tokens_row_scaled(
    attend: Attend, looked: inference.PictureRun
) -> None:
    result = attend.json("--layer", "1", "--head", "0")
    row = looked.weights[1, 0, 0, 1:].reshape(3, 4)
    np.testing.assert_allclose(np.array(result["map"]) * result["total"], row, rtol=1e-5)
    assert np.sum(result["map"]) == pytest.approx(1)
    assert result["total"] == pytest.approx(1 - looked.weights[1, 0, 0, 0], rel=1e-5)


def expected(looked: inference.PictureRun, square: np.ndarray) -> np.ndarray:
    values = np.maximum(analysis.class_map(square, looked.geometry), 0)
    return values / values.sum()


@pytest.mark.parametrize("fusion", ["mean", "max", "min"])
def test_heads_and_layers_are_combined(
    attend: Attend, looked: inference.PictureRun, fusion: Any
) -> None:
    fused = analysis.fuse_heads(looked.weights, fusion)
    one = attend.json("--layer", "0", "--head", fusion)
    np.testing.assert_allclose(one["map"], expected(looked, fused[0]), rtol=1e-4)
    mean = attend.json("--layer", "all", "--head", fusion)
    np.testing.assert_allclose(mean["map"], expected(looked, fused.mean(0)), rtol=1e-4)
    rolled = attend.json("--method", "rollout", "--head", fusion)
    square = analysis.rollout(looked.weights, fuse=fusion)
    np.testing.assert_allclose(rolled["map"], expected(looked, square), rtol=1e-4)


@pytest.mark.parametrize("method", ["relevance", "gradient"])
def test_gradient_methods(attend: Attend, method: str) -> None:
    result = attend.json("--method", method)
    values = np.array(result["map"])
    assert values.shape == (3, 4) and (values >= 0).all()
    assert values.sum() == pytest.approx(1) and result["total"] > 0
    assert result["head"] == "by gradient"
    assert result["layer"] == {"relevance": "all", "gradient": LAYERS - 1}[method]


def test_gradient_of_an_earlier_layer_differs(attend: Attend) -> None:
    first, last = (attend.json("--method", "gradient", "--layer", n)["map"] for n in ("0", "last"))
    assert not np.allclose(first, last)


def test_text_is_for_people(attend: Attend, looked: inference.PictureRun) -> None:
    out = attend()
    best = tiny.LABELS[int(looked.logits.argmax())]
    assert f"noise picture.png: {tiny.NAME} on cpu" in out
    assert out.index(best) == min(out.index(label) for label in tiny.LABELS)
    assert f"class, layer {LAYERS - 1}, heads: mean; 3×4 patches" in out
    rows = out.rstrip("\n").splitlines()[-3:]
    assert sum(row.count("@") for row in rows) == 1


def test_notes_about_the_picture_are_passed_on(attend: Attend, tmp_path: Path) -> None:
    frames = [Image.new("RGB", (60, 50), colour) for colour in ("red", "blue")]
    attend.picture = tmp_path / "moving.gif"
    frames[0].save(attend.picture, save_all=True, append_images=frames[1:])
    note = "First frame of an animation of 2."
    assert attend.json()["notes"] == [note]
    assert note in attend()


def test_png(attend: Attend, tmp_path: Path) -> None:
    path = tmp_path / "map.PNG"
    assert str(path) in attend("--save", str(path))
    with Image.open(path) as image:
        assert image.format == "PNG" and image.mode == "RGB"
        assert max(image.size) >= 672 and image.width / image.height == pytest.approx(64 / 48)


def test_an_overlay_puts_a_cell_where_it_belongs() -> None:
    geometry = Geometry(14, 14, 224, 224, prefix=("class",))
    values = np.zeros((14, 14))
    values[6, 9] = 1
    image = np.asarray(overlay(Image.new("RGB", (224, 224)), values, geometry), dtype=float)
    yellow = image[..., 0] > image[..., 2]  # viridis ends in yellow and starts in violet
    rows, cols = np.nonzero(yellow)
    assert (rows.mean() + 0.5) / 3 == pytest.approx(104)
    assert (cols.mean() + 0.5) / 3 == pytest.approx(152)


def test_npz(attend: Attend, tmp_path: Path, looked: inference.PictureRun) -> None:
    path = tmp_path / "run.npz"
    result = attend.json("--save", str(path))
    with np.load(path) as stored:
        np.testing.assert_array_equal(stored["weights"], looked.weights)
        np.testing.assert_array_equal(stored["logits"], looked.logits)
        np.testing.assert_array_equal(stored["map"], result["map"])
        assert list(stored["tokens"]) == looked.geometry.labels()
        assert stored["picture"].shape == (48, 64, 3)
        assert list(stored["labels"]) == [label["name"] for label in result["labels"]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--layer", str(LAYERS)], f"layer {LAYERS} does not exist: {tiny.NAME} has layers 0–2"),
        (["--head", str(HEADS)], f"head {HEADS} does not exist: {tiny.NAME} has heads 0–1"),
        (["--layer", "-1"], "'-1' is no layer: a number from 0, last or all"),
        (["--layer", "²"], "'²' is no layer"),
        (["--head", "median"], "'median' is no head: a number from 0, mean, max or min"),
        (["--method", "rollout", "--layer", "1"], "rollout goes through all layers"),
        (["--method", "relevance", "--layer", "last"], "relevance goes through all layers"),
        (["--method", "gradient", "--layer", "all"], "gradient shows one layer"),
        (["--method", "gradient", "--head", "0"], "leave --head out"),
        (["--method", "rollout", "--head", "1"], "--head takes mean, max, min"),
        (["--method", "guess"], "invalid choice: 'guess'"),
        (["--save", "map.gif"], "'map.gif' should end in .png or .npz"),
        (["--save", "/no/such/folder/map.png"], "/no/such/folder/map.png cannot be written"),
        (["--save", "/no/such/folder/map.npz"], "/no/such/folder/map.npz cannot be written"),
        (["--device", "toaster"], "'toaster' is no device; this machine has: "),
        (["--model", "tiny_vit_tset"], f"did you mean {tiny.NAME}"),
        (["--frobnicate"], "unrecognized arguments: --frobnicate"),
    ],
)
def test_mistakes_are_one_line(attend: Attend, options: list[str], message: str) -> None:
    command = ["attend", str(attend.picture), "--model", tiny.NAME, *options]
    assert message in attend.fails(*command)


@pytest.mark.parametrize("content", [None, b"", b"no picture", b"\x89PNG\r\n\x1a\n cut short"])
def test_bad_pictures(attend: Attend, tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "bad.png"
    if content is not None:
        path.write_bytes(content)
    attend.fails("attend", str(path), "--model", tiny.NAME)
    attend.fails("attend", str(tmp_path), "--model", tiny.NAME)


def test_damaged_weights(attend: Attend, tmp_path: Path) -> None:
    tiny.write(tmp_path)
    (tmp_path / "weights" / f"{tiny.NAME}.safetensors").write_bytes(b"oops")
    attend.assets = tmp_path
    message = attend.fails("attend", str(attend.picture), "--model", tiny.NAME)
    assert f"{tiny.NAME}.safetensors are damaged" in message


def test_a_model_of_another_family(attend: Attend, tmp_path: Path) -> None:
    tiny.write(tmp_path, family="pix2pix")
    attend.assets = tmp_path
    message = attend.fails("attend", str(attend.picture), "--model", tiny.NAME)
    assert "no model that attend can show" in message
