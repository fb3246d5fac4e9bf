"""Force: the caption's first words, or where it looks at a step; it goes on from there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import captions, prose, show, state
from app.captions import Look, Where
from app.components.captioner import Pick
from app.state import Tell
from app.views import tell_common, tell_subject
from attnviz.text import SPECIAL

if TYPE_CHECKING:
    from attnviz.captioning import Captioning

AS_IT_IS = "as it would"


@show.panel
def draw(language: str, kind: str, of: str) -> None:
    """The caption as it is, with cells to paint, beside the caption under force."""
    look = tell_subject.look(language, kind, of)
    state.about(f"{look.model} {look.picture.key}", Tell.WORDS, Tell.CELLS, Tell.STEP)
    prefix, where = forced_words(look), forced_cells()
    before = captions.caption(look)
    after = captions.caption(look, prefix=prefix, where=where)
    show.note(prose.text("tell", "Force"))
    left, right = st.columns(2, gap="large")
    top = tell_common.top(before, after)
    with left:
        show.small("As it is: pick a word and paint where it should look instead")
        _paint(look, before, top, where)
        _force_word(look, before, prefix)
    with right:
        show.small("Under force")
        tell_common.player(look, after, key=Tell.AFTER, top=top, name="forced")
        _undo(look, before, prefix, where)
    more, truth = st.columns(2, gap="large")
    with more:
        show.explain("tell", "Force")
        _take_away(look, before, after, prefix, where)
    with truth:
        show.facts([*_facts(before, after, where), *tell_common.facts(look, after)])


def forced_words(look: Look) -> tuple[int, ...]:
    """The ids that the link says to begin with."""
    ids = state.numbers(state.linked(Tell.WORDS))[:16]
    state.publish(Tell.WORDS)
    return ids if all(len(SPECIAL) <= id < look.words.size for id in ids) else ()


def forced_cells() -> Where:
    """The cells that the link says steps have to look at."""
    found = re.findall(r"(\d{1,2})\.([\d_]{1,800})", state.linked(Tell.CELLS))
    state.publish(Tell.CELLS)
    cells = (
        (
            int(step),
            tuple(sorted({int(c) for c in text.split("_") if c.isdecimal() and int(c) < 196})),
        )
        for step, text in found
    )
    return tuple(sorted((step, marked) for step, marked in cells if marked))


def _link_cells(where: Where) -> None:
    written = ("_".join(map(str, marked)) for _, marked in where)
    steps = (step for step, _ in where)
    state.link(
        Tell.CELLS, "-".join(f"{step}.{text}" for step, text in zip(steps, written, strict=True))
    )


def _paint(look: Look, before: Captioning, top: float, where: Where) -> None:
    """The free caption; painting on its picture forces the step of the picked word."""
    linked = state.linked(Tell.STEP)
    step = int(linked) if linked.isdecimal() and int(linked) < len(before.words) else None
    asked = None if step is None else Pick(step, dict(where).get(step, ()))

    def painted(pick: Pick | None) -> None:
        state.link(Tell.STEP, "" if pick is None else str(pick.step))
        # A word that is picked anew comes without cells: those that were painted stay.
        if pick is not None and (pick.cells or pick.step == step):
            rest = tuple(one for one in where if one[0] != pick.step)
            _link_cells(tuple(sorted((*rest, *([(pick.step, pick.cells)] if pick.cells else [])))))

    tell_common.player(
        look, before, key=Tell.BEFORE, top=top, name="free",
        picked=asked, mark=True, on_change=painted,
    )  # fmt: skip
    state.publish(Tell.STEP)


def _force_word(look: Look, before: Captioning, prefix: tuple[int, ...]) -> None:
    """The next word of the beginning: any that the captioner knows, the likeliest first."""
    run = captions.caption(look, prefix=prefix)
    step = min(len(prefix), len(run.words) - 1)
    likely = [id for id in run.candidates[step].tolist() if id >= len(SPECIAL)]
    rest = [id for id in range(len(SPECIAL), look.words.size) if id not in likely]
    begun = " ".join(look.words.word(id) for id in prefix)
    chance = dict(zip(run.candidates[step].tolist(), run.chances[step].tolist(), strict=True))

    def name(id: int) -> str:
        share = f" · {chance[id]:.1%}" if id in chance else ""
        return look.words.word(id) + share

    def chosen() -> None:
        id = st.session_state[Tell.NEXT_WORD]
        if id is not None:
            st.session_state[Tell.NEXT_WORD] = None
            state.link(Tell.WORDS, "-".join(map(str, (*prefix, id))))

    st.selectbox(
        f"Force word {step}" + (f", after “{begun}”" if begun else ""),
        [*likely, *rest], index=None, key=Tell.NEXT_WORD, format_func=name, on_change=chosen,
        placeholder="any of its words; the likeliest first",
    )  # fmt: skip


def _undo(look: Look, before: Captioning, prefix: tuple[int, ...], where: Where) -> None:
    """Let go of the words or of the cells of a step."""
    with st.container(key="tell_experiments", horizontal=True, gap="small"):
        if prefix:
            said = " ".join(look.words.word(id) for id in prefix)
            st.button(
                show.literal(f"Let go of “{said}”"), key="tell_free_words", type="tertiary",
                on_click=state.link, args=(Tell.WORDS, ""),
            )  # fmt: skip
        for step, marked in where:
            word = before.words[step] if step < len(before.words) else "?"
            rest = tuple(one for one in where if one[0] != step)
            cells = "cell" if len(marked) == 1 else "cells"
            st.button(
                show.literal(f"Let go of {len(marked)} {cells} at {step} “{word}”"),
                key=f"tell_free_{step}", type="tertiary", on_click=_link_cells, args=(rest,),
            )  # fmt: skip


def _facts(before: Captioning, after: Captioning, where: Where) -> Iterable[tuple[str, str]]:
    """That the forced maps are those that were used, measured on the recorded weights."""
    for step, marked in where:
        if step >= len(after.words):
            yield f"Step {step}", "not reached: the caption ends before it"
            continue
        asked = np.zeros(after.weights[step].size)
        asked[list(marked)] = 1 / len(marked)
        gap = np.abs(after.weights[step].ravel() - asked).max()
        own = before.weights[step].ravel()[list(marked)].sum() if step < len(before.words) else 0
        yield (
            f"Step {step}",
            f"looked evenly at {len(marked)} painted cells, within {gap:.1e}; by itself it gives "
            f"them {own:.1%}",
        )
    if after.forced:
        yield "Words", f"the first {len(after.forced)} are given; the rest is its own"
    if not where and not after.forced:
        yield "Forced", "nothing: both are the same run"


def _take_away(
    look: Look, before: Captioning, after: Captioning, prefix: tuple[int, ...], where: Where
) -> None:
    how = f", prefix={prefix}" * bool(prefix) + ", where=where" * bool(where)
    maps = "".join(
        f"where[{step}] = np.isin(np.arange(196), {list(marked)}).astype(float)\n"
        for step, marked in where
    )
    code = tell_common.code(look, how)
    if where:
        code = (
            "import numpy as np\n\nwhere = {}  # step → weights over the 196 cells\n" + maps + code
        )
    show.take_away(
        key="tell_force",
        name=f"{look.model}-forced",
        arrays=lambda: {
            **{f"free_{name}": array for name, array in tell_common.arrays(before).items()},
            **tell_common.arrays(after),
        },
        table=lambda: tell_common.table(after),
        code=code,
    )
