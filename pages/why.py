"""Why self-attention: what layers cost, how far a word travels, and both measured here."""

from collections.abc import Callable

from app import controls, prose, show
from app.state import Why
from app.views import why_formulas, why_measured, why_paths

VIEWS: dict[str, Callable[[], None]] = {
    "Formulas": why_formulas.draw,
    "Paths": why_paths.draw,
    "Measured": why_measured.draw,
}

show.heading("why", prose.text("why", "question"), prose.text("why", "answer"))
view = controls.one_of("View", list(VIEWS), key=Why.VIEW, hidden=True)
VIEWS[view]()
