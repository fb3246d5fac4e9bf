"""One run as arrays: weights, the path of the data, edits that mean what they say, gradients."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from attnviz.inference import Edit, gradients, look
from attnviz.models.vit import ViT, ViTConfig


def tiny(**options: object) -> ViT:
    cfg = ViTConfig(
        **{"image_size": (32, 32), "patch_size": 8, "width": 32, "depth": 3, "heads": 2,
           "classes": 7, **options}  # type: ignore[arg-type]
    )  # fmt: skip
    model = ViT(cfg).eval().requires_grad_(False)
    for parameter in model.parameters():
        parameter.add_(torch.randn_like(parameter) * 0.2)
    return model


@pytest.fixture
def pixels() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((3, 32, 48)).astype(np.float32)


def test_a_run_holds_all_weights_and_the_path_of_the_data(pixels: np.ndarray) -> None:
    model = tiny()
    run = look(model, pixels)
    assert run.weights.shape == (3, 2, 25, 25) and run.weights.dtype == np.float32
    np.testing.assert_allclose(run.weights.sum(-1), 1, atol=1e-5)
    shapes = {name: array.shape for name, array in run.stages.items()}
    assert shapes == {
        "pixels": (3, 32, 48),
        "projected": (24, 32),
        "embedded": (25, 32),
        "first block": (25, 32),
        "last block": (25, 32),
        "normed": (25, 32),
        "logits": (7,),
    }
    with torch.inference_mode():
        expected = model(torch.from_numpy(pixels)[None])[0]
    np.testing.assert_allclose(run.logits, expected, atol=1e-5)
    np.testing.assert_allclose(run.probabilities, expected.softmax(-1), atol=1e-6)
    assert [p for _, p in run.top(3)] == sorted(run.probabilities, reverse=True)[:3]
    np.testing.assert_allclose(
        run.token_norms[0], np.linalg.norm(run.stages["embedded"], axis=-1), rtol=1e-5
    )
    assert run.token_norms.shape == (4, 25) and run.device == "cpu" and run.seconds > 0


def test_the_same_picture_twice_is_bit_equal(pixels: np.ndarray) -> None:
    model = tiny()
    np.testing.assert_array_equal(look(model, pixels).weights, look(model, pixels).weights)


def test_a_silenced_head_adds_nothing(pixels: np.ndarray) -> None:
    """Zeroing a head's context equals zeroing its columns of the output projection."""
    model = tiny()
    run = look(model, pixels, edit=Edit(silenced=((1, 0),)))
    with torch.no_grad():
        model.blocks[1].attn.proj.weight[:, :16] = 0  # type: ignore[union-attr,index,operator]
    np.testing.assert_allclose(run.logits, look(model, pixels).logits, atol=1e-5)


@pytest.mark.parametrize(
    "options", [{}, {"pool": "avg"}, {"pool": "avg", "class_token": False, "fc_norm": True}]
)
def test_a_removed_patch_is_out_of_the_sequence(
    options: dict[str, object], pixels: np.ndarray
) -> None:
    model = tiny(**options)
    geometry = model.geometry(32, 48)
    removed = tuple(geometry.cell(r, c) for r, c in ((0, 0), (2, 5), (3, 1)))
    run = look(model, pixels, edit=Edit(removed=removed))
    assert not run.weights[..., list(removed)].any()

    kept = [t for t in range(geometry.tokens) if t not in removed]
    with torch.no_grad():
        x = model.embed(model.patch_embed(torch.from_numpy(pixels)[None]), (4, 6))[:, kept]
        for block in model.blocks:
            x = block(x, (4, 6))
        expected = model.classify(model.norm(x))[0]
    np.testing.assert_allclose(run.logits, expected, atol=1e-4)


def test_gradients_equal_a_finite_difference(pixels: np.ndarray) -> None:
    from attnviz.trace import record

    model = tiny().double()
    weights, slopes = gradients(model, pixels, target=4)
    assert weights.shape == slopes.shape == (3, 2, 25, 25)
    batch = torch.from_numpy(pixels)[None].double()

    def logit(shift: float) -> float:
        def edit(w: torch.Tensor) -> torch.Tensor:
            w = w.double().clone()
            w[0, 1, 0, 7] += shift
            return w

        with torch.no_grad(), record(model, edit={"blocks.1.attn.weights": edit}):
            return float(model(batch)[0, 4])

    difference = (logit(1e-3) - logit(-1e-3)) / 2e-3
    assert slopes[1, 1, 0, 7] == pytest.approx(difference, rel=1e-3, abs=1e-6)
    assert all(p.grad is None for p in model.parameters()), "the shared model keeps no gradient"


def test_default_target_is_the_first_label(pixels: np.ndarray) -> None:
    model = tiny()
    best = look(model, pixels).top(1)[0][0]
    np.testing.assert_array_equal(
        gradients(model, pixels, None)[1], gradients(model, pixels, best)[1]
    )


def test_a_model_without_a_head_still_has_weights_and_gradients(pixels: np.ndarray) -> None:
    model = tiny(classes=0)
    run = look(model, pixels)
    assert run.logits.size == 0 and run.top() == []
    assert np.abs(gradients(model, pixels, None)[1]).max() > 0


def test_what_does_not_fit_is_refused(pixels: np.ndarray) -> None:
    model = tiny()
    for edit, message in (
        (Edit(silenced=((9, 0),)), "layers 0–2"),
        (Edit(silenced=((0, 2),)), "heads 0–1"),
        (Edit(removed=tuple(range(1, 25))), "at least one patch"),
    ):
        with pytest.raises(ValueError, match=message):
            look(model, pixels, edit=edit)
    with pytest.raises(IndexError, match="token 0 is no patch"):
        look(model, pixels, edit=Edit(removed=(0,)))
    with pytest.raises(ValueError, match=r"\(3, height, width\), not \(32, 48\)"):
        look(model, pixels[0])
    with pytest.raises(ValueError, match="32×44"):
        look(model, pixels[..., :44])
