"""The door for text: whatever strangers type becomes one tidy line or a kind sentence."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.text import SentenceError, read_sentence, script


@given(st.text(max_size=600))
def test_any_text_is_read_or_refused_in_one_sentence(raw: str) -> None:
    try:
        sentence = read_sentence(raw)
    except SentenceError as error:
        assert str(error).count(".") == 1
        return
    assert 0 < len(sentence.text) <= 400
    assert sentence.text == " ".join(sentence.text.split())
    assert sentence.text == unicodedata.normalize("NFC", sentence.text)
    sentence.text.encode()
    assert read_sentence(sentence.text).text == sentence.text


@pytest.mark.parametrize("raw", ["", "   ", "\n\t\r", "\u200b\u200f", "\u3000", "\ufeff", "\x00"])
def test_nothing_is_answered_kindly(raw: str) -> None:
    with pytest.raises(SentenceError, match="type a few words"):
        read_sentence(raw)


def test_decomposed_hangul_is_composed() -> None:
    typed = unicodedata.normalize("NFD", "넌 누구니?")
    assert len(typed) > 6
    sentence = read_sentence(typed)
    assert sentence.text == "넌 누구니?" and sentence.notes == ()


def test_lines_and_runs_of_spaces_become_one_space_unremarked() -> None:
    sentence = read_sentence("  one\r\n two\u00a0\u00a0three\tfour\u2028five ")
    assert sentence.text == "one two three four five" and sentence.notes == ()


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("\u202eabc\u202c def", "abc def"),  # right-to-left override
        ("a\u200bb\u00adc", "abc"),
        ("a\x1b[31mb", "a[31mb"),
        ("🧑\u200d🚀\ufe0f", "🧑🚀"),
        ("a\ud800b", "ab"),  # half of a surrogate pair
    ],
)
def test_invisible_characters_are_left_out_and_that_is_said(raw: str, text: str) -> None:
    sentence = read_sentence(raw)
    assert sentence.text == text
    assert sentence.notes == ("Invisible characters were left out.",)


@pytest.mark.parametrize("text", ["<unk>", "$x$", "**bold** <b>&amp;</b>", "مرحبا بالعالم", "😀🎉"])
def test_odd_but_visible_text_is_kept(text: str) -> None:
    assert read_sentence(text).text == text and read_sentence(text).notes == ()


def test_512_words_are_cut_at_a_word_and_that_is_said() -> None:
    sentence = read_sentence(" ".join(f"word{number}" for number in range(512)))
    assert 390 < len(sentence.text) <= 400
    last = sentence.text.split()[-1]
    assert last == f"word{len(sentence.text.split()) - 1}"
    assert sentence.notes == (
        f"The text is long: only its first {len(sentence.text)} characters are read.",
    )


def test_a_word_longer_than_the_limit_is_cut_inside() -> None:
    assert read_sentence("가" * 5000).text == "가" * 400
    assert read_sentence("ab cd", limit_characters=2).text == "ab"
    assert read_sentence("ab cd", limit_characters=4).text == "ab"
    assert read_sentence("ab cd", limit_characters=5).notes == ()


def test_even_a_book_is_read_at_once() -> None:
    assert len(read_sentence(" " * 3 + "book " * 4_000_000).notes) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("넌 누구니?", "ko"),
        ("2026년 3월 9일", "ko"),
        ("Où êtes-vous ?", "latin"),
        ("나는 TV를 좋아해", "ko"),
        ("LibreOffice Calc의 함수", "latin"),
        ("Привет", "other"),
        ("مرحبا", "other"),
        ("こんにちは", "other"),
        ("2026-03-09", "other"),
        ("", "other"),
        ("😀", "other"),
    ],
)
def test_the_script_is_that_of_most_letters(text: str, expected: str) -> None:
    assert script(text) == expected
