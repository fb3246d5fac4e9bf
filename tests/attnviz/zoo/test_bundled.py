"""Bundled weights: loaded exactly, and refused when they are not what the card describes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch

import attnviz
from attnviz import zoo
from attnviz.zoo import ZooError
from tests.attnviz.zoo import tiny


def rewrite(assets: Path, content: bytes) -> None:
    """Replace the weights and tell the card so."""
    (assets / "weights" / f"{tiny.NAME}.safetensors").write_bytes(content)
    path = assets / "cards" / f"{tiny.NAME}.json"
    values = json.loads(path.read_text())
    path.write_text(json.dumps({**values, "sha256": hashlib.sha256(content).hexdigest()}))


def stored(assets: Path) -> dict[str, torch.Tensor]:
    return safetensors.torch.load_file(assets / "weights" / f"{tiny.NAME}.safetensors")


def test_a_model_comes_back_as_it_was_stored(tmp_path: Path) -> None:
    expected = tiny.write(tmp_path)
    model = zoo.load(tiny.NAME, "cpu", assets=tmp_path)
    assert not model.training
    assert not any(p.requires_grad for p in model.parameters())
    assert {p.dtype for p in model.parameters()} == {torch.float32}
    for name, value in expected.state_dict().items():
        assert torch.equal(model.state_dict()[name], value), name
    pixels = torch.randn(1, 3, 48, 64)
    assert torch.equal(model(pixels), expected(pixels))


def test_gradients_of_a_loaded_model_are_still_to_be_had(tmp_path: Path) -> None:
    tiny.write(tmp_path)
    model = zoo.load(tiny.NAME, "cpu", assets=tmp_path)
    pixels = torch.randn(1, 3, 48, 64, requires_grad=True)
    with attnviz.record(model, "*.weights", grad=True) as trace:
        model(pixels)[0, 0].backward()
    assert trace.grad("blocks.0.attn.weights").abs().sum() > 0


def test_two_loads_share_nothing(tmp_path: Path) -> None:
    tiny.write(tmp_path)
    first, second = (zoo.load(tiny.NAME, "cpu", assets=tmp_path) for _ in range(2))
    first.head.bias += 1  # type: ignore[union-attr]
    assert not torch.equal(first.head.bias, second.head.bias)  # type: ignore[arg-type, union-attr]


def test_a_card_will_do_for_a_name(tmp_path: Path) -> None:
    tiny.write(tmp_path)
    assert zoo.load(zoo.card(tiny.NAME, tmp_path), "cpu", assets=tmp_path)


def write_snapshot(assets: Path) -> torch.Tensor:
    """A snapshot of step 10, which differs in its head; returns that head's bias."""
    tiny.write(assets)
    early = {**stored(assets), "head.bias": torch.full((4,), 0.5)}
    content = safetensors.torch.save(early)
    (assets / "weights" / "early.safetensors").write_bytes(content)
    sha256 = hashlib.sha256(content).hexdigest()
    taken = {"step": 10, "file": "early.safetensors", "sha256": sha256, "scores": {}}
    tiny.write(assets, snapshots=[taken])
    return early["head.bias"]


def test_a_snapshot_is_the_model_as_it_was(tmp_path: Path) -> None:
    bias = write_snapshot(tmp_path)
    early = zoo.load(tiny.NAME, "cpu", snapshot=10, assets=tmp_path)
    assert torch.equal(early.head.bias, bias)  # type: ignore[union-attr, arg-type]
    last = zoo.load(tiny.NAME, "cpu", assets=tmp_path)
    assert not torch.equal(last.head.bias, bias)  # type: ignore[union-attr, arg-type]


def test_a_snapshot_that_is_missing_or_damaged(tmp_path: Path) -> None:
    write_snapshot(tmp_path)
    with pytest.raises(ZooError, match="no snapshot of step 11; there are: 10"):
        zoo.load(tiny.NAME, "cpu", snapshot=11, assets=tmp_path)
    with pytest.raises(ZooError, match="there are: none"):
        zoo.load("vit_tiny_patch16_224", "cpu", snapshot=10, assets=tmp_path)
    path = tmp_path / "weights" / "early.safetensors"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ZooError, match=r"early\.safetensors are damaged"):
        zoo.load(tiny.NAME, "cpu", snapshot=10, assets=tmp_path)


def test_missing_weights(tmp_path: Path) -> None:
    tiny.write(tmp_path)
    (tmp_path / "weights" / f"{tiny.NAME}.safetensors").unlink()
    with pytest.raises(ZooError, match=rf"{tiny.NAME}\.safetensors are missing"):
        zoo.load(tiny.NAME, "cpu", assets=tmp_path)


@pytest.mark.parametrize("cut", [0, 10, -1])
def test_a_damaged_file_is_found_out_by_its_hash(tmp_path: Path, cut: int) -> None:
    tiny.write(tmp_path)
    path = tmp_path / "weights" / f"{tiny.NAME}.safetensors"
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(ZooError, match=rf"{tiny.NAME}\.safetensors are damaged"):
        zoo.load(tiny.NAME, "cpu", assets=tmp_path)


@pytest.mark.parametrize("content", [b"", b"\x80\x04pickle", b"{}" * 100])
def test_a_file_that_is_no_safetensors(tmp_path: Path, content: bytes) -> None:
    tiny.write(tmp_path)
    rewrite(tmp_path, content)
    with pytest.raises(ZooError, match="no safetensors file"):
        zoo.load(tiny.NAME, "cpu", assets=tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda state: state.pop("head.bias"), "1 tensors are missing, the first is head.bias"),
        (lambda state: state.update(extra=torch.ones(1)), "1 tensors are left over.*extra"),
        (
            lambda state: state.update({"head.bias": torch.ones(9)}),
            r"head.bias is \(9,\) and.*\(4,\)",
        ),
    ],
)
def test_loading_is_strict(tmp_path: Path, change: Any, message: str) -> None:
    tiny.write(tmp_path)
    state = stored(tmp_path)
    change(state)
    rewrite(tmp_path, safetensors.torch.save(state))
    with pytest.raises(ZooError, match=message):
        zoo.load(tiny.NAME, "cpu", assets=tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        {"variant": "vit_nope"},
        {"variant": None},
        {"config": {"depht": 3}},
        {"config": {"heads": 5}},
    ],
)
def test_a_card_that_describes_no_model(tmp_path: Path, changes: dict[str, Any]) -> None:
    tiny.write(tmp_path, **changes)
    with pytest.raises(ZooError, match=f"card of {tiny.NAME} describes no model"):
        zoo.load(tiny.NAME, "cpu", assets=tmp_path)


def test_half_precision_on_the_cpu_is_refused(tmp_path: Path) -> None:
    tiny.write(tmp_path)
    with pytest.raises(ZooError, match="CUDA"):
        zoo.load(tiny.NAME, "cpu", dtype="float16", assets=tmp_path)


@pytest.mark.parametrize("found", zoo.bundled_cards(), ids=lambda found: found.name)
def test_what_is_shipped_loads(found: zoo.Card) -> None:
    for step in (None, *(taken["step"] for taken in found.snapshots)):
        model = zoo.load(found.name, "cpu", snapshot=step)
        assert sum(p.numel() for p in model.parameters()) == found.parameters


def lend(assets: Path, place: str) -> None:
    """A card `borrower` whose norm is borrowed, and its file without that."""
    state = stored(assets)
    own = {name: tensor for name, tensor in state.items() if not name.startswith("norm.")}
    content = safetensors.torch.save(own)
    (assets / "weights" / "borrower.safetensors").write_bytes(content)
    values = json.loads((assets / "cards" / f"{tiny.NAME}.json").read_text())
    values |= {"name": "borrower", "file": "borrower.safetensors", "borrows": {"norm.": place}}
    values["sha256"] = hashlib.sha256(content).hexdigest()
    (assets / "cards" / "borrower.json").write_text(json.dumps(values))


def test_what_is_borrowed_comes_from_the_lender(tmp_path: Path) -> None:
    expected = tiny.write(tmp_path)
    lend(tmp_path, f"{tiny.NAME}/norm.")
    model = zoo.load("borrower", "cpu", assets=tmp_path)
    pixels = torch.randn(1, 3, 48, 64)
    assert torch.equal(model(pixels), expected(pixels))


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("nobody/norm.", "The model card nobody.json cannot be read"),
        (f"{tiny.NAME}/norms.", "borrower.safetensors does not fit"),
    ],
)
def test_what_cannot_be_borrowed_is_said(tmp_path: Path, place: str, message: str) -> None:
    tiny.write(tmp_path)
    lend(tmp_path, place)
    with pytest.raises(ZooError, match=message):
        zoo.load("borrower", "cpu", assets=tmp_path)
