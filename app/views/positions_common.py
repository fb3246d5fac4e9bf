"""What the views of positions share: sizes on sliders, the pair, the sentence, its snippet."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app import controls_text, show, state, translations
from app.state import Positions
from app.translations import Talk
from attnviz.data.held_out import held_out
from attnviz.text import Sentence

LENGTHS = (16, 32, 48, 64, 96, 128, 192, 256)
WIDTHS = (8, 16, 32, 64, 128, 256, 512)
LEAST = 8  # pieces, so that there is something to shuffle
OPENING_PAIR = 5


def sizes() -> tuple[int, int]:
    """Positions n and components d of a table, chosen."""
    return _size("Positions n", LENGTHS, Positions.LENGTH), width()


def width() -> int:
    """Components d of a table, chosen."""
    return _size("Width d", WIDTHS, Positions.WIDTH)


def _size(label: str, options: Sequence[int], key: str) -> int:
    return st.select_slider(
        label, options, 64, key=key, bind="query-params", persist_state="session"
    )


def pair(count: int) -> int:
    """The pair of the link or of an earlier choice, below ``count``."""
    text = state.linked(Positions.PAIR)
    state.publish(Positions.PAIR)
    found = int(text) if text.isdecimal() and len(text) < 6 else OPENING_PAIR
    return min(found, count - 1)


def choose_pair(value: int | None) -> None:
    """Make a pair the chosen one of all views and of the link."""
    if value is not None:
        state.link(Positions.PAIR, "" if value == OPENING_PAIR else str(value))


def sentence() -> Talk:
    """A picker of sentences, and the one chosen through the first bundled Transformer.

    Raises:
        Problem: there is none.
    """
    corpora = translations.corpora("transformer")
    if not corpora:
        raise show.Problem("There is no bundled Transformer to take words from.")
    known = held_out(corpora[0])
    talks = [
        Talk(f"{known.name}_transformer", "cpu", Sentence(text))
        for text in (*(pair.source for pair in known.examples), controls_text.opening(known))
    ]
    texts = [talk.sentence.text for talk in sorted(talks, key=_short)]
    chosen = st.selectbox(
        "Sentence", list(dict.fromkeys(texts)), key=Positions.SENTENCE, bind="query-params"
    )
    return Talk(talks[0].model, "cpu", Sentence(chosen))


def _short(talk: Talk) -> bool:
    return len(talk.tokeniser.encode(talk.sentence.text)) < LEAST


def names(talk: Talk) -> tuple[str, ...]:
    """The pieces of the sentence."""
    return talk.tokeniser.encode(talk.sentence.text).texts


def numbered(names: Sequence[str]) -> list[str]:
    """The same with their places, so that repeated ones stay apart."""
    return [f"{place} {name}" for place, name in enumerate(names)]


def spaced(count: int) -> list[str]:
    """Places alone, a few of them: so many fit under a panel on a phone."""
    step = -(-count // 5)
    return ["" if place % step else str(place) for place in range(count)]


def code(talk: Talk, function: str) -> str:
    """The snippet up to the model and the sentence's ``ids``."""
    return (
        "from attnviz import zoo\n"
        f"from attnviz.position_study import {function}\n"
        "from attnviz.text import Tokeniser\n\n"
        f'card = zoo.card("{talk.model}")\n'
        'model = zoo.load(card.name, "cpu")\n'
        f"ids = Tokeniser.load(card.tokeniser).encode({talk.sentence.text!r}).ids\n"
    )
