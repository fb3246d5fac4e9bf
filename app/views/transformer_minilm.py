"""A pretrained encoder: any English sentence through the heads of MiniLM."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import controls, encoders, prose, show, state
from app.components.heads import Head, heads
from app.state import Mini
from attnviz import analysis, figures
from attnviz.text import Sentence, SentenceError, read_sentence
from attnviz.zoo import ZooError, minilm

if TYPE_CHECKING:
    from attnviz.encoding import Encoding

EXAMPLES = (
    "The animal didn't cross the street because it was too tired.",
    "The animal didn't cross the street because it was too wide.",
    "The man bit the dog.",
    "She is unbelievably beautiful.",
)
OTHER = "The animal was exhausted."
DEFAULTS = {Mini.TEXT: EXAMPLES[0], Mini.OTHER: OTHER}
FIRST = "3.1"  # the head picked at first: in the first example it leads from "it" to "animal"
NONE = "none"
UNITS = ("pieces", "words")


@show.panel
def draw() -> None:
    """The heads over the whole width; what each does and how alike sentences are below."""
    if not minilm.present():
        _offer()
        return
    show.note(prose.text("transformer", "Pretrained encoder"))
    left, right = st.columns([13, 7], gap="large", vertical_alignment="bottom")
    with left:
        sentence = _ask()
    with right:
        units = controls.one_of("Tokens are", UNITS, key=Mini.UNITS)
    _examples()
    device, _ = controls.chosen_device()
    with st.spinner("Reading the sentence …", show_time=False):
        run = encoders.encoding(sentence, device)
    for remark in run.notes:
        show.note(remark)
    picked = _heads(run, units)
    shares = analysis.habits(run.weights)
    left, right = st.columns([13, 7], gap="large")
    with left:
        show.note(prose.text("transformer", "Pretrained: habits"))
        figure = figures.head_shares(shares, analysis.HABITS, marked=picked, height=340)
        show.plot(figure, key="tf_mini_habits", name="minilm-habits", alt="What each head looks at")
        show.explain("transformer", "Pretrained encoder")
        _take_away(run, shares)
    with right:
        if picked is not None:
            rows = [
                (name, float(share))
                for name, share in zip(analysis.HABITS, shares[picked], strict=True)
            ]
            show.labels(f"Layer {picked[0]}, head {picked[1]} looks at", rows)
        _compare(run, device)
        show.facts(_facts(run, shares))


def _offer() -> None:
    """What to do where the weights are not on this machine."""
    megabytes = sum(file.size for file in minilm.FILES) / 1e6
    st.markdown(prose.text("transformer", "Pretrained: missing").format(command=minilm.INSTALL))
    if not st.button(f"Fetch it from the hub, {megabytes:.0f} MB", key=Mini.FETCH):
        return
    place = st.empty()
    with place.container():
        progress = controls.fetching("MiniLM", key=Mini.STOP, on_stop=lambda: None)
    try:
        minilm.fetch(progress=progress)
    except ZooError as error:
        place.empty()
        raise show.Problem(str(error)) from error
    st.rerun()


def _ask() -> Sentence:
    """The box to type into. What is no sentence leaves the last one."""
    chosen = _chosen(Mini.TEXT)
    st.session_state[Mini.BOX] = chosen.text
    with (
        st.form("tf_mini_say", border=False),
        st.container(horizontal=True, vertical_alignment="bottom", gap="small", wrap=False),
    ):
        st.text_input("English sentence", key=Mini.BOX)
        st.form_submit_button("Read", key=Mini.SEND, on_click=_typed, args=(Mini.TEXT, Mini.BOX))
    return chosen


def _examples() -> None:
    with st.container(key="tf_mini_examples", horizontal=True, gap="small", wrap=False):
        for number, text in enumerate(EXAMPLES):
            st.button(
                show.literal(text), key=f"tf_mini_example_{number}", type="tertiary",
                on_click=_say, args=(Mini.TEXT, text),
            )  # fmt: skip
    if problem := st.session_state.pop(Mini.PROBLEM, ""):
        show.problem(problem)


def _chosen(key: str) -> Sentence:
    """The sentence of the link or of the session, else the default."""
    text = state.linked(key, DEFAULTS[key])
    state.publish(key, DEFAULTS[key])
    kept: Sentence | None = st.session_state.get(f"{key}_read")
    if kept is not None and kept.text == text:
        return kept
    try:
        return read_sentence(text)
    except SentenceError:
        return Sentence(DEFAULTS[key])


def _typed(key: str, box: str) -> None:
    _say(key, st.session_state[box])


def _say(key: str, raw: str) -> None:
    """Make a text the sentence; what was cut off it is remembered."""
    try:
        read = read_sentence(raw)
    except SentenceError as error:
        st.session_state[Mini.PROBLEM] = str(error)
        return
    st.session_state[f"{key}_read"] = read
    state.link(key, read.text, DEFAULTS[key])


def _heads(run: Encoding, units: str) -> Head | None:
    """Every head; the picked one is remembered in the link."""
    weights, labels = run.weights, run.labels
    if units == "words":
        weights, labels = merged(run)
    pinned = _pinned(weights)
    picked = heads(
        weights,
        labels,
        labels,
        key=Mini.HEADS,
        kind="encoder",
        selected=pinned,
        name="minilm-heads",
    )
    if picked != pinned:
        link = NONE if picked is None else f"{picked[0]}.{picked[1]}"
        state.link(Mini.HEAD, link, FIRST)
    state.publish(Mini.HEAD, FIRST)
    return picked


def _pinned(weights: np.ndarray) -> Head | None:
    """The head of the link or of an earlier click, if there is such a one."""
    layers, count = weights.shape[:2]
    found = state.pairs(state.linked(Mini.HEAD, FIRST))
    return next(((layer, head) for layer, head in found if layer < layers and head < count), None)


def merged(run: Encoding) -> tuple[np.ndarray, tuple[str, ...]]:
    """Weights between words, (layers, heads, words, words), and the words."""
    groups, names = run.words()
    weights = [
        [analysis.merge_pieces(head, groups, groups) for head in layer] for layer in run.weights
    ]
    return np.array(weights), names


def _compare(run: Encoding, device: str) -> None:
    """How alike the sentence and another one are."""
    other = _chosen(Mini.OTHER)
    st.session_state[Mini.OTHER_BOX] = other.text
    st.text_input(
        "Compare with", key=Mini.OTHER_BOX, on_change=_typed, args=(Mini.OTHER, Mini.OTHER_BOX)
    )
    found = encoders.encoding(other, device)
    for remark in found.notes:
        show.note(remark)
    cosine = float(run.embedding @ found.embedding)
    show.facts([("Cosine", f"{cosine:.3f}")], title="How alike both sentences are")
    show.note(prose.text("transformer", "Pretrained: alike"))


def _facts(run: Encoding, shares: np.ndarray) -> Iterable[tuple[str, str]]:
    card = minilm.CARD
    deviation = float(np.abs(run.weights.sum(-1, dtype=np.float64) - 1).max())
    yield "Rows", f"sum to 1; the largest deviation measured is {deviation:.1e}"
    yield "Axes", "queries are the tokens that look, keys what they look at; all from 0"
    overall = dict(zip(analysis.HABITS, shares.mean((0, 1)), strict=True))
    yield (
        "Habits",
        f"the mean over the {len(run.pieces)} pieces of this sentence; over all heads "
        f"{overall['[CLS]']:.0%} of it goes to [CLS] and {overall['[SEP]']:.0%} to [SEP]",
    )
    yield (
        "Weights",
        f"{card.title}, {card.parameters / 1e6:.2f} M parameters, trained by others on "
        f"{card.data[0]['name']}; {minilm.REPOSITORY}, Apache-2.0",
    )
    yield "Parity", "the vector is sentence-transformers’ and that of torch’s layers within 1e-5"
    yield "Run", f"{run.device}, float32, {run.seconds:.2f} s with every weight recorded"


def _take_away(run: Encoding, shares: np.ndarray) -> None:
    code = (
        "from attnviz import analysis, figures, zoo\n"
        "from attnviz.encoding import encode, similarity\n"
        "from attnviz.zoo import minilm\n\n"
        f'model, tokeniser = zoo.load("{minilm.CARD.name}", "{run.device}"), minilm.tokeniser()\n'
        f"run = encode(model, tokeniser, {run.sentence.text!r})\n"
        "print(run.labels, run.weights.shape)  # (layers, heads, queries, keys)\n"
        "shares = analysis.habits(run.weights)\n"
        "figures.head_shares(shares, analysis.HABITS).show()\n"
        f"print(similarity(run, encode(model, tokeniser, {_chosen(Mini.OTHER).text!r})))\n"
    )
    show.take_away(
        key="tf_mini",
        name="minilm",
        arrays=lambda: {
            "weights": run.weights,
            "stream": run.stream,
            "embedding": run.embedding,
            "labels": np.array(run.labels),
            "habits": shares,
        },
        table=lambda: (
            ("layer", "head", *analysis.HABITS),
            (
                (layer, head, *shares[layer, head])
                for layer in range(shares.shape[0])
                for head in range(shares.shape[1])
            ),
        ),
        code=code,
        figures=True,
    )
