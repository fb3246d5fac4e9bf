"""The timeline on Home."""

from __future__ import annotations

from itertools import groupby

import streamlit as st

from app import prose, show
from app.registry import LINEAGE, THUMBNAILS, Milestone, page_at


def draw() -> None:
    """Title, what this is, and one row for every step since 2014."""
    st.title(prose.text("home", "title"), anchor=False)
    st.markdown(prose.text("home", "lead"))
    with st.container(key="timeline", gap=None):
        for year, steps in groupby(LINEAGE, key=lambda step: step.year):
            for index, step in enumerate(steps):
                _row(step, str(year) if index == 0 else "")


def _row(step: Milestone, year: str) -> None:
    thumbnail = THUMBNAILS / f"{step.page}.jpg"
    drawn = bool(step.page) and thumbnail.exists()
    date, words, *rest = st.columns([1, 7, 3] if drawn else [1, 10], gap="medium")
    with date:
        show.year(year)
    with words, st.container(gap=None):
        if step.page:
            st.page_link(page_at(step.page).path, label=step.title)
        show.milestone("" if step.page else step.title, step.line, step.paper, step.arxiv)
    if drawn:
        with rest[0]:
            st.image(thumbnail.read_bytes(), width=160, alt=f"{step.title}, a real run")
