"""RNN to Seq2Seq: a sentence read into one vector and written out of it."""

from collections.abc import Callable

import streamlit as st

from app import controls, controls_text, prose, show
from app.state import Rnn
from app.views import rnn_bottleneck, rnn_decoding, rnn_gradients, rnn_reversal, rnn_unrolled
from attnviz.text import Sentence

SPOKEN: dict[str, Callable[[str, Sentence], None]] = {
    "Unrolled": rnn_unrolled.draw,
    "Decoding": rnn_decoding.draw,
    "Reversal": rnn_reversal.draw,
}
MEASURED: dict[str, Callable[[str], None]] = {
    "Gradients": rnn_gradients.draw,
    "The bottleneck": rnn_bottleneck.draw,
}
VIEWS = ["Unrolled", "Gradients", "The bottleneck", "Decoding", "Reversal"]

words, choice = st.columns([11, 10], gap="medium", vertical_alignment="bottom")
with words:
    show.heading("rnn", prose.text("rnn", "question"), prose.text("rnn", "answer"))
with choice:
    corpus = controls_text.corpus()
view = controls.one_of("View", VIEWS, key=Rnn.VIEW, hidden=True)
if view in SPOKEN:
    SPOKEN[view](corpus, controls_text.sentence(corpus))
else:
    MEASURED[view](corpus)
