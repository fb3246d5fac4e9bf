"""Scores: every translator of a corpus in one table, from its cards and measured here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import streamlit as st

from app import controls, prose, show, translations
from app.state import Transformer
from app.translations import FAMILIES, KINDS, Talk
from app.views import seq2seq_common
from app.views.rnn_bottleneck import MEASURES, stored
from attnviz import figures, zoo

MOST = ("none", "mlp", "transformer")  # whose curves are drawn
CALLED = {"none": "LSTM, fixed vector", "mlp": "LSTM, MLP attention", "transformer": "Transformer"}


@show.panel
def draw(talk: Talk) -> None:
    """The table over the whole width, the curves by length under it."""
    corpus = talk.card.corpus or ""
    kinds = translations.kinds(corpus, FAMILIES)
    talks = {kind: Talk(f"{corpus}_{kind}", talk.device, talk.sentence) for kind in kinds}
    cards = {kind: each.card for kind, each in talks.items()}
    with st.spinner("Translating this sentence with every model …"):
        seconds = {kind: translations.timed(each) for kind, each in talks.items()}
    show.note(prose.text("transformer", "Scores"))
    show.table(*_table(cards, seconds))
    show.note(_winner(cards))
    figure, truth = st.columns([12, 9], gap="large")
    with figure:
        measure = _curves(cards)
        show.explain("transformer", "Scores")
        _take_away(talk, cards, seconds, measure)
    with truth:
        show.facts(_facts(talk, cards))


def _table(
    cards: Mapping[str, zoo.Card], seconds: Mapping[str, float]
) -> tuple[list[str], list[list[str]]]:
    """Heads and rows: held-out scores, size, training, and the time of this sentence."""
    head = ["", "exact", "BLEU", "alignment", "parameters", "trained", "this sentence"]
    rows = []
    for kind, card in cards.items():
        found = card.scores
        exact, bleu = found.get("exact_match"), found.get("bleu")
        aligned = found.get("alignment_accuracy")
        rows.append(
            [
                KINDS[kind],
                "–" if exact is None else f"{exact:.1%}".replace("%", " %"),
                "–" if bleu is None else f"{bleu:.1f}",
                "–" if aligned is None else f"{aligned:.1%}".replace("%", " %"),
                f"{card.parameters / 1e6:.2f} M",
                f"{(card.seconds or 0) / 60:.0f} min",
                f"{1000 * seconds[kind]:.0f} ms",
            ]
        )
    return head, rows


def _winner(cards: Mapping[str, zoo.Card]) -> str:
    """Which is best on held-out pairs, in words."""
    measure = "exact_match" if exact_counts(cards) else "bleu"
    best = max(cards, key=lambda kind: cards[kind].scores.get(measure, 0.0))
    word = "exact matches" if measure == "exact_match" else "BLEU"
    return f"Most {word} on held-out pairs: {KINDS[best]}."


def exact_counts(cards: Mapping[str, zoo.Card]) -> bool:
    """Whether exact matches tell the models apart: of free text, hardly any are exact."""
    return max(card.scores.get("exact_match", 0.0) for card in cards.values()) > 0.5


def _curves(cards: Mapping[str, zoo.Card]) -> str:
    """Quality by the length of the source; returns the measure."""
    words = list(MEASURES) if exact_counts(cards) else list(reversed(MEASURES))
    word = controls.one_of("Measure", words, key=Transformer.MEASURE)
    drawn = {CALLED[kind]: cards[kind] for kind in MOST if kind in cards}
    bins = [(row["from"], row["to"]) for row in next(iter(drawn.values())).by_length]
    curves = {name: stored(card, bins, MEASURES[word]) for name, card in drawn.items()}
    shown = figures.score_by_length(
        bins, curves, axis=f"{word}, held-out sentences", share=word == "exact match", height=400
    )
    show.plot(shown, key="tf_by_length", name="scores-by-length", alt="Scores by length")
    return MEASURES[word]


def _facts(talk: Talk, cards: Mapping[str, zoo.Card]) -> Iterable[tuple[str, str]]:
    yield "Held out", "greedy decoding of every test pair; none of them was trained on"
    yield (
        "This sentence",
        f"median of 5 greedy translations here, on {talk.device}, unwatched, with cached keys and "
        "values in the Transformer",
    )
    machines = dict.fromkeys(card.trained_on or "unknown" for card in cards.values())
    yield "Trained", f"by this project on {', '.join(machines)}; minutes as the cards say"
    for kind, card in cards.items():
        yield KINDS[kind], f"{card.steps or 0:,} steps, {seq2seq_common.held_out_scores(card)}"


def _take_away(
    talk: Talk, cards: Mapping[str, zoo.Card], seconds: Mapping[str, float], measure: str
) -> None:
    head, rows = _table(cards, seconds)
    names = tuple(card.name for card in cards.values())
    show.take_away(
        key="tf_scores",
        name=f"{talk.card.corpus}-scores",
        arrays=lambda: {
            "names": np.array(names),
            "seconds": np.array(list(seconds.values())),
            "exact_match": np.array([c.scores.get("exact_match", np.nan) for c in cards.values()]),
            "bleu": np.array([c.scores.get("bleu", np.nan) for c in cards.values()]),
        },
        table=lambda: (head, rows),
        code=(
            "from attnviz import zoo\n\n"
            f"for name in {names!r}:\n"
            "    card = zoo.card(name)\n"
            "    print(name, card.scores, card.parameters, card.seconds)\n"
            f'    print([(row["from"], row["{measure}"]) for row in card.by_length])\n'
        ),
        figures=True,
    )
