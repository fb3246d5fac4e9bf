"""The everyday grammar's sentences about where things are, how many and at what price."""

from __future__ import annotations

from attnviz.data import everyday_grammar as grammar
from attnviz.data import everyday_lists as lists
from attnviz.data.everyday_grammar import Draft, Parts, Phrase, words
from attnviz.data.everyday_templates import MARK, STOP, Draw, template
from attnviz.data.everyday_words import Noun
from attnviz.data.korean import particle


def exists(draw: Draw, mood: str) -> Parts:
    """있어요 or 없어요, with the mark behind."""
    question, negated = mood == "asked", mood == "denied"
    predicate = grammar.ABSENT if negated else grammar.EXIST
    end = [(" " + grammar.finish(predicate, draw.style, question), "vn" if negated else "v")]
    return [*end, MARK if question else STOP]


MOVABLE = "animal food thing clothes headwear footwear book instrument flower reading"


@template(4)
def there_is(draw: Draw) -> Draft | None:
    """There is a cat in the box; is there ...?; there is no water."""
    noun = draw.noun(MOVABLE + " drink")
    where, places = whereabouts(draw, noun, 0.7)
    mood = draw.rng.choices(("said", "denied", "asked"), (5, 2, 2))[0]
    number = {"denied": "bare"}.get(mood, "a")
    thing = grammar.noun_phrase(noun, number, "o")
    be = words("are" if noun.form == "plural" else "is", "v")
    there = words("there", "v")
    no = words("no", "vn") if mood == "denied" else []
    end = exists(draw, mood)
    ko = [*where.ko, *thing.marked("이", "o"), *end]
    en = [*be, *there] if mood == "asked" else [*there, *be]
    en += [*no, *thing.en, *where.en, MARK if mood == "asked" else STOP]
    return Draft((noun.en, *places), ko, en)


def whereabouts(draw: Draw, noun: Noun, probability: float) -> tuple[Phrase, tuple[str, ...]]:
    """Somewhere for the thing to be, or nowhere, and the nouns of that."""
    if not draw.chance(probability):
        return Phrase([], []), ()
    if draw.chance(0.3):
        ground = draw.noun("place room")
        return lists.place(ground, "at"), (ground.en,)
    relation = draw.pick(tuple(lists.RELATIONS))
    ground = draw.noun(lists.ground_kinds(relation))
    if ground.en == noun.en or ground.form != "count":
        return Phrase([], []), ()
    return lists.located(ground, relation, draw.style.alternative), (ground.en,)


@template(4)
def location(draw: Draw) -> Draft | None:
    """The cat is under the table."""
    noun = draw.noun(MOVABLE)
    where, places = whereabouts(draw, noun, 1.0)
    if not places:
        return None
    question, negated = draw.chance(0.15), draw.chance(0.15)
    thing = grammar.noun_phrase(noun, "the", "o")
    end = exists(draw, "asked" if question else "denied" if negated else "said")
    be = words("are" if noun.form == "plural" else "is", "v")
    no = words("not", "vn") if negated and not question else []
    ko = [*thing.marked("은", "o"), *where.ko, *end]
    en = [*be, *thing.en] if question else [*thing.en, *be]
    return Draft((noun.en, *places), ko, [*en, *no, *where.en, MARK if question else STOP])


@template(2)
def where_is(draw: Draw) -> Draft | None:
    """Where is the cat?"""
    noun = draw.noun(MOVABLE + " place person car room")
    whose = draw.pick(("my", "your", "his"))
    own = lists.possessive(whose, draw.style.register, draw.style.pronoun)
    modifier = own if draw.chance(0.35) and noun.kind not in ("place", "room", "person") else None
    thing = grammar.noun_phrase(noun, "the", "o", modifier)
    mark = "이" if draw.style.alternative else "은"
    ko = [*thing.marked(mark, "o"), (" 어디", "w"), ("에", "w")]
    ko += [(" " + grammar.finish(grammar.EXIST, draw.style, True), "v"), MARK]
    be = words("are" if noun.form == "plural" else "is", "v")
    return Draft((noun.en,), ko, [*words("where", "w"), *be, *thing.en, MARK], asks=True)


@template(1.2)
def price(draw: Draw) -> Draft | None:
    """How much is this bag?"""
    noun = draw.noun("thing clothes food drink book headwear footwear car instrument flower")
    modifier = draw.pick((lists.THIS, lists.THAT, None))
    thing = grammar.noun_phrase(noun, "the", "o", modifier)
    be = words("are" if noun.form == "plural" else "is", "v")
    ko = [*thing.marked("은", "o"), (" 얼마", "w")]
    ko += [(grammar.copula("얼마", draw.style, True), "v"), MARK]
    return Draft((noun.en,), ko, [*words("how much", "w"), *be, *thing.en, MARK], asks=True)


@template(4)
def counting(draw: Draw) -> Draft | None:
    """There are three apples on the table."""
    noun = countable(draw)
    if noun is None:
        return None
    count = 1 + int(draw.rng.random() * 12)
    where, places = whereabouts(draw, noun, 0.4)
    thing = grammar.counted(noun, count, draw.style, "o")
    end = exists(draw, "said")
    be = "is" if count == 1 else "are"
    ko = [*where.ko, *thing.marked("이", "m"), *end]
    en = [*words("there " + be, "v"), *thing.en, *where.en, STOP]
    return Draft((noun.en, *places), ko, en)


def countable(draw: Draw, kinds: str = MOVABLE + " person car vehicle drink") -> Noun | None:
    noun = draw.noun(kinds)
    measured = noun.kind in ("footwear", "drink")
    if noun.kind == "reading" or (noun.form != "count" and not measured):
        return None
    return noun


@template(1)
def how_many(draw: Draw) -> Draft | None:
    """How many apples are there?"""
    noun = countable(draw, MOVABLE + " person car vehicle")
    if noun is None or noun.kind == "footwear":
        return None
    where, places = whereabouts(draw, noun, 0.4)
    counter = grammar.counted(noun, 1, draw.style).head
    ko = [*where.ko, (" " + noun.ko, "o"), (particle(noun.ko, "이"), "o"), (" 몇", "w")]
    ko += [(" " + counter, "w"), (" " + grammar.finish(grammar.EXIST, draw.style, True), "v"), MARK]
    en = [*words("how many", "w"), *words(noun.plural, "o"), *words("are there", "v")]
    return Draft((noun.en, *places), ko, [*en, *where.en, MARK], asks=True)
