"""The everyday grammar's requests and questions: please, let's, who, what, when, why."""

from __future__ import annotations

from attnviz.data import everyday_grammar as grammar
from attnviz.data import everyday_lists as lists
from attnviz.data.everyday_clauses import (
    GOING,
    SINGLE,
    circumstances,
    clause,
    draw_mood,
    object_number,
    with_particle,
)
from attnviz.data.everyday_grammar import Draft, Phrase, words
from attnviz.data.everyday_places import countable
from attnviz.data.everyday_templates import MARK, STOP, Draw, spoken, template
from attnviz.data.everyday_words import TRANSITIVE, Noun, Verb


@template(3)
def request(draw: Draw) -> Draft | None:
    """Please open the door; do not open the door; let's eat an apple."""
    verb = draw.pick(
        tuple(v for v in TRANSITIVE if "future" in v.tenses and v.en[0] not in UNASKED)
    )
    noun = draw.noun(verb.objects)
    thing = grammar.noun_phrase(noun, object_number(noun, verb))
    mood = draw.pick(("please", "please", "do not", "let's"))
    casual, formal = draw.style.register == "casual", draw.style.register == "formal"
    if mood == "please":
        if verb.ko.stem.endswith("주"):
            return None
        end = [(" " + verb.ko.infinitive, "v"), (" 줘" if casual else " 주세요", "p")]
        en = words("please", "p")
    elif mood == "do not":
        end = [
            (f" {verb.ko.stem}지", "v"),
            (" 마" if casual else " 마십시오" if formal else " 마세요", "n"),
        ]
        en = words("do not", "n")
    else:
        form = verb.ko.stem + "자" if casual else verb.ko.proposal + "시다"
        end = [(" " + form, "v")]
        en = words("let's", "v")
    ko = [*with_particle(draw, thing, "o"), *end, STOP]
    en = [*en, *words(f"{verb.en[0]} {verb.rest}", "v"), *thing.en, STOP]
    return Draft((noun.en,), ko, en)


UNASKED = ("lose", "catch", "visit")


@template(2.5)
def ordering(draw: Draw) -> Draft | None:
    """Please give me two cups of coffee and three apples."""
    phrases, content = [], []
    for place in range(draw.rng.choices((1, 2, 3), (4, 3, 1))[0]):
        noun = countable(draw, "food drink thing flower book clothes")
        if noun is None or noun.en in content:
            return None
        count = 1 + int(draw.rng.random() * 10)
        phrases.append(grammar.counted(noun, count, draw.style, "abc"[place], "xyz"[place]))
        content.append(noun.en)
    wanted = phrases[0] if len(phrases) == 1 else grammar.listed(phrases, draw.style)
    end = {"casual": "줘", "formal": "주십시오"}.get(draw.style.register, "주세요")
    ko = [*wanted.ko, (" " + end, "v"), STOP]
    return Draft(tuple(content), ko, [*words("please give me", "v"), *wanted.en, STOP])


# ---- asking about things -------------------------------------------------------------------------


@template(2)
def who_does(draw: Draw) -> Draft | None:
    """Who ate an apple?"""
    verb = draw.pick(tuple(v for v in TRANSITIVE if "past" in v.tenses and v.number != "all"))
    noun = draw.noun(verb.objects)
    tenses = [name for name in verb.tenses.split() if name in ("present", "past", "future")]
    tense = draw.pick(tenses)
    return _who(draw, verb, noun, tense)


def _who(draw: Draw, verb: Verb, noun: Noun, tense: str) -> Draft:
    thing = grammar.noun_phrase(noun, object_number(noun, verb))
    end = grammar.korean_verb(verb.ko, tense, draw.style, question=True)
    ko = [(" 누가", "s"), *with_particle(draw, thing, "o"), *end, MARK]
    _, rest = grammar.english_verb(verb, "he", tense)
    en = [*words("who", "s"), *rest, *words(verb.rest, "v"), *thing.en, MARK]
    return Draft((noun.en,), ko, en, asks=True)


@template(1.5)
def what_does(draw: Draw) -> Draft | None:
    """What does Minsu eat at school?"""
    verb = draw.pick(
        tuple(
            v
            for v in SINGLE
            if v.en[0]
            in (
                "eat",
                "drink",
                "buy",
                "see",
                "read",
                "write",
                "draw",
                "make",
                "sell",
                "learn",
                "teach",
                "use",
            )
        )
    )
    subject = draw.subject()
    if subject.en == "I":
        return None
    tense, _, _ = draw_mood(draw, verb, subject)
    when, where, who, places = circumstances(draw, verb, tense, subject)
    said = draw.said(subject, question=True)
    lead, rest = grammar.english_verb(verb, subject.person, tense, question=True)
    thing = (" 뭘" if draw.style.alternative else " 무엇을", "o")
    middle = (when, where, who)
    end = grammar.korean_verb(verb.ko, tense, draw.style, question=True, others=subject.others)
    ko = [*said, *(part for phrase in middle for part in phrase.ko), thing, *end, MARK]
    after = [part for phrase in reversed(middle) for part in phrase.en]
    en = [*words("what", "o"), *lead, *spoken(subject, said), *rest, *after, MARK]
    return Draft((subject.en, verb.en[0], *places), ko, en, asks=True)


@template(2)
def when_or_why(draw: Draw) -> Draft | None:
    """When will you go to school? Why did Minsu buy a car?"""
    subject = draw.subject()
    asked, korean = draw.pick((("when", "언제"), ("why", "왜")))
    object_, middle = None, [Phrase([(" " + korean, "w")], [])]
    if draw.chance(0.5):
        verb, noun = GOING[0], draw.noun("place country")
        middle.append(lists.place(noun, "to"))
    else:
        verb = draw.pick(SINGLE)
        noun = draw.noun(verb.objects)
        object_ = grammar.noun_phrase(noun)
    if subject.en == "I" or noun.en in subject.content:
        return None
    tense, _, _ = draw_mood(draw, verb, subject)
    draft = clause(
        draw, subject, verb, tense, question=True, middle=tuple(middle),
        object_=object_, content=(noun.en,),
    )  # fmt: skip
    draft.en = [*words(asked, "w"), *draft.en]
    draft.asks = True
    return draft
