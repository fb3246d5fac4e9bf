"""The everyday grammar's sentences of two clauses: and, but, because, before, after, while, if.

The clause that stands first in Korean stands last in English wherever one depends on the other.
"""

from __future__ import annotations

from attnviz.data import everyday_grammar as grammar
from attnviz.data import everyday_lists as lists
from attnviz.data.everyday_clauses import GOING, LIKING, SINGLE, object_number
from attnviz.data.everyday_grammar import Draft, Parts, Subject, words
from attnviz.data.everyday_templates import STOP, Draw, spoken, template
from attnviz.data.everyday_words import INTRANSITIVE, Noun, Verb

CLEAR = tuple(verb for verb in SINGLE if {"past", "present", "future"} <= set(verb.tenses.split()))


def rekeyed(parts: Parts, keys: dict[str, str]) -> Parts:
    """The parts of a second clause under keys of their own."""
    table = str.maketrans(keys)
    return [(text, own.translate(table)) for text, own in parts]


def deed(draw: Draw) -> tuple[Verb, Noun | None]:
    """Something to do: eat an apple, sleep, go to school."""
    place = draw.rng.random()
    if place < 0.25:
        return draw.pick(INTRANSITIVE), None
    if place < 0.45:
        return GOING[0], draw.noun("place country")
    verb = draw.pick(CLEAR)
    while verb.en[0] == verb.en[1]:
        verb = draw.pick(CLEAR)
    return verb, draw.noun(verb.objects)


def deed_parts(draw: Draw, verb: Verb, noun: Noun | None) -> tuple[Parts, Parts]:
    """Object or goal of a deed, in Korean before the verb and in English behind it."""
    if noun is None:
        return [], words(verb.rest, "v")
    if verb is GOING[0]:
        goal = lists.place(noun, "to")
        return goal.ko, goal.en
    thing = grammar.noun_phrase(noun, object_number(noun, verb))
    return thing.marked("을", "o"), [*words(verb.rest, "v"), *thing.en]


SECOND = {"v": "x", "o": "q", "p": "l", "P": "L", "t": "T", "s": "S"}
JOINTS = ("before", "after", "while", "if")


@template(5)
def joined(draw: Draw) -> Draft | None:
    """I read a book before I slept."""
    subject = draw.pick(lists.PRONOUNS)
    joint = draw.pick(JOINTS)
    (verb, noun), (other, other_noun) = deed(draw), deed(draw)
    if verb.en[0] == other.en[0] or (noun and noun == other_noun):
        return None
    tense = "future" if joint == "if" else draw.pick(("present", "past", "future"))
    under = "past" if tense == "past" else "present"
    korean = {
        "before": (other.ko.stem + "기", " 전에"),
        "after": (other.ko.past_modifier, " 후에"),
        "while": (other.ko.conditional, "서"),
        "if": (other.ko.conditional, ""),
    }[joint]
    near_ko, near_en = deed_parts(draw, verb, noun)
    far_ko, far_en = (rekeyed(p, SECOND) for p in deed_parts(draw, other, other_noun))
    said = draw.said(subject)
    link = [(" " + korean[0], "x" if korean[1] else "xk")]
    link += [(korean[1], "k")] if korean[1] else []
    ko = [*said, *far_ko, *link, *near_ko, *grammar.korean_verb(verb.ko, tense, draw.style), STOP]
    who = spoken(subject, said)
    _, rest = grammar.english_verb(verb, subject.person, tense)
    _, deep = grammar.english_verb(other, subject.person, under)
    en = [*who, *rest, *near_en, *words(joint, "k"), *rekeyed(who, {"v": "x"})]
    en += [*rekeyed(deep, SECOND), *far_en, STOP]
    content = [n.en if n else v.en[0] for v, n in ((verb, noun), (other, other_noun))]
    return Draft(tuple(content), ko, en)


@template(5)
def because(draw: Draw) -> Draft | None:
    """I ate an apple because I was hungry."""
    subject = draw.pick(lists.PRONOUNS)
    feeling = draw.pick(lists.FEELINGS)
    verb, noun = deed(draw)
    tense = draw.pick(("present", "past", "past", "future"))
    negated = draw.chance(0.4) and tense != "future"
    near_ko, near_en = deed_parts(draw, verb, noun)
    past = tense == "past"
    if draw.style.alternative:
        stem = feeling.ko.past if past else feeling.ko.stem
        reason = [(f" {stem}기", "x"), (" 때문에", "k")]
    else:
        reason = [(" " + feeling.ko.infinitive, "x"), ("서", "k")]
    said = draw.said(subject)
    ko = [*said, *reason, *near_ko]
    ko += [*grammar.korean_verb(verb.ko, tense, draw.style, negated=negated), STOP]
    who = spoken(subject, said)
    _, rest = grammar.english_verb(verb, subject.person, tense, negated=negated)
    be = grammar.english_be(subject.person, past)
    en = [*who, *rest, *near_en, *words("because", "k"), *rekeyed(who, {"v": "x"})]
    en += [*words(f"{be} {feeling.en}", "x"), STOP]
    return Draft((noun.en if noun else verb.en[0], feeling.en), ko, en)


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
    (verb, noun), (deep_verb, deep_noun) = deed(draw), deed(draw)
    tense = draw.pick(("present", "past", "past", "progressive"))
    if tense not in verb.tenses.split() or tense not in deep_verb.tenses.split():
        return None
    content = [*subject.content, *other.content]
    content += [n.en if n else v.en[0] for v, n in ((verb, noun), (deep_verb, deep_noun))]
    if len(set(content)) < len(content):
        return None
    near_ko, near_en = deed_parts(draw, verb, noun)
    far_ko, far_en = (rekeyed(p, SECOND) for p in deed_parts(draw, deep_verb, deep_noun))
    if tense == "progressive":
        first = [(f" {verb.ko.stem}고", "v"), (" 있", "t")]
    else:
        first = [(" " + (verb.ko.past if tense == "past" else verb.ko.stem), "v")]
    ko = [*subject.korean(draw.style), *near_ko, *first, ("고", "k")]
    ko += [*other.korean(draw.style, key="S"), *far_ko]
    ko += [*rekeyed(grammar.korean_verb(deep_verb.ko, tense, draw.style), SECOND), STOP]
    en = _english_clause(subject.english(), subject, verb, tense, near_en)
    deep = _english_clause(other.english("S"), other, deep_verb, tense, far_en, second=True)
    return Draft(tuple(content), ko, [*en, (",", "k"), *words("and", "k"), *deep, STOP])


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
    if verb.en[0] == verb.en[1]:
        tense = "present"
    form = verb.ko.past_modifier if tense == "past" else verb.ko.modifier
    thing = grammar.noun_phrase(thing_noun, object_number(thing_noun, verb))
    who = grammar.noun_phrase(noun, "the", "s")
    mark = who.marked("은", "s")
    ko = [*thing.marked("을", "o"), (" " + form, "v"), *mark]
    ko += [(" " + grammar.finish(adjective.ko, draw.style, False), "x"), STOP]
    _, rest = grammar.english_verb(verb, "he", tense)
    en = [*who.en, *words("who", "v"), *rest, *words(verb.rest, "v"), *thing.en]
    return Draft((noun.en, thing_noun.en), ko, [*en, *words(f"is {adjective.en}", "x"), STOP])
