"""Scaled dot-product attention: fused when nobody watches, written out when somebody does.

Vaswani et al. 2017, "Attention Is All You Need" (arXiv:1706.03762), section 3.2.1, equation 1.

    b batch · h heads · q queries · k keys · d size of a head
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from attnviz.trace import Tap


def attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    scores_tap: Tap,
    weights_tap: Tap,
    mask: Tensor | None = None,
    dropout: float = 0.0,
) -> Tensor:
    """softmax(QKᵀ / √d + mask) V.

    Args:
        query: (b, h, q, d); key, value: (b, h, k, d).
        scores_tap, weights_tap: axes ``"b h q k"``; watching either chooses the explicit path.
        mask: bool (True: may attend) or finite float (added to the scores); two to four axes that
            broadcast to (b, h, q, k).
        dropout: share of the weights dropped; the caller passes 0 in eval mode. Recorded weights
            are those before dropout.

    Returns:
        context (b, h, q, d). A row with no allowed key gives zeros, never NaN.
    """
    banned = ~mask if mask is not None and not mask.is_floating_point() else None
    if not (scores_tap.watched or weights_tap.watched):
        context = F.scaled_dot_product_attention(query, key, value, mask, dropout)  # (b, h, q, d)
        if banned is None:
            return context
        return context.masked_fill(banned.all(-1, keepdim=True), 0.0)

    scores = (query * query.shape[-1] ** -0.5) @ key.mT  # (b, h, q, k)
    scores = scores_tap(scores)
    if banned is not None:
        scores = scores.masked_fill(banned, float("-inf"))
    elif mask is not None:
        scores = scores + mask
    weights = _softmax(scores, overwrite=not scores_tap.watched)
    if banned is not None:
        weights = weights.masked_fill(banned, 0.0)  # a row without keys is 0/0 until here
    weights = weights_tap(weights)
    weights = F.dropout(weights, dropout, training=dropout > 0)
    return weights.to(value.dtype) @ value  # (b, h, q, d)


def _softmax(scores: Tensor, *, overwrite: bool) -> Tensor:
    """Softmax over the keys, in float32 whatever the model's precision.

    ``overwrite``: the scores are of no more use. On a CPU their memory then becomes the weights':
    touching fresh pages for every layer costs more than the softmax itself.
    """
    plain = scores.dtype is torch.float32 and scores.device.type == "cpu"
    if overwrite and plain and not scores.requires_grad:
        return torch.softmax(scores, -1, out=scores)
    return scores.float().softmax(-1)
