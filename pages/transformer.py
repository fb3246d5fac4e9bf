"""Transformer: nothing but attention, in many heads and layers."""

from collections.abc import Callable

import streamlit as st

from app import controls, controls_text, prose, show
from app.state import Transformer
from app.translations import Talk
from app.views import (
    seq2seq_beam,
    seq2seq_forcing,
    seq2seq_training,
    transformer_beside,
    transformer_depth,
    transformer_heads,
    transformer_inside,
    transformer_mask,
    transformer_minilm,
    transformer_scores,
    transformer_silence,
    transformer_steps,
)

VIEWS: dict[str, Callable[[Talk], None]] = {
    "Heads": transformer_heads.draw,
    "Step by step": transformer_steps.draw,
    "Inside": transformer_inside.draw,
    "Every layer": transformer_depth.draw,
    "Mask": transformer_mask.draw,
    "Silence": transformer_silence.draw,
    "Forced or free": seq2seq_forcing.draw,
    "Beside the LSTM": transformer_beside.draw,
    "Beam": seq2seq_beam.draw,
    "Training": seq2seq_training.draw,
    "Scores": transformer_scores.draw,
}
OWN: dict[str, Callable[[], None]] = {
    "Pretrained encoder": transformer_minilm.draw,
}
"""Views that ask for a sentence of their own."""

words, choice = st.columns([10, 11], gap="medium", vertical_alignment="bottom")
with words:
    show.heading(
        "transformer", prose.text("transformer", "question"), prose.text("transformer", "answer")
    )
view = controls.one_of("View", [*VIEWS, *OWN], key=Transformer.VIEW, hidden=True)
if view in OWN:
    OWN[view]()
else:
    with choice:
        corpus = controls_text.corpus("transformer")
    sentence = controls_text.sentence(corpus)
    VIEWS[view](Talk(f"{corpus}_transformer", controls.chosen_device()[0], sentence))
