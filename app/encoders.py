"""Sentences through the pretrained encoder, each computed once.

torch is imported inside the functions, so that the page paints before it arrives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app import loaders
from attnviz.text import Sentence

if TYPE_CHECKING:
    from attnviz.encoding import Encoding


def encoding(sentence: Sentence, device: str) -> Encoding:
    """Every layer of MiniLM over a sentence.

    Raises:
        ZooError: its weights are not on this machine.
    """
    from attnviz.encoding import encode

    def make() -> Encoding:
        model, tokeniser = loaders.encoder(device)
        with loaders.turn(device):
            return encode(model, tokeniser, sentence)

    return loaders.kept(("encoding", device, sentence), make, _size)


def _size(found: Encoding) -> int:
    return found.weights.nbytes + found.stream.nbytes + found.embedding.nbytes
