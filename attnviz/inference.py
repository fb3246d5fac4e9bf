"""From a model and pixels to numpy: one run with its weights, and what an edit does to it.

The one place where torch results become arrays for the command line, the app and notebooks.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from attnviz.geometry import Geometry
from attnviz.trace import Trace, record

if TYPE_CHECKING:
    from attnviz.models.vit import ViT

Array = np.ndarray
WEIGHTS = "blocks.*.attn.weights"


@dataclass(frozen=True)
class Edit:
    """What to change on the way: silenced (layer, head) pairs and removed patch tokens.

    A silenced head adds nothing to its block. A removed patch is one that no token attends to and
    no pooling reads, which is what taking it out of the sequence means for all the others.
    """

    silenced: tuple[tuple[int, int], ...] = ()
    removed: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.silenced or self.removed)


@dataclass(frozen=True)
class PictureRun:
    """One forward pass of one picture, as arrays.

    Attributes:
        weights: (layers, heads, t, t) float32; rows are queries and sum to 1.
        logits: (classes,) float32; empty for a model without a head.
        stages: the path of the data, name → array: ``pixels`` (3, H, W), ``grid`` (c, r, s; of a
            hybrid), ``projected`` (n, d), ``embedded``, ``first block``, ``last block`` and
            ``normed`` (t, d), ``logits``.
        token_norms: (layers + 1, t) length of each token's residual, before and after each block.
        seconds: wall time of the pass, recording included.
    """

    geometry: Geometry
    weights: Array
    logits: Array
    stages: dict[str, Array] = field(repr=False)
    token_norms: Array = field(repr=False)
    seconds: float = 0.0
    device: str = "cpu"
    dtype: str = "float32"

    @property
    def probabilities(self) -> Array:
        """Softmax of the logits, (classes,)."""
        if not self.logits.size:
            return self.logits
        shifted = np.exp(self.logits - self.logits.max())
        return shifted / shifted.sum()

    def top(self, count: int = 5) -> list[tuple[int, float]]:
        """(class index, probability), best first."""
        order = np.argsort(-self.logits)[:count]
        return [(int(i), float(self.probabilities[i])) for i in order]


def look(model: ViT, pixels: Array, *, edit: Edit | None = None) -> PictureRun:
    """Run one picture and keep every layer's attention weights.

    Args:
        pixels: (3, height, width) float32, normalised as the model's card says.

    Raises:
        ValueError: a size that the model cannot take; an edit outside the model.
    """
    batch = _batch(model, pixels)
    names = ("patch_embed.*", "embedded", "*.residual", WEIGHTS, "normed", "logits")
    start = time.perf_counter()
    with torch.inference_mode(), record(model, *names, edit=edits(model, edit, batch)) as trace:
        model(batch)
        _wait(batch.device)
    seconds = time.perf_counter() - start
    residuals = [trace["embedded"], *trace.match("*.residual")]
    return PictureRun(
        geometry=trace.geometry(),
        weights=_array(torch.cat(trace.match(WEIGHTS))),  # (layers, h, t, t)
        logits=_array(trace["logits"][0]) if model.cfg.classes else np.empty(0, np.float32),
        stages=_stages(batch, trace),
        token_norms=_array(torch.cat(residuals).float().norm(dim=-1)),  # (layers + 1, t)
        seconds=seconds,
        device=str(batch.device),
        dtype=str(batch.dtype).removeprefix("torch."),
    )


def gradients(
    model: ViT, pixels: Array, target: int | None, *, edit: Edit | None = None
) -> tuple[Array, Array]:
    """Weights and the gradient of one class's logit at each of them: 2 × (layers, h, t, t).

    ``target=None`` takes the class the model names first. A model without a head has its class
    token's (or pooled) feature norm as target.
    """
    batch = _batch(model, pixels)
    with torch.enable_grad():
        batch.requires_grad_()  # so that a frozen model still builds a graph
        with record(model, WEIGHTS, edit=edits(model, edit, batch), grad=True) as trace:
            output = model(batch)[0]
        if not model.cfg.classes:
            score = output.norm()
        else:
            score = output[int(output.argmax()) if target is None else target]
        weights = trace.match(WEIGHTS)
        slopes = torch.autograd.grad(score, weights)
    return _array(torch.cat(weights)), _array(torch.cat(slopes))


def edits(
    model: ViT, edit: Edit | None, batch: Tensor
) -> dict[str, Callable[[Tensor], Tensor]] | None:
    """An ``Edit`` as what ``record(edit=...)`` takes."""
    if not edit:
        return None
    geometry = model.geometry(*batch.shape[-2:])
    changes: dict[str, Callable[[Tensor], Tensor]] = {}
    for layer in sorted({layer for layer, _ in edit.silenced}):
        heads = [head for where, head in edit.silenced if where == layer]
        if not (layer in range(model.cfg.depth) and set(heads) <= set(range(model.cfg.heads))):
            raise ValueError(
                f"layer {layer}, heads {heads}: the model has layers 0–{model.cfg.depth - 1} and "
                f"heads 0–{model.cfg.heads - 1}"
            )
        changes[f"blocks.{layer}.attn.context"] = _silence(heads)
    if edit.removed:
        for token in edit.removed:
            geometry.position(token)  # IndexError for a prefix token or one outside
        if len(set(edit.removed)) == geometry.rows * geometry.cols:
            raise ValueError("at least one patch has to stay")
        removed = sorted(set(edit.removed))
        changes["blocks.*.attn.scores"] = _hide(removed)
        if model.cfg.pool == "avg":
            changes["normed"] = _leave_out(removed, geometry)
    return changes


def _silence(heads: list[int]) -> Callable[[Tensor], Tensor]:
    def edit(context: Tensor) -> Tensor:
        context = context.clone()
        context[:, heads] = 0
        return context

    return edit


def _hide(tokens: list[int]) -> Callable[[Tensor], Tensor]:
    def edit(scores: Tensor) -> Tensor:
        hidden = torch.zeros(scores.shape[-1], dtype=torch.bool, device=scores.device)
        hidden[tokens] = True
        return scores.masked_fill(hidden, float("-inf"))

    return edit


def _leave_out(tokens: list[int], geometry: Geometry) -> Callable[[Tensor], Tensor]:
    """Zero the removed tokens and scale the rest, so that the mean over patches skips them."""
    patches = geometry.rows * geometry.cols

    def edit(normed: Tensor) -> Tensor:
        normed = normed.clone()
        normed[:, tokens] = 0
        normed[:, geometry.num_prefix :] *= patches / (patches - len(tokens))
        return normed

    return edit


def _batch(model: ViT, pixels: Array) -> Tensor:
    if pixels.ndim != 3 or pixels.shape[0] != 3:
        raise ValueError(f"pixels are (3, height, width), not {pixels.shape}")
    like = next(model.parameters())
    return torch.from_numpy(np.ascontiguousarray(pixels))[None].to(like)  # (1, 3, H, W)


def _stages(batch: Tensor, trace: Trace) -> dict[str, Array]:
    taps = {
        "grid": "patch_embed.grid",
        "projected": "patch_embed.projected",
        "embedded": "embedded",
        "first block": "blocks.0.residual",
        "last block": [name for name in trace.names() if name.endswith(".residual")][-1],
        "normed": "normed",
        "logits": "logits",
    }
    found = {stage: _array(trace[name][0]) for stage, name in taps.items() if name in trace}
    return {"pixels": _array(batch[0]), **found}


def _array(tensor: Tensor) -> Array:
    return tensor.detach().float().cpu().numpy()


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
