"""AttnViz: full PyTorch implementations of attention models, and what happens inside them.

    import attnviz
    model = attnviz.zoo.load("hybrid_vit_scenes")
    with attnviz.record(model, "*.weights") as trace:
        logits = model(pixels)

Importing the package is cheap: torch arrives with the first name that needs it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from attnviz import analysis, figures, images, inference, models, zoo
    from attnviz.trace import Tap, Trace, record, taps

_LAZY = dict.fromkeys(("Tap", "TapError", "Trace", "record", "taps"), "attnviz.trace")
_SUBMODULES = ("analysis", "figures", "images", "inference", "models", "zoo")

__all__ = [
    "Tap", "Trace", "analysis", "figures", "images", "inference", "models", "record", "taps", "zoo",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    if name in _SUBMODULES:
        return import_module(f"attnviz.{name}")
    raise AttributeError(f"module 'attnviz' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, *_SUBMODULES})
