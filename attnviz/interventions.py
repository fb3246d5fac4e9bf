"""What can be taken away from a Transformer while it runs: heads, layers, source words, its mask.

Plain values that a page can keep in a link, and the edits of taps that they stand for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

    from attnviz.models.transformer import Transformer
    from attnviz.trace import Edit

ATTENTIONS = {
    "encoder": "encoder.layers.{}.self_attn",
    "decoder": "decoder.layers.{}.self_attn",
    "cross": "decoder.layers.{}.cross_attn",
}
"""The three kinds of attention, and where they are in a `Transformer`."""
STACKS = ("encoder", "decoder")


@dataclass(frozen=True)
class Intervention:
    """What is taken away; all indices count from 0.

    Args:
        heads: (kind of attention, layer, head): their context is zero.
        layers: (stack, layer): no sublayer of them adds anything; their LayerNorms stay.
        unseen: positions of the source that nobody may look at, in the encoder and across.
        turned: (query, key) cells of the look-ahead mask that are turned over. What a free run has
            not written yet cannot be seen: a cell above the diagonal acts only in a run that is
            given its words.
    """

    heads: tuple[tuple[str, int, int], ...] = ()
    layers: tuple[tuple[str, int], ...] = ()
    unseen: tuple[int, ...] = ()
    turned: tuple[tuple[int, int], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.heads or self.layers or self.unseen or self.turned)


def edits(model: Transformer, intervention: Intervention | None) -> dict[str, Edit]:
    """An intervention as what ``record(edit=…)`` takes.

    Raises:
        ValueError: a kind, layer or head that the model does not have.
    """
    if not intervention:
        return {}
    cfg = model.cfg
    named = [*(place[1] for place in intervention.heads), *(n for _, n in intervention.layers)]
    if wrong := [layer for layer in named if not 0 <= layer < cfg.layers]:
        raise ValueError(f"no layer {wrong[0]}: the model has {cfg.layers}, counted from 0")
    found: dict[str, Edit] = {}
    for place in sorted({(kind, layer) for kind, layer, _ in intervention.heads}):
        heads = [head for *where, head in intervention.heads if tuple(where) == place]
        if place[0] not in ATTENTIONS or not all(0 <= head < cfg.heads for head in heads):
            raise ValueError(f"no heads {heads} of {place[0]!r}: {cfg.heads} in each layer")
        found[ATTENTIONS[place[0]].format(place[1]) + ".context"] = _silence(heads)
    for stack, layer in intervention.layers:
        if stack not in STACKS:
            raise ValueError(f"a layer of {' or '.join(STACKS)}, not of {stack!r}")
        found[f"{stack}.layers.{layer}.add_norm*.output"] = _nothing
    if intervention.unseen:
        found["source_mask"] = _hide(intervention.unseen)
    if intervention.turned:
        found["look_ahead"] = _turn(intervention.turned)
    return found


def _nothing(output: Tensor) -> Tensor:
    return output * 0


def _silence(heads: list[int]) -> Edit:
    def edit(context: Tensor) -> Tensor:
        context = context.clone()  # (b, h, q, e)
        context[:, heads] = 0
        return context

    return edit


def _hide(positions: Iterable[int]) -> Edit:
    def edit(mask: Tensor) -> Tensor:
        mask = mask.clone()  # (b, s)
        mask[:, [position for position in positions if position < mask.shape[1]]] = False
        return mask

    return edit


def _turn(cells: Iterable[tuple[int, int]]) -> Edit:
    def edit(mask: Tensor) -> Tensor:
        mask = mask.clone()  # (q, k), of which the last q keys are the queries themselves
        past = mask.shape[1] - mask.shape[0]
        for query, key in cells:
            if past <= query < mask.shape[1] and key < mask.shape[1]:
                mask[query - past, key] = ~mask[query - past, key]
        return mask

    return edit
