"""The lexicon's recipe, on packages made of its own result."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from attnviz.training import lexicon


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Both packages as they unpack, with the bundled nouns as emoji; one name is of a face."""
    rows = json.loads(lexicon.TARGET.read_text(encoding="utf-8"))["nouns"]
    for package, (directory, key) in lexicon.PACKAGES.items():
        for language in ("en", "ko"):
            signs = {}
            if directory == "annotations":
                signs = {str(n): {"tts": [row[language]]} for n, row in enumerate(rows)}
            if language == "ko" and signs:
                signs["0"]["tts"][0] += " 얼굴"
            path = tmp_path / package / directory / language / "annotations.json"
            path.parent.mkdir(parents=True)
            path.write_text(json.dumps({key: {"annotations": signs}}), encoding="utf-8")
    return tmp_path


def test_the_recipe_gives_the_bundled_file(folder: Path, tmp_path: Path) -> None:
    made = tmp_path / "made.json"
    lexicon.write(folder, made)
    assert made.read_text(encoding="utf-8") == lexicon.TARGET.read_text(encoding="utf-8")


def test_a_name_that_unicode_lacks_is_an_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lexicon, "SELECTION", {"animal": "monkey, wyvern"})
    with pytest.raises(KeyError, match="wyvern"):
        lexicon.nouns(folder)


def test_two_nouns_of_one_name_are_an_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexicon, "SELECTION", {"animal": "monkey", "thing": "monkey"})
    with pytest.raises(ValueError, match="monkey"):
        lexicon.nouns(folder)
