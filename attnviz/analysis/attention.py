"""Reading attention weights: one token's map, all layers together, distances and entropies.

Weights come as float arrays (layers, heads, queries, keys) without a batch axis; every row is a
distribution over the keys.

Sources
    Abnar & Zuidema 2020, "Quantifying Attention Flow in Transformers", arXiv:2005.00928.
    Chefer, Gur & Wolf 2021, "Generic Attention-model Explainability", arXiv:2103.15679.
    Dosovitskiy et al. 2021, "An Image is Worth 16x16 Words", arXiv:2010.11929.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from attnviz.geometry import Geometry

Fusion = Literal["mean", "max", "min"]

_FUSIONS: dict[str, Callable[..., np.ndarray]] = {"mean": np.mean, "max": np.max, "min": np.min}


def fuse_heads(weights: np.ndarray, how: Fusion = "mean") -> np.ndarray:
    """One map from all heads: (…, h, q, k) → (…, q, k).

    The mean of distributions is a distribution. ``max`` and ``min`` are not renormalised: every
    cell stays the weight of a real head, so their rows sum to more (less) than 1.

    Raises:
        ValueError: ``how`` is none of mean, max, min.
    """
    if how not in _FUSIONS:
        raise ValueError(f"heads are fused by {', '.join(_FUSIONS)}, not by {how!r}")
    return _FUSIONS[how](weights, axis=-3)


def query_map(weights: np.ndarray, geometry: Geometry, token: int) -> np.ndarray:
    """What one token attends to among the patches: (…, q, k) → (…, rows, cols)."""
    _check_tokens(weights, geometry)
    if not 0 <= token < geometry.tokens:
        raise IndexError(f"no token {token}; there are {geometry.tokens}")
    return geometry.grid(weights[..., token, :])


def class_map(weights: np.ndarray, geometry: Geometry) -> np.ndarray:
    """What the head of the model reads: (…, q, k) → (…, rows, cols).

    The class token's row; in models that average their patches, the mean over the patches' rows.
    Works on one head, on fused heads and on a rollout alike.
    """
    _check_tokens(weights, geometry)
    if geometry.pool == "avg":
        return geometry.grid(weights[..., geometry.num_prefix :, :].mean(axis=-2))
    if "class" not in geometry.prefix:
        raise ValueError(f"no class token among the prefix tokens {geometry.prefix}")
    return query_map(weights, geometry, geometry.prefix.index("class"))


def rollout(
    weights: np.ndarray,
    *,
    fuse: Fusion = "mean",
    discard: float = 0.0,
    start: int = 0,
    keep: int = 1,
) -> np.ndarray:
    """Attention rollout, how much of each input token reaches each output token.

    R = A_L ⋯ A_2 A_1 with A = (fused weights + I) / 2, each row normalised to 1, later layers on
    the left (Abnar & Zuidema 2020, eq. 1).

    Args:
        weights: (L, h, q, k), q = k.
        fuse: how heads become one map.
        discard: share of each row's cells set to zero before normalising, smallest first
            (equal cells: the leftmost first). The diagonal and the first ``keep`` columns are never
            discarded, and the largest cell always stays.
        start: the first layer of the product; 0 rolls out everything.
        keep: leading columns that are never discarded: 1 for a class token, 0 without one.

    Returns:
        (q, k), rows sum to 1.

    Raises:
        ValueError: ``discard`` is outside [0, 1), or ``start`` leaves no layer.
    """
    if not 0 <= discard < 1:
        raise ValueError(f"discard is a share in [0, 1), not {discard}")
    if not 0 <= start < len(weights):
        raise ValueError(f"start {start} leaves no layer of {len(weights)}")
    fused = fuse_heads(weights[start:], fuse).astype(np.float64)  # (L, q, k)
    identity = np.eye(fused.shape[-1])
    layers = (_discard_smallest(fused, discard, keep) + identity) / 2
    layers /= layers.sum(axis=-1, keepdims=True)
    result = identity
    for layer in layers:
        result = layer @ result
    return result.astype(weights.dtype)


def relevance(weights: np.ndarray, gradients: np.ndarray) -> np.ndarray:
    """Relevance of each input token for one output, through all self-attention layers.

    Chefer et al. 2021: Ā = E_h[(∇A ⊙ A)⁺] (eq. 5), R ← R + Ā R from R = I (eq. 6), first layer
    first. The identity stays in, as in the paper: subtract it to see what attention alone added.

    Args:
        weights: (L, h, q, k), q = k.
        gradients: of the output to explain (one class's logit) by the weights, same shape.

    Returns:
        (q, k), at least the identity.
    """
    _check_same(weights, gradients)
    result = np.eye(weights.shape[-1])
    for a, grad in zip(weights.astype(np.float64), gradients.astype(np.float64), strict=True):
        result = result + _positive_mean(a, grad) @ result
    return result.astype(weights.dtype)


def attention_gradient(weights: np.ndarray, gradients: np.ndarray) -> np.ndarray:
    """The last layer's weights, each scaled by its gradient: (L, h, q, k) → (q, k).

    E_h[(∇A ⊙ A)⁺] of the last layer alone (Chefer et al. 2021, eq. 5).
    """
    _check_same(weights, gradients)
    return _positive_mean(weights[-1], gradients[-1])


def head_distance(weights: np.ndarray, geometry: Geometry) -> np.ndarray:
    """Mean attended distance of each head in pixels: (…, h, q, k) → (…, h).

    Distance between the query's and the key's cell centres, averaged with the attention weights and
    then over the patch queries (Dosovitskiy et al. 2021, §4.5 and Fig. 7 right). Prefix tokens have
    no place: as queries and keys they are left out, and the weights to patches renormalised. A
    query with no weight on any patch is skipped; NaN where no query has any.
    """
    patches = _among_patches(weights, geometry)  # (…, h, p, p)
    row, col = np.divmod(np.arange(geometry.rows * geometry.cols), geometry.cols)
    down = (row[:, None] - row) * geometry.stride[0]  # (p, p)
    right = (col[:, None] - col) * geometry.stride[1]
    distance = np.hypot(down, right).astype(weights.dtype)
    total = patches.sum(axis=-1, dtype=np.float64)  # (…, h, p)
    attended = (patches * distance).sum(axis=-1, dtype=np.float64)
    return _mean_where(attended / np.where(total > 0, total, 1), total > 0)


def entropy(
    weights: np.ndarray, geometry: Geometry | None = None, *, average: bool = False
) -> np.ndarray:
    """How spread out attention is, in bits: 0 for one key, log2(n) for n keys weighted equally.

    Args:
        weights: (…, q, k). Rows are normalised first, so fused maps work too.
        geometry: when given, only patches count, as queries and as keys (rows renormalised), as
            in `head_distance`.
        average: mean over the queries.

    Returns:
        (…, q), or (…) when averaged. A row without any weight is NaN; averages skip it.
    """
    if geometry is not None:
        weights = _among_patches(weights, geometry)
    total = weights.sum(axis=-1, keepdims=True, dtype=np.float64)
    share = weights / np.where(total > 0, total, 1)
    bits = -(share * np.log2(np.where(share > 0, share, 1))).sum(axis=-1)  # (…, q)
    bits = np.maximum(bits, 0)  # turns −0 into 0
    given = total[..., 0] > 0
    return _mean_where(bits, given) if average else np.where(given, bits, np.nan)


def mass_set(values: np.ndarray, share: float) -> np.ndarray:
    """The smallest set of cells that holds at least ``share`` of the mass, as a bool mask.

    Among equal cells the first (reading order) are taken, so the set is minimal also with ties.
    The share is met to within float32 rounding. No mass at all, or ``share`` 0: the empty set.

    Raises:
        ValueError: ``share`` is outside [0, 1] or a value is negative or not finite.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"a share lies in [0, 1], not {share}")
    flat = np.asarray(values, dtype=np.float64).ravel()
    if not (np.isfinite(flat).all() and (flat >= 0).all()):
        raise ValueError("mass must be finite and not negative")
    order = np.argsort(-flat, kind="stable")
    held = np.concatenate([[0.0], np.cumsum(flat[order])])  # held[n]: mass of the n largest
    count = int(np.searchsorted(held, held[-1] * share * (1 - 1e-6)))
    mask = np.zeros(flat.shape, dtype=bool)
    mask[order[:count]] = True
    return mask.reshape(np.shape(values))


class Shares(NamedTuple):
    """Facts about attention weights that a reader can check."""

    lowest_sum: float  # smallest and largest row sum: both are 1 for a softmax
    highest_sum: float
    deviation: float  # largest |row sum − 1|
    prefix: float  # share of all weight that lands on prefix tokens, 0 to 1


def shares(weights: np.ndarray, geometry: Geometry) -> Shares:
    """Row sums, and the share that prefix tokens get, of weights (…, q, k)."""
    _check_tokens(weights, geometry)
    sums = weights.sum(axis=-1, dtype=np.float64)
    prefix = weights[..., : geometry.num_prefix].sum(dtype=np.float64)
    total = sums.sum()
    return Shares(
        lowest_sum=float(sums.min()),
        highest_sum=float(sums.max()),
        deviation=float(np.abs(sums - 1).max()),
        prefix=float(prefix / total) if total > 0 else 0.0,
    )


def _discard_smallest(fused: np.ndarray, share: float, keep: int) -> np.ndarray:
    """Zero each row's smallest cells, sparing the diagonal and the first ``keep`` columns."""
    size = fused.shape[-1]
    spared = np.eye(size, dtype=bool) | (np.arange(size) < keep)  # (q, k)
    order = np.argsort(np.where(spared, np.inf, fused), axis=-1, kind="stable")  # spared cells last
    rank = np.argsort(order, axis=-1, kind="stable")  # place of each cell, smallest first
    discarded = np.floor(share * (~spared).sum(axis=-1, keepdims=True))  # (q, 1)
    return np.where(rank < discarded, 0.0, fused)


def _positive_mean(weights: np.ndarray, gradients: np.ndarray) -> np.ndarray:
    return np.maximum(weights * gradients, 0).mean(axis=-3)


def _among_patches(weights: np.ndarray, geometry: Geometry) -> np.ndarray:
    """Weights from patches to patches (…, p, p), rows not renormalised."""
    _check_tokens(weights, geometry)
    first = geometry.num_prefix
    return weights[..., first:, first:]


def _mean_where(values: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Mean over the last axis of the values given; NaN where there is none."""
    count = given.sum(axis=-1)
    mean = np.where(given, values, 0).sum(axis=-1) / np.maximum(count, 1)
    return np.where(count > 0, mean, np.nan)


def _check_tokens(weights: np.ndarray, geometry: Geometry) -> None:
    expected = (geometry.tokens, geometry.tokens)
    if weights.shape[-2:] != expected:
        raise ValueError(f"expected weights {expected} for this geometry, got {weights.shape[-2:]}")


def _check_same(weights: np.ndarray, gradients: np.ndarray) -> None:
    if weights.shape != gradients.shape:
        raise ValueError(f"weights {weights.shape} and gradients {gradients.shape} differ in shape")
