"""The everyday grammar's sentences with a verb: who does what, when, where, with whom and why.

Korean puts the verb last and everything else in front of it; English puts it second. The longer
the sentence, the further a translation has to reach back.
"""

from __future__ import annotations

from attnviz.data import everyday_grammar as grammar
from attnviz.data import everyday_lists as lists
from attnviz.data.everyday_grammar import Draft, Parts, Phrase, Subject, words
from attnviz.data.everyday_places import countable
from attnviz.data.everyday_templates import (
    MARK,
    STOP,
    Draw,
    answered,
    draw_modifier,
    spoken,
    template,
)
from attnviz.data.everyday_words import (
    GIVING,
    GOING,
    INTRANSITIVE,
    TRANSITIVE,
    Noun,
    Verb,
    nouns_of,
)
from attnviz.data.korean import Predicate, particle

NOTHING = Phrase([], [])
LIKING = tuple(verb for verb in TRANSITIVE if verb.number == "all")
SINGLE = tuple(verb for verb in TRANSITIVE if verb.number == "a")


def draw_mood(draw: Draw, verb: Verb, subject: Subject) -> tuple[str, bool, bool]:
    """A tense that the verb has, and whether it is denied or asked."""
    tenses = verb.tenses.split()
    weights = {"present": 5, "past": 5, "future": 3, "progressive": 2, "want": 2, "can": 1.5}
    tense = draw.rng.choices(tenses, [weights.get(name, 1) for name in tenses])[0]
    if tense == "past" and verb.en[0] == verb.en[1] and subject.person != "he":
        tense = "present"  # "I read" is written alike in both
    mood = draw.rng.choices(("said", "denied", "asked"), (7, 2, 2))[0]
    negated, question = mood == "denied" and tense != "must", mood == "asked"
    if question and subject.en == "I" and tense not in ("can", "must"):
        question = False
    return tense, negated, question


def object_number(noun: Noun, verb: Verb) -> str:
    if verb.number == "the" and noun.kind == "country":
        return "bare"
    return verb.number


def object_phrase(draw: Draw, noun: Noun, verb: Verb, key: str = "o") -> Phrase:
    """The object, now and then with an adjective or a possessive."""
    modifier = draw_modifier(draw, noun) if draw.chance(0.22) else None
    if modifier and verb.number == "all" and modifier.determiner:
        modifier = None
    if noun.kind in ("language", "subject", "sport", "show", "country", "place", "room", "meal"):
        modifier = None
    return grammar.noun_phrase(noun, object_number(noun, verb), key, modifier)


def with_particle(draw: Draw, phrase: Phrase, key: str) -> Parts:
    """The Korean object with 을 or 를, which casual speech may leave out."""
    if draw.style.plain or not phrase.head:  # pronouns carry theirs
        return list(phrase.ko)
    return phrase.marked("을", key)


def circumstances(
    draw: Draw, verb: Verb, tense: str, subject: Subject
) -> tuple[Phrase, Phrase, Phrase, tuple[str, ...]]:
    """When, where and with whom: each there or not, and the nouns in them."""
    when = draw.pick(lists.TIMES[tense]) if draw.chance(0.42) else NOTHING
    where, who = NOTHING, NOTHING
    content: tuple[str, ...] = ()
    if "place" not in verb.objects and "room" not in verb.objects and draw.chance(0.3):
        noun = draw.noun("place country room")
        where, content = lists.place(noun, "do"), (noun.en,)
    if draw.chance(0.22):
        who, name = draw_companion(draw, subject)
        content = (*content, name)
    return when, where, who, content


def draw_companion(draw: Draw, subject: Subject) -> tuple[Phrase, str]:
    """With Minsu, with my mother, with a friend."""
    variant = draw.style.alternative
    if draw.chance(0.4):
        names = {en: ko for en, ko in lists.NAMES.items() if en != subject.en}
        en = draw.pick(tuple(names))
        return lists.companion(en, names[en], True, variant), en
    if draw.chance(0.6):
        en = draw.pick(tuple(lists.FAMILY))
        if en not in subject.en:
            own = lists.possessive("my", draw.style.register, draw.style.pronoun).ko
            korean = f"{own} {lists.FAMILY[en]}"
            return lists.companion(f"my {en}", korean, True, variant), en
    noun = draw.pick([n for n in nouns_of("person") if n.en in lists.AN_ACTOR])
    return lists.companion(noun.en, noun.ko, False, variant), noun.en


def clause(
    draw: Draw,
    subject: Subject,
    verb: Verb,
    tense: str,
    *,
    negated: bool = False,
    question: bool = False,
    middle: tuple[Phrase, ...] = (),
    object_: Phrase | None = None,
    content: tuple[str, ...] = (),
) -> Draft:
    """Subject, circumstances (in Korean order), object and verb as one sentence."""
    said = draw.said(subject, question=question)
    ko = [*said, *(part for phrase in middle for part in phrase.ko)]
    if object_ is not None:
        ko += with_particle(draw, object_, "o")
    ko += grammar.korean_verb(
        verb.ko, tense, draw.style, negated=negated, question=question, others=subject.others
    )
    lead, rest = grammar.english_verb(
        verb, subject.person, tense, negated=negated, question=question
    )
    after = [*words(verb.rest, "v"), *(object_.en if object_ else [])]
    after += [part for phrase in reversed(middle) for part in phrase.en]
    en = answered(lead, spoken(subject, said), [*rest, *after], question)
    return Draft((*subject.content, *content), [*ko, MARK if question else STOP], en)


@template(13)
def action(draw: Draw) -> Draft | None:
    """Minsu read a book with a friend at school on Monday."""
    verb = draw.pick(SINGLE)
    if verb.number != "the" and draw.chance(0.2):
        verb = draw.pick(tuple(v for v in TRANSITIVE if v.number == "the"))
    subject = draw.subject()
    noun = draw.noun(verb.objects)
    if noun.en in subject.content:
        return None
    tense, negated, question = draw_mood(draw, verb, subject)
    when, where, who, places = circumstances(draw, verb, tense, subject)
    return clause(
        draw, subject, verb, tense, negated=negated, question=question,
        middle=(when, where, who), object_=object_phrase(draw, noun, verb),
        content=(noun.en, *places),
    )  # fmt: skip


@template(6)
def liking(draw: Draw) -> Draft | None:
    """I like apples; Minsu does not like math."""
    verb = draw.pick(LIKING)
    noun = draw.noun(verb.objects)
    subject = draw.subject(animals=True)
    if noun.en in subject.content:
        return None
    tense, negated, question = draw_mood(draw, verb, subject)
    return clause(
        draw, subject, verb, tense, negated=negated, question=question,
        object_=object_phrase(draw, noun, verb), content=(noun.en,),
    )  # fmt: skip


LIST_VERBS = tuple(
    verb for verb in TRANSITIVE
    if verb.en[0] in ("like", "hate", "buy", "see", "eat", "draw", "sell", "make", "bring", "need")
)  # fmt: skip


@template(12)
def listing(draw: Draw) -> Draft | None:
    """I like apples, bananas, and trains."""
    verb = draw.pick(LIST_VERBS)
    subject = draw.subject()
    count = draw.rng.choices((2, 3, 4, 5), (4, 4, 3, 2))[0]
    chosen = draw.several(verb.objects, count)
    if set(subject.content) & {noun.en for noun in chosen}:
        return None
    tense, _, question = draw_mood(draw, verb, subject)
    items = [
        grammar.noun_phrase(noun, verb.number, str(number)) for number, noun in enumerate(chosen)
    ]
    when = draw.pick(lists.TIMES[tense]) if draw.chance(0.2) and verb.number != "all" else NOTHING
    return clause(
        draw, subject, verb, tense, negated=False, question=question, middle=(when,),
        object_=grammar.listed(items, draw.style), content=tuple(noun.en for noun in chosen),
    )  # fmt: skip


@template(3)
def counted_object(draw: Draw) -> Draft | None:
    """I bought three apples on Monday."""
    verb = draw.pick(
        tuple(
            v for v in SINGLE if v.en[0] in ("eat", "buy", "sell", "draw", "drink", "see", "make")
        )
    )
    noun = countable(draw, verb.objects)
    if noun is None:
        return None
    subject = draw.subject()
    count = 1 + int(draw.rng.random() * 12)
    tense, _, question = draw_mood(draw, verb, subject)
    when = draw.pick(lists.TIMES[tense]) if draw.chance(0.4) else NOTHING
    if noun.en in subject.content:
        return None
    thing = grammar.counted(noun, count, draw.style)
    object_ = Phrase(thing.ko, thing.en, thing.head)
    return clause(
        draw, subject, verb, tense, question=question, middle=(when,), object_=object_,
        content=(noun.en,),
    )  # fmt: skip


@template(4)
def doing(draw: Draw) -> Draft | None:
    """My brother sleeps at home every day."""
    verb = draw.pick(INTRANSITIVE)
    subject = draw.subject(animals=True)
    tense, negated, question = draw_mood(draw, verb, subject)
    when, where, who, places = circumstances(draw, verb, tense, subject)
    draft = clause(
        draw, subject, verb, tense, negated=negated, question=question, middle=(when, where, who)
    )
    draft.content = (subject.en, verb.en[0], *places)
    return draft


@template(5)
def going(draw: Draw) -> Draft | None:
    """I go to school by bus on Monday."""
    verb = draw.pick((GOING[0], GOING[0], *GOING))
    subject = draw.subject()
    goal = draw.noun("place country")
    tense, negated, question = draw_mood(draw, verb, subject)
    when = draw.pick(lists.TIMES[tense]) if draw.chance(0.5) else NOTHING
    who, name = draw_companion(draw, subject) if draw.chance(0.2) else (NOTHING, "")
    by, ride = NOTHING, draw.pick(RIDES)
    if draw.chance(0.25):
        korean = [(" " + ride.ko, "b"), (particle(ride.ko, "으로"), "B")]
        by = Phrase(korean, [*words("by", "Bb"), *words(ride.en, "b")])
    # English keeps the goal at the verb: "to school by bus with a friend on Monday".
    draft = clause(
        draw, subject, verb, tense, negated=negated, question=question,
        middle=(when, who, by, lists.place(goal, "to")),
    )  # fmt: skip
    draft.content = (*subject.content, goal.en, name, *([ride.en] if by is not NOTHING else []))
    return draft


RIDES = tuple(
    noun for noun in nouns_of("vehicle car")
    if noun.en in ("bus", "taxi", "train", "subway", "bicycle", "car", "ship", "airplane", "ferry")
)  # fmt: skip


@template(4)
def having(draw: Draw) -> Draft | None:
    """I have a cat; Minsu does not have a car; do you have water?"""
    return _with_a_mark(draw, "have had having", Predicate("있", "있어"), grammar.ABSENT)


@template(3)
def needing(draw: Draw) -> Draft | None:
    """I need an umbrella."""
    return _with_a_mark(draw, "need needed needing", Predicate("필요하", "필요해"), None)


def _with_a_mark(
    draw: Draw, english: str, korean: Predicate, opposite: Predicate | None
) -> Draft | None:
    """Verbs whose Korean object carries 이 or 가: there is a cat to me."""
    base, past, ing = english.split()
    verb = Verb(korean, (base, past, ing))
    subject = draw.subject()
    noun = draw.noun("animal food drink thing clothes headwear footwear book instrument car")
    if noun.en in subject.content:
        return None
    question, negated = draw.chance(0.2) and subject.en != "I", draw.chance(0.2)
    negated = negated and not question
    tense = draw.pick(("present", "present", "past"))
    ko = subject.korean(draw.style)
    phrase = object_phrase(draw, noun, verb)
    if draw.chance(0.15) and (some := countable(draw)) is not None:
        noun = some
        count = 2 + int(draw.rng.random() * 9)
        phrase = grammar.counted(noun, count, draw.style)
        negated = False
    ko = [*ko, *phrase.marked("이", "o")]
    if negated and opposite is not None:
        end = grammar.korean_verb(opposite, tense, draw.style)
        ko += [(text, "vn") for text, _ in end]
    else:
        ko += grammar.korean_verb(verb.ko, tense, draw.style, negated=negated, question=question)
    lead, rest = grammar.english_verb(
        verb, subject.person, tense, negated=negated, question=question
    )
    en = answered(lead, subject.english(), [*rest, *phrase.en], question)
    return Draft((*subject.content, noun.en), [*ko, MARK if question else STOP], en)


@template(3)
def wanting(draw: Draw) -> Draft | None:
    """I want a car."""
    verb = Verb(Predicate("갖", "가져"), ("want", "wanted", "wanting"))
    subject = draw.subject()
    noun = draw.noun("animal thing clothes headwear footwear book instrument car vehicle")
    if noun.en in subject.content:
        return None
    question, negated = draw.chance(0.2) and subject.en != "I", draw.chance(0.2)
    negated = negated and not question
    phrase = object_phrase(draw, noun, verb)
    said = draw.said(subject, question=question)
    end = grammar.korean_verb(
        verb.ko, "want", draw.style, negated=negated, question=question, others=subject.others
    )
    ko = [*said, *with_particle(draw, phrase, "o"), *((t, k.replace("t", "v")) for t, k in end)]
    lead, rest = grammar.english_verb(
        verb, subject.person, "present", negated=negated, question=question
    )
    en = answered(lead, spoken(subject, said), [*rest, *phrase.en], question)
    return Draft((*subject.content, noun.en), [*ko, MARK if question else STOP], en)


@template(3)
def giving(draw: Draw) -> Draft | None:
    """I gave a book to a friend yesterday."""
    verb = draw.pick(GIVING)
    subject = draw.subject()
    noun = draw.noun(verb.objects)
    tense, negated, question = draw_mood(draw, verb, subject)
    when = draw.pick(lists.TIMES[tense]) if draw.chance(0.4) else NOTHING
    with_, name = draw_companion(draw, subject)
    receiver = Phrase(
        [(with_.ko[0][0], "c"), ("한테" if draw.style.alternative else "에게", "w")],
        [*words("to", "w"), *with_.en[1:]],
    )
    return clause(
        draw, subject, verb, tense, negated=negated, question=question, middle=(when, receiver),
        object_=object_phrase(draw, noun, verb), content=(noun.en, name),
    )  # fmt: skip
