"""EfficientNet-Lite0: the frozen CNN whose feature grid feeds the captioner and the hybrid ViT.

Paper: Tan & Le 2019, "EfficientNet" (https://arxiv.org/abs/1905.11946), table 1. The Lite variant
is https://github.com/tensorflow/tpu/tree/master/models/official/efficientnet/lite: no
squeeze-and-excite, ReLU6 in place of SiLU, a stem and head that do not scale.
Reference code: timm's ``tf_efficientnet_lite0``; attribute names follow it, so its state dict
loads as is. What differs: ``output_stride=16`` is written out, no drop path, no classifier choices.

Notation: b batch, c channels, h/w pixels, s output stride.

    conv 3×3 /2 → 16 inverted residuals in 7 stages → grid (320) → conv 1×1 → mean → 1280 → 1000
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn import functional as F

from attnviz.layers.padding import pad_same

BN_EPS = 1e-3  # TensorFlow's, not torch's 1e-5


@dataclass(frozen=True)
class Stage:
    """One row of table 1: `repeats` blocks, the first of which carries the stride."""

    kernel: int
    stride: int
    expand: int
    channels: int
    repeats: int


STAGES = (
    Stage(kernel=3, stride=1, expand=1, channels=16, repeats=1),
    Stage(kernel=3, stride=2, expand=6, channels=24, repeats=2),
    Stage(kernel=5, stride=2, expand=6, channels=40, repeats=2),
    Stage(kernel=3, stride=2, expand=6, channels=80, repeats=3),
    Stage(kernel=5, stride=1, expand=6, channels=112, repeats=3),
    Stage(kernel=5, stride=2, expand=6, channels=192, repeats=4),
    Stage(kernel=3, stride=1, expand=6, channels=320, repeats=1),
)
GRID_CHANNELS = STAGES[-1].channels
POOLED_FEATURES = 1280

# Where output cell i looks, as (pixels between cells, pixel of cell 0's centre), of the *trained*
# net. Counting kernels, each stride-2 convolution's reach lies half of its input's pixel down and
# right (TensorFlow's odd padding pixel goes after), in sum around 16·i + 15.5 or 32·i + 31.5.
# Training on flipped pictures teaches the kernels to lean back: at stride 32 the cells look at the
# middle of their tiles. With stride 16 the last striding kernel leans back in the same way but no
# longer strides, so every cell looks half a tile up and left.
# tests/attnviz/layers/test_efficientnet.py measures it.
CELL_CENTRES = {16: (16.0, 1.0), 32: (32.0, 17.0)}
SHALLOW_CENTRE = 9.0  # of the grid after five stages, before the last striding kernel


class SameConv2d(nn.Conv2d):
    """A convolution padded as TensorFlow does; no bias until a batch norm is folded into it."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        kernel: int,
        *,
        stride: int = 1,
        dilation: int = 1,
        groups: int = 1,
    ) -> None:
        even = dilation * (kernel - 1) // 2 if stride == 1 else 0  # odd kernels pad evenly then
        super().__init__(
            inputs, outputs, kernel, stride, even, dilation=dilation, groups=groups, bias=False
        )

    def forward(self, input: Tensor) -> Tensor:
        if self.stride[0] > 1:
            input = pad_same(input, self.kernel_size[0], self.stride[0], self.dilation[0])
        return super().forward(input)


class DepthwiseSeparable(nn.Module):
    """Depthwise then pointwise convolution: the first block, which does not expand."""

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int, dilation: int) -> None:
        super().__init__()
        self.conv_dw = SameConv2d(
            inputs, inputs, kernel, stride=stride, dilation=dilation, groups=inputs
        )
        self.bn1 = nn.BatchNorm2d(inputs, eps=BN_EPS)
        self.conv_pw = SameConv2d(inputs, outputs, 1)
        self.bn2 = nn.BatchNorm2d(outputs, eps=BN_EPS)
        self.skip = inputs == outputs and stride == 1

    def forward(self, x: Tensor) -> Tensor:
        y = F.relu6(self.bn1(self.conv_dw(x)))
        y = self.bn2(self.conv_pw(y))
        return x + y if self.skip else y


class InvertedResidual(nn.Module):
    """Expand, depthwise, project: MobileNetV2's block (https://arxiv.org/abs/1801.04381)."""

    def __init__(
        self, inputs: int, outputs: int, kernel: int, stride: int, dilation: int, expand: int
    ) -> None:
        super().__init__()
        hidden = inputs * expand
        self.conv_pw = SameConv2d(inputs, hidden, 1)
        self.bn1 = nn.BatchNorm2d(hidden, eps=BN_EPS)
        self.conv_dw = SameConv2d(
            hidden, hidden, kernel, stride=stride, dilation=dilation, groups=hidden
        )
        self.bn2 = nn.BatchNorm2d(hidden, eps=BN_EPS)
        self.conv_pwl = SameConv2d(hidden, outputs, 1)
        self.bn3 = nn.BatchNorm2d(outputs, eps=BN_EPS)
        self.skip = inputs == outputs and stride == 1

    def forward(self, x: Tensor) -> Tensor:
        y = F.relu6(self.bn1(self.conv_pw(x)))
        y = F.relu6(self.bn2(self.conv_dw(y)))
        y = self.bn3(self.conv_pwl(y))
        return x + y if self.skip else y


def build_stages(inputs: int, output_stride: int) -> nn.Sequential:
    """The seven stages. A stride past `output_stride` becomes dilation for the blocks after it."""
    stages, reached, dilation = [], 2, 1
    for stage in STAGES:
        blocks: list[nn.Module] = []
        for index in range(stage.repeats):
            stride, next_dilation = (stage.stride if index == 0 else 1), dilation
            if reached * stride > output_stride:
                stride, next_dilation = 1, dilation * stride
            shape = (inputs, stage.channels, stage.kernel, stride, dilation)
            blocks.append(
                DepthwiseSeparable(*shape)
                if stage.expand == 1
                else InvertedResidual(*shape, stage.expand)
            )
            inputs, reached, dilation = stage.channels, reached * stride, next_dilation
        stages.append(nn.Sequential(*blocks))
    return nn.Sequential(*stages)


class EfficientNetLite0(nn.Module):
    """EfficientNet-Lite0 for 1000 ImageNet classes.

    Args:
        output_stride: pixels between cells of the last grid. 32 as published; 16 keeps the last
            stage's resolution by dilation with the very same weights (twice as fine a grid).
    """

    def __init__(self, output_stride: int = 32, classes: int = 1000) -> None:
        super().__init__()
        if output_stride not in CELL_CENTRES:
            raise ValueError(f"output_stride must be 16 or 32, not {output_stride}")
        self.output_stride = output_stride
        self.conv_stem = SameConv2d(3, 32, 3, stride=2)
        self.bn1 = nn.BatchNorm2d(32, eps=BN_EPS)
        self.blocks = build_stages(32, output_stride)
        self.conv_head = SameConv2d(GRID_CHANNELS, POOLED_FEATURES, 1)
        self.bn2 = nn.BatchNorm2d(POOLED_FEATURES, eps=BN_EPS)
        self.classifier = nn.Linear(POOLED_FEATURES, classes)

    @property
    def cell_centres(self) -> tuple[float, float]:
        """(stride, centre): cell i is centred on pixel coordinate `centre + i * stride`.

        Continuous coordinates (pixel i covers [i, i + 1)), the same down and right, for pictures
        whose sides are multiples of the stride. Measured and pinned in tests/attnviz/layers.
        """
        return CELL_CENTRES[self.output_stride]

    def features(self, pixels: Tensor) -> Tensor:
        """The last grid before the head: (b, 3, h, w) -> (b, 320, ceil(h / s), ceil(w / s))."""
        return self.stages(pixels, len(self.blocks))

    def stages(self, pixels: Tensor, count: int) -> Tensor:
        """The grid after so many of the stages: (b, 3, h, w) -> (b, c, h', w')."""
        x = F.relu6(self.bn1(self.conv_stem(pixels)))  # (b, 32, h/2, w/2)
        return self.blocks[:count](x)

    def pooled(self, features: Tensor) -> Tensor:
        """The classifier's input, in [0, 6]: (b, 320, h, w) -> (b, 1280)."""
        return F.relu6(self.bn2(self.conv_head(features))).mean(dim=(-2, -1))

    def forward(self, pixels: Tensor) -> Tensor:
        """Logits: (b, 3, h, w) -> (b, classes)."""
        return self.classifier(self.pooled(self.features(pixels)))


def half_a_tile_on(pixels: Tensor) -> Tensor:
    """Normalised pixels (b, c, h, w) moved 8 up and left, grey behind: what lay where a cell of the
    stride-16 grid's tile is comes to lie where that cell looks.
    """
    return F.pad(pixels[..., 8:, 8:], (0, 8, 0, 8))
