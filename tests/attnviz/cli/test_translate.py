"""``translate``: what it prints, which model it takes, and how it fails."""

from __future__ import annotations

import io
import json
import sys
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from attnviz import models, translation, zoo
from attnviz.cli.translate import DEFAULTS, bands, columns, matrix
from attnviz.decoding import sampler
from attnviz.text import END, Tokeniser
from attnviz.training.export import ship
from tests.attnviz.cli.command import Command
from tests.attnviz.zoo import tiny

SENTENCE = "2024년 3월 5일 화요일"
TOKENISER = Tokeniser.load("dates")
KEYS = {
    "translation", "source", "target", "weights", "probabilities", "model", "method", "device",
    "seconds", "notes",
}  # fmt: skip
ATTENDING, PLAIN, KOREAN, ENGLISH = "tiny_mlp", "tiny_none", *DEFAULTS.values()
HEADS = "tiny_transformer"


def write(name: str, variant: str, corpus: str, assets: Path) -> None:
    """A random translator whose attention is not even and whose sentences end."""
    torch.manual_seed(len(name))
    config = {"vocabulary": TOKENISER.size, "width": 12}
    if variant == "transformer":
        config |= {"layers": 3, "heads": 2, "hidden": 16}
    model = models.build(variant, **config)
    for parameter in model.parameters():
        parameter.data = torch.randn_like(parameter)
    if hasattr(model, "head_bias"):
        model.head_bias.data[END] = 3
    card = {"name": name, "title": name, "family": "seq2seq", "variant": variant, "config": config}
    ship(model, card | {"corpus": corpus, "tokeniser": "dates"}, assets)


@pytest.fixture(scope="module")
def assets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny ViT, a tiny translator with attention and one without, and both default ones."""
    folder = tmp_path_factory.mktemp("assets")
    tiny.write(folder)
    write(ATTENDING, "seq2seq_mlp", "dates_ko_en", folder)
    write(PLAIN, "seq2seq", "dates_ko_en", folder)
    write(HEADS, "transformer", "dates_ko_en", folder)
    write(KOREAN, "seq2seq_dot", "everyday_ko_en", folder)
    write(ENGLISH, "seq2seq_dot", "everyday_en_ko", folder)
    return folder


class Translate(Command):
    """``attnviz translate`` with the tiny models."""

    def __call__(self, text: str, *options: str) -> str:
        return self.prints("translate", text, "--device", "cpu", *options)

    def json(self, text: str, *options: str) -> dict[str, Any]:
        return json.loads(self(text, "--json", *options))


@pytest.fixture
def translate(assets: Path, capsys: pytest.CaptureFixture[str]) -> Translate:
    return Translate(assets, capsys)


@pytest.fixture(scope="module")
def model(assets: Path) -> torch.nn.Module:
    return zoo.load(ATTENDING, "cpu", assets=assets)


def test_json_holds_everything(translate: Translate, model: torch.nn.Module) -> None:
    result = translate.json(SENTENCE, "--model", ATTENDING)
    run = translation.translate(model, TOKENISER, SENTENCE)
    assert set(result) == KEYS
    assert (result["model"], result["method"], result["device"]) == (ATTENDING, "greedy", "cpu")
    assert result["translation"] == run.text
    assert result["source"] == list(run.source) and result["target"] == list(run.target)
    assert result["notes"] == list(run.notes)
    np.testing.assert_allclose(result["weights"], run.weights, atol=1e-6)
    np.testing.assert_allclose(result["probabilities"], run.probabilities, atol=1e-6)
    assert all(sum(row) == pytest.approx(1, abs=1e-5) for row in result["weights"])
    assert len(result["weights"]) == len(result["target"]) == len(result["probabilities"])
    assert {len(row) for row in result["weights"]} == {len(result["source"])}


def test_without_attention_there_are_no_weights(translate: Translate) -> None:
    result = translate.json(SENTENCE, "--model", PLAIN)
    assert set(result) == KEYS and result["weights"] is None
    assert len(result["probabilities"]) == len(result["target"])


def test_a_beam_prints_its_best(translate: Translate, model: torch.nn.Module) -> None:
    result = translate.json(SENTENCE, "--model", ATTENDING, "--beam", "4")
    best = translation.search(model, TOKENISER, SENTENCE, width=4).translations[0]
    assert (result["translation"], result["method"]) == (best.text, "beam of 4")
    np.testing.assert_allclose(result["weights"], best.weights, atol=1e-6)
    one, greedy = (
        translate.json(SENTENCE, "--model", ATTENDING, *o) for o in (["--beam", "1"], [])
    )
    assert one["target"] == greedy["target"]


def test_samples_are_repeatable(translate: Translate, model: torch.nn.Module) -> None:
    drawn = {
        seed: translate.json(SENTENCE, "--model", ATTENDING, "--sample", "2", "--seed", str(seed))
        for seed in (0, 1, 2)
    }
    expected = translation.translate(model, TOKENISER, SENTENCE, choose=sampler(2.0, 1))
    assert drawn[1]["translation"] == expected.text
    assert drawn[1]["method"] == "sampled at temperature 2, seed 1"
    assert len({result["translation"] for result in drawn.values()}) > 1
    again = translate.json(SENTENCE, "--model", ATTENDING, "--sample", "2")
    assert again["translation"] == drawn[0]["translation"]
    cold = translate.json(SENTENCE, "--model", ATTENDING, "--sample", "0.01")
    assert cold["target"] == translate.json(SENTENCE, "--model", ATTENDING)["target"]


@pytest.mark.parametrize(
    ("text", "name", "notes"),
    [
        ("넌 누구니?", KOREAN, False),
        ("Who are you?", ENGLISH, False),
        ("나는 AI 모니터입니다", KOREAN, False),
        ("Это монитор", KOREAN, True),
        ("שלום", KOREAN, True),
        ("2024", KOREAN, False),
    ],
)
def test_the_script_chooses_the_model(
    translate: Translate, text: str, name: str, notes: bool
) -> None:
    result = translate.json(text)
    assert result["model"] == name
    assert any("read Korean alone" in note for note in result["notes"]) == notes


def test_a_text_in_another_script_than_the_models_is_said(translate: Translate) -> None:
    for name, text, language in ((ENGLISH, "나는", "English"), (KOREAN, "Who", "Korean")):
        notes = translate.json(text, "--model", name)["notes"]
        assert any(f"read {language} alone" in note for note in notes)


def test_standard_input(translate: Translate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(SENTENCE + "\n"))
    given = translate.json("-", "--model", ATTENDING)
    typed = translate.json(SENTENCE, "--model", ATTENDING)
    assert given["target"] == typed["target"] and given["source"] == typed["source"]


def test_endless_input_is_not_waited_for(
    translate: Translate, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Endless(io.StringIO):
        def read(self, size: int | None = -1, /) -> str:
            assert size is not None and 0 < size < 10**6
            return "네 " * (size // 2)

    monkeypatch.setattr(sys, "stdin", Endless())
    assert any("only its first" in note for note in translate.json("-")["notes"])


def test_text_is_for_people(translate: Translate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    result = translate.json(SENTENCE, "--model", ATTENDING)
    lines = translate(SENTENCE, "--model", ATTENDING).splitlines()
    assert lines[:2] == [SENTENCE, result["translation"]]
    assert f"{ATTENDING} on cpu, greedy" in lines
    table = lines[-len(result["target"]) - 1 :]
    assert table[0].split() == result["source"]
    for line, piece, chance in zip(
        table[1:], result["target"], result["probabilities"], strict=True
    ):
        assert line.startswith(f"{chance:5.0%}  {piece}")


def test_text_without_attention_lists_the_pieces(translate: Translate) -> None:
    lines = translate(SENTENCE, "--model", PLAIN).splitlines()
    assert lines[-1] == "This model has no attention."
    target = translate.json(SENTENCE, "--model", PLAIN)["target"]
    assert [line.split()[-1] for line in lines[-2 - len(target) : -2]] == target


def test_shades_stand_under_their_piece_and_grow_with_its_weight() -> None:
    header, first, second = matrix(["x", "y"], ["나는", "a"], [[1.0, 0.0], [0.5, 0.45]])
    assert columns(header) == 1 + 2 + 4 + 2 + 1
    assert header == "   나는  a"
    assert first == "x  @@@@" and second == "y  ====  ="
    assert columns("가👍é" + "e\u0301") == 2 + 2 + 1 + 1


@pytest.mark.parametrize("room", [1, 10, 23, 1000])
def test_bands_hold_every_piece_once_and_fit(room: int) -> None:
    widths = [3, 2, 8, 1, 1, 5, 30, 2]
    found = [widths[band] for band in bands(widths, room)]
    assert [w for band in found for w in band] == widths and all(found)
    assert all(len(band) == 1 or sum(band) + 2 * len(band) <= room for band in found)


def test_a_long_sentence_fits_the_terminal(
    translate: Translate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    out = translate(SENTENCE * 4, "--model", ATTENDING)
    table = out[out.index("greedy") :].splitlines()[2:]
    assert max(map(columns, table)) <= 60


def test_npz(translate: Translate, tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    result = translate.json(SENTENCE, "--model", ATTENDING, "--save", str(path))
    with np.load(path) as stored:
        np.testing.assert_allclose(stored["attention.weights"], result["weights"])
        np.testing.assert_allclose(stored["probabilities"], result["probabilities"])
        assert list(stored["source"]) == result["source"]
        assert list(stored["target"]) == result["target"]
        assert TOKENISER.decode(stored["ids"].tolist()) == result["translation"]
        assert stored["encoder_states"].shape == (len(result["source"]), 12)
    assert f"Saved {path}" in translate(SENTENCE, "--model", PLAIN, "--save", str(path))
    with np.load(path) as stored:
        assert "attention.weights" not in stored and "decoder_states" in stored


def test_npz_holds_every_head_of_a_transformer(translate: Translate, tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    result = translate.json(SENTENCE, "--model", HEADS, "--save", str(path))
    source, target = len(result["source"]), len(result["target"])
    shapes = {"encoder": (source,) * 2, "decoder": (target,) * 2, "cross": (target, source)}
    with np.load(path) as stored:
        for kind, shape in shapes.items():
            weights = stored[f"{kind}.weights"]
            assert weights.shape == (3, 2, *shape)
            np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)
        mean = stored["cross.weights"][-2].mean(0)
        np.testing.assert_allclose(mean, result["weights"], atol=1e-5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([""], "There is no sentence here yet"),
        ([" \t\u200b "], "There is no sentence here yet"),
        (["가", "--model", "tiny_mpl"], f"did you mean {ATTENDING}"),
        (["가", "--model", tiny.NAME], f"{tiny.NAME} is no model that translates"),
        (["가", "--beam", "0"], "'0' is not a width from 1 to 64"),
        (["가", "--beam", "many"], "'many' is not a width"),
        (["가", "--sample", "0"], "'0' is not a temperature from 0.01 to 100"),
        (["가", "--sample", "nan"], "'nan' is not a temperature"),
        (["가", "--sample", "1", "--seed", "-1"], "'-1' is not a seed from 0 to 4294967295"),
        (["가", "--seed", "1"], "--seed is of --sample"),
        (["가", "--beam", "2", "--sample", "1"], "not allowed with argument"),
        (["가", "--save", "run.png"], "'run.png' should end in .npz"),
        (["가", "--save", "/no/such/folder/run.npz"], "/no/such/folder/run.npz cannot be written"),
        (["가", "--device", "toaster"], "'toaster' is no device"),
        (["넌", "누구니?"], "unrecognized arguments: 누구니?"),
    ],
)
def test_mistakes_are_one_line(translate: Translate, options: list[str], message: str) -> None:
    assert message in translate.fails("translate", *options)


def test_a_missing_default_is_said(translate: Translate, tmp_path: Path) -> None:
    tiny.write(tmp_path)
    translate.assets = tmp_path
    assert f"There is no model '{KOREAN}'" in translate.fails("translate", "넌 누구니?")


def test_a_translator_sees_no_pictures(translate: Translate, picture: Path) -> None:
    message = translate.fails("attend", str(picture), "--model", ATTENDING)
    assert f"{ATTENDING} is no model that attend can show" in message


STRANGE = [
    "word " * 512, "가" * 5000, "👩‍👩‍👧🎉", "שלום עולם", unicodedata.normalize("NFD", "나는"),
    "<unk> </s>", "$x$", "<b>&amp;</b>", "a\x00b", "\ud800a", "--", "▁",
]  # fmt: skip


@pytest.mark.parametrize("text", STRANGE)
def test_strange_text_is_translated_all_the_same(translate: Translate, text: str) -> None:
    command = ["translate", "--json", "--model", ATTENDING, "--device", "cpu", "--", text]
    result = json.loads(translate.prints(*command))
    assert len(result["source"]) <= 65 and len(result["target"]) <= 100
    if len(text) > 1000:
        assert any("only its first" in note for note in result["notes"])
