"""Everyday sentences: correct on both sides, translated in one way, held out by their nouns."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from random import Random

import pytest

from attnviz.data import everyday
from attnviz.data.everyday import NAMES, PHRASE, build, contracted, with_figures
from attnviz.data.everyday_grammar import (
    CANONICAL,
    Style,
    any_style,
    counted,
    english_verb,
    korean_verb,
    listed,
    noun_phrase,
    text_of,
)
from attnviz.data.everyday_lists import colour
from attnviz.data.everyday_templates import TEMPLATES, Draw
from attnviz.data.everyday_words import TRANSITIVE, article, nouns, plural
from attnviz.data.korean import Predicate
from attnviz.data.pairs import Corpus, Pair


@pytest.fixture(scope="module")
def corpora() -> dict[str, Corpus]:
    """The whole of one direction, and a third of the other."""
    whole = build("everyday_ko_en")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(everyday, "DRAFTS", everyday.DRAFTS // 3)
        return {"everyday_ko_en": whole, "everyday_en_ko": build("everyday_en_ko")}


@pytest.fixture(scope="module", params=NAMES)
def corpus(request: pytest.FixtureRequest, corpora: dict[str, Corpus]) -> Corpus:
    return corpora[request.param]


def every(corpus: Corpus) -> tuple[Pair, ...]:
    return corpus.train + corpus.valid + corpus.test


def english(parts: list[tuple[str, str]]) -> str:
    return text_of(parts, english=True)[0]


def korean(parts: list[tuple[str, str]]) -> str:
    return text_of(parts, english=False)[0]


# ---- words ---------------------------------------------------------------------------------------


def test_there_are_words_enough_and_each_has_one_translation() -> None:
    words = nouns().values()
    assert len(words) > 800
    assert len({noun.ko for noun in words}) == len(words)
    assert all(unicodedata.is_normalized("NFC", noun.ko) for noun in words)


@pytest.mark.parametrize(
    ("one", "many"),
    [
        *(("mouse", "mice"), ("child", "children"), ("sheep", "sheep"), ("fish", "fish")),
        *(("kitchen knife", "kitchen knives"), ("computer mouse", "computer mice")),
        *(("bus", "buses"), ("box", "boxes"), ("watch", "watches"), ("baby", "babies")),
        *(("monkey", "monkeys"), ("potato", "potatoes"), ("piano", "pianos"), ("wolf", "wolves")),
        *(("pregnant woman", "pregnant women"), ("person", "people"), ("goose", "geese")),
    ],
)
def test_plurals(one: str, many: str) -> None:
    assert plural(one) == many


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        *(
            ("apple", "an"),
            ("monitor", "a"),
            ("unicorn", "a"),
            ("uniform", "a"),
            ("umbrella", "an"),
        ),
        *(("hour", "an"), ("ukulele", "a"), ("university", "a"), ("orange", "an"), ("X-ray", "a")),
    ],
)
def test_articles(phrase: str, expected: str) -> None:
    assert article(phrase) == expected


# ---- grammar -------------------------------------------------------------------------------------

EAT = next(verb for verb in TRANSITIVE if verb.en[0] == "eat")


@pytest.mark.parametrize(
    ("tense", "negated", "ko", "en"),
    [
        ("present", False, "먹어요", "eats"),
        ("present", True, "먹지 않아요", "does not eat"),
        ("past", False, "먹었어요", "ate"),
        ("past", True, "먹지 않았어요", "did not eat"),
        ("future", False, "먹을 거예요", "will eat"),
        ("future", True, "먹지 않을 거예요", "will not eat"),
        ("progressive", False, "먹고 있어요", "is eating"),
        ("want", False, "먹고 싶어 해요", "wants to eat"),
        ("want", True, "먹고 싶어 하지 않아요", "does not want to eat"),
        ("can", False, "먹을 수 있어요", "can eat"),
        ("can", True, "먹을 수 없어요", "cannot eat"),
        ("must", False, "먹어야 해요", "has to eat"),
    ],
)
def test_a_verb_in_both_languages(tense: str, negated: bool, ko: str, en: str) -> None:
    made = korean_verb(EAT.ko, tense, CANONICAL, negated=negated, others=True)
    assert korean(made) == ko
    lead, rest = english_verb(EAT, "he", tense, negated=negated)
    assert not lead
    assert english(rest).lower() == en


@pytest.mark.parametrize(
    ("style", "said", "asked", "denied"),
    [
        (Style("polite"), "가요", "가요", "가지 않아요"),
        (Style("formal"), "갑니다", "갑니까", "가지 않습니다"),
        (Style("casual"), "가", "가", "가지 않아"),
        (Style("casual", alternative=True, short=True), "가", "가니", "안 가"),
    ],
)
def test_a_verb_in_every_register(style: Style, said: str, asked: str, denied: str) -> None:
    go = Predicate("가", "가")
    assert korean(korean_verb(go, "present", style)) == said
    assert korean(korean_verb(go, "present", style, question=True)) == asked
    assert korean(korean_verb(go, "present", style, negated=True)) == denied


def test_the_negation_stands_behind_verbs_made_of_nouns() -> None:
    short = Style(short=True)
    study = korean_verb(Predicate("공부하", "공부해"), "present", short, negated=True)
    like = korean_verb(Predicate("좋아하", "좋아해"), "present", short, negated=True)
    assert korean(study) == "공부하지 않아요"
    assert korean(like) == "안 좋아해요"


def test_must_has_no_negation() -> None:
    with pytest.raises(ValueError, match="must"):
        korean_verb(EAT.ko, "must", CANONICAL, negated=True)


@pytest.mark.parametrize(
    ("noun", "number", "expected"),
    [
        *(("apple", "a", "an apple"), ("apple", "all", "apples"), ("apple", "the", "the apple")),
        *(("water", "a", "water"), ("water", "all", "water"), ("glasses", "a", "glasses")),
    ],
)
def test_how_english_counts(noun: str, number: str, expected: str) -> None:
    assert english(noun_phrase(nouns()[noun], number).en).lower() == expected


def test_the_article_heeds_the_word_behind_it() -> None:
    phrase = noun_phrase(nouns()["apple"], "a", "o", colour("red"))
    assert (korean(phrase.ko), english(phrase.en)) == ("빨간 사과", "A red apple")


@pytest.mark.parametrize(
    ("noun", "count", "ko", "en"),
    [
        ("apple", 3, "사과 세 개", "Three apples"),
        ("cat", 1, "고양이 한 마리", "One cat"),
        ("student", 2, "학생 두 명", "Two students"),
        ("coffee", 2, "커피 두 잔", "Two cups of coffee"),
        ("water", 1, "물 한 잔", "One glass of water"),
        ("juice", 4, "주스 네 잔", "Four glasses of juice"),
        ("bus", 5, "버스 다섯 대", "Five buses"),
        ("book", 10, "책 열 권", "Ten books"),
        ("shoes", 2, "신발 두 켤레", "Two pairs of shoes"),
    ],
)
def test_counters(noun: str, count: int, ko: str, en: str) -> None:
    made = counted(nouns()[noun], count, CANONICAL)
    assert (korean(made.ko), english(made.en)) == (ko, en)


def test_lists() -> None:
    items = [noun_phrase(nouns()[name], "all", name[0]) for name in ("apple", "banana", "train")]
    three, two = listed(items, CANONICAL), listed(items[:2], CANONICAL)
    assert korean(three.marked("을", "o")) == "사과, 바나나, 그리고 기차를"
    assert english(three.en) == "Apples, bananas, and trains"
    assert (korean(two.ko), english(two.en)) == ("사과와 바나나", "Apples and bananas")


@pytest.mark.parametrize(
    ("parts", "short"),
    [
        ([(" I", "s"), (" am", "v"), (" a", "o")], "I'm a"),
        ([(" I", "s"), (" do", "v"), (" not", "n"), (" go", "v")], "I don't go"),
        ([(" they", "s"), (" will", "t"), (" not", "n")], "They'll not"),
        ([(" Minsu", "s"), (" will", "t"), (" not", "n")], "Minsu won't"),
        ([(" there", "v"), (" are", "v")], "There are"),
        ([(" Minsu", "s"), (" cannot", "tn")], "Minsu can't"),
    ],
)
def test_contractions(parts: list[tuple[str, str]], short: str) -> None:
    assert english(contracted(parts)) == short


def test_counts_in_figures() -> None:
    three = counted(nouns()["apple"], 3, CANONICAL)
    assert korean(with_figures(three.ko)) == "사과 3개"
    assert english(with_figures(three.en)) == "3 apples"


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("canonical", [True, False])
def test_every_template_makes_sentences(name: str, canonical: bool) -> None:
    rng = Random(name)
    made = []
    for _ in range(300):
        style = CANONICAL if canonical else any_style(rng)
        draft = TEMPLATES[name][0](Draw(rng, style))
        if draft is not None:
            made.append((korean(draft.ko), english(draft.en)))
            assert draft.ko[-1][0] == draft.en[-1][0]
            assert draft.ko[-1][0] in ".?"
    assert len(made) > 20
    assert all(re.fullmatch(r"[가-힣]([가-힣 ,]*[가-힣])?[.?]", ko) for ko, _ in made)


# ---- the corpus ----------------------------------------------------------------------------------


def test_the_sentences_of_the_lesson_are_learned(corpora: dict[str, Corpus]) -> None:
    to_english = {pair.source: pair.target for pair in corpora["everyday_ko_en"].train}
    to_korean = {pair.source: pair.target for pair in corpora["everyday_en_ko"].train}
    assert to_english["넌 누구니?"] == "Who are you?"
    assert to_english["나는 모니터입니다."] == "I am a monitor."
    assert to_english["안녕하세요"] == "Hello."
    assert to_korean["Who are you?"] == "당신은 누구예요?"
    assert to_korean["I am a monitor."] == "저는 모니터예요."
    assert to_korean["hello"] == "안녕하세요."


def test_sizes(corpora: dict[str, Corpus]) -> None:
    corpus = corpora["everyday_ko_en"]
    assert 40_000 <= len(corpus.train) <= 60_000
    assert (len(corpus.valid), len(corpus.test)) == (1500, 2500)


def test_every_source_has_one_target(corpus: Corpus) -> None:
    sources = Counter(pair.source for pair in every(corpus))
    assert max(sources.values()) == 1


def test_no_combination_of_template_and_nouns_is_on_two_sides(corpus: Corpus) -> None:
    sides = [{pair.group for pair in side} for side in (corpus.train, corpus.valid, corpus.test)]
    assert not sides[0] & sides[1]
    assert not sides[0] & sides[2]
    assert not sides[1] & sides[2]
    assert PHRASE in sides[0]


def test_the_held_out_sentences_have_every_template_and_length(corpus: Corpus) -> None:
    templates = Counter(pair.group.split("|")[0] for pair in corpus.test)
    learned = {pair.group.split("|")[0] for pair in corpus.train} - {PHRASE}
    assert set(templates) >= learned - {"what"}  # "what is this?" has no noun to hold out
    lengths = Counter(len(pair.source.split()) for pair in corpus.test)
    assert all(lengths[length] >= 10 for length in range(3, 11))


def test_held_out_nouns_are_known_from_elsewhere(corpus: Corpus) -> None:
    learned = {name for pair in corpus.train for name in pair.group.split("|")[1:]}
    asked = {name for pair in corpus.test for name in pair.group.split("|")[1:]}
    assert len(asked - learned) <= 0.01 * len(asked)


def test_held_out_sentences_are_written_with_care(corpus: Corpus) -> None:
    for pair in (*corpus.valid, *corpus.test):
        assert pair.source[-1] in ".?"
        assert pair.source[0] == pair.source[0].upper()
        assert "'" not in pair.source.replace("o'clock", "").replace("Let's", "")


def test_texts_are_clean(corpus: Corpus) -> None:
    for pair in every(corpus):
        for text in (pair.source, pair.target):
            assert text == " ".join(text.split())
            assert unicodedata.is_normalized("NFC", text)
        assert pair.target[-1] in ".?"
    # Articles agree with the words behind them.
    sides = {"en": "target" if corpus.target_language == "en" else "source"}
    texts = [getattr(pair, sides["en"]) for pair in every(corpus)]
    wrong = re.compile(r"\ba (?!uni|uku)[aeiou]|\ban [^aeiou]")
    assert [text for text in texts if wrong.search(text)] == []


def test_links_cover_words_and_marks(corpus: Corpus) -> None:
    linked = total = 0
    for pair in corpus.test:
        for (start, end), (first, last) in pair.links:
            assert 0 <= start < end <= len(pair.target)
            assert 0 <= first < last <= len(pair.source)
            for piece in (pair.target[start:end], pair.source[first:last]):
                assert piece == piece.strip()
        covered = {place for (start, end), _ in pair.links for place in range(start, end)}
        letters = {place for place, sign in enumerate(pair.target) if sign not in " ,"}
        linked, total = linked + len(covered & letters), total + len(letters)
    assert linked / total > 0.97


def test_a_sentence_is_linked_morpheme_by_morpheme(corpora: dict[str, Corpus]) -> None:
    pairs = {pair.source: pair for pair in corpora["everyday_ko_en"].train}
    pair = pairs["나는 모니터입니다."]
    assert {
        (pair.target[start:end], pair.source[first:last])
        for (start, end), (first, last) in pair.links
    } == {("I", "나는"), ("am", "입니다"), ("a", "모니터"), ("monitor", "모니터"), (".", ".")}


def test_the_seed_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(everyday, "DRAFTS", 1500)
    first, again, other = (build("everyday_ko_en", seed) for seed in (3, 3, 4))
    assert first == again
    assert first.train != other.train


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(ValueError, match="everyday_ko_fr"):
        build("everyday_ko_fr")
