"""Attention weights as few bytes: rounded on a square-root scale, deflated, masked cells left out.

A weight w travels as the whole number ``round(√(w / top) · levels)``, so small weights keep their
digits: in a row over 128 tokens, where the mean is 0.008, a linear byte would be 0 or 2.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

BUDGET = 1_050_000  # bytes of deflated weights; with the component's source below 1.2 MB
FINE = 100_000  # as many weights, or fewer, travel as two bytes each
_SMALLEST = 7  # levels; what is left of a weight below is not worth drawing


@dataclass(frozen=True)
class Encoded:
    """What the browser decodes.

    Args:
        body: raw deflate of the levels of all cells that the mask allows, layer by layer, head by
            head, row by row. Above 255 levels all high bytes come first, then all low ones.
        levels: what ``top`` is written as.
        top: the largest weight.
        error: the largest difference between a weight and what is decoded.
    """

    body: bytes
    levels: int
    top: float
    error: float


def encode(weights: np.ndarray, allowed: np.ndarray, budget: int = BUDGET) -> Encoded:
    """Round and deflate weights, as finely as the budget permits.

    Args:
        weights: (layers, heads, q, k), finite and not negative; what the mask forbids is not read.
        allowed: (q, k) bool.
        budget: bytes for the body. The coarsest scale, of seven levels, is sent whatever its size.
    """
    cells = weights[:, :, allowed].astype(np.float32)  # (layers, heads, cells)
    top = float(cells.max(initial=0.0)) or 1.0
    roots = np.sqrt(cells / np.float32(top))
    levels = 65_535 if cells.size <= FINE else 255
    while True:
        steps = np.rint(roots * levels).astype(np.uint16)
        body = _deflate(steps, levels)
        if len(body) <= budget or levels <= _SMALLEST:
            break
        surplus = 8 * (len(body) - budget) / cells.size  # bits a weight
        coarser = int(min(levels, 255) * 2 ** -max(surplus, 0.1))
        levels = max(_SMALLEST, min(coarser, levels - 1))
    error = np.abs(_values(steps, levels, top) - cells).max(initial=0.0)
    return Encoded(body, levels, top, float(error))


def decode(encoded: Encoded, shape: tuple[int, int, int, int], allowed: np.ndarray) -> np.ndarray:
    """What the browser sees: (layers, heads, q, k) float32, 0 where the mask forbids."""
    flat = np.frombuffer(zlib.decompress(encoded.body, -zlib.MAX_WBITS), np.uint8)
    if encoded.levels > 255:
        high, low = flat.reshape(2, -1).astype(np.uint16)
        flat = 256 * high + low
    weights = np.zeros(shape, np.float32)
    values = _values(flat, encoded.levels, encoded.top)
    weights[:, :, allowed] = values.reshape(*shape[:2], -1)
    return weights


def _values(steps: np.ndarray, levels: int, top: float) -> np.ndarray:
    return (steps.astype(np.float32) / np.float32(levels)) ** 2 * np.float32(top)


def _deflate(steps: np.ndarray, levels: int) -> bytes:
    planes = [steps >> 8, steps & 255] if levels > 255 else [steps]
    # Neighbouring weights have little in common but runs of zeros: Huffman codes and runs.
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zlib.Z_RLE)
    parts = [packer.compress(plane.astype(np.uint8).tobytes()) for plane in planes]
    return b"".join([*parts, packer.flush()])
