"""Ways to look compared: the same picture through every kind of captioner, and their scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import captions, maps, pictures, prose, show
from app.captions import KINDS, Look
from app.views import tell_common, tell_subject
from attnviz import analysis
from attnviz.figures.theme import colour_table

if TYPE_CHECKING:
    from attnviz.captioning import Captioning

SPLITS = {"seen": "new scenes of known pictures", "unseen": "pictures never learned from"}
WHAT = {
    "guided": "MLP score, attention taught with boxes",
    "learned": "MLP score, attention learned from words",
    "bilinear": "bilinear score, taught with boxes",
    "dot": "dot-product score, taught with boxes",
    "hard": "MLP score, one cell at a time",
}
OPACITY = 0.55


@show.panel
def draw(language: str, kind: str, of: str) -> None:
    """One row of maps a captioner, on one colour scale; under them the held-out scores."""
    look = tell_subject.look(language, kind, of)
    show.note(prose.text("tell", "Ways to look"))
    looks = [look.by(other) for other in captions.kinds(language)]
    found = [captions.caption(one) for one in looks]
    top = tell_common.top(
        *(run for one, run in zip(looks, found, strict=True) if one.kind != "hard")
    )
    for one, run in zip(looks, found, strict=True):
        show.small(f"{KINDS[one.kind]}: {WHAT[one.kind]}")
        show.pair(frames(one, run, top))
    show.note(
        f"One colour scale for all of them, from 0 to {top:.2f}; where a weight is larger, the "
        "colour is the brightest."
    )
    for split, title in SPLITS.items():
        show.small(f"Held out: {title}, {captions.LANGUAGES[language]}")
        show.table(*scores(looks, split))
    left, right = st.columns(2, gap="large")
    with left:
        show.explain("tell", "Ways to look")
        _take_away(looks, found)
    with right:
        show.facts(tell_common.facts(look, captions.caption(look)))


def frames(look: Look, run: Captioning, top: float) -> list[tuple[bytes, str]]:
    """The picture under the map of each word, and the word."""
    view = look.preprocess.view(look.picture.image)
    table = colour_table("viridis")
    rows = []
    for word, chance, weights in zip(run.words, run.probabilities, run.weights, strict=True):
        levels = maps.as_bytes(analysis.upsample(weights, run.geometry, "smooth"), top)
        mixed = (1 - OPACITY) * np.asarray(view) + OPACITY * table[levels]
        rows.append((pictures.painted(mixed.astype(np.uint8)), f"{word} {chance:.0%}"))
    return rows


def scores(looks: list[Look], split: str) -> tuple[list[str], list[list[str]]]:
    """Held-out scores of captioners, and what the middle and a blind guess would point at."""
    names = tell_common.SCORES
    head = ["attention", *(title for title, _ in names.values()), "minutes"]
    rows = [
        [
            KINDS[look.kind],
            *(tell_common.score(look.card, split, name) for name in names),
            f"{(look.card.seconds or 0) / 60:.0f}",
        ]
        for look in looks
    ]
    first = looks[0].card
    for name, title in (("pointing_centre", "always the middle"), ("pointing_uniform", "blindly")):
        values = ["" for _ in names]
        values[list(names).index("pointing")] = tell_common.score(first, split, name)
        rows.append([title, *values, ""])
    return head, rows


def _take_away(looks: list[Look], found: list[Captioning]) -> None:
    show.take_away(
        key="tell_scores",
        name="captions-compared",
        arrays=lambda: {
            f"{one.kind}_{name}": array
            for one, run in zip(looks, found, strict=True)
            for name, array in tell_common.arrays(run).items()
        },
        table=lambda: (
            ("kind", "split", "score", "value"),
            (
                (one.kind, *name.split("_", 1), value)
                for one in looks
                for name, value in one.card.scores.items()
            ),
        ),
        code=tell_common.code(looks[0]),
    )
