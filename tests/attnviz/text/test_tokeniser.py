"""Vocabularies: what is encoded comes back; what is unknown stays what was typed."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.data.held_out import CORPORA, held_out
from attnviz.text import END, PAD, SPECIAL, START, UNKNOWN, Tokeniser, train_tokeniser
from attnviz.text.tokeniser import TOKENISERS

SENTENCES = [
    "넌 누구니?",
    "나는 모니터입니다.",
    "Who are you?",
    "I am a monitor.",
    "3월 19일, (월)",
]
SMALL = train_tokeniser(SENTENCES * 3, size=80)
ALPHABET = "".join(sorted({*"".join(SENTENCES)} - {" "}))
BUNDLED = sorted(path.stem for path in TOKENISERS.glob("*.json"))


def words_of(text: str, tokeniser: Tokeniser = SMALL) -> list[str]:
    pieces = tokeniser.encode(text)
    spans = [(pieces.spans[word[0]][0], pieces.spans[word[-1]][1]) for word in pieces.words()]
    return [text[start:end] for start, end in spans]


known_text = st.lists(st.text(ALPHABET, min_size=1, max_size=8), max_size=8).map(" ".join)


@given(known_text)
def test_known_text_comes_back(text: str) -> None:
    pieces = SMALL.encode(text, limit=999)
    assert all(pieces.known)
    assert SMALL.decode(pieces.ids) == text
    assert SMALL.pieces(pieces.ids) == pieces


@given(st.text().map(lambda text: " ".join(text.split())))
def test_any_text_is_encoded_with_spans_that_cover_it(text: str) -> None:
    pieces = SMALL.encode(text, limit=9999)
    for shown, (start, end), known in zip(pieces.texts, pieces.spans, pieces.known, strict=True):
        assert text[start:end] == ("" if shown == "␣" and start == end else shown)
        assert known or end == start + 1
    covered = "".join(text[start:end] for start, end in pieces.spans)
    assert covered == text.replace(" ", "")
    assert [index for word in pieces.words() for index in word] == list(range(len(pieces)))
    for (_, end), (start, _) in pairwise(pieces.spans):
        assert text[end:start] in ("", " ")


def test_special_ids_are_the_same_in_every_vocabulary() -> None:
    assert (PAD, UNKNOWN, START, END) == (0, 1, 2, 3)
    for name in BUNDLED:
        assert tuple(Tokeniser.load(name).piece(id) for id in range(4)) == SPECIAL


@pytest.mark.parametrize("typed", ["<unk>", "<pad>", "<s>", "</s>", "a</s>b"])
def test_a_typed_special_piece_is_only_text(typed: str) -> None:
    tokeniser = train_tokeniser(["<unk> <pad> <s> </s> a b"] * 9, size=60)
    pieces = tokeniser.encode(typed)
    assert min(pieces.ids) > END and all(pieces.known)
    assert tokeniser.decode(pieces.ids) == typed
    unknowing = SMALL.encode(typed)
    assert not {PAD, START, END} & {*unknowing.ids}
    assert "".join(unknowing.texts).replace("␣", "") == typed


@pytest.mark.parametrize("typed", ["😀", "مرحبا", "▁", "￼"])
def test_unknown_characters_show_as_typed(typed: str) -> None:
    pieces = SMALL.encode(f"넌 {typed}?")
    unknown = [index for index, known in enumerate(pieces.known) if not known]
    assert "".join(pieces.texts[index] for index in unknown) == typed
    assert all(pieces.ids[index] == UNKNOWN for index in unknown)
    assert pieces.notes == (f"This model was never shown: {' '.join(dict.fromkeys(typed))}",)


def test_an_unknown_piece_decodes_to_a_mark_of_its_own() -> None:
    assert "⁇" in SMALL.decode(SMALL.encode("넌 😀?").ids)
    assert SMALL.pieces([UNKNOWN]).texts == ("<unk>",)


def test_decoding_stops_at_the_end_and_skips_padding() -> None:
    ids = SMALL.encode("넌 누구니?").ids
    assert SMALL.decode([START, *ids, END, *ids, PAD]) == "넌 누구니?"
    assert SMALL.decode([PAD, *ids]) == "넌 누구니?"
    assert SMALL.decode([]) == SMALL.decode([END]) == ""
    assert SMALL.pieces([START, *ids, END, PAD]).ids == ids


@given(st.lists(st.integers(0, SMALL.size - 1), max_size=30))
def test_whatever_a_model_writes_has_its_pieces_in_its_text(ids: list[int]) -> None:
    text, pieces = SMALL.decode(ids), SMALL.pieces(ids)
    for id, shown, (start, end) in zip(pieces.ids, pieces.texts, pieces.spans, strict=True):
        mark = id != UNKNOWN and shown == "␣"
        assert text[start:end] == ("⁇" if id == UNKNOWN else "" if mark else shown)
    assert len(pieces.words()) <= len(pieces)


def test_what_is_beyond_the_limit_is_counted_and_said() -> None:
    pieces = SMALL.encode("넌 누구니? " * 40, limit=16)
    whole = SMALL.encode("넌 누구니? " * 40, limit=9999)
    assert len(pieces) == 16 and pieces.left_out == len(whole) - 16
    assert pieces.notes == ("The sentence is long: only its first 16 pieces are read.",)
    assert whole.notes == () and len(SMALL.encode("")) == 0


def test_pieces_become_words() -> None:
    assert words_of("나는 모니터입니다.") == ["나는", "모니터입니다", "."]
    assert words_of("3월 19일, (월)") == ["3월", "19일", ",", "(", "월", ")"]
    assert words_of("I'm a wok!?") == ["I", "'", "m", "a", "wok", "!", "?"]
    assert words_of("hey 😀😀 you") == ["hey", "😀", "😀", "you"]


def test_the_mark_of_a_word_alone_belongs_to_it() -> None:
    tokeniser = train_tokeniser(["ab ab ab b"], size=8)
    pieces = tokeniser.encode("b ab")
    assert "␣" in pieces.texts
    assert words_of("b ab", tokeniser) == ["b", "ab"]


def test_pieces_tell_whether_a_space_comes_before() -> None:
    who, *_, sign = SMALL.encode("Who?").ids
    assert SMALL.starts_word(who) and not SMALL.starts_word(sign)
    assert SMALL.piece(sign) == "?" and SMALL.piece(END) == "</s>"


def test_digits_and_signs_are_never_merged() -> None:
    tokeniser = train_tokeniser(["2026-03-09 3:05 ($5)"] * 50, size=200)
    for id in range(len(SPECIAL), tokeniser.size):
        piece = tokeniser.piece(id)
        assert len(piece) == 1 or piece.isalpha(), piece


def test_training_twice_gives_the_same_vocabulary(tmp_path: Path) -> None:
    again = train_tokeniser(SENTENCES * 3, size=80)
    SMALL.save(tmp_path / "deep" / "a.json")
    again.save(tmp_path / "b.json")
    assert (tmp_path / "deep" / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert SMALL.size <= 80


def test_a_missing_vocabulary_names_near_ones() -> None:
    with pytest.raises(LookupError, match=r"'date'; there is dates$"):
        Tokeniser.load("date")
    with pytest.raises(LookupError, match="there is no tokeniser"):
        Tokeniser.load("../dates")
    assert Tokeniser.load("dates") is Tokeniser.load("dates")


@pytest.mark.parametrize("name", sorted(path.stem for path in CORPORA.glob("*.json")))
def test_held_out_sentences_come_back_from_the_bundled_vocabulary(name: str) -> None:
    sentences = held_out(name)
    tokeniser = Tokeniser.load(
        name if name.startswith("manual") else name.removesuffix("_ko_en").removesuffix("_en_ko")
    )
    lost = 0
    for pair in sentences.pairs:
        for text in (pair.source, pair.target):
            pieces = tokeniser.encode(text)
            assert pieces.left_out == 0
            if all(pieces.known):
                assert tokeniser.decode(pieces.ids) == text
            lost += not all(pieces.known)
    assert lost <= (0 if not name.startswith("manual") else 0.03 * len(sentences.pairs))


def test_threads_may_share_a_vocabulary() -> None:
    texts = [f"{text} {number}" for number in range(50) for text in SENTENCES]
    alone = [SMALL.encode(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        for together in pool.map(lambda _: [SMALL.encode(text) for text in texts], range(8)):
            assert together == alone


def test_text_needs_no_torch() -> None:
    code = "import sys, attnviz.text, attnviz.data.held_out; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
