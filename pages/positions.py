"""Positions: how a set of words gets an order."""

from collections.abc import Callable

from app import controls, prose, show
from app.state import Positions
from app.views import (
    positions_beyond,
    positions_distance,
    positions_joined,
    positions_learned,
    positions_permutation,
    positions_rotation,
    positions_table,
    positions_terms,
)

VIEWS: dict[str, Callable[[], None]] = {
    "Table": positions_table.draw,
    "Rotation": positions_rotation.draw,
    "Distance": positions_distance.draw,
    "Added or concatenated": positions_joined.draw,
    "Terms of a score": positions_terms.draw,
    "Beyond the length": positions_beyond.draw,
    "Learned tables": positions_learned.draw,
    "Permutation": positions_permutation.draw,
}

show.heading("positions", prose.text("positions", "question"), prose.text("positions", "answer"))
view = controls.one_of("View", list(VIEWS), key=Positions.VIEW, hidden=True)
VIEWS[view]()
