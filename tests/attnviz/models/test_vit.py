"""ViT: exact sizes, its options, and the properties that a wrong patch or position would break."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from attnviz import models
from attnviz.models.vit import VARIANTS, ViT, ViTConfig
from attnviz.trace import record, taps

TINY = {"image_size": (32, 32), "patch_size": 8, "width": 32, "depth": 2, "heads": 2, "classes": 7}


def tiny(**options: object) -> ViT:
    model = ViT(ViTConfig(**{**TINY, **options})).eval()  # type: ignore[arg-type]
    with torch.no_grad():  # LayerScale and zero biases would hide mistakes
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
    return model


# NUMBERS of the papers and of timm, 1000 classes.
PARAMETERS = {
    "vit_tiny_patch16_224": 5_717_416,
    "vit_small_patch16_224": 22_050_664,
    "vit_small_patch32_224": 22_878_952,
    "vit_base_patch16_224": 86_567_656,
    "vit_base_patch32_224": 88_224_232,
    "vit_base_patch8_224": 86_576_872,
    "vit_large_patch16_224": 304_326_632,
    "vit_large_patch32_224": 306_535_400,
    "vit_huge_patch14_224": 632_045_800,
    "deit_tiny_distilled_patch16_224": 5_910_800,
    "deit_small_distilled_patch16_224": 22_436_432,
    "deit_base_distilled_patch16_224": 87_338_192,
    "vit_base_r50_s16_224": 98_659_112,
    "vit_small_r26_s32_224": 36_431_912,
    "vit_tiny_r_s16_p8_224": 6_337_704,
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameter_count(name: str) -> None:
    with torch.device("meta"):
        model = models.build(name)
    assert sum(p.numel() for p in model.parameters()) == PARAMETERS[name]


def test_taps_are_frozen() -> None:
    block = {
        "attn.query": "b h t e",
        "attn.key": "b h t e",
        "attn.value": "b h t e",
        "attn.scores": "b h q k",
        "attn.weights": "b h q k",
        "attn.context": "b h q e",
        "mlp.hidden": "b t m",
        "residual": "b t d",
    }
    expected = {
        "patch_embed.grid": "b c r s",
        "patch_embed.projected": "b n d",
        "embedded": "b t d",
        **{f"blocks.{i}.{name}": axes for i in range(2) for name, axes in block.items()},
        "normed": "b t d",
        "logits": "b c",
    }
    assert taps(tiny(stem="resnetv2_root")) == expected
    del expected["patch_embed.grid"]
    assert taps(tiny()) == expected


@pytest.mark.parametrize(
    ("options", "prefix"),
    [
        ({}, ("class",)),
        ({"distilled": True}, ("class", "distillation")),
        ({"registers": 2}, ("class", "register 1", "register 2")),
        ({"class_token": False, "pool": "avg"}, ()),
        ({"class_token": False, "pool": "avg", "registers": 1, "fc_norm": True}, ("register 1",)),
    ],
)
def test_geometry_travels_with_the_weights(
    options: dict[str, object], prefix: tuple[str, ...]
) -> None:
    model = tiny(**options)
    with record(model, "*.weights") as trace:
        model(torch.randn(2, 3, 32, 48))
    geometry = trace.geometry()
    assert geometry.prefix == prefix
    assert (geometry.rows, geometry.cols, geometry.height, geometry.width) == (4, 6, 32, 48)
    for weights in trace.match("*.weights"):
        assert weights.shape == (2, 2, geometry.tokens, geometry.tokens)
        torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]))
    assert geometry.pool == model.cfg.pool
    assert geometry == model.geometry(32, 48)


def test_linear_projection_equals_the_strided_convolution() -> None:
    conv, linear = tiny(), tiny(projection="linear")
    state = conv.state_dict()
    state["patch_embed.proj.weight"] = state["patch_embed.proj.weight"].flatten(1)
    linear.load_state_dict(state)
    pixels = torch.randn(2, 3, 32, 48)
    torch.testing.assert_close(linear(pixels), conv(pixels), atol=1e-5, rtol=1e-5)


def test_patches_are_read_row_by_row() -> None:
    """Changing the pixels under cell (2, 5) changes that token's projection and no other."""
    model, pixels = tiny(), torch.zeros(1, 3, 32, 48)
    changed = pixels.clone()
    changed[..., 16:24, 40:48] = 1
    tokens = model.patch_embed(changed) - model.patch_embed(pixels)
    moved = tokens[0].abs().sum(-1).nonzero().flatten().tolist()
    assert moved == [model.geometry(32, 48).cell(2, 5) - 1]


def shuffled_patches(pixels: torch.Tensor, order: torch.Tensor) -> torch.Tensor:
    patches = pixels.unfold(2, 8, 8).unfold(3, 8, 8)  # (1, 3, 4, 4, 8, 8)
    patches = patches.flatten(2, 3)[:, :, order].unflatten(2, (4, 4))
    return patches.permute(0, 1, 2, 4, 3, 5).reshape(1, 3, 32, 32)


@pytest.mark.parametrize(
    ("positions", "blind"),
    [("none", True), ("learned", False), ("sinusoid", False), ("relative", False)],
)
def test_only_a_model_without_positions_is_blind_to_order(positions: str, blind: bool) -> None:
    model, pixels = tiny(positions=positions), torch.randn(1, 3, 32, 32)
    order = torch.randperm(16, generator=torch.Generator().manual_seed(3))
    same = torch.allclose(model(pixels), model(shuffled_patches(pixels, order)), atol=1e-4)
    assert same is blind


def test_row_i_of_the_table_reaches_token_i() -> None:
    model, pixels = tiny(), torch.randn(1, 3, 32, 32)
    with record(model, "embedded") as before:
        model(pixels)
    with torch.no_grad():
        model.pos_embed[0, 5] += 1  # type: ignore[index]
    with record(model, "embedded") as after:
        model(pixels)
    moved = (after["embedded"] - before["embedded"]).abs().sum(-1)[0].nonzero()
    assert moved.flatten().tolist() == [5]


def test_prefix_rows_survive_interpolation() -> None:
    model = tiny(registers=1)
    native, other = model.position_table((4, 4)), model.position_table((5, 9))
    assert other.shape == (1, 2 + 45, 32)  # type: ignore[union-attr]
    assert other[:, :2].equal(native[:, :2])  # type: ignore[index]
    constant = nn.Parameter(torch.full_like(native, 0.5))  # type: ignore[arg-type]
    model.pos_embed = constant
    torch.testing.assert_close(
        model.position_table((5, 9)), torch.full((1, 47, 32), 0.5), atol=1e-5, rtol=0
    )


def test_relative_bias_depends_on_the_offset_alone() -> None:
    model = tiny(positions="relative")
    bias = model.blocks[0].attn.rel_pos((4, 4))[0]  # (h, t, t)
    cell = model.geometry(32, 32).cell
    assert bias[:, cell(0, 0), cell(1, 2)].equal(bias[:, cell(2, 1), cell(3, 3)])
    assert not bias[:, cell(0, 0), cell(1, 2)].equal(bias[:, cell(1, 2), cell(0, 0)])
    assert model.blocks[0].attn.rel_pos((3, 6)).shape == (1, 2, 19, 19)


def test_sinusoids_tell_rows_from_columns() -> None:
    table = tiny(positions="sinusoid").position_table((4, 6)).reshape(4, 6, 32)  # type: ignore[union-attr]
    assert table[0, :, 16:].std(0).max() == 0, "the second half speaks of the row alone"
    assert table[:, 0, :16].std(0).max() == 0, "the first half speaks of the column alone"
    assert len(torch.unique(table.reshape(24, 32), dim=0)) == 24


def test_hidden_layer_of_the_pre_training_head() -> None:
    model = tiny(representation=11)
    tokens = model.encode(torch.randn(2, 3, 32, 32))
    hidden = torch.tanh(model.pre_logits(tokens[:, 0]))  # type: ignore[misc]
    torch.testing.assert_close(model.represent(tokens), hidden)
    torch.testing.assert_close(model.classify(tokens), model.head(hidden))


def test_distilled_model_averages_its_heads() -> None:
    model = tiny(distilled=True)
    tokens = model.encode(torch.randn(2, 3, 32, 32))
    expected = (model.head(tokens[:, 0]) + model.head_dist(tokens[:, 1])) / 2  # type: ignore[misc]
    torch.testing.assert_close(model.classify(tokens), expected)


def test_average_pooling_reads_patches_only() -> None:
    model = tiny(pool="avg", class_token=True)
    tokens = torch.randn(1, 17, 32)
    changed = tokens.clone()
    changed[:, 0] += 1
    torch.testing.assert_close(model.classify(tokens), model.classify(changed))


def test_the_same_picture_twice_is_bit_equal() -> None:
    model, pixels = tiny(dropout=0.5), torch.randn(1, 3, 32, 32)
    assert model(pixels).equal(model(pixels))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"width": 30, "heads": 4}, "width 30 does not divide into 4 heads"),
        ({"image_size": (32, 30)}, "multiples of 8 pixels; 32×30 is not"),
        ({"class_token": False}, "class_token=False"),
        ({"positions": "3d"}, "'3d'"),
        ({"stem": "vgg"}, "'vgg'"),
        ({"width": 30, "positions": "sinusoid"}, "divisible by 4, got 30"),
        ({"distilled": True, "pool": "avg"}, "distilled"),
    ],
)
def test_config_says_what_is_wrong(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ViTConfig(**{**TINY, **options})  # type: ignore[arg-type]


def test_a_size_that_does_not_divide_is_refused() -> None:
    with pytest.raises(ValueError, match="multiples of 8 pixels; 32×33 is not"):
        tiny()(torch.randn(1, 3, 32, 33))


def test_near_misses_of_a_name() -> None:
    with pytest.raises(LookupError, match="vit_tiny_patch16_224"):
        models.build("vit_tiny_patch16")
    assert set(VARIANTS) <= set(models.names())
