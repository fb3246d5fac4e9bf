"""What every page shares: navigation, style, the sidebar, and the guard around the page."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app import controls, show
from app.registry import PAGES, Page

STYLE = Path(__file__).with_name("style.css")
ABOUT = (
    "AttnViz wraps full PyTorch implementations of attention models and shows what happens inside "
    "them while they run. Apache-2.0."
)


def run() -> None:
    """Draw the frame and the page that the address asks for."""
    st.set_page_config(
        page_title="AttnViz",
        page_icon=str(STYLE.with_name("icon.svg")),
        layout="wide",
        initial_sidebar_state=250,
        menu_items={"About": ABOUT},
    )
    st.html(STYLE)
    chosen = st.navigation(_sections())
    page = next(page for page in PAGES if page.url == chosen.url_path)
    if page.url:
        st.set_page_config(page_title=f"{page.title} · AttnViz")
    with show.guard():
        chosen.run()
    if page.runs_models:  # after the page, which paints before torch arrives
        with st.sidebar, show.guard():
            controls.device()


def _sections() -> dict[str, list[st.Page]]:
    found: dict[str, list[st.Page]] = {}
    for page in PAGES:
        found.setdefault(page.section, []).append(_entry(page))
    return found


def _entry(page: Page) -> st.Page:
    return st.Page(
        page.path,
        title=page.title,
        icon=page.icon,
        url_path=page.url or None,
        default=not page.url,
    )
