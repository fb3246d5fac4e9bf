"""The main view: a sentence, its translation, and the matrix of weights between them."""

from __future__ import annotations

from app import show, translations
from app.translations import Talk


@show.panel
def draw(talk: Talk) -> None:
    """The translation, large, over its alignment."""
    found = translations.translation(talk)
    show.note(found.text)
