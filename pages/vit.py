"""Vision Transformer: attention of a trained ViT over a picture."""

import streamlit as st

from app import controls, prose, show
from app.state import Vit
from app.views import vit_attention, vit_edit, vit_heads, vit_path, vit_subject, vit_tables

VIEWS = {
    "Attention": vit_attention.draw,
    "All heads": vit_heads.draw,
    "Path of the data": vit_path.draw,
    "Positions": vit_tables.positions,
    "Filters": vit_tables.filters,
    "Distance & entropy": vit_tables.distance,
    "Edit": vit_edit.draw,
}

words, choice = st.columns([11, 10], gap="large", vertical_alignment="bottom")
with words:
    show.heading("vit", prose.text("vit", "question"), prose.text("vit", "answer"))
with choice:
    model, size = vit_subject.choose()
picture = controls.picture()
with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
    view = controls.one_of("View", list(VIEWS), key=Vit.VIEW, hidden=True)
    show.credit(picture)
VIEWS[view](vit_subject.prepare(picture, model, size))
