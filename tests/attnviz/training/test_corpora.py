"""The recipe that bundles vocabularies and held-out sentences, on a corpus of a few words."""

from __future__ import annotations

from pathlib import Path

import pytest

from attnviz.data import held_out as held_out_module
from attnviz.data.corpora import NAMES
from attnviz.data.held_out import held_out
from attnviz.data.pairs import Corpus, Pair
from attnviz.text import Tokeniser
from attnviz.training import corpora
from attnviz.training.corpora import evenly, of_every_length


def pairs(words: str, count: int) -> tuple[Pair, ...]:
    return tuple(
        Pair(f"{words}{' 또' * (row % 7)} {row}", f"{words} {row}", (((0, 1), (0, 1)),))
        for row in range(count)
    )


def small(name: str, seed: int) -> Corpus:
    source, target = name[-5:].split("_")
    return Corpus(
        name, "Small", source, target, pairs("가나", 500), pairs("나", 9), pairs("다", 400),
        name if name.startswith("manual") else name.split("_")[0], "own", (),
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(corpora, "corpus", small)
    monkeypatch.setattr(corpora, "TOKENISERS", tmp_path / "tokenisers")
    monkeypatch.setattr(held_out_module, "CORPORA", tmp_path / "corpora")
    return tmp_path


def test_everything_is_rebuilt(folder: Path) -> None:
    corpora.main([])
    assert {path.stem for path in (folder / "tokenisers").iterdir()} == {
        small(name, 0).tokeniser for name in NAMES
    }
    assert {path.stem for path in (folder / "corpora").iterdir()} == {*NAMES}


def test_one_corpus_is_rebuilt_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpora.main(["--only", "everyday_ko_en"])
    written = sorted(path.name for path in folder.rglob("*.json"))
    assert written == ["everyday.json", "everyday_ko_en.json"]
    assert "500 train, 9 valid, 400 test" in capsys.readouterr().out
    sentences = held_out("everyday_ko_en")
    assert len(sentences.pairs) == 300 and len(sentences.examples) == 12
    assert all(pair.source.startswith("다") for pair in sentences.pairs)
    held_out.cache_clear()


def test_both_directions_have_the_vocabulary_of_the_first(folder: Path) -> None:
    corpora.main(["--only", "everyday_en_ko"])
    assert [path.name for path in folder.rglob("*.json")] == ["everyday_en_ko.json"]
    held_out.cache_clear()


def test_the_vocabulary_is_that_of_the_training_pairs() -> None:
    tokeniser: Tokeniser = corpora.vocabulary(small("dates_ko_en", 0))
    assert all(tokeniser.encode("가나 또 3").known)
    assert not all(tokeniser.encode("다").known)


def test_a_wrong_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        corpora.main(["--only", "dates"])
    assert stopped.value.code == 2 and "dates_ko_en" in capsys.readouterr().err


def test_every_length_has_its_share() -> None:
    of = [Pair("x" * length + str(row), "") for length in (1, 1, 1, 1, 5, 9) for row in range(9)]
    chosen = of_every_length(of, 12)
    assert [len(pair.source) for pair in chosen] == [2] * 4 + [6] * 4 + [10] * 4
    assert len({pair.source for pair in chosen}) == 12
    assert len(of_every_length(of, 1000)) == 27
    assert of_every_length([], 3) == ()


def test_evenly_spaced_pairs() -> None:
    of = [Pair(str(row), "") for row in range(10)]
    assert [pair.source for pair in evenly(of, 4)] == ["0", "2", "5", "7"]
    assert evenly(of, 10) == evenly(of, 99) == of
