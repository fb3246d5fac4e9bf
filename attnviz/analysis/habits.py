"""What the heads of a text encoder do on the whole.

Clark et al. 2019, "What Does BERT Look At?", https://arxiv.org/abs/1906.04341, §3: many heads look
at a fixed offset, and many rest on [SEP].
"""

from __future__ import annotations

import numpy as np

HABITS = ("the piece before", "itself", "the piece after", "[CLS]", "[SEP]", "other pieces")


def habits(weights: np.ndarray) -> np.ndarray:
    """How the attention of a sentence's pieces is shared out: (…, t, t) → (…, 6), as `HABITS`.

    The mean over the pieces between [CLS], the first token, and [SEP], the last. The shares exclude
    each other and sum to 1: what the first piece puts on [CLS], the token before it, is [CLS]'s.

    Raises:
        ValueError: the weights are not square, or there is no piece.
    """
    t = weights.shape[-1]
    if weights.shape[-2:] != (t, t) or t < 3:
        raise ValueError(
            f"weights are (…, t, t) with a piece between the ends, not {weights.shape}"
        )
    pieces = weights[..., 1:-1, 1:-1]
    count = t - 2
    offsets = [np.trace(pieces, k, -2, -1) / count for k in (-1, 0, 1)]
    ends = [weights[..., 1:-1, end].mean(-1) for end in (0, -1)]
    rest = pieces.sum((-2, -1)) / count - sum(offsets)
    return np.stack([*offsets, *ends, rest], axis=-1)
