"""Everyday Korean and English: sentences that a grammar makes, with their known alignment.

The nouns are Unicode's emoji names and a list of our own. What is held out is a combination of
template and nouns: "I like X" with this X is never learned, though both are seen elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

# The module fills `TEMPLATES` with its own.
from attnviz.data import everyday_clauses, everyday_joined  # noqa: F401
from attnviz.data.everyday_grammar import (
    CANONICAL,
    Draft,
    Parts,
    any_style,
    links,
    text_of,
)
from attnviz.data.everyday_phrases import phrases
from attnviz.data.everyday_templates import TEMPLATES, Draw
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
    """Sentences of every template by its weight, each with its group."""
    names = list(TEMPLATES)
    weights = [weight for _, weight in TEMPLATES.values()]
    for name in rng.choices(names, weights, k=DRAFTS):
        style = any_style(rng) if to_english else CANONICAL
        draft = TEMPLATES[name][0](Draw(rng, style))
        if draft is not None:
            yield "|".join((name, *sorted(draft.content))), draft


def _pair(source: Parts, target: Parts, group: str, to_english: bool) -> Pair:
    source_text, source_spans = text_of(source, english=not to_english)
    target_text, target_spans = text_of(target, english=to_english)
    return Pair(source_text, target_text, links(target, target_spans, source, source_spans), group)


def _phrases(to_english: bool) -> Iterator[Pair]:
    """The fixed phrases; into Korean only the canonical form."""
    for english, korean in phrases():
        if to_english:
            yield from (Pair(form, english, group=PHRASE) for form in korean)
        else:
            yield Pair(english, korean[0], group=PHRASE)


def _careless(rng: Random, draft: Draft, pair: Pair, to_english: bool) -> Iterator[Pair]:
    """The sentence as people type it: no mark at the end, no capital, contracted."""
    source, target = (draft.ko, draft.en) if to_english else (draft.en, draft.ko)
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
        elif word in CONTRACTED and before in CONTRACTING:
            short.append((CONTRACTED[word], keys))
        elif word == "cannot":
            short += [(" can", keys), ("'t", keys)]
        else:
            short.append((text, keys))
    return short
