"""Maps that answer for themselves: Grad-CAM, and what a map's best cells are worth.

A map is only as good as what happens when its cells are hidden (deletion) or shown alone
(insertion): Petsiuk et al. 2018, "RISE", https://arxiv.org/abs/1806.07421, §4.2.
"""

from __future__ import annotations

import numpy as np


def grad_cam(features: np.ndarray, gradients: np.ndarray) -> np.ndarray:
    """Where features spoke for a class: ReLU(Σ_k w_k A^k), w_k the mean gradient of channel k.

    Selvaraju et al. 2017, https://arxiv.org/abs/1610.02391, equations 1 and 2.

    Args:
        features: A, (channels, rows, cols).
        gradients: of the class's logit, the same shape.

    Returns:
        (rows, cols), not negative.

    Raises:
        ValueError: the shapes differ or are no stack of maps.
    """
    if features.ndim != 3 or features.shape != gradients.shape:
        raise ValueError(
            "features and gradients should be of one shape (channels, rows, cols), not "
            f"{features.shape} and {gradients.shape}"
        )
    weights = gradients.mean((1, 2))  # (channels,)
    return np.maximum(np.tensordot(weights, features, 1), 0)


def leading_cells(values: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The first cells of a map, best first, at each share of them.

    Args:
        values: (rows, cols); of equals, the upper left comes first.
        shares: (steps,) in [0, 1].

    Returns:
        bool (steps, rows, cols), True at ⌊share · cells + ½⌋ cells.

    Raises:
        ValueError: a value is not finite, or a share is outside [0, 1].
    """
    if not np.isfinite(values).all():
        raise ValueError("a map with a value that is not finite has no order")
    if shares.size and (shares.min() < 0 or shares.max() > 1):
        raise ValueError(f"shares should be in [0, 1], not {shares.min():g}…{shares.max():g}")
    rank = np.empty(values.size, int)
    rank[np.argsort(-values.ravel(), kind="stable")] = np.arange(values.size)
    counts = np.floor(shares * values.size + 0.5).astype(int)
    return (rank < counts[:, None]).reshape(len(shares), *values.shape)


def area(shares: np.ndarray, answers: np.ndarray) -> float:
    """Area under a curve over shares that grow from 0 to 1, by the trapezium rule."""
    return float(np.trapezoid(answers, shares))
