"""The everyday grammar's simple sentences: one function a template, Korean and English together.

Every template takes a `Draw` and returns a `Draft`; None means that the draw made no sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import TypeVar

from attnviz.data import everyday_grammar as grammar
from attnviz.data import everyday_lists as lists
from attnviz.data.everyday_grammar import Draft, Modifier, Parts, Phrase, Style, Subject, words
from attnviz.data.everyday_lists import Adjective
from attnviz.data.everyday_words import Noun, nouns, nouns_of
from attnviz.data.korean import Predicate, particle

T = TypeVar("T")
STOP, MARK = (".", "."), ("?", "?")


@dataclass(frozen=True)
class Draw:
    """What a template decides by: chance, and the manner of the Korean."""

    rng: Random
    style: Style

    def pick(self, items: Sequence[T]) -> T:
        return items[int(self.rng.random() * len(items))]

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def noun(self, kinds: str) -> Noun:
        return self.pick(nouns_of(kinds))

    def several(self, kinds: str, count: int) -> list[Noun]:
        return self.rng.sample(nouns_of(kinds), count)

    def subject(self, animals: bool = False) -> Subject:
        """A pronoun mostly, else a name, "my brother", "the student" or "the cat"."""
        place = self.rng.random()
        if place < 0.6:
            return self.pick(lists.PRONOUNS)
        if place < 0.8:
            return self.pick(lists.NAMED)
        if place < 0.88:
            return self.relative()
        noun = nouns()[self.pick(lists.ANIMALS if animals else lists.AN_ACTOR)]
        return Subject(f"the {noun.en}", "he", noun.ko, content=(noun.en,))

    def relative(self) -> Subject:
        """My younger brother; those who need honorific verbs stay out."""
        en = self.pick(tuple(lists.FAMILY)[:12])
        own = lists.possessive("my", self.style.register, self.style.pronoun)
        return Subject(f"my {en}", "he", f"{own.ko} {lists.FAMILY[en]}", content=(en,))

    def said(self, subject: Subject, *, question: bool = False) -> Parts:
        """The Korean subject, or nothing where it goes without saying: I say, I ask you."""
        if self.style.silent and subject.en == ("you" if question else "I"):
            return []
        return subject.korean(self.style, mark="이" if self.style.alternative else "은")


TEMPLATES: dict[str, tuple[Callable[[Draw], Draft | None], float]] = {}
"""Name to the function and its share of the sentences."""


def template(weight: float) -> Callable[[Callable], Callable]:
    def register(function: Callable[[Draw], Draft | None]) -> Callable:
        TEMPLATES[function.__name__] = function, weight
        return function

    return register


def spoken(subject: Subject, korean: Parts) -> Parts:
    """The English subject; where the Korean leaves it out it comes from the verb."""
    return subject.english("s" if any("s" in keys for _, keys in korean) else "v")


def answered(lead: Parts, subject: Parts, rest: Parts, question: bool) -> Parts:
    return [*lead, *subject, *rest, MARK if question else STOP]


# ---- being ---------------------------------------------------------------------------------------

ANYTHING = (
    "person animal food drink flower sight vehicle car clothes headwear instrument book thing "
    "place eyewear footwear room reading"
)


def being(
    draw: Draw, subject: Subject, noun: Phrase, *, negated: bool, question: bool, past: bool
) -> Draft:
    """X is (not) a Y: the copula is in the Korean noun's ending."""
    style = draw.style
    ko = draw.said(subject, question=question)
    if negated:
        end: Parts = [
            (particle(noun.head, "이"), "n"),
            (" " + grammar.not_copula(style, question, past), "vn"),
        ]
    else:
        end = [(grammar.copula(noun.head, style, question, past), "v")]
    korean = [*ko, *noun.ko, *end, MARK if question else STOP]
    be = words(grammar.english_be(subject.person, past), "v")
    no = words("not", "n") if negated else []
    who = spoken(subject, ko)
    english = [*be, *who] if question else [*who, *be]
    return Draft((), korean, [*english, *no, *noun.en, MARK if question else STOP])


@template(5)
def identity(draw: Draw) -> Draft | None:
    """I am a monitor."""
    subject = draw.pick((*lists.PRONOUNS, *lists.NAMED[:4], draw.relative()))
    noun = draw.noun(ANYTHING if subject.en == "I" else "person animal")
    if noun.form == "plural" or (subject.en == "you" and draw.style.alternative):
        return None
    number = "all" if subject.en in ("we", "they") else "a"
    if number == "all" and noun.kind != "person":
        return None
    mood = draw.rng.choices(("said", "denied", "asked", "past"), (5, 2, 2, 1))[0]
    if subject.en == "I" and mood == "asked":
        mood = "said"
    phrase = grammar.noun_phrase(noun, number, "o")
    draft = being(
        draw, subject, phrase,
        negated=mood == "denied", question=mood == "asked", past=mood == "past",
    )  # fmt: skip
    draft.content = (*subject.content, noun.en)
    return draft


POINTERS: dict[str, tuple[str, ...]] = {
    "this": ("이것은", "이건"),
    "that": ("저것은", "저건"),
    "it": ("그것은", "그건"),
}


def pointer(draw: Draw, many: bool = False) -> Subject:
    """This, that and it; these and those before what is always plural."""
    en = draw.pick(("this", "this", "that") if many else ("this", "this", "that", "it"))
    forms = dict.fromkeys(("polite", "formal", "casual"), POINTERS[en])
    if many:
        return Subject({"this": "these", "that": "those"}[en], "they", pronouns=forms)
    return Subject(en, "he", pronouns=forms)


@template(6)
def pointing(draw: Draw) -> Draft | None:
    """This is (not) a red apple; is that your cat?"""
    noun = draw.noun(ANYTHING)
    if noun.kind in ("person", "place", "room"):
        return None
    modifier = draw_modifier(draw, noun) if draw.chance(0.45) else None
    subject = pointer(draw, noun.form == "plural")
    mood = draw.rng.choices(("said", "denied", "asked"), (5, 2, 2))[0]
    phrase = grammar.noun_phrase(noun, "a", "o", modifier)
    draft = being(
        draw, subject, phrase, negated=mood == "denied", question=mood == "asked", past=False
    )
    draft.content = (noun.en,)
    return draft


def draw_modifier(draw: Draw, noun: Noun, determiners: bool = True) -> Modifier | None:
    """An adjective, a colour or a possessive that fits the noun."""
    kind = draw.rng.choices(("adjective", "colour", "whose"), (3, 2, 2 if determiners else 0))[0]
    if kind == "whose" and (noun.kind != "person" or noun.en in lists.OURS):
        whose = draw.pick(("my", "my", "your", "his", "her", "our", "their"))
        return lists.possessive(whose, draw.style.register, draw.style.pronoun)
    if kind == "colour" and noun in nouns_of(lists.COLOURED):
        return lists.colour(draw.pick(tuple(lists.COLOURS)))
    fitting = adjectives_for(noun)
    return draw.pick(fitting).modifier if fitting else None


@cache
def adjectives_for(noun: Noun) -> list[Adjective]:
    return [a for a in lists.ADJECTIVES if noun in nouns_of(a.of)]


@template(1.5)
def whose(draw: Draw) -> Draft | None:
    """Whose car is this?"""
    noun = draw.noun("thing clothes headwear footwear book car instrument animal")
    many = noun.form == "plural"
    subject = pointer(draw, many)
    ko = [*subject.korean(draw.style), (" 누구의", "w"), (" " + noun.ko, "o")]
    ko += [(grammar.copula(noun.ko, draw.style, True), "v"), MARK]
    en = [*words("whose", "w"), *words(noun.en, "o")]
    en += [*words("are" if many else "is", "v"), *subject.english(), MARK]
    return Draft((noun.en,), ko, en, asks=True)


@template(0.8)
def who(draw: Draw) -> Draft | None:
    """Who are you? Who is Minsu?"""
    return who_is(draw, draw.subject())


def who_is(draw: Draw, subject: Subject) -> Draft:
    word = "누구"
    ko = [*subject.korean(draw.style), (" " + word, "w")]
    ko += [(grammar.copula(word, draw.style, question=True), "v"), MARK]
    be = words(grammar.english_be(subject.person), "v")
    en = [*words("who", "w"), *be, *spoken(subject, ko), MARK]
    return Draft(subject.content, ko, en, asks=True)


@template(0.3)
def what(draw: Draw) -> Draft | None:
    """What is this?"""
    subject = pointer(draw)
    word = "뭐" if draw.style.alternative else "무엇"
    ko = [*subject.korean(draw.style), (" " + word, "w")]
    ko += [(grammar.copula(word, draw.style, question=True), "v"), MARK]
    en = [*words("what", "w"), *words("is", "v"), *subject.english(), MARK]
    return Draft((), ko, en, asks=True)


@template(1.2)
def origin(draw: Draw) -> Draft | None:
    """I am from France."""
    subject = draw.pick((*lists.PRONOUNS, *lists.NAMED))
    noun = draw.noun("country")
    question = draw.chance(0.2) and subject.en != "I"
    came = grammar.past_of(Predicate("오", "와"))
    ko = [*draw.said(subject, question=question), (" " + noun.ko, "o"), ("에서", "P")]
    ko += [(" " + grammar.finish(came, draw.style, question), "v"), MARK if question else STOP]
    be = words(grammar.english_be(subject.person), "v")
    who_ = spoken(subject, ko)
    en = [*be, *who_] if question else [*who_, *be]
    en += [*words("from", "P"), *words(noun.en, "o"), MARK if question else STOP]
    return Draft((*subject.content, noun.en), ko, en)


@template(0.6)
def naming(draw: Draw) -> Draft | None:
    """My name is Minsu."""
    name = draw.pick(lists.NAMED)
    own = draw.pick(("my", "his" if name.en in lists.MEN else "her"))
    possessive = lists.possessive(own, draw.style.register, draw.style.pronoun)
    ko = [(" " + possessive.ko, "m"), (" 이름", "s"), ("은", "s"), (" " + name.ko, "o")]
    ko += [(grammar.copula(name.ko, draw.style), "v"), STOP]
    en = [*words(own, "m"), *words("name", "s"), *words("is", "v"), *words(name.en, "o"), STOP]
    return Draft((own, name.en), ko, en)


@template(0.8)
def calendar(draw: Draw) -> Draft | None:
    """Today is Monday."""
    day, korean_day = draw.pick((("today", "오늘"), ("tomorrow", "내일"), ("yesterday", "어제")))
    past = day == "yesterday"
    en_name, ko_name = draw.pick(tuple(lists.DAYS.items()))
    negated = draw.chance(0.2)
    subject = Subject(day, "he", korean_day)
    name = Phrase([(" " + ko_name, "o")], words(en_name, "o"), ko_name)
    draft = being(draw, subject, name, negated=negated, question=draw.chance(0.2), past=past)
    draft.content = (day, en_name)
    return draft


# ---- qualities -----------------------------------------------------------------------------------


def quality(
    draw: Draw, subject: Phrase, person: str, adjective: Adjective, *, content: tuple[str, ...]
) -> Draft:
    """X is (not) big, was big, is it big?"""
    mood = draw.rng.choices(("said", "denied", "asked", "past"), (5, 2, 2, 2))[0]
    question, negated, past = mood == "asked", mood == "denied", mood == "past"
    tense = "past" if past else "present"
    very = draw.chance(0.2)
    much = "매우" if draw.style.alternative else "아주"
    verb = grammar.korean_verb(adjective.ko, tense, draw.style, negated=negated, question=question)
    if very:
        verb = [(" " + much, "y"), *verb]
    ko = [*subject.ko, *verb, MARK if question else STOP]
    be = words(grammar.english_be(person, past), "v")
    no = words("not" if negated else "", "n")
    en = [*be, *subject.en] if question else [*subject.en, *be]
    en += [
        *no,
        *words("very" if very else "", "y"),
        *words(adjective.en, "v"),
        MARK if question else STOP,
    ]
    return Draft(content, ko, en)


@template(6)
def quality_of_a_thing(draw: Draw) -> Draft | None:
    """The elephant is big; my car is not expensive; is this book interesting?"""
    adjective = draw.pick(lists.ADJECTIVES)
    noun = draw.noun(adjective.of)
    whose = draw.pick(("my", "your", "his", "her", "our"))
    own = lists.possessive(whose, draw.style.register, draw.style.pronoun)
    modifier = draw.pick((None, None, lists.THIS, lists.THAT, own, own))
    if noun.kind in ("language", "subject"):
        modifier = None
    if modifier is own and noun.kind == "person" and noun.en not in lists.OURS:
        modifier = None
    number = "bare" if noun.kind in ("language", "subject") else "the"
    phrase = grammar.noun_phrase(noun, number, "s", modifier)
    mark = particle(noun.ko, "이" if draw.style.alternative else "은")
    person = "they" if noun.form == "plural" else "he"
    subject = Phrase([*phrase.ko, (mark, "s")], phrase.en)
    return quality(draw, subject, person, adjective, content=(noun.en,))


@template(1.5)
def feeling(draw: Draw) -> Draft | None:
    """I am happy; is your friend tired?"""
    subject = draw.subject(animals=True)
    adjective = draw.pick(lists.FEELINGS)
    said = draw.said(subject)
    who_ = Phrase(said, spoken(subject, said))
    draft = quality(draw, who_, subject.person, adjective, content=())
    if not said and draft.ko[-1] == MARK:  # asked without a subject it would mean "you"
        return None
    draft.content = (subject.en, adjective.en)
    return draft


@template(2)
def colour_of_a_thing(draw: Draw) -> Draft | None:
    """This apple is red."""
    noun = draw.noun(lists.COLOURED)
    color = draw.pick(tuple(lists.COLOURS))
    own = lists.possessive(draw.pick(("my", "your", "his")), draw.style.register)
    modifier = draw.pick((lists.THIS, lists.THAT, own, None))
    name = lists.colour_name(color)
    thing = grammar.noun_phrase(noun, "the", "s", modifier)
    person = "they" if noun.form == "plural" else "he"
    question = draw.chance(0.15)
    ko = [*thing.ko, (particle(noun.ko, "은"), "s"), (" " + name, "o")]
    ko += [(grammar.copula(name, draw.style, question), "v"), MARK if question else STOP]
    be = words(grammar.english_be(person), "v")
    en = [*be, *thing.en] if question else [*thing.en, *be]
    return Draft((noun.en,), ko, [*en, *words(color, "o"), MARK if question else STOP])


@template(2.5)
def comparison(draw: Draw) -> Draft | None:
    """The elephant is bigger than the mouse."""
    adjective = draw.pick(lists.ADJECTIVES)
    first, second = draw.several(adjective.of, 2)
    if first.kind in ("language", "subject") or second.kind in ("language", "subject"):
        return None
    this, that = grammar.noun_phrase(first, "the", "s"), grammar.noun_phrase(second, "the", "o")
    person = "they" if first.form == "plural" else "he"
    ko = [*this.ko, (particle(first.ko, "은"), "s"), *that.ko, ("보다", "t")]
    if not draw.style.alternative:
        ko.append((" 더", "c"))
    ko += [(" " + grammar.finish(adjective.ko, draw.style, False), "v"), STOP]
    en = [*this.en, *words(grammar.english_be(person), "v")]
    *more, last = adjective.comparative.split()
    en += [*words(" ".join(more), "c"), *words(last, "v" if more else "vc")]
    return Draft((first.en, second.en), ko, [*en, *words("than", "t"), *that.en, STOP])
