"""From a timm model to ours, strictly: same numbers, same order, nothing left over.

Our attribute names follow timm's, so a conversion is mostly the reading of a config off the model.
"""

from __future__ import annotations

import re
from typing import Any

from torch import Tensor, nn

from attnviz.models.mlp_mixer import MixerConfig, MLPMixer
from attnviz.models.swin import Swin, SwinConfig
from attnviz.models.vit import ViT, ViTConfig

_STEM_DEPTHS = {(3, 4, 9): "resnetv2_50", (2, 2, 2, 2): "resnetv2_26", (): "resnetv2_root"}


def from_timm(timm_model: nn.Module) -> ViT | Swin | MLPMixer:
    """Our implementation carrying a timm model's weights, in eval mode.

    Raises:
        TypeError: a timm model of a kind that has no counterpart here.
        RuntimeError: a tensor is missing, left over or of another shape.
    """
    kind, state = type(timm_model).__name__, timm_model.state_dict()
    model: ViT | Swin | MLPMixer
    if kind in ("VisionTransformer", "VisionTransformerDistilled", "VisionTransformerRelPos"):
        model = ViT(vit_config(timm_model))
        state = convert_state_dict(state, model.cfg)
    elif kind == "SwinTransformer":
        model = Swin(swin_config(timm_model))
    elif kind == "MlpMixer":
        model = MLPMixer(mixer_config(timm_model))
    else:
        raise TypeError(f"no counterpart for timm's {kind} yet")
    model.load_state_dict(state, strict=True)
    return model.to(next(timm_model.parameters()).dtype).eval()


def convert_state_dict(state: dict[str, Tensor], cfg: ViTConfig) -> dict[str, Tensor]:
    """A timm ViT's state dict under our names; only a linear projection needs another shape."""
    state = dict(state)
    if cfg.projection == "linear":
        state["patch_embed.proj.weight"] = state["patch_embed.proj.weight"].flatten(1)  # (d, c·p·p)
    if not cfg.classes:
        state = {k: v for k, v in state.items() if not k.startswith("head")}
    state.pop("mask_token", None)  # DINOv2's own files carry the token of its training
    return state


def vit_config(timm_model: Any) -> ViTConfig:
    """Read our config off a timm ``VisionTransformer`` (plain, distilled, relative or hybrid)."""
    embed, block = timm_model.patch_embed, timm_model.blocks[0]
    backbone = getattr(embed, "backbone", None)
    relative = getattr(block.attn, "rel_pos", None) is not None
    table = getattr(timm_model, "pos_embed", None)
    patch = embed.proj.kernel_size[0]
    return ViTConfig(
        image_size=tuple(embed.img_size),
        patch_size=patch,
        width=timm_model.embed_dim,
        depth=len(timm_model.blocks),
        heads=block.attn.num_heads,
        mlp_ratio=block.mlp.fc1.out_features / timm_model.embed_dim,
        classes=timm_model.num_classes,
        stem=None if backbone is None else _stem_of(backbone),
        positions="relative" if relative else "none" if table is None else "learned",
        prefix_positions=not getattr(timm_model, "no_embed_class", False),
        class_token=timm_model.cls_token is not None,
        distilled=hasattr(timm_model, "dist_token"),
        registers=getattr(timm_model, "num_reg_tokens", 0),
        pool=timm_model.global_pool,
        fc_norm=isinstance(timm_model.fc_norm, nn.LayerNorm),
        qkv_bias=block.attn.qkv.bias is not None,
        layer_scale=1e-5 if hasattr(block.ls1, "gamma") else None,
    )


def swin_config(timm_model: Any) -> SwinConfig:
    """Read our config off a timm ``SwinTransformer``."""
    blocks = [layer.blocks[0] for layer in timm_model.layers]
    table = blocks[0].attn.relative_position_bias_table
    return SwinConfig(
        patch_size=timm_model.patch_embed.proj.kernel_size[0],
        width=timm_model.embed_dim,
        depths=tuple(len(layer.blocks) for layer in timm_model.layers),
        heads=tuple(block.attn.num_heads for block in blocks),
        window=(round(len(table) ** 0.5) + 1) // 2,  # (2w − 1)² rows
        mlp_ratio=blocks[0].mlp.fc1.out_features / timm_model.embed_dim,
        classes=timm_model.num_classes,
    )


def mixer_config(timm_model: Any) -> MixerConfig:
    """Read our config off a timm ``MlpMixer`` whose blocks are the paper's.

    Raises:
        TypeError: they are those of ResMLP, gMLP, ….
    """
    kind, block = type(timm_model.blocks[0]).__name__, timm_model.blocks[0]
    if kind != "MixerBlock":
        raise TypeError(f"no counterpart for timm's {kind} yet")
    return MixerConfig(
        image_size=tuple(timm_model.stem.img_size),
        patch_size=timm_model.stem.proj.kernel_size[0],
        width=timm_model.embed_dim,
        depth=len(timm_model.blocks),
        tokens=block.mlp_tokens.fc1.out_features,
        channels=block.mlp_channels.fc1.out_features,
        classes=timm_model.num_classes,
    )


def swin_from_microsoft(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """The state dict of a checkpoint of microsoft/Swin-Transformer under our names.

    There a stage merges at its end, here at the beginning of the next; masks and indices, which
    are stored there, are computed here.
    """
    found = {}
    for name, tensor in state.items():
        if name.endswith(("relative_position_index", "attn_mask")):
            continue
        name = re.sub(
            r"^layers\.(\d+)\.downsample", lambda m: f"layers.{int(m[1]) + 1}.downsample", name
        )
        found[re.sub(r"^head\.", "head.fc.", name)] = tensor
    return found


def _stem_of(backbone: Any) -> str:
    stages = getattr(backbone, "stages", ())
    depths = tuple(len(stage.blocks) for stage in stages)
    if depths not in _STEM_DEPTHS:
        raise TypeError(f"no counterpart for a hybrid stem of stages {depths} yet")
    return _STEM_DEPTHS[depths]
