"""The everyday grammar's sentences with a verb: who does what, when, where, with whom and why.

Korean puts the verb last and everything else in front of it; English puts it second. The longer
the sentence, the further a translation has to reach back.
"""

from __future__ import annotations

from attnviz.data import everyday_grammar as grammar
from attnviz.data import everyday_lists as lists
from attnviz.data.everyday_grammar import Draft, Parts, Phrase, Subject, words
from attnviz.data.everyday_templates import (
    MARK,
    STOP,
    Draw,
    answered,
    countable,
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
from attnviz.data.korean import NATIVE_NUMERALS, Predicate, particle

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
    return list(phrase.ko) if draw.style.plain else phrase.marked("을", key)


def circumstances(
    draw: Draw, verb: Verb, tense: str, subject: Subject
) -> tuple[Phrase, Phrase, Phrase, tuple[str, ...]]:
    """When, where and with whom: each there or not, and the nouns in them."""
    when = draw.pick(lists.TIMES[tense]) if draw.chance(0.42) else NOTHING
    where, who, content = NOTHING, NOTHING, ()
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
    if "the" != verb.number and draw.chance(0.2):
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
    tense, negated, question = draw_mood(draw, verb, subject)
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
    tense, negated, question = draw_mood(draw, verb, subject)
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


# ---- asking for things ---------------------------------------------------------------------------


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
    tense = draw.pick(tuple({"present", "past", "future"} & set(verb.tenses.split())) or ("past",))
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
    if draw.chance(0.5):
        verb, goal = GOING[0], draw.noun("place country")
        middle, object_, content = (lists.place(goal, "to"),), None, goal.en
    else:
        verb = draw.pick(SINGLE)
        noun = draw.noun(verb.objects)
        middle, object_, content = (), grammar.noun_phrase(noun), noun.en
    if subject.en == "I" or content in subject.content:
        return None
    tense, _, _ = draw_mood(draw, verb, subject)
    word = Phrase([(" " + korean, "w")], [])
    draft = clause(
        draw, subject, verb, tense, question=True, middle=(word, *middle), object_=object_,
        content=(content,),
    )  # fmt: skip
    draft.en = [*words(asked, "w"), *draft.en]
    draft.asks = True
    return draft
