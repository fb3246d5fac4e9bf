"""Korean word forms: particles after every kind of ending, and verbs regular and irregular."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.data.korean import FINALS, PARTICLES, Predicate, close, final, particle

syllables = st.integers(0xAC00, 0xD7A3).map(chr)


@given(syllables)
def test_the_final_is_that_of_unicodes_decomposition(syllable: str) -> None:
    jamo = unicodedata.normalize("NFD", syllable)
    assert bool(final(syllable)) == (len(jamo) == 3)
    if len(jamo) == 3:
        assert FINALS.index(final(syllable)) == ord(jamo[2]) - 0x11A7


@pytest.mark.parametrize(
    ("word", "forms"),
    [
        ("사과", "는 가 를 와 로 야 예요 야"),
        ("책", "은 이 을 과 으로 아 이에요 이야"),
        ("연필", "은 이 을 과 로 아 이에요 이야"),  # ㄹ takes 로
        ("지하철", "은 이 을 과 로 아 이에요 이야"),
        ("값", "은 이 을 과 으로 아 이에요 이야"),
        ("1", "은 이 을 과 로 아 이에요 이야"),  # 일
        ("2", "는 가 를 와 로 야 예요 야"),
        ("3", "은 이 을 과 으로 아 이에요 이야"),
        ("10", "은 이 을 과 으로 아 이에요 이야"),
        ("ATM", "은 이 을 과 으로 아 이에요 이야"),
        ("DNA", "는 가 를 와 로 야 예요 야"),
        ("URL", "은 이 을 과 로 아 이에요 이야"),
        ("(책)", "는 가 를 와 로 야 예요 야"),
        ("", "는 가 를 와 로 야 예요 야"),
    ],
)
def test_particles_follow_the_last_sound(word: str, forms: str) -> None:
    asked = ("은", "이", "을", "과", "으로", "아", "이에요", "이야")
    assert " ".join(particle(word, name) for name in asked) == forms


@pytest.mark.parametrize("after_consonant", PARTICLES)
def test_every_particle_has_a_form_after_a_vowel(after_consonant: str) -> None:
    assert particle("나", after_consonant) == PARTICLES[after_consonant]
    assert particle("밥", after_consonant) == after_consonant


def test_an_unknown_particle_is_an_error() -> None:
    with pytest.raises(KeyError):
        particle("나", "마저")


@given(syllables)
def test_closing_composes_one_syllable(syllable: str) -> None:
    if final(syllable):
        with pytest.raises(ValueError, match="open Hangul syllable"):
            close(syllable, "ㅂ")
    else:
        closed = close("가" + syllable, "ㅂ")
        assert final(closed) == "ㅂ"
        assert len(closed) == 2
        assert unicodedata.is_normalized("NFC", closed)


@pytest.mark.parametrize("word", ["", "a", "밥", "…"])
def test_nothing_closes_what_is_not_open(word: str) -> None:
    with pytest.raises(ValueError, match="open Hangul syllable"):
        close(word, "ㄴ")


FORMS = ("past", "prospective", "formal", "request", "interrogative", "proposal")


@pytest.mark.parametrize(
    ("verb", "forms"),
    [
        (Predicate("먹", "먹어"), "먹었 먹을 먹습니 먹으세요 먹니 먹읍"),
        (Predicate("가", "가"), "갔 갈 갑니 가세요 가니 갑"),
        (Predicate("마시", "마셔"), "마셨 마실 마십니 마시세요 마시니 마십"),
        (Predicate("공부하", "공부해"), "공부했 공부할 공부합니 공부하세요 공부하니 공부합"),
        (Predicate("만들", "만들어"), "만들었 만들 만듭니 만드세요 만드니 만듭"),  # ㄹ falls out
        (Predicate("듣", "들어", "들으"), "들었 들을 듣습니 들으세요 듣니 들읍"),  # ㄷ to ㄹ
        (Predicate("쓰", "써"), "썼 쓸 씁니 쓰세요 쓰니 씁"),
    ],
)
def test_verbs_in_their_forms(verb: Predicate, forms: str) -> None:
    assert " ".join(getattr(verb, form) for form in FORMS) == forms


@pytest.mark.parametrize(
    ("predicate", "modifier"),
    [
        (Predicate("크", "커", adjective=True), "큰"),
        (Predicate("작", "작아", adjective=True), "작은"),
        (Predicate("귀엽", "귀여워", "귀여우", adjective=True), "귀여운"),
        (Predicate("길", "길어", adjective=True), "긴"),
        (Predicate("맛있", "맛있어", adjective=True), "맛있는"),
        (Predicate("먹", "먹어"), "먹는"),
        (Predicate("만들", "만들어"), "만드는"),
        (Predicate("듣", "들어", "들으"), "듣는"),
    ],
)
def test_before_a_noun(predicate: Predicate, modifier: str) -> None:
    assert predicate.modifier == modifier


@pytest.mark.parametrize(
    ("verb", "after", "condition"),
    [
        (Predicate("먹", "먹어"), "먹은", "먹으면"),
        (Predicate("가", "가"), "간", "가면"),
        (Predicate("팔", "팔아"), "판", "팔면"),
        (Predicate("걷", "걸어", "걸으"), "걸은", "걸으면"),
    ],
)
def test_joining_clauses(verb: Predicate, after: str, condition: str) -> None:
    assert verb.past_modifier == after
    assert verb.conditional == condition
