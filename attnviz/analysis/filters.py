"""What the patch embedding looks for."""

from __future__ import annotations

import numpy as np


def principal_filters(weight: np.ndarray, count: int = 28) -> np.ndarray:
    """Principal components of the patch-embedding filters (Dosovitskiy et al. 2021, Fig. 7 left).

    Args:
        weight: convolution weight, (filters, channels, height, width).
        count: how many components at most; there are no more than filters or values in a filter.

    Returns:
        (count, height, width, channels), strongest first, each of length 1. A component's sign is
        arbitrary: here its largest value is positive.
    """
    if weight.ndim != 4:
        raise ValueError(
            f"expected a weight (filters, channels, height, width), got {weight.shape}"
        )
    flat = weight.reshape(len(weight), -1).astype(np.float64)  # (filters, values)
    _, _, components = np.linalg.svd(flat - flat.mean(axis=0), full_matrices=False)
    components = components[:count]
    largest = np.abs(components).argmax(axis=-1)
    components *= np.sign(components[np.arange(len(components)), largest])[:, None]
    return components.reshape(-1, *weight.shape[1:]).transpose(0, 2, 3, 1).astype(weight.dtype)
