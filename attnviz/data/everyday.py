"""Everyday Korean and English: sentences that a grammar makes, with their known alignment.

The nouns are Unicode's emoji names and a list of our own. What is held out is a combination of
template and nouns: "I like X" with this X is never learned, though both are seen elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

# The module fills `TEMPLATES` with its own.
from attnviz.data import everyday_asking, everyday_joined, everyday_people  # noqa: F401
from attnviz.data import everyday_lists as lists
from attnviz.data.everyday_grammar import (
    CANONICAL,
    COUNTERS,
    NUMBERS,
    Draft,
    Parts,
    Style,
    any_style,
    links,
    noun_phrase,
    text_of,
)
from attnviz.data.everyday_phrases import phrases
from attnviz.data.everyday_templates import TEMPLATES, Draw, being, who_is
from attnviz.data.everyday_words import nouns
from attnviz.data.korean import NATIVE_NUMERALS
from attnviz.data.pairs import Corpus, Pair, split

NAMES = ("everyday_ko_en", "everyday_en_ko")
DRAFTS = 56_000
"""Sentences drawn from the templates, before variants and the cut of the held-out ones."""

VALID, TEST = 1500, 2500
HELD_OUT = {"valid": 0.04, "test": 0.06}
VARIANT = 0.16
"""Share of the training sentences that also come as careless typing."""

PHRASE = "phrase"
CONTRACTED = {"am": "'m", "are": "'re", "is": "'s", "will": "'ll"}
AUXILIARIES = ("do", "does", "did", "is", "are", "was", "were")
CONTRACTING = ("i", "you", "he", "she", "it", "we", "they", "that", "there", "who", "what", "where")


def build(name: str, seed: int = 0) -> Corpus:
    """One direction of the corpus; the same seed gives the same pairs.

    Raises:
        ValueError: `name` is not one of `NAMES`, or the grammar translates a sentence in two ways.
    """
    if name not in NAMES:
        raise ValueError(f"{name!r} is none of {', '.join(NAMES)}")
    to_english = name == "everyday_ko_en"
    rng = Random(f"{name}/{seed}")
    pool = _Pool()
    for phrase in _phrases(to_english):
        pool.add(phrase)
    drafts: dict[str, Draft] = {}
    drawn: list[Pair] = []
    for group, draft in _drafts(rng, to_english):
        sides = (draft.ko, draft.en) if to_english else (draft.en, draft.ko)
        pair = _pair(*sides, group, to_english)
        if pool.add(pair):
            drafts[pair.source] = draft
            drawn.append(pair)
    train, valid, test = split(drawn, **HELD_OUT)
    held = {pair.source for pair in (*valid, *test)}
    for pair in train:
        for variant in _careless(rng, drafts[pair.source], pair, to_english):
            pool.add(variant)
    learned = [pair for pair in pool.pairs.values() if pair.source not in held]
    rng.shuffle(learned)
    source, target = ("ko", "en") if to_english else ("en", "ko")
    return Corpus(
        name=name,
        title="Everyday sentences, " + ("Korean to English" if to_english else "English to Korean"),
        source_language=source,
        target_language=target,
        train=tuple(learned),
        valid=valid[:VALID],
        test=test[:TEST],
        tokeniser="everyday",
        licence="Apache-2.0",
        data=(
            {"name": "phrase grammar of this project", "version": "1", "licence": "Apache-2.0"},
            {"name": "cldr-annotations-full", "version": "48.2.0", "licence": "Unicode-3.0"},
            {
                "name": "cldr-annotations-derived-full",
                "version": "48.2.0",
                "licence": "Unicode-3.0",
            },
        ),
    )


class _Pool:
    """Pairs by source; refuses a second translation of the same source."""

    def __init__(self) -> None:
        self.pairs: dict[str, Pair] = {}

    def add(self, pair: Pair) -> bool:
        """Whether the source was new.

        Raises:
            ValueError: the source is there with another target.
        """
        known = self.pairs.setdefault(pair.source, pair)
        if known.target != pair.target:
            both = f"{known.target!r} ({known.group}) and {pair.target!r} ({pair.group})"
            raise ValueError(f"{pair.source!r} is translated as {both}")
        return known is pair


def _drafts(rng: Random, to_english: bool) -> Iterator[tuple[str, Draft]]:
    """Sentences of every template by its weight, each with its group.

    Those that a class tries first (who are you, I am a monitor) come first, in every manner.
    """
    for style in _styles() if to_english else (CANONICAL,):
        draw = Draw(rng, style)
        monitor = noun_phrase(nouns()["monitor"])
        said = being(draw, lists.I, monitor, negated=False, question=False, past=False)
        yield "identity|monitor", said
        yield "who", who_is(draw, lists.YOU)
    names = list(TEMPLATES)
    weights = [weight for _, weight in TEMPLATES.values()]
    for name in rng.choices(names, weights, k=DRAFTS):
        style = any_style(rng) if to_english else CANONICAL
        draft = TEMPLATES[name][0](Draw(rng, style))
        if draft is not None:
            yield "|".join((name, *sorted(draft.content))), draft


def _styles() -> Iterator[Style]:
    for register in ("polite", "formal", "casual"):
        for pronoun in range(3):
            yield Style(register, pronoun, alternative=True)
            yield Style(register, pronoun)


def _pair(source: Parts, target: Parts, group: str, to_english: bool) -> Pair:
    source_text, source_spans = text_of(source, english=not to_english)
    target_text, target_spans = text_of(target, english=to_english)
    return Pair(source_text, target_text, links(target, target_spans, source, source_spans), group)


def _phrases(to_english: bool) -> Iterator[Pair]:
    """The fixed phrases, also as careless typing; into Korean only the canonical form."""
    for english, korean in phrases():
        if to_english:
            sources = [*korean, *(form[:-1] for form in korean if form.endswith("."))]
        else:
            careless = english[0].lower() + english[1:]
            sources = [english, careless, english[:-1], careless[:-1]]
        target = english if to_english else korean[0]
        yield from (Pair(source, target, group=PHRASE) for source in sources)


def _careless(rng: Random, draft: Draft, pair: Pair, to_english: bool) -> Iterator[Pair]:
    """The sentence as people type it: no mark at the end, no capital, I'm, 3 apples."""
    source, target = (draft.ko, draft.en) if to_english else (draft.en, draft.ko)
    if (figures := with_figures(source)) != source and rng.random() < 2 * VARIANT:
        yield _pair(figures, target, pair.group, to_english)
    if to_english:
        if rng.random() < VARIANT and _ends_clearly(draft):
            yield _pair(source[:-1], target, pair.group, to_english)
        return
    short = contracted(source)
    if short != source and rng.random() < 2 * VARIANT:
        yield _pair(short, target, pair.group, to_english)
        source = short
    if rng.random() < VARIANT:
        bare = source[:-1] if rng.random() < 0.7 else source
        careless = _pair(bare, target, pair.group, to_english)
        yield replace(careless, source=careless.source[0].lower() + careless.source[1:])


def _ends_clearly(draft: Draft) -> bool:
    """Whether the Korean shows without its mark that it asks, or does not ask."""
    return draft.ko[-1][0] == "." or draft.asks or draft.ko[-2][0].endswith(("니", "까"))


def contracted(parts: Parts) -> Parts:
    """English parts with I'm, don't and the like; the parts keep their keys."""
    short: Parts = []
    for text, keys in parts:
        word, before = text.strip(), short[-1][0].strip().lower() if short else ""
        if word == "not" and before in AUXILIARIES:
            short.append(("n't", keys))
        elif word == "not" and before == "will":
            short[-1] = (short[-1][0].replace("will", "wo"), short[-1][1])
            short.append(("n't", keys))
        elif word in CONTRACTED and before in CONTRACTING and (before, word) != ("there", "are"):
            short.append((CONTRACTED[word], keys))
        elif word == "cannot":
            short += [(" can", keys), ("'t", keys)]
        else:
            short.append((text, keys))
    return short


def with_figures(parts: Parts) -> Parts:
    """The parts with the counts written in figures: 사과 3개, 3 apples."""
    figures: Parts = []
    for text, keys in parts:
        word = text.strip()
        if word in NUMBERS:
            figures.append((f" {NUMBERS.index(word) + 1}", keys))
        elif word in NATIVE_NUMERALS:
            figures.append((f" {NATIVE_NUMERALS.index(word) + 1}", keys))
        elif (
            figures
            and figures[-1][0].strip().isdigit()
            and figures[-1][1] == keys
            and word in COUNTERS
        ):
            figures.append((word, keys))
        else:
            figures.append((text, keys))
    return figures
