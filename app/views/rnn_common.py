"""What the views of recurrent networks share: which network, and what is true of it."""

from __future__ import annotations

from collections.abc import Iterable

from app import controls, show, translations
from app.state import Rnn
from app.translations import Talk
from app.views import seq2seq_common
from attnviz import zoo
from attnviz.text import Sentence

NETWORKS = {"none": "LSTM", "reversed": "LSTM reversed", "rnn": "vanilla RNN"}
"""Kinds of translators with one fixed vector, by their names here; the default first."""

NAMES = NETWORKS | {
    "dot": "attention, dot",
    "bilinear": "attention, bilinear",
    "mlp": "attention, MLP",
}


def networks(corpus: str) -> list[str]:
    """The kinds without attention that there are of a corpus.

    Raises:
        Problem: there are none.
    """
    found = [kind for kind in translations.kinds(corpus) if kind in NETWORKS]
    if not found:
        raise show.Problem("There is no model without attention for these sentences.")
    return found


def choose(corpus: str, sentence: Sentence) -> Talk:
    """The network that the sentence goes through."""
    words = {NETWORKS[kind]: kind for kind in networks(corpus)}
    word = controls.one_of(
        "Network", list(words), key=Rnn.NETWORK,
        help="Encoder and decoder have this cell. The reversed one reads the sentence from its "
        "end, as Sutskever et al. did.",
    )  # fmt: skip
    return Talk(f"{corpus}_{words[word]}", controls.chosen_device()[0], sentence)


def model_facts(card: zoo.Card) -> Iterable[tuple[str, str]]:
    """The weights and how good they are."""
    yield "Weights", seq2seq_common.weights_of(card)
    yield "Held out", seq2seq_common.held_out_scores(card)
