"""The everyday grammar's sentences of two clauses: and, but, because, before, after, while, if.

The clause that stands first in Korean stands last in English wherever one depends on the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from attnviz.data import everyday_grammar as grammar
from attnviz.data import everyday_lists as lists
from attnviz.data.everyday_clauses import (
    GOING,
    LIKING,
    NOTHING,
    SINGLE,
    circumstances,
    object_number,
)
from attnviz.data.everyday_grammar import Draft, Parts, Subject, words
from attnviz.data.everyday_templates import STOP, Draw, spoken, template
from attnviz.data.everyday_words import INTRANSITIVE, Verb

CLEAR = tuple(
    verb
    for verb in SINGLE
    if {"past", "present", "future"} <= set(verb.tenses.split()) and verb.en[0] != verb.en[1]
)


def rekeyed(parts: Parts, keys: dict[str, str]) -> Parts:
    """The parts of a second clause under keys of their own."""
    table = str.maketrans(keys)
    return [(text, own.translate(table)) for text, own in parts]


@dataclass(frozen=True)
class Deed:
    """Something to do: eat an apple at home on Monday, sleep, go to school.

    Args:
        verb: its verb.
        ko, en: all but subject and verb, before the Korean verb and behind the English one.
        content: the nouns in it, or the verb where there is none.
    """

    verb: Verb
    ko: Parts
    en: Parts
    content: tuple[str, ...]

    @property
    def subordinate(self) -> Deed:
        """The same under the keys of a second clause."""
        return replace(self, ko=rekeyed(self.ko, SECOND), en=rekeyed(self.en, SECOND))


def deed(draw: Draw, subject: Subject, tense: str = "") -> Deed:
    """A deed; with a tense it may have a time, a place and company."""
    kind = draw.rng.random()
    verb = GOING[0] if kind < 0.2 else draw.pick(INTRANSITIVE if kind < 0.45 else CLEAR)
    when, where, who = NOTHING, NOTHING, NOTHING
    content: tuple[str, ...] = ()
    if tense and verb is not GOING[0] and draw.chance(0.6):
        when, where, who, content = circumstances(draw, verb, tense, subject)
    middle = (when, where, who)
    ko = [part for phrase in middle for part in phrase.ko]
    en = [part for phrase in reversed(middle) for part in phrase.en]
    if verb is GOING[0]:
        noun = draw.noun("place country")
        goal = lists.place(noun, "to")
        return Deed(verb, goal.ko, goal.en, (noun.en,))
    if not verb.objects:
        return Deed(verb, ko, en, (verb.en[0], *content))
    noun = draw.noun(verb.objects)
    thing = grammar.noun_phrase(noun, object_number(noun, verb))
    ko += thing.marked("을", "o")
    return Deed(verb, ko, [*words(verb.rest, "v"), *thing.en, *en], (noun.en, *content))


SECOND = {
    **{"v": "x", "o": "q", "p": "l", "P": "L", "t": "T", "s": "S"},
    **{"d": "e", "D": "E", "c": "f", "w": "W"},
}
REASONS = tuple(a for a in lists.FEELINGS if a.en not in ("kind", "smart", "healthy"))
JOINTS = ("before", "after", "while", "if")


@template(5)
def joined(draw: Draw) -> Draft | None:
    """I read a book before I slept."""
    subject = draw.pick(lists.PRONOUNS)
    joint = draw.pick(JOINTS)
    tense = "future" if joint == "if" else draw.pick(("present", "past", "future"))
    under = "past" if tense == "past" else "present"
    near, far = deed(draw, subject, tense), deed(draw, subject, under).subordinate
    other = far.verb
    if near.verb.en[0] == other.en[0] or set(near.content) & set(far.content):
        return None
    korean = {
        "before": (other.ko.stem + "기", " 전에"),
        "after": (other.ko.past_modifier, " 후에"),
        "while": (other.ko.conditional, "서"),
        "if": (other.ko.conditional, ""),
    }[joint]
    said = draw.said(subject)
    link = [(" " + korean[0], "x" if korean[1] else "xk")]
    link += [(korean[1], "k")] if korean[1] else []
    ko = [*said, *far.ko, *link, *near.ko]
    ko += [*grammar.korean_verb(near.verb.ko, tense, draw.style), STOP]
    who = spoken(subject, said)
    _, rest = grammar.english_verb(near.verb, subject.person, tense)
    _, deep = grammar.english_verb(other, subject.person, under)
    en = [*who, *rest, *near.en, *words(joint, "k"), *rekeyed(who, {"v": "x"})]
    en += [*rekeyed(deep, SECOND), *far.en, STOP]
    return Draft((*near.content, *far.content), ko, en)


@template(5)
def because(draw: Draw) -> Draft | None:
    """I ate an apple because I was hungry."""
    subject = draw.pick(lists.PRONOUNS)
    feeling = draw.pick(REASONS)
    tense = draw.pick(("present", "past", "past", "future"))
    negated = draw.chance(0.4) and tense != "future"
    near = deed(draw, subject, tense)
    past = tense == "past"
    if draw.style.alternative:
        stem = feeling.ko.past if past else feeling.ko.stem
        reason = [(f" {stem}기", "x"), (" 때문에", "k")]
    else:
        reason = [(" " + feeling.ko.infinitive, "x"), ("서", "k")]
    said = draw.said(subject)
    ko = [*said, *reason, *near.ko]
    ko += [*grammar.korean_verb(near.verb.ko, tense, draw.style, negated=negated), STOP]
    who = spoken(subject, said)
    _, rest = grammar.english_verb(near.verb, subject.person, tense, negated=negated)
    be = grammar.english_be(subject.person, past)
    en = [*who, *rest, *near.en, *words("because", "k"), *rekeyed(who, {"v": "x"})]
    en += [*words(f"{be} {feeling.en}", "x"), STOP]
    return Draft((*near.content, feeling.en), ko, en)


@template(6)
def contrast(draw: Draw) -> Draft | None:
    """I like apples, but I hate bananas; I like apples, and Minsu likes bananas."""
    like, hate = LIKING[0], LIKING[1]
    first, second = draw.pick(((like, hate), (hate, like), (like, like), (hate, hate)))
    one, two = draw.several(hate.objects, 2)
    subject = draw.subject()
    other = draw.subject() if first is second or draw.chance(0.4) else None
    if other is not None and other.en == subject.en:
        return None
    joint, ending = ("and", "고") if first is second else ("but", "지만")
    things = [
        grammar.noun_phrase(noun, verb.number, key)
        for noun, verb, key in ((one, first, "o"), (two, second, "q"))
    ]
    content = (*subject.content, *(other.content if other else ()), one.en, two.en)
    if len(set(content)) < len(content):
        return None
    said = draw.said(subject) if other is None else subject.korean(draw.style)
    ko = [*said, *things[0].marked("을", "o"), (" " + first.ko.stem, "v"), (ending, "k")]
    ko += other.korean(draw.style, key="S") if other else []
    ko += things[1].marked("을", "q")
    ko += [*rekeyed(grammar.korean_verb(second.ko, "present", draw.style), SECOND), STOP]
    en = _english_clause(spoken(subject, said), subject, first, "present", things[0].en)
    again = other.english("S") if other else rekeyed(spoken(subject, said), {"v": "x"})
    en += [(",", "k"), *words(joint, "k")]
    deep = _english_clause(again, other or subject, second, "present", things[1].en, second=True)
    return Draft(content, ko, [*en, *deep, STOP])


def _english_clause(
    who: Parts, subject: Subject, verb: Verb, tense: str, after: Parts, *, second: bool = False
) -> Parts:
    _, rest = grammar.english_verb(verb, subject.person, tense)
    return [*who, *(rekeyed(rest, SECOND) if second else rest), *after]


@template(6)
def both(draw: Draw) -> Draft | None:
    """I ate an apple, and Minsu drank milk."""
    subject, other = draw.subject(), draw.subject()
    if subject.en == other.en:
        return None
    tense = draw.pick(("present", "past", "past", "future"))
    near, far = deed(draw, subject, tense), deed(draw, other, tense).subordinate
    content = (*subject.content, *other.content, *near.content, *far.content)
    if len(set(content)) < len(content):
        return None
    stem = near.verb.ko.past if tense == "past" else near.verb.ko.stem
    ko = [*subject.korean(draw.style), *near.ko, (" " + stem, "v"), ("고", "k")]
    ko += [*other.korean(draw.style, key="S"), *far.ko]
    ko += [*rekeyed(grammar.korean_verb(far.verb.ko, tense, draw.style), SECOND), STOP]
    en = _english_clause(subject.english(), subject, near.verb, tense, near.en)
    deep = _english_clause(other.english("S"), other, far.verb, tense, far.en, second=True)
    return Draft(content, ko, [*en, (",", "k"), *words("and", "k"), *deep, STOP])


@template(4)
def described(draw: Draw) -> Draft | None:
    """The student who ate an apple is happy: a clause before its noun."""
    noun = draw.noun("person")
    verb = draw.pick(CLEAR)
    if "person" in verb.objects:
        return None
    thing_noun = draw.noun(verb.objects)
    adjective = draw.pick(lists.FEELINGS)
    tense = draw.pick(("present", "past"))
    form = verb.ko.past_modifier if tense == "past" else verb.ko.modifier
    thing = grammar.noun_phrase(thing_noun, object_number(thing_noun, verb))
    who = grammar.noun_phrase(noun, "the", "s")
    mark = who.marked("은", "s")
    ko = [*thing.marked("을", "o"), (" " + form, "v"), *mark]
    ko += [(" " + grammar.finish(adjective.ko, draw.style, False), "x"), STOP]
    _, rest = grammar.english_verb(verb, "he", tense)
    en = [*who.en, *words("who", "v"), *rest, *words(verb.rest, "v"), *thing.en]
    return Draft((noun.en, thing_noun.en), ko, [*en, *words(f"is {adjective.en}", "x"), STOP])
