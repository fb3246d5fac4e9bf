"""Step by step: from the grid to the next word, stage by stage, with the real numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import captions, maps, prose, show, state
from app.captions import Look
from app.components.teller import STAGES, Place, Telling, teller
from app.state import Tell
from app.views import tell_caption, tell_common, tell_subject

if TYPE_CHECKING:
    from attnviz.captioning import Captioning

START = (0, 0)


@show.panel
def draw(language: str, kind: str, of: str) -> None:
    """The step player over the whole width; what holds for it under it."""
    look = tell_subject.look(language, kind, of)
    found = captions.caption(look)
    show.translation(found.text, language, found.notes, large=False)
    show.note(prose.text("tell", "Step by step"))
    _play(look, found)
    left, right = st.columns(2, gap="large")
    with left:
        show.explain("tell", "Step by step")
        tell_caption.take_away(look, found)
    with right:
        show.facts([*_facts(look, found), *tell_common.facts(look, found)])


def _play(look: Look, found: Captioning) -> Place:
    """The player; where it rests is kept in the link."""
    inside = (
        (step, stage)
        for step, stage in state.pairs(state.linked(Tell.STAGE))
        if step < len(found.words) and stage < len(STAGES)
    )
    asked = next(inside, START)
    place = teller(
        look.view,
        telling(look, found),
        found.geometry,
        key=Tell.TELLER,
        asked=asked,
        name=f"{look.model}-steps",
    )
    if place != asked:
        state.link(Tell.STAGE, "" if place == START else f"{place[0]}.{place[1]}")
    state.publish(Tell.STAGE)
    return place


def telling(look: Look, found: Captioning) -> Telling:
    """A caption as the player takes it."""
    stages = found.stages
    return Telling(
        words=found.words,
        grid=maps.principal_colours(stages["annotations"]),
        annotations=stages["annotations"],
        mean=stages["mean"],
        initial_state=stages["initial_state"],
        scores=stages["attention.scores"],
        weights=stages["attention.weights"],
        averages=stages["attention.average"],
        gates=found.gates,
        contexts=stages["attention.context"],
        states=stages["states"],
        candidates=found.candidate_labels,
        chances=found.chances,
        probabilities=found.probabilities,
        kind=look.card.config.get("score", "mlp"),
        hard=bool(look.card.config.get("hard")),
        apart=two_views(look),
    )


def two_views(look: Look) -> bool:
    """Whether where to look is decided on other features than what is seen there."""
    return look.card.config.get("stem", "").endswith("both")


def _facts(look: Look, found: Captioning) -> Iterable[tuple[str, str]]:
    """What was computed again here from what it was made of."""
    stages = found.stages
    scores, weights = stages["attention.scores"], stages["attention.weights"]
    grown = np.exp(scores - scores.max(axis=1, keepdims=True))
    softmax = np.abs(grown / grown.sum(axis=1, keepdims=True) - weights).max()
    average = stages["attention.looked"] @ stages["annotations"]
    summed = np.abs(average - stages["attention.average"]).max()
    gated = np.abs(found.gates[:, None] * average - stages["attention.context"]).max()
    mean = np.abs(stages["annotations"].mean(0) - stages["mean"]).max()
    yield "Average", f"of the annotation vectors gives the first state; equal within {mean:.1e}"
    yield "Softmax", f"of the scores gives the weights within {softmax:.1e}"
    yield "Context", f"Σ α a within {summed:.1g}, times the gate within {gated:.1g}"
    if two_views(look):
        yield (
            "Two views",
            "shallow features alone decide where to look; what is there is read off all of them",
        )
