"""Correspondence: query, key and value in three papers, with real tensors side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import loaders, prose, show, state, studies, translations
from app.loaders import Subject
from app.pictures import signed
from app.state import Studies
from app.translations import Talk
from app.views import attention_examples, seq2seq_common
from attnviz.data.samples import samples
from attnviz.figures import attention_map
from attnviz.figures.studies import place_weights

if TYPE_CHECKING:
    from attnviz.attention_studies.correspondence import Look

MODELS = ("Attention layer", "Translator with attention", "Show, Attend and Tell")
PARTS = {
    "query": ("q = W_Q xₜ", "sₜ, decoder state", "h₀, decoder state"),
    "keys": ("kᵢ = W_K xᵢ", "U hᵢ", "U aᵢ"),
    "values": ("vᵢ = W_V xᵢ", "hᵢ, encoder states", "aᵢ, grid cells"),
    "scores": ("eᵢ = q·kᵢ / √d", "eᵢ = vᵀ tanh(W sₜ + U hᵢ)", "eᵢ = f_att(aᵢ, h₀)"),
    "weights": ("αᵢ, softmax of eᵢ", "αᵢ, softmax of eᵢ", "αᵢ, softmax of eᵢ"),
    "output": ("Σ αᵢ vᵢ", "cₜ = Σ αᵢ hᵢ, context", "ẑ₁ = Σ αᵢ aᵢ, context"),
}
"""The part that a tensor plays → its symbol in each paper."""
TALL = 280  # pixels of a figure


@show.panel
def draw() -> None:
    """The weights of one look in each model; under them every tensor that made them."""
    words, choice = st.columns([13, 8], gap="large", vertical_alignment="bottom")
    with words:
        show.note(prose.text("attention", "Correspondence"))
    with choice:
        talk = attention_examples.choose()
    columns = st.columns(3, gap="medium")
    with columns[0]:
        layer = _layer(talk)
    with columns[1]:
        translator = _translator(talk)
    with columns[2]:
        subject = _subject()
        picture = _picture(subject)
    looks = dict(zip(MODELS, (layer, translator, picture), strict=True))
    show.correspondence(
        MODELS,
        [
            (
                part.capitalize(),
                [
                    _cell(getattr(look, part), symbol)
                    for look, symbol in zip(looks.values(), symbols, strict=True)
                ],
            )
            for part, symbols in PARTS.items()
        ],
    )
    more, truth = st.columns([13, 8], gap="large")
    with more:
        show.explain("attention", "Correspondence")
        _take_away(talk, subject, looks)
    with truth:
        show.facts(_facts(talk, subject, looks))


def _layer(talk: Talk) -> Look:
    _, names = studies.rows(talk)
    token = _pick("Token t", names, Studies.TOKEN)
    found = studies.layer_look(talk, token)
    show.small(f"{MODELS[0]}: “{names[token]}” looks at the sentence")
    drawn = place_weights(names, found.weights, marked=token, height=TALL)
    show.plot(drawn, key="attn_layer_look", name="layer-look", alt="Weights over tokens")
    return found


def _translator(talk: Talk) -> Look:
    run = translations.translation(talk)
    step = _pick("Step t", run.target, Studies.STEP)
    found = studies.translator_look(talk, step)
    show.small(f"{MODELS[1]}: where it looks to write “{run.target[step]}”")
    drawn = place_weights(run.source, found.weights, height=TALL)
    show.plot(drawn, key="attn_translator_look", name="translator-look", alt="Weights over pieces")
    return found


def _subject() -> Subject:
    names = {sample.title: sample.name for sample in samples()}
    title = st.selectbox("Picture", list(names), key=Studies.PICTURE, bind="query-params")
    return studies.subject(names[title])


def _picture(subject: Subject) -> Look:
    """The weights over the picture, which fresh weights leave nearly even."""
    found = studies.picture_look(subject)
    geometry = loaders.run(subject).geometry
    weights = found.weights.reshape(geometry.rows, geometry.cols)
    show.small(f"{MODELS[2]}: before the first word, untrained")
    view = subject.preprocess.view(subject.picture.image)
    drawn = attention_map(view, weights, geometry, height=TALL + 60, opacity=0.55, name="weight")
    show.plot(drawn, key="attn_picture_look", name="picture-look", alt="Weights over the picture")
    return found


def _pick(label: str, names: tuple[str, ...], key: str) -> int:
    """One of numbered tokens."""
    options = [f"{i} {name}" for i, name in enumerate(names)]
    state.among(key, options)
    chosen = st.selectbox(label, options, key=key, bind="query-params")
    return options.index(chosen)


def _cell(values: np.ndarray, symbol: str) -> show.Cell:
    """A tensor as a picture, a vector as one line, with its shape and its ends."""
    rows = np.atleast_2d(values)
    shape = " × ".join(map(str, values.shape))
    ends = f"{values.min():.3g} … {values.max():.3g}".replace("-", "−")
    return signed(rows), symbol, f"{shape}, {ends}"


def _facts(talk: Talk, subject: Subject, looks: Mapping[str, Look]) -> Iterable[tuple[str, str]]:
    for name, look in looks.items():
        yield (
            name,
            f"{len(look.weights)} weights sum to {look.row_sum:.6f}; the output is Σ αᵢ·value "
            f"within {look.deviation:.1e}",
        )
    layer, _, picture = looks.values()
    even = len(picture.weights) * picture.weights
    yield (
        "Layer",
        f"head 0 of fresh weights, seed {studies.SEED}, over the trained embeddings of the "
        f"translator; keys of size {len(layer.query)}",
    )
    yield "Translator", seq2seq_common.weights_of(talk.card)
    yield "Grid", f"EfficientNet-Lite0 of {subject.model}, trained; {subject.picture.title}"
    yield (
        "Untrained",
        f"f_init and f_att of Show, Attend and Tell: fresh weights, seed {studies.SEED}, so that "
        f"weights stay between {even.min():.2f} and {even.max():.2f} of 1/{len(even)}",
    )
    yield "Colours", "blue below zero, red above, each tensor on its own scale"
    yield "Run", "cpu, float32"


def _take_away(talk: Talk, subject: Subject, looks: Mapping[str, Look]) -> None:
    keys = dict(zip(looks, ("layer", "translator", "picture"), strict=True))
    show.take_away(
        key="attn_correspondence",
        name="correspondence",
        arrays=lambda: {
            f"{keys[model]}_{part}": getattr(look, part)
            for model, look in looks.items()
            for part in PARTS
        },
        table=lambda: (
            ("model", "place", "score", "weight"),
            (
                (keys[model], place, look.scores[place], look.weights[place])
                for model, look in looks.items()
                for place in range(len(look.weights))
            ),
        ),
        code=attention_examples.code(talk)
        + (
            "\nfrom attnviz.attention_studies.correspondence import (\n"
            "    layer_look, picture_look, translator_look,\n"
            ")\n"
            "from attnviz.data.samples import sample\n"
            "from attnviz.images import open_image\n"
            "from attnviz.inference import look\n"
            "from attnviz.translation import translate\n\n"
            f"found = translate(model, tokeniser, {talk.sentence.text!r})\n"
            f'card = zoo.card("{subject.model}")\n'
            f"image = {subject.picture.code}\n"
            "pixels = card.preprocess.pixels(card.preprocess.view(image))\n"
            'grid = look(zoo.load(card.name, "cpu"), pixels).stages["grid"]\n'
            "for step in (\n"
            "    layer_look(layer, inputs, 0), translator_look(model, found, 0),\n"
            f"    picture_look(grid, seed={studies.SEED}),\n"
            "):\n"
            "    print(step.query.shape, step.keys.shape, step.values.shape, step.row_sum)\n"
        ),
        figures=True,
    )
