"""MLP-Mixer: exact sizes, and what token mixing is: one matrix of places for every channel."""

from __future__ import annotations

import pytest
import torch

from attnviz import models
from attnviz.models.mlp_mixer import MixerConfig, MLPMixer
from attnviz.trace import record, taps

# NUMBERS of the paper and of timm, 1000 classes.
PARAMETERS = {
    "mixer_s32_224": 19_104_624,
    "mixer_s16_224": 18_528_264,
    "mixer_b32_224": 60_293_428,
    "mixer_b16_224": 59_880_472,
    "mixer_l32_224": 206_939_264,
    "mixer_l16_224": 208_196_168,
}


def tiny() -> MLPMixer:
    torch.manual_seed(0)
    model = MLPMixer(
        MixerConfig((24, 40), 8, width=16, depth=2, tokens=12, channels=24, classes=7)
    ).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
    return model


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameter_count(name: str) -> None:
    with torch.device("meta"):
        model = models.build(name)
    assert sum(p.numel() for p in model.parameters()) == PARAMETERS[name]


def test_taps_are_frozen() -> None:
    block = {
        "mlp_tokens.hidden": "b i h",
        "mlp_channels.hidden": "b i h",
        "mixed": "b n d",
        "residual": "b n d",
    }
    assert taps(tiny()) == {
        "embedded": "b n d",
        **{f"blocks.{i}.{name}": axes for i in range(2) for name, axes in block.items()},
        "normed": "b n d",
        "logits": "b c",
    }


@torch.inference_mode()
def test_equals_equation_1_for_every_channel_and_patch() -> None:
    model, pixels = tiny(), torch.randn(1, 3, 24, 40)
    with record(model, "embedded", "blocks.0.residual") as trace:
        model(pixels)
    x, block = trace["embedded"][0], model.blocks[0]
    gelu = torch.nn.functional.gelu
    normed = block.norm1(x)
    mixed = x.clone()
    for channel in range(16):  # the same W₁ and W₂ for each of them
        tokens = block.mlp_tokens
        hidden = gelu(tokens.fc1.weight @ normed[:, channel] + tokens.fc1.bias)
        mixed[:, channel] += tokens.fc2.weight @ hidden + tokens.fc2.bias
    out = mixed.clone()
    for patch in range(15):
        channels = block.mlp_channels
        hidden = gelu(channels.fc1.weight @ block.norm2(mixed)[patch] + channels.fc1.bias)
        out[patch] += channels.fc2.weight @ hidden + channels.fc2.bias
    torch.testing.assert_close(trace["blocks.0.residual"][0], out)


@torch.inference_mode()
def test_the_first_patch_is_the_top_left_and_rows_come_first() -> None:
    model = tiny()
    pixels = torch.zeros(1, 3, 24, 40)
    with record(model, "embedded") as trace:
        model(pixels)
    plain = trace["embedded"]
    pixels[:, :, 8:16, 24:32] = 1  # row 1, column 3 of 3 × 5
    with record(model, "embedded") as trace:
        model(pixels)
    changed = (trace["embedded"] != plain).any(-1)[0]
    assert changed.nonzero().flatten().tolist() == [1 * 5 + 3]
    where = trace.geometry("embedded")
    assert (where.rows, where.cols) == (3, 5)


def test_another_size_is_refused_in_one_sentence() -> None:
    with pytest.raises(ValueError, match="takes pictures of 24×40 pixels, not 40×24"):
        tiny()(torch.zeros(1, 3, 40, 24))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"width": 0}, "width should be at least 1, not 0"),
        ({"image_size": (30, 32)}, "30×32 pixels do not divide by 16"),
    ],
)
def test_configs_that_make_no_sense(options: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        MixerConfig(**options)  # type: ignore[arg-type]
