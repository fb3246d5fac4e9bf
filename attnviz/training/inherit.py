"""A start for the hybrid that knows what its teacher's head knows.

The teacher's head is one layer that reads every cell (a 1×1 convolution to 1280 features), a mean
over cells, and a classifier. A ViT whose width is the grid's can hold all of it: the first block's
MLP is 1280 wide as well. So training starts from a model that already looks for the right things,
and is spent on where to look and how to combine. Nothing is frozen here but the classifier.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from attnviz.layers.efficientnet import POOLED_FEATURES
from attnviz.models.vit import ViT
from attnviz.training.shards import Batch
from attnviz.training.teacher import fold_batch_norm, pretrained

SHARPNESS = 2.0  # GELU(s·x)/s nears the teacher's ReLU as s grows
FEATURE_SCALE = (
    4.0  # pooled ReLU6 features are divided by this to fit tanh; the classifier undoes it
)
STEADY = 8.0  # value of the channels that start constant
FOCUS = (0.0, 0.5, 1.5)  # of blocks 2–4: score of a cell one deviation stronger than another
FEATURE_GAIN = 2.0  # how loud the first MLP's output is beside the grid it is added to


def inherit(model: ViT, sample: Batch) -> None:
    """Set classifier, patch projection, first MLP and value paths of a freshly built hybrid, in
    place.

    The width beyond the grid's channels starts as ±STEADY in every token. LayerNorm divides by a
    token's deviation, which would make a faint cell as loud as a strong one; constant channels that
    outweigh the others keep that deviation nearly the same for all, so strength survives. Trained
    Transformers grow such channels by themselves (Sun et al. 2024,
    https://arxiv.org/abs/2402.17762).

    `sample` gives the grid's scale and the directions of the 1280 features that matter most.
    """
    channels, width = sample.grid.shape[-1], model.cfg.width
    if width <= channels or model.cfg.representation != POOLED_FEATURES:
        raise ValueError(
            f"inheriting needs a width above {channels} and representation {POOLED_FEATURES}, "
            f"got {width} and {model.cfg.representation}"
        )
    teacher: Any = fold_batch_norm(pretrained(16))
    blocks: Any = model.blocks
    project: Any = model.patch_embed.proj
    head: Any = model.head
    detectors, offset = teacher.conv_head.weight.flatten(1), teacher.conv_head.bias  # (1280, 320)
    scale = sample.grid.std()
    steady = STEADY * torch.tensor([1.0, -1.0]).repeat((width - channels + 1) // 2)
    steady = steady[: width - channels]
    deviation = ((steady.square().sum() + channels) / width).sqrt()  # of a token, about
    with torch.no_grad():
        head.weight.copy_(teacher.classifier.weight * FEATURE_SCALE)
        head.bias.copy_(teacher.classifier.bias)
        project.weight.copy_(torch.eye(width, channels)[..., None, None] / scale)
        project.bias.zero_()
        project.bias[channels:] = steady
        assert model.cls_token is not None
        model.cls_token[..., channels:] = steady
        first = blocks[0]
        first.attn.proj.weight.zero_()
        first.mlp.fc1.weight[:POOLED_FEATURES].zero_()
        first.mlp.fc1.weight[:POOLED_FEATURES, :channels] = (
            SHARPNESS * scale * deviation * detectors
        )
        first.mlp.fc1.bias[:POOLED_FEATURES] = SHARPNESS * offset
        basis = principal(sample.pooled, teacher.classifier.weight, channels)
        first.mlp.fc2.weight.zero_()
        first.mlp.fc2.weight[:channels, :POOLED_FEATURES] = basis * (FEATURE_GAIN / SHARPNESS)
        loudness = teacher.classifier.weight.sub(teacher.classifier.weight.mean(0)).norm(dim=0)
        strength = F.relu6(sample.grid[:64] @ detectors.mT + offset) @ loudness  # (64, 196)
        look = basis @ loudness * deviation / (FEATURE_GAIN * strength.std())
        for block, focus in zip(blocks[1:], FOCUS, strict=True):
            pass_on(block.attn, 1 / len(FOCUS))
            attract(block.attn, model.cfg.heads, focus * look)
            block.mlp.fc2.weight.zero_()


def principal(features: Tensor, classifier: Tensor, count: int) -> Tensor:
    """(count, 1280) orthonormal rows: the directions of the features that move the answers most."""
    centred = features - features.mean(0)
    covariance = centred.mT @ centred / len(features)
    covariance += 0.05 * covariance.diagonal().mean() * torch.eye(len(covariance))
    values, vectors = torch.linalg.eigh(classifier.mT @ classifier)
    root = vectors @ torch.diag(values.clamp(min=0).sqrt()) @ vectors.mT
    _, chosen = torch.linalg.eigh(root @ covariance @ root)
    return torch.linalg.qr(root @ chosen[:, -count:]).Q.mT


def pass_on(attention: Any, share: float) -> None:
    """Values and output start as the identity times `share`: what is attended to arrives
    unchanged.
    """
    width = attention.proj.weight.shape[0]
    attention.qkv.weight[2 * width :] = torch.eye(width)
    attention.proj.weight.copy_(share * torch.eye(width))


def attract(attention: Any, heads: int, look: Tensor) -> None:
    """Add `look`·token to every score, by one query-key channel of each head (look:
    (channels,)).
    """
    width = attention.proj.weight.shape[0]
    for head in range(heads):
        channel = head * (width // heads)
        attention.qkv.weight[channel] = 0  # the query is a constant …
        attention.qkv.bias[channel] = (width / heads) ** 0.5  # … that undoes the scaling by √e
        attention.qkv.weight[width + channel] = 0
        attention.qkv.weight[width + channel, : len(look)] = look


def fit_hidden(model: ViT, inputs: Tensor, pooled: Tensor, ridge: float = 0.01) -> None:
    """Solve the hidden layer by ridge regression: (n, d) class tokens to the teacher's (n,
    1280).
    """
    assert model.pre_logits is not None
    wanted = torch.atanh((pooled / FEATURE_SCALE).clamp(-0.98, 0.98))
    x, y = inputs - inputs.mean(0), wanted - wanted.mean(0)
    gram = x.mT @ x + ridge * x.square().sum() / x.shape[1] * torch.eye(x.shape[1])
    weight = torch.linalg.solve(gram, x.mT @ y).mT  # (1280, d)
    with torch.no_grad():
        model.pre_logits.weight.copy_(weight)
        model.pre_logits.bias.copy_(wanted.mean(0) - weight @ inputs.mean(0))
