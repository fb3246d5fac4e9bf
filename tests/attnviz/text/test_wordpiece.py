"""WordPiece: the pieces that MiniLM's own tokeniser gives, with their places in the sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from attnviz.text import WordPiece
from attnviz.zoo import minilm

WORDPIECE = minilm.tokeniser()
THEIRS = tokenizers.Tokenizer.from_file(
    str(minilm.path(minilm.VOCABULARY).with_name("tokenizer.json"))
)
THEIRS.no_padding()
THEIRS.no_truncation()


def words_of(text: str) -> list[str]:
    pieces = WORDPIECE.encode(text)
    spans = [(pieces.spans[word[0]][0], pieces.spans[word[-1]][1]) for word in pieces.words()]
    return [text[start:end] for start, end in spans]


@given(st.text() | st.text("aeiou tsnr.,'?-ÉÄ1", max_size=60))
def test_the_same_ids_as_the_package_gives(text: str) -> None:
    ours, theirs = WORDPIECE.encode(text, limit=9999), THEIRS.encode(text)
    assert [WORDPIECE.start, *ours.ids, WORDPIECE.end] == theirs.ids
    assert list(ours.spans) == theirs.offsets[1:-1]


def test_pieces_of_a_rare_word_belong_together() -> None:
    text = "Unbelievably, transformers didn't tokenise café."
    pieces = WORDPIECE.encode(text)
    assert pieces.texts[:4] == ("un", "##bel", "##ie", "##va")
    assert words_of(text) == [
        "Unbelievably", ",", "transformers", "didn", "'", "t", "tokenise", "café", ".",
    ]  # fmt: skip


def test_what_is_typed_is_never_a_special_piece() -> None:
    pieces = WORDPIECE.encode("[CLS] a [SEP] [PAD]")
    assert not {0, 100, 101, 102} & set(pieces.ids)
    assert pieces.texts[:3] == ("[", "cl", "##s")


def test_an_unknown_word_stays_what_was_typed() -> None:
    pieces = WORDPIECE.encode("a 😀 b")
    assert pieces.texts == ("a", "😀", "b") and pieces.known == (True, False, True)
    assert pieces.notes == ("This model was never shown: 😀",)


def test_a_long_text_is_cut_and_the_cut_is_said() -> None:
    pieces = WORDPIECE.encode("word " * 20, limit=6)
    assert len(pieces) == 6 and pieces.left_out == 14
    assert "only its first 6 pieces" in pieces.notes[0]


def test_nothing_is_no_piece() -> None:
    assert len(WORDPIECE.encode("")) == 0


def test_a_vocabulary_comes_from_a_file(tmp_path: Path) -> None:
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "play", "##ing", "\u2028"]
    path = tmp_path / "vocab.txt"
    path.write_text("\n".join(pieces) + "\n", encoding="utf-8")
    small = WordPiece.read(path)
    assert (small.size, small.start, small.end) == (7, 2, 3)
    assert small.encode("Playing").ids == (4, 5)


def test_a_vocabulary_without_its_special_pieces_is_refused() -> None:
    with pytest.raises(ValueError, match=r"lacks \[CLS\], \[SEP\]"):
        WordPiece(["a", "[UNK]"])
