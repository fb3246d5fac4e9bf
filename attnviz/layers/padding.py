"""TensorFlow's SAME padding: ⌈size / stride⌉ comes out; an odd pixel goes below and right."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor


def pad_same(
    image: Tensor, kernel: int, stride: int, dilation: int = 1, value: float = 0.0
) -> Tensor:
    """Pad (b, c, h, w) for a convolution or pooling that keeps ⌈h / stride⌉ × ⌈w / stride⌉."""
    padding: list[int] = []
    for size in (image.shape[-1], image.shape[-2]):  # F.pad counts from the last axis
        reach = dilation * (kernel - 1) + 1
        total = max((-(-size // stride) - 1) * stride + reach - size, 0)
        padding += [total // 2, total - total // 2]
    return F.pad(image, padding, value=value) if any(padding) else image
