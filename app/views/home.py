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
    date, words, picture = st.columns([1, 7, 3], gap="medium", vertical_alignment="top", wrap=False)
    with date:
        show.year(year)
    with words:
        if step.page:
            page = page_at(step.page)
            st.page_link(page.path, label=step.title)
        show.milestone(step.title if not step.page else "", step.line, step.paper, step.arxiv)
    thumbnail = THUMBNAILS / f"{step.page}.png"
    if step.page and thumbnail.exists():
        with picture:
            st.image(thumbnail.read_bytes(), output_format="PNG", alt=f"{step.title}, a real run")
