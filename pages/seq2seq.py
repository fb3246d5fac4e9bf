"""Seq2Seq with attention: which source words each translated word was made from."""

from collections.abc import Callable

import streamlit as st

from app import controls, controls_text, prose, show, translations
from app.state import Seq2seq
from app.translations import Talk
from app.views import (
    seq2seq_alignment,
    seq2seq_beam,
    seq2seq_force,
    seq2seq_forcing,
    seq2seq_scores,
    seq2seq_step,
    seq2seq_training,
)

VIEWS: dict[str, Callable[[Talk], None]] = {
    "Alignment": seq2seq_alignment.draw,
    "One step": seq2seq_step.draw,
    "Scores compared": seq2seq_scores.draw,
    "Forced or free": seq2seq_forcing.draw,
    "Force attention": seq2seq_force.draw,
    "Beam": seq2seq_beam.draw,
    "Training": seq2seq_training.draw,
}

words, choice = st.columns([10, 11], gap="medium", vertical_alignment="bottom")
with words:
    show.heading("seq2seq", prose.text("seq2seq", "question"), prose.text("seq2seq", "answer"))
with choice, st.container(horizontal=True, vertical_alignment="bottom"):
    corpus = controls_text.corpus()
    kinds = translations.kinds(corpus)
    kind = controls_text.kind(
        [kind for kind in translations.ATTENDING if kind in kinds], key=Seq2seq.SCORE
    )
sentence = controls_text.sentence(corpus)
view = controls.one_of("View", list(VIEWS), key=Seq2seq.VIEW, hidden=True)
VIEWS[view](Talk(f"{corpus}_{kind}", controls.chosen_device()[0], sentence))
