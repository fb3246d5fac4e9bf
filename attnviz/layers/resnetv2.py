"""The CNN stem of the hybrid Vision Transformers: ResNet with standardised weights, group norm.

Kolesnikov et al. 2020, "Big Transfer (BiT)" (arXiv:1912.11370), section 3.3: every convolution is
weight-standardised (Qiao et al. 2019, arXiv:1903.10520) and followed by GroupNorm(32). The
hybrids of Dosovitskiy et al. 2021 (arXiv:2010.11929, section 3.1) keep the post-activation order
of ResNet v1.5. Reference code: google-research/vision_transformer ``models_resnet.py``; attribute
names follow timm's ``ResNetV2``. TensorFlow's SAME padding is asymmetric, so cells look a little
below and to the right.
"""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn

from attnviz.layers.padding import pad_same


class StdConv(nn.Conv2d):
    """Convolution whose filters are shifted and scaled to mean 0 and variance 1; SAME padding."""

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int = 1) -> None:
        super().__init__(inputs, outputs, kernel, stride, bias=False)

    def forward(self, image: Tensor) -> Tensor:
        flat = self.weight.reshape(1, self.out_channels, -1)
        standard = F.batch_norm(flat, None, None, training=True, momentum=0.0, eps=1e-8)
        image = pad_same(image, self.kernel_size[0], self.stride[0])
        return F.conv2d(image, standard.reshape_as(self.weight), None, self.stride)


def _norm(channels: int) -> nn.GroupNorm:
    return nn.GroupNorm(32, channels, eps=1e-5)


class MaxPoolSame(nn.Module):
    """3×3 max pooling with stride 2 and SAME padding."""

    def forward(self, image: Tensor) -> Tensor:
        return F.max_pool2d(pad_same(image, 3, 2, value=float("-inf")), 3, 2)  # (b, c, h/2, w/2)


class Root(nn.Module):
    """The 7×7 convolution and pooling before the stages: stride 4, 64 channels."""

    channels, stride = 64, 4

    def __init__(self) -> None:
        super().__init__()
        self.conv = StdConv(3, 64, 7, stride=2)
        self.norm = _norm(64)
        self.pool = MaxPoolSame()

    def forward(self, image: Tensor) -> Tensor:
        return self.pool(F.relu(self.norm(self.conv(image))))  # (b, 64, h/4, w/4)


class Shortcut(nn.Module):
    """1×1 convolution that fits the skip path to a new width or resolution."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv = StdConv(inputs, outputs, 1, stride)
        self.norm = _norm(outputs)

    def forward(self, image: Tensor) -> Tensor:
        return self.norm(self.conv(image))


class Bottleneck(nn.Module):
    """1×1 → 3×3 (strided) → 1×1, added to the skip path, then ReLU."""

    def __init__(self, inputs: int, outputs: int, stride: int, first: bool) -> None:
        super().__init__()
        inner = outputs // 4
        self.downsample = Shortcut(inputs, outputs, stride) if first else None
        self.conv1, self.norm1 = StdConv(inputs, inner, 1), _norm(inner)
        self.conv2, self.norm2 = StdConv(inner, inner, 3, stride), _norm(inner)
        self.conv3, self.norm3 = StdConv(inner, outputs, 1), _norm(outputs)

    def forward(self, image: Tensor) -> Tensor:
        skip = image if self.downsample is None else self.downsample(image)
        hidden = F.relu(self.norm1(self.conv1(image)))
        hidden = F.relu(self.norm2(self.conv2(hidden)))
        return F.relu(self.norm3(self.conv3(hidden)) + skip)


class Stage(nn.Module):
    """Bottlenecks at one resolution; the first one changes width and stride."""

    def __init__(self, inputs: int, outputs: int, stride: int, depth: int) -> None:
        super().__init__()
        self.blocks = nn.Sequential(
            *(
                Bottleneck(outputs if i else inputs, outputs, 1 if i else stride, first=not i)
                for i in range(depth)
            )
        )

    def forward(self, image: Tensor) -> Tensor:
        return self.blocks(image)


class ResNetV2(nn.Module):
    """Root and stages; no pooling and no head.

    Args:
        depths: bottlenecks in each stage, e.g. (3, 4, 9) for the R50 stem at stride 16.
    """

    def __init__(self, depths: tuple[int, ...]) -> None:
        super().__init__()
        self.channels = 256 * 2 ** (len(depths) - 1)
        self.stride = 4 * 2 ** (len(depths) - 1)
        self.stem = Root()
        widths = [64] + [256 * 2**i for i in range(len(depths))]
        self.stages = nn.Sequential(
            *(
                Stage(widths[i], widths[i + 1], 2 if i else 1, depth)
                for i, depth in enumerate(depths)
            )
        )

    def forward(self, image: Tensor) -> Tensor:
        """(b, 3, h, w) → (b, channels, h / stride, w / stride)."""
        return self.stages(self.stem(image))
