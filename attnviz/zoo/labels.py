"""Names for a model's outputs."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from attnviz.zoo.cards import Card
from attnviz.zoo.errors import ZooError


def label_names(card: Card) -> list[str]:
    """The class names of a model in the order of its outputs; empty for a model without classes."""
    if card.labels == "imagenet":
        return list(_imagenet())
    return list(card.labels or ())


@cache
def _imagenet() -> tuple[str, ...]:
    """ImageNet-1k's classes by WordNet's first lemma, from timm's tables.

    Reads the two files that ``timm.data.ImageNetInfo`` reads, without importing timm, which takes
    seconds that a bundled model need not wait for.
    """
    spec = find_spec("timm")
    if spec is None or not spec.submodule_search_locations:
        raise ZooError("timm, which holds the ImageNet class names, is not installed.")
    folder = Path(spec.submodule_search_locations[0]) / "data" / "_info"
    synsets = (folder / "imagenet_synsets.txt").read_text(encoding="utf-8").split()
    lines = (folder / "imagenet_synset_to_lemma.txt").read_text(encoding="utf-8").splitlines()
    lemma = dict(line.split("\t", 1) for line in lines)
    return tuple(lemma[synset].split(",")[0].strip() for synset in synsets)
