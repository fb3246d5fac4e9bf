"""Our models against timm's, with the same random weights: logits and every layer's weights."""

from __future__ import annotations

import pytest
import timm
import torch
from timm.layers import set_fused_attn
from timm.models.mlp_mixer import MlpMixer
from torch import Tensor, nn

from attnviz.trace import record
from attnviz.zoo.convert import convert_state_dict, from_timm, vit_config

# name → other depth (big ones are shortened; every kind of layer stays), non-native size
VARIANTS: dict[str, tuple[int | None, tuple[int, int]]] = {
    "vit_tiny_patch16_224": (None, (160, 112)),
    "vit_small_patch16_224": (None, (160, 112)),
    "vit_small_patch32_224": (None, (320, 192)),
    "vit_base_patch16_224": (4, (160, 112)),
    "vit_base_patch32_224": (4, (320, 192)),
    "vit_base_patch8_224": (2, (80, 56)),
    "vit_large_patch16_224": (2, (160, 112)),
    "vit_large_patch32_224": (2, (320, 192)),
    "vit_huge_patch14_224": (2, (140, 98)),
    "deit_small_patch16_224": (None, (160, 112)),
    "deit_tiny_distilled_patch16_224": (None, (160, 112)),
    "deit_small_distilled_patch16_224": (None, (160, 112)),
    "deit_base_distilled_patch16_224": (4, (160, 112)),
    "vit_small_patch14_dinov2": (None, (224, 154)),
    "vit_small_patch14_reg4_dinov2": (None, (224, 154)),
    "vit_base_patch14_reg4_dinov2": (4, (224, 154)),
    "vit_medium_patch16_gap_240": (None, (160, 112)),
    "vit_medium_patch16_reg4_gap_256": (None, (160, 112)),
    "vit_base_r50_s16_224": (4, (160, 112)),
    "vit_small_r26_s32_224": (None, (192, 96)),
    "vit_tiny_r_s16_p8_224": (None, (192, 96)),
}


def randomise(model: nn.Module) -> nn.Module:
    """Zero biases, constant scales and tiny LayerScales would let mistakes pass."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim == 1:
                parameter.add_(torch.randn_like(parameter) * 0.1)
            if name.endswith("gamma"):
                parameter.copy_(torch.rand_like(parameter) * 0.5)
            if "pos_embed" in name or "token" in name or "bias_table" in name:
                parameter.copy_(torch.randn_like(parameter) * 0.2)
    return model.eval()


def blocks(model: nn.Module) -> list[nn.Module]:
    """All blocks of a timm model, those of a Swin stage by stage."""
    stages = getattr(model, "layers", None)
    found = model.blocks if stages is None else [b for stage in stages for b in stage.blocks]  # type: ignore[union-attr]
    return list(found)  # type: ignore[arg-type]


def unfused_weights(model: nn.Module, pixels: Tensor) -> list[Tensor]:
    """timm's own explicit attention weights, caught at the input of each attention dropout."""
    caught: list[Tensor] = []
    drops = [block.attn.attn_drop for block in blocks(model)]
    handles = [d.register_forward_hook(lambda m, i, o: caught.append(i[0])) for d in drops]
    for block in blocks(model):
        block.attn.fused_attn = False
    model(pixels)
    for handle in handles:
        handle.remove()
    return caught


def check(reference: nn.Module, size: tuple[int, int]) -> None:
    ours, pixels = from_timm(reference), torch.randn(1, 3, *size)
    with torch.inference_mode():
        expected = reference(pixels)
        assert expected.std() > 1e-3
        torch.testing.assert_close(ours(pixels), expected, atol=1e-4, rtol=0)
        with record(ours, "*.weights") as trace:
            torch.testing.assert_close(ours(pixels), expected, atol=1e-4, rtol=0)
        theirs = unfused_weights(reference, pixels)
    weights = trace.match("*.weights")
    assert len(weights) == len(theirs) == len(blocks(reference))
    for a, b in zip(weights, theirs, strict=True):
        torch.testing.assert_close(a, b, atol=1e-5, rtol=0)


@pytest.mark.parametrize("name", VARIANTS)
def test_logits_and_weights_equal_timm(name: str) -> None:
    depth, size = VARIANTS[name]
    options = {} if depth is None else {"depth": depth}
    reference = randomise(timm.create_model(name, dynamic_img_size=True, **options))
    native = 224 if "dinov2" in name else reference.patch_embed.img_size[0]
    check(reference, (native, native))
    check(reference, size)


def test_relative_positions_equal_timm() -> None:
    reference = timm.create_model("vit_relpos_small_patch16_224", rel_pos_type="bias", depth=3)
    check(randomise(reference), (224, 224))


def test_class_token_with_relative_positions_equals_timm() -> None:
    reference = timm.create_model(
        "vit_relpos_small_patch16_224", rel_pos_type="bias", depth=2, class_token=True,
        global_pool="token", fc_norm=False,
    )  # fmt: skip
    check(randomise(reference), (224, 224))


def test_no_positions_equal_timm() -> None:
    check(
        randomise(timm.create_model("vit_tiny_patch16_224", depth=2, pos_embed="none")), (224, 224)
    )


def test_a_linear_projection_takes_the_same_weights() -> None:
    from dataclasses import replace

    from attnviz.models.vit import ViT

    reference = randomise(timm.create_model("vit_tiny_patch16_224", depth=1))
    cfg = replace(vit_config(reference), projection="linear")
    ours = ViT(cfg).eval()
    ours.load_state_dict(convert_state_dict(reference.state_dict(), cfg), strict=True)
    pixels = torch.randn(1, 3, 224, 224)
    torch.testing.assert_close(ours(pixels), reference(pixels), atol=1e-4, rtol=0)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("swin_tiny_patch4_window7_224", (224, 224)),
        ("swin_tiny_patch4_window7_224", (224, 448)),
        ("swin_tiny_patch4_window8_256", (256, 256)),
        ("swin_small_patch4_window7_224", (224, 224)),
        ("swin_base_patch4_window7_224", (224, 224)),
    ],
)
def test_swin_equals_timm(name: str, size: tuple[int, int]) -> None:
    architecture = name.replace("window8_256", "window7_224")
    options = {"window_size": 8} if "window8" in name else {}
    check(randomise(timm.create_model(architecture, img_size=size, **options)), size)


def test_large_swins_equal_timm_at_two_blocks_a_stage() -> None:
    for name, side in (("large_patch4_window7", 224), ("base_patch4_window12", 384)):
        reference = timm.create_model(f"swin_{name}_{side}", depths=(2, 2, 2, 2))
        check(randomise(reference), (side, side))


def test_microsofts_files_load() -> None:
    """Their layout, made of timm's by hand: timm's own reader of such files is the judge."""
    from timm.models.swin_transformer import checkpoint_filter_fn

    from attnviz.zoo.convert import swin_from_microsoft

    reference = randomise(timm.create_model("swin_tiny_patch4_window7_224"))
    theirs = {}
    for name, tensor in reference.state_dict().items():
        for stage in (1, 2, 3):
            name = name.replace(f"layers.{stage}.downsample", f"layers.{stage - 1}.downsample")
        theirs[name.replace("head.fc.", "head.")] = tensor
    theirs["layers.0.blocks.0.attn.relative_position_index"] = torch.zeros(49, 49)
    theirs["layers.0.blocks.1.attn_mask"] = torch.zeros(64, 49, 49)
    found, expected = swin_from_microsoft(theirs), checkpoint_filter_fn(theirs, reference)
    assert found.keys() == expected.keys() == reference.state_dict().keys()
    assert all(found[name].equal(expected[name]) for name in found)


@pytest.mark.parametrize("name", ["mixer_s32_224", "mixer_s16_224", "mixer_b32_224"])
def test_mixer_equals_timm(name: str) -> None:
    reference, pixels = randomise(timm.create_model(name)), torch.randn(2, 3, 224, 224)
    with torch.no_grad():
        reference.head.weight.normal_()  # type: ignore[union-attr, operator]
    with torch.inference_mode():
        ours, theirs = from_timm(reference)(pixels), reference(pixels)
    assert theirs.std() > 0.1
    torch.testing.assert_close(ours, theirs, atol=1e-4 * float(theirs.std()), rtol=1e-5)


@pytest.mark.parametrize(("patch", "width"), [(16, 768), (32, 1024), (16, 1024)])
def test_wide_mixers_equal_timm_at_two_blocks(patch: int, width: int) -> None:
    reference = MlpMixer(patch_size=patch, num_blocks=2, embed_dim=width)
    randomise(reference)
    with torch.no_grad():
        reference.head.weight.normal_()
    pixels = torch.randn(1, 3, 224, 224)
    with torch.inference_mode():
        ours, theirs = from_timm(reference)(pixels), reference(pixels)
    torch.testing.assert_close(ours, theirs, atol=1e-4 * float(theirs.std()), rtol=1e-5)


def test_what_has_no_counterpart_is_refused() -> None:
    with pytest.raises(TypeError, match="ResNet"):
        from_timm(timm.create_model("resnet18"))
    with pytest.raises(TypeError, match="SpatialGatingBlock"):
        from_timm(timm.create_model("gmlp_ti16_224"))
    with pytest.raises(TypeError, match="SwinTransformerV2"):
        from_timm(timm.create_model("swinv2_tiny_window8_256", depths=(1, 1, 1, 1)))
    with pytest.raises(RuntimeError, match="norm_pre"):
        from_timm(timm.create_model("vit_tiny_patch16_224", depth=1, pre_norm=True))


def test_fused_attention_is_what_timm_would_hide() -> None:
    """The reference is really unfused here: a hook sees weights only then."""
    set_fused_attn(True)
    reference = timm.create_model("vit_tiny_patch16_224", depth=1).eval()
    caught: list[Tensor] = []
    reference.blocks[0].attn.attn_drop.register_forward_hook(lambda m, i, o: caught.append(o))
    reference(torch.randn(1, 3, 224, 224))
    assert not caught
