"""Silence: heads, layers and source words taken away, and the translation before and after."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import controls, prose, show, state, translations
from app.components.heads import Head, heads
from app.state import Transformer
from app.translations import Talk
from app.views import seq2seq_common, transformer_common
from app.views.transformer_common import KINDS
from attnviz import figures

if TYPE_CHECKING:
    from attnviz.inside import Inside
    from attnviz.interventions import Intervention
    from attnviz.translation import Translation

INITIALS = {kind[0]: kind for kind in KINDS}
STACKS = ("encoder", "decoder")


@show.panel
def draw(talk: Talk) -> None:
    """The wall to click on at the left; what is gone, and what comes of it, at the right."""
    before, inside = transformer_common.ran(talk)
    show.note(prose.text("transformer", "Silence"))
    wall, side = st.columns([12, 9], gap="large")
    with side:
        gone = _chosen(before, inside)
        after = translations.translation(talk, intervention=gone)
        kept = translations.followed(talk, before.ids, intervention=gone)
        _compare(talk, before, after, kept, gone)
    with wall:
        _heads(talk, inside, gone)
    with st.spinner("Silencing every head alone, one layer after another …"):
        effects = translations.head_effects(talk, before.ids)
    more, truth = st.columns([12, 9], gap="large")
    with more:
        _effects(effects)
        show.explain("transformer", "Silence")
        _take_away(talk, before, after, gone, effects)
    with truth:
        show.facts([*_facts(gone, effects), *transformer_common.facts(talk, before, inside)])


def _chosen(before: Translation, inside: Inside) -> Intervention:
    """What the link or earlier clicks take away, as far as it fits; with the pickers for it."""
    from attnviz.interventions import Intervention

    layers, count = inside.weights("cross").shape[:2]
    silent = [place for place in _silent() if place[1] < layers and place[2] < count]
    names = [f"{stack} {layer}" for stack in STACKS for layer in range(layers)]
    words, labels = seq2seq_common.words(before.sentence.text, before.pieces, before.source)
    off = _pills("Layers that add nothing", names, Transformer.OFF, Transformer.OFF_PILLS)
    unseen = _pills(
        "Source words that nobody sees",
        [f"{i} {show.literal(name)}" for i, name in enumerate(labels)],
        Transformer.UNSEEN,
        Transformer.UNSEEN_PILLS,
    )
    st.button(
        "Undo all", on_click=_undo, key="tf_undo", type="tertiary",
        disabled=not (silent or off or unseen),
    )  # fmt: skip
    state.publish(Transformer.SILENT)
    return Intervention(
        heads=tuple(silent),
        layers=tuple((STACKS[i // layers], i % layers) for i in off),
        unseen=tuple(piece for i in unseen for piece in words[i]),
    )


def _pills(label: str, names: Sequence[str], link: str, key: str) -> list[int]:
    """Several of a few names, as their places; they live in the link."""
    places = [place for place in state.numbers(state.linked(link)) if place < len(names)]
    st.session_state[key] = [names[place] for place in places]

    def changed() -> None:
        chosen = st.session_state[key] or []
        state.link(link, "-".join(str(names.index(name)) for name in chosen if name in names))

    st.pills(label, names, selection_mode="multi", key=key, on_change=changed, wrap=True)
    state.publish(link)
    return places


def _silent() -> list[tuple[str, int, int]]:
    """``"c.4.2-e.0.1"`` → (("cross", 4, 2), ("encoder", 0, 1)), sorted; the rest is left out."""
    found = (
        re.fullmatch(rf"([{''.join(INITIALS)}])\.(\d{{1,2}})\.(\d{{1,2}})", part)
        for part in state.linked(Transformer.SILENT).split("-")
    )
    return sorted({(INITIALS[m[1]], int(m[2]), int(m[3])) for m in found if m})


def _undo() -> None:
    for name in (Transformer.SILENT, Transformer.OFF, Transformer.UNSEEN):
        state.link(name, "")


def _heads(talk: Talk, inside: Inside, gone: Intervention) -> None:
    """The wall: a click silences a head, another brings it back."""
    kind = controls.one_of("Heads of", list(KINDS), key=Transformer.SILENT_KIND)
    shown = transformer_common.of_kind(inside, kind)
    show.small("Click a head to silence it, again to let it speak")
    heads(
        shown.weights,
        shown.queries,
        shown.keys,
        key=Transformer.SILENT_HEADS,
        kind=kind,  # type: ignore[arg-type]
        mask=shown.mask,
        silenced=[(layer, head) for where, layer, head in gone.heads if where == kind],
        name=f"{talk.model}-silenced",
        on_change=lambda head: _toggle(kind, head),
    )


def _toggle(kind: str, chosen: Head | None) -> None:
    """A click on the picked head again reports that none is picked."""
    clicked = st.session_state.get(Transformer.SILENT_CLICKED) if chosen is None else chosen
    st.session_state[Transformer.SILENT_CLICKED] = chosen
    if clicked is None:
        return
    silent = set(_silent()) ^ {(kind, int(clicked[0]), int(clicked[1]))}
    text = "-".join(f"{where[0]}.{layer}.{head}" for where, layer, head in sorted(silent))
    state.link(Transformer.SILENT, text)


def _compare(
    talk: Talk, before: Translation, after: Translation, kept: Translation, gone: Intervention
) -> None:
    """Both translations piece under piece, and what the first is worth now."""
    show.small("The translation")
    changed = [i for i, id in enumerate(after.ids) if before.ids[i : i + 1] != (id,)]
    show.tokens([("before", before.target, ()), ("after", after.target, changed)])
    surprise = [float(run.losses.sum(dtype=np.float64)) for run in (before, kept)]
    show.labels(
        "Probability of the first translation",
        [("before", float(np.exp(-surprise[0]))), ("after", float(np.exp(-surprise[1])))],
    )
    for note in after.notes:
        if note not in before.notes:
            show.note(note)
    if gone.unseen and len(set(gone.unseen)) == len(before.source):
        show.note("Nothing of the source is left to look at: those rows of weights are zero.")


def _effects(effects: dict[str, np.ndarray]) -> None:
    """Which head matters: the share of the translation's probability that goes with each."""
    lost = np.stack([1 - np.exp(np.minimum(effects[kind], 0)) for kind in KINDS], -1)
    show.small("Which head matters")
    figure = figures.head_shares(
        lost, list(KINDS), name="share of the probability lost", scale_max=None, height=300
    )
    show.plot(figure, key="tf_effects", name="head-effects", alt="What each head is worth")
    show.note(
        "How much of the first translation's probability is lost when one head alone is silenced: "
        "0 nothing, or it became likelier; 1 all of it. One scale for all three."
    )


def _facts(gone: Intervention, effects: dict[str, np.ndarray]) -> Iterable[tuple[str, str]]:
    if gone.heads:
        named = ", ".join(f"{kind} {layer}.{head}" for kind, layer, head in gone.heads)
        yield "Silenced", f"{named}: their context is 0; their weights are still computed"
    if gone.layers:
        named = ", ".join(f"{stack} {layer}" for stack, layer in gone.layers)
        yield "Layers off", f"{named}: no sublayer adds anything; LayerNorm stays"
    if gone.unseen:
        yield "Unseen", f"{len(gone.unseen)} pieces get weight 0 from everybody; places stay"
    kind, change = min(((k, a.min()) for k, a in effects.items()), key=lambda pair: pair[1])
    layer, head = np.unravel_index(int(effects[kind].argmin()), effects[kind].shape)
    yield "Matters most", f"{kind} {layer}.{head}: {change:+.2f} nats for the whole translation"
    least = sum(int((array > -0.01).sum()) for array in effects.values())
    total = sum(array.size for array in effects.values())
    yield "Matters not", f"{least} of {total} heads cost less than 0.01 nats, each alone"


def _take_away(
    talk: Talk,
    before: Translation,
    after: Translation,
    gone: Intervention,
    effects: dict[str, np.ndarray],
) -> None:
    code = transformer_common.code(talk) + (
        "from attnviz.inside import head_effects\n"
        "from attnviz.interventions import Intervention, edits\n\n"
        f"gone = {gone!r}\n"
        "after = translate(model, tokeniser, found.sentence, edits=edits(model, gone))\n"
        "print(after.text)\n"
        "effects = head_effects(model, tokeniser, found.sentence, found.ids)  # nats by kind\n"
        'print(effects["cross"].round(2))\n'
    )
    show.take_away(
        key="tf_silence",
        name=f"{talk.model}-silenced",
        arrays=lambda: {
            **effects,
            "before": np.array(before.target),
            "after": np.array(after.target),
        },
        table=lambda: (
            ("kind", "layer", "head", "change, nats"),
            (
                (kind, layer, head, effects[kind][layer, head])
                for kind in KINDS
                for layer, head in np.ndindex(effects[kind].shape)
            ),
        ),
        code=code,
        figures=True,
    )
