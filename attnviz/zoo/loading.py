"""``zoo.load``: from a name to a model that is ready to run.

torch and timm take seconds to import, so whether the hub answers is found out before they are.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from attnviz.zoo import hub, minilm
from attnviz.zoo.cards import ASSETS, Card, card
from attnviz.zoo.errors import ZooError

if TYPE_CHECKING:
    import torch
    from torch import nn


def load(
    name: str | Card,
    device: str | torch.device = "auto",
    *,
    dtype: str | torch.dtype | None = None,
    snapshot: int | None = None,
    progress: hub.Progress | None = None,
    stop: threading.Event | None = None,
    assets: Path = ASSETS,
) -> nn.Module:
    """A model with trained weights: in eval mode, no gradients for its parameters, strictly loaded.

    Bundled models need no network, nor does MiniLM where its package is installed. What comes from
    the hub needs it once; later loads read the hub's cache.
    Nothing is kept here: who loads often should hold on to the result.

    Args:
        name: a name from ``cards()``, any other timm checkpoint that fits, or a card.
        device: ``"auto"`` (the fastest there is), ``"cpu"``, ``"cuda"``, ``"cuda:1"``, ``"mps"``.
        dtype: float32 by default; float16 and bfloat16 on CUDA only.
        snapshot: a step of the training, for the model as it was then (``card.snapshots``).
        progress: called as ``progress(done_bytes, total_bytes, what)`` while downloading; an
            exception it raises ends the download and reaches the caller.
        stop: an event that ends the download when set.
        assets: where the bundled cards and weights lie.

    Raises:
        UnknownModel: no such name; near names are listed.
        HubUnreachable: a model that is not on this machine, and no hub answers within 3 s.
        ZooError: anything else that keeps it from loading, in one sentence.
    """
    chosen = name if isinstance(name, Card) else card(name, assets)
    if snapshot is not None:
        chosen = chosen.at_step(snapshot)
    found = _locate(chosen, stop=stop)

    from attnviz.zoo.hardware import pick_device, pick_dtype

    target = pick_device(device)
    precision = pick_dtype(dtype, target)
    if isinstance(found, hub.Remote):
        found = hub.download(found, progress=progress, stop=stop)
    model = _built(chosen, found, assets)
    try:
        model = model.to(target, precision)
    except RuntimeError as error:  # CUDA's out of memory
        raise ZooError(f"{chosen.name} does not fit on {target}: {error}.") from error
    return model.eval().requires_grad_(False)


def _locate(card: Card, *, stop: threading.Event | None = None) -> Path | hub.Remote | None:
    """Where a card's weights are, or where to download them; None if they are bundled.

    Raises:
        HubUnreachable: not on this machine, and no hub answers within 3 s.
        ZooError: the hub does not have them.
    """
    if card.bundled:
        return None
    if card.source == "package":
        return minilm.locate(minilm.WEIGHTS, stop=stop)
    return hub.locate(*card.file.rsplit("/", 1), stop=stop)


def _built(card: Card, path: Path | None, assets: Path) -> nn.Module:
    """The model with its weights, in float32 on the CPU."""
    if path is None:
        from attnviz.zoo.bundled import load_bundled

        return load_bundled(card, assets)
    if card.source == "package":
        return minilm.load_minilm(card, path)
    from attnviz.zoo.timm_weights import load_timm

    return load_timm(card, path)
