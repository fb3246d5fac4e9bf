"""A start for the hybrid that knows what its teacher's head knows.

The teacher's head is one layer that reads every cell (a 1×1 convolution to 1280 features), a mean
over cells, and a classifier. A ViT that is wider than the grid can hold all of it: the first
block's MLP has room for those features. So training starts from a model that already looks for the
right things, and is spent on where to look and how to combine. Only the classifier stays frozen.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from attnviz.layers.efficientnet import POOLED_FEATURES
from attnviz.models.vit import ViT
from attnviz.training.shards import Batch
from attnviz.training.teacher import fold_batch_norm, pretrained

SHARPNESS = 2.0  # GELU(s·x)/s nears the teacher's ReLU as s grows
FEATURE_SCALE = 4.0  # the pooled features, in [0, 6], are divided by this to fit tanh
FEATURE_GAIN = 2.0  # how loud the first MLP's output is beside the grid it is added to
TUNED_ON = 32  # pictures
STEADY = 8.0  # value of the channels that start constant
CONTRAST = 1.0  # deviation of the scores between patches
FOCUS = (
    0.0,
    0.0,
    0.5,
    1.5,
)  # of each block: the class token's score for a cell one deviation strong


def inherit(model: ViT, sample: Batch) -> None:
    """Set up a freshly built hybrid from its teacher's head, in place.

    The width beyond the grid's channels starts as ±STEADY in every token. LayerNorm divides by a
    token's deviation, which would make a faint cell as loud as a strong one; constant channels that
    outweigh the others keep that deviation nearly the same for all, so strength survives. Trained
    Transformers grow such channels by themselves (Sun et al. 2024,
    https://arxiv.org/abs/2402.17762).

    `sample` gives the grid's scale, the directions of the 1280 features that matter most, and
    what the attention scores are tuned on.
    """
    channels, width = sample.seen.shape[-1], model.cfg.width
    if width <= channels or model.cfg.representation != POOLED_FEATURES:
        raise ValueError(
            f"inheriting needs a width above {channels} and representation {POOLED_FEATURES}, "
            f"got {width} and {model.cfg.representation}"
        )
    teacher: Any = fold_batch_norm(pretrained(16))
    blocks: Any = model.blocks
    project: Any = model.patch_embed.proj
    head: Any = model.head
    grid = model.cfg.grid(*model.cfg.image_size)
    detectors, offset = teacher.conv_head.weight.flatten(1), teacher.conv_head.bias  # (1280, 320)
    scale = sample.seen.std()
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
        model.cls_token[..., :channels] = sample.seen.mean((0, 1)) / scale
        model.cls_token[..., channels:] = steady
        model.cls_token[..., -1] *= -1  # by which attention tells it from the patches
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
        image = sample.seen[:TUNED_ON].mT.unflatten(-1, grid)
        tokens = model.embed(project(image).flatten(2).mT, grid)
        for number, (block, focus) in enumerate(zip(blocks, FOCUS, strict=True)):
            tune(block.attn, model.cfg.heads, block.norm1(tokens), basis @ loudness, focus)
            if number > 0:
                pass_on(block.attn, 1 / (len(blocks) - 1))
                block.mlp.fc2.weight.zero_()
            tokens = block(tokens, grid)


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
    """Start with values and output as the identity times `share`: what is attended to arrives."""
    width = attention.proj.weight.shape[0]
    attention.qkv.weight[2 * width :] = torch.eye(width)
    attention.proj.weight.copy_(share * torch.eye(width))


def tune(attention: Any, heads: int, tokens: Tensor, strong: Tensor, focus: float) -> None:
    """Start with attention that follows content: patches look at patches like themselves, the
    class token at strong ones.

    Each head compares its own slice of the content, query and key by the same matrix, as trained
    ViTs come to do and as Trockman & Kolter 2023 (https://arxiv.org/abs/2305.09828) start them. One
    more channel per head adds `focus` times a cell's strength to the class token's scores alone.

    Args:
        tokens: (b, 1 + n, d) normalised input of this layer; the last channel tells class from
            patch.
        strong: (c,) direction in the first c channels along which a cell's strength is read.
    """
    width, channels = tokens.shape[-1], len(strong)
    each, part = width // heads, channels // heads
    weight, bias = attention.qkv.weight, attention.qkv.bias
    weight[: 2 * width] = 0
    patches = tokens[:, 1:, :channels]
    mark, other = tokens[:, 0, -1].mean(), tokens[:, 1:, -1].mean()
    slope = each**0.5 / (mark - other)  # a query of √e for the class token, which undoes 1/√e
    strength = patches @ strong
    for head in range(heads):
        query, key = head * each, width + head * each
        weight[query, -1], bias[query] = slope, -slope * other  # … and of 0 for patches
        weight[key, :channels] = focus * strong / strength.std()
        own = slice(head * part, (head + 1) * part)
        mean = patches[..., own].mean((0, 1))
        apart = patches[..., own] - mean
        gain = (CONTRAST / (apart @ apart.mT / each**0.5).std()) ** 0.5
        for start in (query + 1, key + 1):
            weight[start : start + part, own] = gain * torch.eye(part)
            bias[start : start + part] = -gain * mean


def fit_hidden(model: ViT, inputs: Tensor, pooled: Tensor, ridge: float = 0.01) -> None:
    """Solve the hidden layer by ridge regression: class tokens (n, d) to the teacher's features."""
    assert model.pre_logits is not None
    wanted = torch.atanh((pooled / FEATURE_SCALE).clamp(-0.98, 0.98))
    x, y = inputs - inputs.mean(0), wanted - wanted.mean(0)
    gram = x.mT @ x + ridge * x.square().sum() / x.shape[1] * torch.eye(x.shape[1])
    weight = torch.linalg.solve(gram, x.mT @ y).mT  # (1280, d)
    with torch.no_grad():
        model.pre_logits.weight.copy_(weight)
        model.pre_logits.bias.copy_(wanted.mean(0) - weight @ inputs.mean(0))
