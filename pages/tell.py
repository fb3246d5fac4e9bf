"""Show, Attend and Tell: a caption, and the place each of its words came from."""

from collections.abc import Callable

import streamlit as st

from app import controls, prose, show
from app.state import Tell
from app.views import (
    tell_beam,
    tell_caption,
    tell_force,
    tell_languages,
    tell_scores,
    tell_step,
    tell_subject,
    tell_training,
)

VIEWS: dict[str, Callable[[str, str, str], None]] = {
    "Caption": tell_caption.draw,
    "Step by step": tell_step.draw,
    "Force": tell_force.draw,
    "Two languages": tell_languages.draw,
    "Ways to look": tell_scores.draw,
    "Beam": tell_beam.draw,
    "Training": tell_training.draw,
}

words, choice = st.columns([11, 10], gap="large", vertical_alignment="bottom")
with words:
    show.heading("tell", prose.text("tell", "question"), prose.text("tell", "answer"))
with choice:
    language, kind = tell_subject.choose()
with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
    view = controls.one_of("View", list(VIEWS), key=Tell.VIEW, hidden=True)
    of = tell_subject.source()
VIEWS[view](language, kind, of)
