"""Choosing a device and a precision."""

from __future__ import annotations

import pytest
import torch

from attnviz.zoo import ZooError, devices, pick_device
from attnviz.zoo.hardware import pick_dtype

CPU, CUDA = torch.device("cpu"), torch.device("cuda")


def pretend(monkeypatch: pytest.MonkeyPatch, *, cuda: int = 0, mps: bool = False) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)


def works(monkeypatch: pytest.MonkeyPatch, *kinds: str) -> None:
    monkeypatch.setattr("attnviz.zoo.hardware._computes", lambda device: device.type in kinds)


@pytest.mark.parametrize(
    ("cuda", "mps", "expected"),
    [
        (0, False, ["cpu"]),
        (1, False, ["cuda", "cpu"]),
        (2, False, ["cuda:0", "cuda:1", "cpu"]),
        (0, True, ["mps", "cpu"]),
    ],
)
def test_devices_fastest_first(
    monkeypatch: pytest.MonkeyPatch, cuda: int, mps: bool, expected: list[str]
) -> None:
    pretend(monkeypatch, cuda=cuda, mps=mps)
    works(monkeypatch, "cuda", "mps", "cpu")
    assert devices() == expected
    assert str(pick_device("auto")) == expected[0]


def test_auto_passes_by_a_card_that_does_not_compute(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, cuda=1, mps=True)
    works(monkeypatch, "mps", "cpu")
    assert pick_device("auto").type == "mps"


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without CUDA")
def test_a_device_that_is_listed_but_broken_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    assert pick_device("auto") == CPU


@pytest.mark.parametrize("wanted", ["cuda:7", "mps", "meta", "cpu:3", "toaster", "", None])
def test_a_device_that_is_not_there(monkeypatch: pytest.MonkeyPatch, wanted: str) -> None:
    pretend(monkeypatch, cuda=1)
    with pytest.raises(ZooError, match="this machine has: cuda, cpu") as caught:
        pick_device(wanted)
    assert "\n" not in str(caught.value)


def test_a_named_device(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, cuda=2)
    assert pick_device("cuda:1") == torch.device("cuda:1")
    assert pick_device("cpu") == pick_device(CPU) == CPU


def test_full_precision_unless_asked() -> None:
    assert pick_dtype(None, CPU) == pick_dtype(None, CUDA) == torch.float32
    assert pick_dtype("float16", CUDA) == pick_dtype(torch.float16, CUDA) == torch.float16
    assert pick_dtype("bfloat16", CUDA) == torch.bfloat16


@pytest.mark.parametrize("device", ["cpu", "mps"])
def test_half_precision_only_on_cuda(device: str) -> None:
    with pytest.raises(ZooError, match=f"needs a CUDA device.*{device}"):
        pick_dtype("float16", torch.device(device))


def test_a_precision_that_is_none() -> None:
    with pytest.raises(ZooError, match="float32, float16, bfloat16"):
        pick_dtype("int8", CUDA)
