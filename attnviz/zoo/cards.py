"""Model cards: what there is, where its weights come from, how good they are. No torch in here.

A bundled model is a pair of files, ``assets/cards/NAME.json`` (a ``Card``) and
``assets/weights/NAME.safetensors``; models from timm come from the table in ``timm_table``, and the
text encoder of an optional package from ``minilm``.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from attnviz.images import Preprocess
from attnviz.zoo.errors import UnknownModel, ZooError

ASSETS = Path(__file__).resolve().parent.parent / "assets"
DEFAULT = "hybrid_vit_scenes"
SOURCES = ("bundled", "timm", "package")

_TEXT, _NUMBER = (str,), (int, float)
_TYPES: dict[str, tuple[type, ...]] = {
    "name": _TEXT,
    "title": _TEXT,
    "family": _TEXT,
    "variant": (str, type(None)),
    "config": (dict,),
    "preprocess": (dict, type(None)),
    "labels": (str, list, type(None)),
    "parameters": (int,),
    "file": _TEXT,
    "sha256": (str, type(None)),
    "paper": _TEXT,
    "recipe": (str, type(None)),
    "data": (list,),
    "seed": (int, type(None)),
    "steps": (int, type(None)),
    "seconds": (*_NUMBER, type(None)),
    "trained_on": (str, type(None)),
    "scores": (dict,),
    "by_length": (list,),
    "corpus": (str, type(None)),
    "tokeniser": (str, type(None)),
    "snapshots": (list,),
    "borrows": (dict,),
    "language": (str, type(None)),
    "notes": _TEXT,
}
# What each entry of a list of objects has to hold.
_ENTRIES: dict[str, dict[str, tuple[type, ...]]] = {
    "by_length": {"from": (int,), "to": (int,), "count": (int,)},
    "snapshots": {"step": (int,), "file": _TEXT, "sha256": _TEXT, "scores": (dict,)},
}


@dataclass(frozen=True)
class Card:
    """One model of the zoo.

    Args:
        name: what ``load`` takes; equal to timm's name where timm has the model.
        family: ``"vit"``, ``"swin"``, …: which pages and commands can show it.
        source: ``"bundled"``, ``"timm"``, or ``"package"``: an optional one, else the hub.
        variant, config: the architecture, ``models.build(variant, **config)``.
        preprocess: how a picture becomes its input; None for models of text.
        labels: ``"imagenet"``, the class names in order, or None for a model without classes.
        parameters: how many numbers were learned.
        file: name in ``assets/weights``, or ``owner/repository/file`` on the hub.
        sha256: of the file; None where the hub says it.
        recipe, data, seed, steps, seconds, trained_on: how a bundled file was made; ``data`` lists
            ``{"name", "version", "licence"}``.
        scores: held-out measurements, name → value.
        by_length: the same of sentences ``from`` to ``to`` words long, ``count`` of them; a value
            that was not measured is None.
        borrows: tensors that another bundled model's file holds: prefix of their names here →
            ``"CARD/PREFIX"`` there; a frozen part is shipped once.
        language: of what a captioner writes; its words are the ``labels``.
        corpus, tokeniser: of a translator: its sentences, and the vocabulary that reads them.
        snapshots: weights from earlier in the training, ``{"step", "file", "sha256", "scores"}``;
            ``at_step`` makes each a card.
    """

    name: str
    title: str
    family: str
    source: str = "bundled"
    variant: str | None = None
    config: dict[str, Any] = field(default_factory=dict, hash=False)
    preprocess: Preprocess | None = None
    labels: str | tuple[str, ...] | None = None
    parameters: int = 0
    file: str = ""
    sha256: str | None = None
    paper: str = ""
    recipe: str | None = None
    data: tuple[dict[str, str], ...] = field(default=(), hash=False)
    seed: int | None = None
    steps: int | None = None
    seconds: float | None = None
    trained_on: str | None = None
    scores: dict[str, float] = field(default_factory=dict, hash=False)
    by_length: tuple[dict[str, Any], ...] = field(default=(), hash=False)
    corpus: str | None = None
    tokeniser: str | None = None
    snapshots: tuple[dict[str, Any], ...] = field(default=(), hash=False)
    borrows: dict[str, str] = field(default_factory=dict, hash=False)
    language: str | None = None
    notes: str = ""

    @property
    def bundled(self) -> bool:
        """Whether it works without any network."""
        return self.source == "bundled"

    def at_step(self, step: int) -> Card:
        """The model as it was after that many steps of its training.

        Raises:
            ZooError: no snapshot of that step is bundled; those that are, are listed.
        """
        for taken in self.snapshots:
            if taken["step"] == step:
                return replace(
                    self,
                    by_length=(),
                    steps=step,
                    **{key: taken[key] for key in ("file", "sha256", "scores")},
                )
        steps = ", ".join(str(taken["step"]) for taken in self.snapshots) or "none"
        raise ZooError(f"{self.name} has no snapshot of step {step}; there are: {steps}.")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for ``json.dumps``; ``card_from_dict`` reads them back."""
        return asdict(self)


def cards(assets: Path = ASSETS) -> list[Card]:
    """Everything the zoo offers: bundled models (the default one leads), timm's, and MiniLM."""
    from attnviz.zoo import minilm
    from attnviz.zoo.timm_table import TIMM_CARDS

    return [*bundled_cards(assets), *TIMM_CARDS, minilm.CARD]


def bundled_cards(assets: Path = ASSETS) -> list[Card]:
    """The models whose weights come with the package."""
    found = [read_card(path) for path in sorted((assets / "cards").glob("*.json"))]
    return sorted(found, key=lambda card: (card.name != DEFAULT, card.name))


def card(name: str, assets: Path = ASSETS) -> Card:
    """The card of a model: bundled, of the table, or of any other timm checkpoint that fits ours.

    Only a name that is neither bundled nor in the table makes this import timm (and torch).

    Raises:
        UnknownModel: there is no such model; near names are listed.
    """
    from attnviz.zoo.timm_table import timm_card

    offered = cards(assets)
    for found in offered:
        if name == found.name:
            return found
    try:
        return timm_card(name)
    except UnknownModel:
        raise UnknownModel(_no_model(name, [found.name for found in offered])) from None


def read_card(path: Path) -> Card:
    """The card in a JSON file.

    Raises:
        ZooError: not JSON, or a field is missing, unknown or of the wrong type; the file is named.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ZooError(f"The model card {path.name} cannot be read: {error}.") from error
    return card_from_dict(values, path.name)


def card_from_dict(values: Any, where: str = "a model card") -> Card:
    """A card from plain values, checked; ``where`` names them in messages."""
    if not isinstance(values, dict):
        raise ZooError(f"{where} should hold one JSON object.")
    values = {"source": "bundled", **values}
    _check_names(values, where)
    _check_types({name: values[name] for name in _TYPES if name in values}, _TYPES, where)
    for name, types in _ENTRIES.items():
        for number, entry in enumerate(values.get(name, ())):
            _check_entry(entry, types, f"{where}: {name} {number}")
    if values["source"] == "bundled" and not (values.get("file") and values.get("sha256")):
        raise ZooError(f"{where}: a bundled model names its file and the file's sha256.")
    values["config"] = {key: _frozen(value) for key, value in values.get("config", {}).items()}
    for name in ("data", *_ENTRIES):
        values[name] = tuple(values.get(name, ()))
    values["labels"] = _frozen(values.get("labels"))
    if values.get("preprocess") is not None:
        values["preprocess"] = _preprocess(values["preprocess"], where)
    return Card(**values)


def _check_names(values: dict[str, Any], where: str) -> None:
    known = {item.name for item in fields(Card)}
    needed = {
        item.name
        for item in fields(Card)
        if item.default is MISSING and item.default_factory is MISSING
    }
    if missing := sorted(needed - set(values)):
        raise ZooError(f"{where} lacks {', '.join(missing)}.")
    if unknown := sorted(set(values) - known):
        raise ZooError(f"{where} has fields that no card has: {', '.join(unknown)}.")
    if values["source"] not in SOURCES:
        sources = ", ".join(SOURCES)
        raise ZooError(f"{where}: source is one of {sources}, not {values['source']!r}.")


def _check_types(values: dict[str, Any], types: dict[str, tuple[type, ...]], where: str) -> None:
    for name, value in values.items():
        if not isinstance(value, types[name]) or isinstance(value, bool):
            expected = " or ".join("null" if t is type(None) else t.__name__ for t in types[name])
            raise ZooError(f"{where}: {name!r} should be {expected}, not {value!r}.")


def _check_entry(entry: Any, types: dict[str, tuple[type, ...]], where: str) -> None:
    """An object with at least these fields; what else it holds are measurements."""
    if not isinstance(entry, dict) or not types.keys() <= entry.keys():
        raise ZooError(f"{where} should be an object with {', '.join(types)}, not {entry!r}.")
    measured = dict.fromkeys(entry, (*_NUMBER, type(None)))
    _check_types(entry, measured | types, where)


def _preprocess(values: dict[str, Any], where: str) -> Preprocess:
    try:
        return Preprocess(**{key: _frozen(value) for key, value in values.items()})
    except (TypeError, ValueError) as error:
        raise ZooError(f"{where}: preprocess is wrong: {error}.") from error


def _frozen(value: Any) -> Any:
    """JSON's lists as tuples, so that configs stay hashable."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _no_model(name: str, names: Iterable[str]) -> str:
    names = list(names)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    if near:
        return f"There is no model {name!r}; did you mean {' or '.join(near)}?"
    return f"There is no model {name!r}; there are: {', '.join(names)}."
