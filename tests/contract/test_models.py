"""What every registered model must hold, whatever its paper."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from attnviz import models
from attnviz.trace import record, taps


def small(name: str) -> nn.Module:
    """The variant with two blocks and narrow heads: each kind of layer appears, and it is quick."""
    model = models.build(name, depth=2, width=16 * models.config(name).heads)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.02)
    return model.eval()


def picture(model: nn.Module, batch: int = 2) -> torch.Tensor:
    side = max(64, 2 * model.cfg.stride)  # type: ignore[union-attr,operator]
    side -= side % model.cfg.stride  # type: ignore[union-attr,operator]
    return torch.randn(batch, 3, side, side + model.cfg.stride)  # type: ignore[union-attr,operator]


@pytest.fixture(scope="module", params=models.names())
def model(request: pytest.FixtureRequest) -> nn.Module:
    torch.manual_seed(0)
    return small(request.param)


def test_finite_and_every_parameter_gets_a_gradient(model: nn.Module) -> None:
    output = model(picture(model, 1))
    assert torch.isfinite(output).all()
    model.zero_grad()
    output.square().sum().backward()
    missing = [n for n, p in model.named_parameters() if p.grad is None]
    assert not missing
    assert all(torch.isfinite(p.grad).all() for p in model.parameters())  # type: ignore[arg-type]
    model.zero_grad()


def test_pictures_of_a_batch_do_not_mix(model: nn.Module) -> None:
    pixels = picture(model)
    with torch.inference_mode():
        torch.testing.assert_close(model(pixels)[:1], model(pixels[:1]), atol=1e-4, rtol=1e-4)


def test_state_dict_round_trip(model: nn.Module) -> None:
    copy = type(model)(model.cfg).eval()  # type: ignore[call-arg]
    copy.load_state_dict(model.state_dict(), strict=True)
    pixels = picture(model, 1)
    with torch.inference_mode():
        assert copy(pixels).equal(model(pixels))


def test_watching_changes_nothing(model: nn.Module) -> None:
    pixels = picture(model, 1)
    with torch.inference_mode():
        plain = model(pixels)
        with record(model, "*.residual"):
            assert model(pixels).equal(plain), "taps that leave the kernel alone are bit-equal"
        with record(model, "*") as trace:
            torch.testing.assert_close(model(pixels), plain, atol=1e-4, rtol=1e-4)
        assert model(pixels).equal(plain), "nothing stays behind"
    assert trace.names() and set(trace.names()) == set(taps(model))


def test_recorded_weights_rebuild_the_recorded_context(model: nn.Module) -> None:
    with torch.inference_mode(), record(model, "*.attn.*") as trace:
        model(picture(model, 1))
    for i in range(model.cfg.depth):  # type: ignore[union-attr,arg-type]
        at = f"blocks.{i}.attn"
        context = trace[f"{at}.weights"] @ trace[f"{at}.value"]
        torch.testing.assert_close(context, trace[f"{at}.context"], atol=1e-5, rtol=1e-4)
