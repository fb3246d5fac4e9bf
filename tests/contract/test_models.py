"""What every registered model must hold, whatever its paper."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attnviz import models
from attnviz.models.attention_layer import AttentionLayerConfig
from attnviz.models.bert import BertConfig
from attnviz.models.mlp_mixer import MixerConfig
from attnviz.models.seq2seq import Seq2SeqConfig
from attnviz.models.seq2seq_attention import AttentionSeq2SeqConfig
from attnviz.models.show_attend_tell import ShowAttendTellConfig
from attnviz.models.swin import SwinConfig
from attnviz.models.transformer import TransformerConfig
from attnviz.models.vit import ViTConfig
from attnviz.trace import record, taps


@singledispatch
def narrow(cfg: Any) -> dict[str, Any]:
    """What to override so that each kind of layer appears and the model is quick."""
    raise NotImplementedError(f"say here how {type(cfg).__name__} is made small")


@singledispatch
def inputs(cfg: Any, batch: int = 2) -> tuple[Tensor, ...]:
    """Arguments of a model's forward pass."""
    raise NotImplementedError(f"say here what a model of {type(cfg).__name__} is given")


@narrow.register
def _(cfg: ViTConfig) -> dict[str, int]:
    return {"depth": 2, "width": 16 * cfg.heads}


@inputs.register
def _(cfg: ViTConfig, batch: int = 2) -> tuple[Tensor, ...]:
    side = max(64, 2 * cfg.stride)
    side -= side % cfg.stride
    return (torch.randn(batch, 3, side, side + cfg.stride),)


@narrow.register
def _(cfg: SwinConfig) -> dict[str, Any]:
    return {"width": 4 * cfg.heads[0], "depths": (2, 2, 2, 2), "window": 3}


@inputs.register
def _(cfg: SwinConfig, batch: int = 2) -> tuple[Tensor, ...]:
    return (torch.randn(batch, 3, 96, 121),)  # padded, in the end narrower than a window


@narrow.register
def _(cfg: MixerConfig) -> dict[str, Any]:
    size = (2 * cfg.patch_size, 3 * cfg.patch_size)
    return {"image_size": size, "width": 16, "depth": 2, "tokens": 8, "channels": 24}


@inputs.register
def _(cfg: MixerConfig, batch: int = 2) -> tuple[Tensor, ...]:
    return (torch.randn(batch, 3, *cfg.image_size),)


@narrow.register
def _(cfg: TransformerConfig) -> dict[str, int]:
    return {"vocabulary": 40, "width": 4 * cfg.heads, "hidden": 32, "layers": 2}


@narrow.register
def _(cfg: Seq2SeqConfig | AttentionSeq2SeqConfig) -> dict[str, int]:
    return {"vocabulary": 40, "width": 16, "layers": 2}


@inputs.register
def _(
    cfg: Seq2SeqConfig | AttentionSeq2SeqConfig | TransformerConfig, batch: int = 2
) -> tuple[Tensor, ...]:
    source, target = (torch.randint(4, cfg.vocabulary, (batch, n)) for n in (6, 5))
    source[-1, 4:] = 0  # the last sentence is padded
    return source, target


@narrow.register
def _(cfg: BertConfig) -> dict[str, int]:
    return {"vocabulary": 40, "width": 4 * cfg.heads, "hidden": 32, "layers": 2, "longest": 8}


@inputs.register
def _(cfg: BertConfig, batch: int = 2) -> tuple[Tensor, ...]:
    tokens = torch.randint(4, cfg.vocabulary, (batch, 6))
    tokens[-1, 4:] = 0  # the last sentence is padded
    return (tokens,)


@narrow.register
def _(cfg: ShowAttendTellConfig) -> dict[str, int]:
    return {"vocabulary": 40, "width": 30, "annotation": 14, "embedding": 12, "match": 8}


@inputs.register
def _(cfg: ShowAttendTellConfig, batch: int = 2) -> tuple[Tensor, ...]:
    return torch.randn(batch, 3, 64, 80), torch.randint(4, cfg.vocabulary, (batch, 1))


@narrow.register
def _(cfg: AttentionLayerConfig) -> dict[str, int]:
    return {"width": 4 * cfg.heads}


@inputs.register
def _(cfg: AttentionLayerConfig, batch: int = 2) -> tuple[Tensor, ...]:
    return (torch.randn(batch, 6, cfg.width),)


def small(name: str) -> nn.Module:
    """The variant with few and narrow layers, away from its initial zeros."""
    model = models.build(name, **narrow(models.config(name)))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.02)
    return model.eval()


@pytest.fixture(scope="module", params=models.names())
def model(request: pytest.FixtureRequest) -> Any:
    torch.manual_seed(0)
    return small(request.param)


def test_finite_and_every_parameter_gets_a_gradient(model: Any) -> None:
    output = model(*inputs(model.cfg, 1))
    assert torch.isfinite(output).all()
    model.zero_grad()
    output.square().sum().backward()
    missing = [n for n, p in model.named_parameters() if p.grad is None]
    assert not missing
    assert all(torch.isfinite(p.grad).all() for p in model.parameters())
    model.zero_grad()


def test_members_of_a_batch_do_not_mix(model: Any) -> None:
    given = inputs(model.cfg)
    with torch.inference_mode():
        whole = model(*given)
        for i in range(2):
            alone = model(*(tensor[i : i + 1] for tensor in given))
            torch.testing.assert_close(whole[i : i + 1], alone, atol=1e-4, rtol=1e-4)


def test_state_dict_round_trip(model: Any) -> None:
    copy = type(model)(model.cfg).eval()
    copy.load_state_dict(model.state_dict(), strict=True)
    given = inputs(model.cfg, 1)
    with torch.inference_mode():
        assert copy(*given).equal(model(*given))


def test_watching_changes_nothing(model: Any) -> None:
    given = inputs(model.cfg, 1)
    quiet = [
        name
        for name in taps(model)
        if name.endswith(("residual", "_states", "query", "initial_state"))
    ]
    with torch.inference_mode():
        plain = model(*given)
        with record(model, *quiet):
            assert model(*given).equal(plain), "taps that leave the kernel alone are bit-equal"
        with record(model, "*") as trace:
            torch.testing.assert_close(model(*given), plain, atol=1e-4, rtol=1e-4)
        assert model(*given).equal(plain), "nothing stays behind"
    assert trace.names() and set(trace.names()) == set(taps(model))


def test_recorded_weights_rebuild_the_recorded_context(model: Any) -> None:
    with torch.inference_mode(), record(model, "*") as trace:
        model(*inputs(model.cfg, 1))
    for name in taps(model):
        at, dot, last = name.rpartition(".")
        if last == "weights":
            own = f"{at}{dot}value"
            if "annotations" in trace:  # a captioner's context is gated
                seen = trace[name][:, None] @ trace["annotations"]
                torch.testing.assert_close(seen[:, 0], trace[f"{at}{dot}average"])
                continue
            values = trace[own if own in trace else "encoder_states"]
            context = trace[f"{at}{dot}context"]
            torch.testing.assert_close(trace[name] @ values, context, atol=1e-5, rtol=1e-4)
