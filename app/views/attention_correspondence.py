"""Correspondence: query, key and value in three papers, with real tensors side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import captions, prose, scenes, show, state, studies, translations
from app.pictures import signed
from app.state import Studies
from app.translations import Talk
from app.views import attention_examples, seq2seq_common, tell_common
from attnviz.figures import attention_map
from attnviz.figures.studies import place_weights

if TYPE_CHECKING:
    from attnviz.attention_studies.correspondence import Look

MODELS = ("Attention layer", "Translator with attention", "Show, Attend and Tell")
PARTS = {
    "query": ("q = W_Q xₜ", "sₜ, decoder state", "hₜ₋₁, decoder state"),
    "keys": ("kᵢ = W_K xᵢ", "U hᵢ", "U aᵢ"),
    "values": ("vᵢ = W_V xᵢ", "hᵢ, encoder states", "aᵢ, grid cells"),
    "scores": ("eᵢ = q·kᵢ / √d", "eᵢ = vᵀ tanh(W sₜ + U hᵢ)", "eᵢ = vᵀ tanh(W hₜ₋₁ + U aᵢ)"),
    "weights": ("αᵢ, softmax of eᵢ", "αᵢ, softmax of eᵢ", "αᵢ, softmax of eᵢ"),
    "output": ("Σ αᵢ vᵢ", "cₜ = Σ αᵢ hᵢ, context", "Σ αᵢ aᵢ, context before the gate"),
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
        look, picture = _captioner()
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
        _take_away(talk, look, looks)
    with truth:
        show.facts(_facts(talk, look, looks))


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


def _captioner() -> tuple[captions.Look, Look]:
    """The weights over a composed scene before one word of its caption."""
    written = st.selectbox("Scene", list(scenes.EXAMPLES), key=Studies.PICTURE, bind="query-params")
    picture = scenes.shown(scenes.EXAMPLES[written])
    look = captions.Look("en", captions.kinds("en")[0], "cpu", picture)
    run = captions.caption(look)
    step = _pick("Word t", run.words, Studies.WORD)
    found = studies.captioner_look(look, step)
    show.small(f"{MODELS[2]}: where it looks to say “{run.words[step]}”")
    view = look.preprocess.view(picture.image)
    drawn = attention_map(
        view, run.weights[step], run.geometry, height=TALL + 60, opacity=0.55, name="weight"
    )
    show.plot(drawn, key="attn_picture_look", name="picture-look", alt="Weights over the picture")
    return look, found


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


def _facts(talk: Talk, look: captions.Look, looks: Mapping[str, Look]) -> Iterable[tuple[str, str]]:
    for name, found in looks.items():
        yield (
            name,
            f"{len(found.weights)} weights sum to {found.row_sum:.6f}; the output is Σ αᵢ·value "
            f"within {found.deviation:.1e}",
        )
    yield (
        "Layer",
        f"head 0 of fresh weights, seed {studies.SEED}, over the trained embeddings of the "
        f"translator; keys of size {len(looks[MODELS[0]].query)}",
    )
    yield "Translator", seq2seq_common.weights_of(talk.card)
    yield "Captioner", tell_common.weights_of(look.card)
    yield "Colours", "blue below zero, red above, each tensor on its own scale"
    yield "Run", "cpu, float32"


def _take_away(talk: Talk, look: captions.Look, looks: Mapping[str, Look]) -> None:
    keys = dict(zip(looks, ("layer", "translator", "picture"), strict=True))
    show.take_away(
        key="attn_correspondence",
        name="correspondence",
        arrays=lambda: {
            f"{keys[model]}_{part}": getattr(found, part)
            for model, found in looks.items()
            for part in PARTS
        },
        table=lambda: (
            ("model", "place", "score", "weight"),
            (
                (keys[model], place, found.scores[place], found.weights[place])
                for model, found in looks.items()
                for place in range(len(found.weights))
            ),
        ),
        code=attention_examples.code(talk)
        + (
            "\nfrom attnviz.attention_studies.correspondence import (\n"
            "    captioner_look, layer_look, translator_look,\n"
            ")\n"
            "from attnviz.translation import translate\n\n"
            f"found = translate(model, tokeniser, {talk.sentence.text!r})\n"
            "looks = [layer_look(layer, inputs, 0), translator_look(model, found, 0)]\n\n"
            + tell_common.code(look)
            + "looks.append(captioner_look(found, 0))\n"
            "for one in looks:\n"
            "    print(one.query.shape, one.keys.shape, one.values.shape, one.row_sum)\n"
        ),
        figures=True,
    )
