"""The corpora by name, and how pairs are split."""

from __future__ import annotations

import subprocess
import sys

import pytest

from attnviz.data.corpora import NAMES, corpus
from attnviz.data.pairs import Pair, split


def test_there_are_six_corpora() -> None:
    assert NAMES == (
        "dates_ko_en", "numbers_ko_en", "everyday_ko_en", "everyday_en_ko",
        "manual_en_fr", "manual_ko_en",
    )  # fmt: skip


def test_a_corpus_is_built_by_its_builder(monkeypatch: pytest.MonkeyPatch) -> None:
    from attnviz.data import dates

    asked = []
    monkeypatch.setattr(dates, "build", lambda *arguments: asked.append(arguments))
    corpus("dates_ko_en", 7)
    assert asked == [("dates_ko_en", 7)]


def test_a_missing_corpus_names_near_ones() -> None:
    with pytest.raises(LookupError, match="'everyday'; there is everyday_"):
        corpus("everyday")


def test_naming_corpora_needs_no_torch_and_nothing_that_builds_them() -> None:
    code = (
        "import sys, attnviz.data.corpora, attnviz.data.dates, attnviz.data.numbers;"
        "sys.exit(bool({'torch', 'babel', 'num2words', 'tokenizers'} & {*sys.modules}))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_group_is_on_one_side_alone_wherever_it_comes_from() -> None:
    pairs = [Pair(f"{group}{row}", "", group=str(group)) for group in range(2000) for row in "ab"]
    train, valid, test = split(pairs, test=0.2, valid=0.1)
    groups = [{pair.group for pair in side} for side in (train, valid, test)]
    assert sum(map(len, groups)) == 2000 and len(groups[0] | groups[1] | groups[2]) == 2000
    assert len(groups[1]) == pytest.approx(200, abs=40)
    assert len(groups[2]) == pytest.approx(400, abs=60)
    alone = split(pairs[:100], test=0.2, valid=0.1)
    assert all(pair in (train, valid, test)[side] for side in range(3) for pair in alone[side])
    assert [pair.source for pair in train] == sorted(
        (pair.source for pair in train), key=lambda text: (int(text[:-1]), text)
    )
