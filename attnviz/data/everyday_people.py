"""The everyday grammar's sentences about people as objects, and those with "too"."""

from __future__ import annotations

from attnviz.data import everyday_lists as lists
from attnviz.data.everyday_clauses import NOTHING, clause, draw_mood, having, liking
from attnviz.data.everyday_grammar import Draft, Phrase, words
from attnviz.data.everyday_templates import STOP, Draw, identity, template
from attnviz.data.everyday_words import TRANSITIVE


@template(4)
def likewise(draw: Draw) -> Draft | None:
    """I am a student too; I like apples too: 도 takes the place of 은 or 이."""
    if draw.style.silent or draw.style.pronoun:
        return None
    draft = draw.pick((identity, liking, having))(draw)
    if draft is None or draft.ko[-1] != STOP or "not" in [text.strip() for text, _ in draft.en]:
        return None
    first, key = draft.ko[0]
    if draft.ko[1][0] in ("은", "는", "이", "가"):
        rest = draft.ko[2:]
    elif first.endswith("는"):
        first, rest = first[:-1], draft.ko[1:]
    else:
        return None
    ko = [(first, key), ("도", "u"), *rest]
    return Draft(draft.content, ko, [*draft.en[:-1], *words("too", "u"), STOP])


OBJECTS: dict[str, dict[str, tuple[str, ...]]] = {
    "me": {"polite": ("저를", "나를"), "formal": ("저를", "나를"), "casual": ("나를", "날")},
    "you": {"polite": ("당신을",), "formal": ("당신을",), "casual": ("너를", "널")},
    "him": dict.fromkeys(lists.MY, ("그를",)),
    "her": dict.fromkeys(lists.MY, ("그녀를",)),
    "us": dict.fromkeys(lists.MY, ("우리를",)),
    "them": dict.fromkeys(lists.MY, ("그들을",)),
}
TO_PEOPLE = tuple(
    verb
    for verb in TRANSITIVE
    if verb.en[0] in ("like", "hate", "love", "meet", "help", "wait", "know", "remember", "see")
)
THEMSELVES = {"I": "me us", "we": "us me", "you": "you", "he": "him", "she": "her", "they": "them"}


@template(4)
def people(draw: Draw) -> Draft | None:
    """I know you; Minsu helps us; I met Sujin yesterday."""
    subject = draw.subject()
    verb = draw.pick(TO_PEOPLE)
    if draw.chance(0.4):
        name = draw.pick(lists.NAMED)
        whom = Phrase([(" " + name.ko, "o")], words(name.en, "o"), name.ko)
        object_, content = Phrase(whom.marked("을", "o"), whom.en), name.en
    else:
        content = draw.pick(tuple(OBJECTS))
        forms = OBJECTS[content][draw.style.register]
        form = forms[min(draw.style.pronoun, len(forms) - 1)]
        object_ = Phrase([(" " + form, "o")], words(content, "o"))
    if content == subject.en or content in THEMSELVES.get(subject.en, "").split():
        return None
    tense, negated, question = draw_mood(draw, verb, subject)
    when = draw.pick(lists.TIMES[tense]) if draw.chance(0.25) and len(verb.tenses) > 20 else NOTHING
    return clause(
        draw, subject, verb, tense, negated=negated, question=question, middle=(when,),
        object_=object_, content=(subject.en, verb.en[0], content),
    )  # fmt: skip
