"""Our ViTs against timm's, with the same random weights: logits and every layer's weights."""

from __future__ import annotations

import pytest
import timm
import torch
from timm.layers import set_fused_attn
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


def unfused_weights(model: nn.Module, pixels: Tensor) -> list[Tensor]:
    """timm's own explicit attention weights, caught at the input of each attention dropout."""
    caught: list[Tensor] = []
    drops = [block.attn.attn_drop for block in model.blocks]  # type: ignore[union-attr]
    handles = [d.register_forward_hook(lambda m, i, o: caught.append(i[0])) for d in drops]
    for block in model.blocks:  # type: ignore[union-attr]
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
    assert len(weights) == len(theirs) == ours.cfg.depth
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


def test_what_has_no_counterpart_is_refused() -> None:
    with pytest.raises(TypeError, match="ResNet"):
        from_timm(timm.create_model("resnet18"))
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
