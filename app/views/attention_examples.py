"""Which sentence the studies look at: held-out examples of the first corpus with a translator."""

from __future__ import annotations

import streamlit as st

from app import controls_text, show, studies, translations
from app.state import Studies
from app.translations import Talk
from attnviz.data.held_out import held_out
from attnviz.text import Sentence

LEAST = 6  # pieces, so that there is something to shuffle


def choose() -> Talk:
    """The picker, and the sentence through the translator that lends its embeddings.

    Raises:
        Problem: there is no translator with attention.
    """
    corpora = [name for name in translations.corpora() if studies.KIND in translations.kinds(name)]
    if not corpora:
        raise show.Problem("There is no bundled translator with attention to take words from.")
    known = held_out(corpora[0])
    talk = studies.talk(Sentence(controls_text.opening(known)), known.name)
    texts = [pair.source for pair in known.examples]
    long = [text for text in texts if len(talk.tokeniser.encode(text)) >= LEAST]
    options = [*long, *(text for text in (talk.sentence.text, *texts) if text not in long)]
    text = st.selectbox(
        "Sentence", list(dict.fromkeys(options)), key=Studies.SENTENCE, bind="query-params"
    )
    return studies.talk(Sentence(text), known.name)


def code(talk: Talk) -> str:
    """The snippet up to the sentence's embeddings, ``inputs``."""
    return (
        "from attnviz import zoo\n"
        "from attnviz.attention_studies.permutation import embedded, fresh_layer\n"
        "from attnviz.text import Tokeniser\n\n"
        f'card = zoo.card("{talk.model}")\n'
        "tokeniser = Tokeniser.load(card.tokeniser)\n"
        'model = zoo.load(card.name, "cpu")\n'
        f"pieces = tokeniser.encode({talk.sentence.text!r})\n"
        "inputs = embedded(model, pieces.ids)\n"
        f"layer = fresh_layer(inputs.shape[1], seed={studies.SEED})\n"
    )
