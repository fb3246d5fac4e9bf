"""How the everyday grammar puts a sentence together in Korean and in English at once.

Both sides are lists of parts, and each part carries keys, one letter each: parts that share a key
translate each other. ``("먹지", "v"), (" 않아요", "n")`` against ``(" do", "vn"), (" not", "n"),
(" eat", "v")`` is all that a negated verb needs, whichever side is the source.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

from attnviz.data.everyday_words import Noun, Verb, article
from attnviz.data.korean import NATIVE_NUMERALS, Predicate, particle
from attnviz.data.pairs import Link, Span

Part = tuple[str, str]
"""Text with the space before it, and its keys."""

Parts = list[Part]

EXIST, ABSENT = (Predicate(*forms) for forms in (("있", "있어"), ("없", "없어")))
NOT, WISH, DO = (Predicate(*forms) for forms in (("않", "않아"), ("싶", "싶어"), ("하", "해")))

THEIR_WISH = Predicate("싶어 하", "싶어 해")

NUMBERS = [
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]


@dataclass(frozen=True)
class Style:
    """The choices of a Korean speaker that an English translation does not show.

    Args:
        register: "polite" (해요), "formal" (합니다) or "casual" (해).
        pronoun: which of the forms of a pronoun (저는, 나는, 전), counted from 0.
        short: 안 먹어요 rather than 먹지 않아요.
        silent: leaves out a subject that goes without saying.
        plain: leaves out the particle of an object.
        alternative: the other of two endings and particles (먹니 for 먹어, 하고 for 와).
    """

    register: str = "polite"
    pronoun: int = 0
    short: bool = False
    silent: bool = False
    plain: bool = False
    alternative: bool = False


CANONICAL = Style()
"""How every translation into Korean is written."""


def any_style(rng: Random) -> Style:
    """A speaker as one meets them: mostly polite."""
    return Style(
        register=rng.choices(("polite", "formal", "casual"), (5, 3, 3))[0],
        pronoun=rng.choices((0, 1, 2), (5, 4, 2))[0],
        short=rng.random() < 0.5,
        silent=rng.random() < 0.15,
        plain=rng.random() < 0.08,
        alternative=rng.random() < 0.4,
    )


@dataclass
class Draft:
    """A sentence in both languages before it becomes a pair.

    Args:
        content: the nouns (or, without any, the words) that it is about: what is held out.
        ko, en: its parts, first part with or without a space.
        asks: an ending shows that it is a question even without the mark.
    """

    content: tuple[str, ...]
    ko: Parts
    en: Parts
    asks: bool = False


@dataclass(frozen=True)
class Phrase:
    """A phrase in both languages; `head` is the Korean word before the particle."""

    ko: Parts
    en: Parts
    head: str = ""

    def marked(self, after_consonant: str, key: str) -> Parts:
        """The Korean with a particle behind."""
        return [*self.ko, (particle(self.head, after_consonant), key)]


@dataclass(frozen=True)
class Subject:
    """Who acts.

    Args:
        en: as the subject of a verb, with articles.
        person: "I", "he" (any singular) or "they" (also you and we): how the verb agrees.
        ko: nouns and names without their particle, or "" for a pronoun.
        pronouns: register to the forms of a pronoun, the particle inside.
        content: what is held out of it.
    """

    en: str
    person: str
    ko: str = ""
    pronouns: dict[str, tuple[str, ...]] = field(default_factory=dict)
    content: tuple[str, ...] = ()

    @property
    def others(self) -> bool:
        """Neither the speaker nor the one spoken to."""
        return self.person == "he" or self.en == "they"

    def korean(self, style: Style, key: str = "s", mark: str = "은") -> Parts:
        """With 은 or 는 (or another particle), after which the rest of the sentence follows."""
        if self.pronouns:
            forms = self.pronouns[style.register]
            return [(" " + forms[min(style.pronoun, len(forms) - 1)], key)]
        return [(" " + self.ko, key), (particle(self.ko, mark), key)]

    def english(self, key: str = "s") -> Parts:
        return words(self.en, key)


def words(text: str, key: str) -> Parts:
    """English words, each a part of its own, all with the same keys."""
    return [(" " + word, key) for word in text.split()]


# ---- endings -------------------------------------------------------------------------------------


def finish(predicate: Predicate, style: Style, question: bool) -> str:
    """The predicate with the ending of a register: 먹어요, 먹습니까, 먹니."""
    if style.register == "formal":
        return predicate.formal + ("까" if question else "다")
    if style.register == "casual":
        if question and style.alternative:
            return predicate.interrogative
        return predicate.infinitive
    return predicate.infinitive + "요"


def copula(word: str, style: Style, question: bool = False, past: bool = False) -> str:
    """What stands behind a noun for "to be": 예요, 입니다, 야, 였어요."""
    if past:
        stem = particle(word, "이었")
        return finish(Predicate(stem, stem + "어"), style, question)
    if style.register == "formal":
        return "입니까" if question else "입니다"
    if style.register == "casual":
        return particle(word, "이니" if question and style.alternative else "이야")
    return particle(word, "이에요")


def not_copula(style: Style, question: bool = False, past: bool = False) -> str:
    """ "Not to be" after a noun with 이 or 가."""
    if past:
        return finish(Predicate("아니었", "아니었어"), style, question)
    if style.register == "polite":
        return "아니에요"
    return finish(Predicate("아니", "아니야"), style, question)


def _future(style: Style, question: bool) -> str:
    if style.register == "formal":
        return "겁니까" if question else "겁니다"
    if style.register == "casual":
        return "거니" if question and style.alternative else "거야"
    return "거예요"


def past_of(predicate: Predicate) -> Predicate:
    return Predicate(predicate.past, predicate.past + "어")


# Tense to how the verb stands before its helper, and the helper.
_HELPERS = {
    "progressive": (lambda verb: verb.stem + "고", EXIST),
    "want": (lambda verb: verb.stem + "고", WISH),
    "can": (lambda verb: verb.prospective + " 수", EXIST),
    "must": (lambda verb: verb.infinitive + "야", DO),
}
TENSES = ("present", "past", "future", *_HELPERS)


def korean_verb(
    verb: Predicate,
    tense: str,
    style: Style,
    *,
    negated: bool = False,
    question: bool = False,
    others: bool = False,
) -> Parts:
    """The predicate at the end of a Korean sentence; keys: v verb, t helper, n negation.

    `others` marks a subject that is neither the speaker nor the one spoken to: what such people
    want one cannot feel but only see (싶어 하다).

    Raises:
        ValueError: a negated "must", which Korean says in other words.
    """
    if negated and tense == "must":
        raise ValueError("there is no negated form of 'must'")
    parts: Parts = []
    key = "v"
    if negated and tense != "can" and style.short and not _is_compound(verb):
        parts.append((" 안", "n"))
        negated = False
    if tense in _HELPERS:
        form, helper = _HELPERS[tense]
        parts.append((" " + form(verb), key))
        verb, key = THEIR_WISH if tense == "want" and others else helper, "t"
        if negated and tense == "can":
            verb, key, negated = ABSENT, "tn", False
    if negated:
        parts.append((f" {verb.stem}지", key))
        verb, key = NOT, "n"
    if tense == "future":
        parts.append((" " + verb.prospective, key))
        return [*parts, (" " + _future(style, question), "t")]
    if tense == "past":
        verb = past_of(verb)
    return [*parts, (" " + finish(verb, style, question), key)]


def _is_compound(verb: Predicate) -> bool:
    """Whether 안 cannot stand before the verb: 공부하다 is negated as 공부하지 않다."""
    return (
        len(verb.stem) > 2 and verb.stem.endswith("하") and verb.stem[:-1] not in ("좋아", "싫어")
    )


def english_be(person: str, past: bool = False) -> str:
    if past:
        return "were" if person == "they" else "was"
    return {"I": "am", "he": "is", "they": "are"}[person]


def english_verb(
    verb: Verb, person: str, tense: str, *, negated: bool = False, question: bool = False
) -> tuple[Parts, Parts]:
    """What stands before the subject of a question, and what stands behind the subject."""
    base, past, ing = verb.en
    third = person == "he"
    no = words("not", "n") if negated else []
    if tense in ("present", "past", "want", "must"):
        wanted = {"want": words("want to", "t"), "must": words("have to", "t")}.get(tense, [])
        if negated or question:
            do = "did" if tense == "past" else "does" if third else "do"
            lead = words(do, ("t" if wanted else "v") + ("n" if negated else ""))
            rest = [*wanted, *words(base, "v")]
        else:
            lead = []
            if wanted and third:
                wanted = words("wants to" if tense == "want" else "has to", "t")
            inflected = past if tense == "past" else verb.third if third else base
            rest = [*wanted, *words(base if wanted else inflected, "v")]
    elif tense == "progressive":
        lead, rest = words(english_be(person), "t"), words(ing, "v")
    elif negated and tense == "can":
        return [], [*words("cannot", "tn"), *words(base, "v")]
    else:
        lead, rest = words({"future": "will", "can": "can"}[tense], "t"), words(base, "v")
    if question:
        return lead, [*no, *rest]
    return [], [*lead, *no, *rest]


# ---- noun phrases --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Modifier:
    """What stands before a noun: an adjective, or a word in place of the article (my, this)."""

    ko: str
    en: str
    determiner: bool = False
    en_plural: str = ""


def noun_phrase(
    noun: Noun, number: str = "a", key: str = "o", modifier: Modifier | None = None, by: str = "m"
) -> Phrase:
    """A noun with its article and modifier; number is "a", "all" (plural), "the" or "bare"."""
    many = number == "all" or noun.form == "plural"
    name = noun.plural if number == "all" else noun.en
    if modifier is None:
        before: Parts = []
    else:
        before = words(modifier.en_plural if many and modifier.en_plural else modifier.en, by)
    if modifier is None or not modifier.determiner:
        first = modifier.en if modifier else noun.en
        if number == "the":
            before = [*words("the", key), *before]
        elif number == "a" and noun.form == "count":
            before = [*words(article(first), key), *before]
    ko = [(" " + modifier.ko, by)] if modifier else []
    return Phrase([*ko, (" " + noun.ko, key)], [*before, *words(name, key)], noun.ko)


_COUNTERS = {
    **{"person": "명", "animal": "마리", "flower": "송이", "vehicle": "대", "car": "대"},
    **{"instrument": "대", "book": "권", "clothes": "벌", "footwear": "켤레", "drink": "잔"},
}
COUNTERS = {"개", *_COUNTERS.values()}
_CUPS = ("coffee", "tea", "green tea", "hot chocolate")


def counted(noun: Noun, count: int, style: Style, key: str = "o", by: str = "m") -> Phrase:
    """사과 세 개, three apples: the head is the counter."""
    counter = _COUNTERS.get(noun.kind, "개")
    ko = [(" " + noun.ko, key), (" " + NATIVE_NUMERALS[count - 1], by), (" " + counter, by)]
    number = NUMBERS[count - 1]
    if noun.kind == "drink":
        cup = "cup" if noun.en in _CUPS else "glass"
        cups = cup if count == 1 else cup + ("es" if cup == "glass" else "s")
        return Phrase(ko, [*words(f"{number} {cups} of", by), *words(noun.en, key)], counter)
    if noun.kind == "footwear":
        pairs = "pair" if count == 1 else "pairs"
        return Phrase(ko, [*words(f"{number} {pairs} of", by), *words(noun.plural, key)], counter)
    name = noun.en if count == 1 else noun.plural
    return Phrase(ko, [*words(number, by), *words(name, key)], counter)


def listed(phrases: Iterable[Phrase], style: Style) -> Phrase:
    """A, B, 그리고 C and A, B, and C; two are joined by 와 or 과. Joints carry the key "&"."""
    items = list(phrases)
    if len(items) == 2:
        first, second = items
        joint = "하고" if style.alternative else particle(first.head, "과")
        ko = [*first.ko, (joint, "&"), *second.ko]
        return Phrase(ko, [*first.en, *words("and", "&"), *second.en], second.head)
    ko, en = [], []
    for number, item in enumerate(items):
        if number:
            ko.append((",", ","))
            en.append((",", ","))
        if number == len(items) - 1:
            ko.append((" 그리고", "&"))
            en.append((" and", "&"))
        ko += item.ko
        en += item.en
    return Phrase(ko, en, items[-1].head)


# ---- from parts to text --------------------------------------------------------------------------


def text_of(parts: Parts, english: bool) -> tuple[str, list[Span]]:
    """The sentence, and where each part stands in it without its space."""
    text = ""
    spans = []
    for part, _ in parts:
        bare = part.lstrip()
        text += part if text else bare
        spans.append((len(text) - len(bare), len(text)))
    return (text[0].upper() + text[1:] if english else text), spans


def links(
    target: Parts,
    target_spans: list[Span],
    source: Parts,
    source_spans: list[Span],
) -> tuple[Link, ...]:
    """Every pair of ranges whose parts share a key."""
    places: dict[str, list[Span]] = {}
    for (_, keys), span in zip(source, source_spans, strict=True):
        for key in keys:
            places.setdefault(key, []).append(span)
    return tuple(
        (ours, theirs)
        for (_, keys), ours in zip(target, target_spans, strict=True)
        for theirs in dict.fromkeys(span for key in keys for span in places.get(key, ()))
    )
