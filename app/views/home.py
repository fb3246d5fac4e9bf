"""The timeline on Home."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import streamlit as st

from app import prose, show
from app.registry import LINEAGE, Milestone, page_at

THUMBNAILS = Path(__file__).parents[1] / "content" / "thumbnails"


def draw() -> None:
    """Title, what this is, and one row for every step since 2014."""
    st.title(prose.text("home", "title"), anchor=False)
    st.markdown(prose.text("home", "lead"))
    with st.container(key="timeline", gap=None):
        for year, steps in groupby(LINEAGE, key=lambda step: step.year):
            for index, step in enumerate(steps):
                _row(step, str(year) if index == 0 else "")


def _row(step: Milestone, year: str) -> None:
    thumbnail = THUMBNAILS / f"{step.page}.png"
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
            st.image(thumbnail.read_bytes(), output_format="PNG", alt=f"{step.title}, a real run")
