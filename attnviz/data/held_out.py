"""Sentences of a corpus that no model was trained on, bundled for the app."""

from __future__ import annotations

import difflib
import json
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from attnviz.data.pairs import Pair

CORPORA = Path(__file__).parents[1] / "assets" / "corpora"


@dataclass(frozen=True)
class HeldOut:
    """What the app shows of a corpus; all of it is from its test pairs.

    Attributes:
        name: of the corpus.
        title: for people, in English.
        source_language: "ko", "en" or "fr".
        target_language: likewise.
        licence: of the sentences.
        examples: a few to pick from, short ones first.
        pairs: at most 300, of every length alike.
    """

    name: str
    title: str
    source_language: str
    target_language: str
    licence: str
    examples: tuple[Pair, ...]
    pairs: tuple[Pair, ...] = field(repr=False)


@cache
def held_out(name: str) -> HeldOut:
    """The bundled sentences of a corpus, read once.

    Raises:
        LookupError: there are none of that name; the message names near ones.
    """
    names = sorted(path.stem for path in CORPORA.glob("*.json"))
    if name not in names:
        near = difflib.get_close_matches(name, names, n=3, cutoff=0.4) or names
        raise LookupError(f"there are no sentences of {name!r}; there are {', '.join(near)}")
    stored = json.loads((CORPORA / f"{name}.json").read_text(encoding="utf-8"))
    examples = tuple(_pair(row) for row in stored.pop("examples"))
    return HeldOut(
        **stored | {"examples": examples, "pairs": tuple(map(_pair, stored.pop("held_out")))}
    )


def write_held_out(sentences: HeldOut) -> Path:
    """Writes the file that `held_out` reads, and says where."""
    stored = asdict(sentences)
    stored["examples"] = [{"source": p.source, "target": p.target} for p in sentences.examples]
    stored["held_out"] = [_row(pair) for pair in sentences.pairs]
    del stored["pairs"]
    path = CORPORA / f"{sentences.name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(stored, ensure_ascii=False, separators=(",", ":"))
    path.write_text(text + "\n", encoding="utf-8")
    held_out.cache_clear()
    return path


def _row(pair: Pair) -> dict[str, Any]:
    return {"source": pair.source, "target": pair.target, "links": pair.links}


def _pair(row: dict[str, Any]) -> Pair:
    links = tuple(
        ((start, end), (first, last)) for (start, end), (first, last) in row.get("links", ())
    )
    return Pair(row["source"], row["target"], links)
