"""EfficientNet-Lite0 equals timm's, and its cells look where the geometry says."""

from __future__ import annotations

import numpy as np
import pytest
import timm
import torch
from PIL import Image
from torch import Tensor

from attnviz import zoo
from attnviz.data.samples import samples
from attnviz.layers.efficientnet import CELL_CENTRES, EfficientNetLite0
from attnviz.layers.stems import GRIDS


def randomised(output_stride: int) -> torch.nn.Module:
    """timm's model with every tensor random, running statistics included."""
    torch.manual_seed(0)
    model = timm.create_model("tf_efficientnet_lite0", output_stride=output_stride).eval()
    for norm in (m for m in model.modules() if isinstance(m, torch.nn.BatchNorm2d)):
        torch.nn.init.uniform_(norm.weight, 0.5, 1.5)
        torch.nn.init.normal_(norm.bias, std=0.1)
        torch.nn.init.normal_(norm.running_mean, std=0.1)
        torch.nn.init.uniform_(norm.running_var, 0.5, 1.5)
    return model


@pytest.mark.parametrize("output_stride", [16, 32])
@pytest.mark.parametrize("size", [(64, 64), (64, 96), (65, 71)])
@torch.inference_mode()
def test_equals_timm(output_stride: int, size: tuple[int, int]) -> None:
    reference = randomised(output_stride)
    ours = EfficientNetLite0(output_stride).eval()
    assert list(ours.state_dict()) == list(reference.state_dict())
    ours.load_state_dict(reference.state_dict())
    pixels = torch.randn(2, 3, *size)
    grid = ours.features(pixels)
    assert grid.shape == (2, 320, -(-size[0] // output_stride), -(-size[1] // output_stride))
    torch.testing.assert_close(grid, reference.blocks(reference.bn1(reference.conv_stem(pixels))))
    torch.testing.assert_close(ours(pixels), reference(pixels))


def test_refuses_other_strides() -> None:
    with pytest.raises(ValueError, match="16 or 32, not 8"):
        EfficientNetLite0(output_stride=8)


def mismatch(grid: Tensor, flipped: Tensor, turn: int) -> float:
    """Squared difference where cell i of a grid meets cell turn − i of the flipped picture's."""
    count = grid.shape[-1]
    here = [i for i in range(count) if 3 <= i < count - 3 and 3 <= turn - i < count - 3]
    there = [turn - i for i in here]
    return float((grid[..., here] - flipped[..., there]).square().mean())


@pytest.mark.parametrize(
    ("grid", "channels", "centre"),
    [
        ("", slice(None), CELL_CENTRES[16][1]),
        ("efficientnet_lite0", slice(None), GRIDS["efficientnet_lite0"].centre),
        ("efficientnet_lite0_shallow", slice(None), GRIDS["efficientnet_lite0_shallow"].centre),
        ("efficientnet_lite0_both", slice(0, 320), GRIDS["efficientnet_lite0_both"].centre),
        ("efficientnet_lite0_both", slice(320, None), GRIDS["efficientnet_lite0_both"].centre),
    ],
)
@torch.inference_mode()
def test_trained_cells_look_where_their_grid_says(
    grid: str, channels: slice, centre: float
) -> None:
    """A trained net treats a picture and its mirror image alike, and that tells where cells look.

    If cell i looks at pixel c + 16·i, then in the mirror image of width w the cell that looks at
    the same thing is turn − i with 2c = w − 16·turn. The best turn, refined by a parabola, gives c.
    """
    stem = zoo.load("hybrid_vit_scenes", device="cpu").patch_embed.backbone
    if grid:  # a captioner's, of the same weights
        trained, stem = stem.state_dict(), GRIDS[grid].build().eval()
        stem.load_state_dict({name: trained[name] for name in stem.state_dict()})
    errors = []
    size, cells = 448, 28
    turns = range(cells - 3, cells + 3)
    for sample in samples()[:4]:
        picture = Image.open(sample.path).convert("RGB").resize((size, size))
        pixels = torch.from_numpy(np.array(picture)).permute(2, 0, 1)[None].float() / 127.5 - 1
        seen, flipped = (stem(p)[:, channels] for p in (pixels, pixels.flip(-1)))
        errors.append([mismatch(seen, flipped, turn) for turn in turns])
    error = np.mean(errors, axis=0)
    best = int(error.argmin())
    before, at, after = error[best - 1 : best + 2]
    turn = turns[best] + (before - after) / (2 * (before - 2 * at + after))
    assert (size - 16 * turn) / 2 == pytest.approx(centre, abs=2)
