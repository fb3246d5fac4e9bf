"""The sentences that travel with the app."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from attnviz.data import held_out as module
from attnviz.data.held_out import CORPORA, HeldOut, held_out, write_held_out
from attnviz.data.pairs import Pair

BUNDLED = sorted(path.stem for path in CORPORA.glob("*.json"))


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_sentences_can_be_shown_and_measured(name: str) -> None:
    sentences = held_out(name)
    assert sentences.name == name and sentences.title and sentences.licence
    assert 8 <= len(sentences.examples) <= 12
    assert 100 <= len(sentences.pairs) <= 300
    assert len({pair.source for pair in sentences.pairs}) == len(sentences.pairs)
    lengths = [len(pair.source) for pair in sentences.pairs]
    assert lengths == sorted(lengths)
    for pair in sentences.pairs:
        for (start, end), (first, last) in pair.links:
            assert 0 <= start < end <= len(pair.target)
            assert 0 <= first < last <= len(pair.source)
        assert bool(pair.links) == (not name.startswith("manual"))
    shown = {(pair.source, pair.target) for pair in sentences.examples}
    assert shown <= {(pair.source, pair.target) for pair in sentences.pairs}


def test_what_is_written_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CORPORA", tmp_path / "corpora")
    pair = Pair("백", "one hundred", (((0, 3), (0, 1)), ((4, 11), (0, 1))))
    sentences = HeldOut("n", "Numbers", "ko", "en", "own", (Pair("백", "one hundred"),), (pair,))
    path = write_held_out(sentences)
    assert held_out("n") == sentences
    assert set(json.loads(path.read_text())) == {
        "name", "title", "source_language", "target_language", "licence", "examples", "held_out",
    }  # fmt: skip
    assert "\\u" not in path.read_text() and path.read_text().count("\n") == 1
    held_out.cache_clear()


def test_a_missing_corpus_names_near_ones() -> None:
    with pytest.raises(LookupError, match="dates_ko_en"):
        held_out("dates")
    with pytest.raises(LookupError, match="there are no sentences of '/etc/passwd'"):
        held_out("/etc/passwd")
