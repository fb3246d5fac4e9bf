"""Writing a bundled model: one safetensors file and its card."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from safetensors.torch import save
from torch import Tensor, nn

from attnviz.zoo.cards import ASSETS, card_from_dict


def compact(model: nn.Module, without: Iterable[str] = ()) -> dict[str, Tensor]:
    """The state dict as it is shipped: matrices float16, vectors and counters as they are.

    Args:
        without: prefixes of tensors that another file holds.

    Raises:
        ValueError: a weight is not finite in float16.
    """
    state = {}
    for name, tensor in model.state_dict().items():
        if name.startswith(tuple(without)):
            continue
        small = tensor.detach().cpu()
        small = small.half() if small.ndim > 1 else small
        if not small.isfinite().all():
            raise ValueError(
                f"{name} does not fit float16: its largest value is {tensor.abs().max()}"
            )
        state[name] = small.contiguous()
    return state


def copied(model: nn.Module) -> dict[str, Tensor]:
    """The state dict as it is now, whatever is loaded into the model later."""
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}


def rounded(model: nn.Module) -> nn.Module:
    """The model with the weights that a reader of the shipped file gets, in place."""
    model.load_state_dict(compact(model))
    return model


def ship(model: nn.Module, card: dict[str, Any], assets: Path = ASSETS) -> Path:
    """Write ``weights/NAME.safetensors`` and ``cards/NAME.json``; returns the card's path.

    `card` holds a `Card`'s fields but ``file``, ``sha256`` and ``parameters``, which follow from
    the model.
    """
    card = card | {
        **_write(model, card["name"], assets, card.get("borrows", ())),
        "parameters": sum(p.numel() for p in model.parameters()),
    }
    card_from_dict(json.loads(json.dumps(card)), card["name"])  # refuses what the zoo cannot read
    path = assets / "cards" / f"{card['name']}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def ship_snapshot(
    model: nn.Module,
    name: str,
    step: int,
    assets: Path = ASSETS,
    *,
    scores: dict[str, float] | None = None,
    without: Iterable[str] = (),
) -> dict[str, Any]:
    """Write ``weights/NAME-STEP.safetensors``; returns its entry of the card's ``snapshots``."""
    written = _write(model, f"{name}-{step:06d}", assets, without)
    return {"step": step, **written, "scores": scores or {}}


def _write(
    model: nn.Module, name: str, assets: Path, without: Iterable[str] = ()
) -> dict[str, str]:
    """The file of the weights and its hash, as a card has them."""
    weights = assets / "weights" / f"{name}.safetensors"
    weights.parent.mkdir(parents=True, exist_ok=True)
    content = save(compact(model, without))
    weights.write_bytes(content)
    return {"file": weights.name, "sha256": hashlib.sha256(content).hexdigest()}
