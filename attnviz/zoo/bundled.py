"""Weights that come with the package: checked by hash, loaded strictly, never unpickled."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import safetensors.torch
from safetensors import SafetensorError
from torch import Tensor, nn

from attnviz import models
from attnviz.zoo.cards import ASSETS, Card, read_card
from attnviz.zoo.errors import ZooError


def load_bundled(card: Card, assets: Path = ASSETS) -> nn.Module:
    """The model of a bundled card, in float32 on the CPU.

    Raises:
        ZooError: the file is missing, is not the one the card describes, or does not fit the model.
    """
    state = _read(assets / "weights" / card.file, card.sha256) | _borrowed(card, assets)
    try:
        model = models.build(card.variant or "", **card.config)
    except (LookupError, TypeError, ValueError) as error:
        raise ZooError(f"The card of {card.name} describes no model: {error}") from error
    if misfit := _misfit(model.state_dict(), state):
        raise ZooError(f"{card.file} does not fit {card.variant}: {misfit}.")
    model.load_state_dict(state, strict=True)  # copies, so float16 matrices become float32
    return model


def _borrowed(card: Card, assets: Path) -> dict[str, Tensor]:
    """The tensors that another model's file holds, under their names here."""
    found = {}
    for prefix, place in card.borrows.items():
        name, _, there = place.partition("/")
        lender = read_card(assets / "cards" / f"{name}.json")
        for key, tensor in _read(assets / "weights" / lender.file, lender.sha256).items():
            if key.startswith(there):
                found[prefix + key.removeprefix(there)] = tensor
    return found


def _read(path: Path, sha256: str | None) -> dict[str, Tensor]:
    """The tensors of a safetensors file whose hash is known."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ZooError(
            f"The weights {path.name} are missing from this installation: install it again."
        ) from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ZooError(
            f"The weights {path.name} are damaged or not those that the model card describes: "
            "install the package again."
        )
    try:
        return safetensors.torch.load(content)
    except SafetensorError as error:
        raise ZooError(f"The weights {path.name} are no safetensors file: {error}.") from error


def _misfit(expected: Mapping[str, Tensor], found: Mapping[str, Tensor]) -> str:
    """What keeps a state dict from loading, in a few words; empty if nothing does."""
    for names, what in (
        (sorted(expected.keys() - found.keys()), "missing"),
        (sorted(found.keys() - expected.keys()), "left over"),
    ):
        if names:
            return f"{len(names)} tensors are {what}, the first is {names[0]}"
    for name, tensor in expected.items():
        if tensor.shape != found[name].shape:
            return f"{name} is {tuple(found[name].shape)} and should be {tuple(tensor.shape)}"
    return ""
