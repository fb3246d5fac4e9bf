"""The checkpoints of timm that the zoo offers, as data, so that listing them imports nothing.

Read off timm 1.0.31 (``timm.models.get_pretrained_cfg``, default tags); a test compares the two.
Any other checkpoint of the same architectures is looked up in timm itself.
"""

from __future__ import annotations

import re
from typing import Any

from attnviz.images import Preprocess
from attnviz.zoo.cards import Card
from attnviz.zoo.errors import UnknownModel

_HALF = ((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))
_IMAGENET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))

_AUGREG = "How to train your ViT? (arXiv:2106.10270)"
_VIT = "An Image is Worth 16x16 Words (arXiv:2010.11929)"
_DEIT = "DeiT (arXiv:2012.12877)"
_DINOV2 = "DINOv2 (arXiv:2304.07193)"
_SWIN = "Swin Transformer (arXiv:2103.14030)"
_MIXER = "MLP-Mixer (arXiv:2105.01601)"
_REGISTERS = "Vision Transformers Need Registers (arXiv:2309.16588)"

_21K_1K = "ImageNet-21k, then ImageNet-1k"
_MIT = "weights: MIT"
_APACHE = "weights: Apache-2.0"
_DATA = {  # by tag: what was learned from, and the licence
    "augreg_in21k_ft_in1k": (_21K_1K, _APACHE),
    "augreg2_in21k_ft_in1k": (_21K_1K, _APACHE),
    "orig_in21k_ft_in1k": (_21K_1K, _APACHE),
    "fb_in1k": ("ImageNet-1k", _APACHE),
    "lvd142m": ("LVD-142M (no labels)", _APACHE),
    "ms_in1k": ("ImageNet-1k", _MIT),
    "ms_in22k_ft_in1k": ("ImageNet-22k, then ImageNet-1k", _MIT),
    "goog_in21k_ft_in1k": (_21K_1K, _APACHE),
}

_ROWS: tuple[tuple[str, str, str, int, str], ...] = (
    # architecture, default tag, title, parameters, paper
    ("vit_tiny_patch16_224", "augreg_in21k_ft_in1k", "ViT-Ti/16", 5_717_416, _AUGREG),
    ("vit_small_patch16_224", "augreg_in21k_ft_in1k", "ViT-S/16", 22_050_664, _AUGREG),
    ("vit_base_patch16_224", "augreg2_in21k_ft_in1k", "ViT-B/16", 86_567_656, _AUGREG),
    ("vit_base_patch32_224", "augreg_in21k_ft_in1k", "ViT-B/32", 88_224_232, _AUGREG),
    ("deit_small_patch16_224", "fb_in1k", "DeiT-S/16", 22_050_664, _DEIT),
    ("deit_tiny_distilled_patch16_224", "fb_in1k", "DeiT-Ti/16 distilled", 5_910_800, _DEIT),
    ("deit_small_distilled_patch16_224", "fb_in1k", "DeiT-S/16 distilled", 22_436_432, _DEIT),
    ("deit_base_distilled_patch16_224", "fb_in1k", "DeiT-B/16 distilled", 87_338_192, _DEIT),
    ("vit_small_patch14_dinov2", "lvd142m", "DINOv2 ViT-S/14", 22_056_192, _DINOV2),
    ("vit_base_patch14_dinov2", "lvd142m", "DINOv2 ViT-B/14", 86_579_712, _DINOV2),
    (
        "vit_small_patch14_reg4_dinov2",
        "lvd142m",
        "DINOv2 ViT-S/14, 4 registers",
        22_057_344,
        _REGISTERS,
    ),
    (
        "vit_base_patch14_reg4_dinov2",
        "lvd142m",
        "DINOv2 ViT-B/14, 4 registers",
        86_582_016,
        _REGISTERS,
    ),
    ("vit_tiny_r_s16_p8_224", "augreg_in21k_ft_in1k", "R+ViT-Ti/16", 6_337_704, _AUGREG),
    ("vit_small_r26_s32_224", "augreg_in21k_ft_in1k", "R26+ViT-S/32", 36_431_912, _AUGREG),
    ("vit_base_r50_s16_384", "orig_in21k_ft_in1k", "R50+ViT-B/16", 98_950_952, _VIT),
    ("swin_tiny_patch4_window7_224", "ms_in1k", "Swin-T", 28_288_354, _SWIN),
    ("swin_small_patch4_window7_224", "ms_in22k_ft_in1k", "Swin-S", 49_606_258, _SWIN),
    ("swin_base_patch4_window7_224", "ms_in22k_ft_in1k", "Swin-B", 87_768_224, _SWIN),
    ("mixer_b16_224", "goog_in21k_ft_in1k", "Mixer-B/16", 59_880_472, _MIXER),
    ("mixer_l16_224", "goog_in21k_ft_in1k", "Mixer-L/16", 208_196_168, _MIXER),
)

# Names that are worth asking timm about begin so.
_PREFIXES = (
    "vit_",
    "deit",
    "flexivit",
    "test_vit",
    "swin_",
    "mixer_",
)
_FAMILIES = {  # timm's module -> family
    "vision_transformer": "vit",
    "deit": "vit",
    "vision_transformer_hybrid": "vit",
    "vision_transformer_relpos": "vit",
    "swin_transformer": "swin",
    "mlp_mixer": "mixer",
}


def _stride(architecture: str) -> int:
    """Pixels from one patch to the next, read off timm's names: ``patch16``, ``s32``, ``b16``."""
    found = re.search(r"(?:patch|_s|mixer_[bl])(\d+)", architecture)
    return int(found[1]) if found else 16


def _row_card(architecture: str, tag: str, title: str, parameters: int, paper: str) -> Card:
    dino = tag == "lvd142m"
    large = architecture.endswith("_384")
    family = architecture.split("_")[0].replace("deit", "vit")
    mean, std = _HALF if "in21k" in tag else _IMAGENET
    side = 518 if dino else 384 if large else 224
    crop = 1.0 if dino or large else 0.875 if family == "mixer" else 0.9
    data, licence = _DATA[tag]
    return Card(
        name=f"{architecture}.{tag}" if dino else architecture,
        title=title,
        family=family,
        source="timm",
        variant=architecture,
        preprocess=Preprocess(
            size=(side, side),
            crop=crop,
            interpolation="bicubic",
            mean=mean,
            std=std,
            multiple=_stride(architecture),
        ),
        labels=None if dino else "imagenet",
        parameters=parameters,
        file=f"timm/{architecture}.{tag}/model.safetensors",
        paper=paper,
        data=({"name": data, "version": "", "licence": licence},),
        notes="Fetched once from the hub, then kept in its cache.",
    )


TIMM_CARDS: tuple[Card, ...] = tuple(_row_card(*row) for row in _ROWS)


def timm_card(name: str) -> Card:
    """The card of any timm checkpoint of a family that has a counterpart here; imports timm.

    Raises:
        UnknownModel: timm does not have it, has no weights for it, or it is of another kind.
    """
    unknown = UnknownModel(f"timm has no checkpoint {name!r} that this library can run.")
    if not name.startswith(_PREFIXES):
        raise unknown

    import timm

    architecture = name.split(".")[0]
    family = _family(architecture)
    try:
        cfg: Any = timm.models.get_pretrained_cfg(name) if family else None
    except RuntimeError:  # the architecture is there, the tag is not
        cfg = None
    if family is None or cfg is None or not str(cfg.hf_hub_id).startswith("timm/"):
        raise unknown
    return Card(
        name=name,
        title=name,
        family=family,
        source="timm",
        preprocess=Preprocess(
            size=tuple(cfg.input_size[1:]),
            crop=cfg.crop_pct,
            interpolation=cfg.interpolation,
            mean=tuple(cfg.mean),
            std=tuple(cfg.std),
            multiple=_stride(architecture),
        ),
        labels="imagenet" if cfg.num_classes == 1000 else None,
        file=f"{cfg.hf_hub_id}/model.safetensors",
        data=({"name": cfg.tag, "version": "", "licence": f"weights: {cfg.license or 'unknown'}"},),
        notes="Fetched once from the hub, then kept in its cache.",
    )


def _family(architecture: str) -> str | None:
    import timm

    for module, family in _FAMILIES.items():
        if architecture in timm.list_models(module=module):
            return family
    return None
