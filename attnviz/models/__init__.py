"""The models by name. Importing this package imports no torch; building one does."""

from __future__ import annotations

import difflib
from dataclasses import replace
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import nn

_MODULES = (
    "attnviz.models.attention_layer",
    "attnviz.models.bert",
    "attnviz.models.mlp_mixer",
    "attnviz.models.seq2seq",
    "attnviz.models.seq2seq_attention",
    "attnviz.models.show_attend_tell",
    "attnviz.models.swin",
    "attnviz.models.transformer",
    "attnviz.models.vit",
)


def names() -> list[str]:
    """Every name that ``build`` takes, family by family."""
    return [name for module in _MODULES for name in import_module(module).VARIANTS]


def config(name: str, **overrides: Any) -> Any:
    """The frozen config of a named variant, with fields replaced.

    Raises:
        LookupError: no such name; near names are listed.
    """
    return replace(_module(name).VARIANTS[name], **overrides)


def build(name: str, **overrides: Any) -> nn.Module:
    """A named model with random weights; ``overrides`` replace fields of its config."""
    return _module(name).build(config(name, **overrides))


def _module(name: str) -> ModuleType:
    for module in map(import_module, _MODULES):
        if name in module.VARIANTS:
            return module
    near = difflib.get_close_matches(name, names(), n=3)
    hint = f" Near: {', '.join(near)}." if near else ""
    raise LookupError(f"there is no model {name!r}.{hint}")
