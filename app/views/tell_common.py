"""What the views of captions share: what the player is given, the facts, the snippet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from app import maps, scenes
from app.captions import Look
from app.components.captioner import Pick, Told, captioner
from attnviz import zoo
from attnviz.composition import Scene
from attnviz.data.captions import true_captions
from attnviz.data.things import things
from attnviz.text import SPECIAL

if TYPE_CHECKING:
    from attnviz.captioning import Captioning

Boxes = list[tuple[str, tuple[float, float, float, float]]]


def told(found: Captioning, top: float) -> Told:
    """A caption as the player takes it, `top` being the brightest colour."""
    return Told(
        words=found.words,
        weights=maps.as_bytes(found.weights, top),
        probabilities=found.probabilities,
        gates=found.gates,
        forced=found.forced,
        guided=found.guided,
    )


def telling_word(found: Captioning) -> int:
    """The first word of a caption that names a thing; the first word if none does."""
    names = {part for thing in things() for part in (*thing.en.split(), *thing.ko.split())}
    plurals = {thing.plural.split()[-1] for thing in things() if thing.form == "count"}
    known = (step for step, word in enumerate(found.words) if word in names | plurals)
    return next(known, 0)


def player(
    look: Look, found: Captioning, *, key: str, top: float, name: str, **options: Any
) -> Pick | None:
    """A caption to play, `top` being the brightest colour; `options` as `captioner` takes them."""
    return captioner(
        look.view,
        told(found, top),
        found.geometry,
        key=key,
        vmax=top,
        rest=telling_word(found),
        name=f"{look.model}-{name}",
        **options,
    )


def top(*found: Captioning) -> float:
    """The largest weight of some captions: what one colour scale for all of them ends at."""
    return max(float(one.weights.max()) for one in found)


def boxes(scene: Scene, language: str) -> Boxes:
    """Where the things of a scene really are, by their names."""
    return [
        (item.thing.ko if language == "ko" else item.thing.en, item.box)
        for item in scenes.items(scene)
    ]


def truth(scene: Scene, language: str) -> str:
    """What is true of a scene, as captioners were taught to say it."""
    return true_captions(scenes.items(scene), language)[0]


def facts(look: Look, found: Captioning) -> Iterable[tuple[str, str]]:
    """What holds for a caption: maps, likelihood, words, weights, scores, device."""
    sums = found.weights.sum((1, 2), dtype=np.float64)
    cells = found.geometry.rows * found.geometry.cols
    yield (
        "Maps",
        f"one a word, over {cells} cells; each sums to 1, the largest deviation measured is "
        f"{np.abs(sums - 1).max():.1e}",
    )
    yield (
        "Regulariser",
        f"Σ (1 − Σ α)² over the cells is {found.regulariser:.1f}, of {cells} at most",
    )
    surprise = float(found.losses.sum(dtype=np.float64))
    yield "Likelihood", f"{np.exp(-surprise):.1%} for the whole; {found.method}"
    yield (
        "Vocabulary",
        f"{look.words.size - len(SPECIAL)} words; what it does not know it calls by the nearest "
        "that it knows",
    )
    yield "Weights", weights_of(look.card)
    yield "Held out", held_out(look.card)
    yield "Run", f"{found.device}, float32, {found.seconds:.2f} s with every step recorded"


def weights_of(card: zoo.Card) -> str:
    """Which weights, and how they were made."""
    minutes = f" in {max(1, round(card.seconds / 60))} min" if card.seconds else ""
    steps = f", {card.steps:,} steps" if card.steps else ""
    return (
        f"{card.title}, {card.parameters / 1e6:.2f} M parameters with the CNN; trained by this "
        f"project{minutes} on {card.trained_on}{steps}"
    )


SCORES = {
    "exact_match": ("true captions", 100),
    "object_recall": ("objects named", 100),
    "object_words": ("object words, forced", 100),
    "pointing": ("pointing", 100),
    "bleu": ("BLEU-4", 1),
}
"""A card's scores, without the split, by their names for people; what makes them up to 100."""


def score(card: zoo.Card, split: str, name: str) -> str:
    """One held-out score for people; a dash where it was not measured."""
    value = card.scores.get(f"{split}_{name}")
    factor = SCORES[name][1] if name in SCORES else 100
    if value is None:
        return "–"
    return f"{factor * value:.1f}" + (" %" if factor == 100 else "")


def held_out(card: zoo.Card) -> str:
    """The scores on new scenes in one line."""
    said = (f"{title} {score(card, 'seen', name)}" for name, (title, _) in SCORES.items())
    return "new scenes: " + " · ".join(said)


def code(look: Look, how: str = "") -> str:
    """The snippet up to the caption, ``found``.

    Args:
        how: further arguments of ``describe``, each with a comma before it.
    """
    snapshot = "" if look.snapshot is None else f", snapshot={look.snapshot}"
    return (
        "from PIL import Image\n\n"
        "from attnviz import figures, zoo\n"
        "from attnviz.captioning import describe\n"
        "from attnviz.composition import Placement, Scene, render\n"
        "from attnviz.data.samples import sample\n"
        "from attnviz.data.stickers import stickers\n"
        "from attnviz.images import open_image\n"
        "from attnviz.text import Words\n\n"
        f'card = zoo.card("{look.model}")\n'
        f'model = zoo.load(card.name, "{look.device}"{snapshot})\n'
        "words = Words(card.labels)\n"
        f"image = {look.picture.code}\n"
        "view = card.preprocess.view(image)\n"
        f"found = describe(model, words, card.preprocess.pixels(view){how})\n"
        "print(found.text)\n"
    )


def arrays(found: Captioning) -> dict[str, np.ndarray]:
    """Everything of a caption, for NPZ."""
    return {
        "words": np.array(found.words),
        "maps": found.weights,
        "gates": found.gates,
        "probabilities": found.probabilities,
        **found.stages,
    }


def table(found: Captioning) -> tuple[Sequence[str], Iterable[Sequence[object]]]:
    """The maps of a caption, for CSV: a row a word and a cell."""
    return ("step", "word", "probability", "gate", "row", "column", "weight"), (
        (step, word, found.probabilities[step], found.gates[step], row, col, weight)
        for step, word in enumerate(found.words)
        for (row, col), weight in np.ndenumerate(found.weights[step])
    )
