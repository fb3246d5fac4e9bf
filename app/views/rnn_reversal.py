"""The reversal of the source: the same sentence both ways, and what it did for a corpus."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import streamlit as st

from app import controls, prose, show, translations
from app.translations import Talk
from app.views import rnn_bottleneck, rnn_common, seq2seq_common
from app.views.rnn_common import NETWORKS
from attnviz import analysis, figures, zoo
from attnviz.data.held_out import held_out
from attnviz.data.pairs import Pair
from attnviz.text import Sentence, Tokeniser

if TYPE_CHECKING:
    from attnviz.translation import Translation

WAYS = ("none", "reversed")
SCORES = {"exact_match": "exact match", "bleu": "BLEU", "token_accuracy": "right pieces, forced"}
SURE = 1.96  # standard deviations that chance seldom exceeds


class Lags(NamedTuple):
    """Steps from reading to writing of each target piece, both ways.

    Args:
        forward, reversed: (t,), NaN where nothing is known.
        known: whether the grammar says what comes from what; else the same order is assumed.
    """

    forward: np.ndarray
    reversed: np.ndarray
    known: bool


@show.panel
def draw(corpus: str, sentence: Sentence) -> None:
    """Both translations side by side; lags, scores by length and the verdict under them."""
    if not set(WAYS) <= set(rnn_common.networks(corpus)):
        raise show.Problem(
            "These sentences have no model that reads them reversed: choose other sentences."
        )
    device = controls.chosen_device()[0]
    talks = [Talk(f"{corpus}_{kind}", device, sentence) for kind in WAYS]
    runs = [translations.translation(talk) for talk in talks]
    known = held_out(corpus)
    show.note(prose.text("rnn", "Reversal"))
    cards = {NETWORKS[kind]: zoo.card(f"{corpus}_{kind}") for kind in WAYS}
    st.markdown(f"**{show.literal(verdict(*cards.values()))}**")
    for column, kind, found in zip(st.columns(2, gap="large"), WAYS, runs, strict=True):
        with column:
            show.small(NETWORKS[kind])
            show.translation(found.text, known.target_language, found.notes)
            figure = figures.piece_chances(found.target, found.probabilities)
            show.plot(
                figure, key=f"rnn_chances_{kind}", name=f"{corpus}-{kind}-pieces",
                alt=f"Probability of each piece, {NETWORKS[kind]}",
            )  # fmt: skip
    lags = sentence_lags(talks[0], runs[0])
    left, right = st.columns(2, gap="large")
    with left:
        order = "by the grammar" if lags.known else "if the order is the same"
        shown = {"read forward": lags.forward, "read reversed": lags.reversed}
        figure = figures.lag_by_place(shown, title=f"How long each piece is remembered, {order}")
        show.plot(figure, key="rnn_lags", name=f"{corpus}-lags", alt="Lags, both ways")
    with right:
        _scores(corpus, cards)
    more, truth = st.columns([11, 10], gap="large")
    with more:
        show.explain("rnn", "Reversal")
        _take_away(talks, runs, lags)
    with truth:
        show.facts(_facts(talks, runs, lags))


def sentence_lags(talk: Talk, found: Translation) -> Lags:
    """Lags of the corpus's own translation where its grammar is known, else of the model's."""
    known = held_out(talk.card.corpus or "")
    pairs = (pair for pair in known.pairs if pair.links and pair.source == talk.sentence.text)
    if pair := next(pairs, None):
        return _linked_lags(talk.tokeniser, pair)
    sources = len(found.pieces)
    same_order = np.linspace(0, max(sources - 1, 0), max(len(found.ids) - found.finished, 1))
    return _lags(same_order, sources, known=False)


def _linked_lags(tokeniser: Tokeniser, pair: Pair) -> Lags:
    source, target = tokeniser.encode(pair.source), tokeniser.encode(pair.target)
    places = analysis.linked_places(target.spans, source.spans, pair.links)
    return _lags(places, len(source), known=True)


def _lags(places: np.ndarray, sources: int, *, known: bool) -> Lags:
    forward, back = (analysis.writing_lags(places, sources, reverse=r) for r in (False, True))
    return Lags(forward, back, known)


def _scores(corpus: str, cards: Mapping[str, zoo.Card]) -> None:
    """The stored scores by length."""
    measure = "bleu" if corpus.startswith("manual") else "exact_match"
    rows = next(iter(cards.values())).by_length
    bins = [(row["from"], row["to"]) for row in rows]
    curves = {name: rnn_bottleneck.stored(card, bins, measure) for name, card in cards.items()}
    figure = figures.score_by_length(
        bins, curves, axis=SCORES[measure], share=measure != "bleu", height=300,
        title="What it did for these sentences, held out",
    )  # fmt: skip
    show.plot(figure, key="rnn_both_ways", name=f"{corpus}-both-ways", alt="Scores, both ways")


def verdict(forward: zoo.Card, back: zoo.Card) -> str:
    """What the stored scores say about the reversal, in one or two sentences."""
    measure = "bleu" if (forward.corpus or "").startswith("manual") else "exact_match"
    if measure not in forward.scores or measure not in back.scores:
        return "These models were not measured."
    before, after = forward.scores[measure], back.scores[measure]
    if measure == "bleu":
        word = "more" if after > before else "less" if after < before else "the same"
        return (
            f"Reversed, BLEU is {after:.1f} instead of {before:.1f}: {word}. "
            "One training each; other seeds may differ by as much."
        )
    counts = [sum(row["count"] for row in card.by_length) for card in (forward, back)]
    noise = math.sqrt(
        sum(p * (1 - p) / max(n, 1) for p, n in zip((before, after), counts, strict=True))
    )
    change = after - before
    if abs(change) <= SURE * noise:
        what = "no more than chance among the test sentences would explain: it made no difference"
    elif change > 0:
        what = "more than chance among the test sentences would explain: it helped"
    else:
        what = "more than chance among the test sentences would explain: it did harm"
    return (
        f"Reversed, {after:.1%} of {counts[1]:,} held-out sentences are right instead of "
        f"{before:.1%}: {what} here. One training each; other seeds may differ."
    )


def _facts(
    talks: Sequence[Talk], runs: Sequence[Translation], lags: Lags
) -> Iterable[tuple[str, str]]:
    how = (
        "known from the grammar, of the reference"
        if lags.known
        else "assumed: both sentences in the same order, evenly spread"
    )
    yield "Order", how
    for word, values in (("forward", lags.forward), ("reversed", lags.reversed)):
        yield (
            f"Lag {word}",
            f"{np.nanmean(values):.1f} steps on average, {np.nanmin(values):.0f} at least, "
            f"{np.nanmax(values):.0f} at most",
        )
    yield from _corpus_lags(talks[0])
    if known := seq2seq_common.reference(talks[0]):
        yield "Reference", f"“{known}”; the pair was held out from training"
    for kind, talk, found in zip(WAYS, talks, runs, strict=True):
        yield (
            NETWORKS[kind],
            f"{np.exp(-found.losses.sum()):.1%} for the whole translation; "
            f"{seq2seq_common.held_out_scores(talk.card)}",
        )
    yield "Weights", " and ".join(talk.card.title for talk in talks) + "; same recipe and steps"
    seconds = sum(found.seconds for found in runs)
    yield "Run", f"{runs[0].device}, float32, {seconds:.2f} s for both, greedy"


def _corpus_lags(talk: Talk) -> Iterable[tuple[str, str]]:
    """The same over all bundled pairs whose order the grammar knows."""
    pairs = [pair for pair in held_out(talk.card.corpus or "").pairs if pair.links]
    found = [_linked_lags(talk.tokeniser, pair) for pair in pairs]
    found = [each for each in found if not np.isnan(each.forward).all()]
    if found:
        mean, least = (
            [
                np.mean([pick(side) for side in sides])
                for sides in list(zip(*found, strict=True))[:2]
            ]
            for pick in (np.nanmean, np.nanmin)
        )
        yield (
            "All sentences",
            f"{len(found)} held-out pairs: forward {mean[0]:.1f} steps on average and "
            f"{least[0]:.1f} at least; reversed {mean[1]:.1f} and {least[1]:.1f}",
        )


def _take_away(talks: Sequence[Talk], runs: Sequence[Translation], lags: Lags) -> None:
    show.take_away(
        key="rnn_reversal",
        name=f"{talks[0].card.corpus}-reversal",
        arrays=lambda: (
            {
                f"{kind}_{name}": values
                for kind, found in zip(WAYS, runs, strict=True)
                for name, values in (
                    ("probabilities", found.probabilities),
                    ("pieces", np.array(found.target)),
                )
            }
            | {"lag_forward": lags.forward, "lag_reversed": lags.reversed}
        ),
        table=lambda: (
            ("network", "step", "piece", "probability"),
            (
                (NETWORKS[kind], step, piece, probability)
                for kind, found in zip(WAYS, runs, strict=True)
                for step, (piece, probability) in enumerate(
                    zip(found.target, found.probabilities, strict=True)
                )
            ),
        ),
        code="from attnviz import zoo\n"
        "from attnviz.text import Tokeniser\n"
        "from attnviz.translation import translate\n\n"
        + f"for name in {[talk.model for talk in talks]!r}:\n"
        "    card = zoo.card(name)\n"
        f'    model = zoo.load(name, "{talks[0].device}")\n'
        "    tokeniser = Tokeniser.load(card.tokeniser)\n"
        f"    found = translate(model, tokeniser, {talks[0].sentence.text!r})\n"
        "    print(found.text, found.probabilities, card.scores)\n",
        figures=True,
    )
