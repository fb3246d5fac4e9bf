"""timm checkpoints through a stand-in hub into our implementation."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import huggingface_hub
import pytest
import safetensors.torch
import timm
import torch
from torch import nn

from attnviz import zoo
from attnviz.zoo import HubUnreachable, ZooError, timm_weights
from tests.attnviz.zoo.hub_server import StandInHub, serving

NAME = "test_vit"  # timm's own tiny ViT, 0.4 M parameters
FILE = "timm/test_vit.r160_in1k/model.safetensors"


@pytest.fixture(scope="module")
def reference() -> nn.Module:
    torch.manual_seed(1)
    return timm.create_model(NAME).eval()


@pytest.fixture
def hub(
    reference: nn.Module, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[StandInHub]:
    """A hub that has the checkpoint, and an empty cache, as ``huggingface_hub``'s defaults."""
    with serving({FILE: safetensors.torch.save(reference.state_dict())}) as server:
        monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", server.endpoint)
        monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
        yield server


def test_a_checkpoint_computes_here_what_it_computes_in_timm(
    hub: StandInHub, reference: nn.Module
) -> None:
    told: list[tuple[int, int, str]] = []
    model = zoo.load(NAME, "cpu", progress=lambda *now: told.append(now))
    pixels = torch.randn(2, 3, 160, 160)
    torch.testing.assert_close(model(pixels), reference(pixels))
    assert not model.training and not any(p.requires_grad for p in model.parameters())
    assert told[-1][0] == told[-1][1] == len(hub.files[FILE])


def test_the_second_load_needs_no_network(hub: StandInHub) -> None:
    zoo.load(NAME, "cpu")
    asked = len(hub.requests)
    hub.fault = "head hangs"
    zoo.load(NAME, "cpu")
    assert len(hub.requests) == asked


def test_a_tag_may_be_named(hub: StandInHub) -> None:
    assert zoo.load("test_vit.r160_in1k", "cpu")


def test_without_a_hub_it_is_said_within_three_seconds(hub: StandInHub) -> None:
    card = zoo.card(NAME)
    hub.fault = "head hangs"
    start = time.monotonic()
    with pytest.raises(HubUnreachable, match="bundled model"):
        zoo.load(card, "cpu")
    assert time.monotonic() - start <= 3


@pytest.mark.parametrize("content", [b"", b"\x80\x04 a pickle", b"x" * 5000])
def test_a_checkpoint_that_is_no_safetensors(hub: StandInHub, content: bytes) -> None:
    hub.files[FILE] = content
    with pytest.raises(ZooError):
        zoo.load(NAME, "cpu")


def test_a_checkpoint_of_another_model(hub: StandInHub) -> None:
    hub.files[FILE] = safetensors.torch.save({"head.weight": torch.ones(3, 3)})
    with pytest.raises(ZooError, match="not the file of test_vit"):
        zoo.load(NAME, "cpu")


def test_a_kind_without_counterpart(hub: StandInHub) -> None:
    unlike = timm.create_model("test_vit3")  # pools by attention
    hub.files["timm/test_vit3.r160_in1k/model.safetensors"] = safetensors.torch.save(
        unlike.state_dict()
    )
    with pytest.raises(ZooError, match="test_vit3 is built differently"):
        zoo.load("test_vit3", "cpu")


def test_a_conversion_that_computes_something_else_is_not_offered(
    hub: StandInHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    convert = timm_weights.from_timm

    def wrong(timm_model: nn.Module) -> nn.Module:
        model = convert(timm_model)
        with torch.no_grad():
            model.blocks[0].attn.qkv.bias += 1  # type: ignore[union-attr, index]
        return model

    monkeypatch.setattr(timm_weights, "from_timm", wrong)
    with pytest.raises(ZooError, match="differs from timm's"):
        zoo.load(NAME, "cpu")
