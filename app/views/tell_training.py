"""Training: the same picture through the captioner as it was at steps of its training."""

from __future__ import annotations

import streamlit as st

from app import captions, prose, show, state
from app.state import Tell
from app.views import tell_common, tell_subject


@show.panel
def draw(language: str, kind: str, of: str) -> None:
    """A slider over the kept steps; what was said at each of them under it."""
    look = tell_subject.look(language, kind, of)
    final = look.card.steps or 0
    steps = [*(taken["step"] for taken in look.card.snapshots), final]
    show.note(prose.text("tell", "Training"))
    if len(steps) == 1:
        kept = [k for k in captions.kinds(language) if look.by(k).card.snapshots]
        names = " and ".join(captions.KINDS[k] for k in kept) or "none in this language"
        show.note(f"Snapshots were kept of: {names}. Choose one of them above.")
        return
    linked = state.linked(Tell.SNAPSHOT)
    chosen = int(linked) if linked.isdecimal() and int(linked) in steps else steps[-1]
    st.session_state[Tell.SNAPSHOT_SLIDER] = chosen
    st.select_slider(
        "Steps of training", steps, key=Tell.SNAPSHOT_SLIDER,
        format_func=lambda step: f"{step:,}",
        on_change=lambda: state.link(Tell.SNAPSHOT, str(st.session_state[Tell.SNAPSHOT_SLIDER])),
    )  # fmt: skip
    state.publish(Tell.SNAPSHOT)
    at = look.by(snapshot=None if chosen == final else chosen)
    last = captions.caption(look)
    run = captions.caption(at)
    left, right = st.columns(2, gap="large")
    with left:
        top = tell_common.top(run, last)
        tell_common.player(at, run, key=Tell.TRAINED, top=top, name=str(chosen))
    with right:
        show.small("What it said at each step, and how well it pointed then")
        show.table(
            ("steps", "caption", "object words", "pointing"),
            [
                (
                    f"{step:,}",
                    captions.caption(
                        then := look.by(snapshot=None if step == final else step)
                    ).text,
                    tell_common.score(then.card, "seen", "object_words"),
                    tell_common.score(then.card, "seen", "pointing"),
                )
                for step in steps
            ],
        )
        show.facts(tell_common.facts(at, run))
    show.take_away(
        key="tell_training",
        name=f"{look.model}-{chosen}",
        arrays=lambda: tell_common.arrays(run),
        table=lambda: tell_common.table(run),
        code=tell_common.code(at),
    )
