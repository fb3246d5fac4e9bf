"""The zoo: which models there are, and how to get one with trained weights.

    from attnviz import zoo

    [card.name for card in zoo.cards()]
    model = zoo.load("hybrid_vit_scenes")               # bundled, no network
    model = zoo.load("vit_base_patch16_224", "cuda")    # timm's weights, fetched once

Cards are plain data; torch is imported by the first call that needs it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from attnviz.zoo.cards import DEFAULT, Card, bundled_cards, card, cards
from attnviz.zoo.errors import Cancelled, HubUnreachable, UnknownModel, ZooError
from attnviz.zoo.labels import label_names

if TYPE_CHECKING:
    from attnviz.zoo.convert import from_timm
    from attnviz.zoo.hardware import devices, pick_device
    from attnviz.zoo.loading import load

_LAZY = {
    "load": "attnviz.zoo.loading",
    "from_timm": "attnviz.zoo.convert",
    "devices": "attnviz.zoo.hardware",
    "pick_device": "attnviz.zoo.hardware",
}

__all__ = [
    "DEFAULT", "Cancelled", "Card", "HubUnreachable", "UnknownModel", "ZooError", "bundled_cards",
    "card", "cards", "devices", "from_timm", "label_names", "load", "pick_device",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'attnviz.zoo' has no attribute {name!r}")
