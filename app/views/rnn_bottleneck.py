"""The bottleneck: scores by the length of the sentence, as stored and measured again here."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import streamlit as st

from app import controls, prose, recurrences, show, translations
from app.state import Rnn
from app.views import seq2seq_common
from app.views.rnn_common import NAMES
from attnviz import analysis, figures, zoo
from attnviz.data.held_out import HeldOut, held_out
from attnviz.data.pairs import Pair
from attnviz.figures import Score
from attnviz.text import Tokeniser

MEASURES = {"exact match": "exact_match", "BLEU": "bleu"}
FIRST = ("none", "reversed", "mlp")  # the kinds that are compared at first

Bar = st.delta_generator.DeltaGenerator
Bin = tuple[int, int]
Curves = Mapping[str, Sequence[Score]]


@show.panel
def draw(corpus: str) -> None:
    """The curves at the left; which, what they come to, and measuring again at the right."""
    known = held_out(corpus)
    figure, side = st.columns([13, 8], gap="large")
    with side:
        show.note(prose.text("rnn", "The bottleneck"))
        cards = _choose(corpus)
        word = controls.one_of("Measure", _measures(known), key=Rnn.MEASURE)
        bar = _measure_again(known)
    done = list(itertools.chain(*recurrences.parts(corpus)[: _done(corpus)]))
    measure, share = MEASURES[word], word == "exact match"
    bins = [(row["from"], row["to"]) for row in next(iter(cards.values())).by_length]
    curves = {name: stored(card, bins, measure) for name, card in cards.items()}
    again = _again(done, known.target_language, cards, bins, measure) if done else {}
    with figure:
        drawn = figures.score_by_length(
            bins, curves, again=again, axis=f"{word}, held-out sentences", share=share, height=480
        )
        show.plot(drawn, key="rnn_by_length", name=f"{corpus}-by-length", alt="Scores by length")
    with side:
        show.facts(_longest(curves, bins, share), title=f"At {bins[-1][0]}–{bins[-1][1]} pieces")
    more, truth = st.columns([13, 8], gap="large")
    with more:
        show.explain("rnn", "The bottleneck")
        _take_away(corpus, bins, curves, again, measure, word)
    with truth:
        show.facts(_facts(known, cards, done))
    if bar is not None:
        _next_part(known, cards, bar)
        st.rerun()


def _measures(known: HeldOut) -> list[str]:
    """Sentences that people translated have no single right answer: BLEU first."""
    words = list(MEASURES)
    return words[::-1] if known.name.startswith("manual") else words


def _choose(corpus: str) -> dict[str, zoo.Card]:
    """The models to compare that were measured by length, by name.

    Raises:
        Problem: there are none.
    """
    kinds = translations.kinds(corpus)
    cards = {NAMES[kind]: zoo.card(f"{corpus}_{kind}") for kind in kinds}
    cards = {name: card for name, card in cards.items() if card.by_length}
    if not cards:
        raise show.Problem("No model of these sentences was measured by length.")
    first = [NAMES[kind] for kind in FIRST if NAMES[kind] in cards] or list(cards)
    chosen = st.pills(
        "Models", list(cards), selection_mode="multi", default=first, key=Rnn.MODELS,
        bind="query-params", wrap=True,
    )  # fmt: skip
    return {name: cards[name] for name in cards if name in (chosen or first)}


def _done(corpus: str) -> int:
    """How many parts of the bundled sentences were translated for this visitor."""
    return st.session_state.get(Rnn.TRANSLATED, {}).get(corpus, 0)


def _measure_again(known: HeldOut) -> Bar | None:
    """The button that starts; while it runs, the one that stops and a bar."""
    parts, done, total = recurrences.parts(known.name), _done(known.name), len(known.pairs)
    if st.session_state.get(Rnn.RUNNING) != known.name:
        rest = "again" if done == len(parts) else "to the end" if done else "now"
        st.button(
            f"Translate {total} held-out sentences {rest}", icon=":material/play_arrow:",
            key=Rnn.START, on_click=_start, args=(known.name, done == len(parts)),
        )  # fmt: skip
        return None
    st.button("Stop", icon=":material/stop:", key=Rnn.STOP, on_click=_stop)
    return st.progress(done / len(parts), f"{sum(map(len, parts[:done]))} of {total} sentences")


def _next_part(known: HeldOut, cards: Mapping[str, zoo.Card], bar: Bar) -> None:
    """One part by every model. Each run of the page does one and asks for the next run.

    So the points come one by one, and the visitor can stop in between.
    """
    parts, done = recurrences.parts(known.name), _done(known.name)
    before = sum(map(len, parts[:done]))
    for number, (name, card) in enumerate(cards.items()):
        share = (done + number / len(cards)) / len(parts)
        bar.progress(share, f"{before} of {len(known.pairs)} sentences; {name} translates the next")
        recurrences.answers(card.name, controls.chosen_device()[0], done)
    st.session_state[Rnn.TRANSLATED] = {known.name: done + 1}
    if done + 1 == len(parts):
        _stop()


def _start(corpus: str, afresh: bool) -> None:
    if afresh:
        st.session_state[Rnn.TRANSLATED] = {}
    st.session_state[Rnn.RUNNING] = corpus


def _stop() -> None:
    st.session_state[Rnn.RUNNING] = ""


def stored(card: zoo.Card, bins: Sequence[Bin], measure: str) -> list[Score]:
    """What the card says of each length; shares with their 95 % intervals."""
    rows = {(row["from"], row["to"]): row for row in card.by_length}
    return [_score(rows.get(each, {}), measure) for each in bins]


def _score(row: Mapping[str, float | None], measure: str) -> Score:
    value, count = row.get(measure), int(row.get("count") or 0)
    if value is None or not count:
        return Score(None, count)
    if measure != "exact_match":
        return Score(value, count)
    return Score(value, count, *analysis.wilson(value * count, count))


def _again(
    pairs: Sequence[Pair],
    language: str,
    cards: Mapping[str, zoo.Card],
    bins: Sequence[Bin],
    measure: str,
) -> Curves:
    """The same, of the pairs that were translated here."""
    device = controls.chosen_device()[0]
    tokeniser = Tokeniser.load(next(iter(cards.values())).tokeniser or "")
    lengths = np.array([len(tokeniser.encode(pair.source)) for pair in pairs])
    curves = {}
    for name, card in cards.items():
        answers = (recurrences.answers(card.name, device, part) for part in itertools.count())
        said = list(itertools.islice(itertools.chain.from_iterable(answers), len(pairs)))
        scores = []
        for first, last in bins:
            inside = np.flatnonzero((first <= lengths) & (lengths <= last)).tolist()
            texts = [said[i] for i in inside], [pairs[i].target for i in inside]
            scores.append(_measured(*texts, measure, characters=language == "ko"))
        curves[name] = scores
    return curves


def _measured(said: list[str], wanted: list[str], measure: str, *, characters: bool) -> Score:
    if not said:
        return Score(None, 0)
    if measure == "bleu":
        return Score(analysis.bleu(said, wanted, characters=characters), len(said))
    right = sum(a == b for a, b in zip(said, wanted, strict=True))
    return Score(right / len(said), len(said), *analysis.wilson(right, len(said)))


def _longest(curves: Curves, bins: Sequence[Bin], share: bool) -> Iterable[tuple[str, str]]:
    """The longest sentences against the shortest, of each model."""
    for name, scores in curves.items():
        first, last = scores[0], scores[-1]
        if first.value is None or last.value is None:
            continue
        pair = [f"{s.value:.1%}" if share else f"{s.value:.1f}" for s in (last, first)]
        yield name, f"{pair[0]} of {last.count:,}; at {bins[0][0]}–{bins[0][1]} pieces {pair[1]}"


def _facts(
    known: HeldOut, cards: Mapping[str, zoo.Card], done: Sequence[Pair]
) -> Iterable[tuple[str, str]]:
    count = sum(row["count"] for row in next(iter(cards.values())).by_length)
    yield "Lines", f"stored with the weights: {count:,} held-out sentences, greedy decoding"
    again = (
        f"{len(done)} of the {len(known.pairs)} bundled held-out sentences, of every length alike"
    )
    yield "Rings", again if done else "none yet: nothing was measured again"
    yield "Bars", "95 % intervals of the exact matches (Wilson 1927); BLEU has none here"
    yield "Length", "pieces of the source; a bin holds at least 20 of the stored sentences"
    for name, card in cards.items():
        yield name, f"{seq2seq_common.held_out_scores(card)}; {_size(card)}"
    yield "Run", f"{controls.chosen_device()[0]}, {recurrences.CHUNK} sentences at once"


def _size(card: zoo.Card) -> str:
    steps = f", {card.steps:,} steps" if card.steps else ""
    return f"{card.parameters / 1e6:.2f} M parameters{steps}, {card.trained_on}"


def _take_away(
    corpus: str, bins: Sequence[Bin], curves: Curves, again: Curves, measure: str, word: str
) -> None:
    kinds = {name: kind for kind, name in NAMES.items()}
    names = [f"{corpus}_{kinds[name]}" for name in curves]
    rows = [
        (name, when, *each, s.count, s.value, s.low, s.high)
        for when, group in (("stored", curves), ("now", again))
        for name, scores in group.items()
        for each, s in zip(bins, scores, strict=True)
    ]
    show.take_away(
        key="rnn_bottleneck",
        name=f"{corpus}-by-length",
        arrays=lambda: (
            {
                f"{when}_{name}": np.array([np.nan if s.value is None else s.value for s in scores])
                for when, group in (("stored", curves), ("now", again))
                for name, scores in group.items()
            }
            | {"bins": np.array(bins)}
        ),
        table=lambda: (
            ("model", "measured", "from", "to", "count", word, "low", "high"),
            rows,
        ),
        code=(
            "from attnviz import figures, zoo\n"
            "from attnviz.figures import Score\n\n"
            f"cards = {{name: zoo.card(name) for name in {names!r}}}\n"
            f'bins = [(row["from"], row["to"]) for row in cards["{names[0]}"].by_length]\n'
            "curves = {\n"
            f'    name: [Score(row["{measure}"], row["count"]) for row in card.by_length]\n'
            "    for name, card in cards.items()\n"
            "}\n"
            f'figures.score_by_length(bins, curves, axis="{word}", '
            f"share={measure == 'exact_match'}).show()\n"
        ),
        figures=True,
    )
