"""Attention layer: what one layer of attention does, and why it is built as it is."""

from collections.abc import Callable

from app import controls, prose, show
from app.state import Attention
from app.views import (
    attention_additive,
    attention_correspondence,
    attention_heads,
    attention_layer,
    attention_mask,
    attention_permutation,
    attention_scaling,
)

VIEWS: dict[str, Callable[[], None]] = {
    "Layer": attention_layer.draw,
    "Mask": attention_mask.draw,
    "Scaling": attention_scaling.draw,
    "Permutation": attention_permutation.draw,
    "Heads": attention_heads.draw,
    "Correspondence": attention_correspondence.draw,
    "Additive or dot": attention_additive.draw,
}

show.heading("attention", prose.text("attention", "question"), prose.text("attention", "answer"))
view = controls.one_of("View", list(VIEWS), key=Attention.VIEW, hidden=True)
VIEWS[view]()
