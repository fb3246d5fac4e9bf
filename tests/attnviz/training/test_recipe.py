"""The recipe's schedule, its start and its loop, on a model of a few hundred numbers."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
import torch

from attnviz.models.vit import ViT, ViTConfig
from attnviz.training import __main__ as command
from attnviz.training.hybrid_vit_scenes import CARD, CONFIG, Plan, encode, losses, spread
from attnviz.training.inherit import (
    CONTRAST,
    fit_hidden,
    inherit,
    pass_on,
    principal,
    tune,
)
from attnviz.training.shards import Batch

TINY = ViTConfig(
    stem="efficientnet_lite0", patch_size=1, width=8, depth=1, heads=2, classes=5, representation=6
)


@pytest.fixture(scope="module")
def model() -> ViT:
    torch.manual_seed(0)
    return ViT(TINY).eval()


def batch(count: int = 3) -> Batch:
    torch.manual_seed(1)
    return Batch(torch.randn(count, 196, 320), torch.rand(count, 6), torch.randn(count, 5))


def test_the_rate_warms_up_and_falls() -> None:
    plan = Plan(steps=1000, rate=1.0, warmup=100)
    rates = [plan.rate_at(step) for step in range(1001)]
    assert rates[0] == pytest.approx(0.01) and rates[99] == pytest.approx(1.0)
    assert rates[550] == pytest.approx(0.505, abs=0.001)
    assert rates[1000] == pytest.approx(0.01)
    assert all(a >= b for a, b in pairwise(rates[99:]))


def test_patches_are_dropped_until_the_end() -> None:
    plan = Plan(steps=100, kept_patches=0.25, full_share=0.1)
    assert plan.patches_at(0, 196) == plan.patches_at(89, 196) == 49
    assert plan.patches_at(90, 196) == plan.patches_at(99, 196) == 196


def test_snapshots_are_even_in_their_logarithm() -> None:
    steps = sorted(Plan(steps=10_000).snapshots(4))
    assert steps == [10, 100, 1000, 10_000]


@torch.inference_mode()
def test_stored_grids_go_the_models_own_way(model: ViT) -> None:
    """Encoding the stem's grid equals encoding the pixels it came from."""
    pixels = torch.randn(1, 3, 224, 224)
    assert model.patch_embed.backbone is not None
    grid = model.patch_embed.backbone(pixels).flatten(2).mT  # (1, 196, 320)
    torch.testing.assert_close(encode(model, grid), model.encode(pixels))


@torch.inference_mode()
def test_kept_patches_are_the_only_ones_seen(model: ViT) -> None:
    grid = batch().seen
    kept = torch.tensor([3, 50, 190])
    changed = grid.clone()
    changed[:, 0] += 5
    torch.testing.assert_close(encode(model, grid, kept), encode(model, changed, kept))
    changed[:, 50] += 5
    assert not torch.allclose(encode(model, grid, kept), encode(model, changed, kept))


def test_a_perfect_student_has_no_loss(model: ViT) -> None:
    stored = batch()
    with torch.no_grad():
        features = model.represent(encode(model, stored.seen))
        logits = model.head(features)
    kl, error = losses(model, Batch(stored.seen, features * 4.0, logits), None, Plan())
    assert kl.item() == pytest.approx(0, abs=1e-5) and error.item() == pytest.approx(0, abs=1e-6)
    kl, error = losses(model, stored, None, Plan())
    assert kl.item() > 0.01 and error.item() > 0.01


def test_spread_runs_from_one_patch_to_all() -> None:
    weights = torch.zeros(2, 3, 5, 5)
    weights[:, 0, 0, 1:] = 0.1  # all four patches alike, whatever the class token keeps
    weights[:, 1, 0, 2] = 0.3  # one patch
    weights[:, 2, 0, 1:3] = 0.5  # two of four
    torch.testing.assert_close(spread(weights), torch.tensor([1.0, 0.0, 0.5]), atol=1e-5, rtol=0)


def test_spreading_costs_only_late() -> None:
    plan = Plan(steps=100, focus_weight=2.0, focus_from=0.4)
    assert (plan.focus_at(39), plan.focus_at(40)) == (0.0, 2.0)


@torch.no_grad()
def test_tuned_attention_follows_content() -> None:
    """Patches score each other by likeness within a head's slice, the class token by strength."""
    torch.manual_seed(2)
    attention = ViT(ViTConfig(image_size=(32, 32), width=12, depth=1, heads=2)).blocks[0].attn
    tokens = torch.randn(40, 1 + 9, 12) + 3
    tokens[:, 0, :8] = tokens[:, 1:, :8].mean((0, 1))  # a class token of average content …
    tokens[:, 0, -1], tokens[:, 1:, -1] = -2.0, 2.0  # … and its mark
    strong = torch.randn(8)
    tune(attention, 2, tokens, strong, focus=1.5)
    q, k, _ = attention.qkv(tokens).unflatten(-1, (3, 2, 6)).unbind(2)  # (b, t, h, e)
    scores = torch.einsum("bqhe,bkhe->bhqk", q, k) / 6**0.5

    strength = tokens[:, 1:, :8] @ strong
    expected = 1.5 * (strength - strength.mean(-1, keepdim=True)) / strength.std()
    for_class = scores[:, :, 0, 1:]
    for_class = for_class - for_class.mean(-1, keepdim=True)  # softmax sees differences only
    torch.testing.assert_close(for_class, expected[:, None].expand(-1, 2, -1))

    among = scores[:, :, 1:, 1:]
    assert among.std((0, 2, 3)).tolist() == pytest.approx([CONTRAST] * 2, rel=1e-4)
    for head, own in enumerate((slice(0, 4), slice(4, 8))):
        apart = tokens[:, 1:, own] - tokens[:, 1:, own].mean((0, 1))
        alike = apart @ apart.mT
        torch.testing.assert_close(among[:, head], CONTRAST * alike / alike.std())


def test_pass_on_hands_over_what_is_attended_to() -> None:
    attention = ViT(ViTConfig(image_size=(32, 32), width=8, depth=1, heads=2)).blocks[0].attn
    with torch.no_grad():
        attention.qkv.weight.zero_()
        pass_on(attention, 0.5)
    tokens = torch.randn(2, 6, 8)
    expected = 0.5 * tokens.mean(1, keepdim=True).expand_as(tokens)  # equal scores
    torch.testing.assert_close(attention(tokens, (2, 3)), expected)


def test_principal_directions_are_those_the_classifier_reads() -> None:
    torch.manual_seed(3)
    features = torch.randn(200, 6) * torch.tensor([3.0, 3, 0.01, 0.01, 3, 3])
    classifier = torch.randn(4, 6) * torch.tensor([1.0, 1, 1, 1, 0, 0])
    basis = principal(features, classifier, 2)
    torch.testing.assert_close(basis @ basis.mT, torch.eye(2), atol=1e-5, rtol=0)
    wanted = (features - features.mean(0)) @ classifier.mT
    seen = (features - features.mean(0)) @ basis.mT  # two numbers must do: two features matter
    rest = wanted - seen @ torch.linalg.lstsq(seen, wanted).solution
    assert rest.square().sum() < 0.01 * wanted.square().sum()


def test_fit_hidden_finds_a_linear_truth(model: ViT) -> None:
    torch.manual_seed(4)
    tokens = torch.randn(300, 8)
    hidden = torch.tanh(tokens @ torch.randn(8, 6) * 0.2)
    fit_hidden(model, tokens, hidden * 4.0, ridge=1e-6)
    assert model.pre_logits is not None
    torch.testing.assert_close(torch.tanh(model.pre_logits(tokens)), hidden, atol=1e-3, rtol=0)


def test_inherit_refuses_a_width_that_cannot_hold_the_grid(model: ViT) -> None:
    with pytest.raises(ValueError, match="width above 320 and representation 1280, got 8 and 6"):
        inherit(model, batch())


def test_the_card_describes_the_recipes_model() -> None:
    from attnviz import models

    assert models.config(CARD["variant"], **CARD["config"]) == CONFIG


def test_an_unknown_recipe_ends_with_two(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["paella"]) == 2
    assert "hybrid_vit_scenes" in capsys.readouterr().err


def test_training_needs_its_data(tmp_path: Path) -> None:
    arguments = ["--only", "train", "--cache", str(tmp_path), "--run", str(tmp_path / "run")]
    with pytest.raises(FileNotFoundError, match="--only fill"):
        command.main(["hybrid_vit_scenes", *arguments])
