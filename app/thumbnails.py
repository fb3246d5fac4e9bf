"""The pictures on Home, each from a real run: ``python -m app.thumbnails`` draws them again."""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image

from app.registry import THUMBNAILS
from attnviz import analysis, zoo
from attnviz.data.samples import sample
from attnviz.figures.theme import colour_table
from attnviz.images import open_image

OPACITY = 0.55
CELL = 28  # pixels of a weight


def vit() -> Image.Image:
    """The coffee cup under the default model's relevance for the class it names first."""
    from attnviz.inference import gradients

    card = zoo.card(zoo.DEFAULT)
    assert card.preprocess is not None
    view = card.preprocess.view(open_image(sample("coffee").path).image)
    model: Any = zoo.load(card.name, "cpu")
    weights, slopes = gradients(model, card.preprocess.pixels(view), None)
    geometry = model.geometry(view.height, view.width)
    values = analysis.class_map(analysis.relevance(weights, slopes), geometry)
    smooth = analysis.upsample(values, geometry, "smooth")
    places = (255 * (smooth - smooth.min()) / np.ptp(smooth)).round().astype(np.uint8)
    return Image.blend(view, Image.fromarray(colour_table("viridis")[places]), OPACITY)


def rnn() -> Image.Image:
    """The states of the encoder without attention over a date, its vector, and the decoder's."""
    from attnviz.recurrence import unroll
    from attnviz.text import Tokeniser

    card = zoo.card("dates_ko_en_none")
    tokeniser = Tokeniser.load(card.tokeniser or "")
    found = unroll(zoo.load(card.name, "cpu"), tokeniser, "2026년 3월 9일 월요일")
    order = np.argsort(-found.fixed["hidden"], kind="stable")
    states = found.over_time("hidden")[:, order[::3]].T  # a third of d, the vector sorted
    places = (127.5 + 127.5 * states).round().astype(np.uint8)
    strips = colour_table("diverging")[places].repeat(9, 0).repeat(CELL, 1)
    for edge in range(CELL - 7, CELL):
        strips[:, edge::CELL] = 255
    return Image.fromarray(np.insert(strips, [len(found.read) * CELL] * CELL, 255, axis=1))


def seq2seq() -> Image.Image:
    """Where the translator of dates looks while it writes "Monday, March 9, 2026"."""
    from attnviz.text import Tokeniser
    from attnviz.translation import translate

    card = zoo.card("dates_ko_en_mlp")
    model: Any = zoo.load(card.name, "cpu")
    tokeniser = Tokeniser.load(card.tokeniser or "")
    weights = translate(model, tokeniser, "2026년 3월 9일 월요일").weights
    assert weights is not None
    places = (255 * weights).round().astype(np.uint8)
    cells = colour_table("viridis")[places].repeat(CELL, 0).repeat(CELL, 1)
    cells[CELL - 1 :: CELL] = cells[:, CELL - 1 :: CELL] = 255
    return Image.fromarray(cells)


def tell() -> Image.Image:
    """Where the captioner looks for two things of a scene: each map over its own half."""
    from app import scenes
    from attnviz.captioning import describe
    from attnviz.text import Words

    card = zoo.card("captions_en_guided")
    assert card.preprocess is not None and card.labels is not None
    view = card.preprocess.view(scenes.shown(scenes.EXAMPLES["Two kinds"]).image)
    model: Any = zoo.load(card.name, "cpu")
    found = describe(model, Words(card.labels), card.preprocess.pixels(view))
    shown = []
    for word in ("strawberry", "penguin"):
        weights = found.weights[found.words.index(word)]
        smooth = analysis.upsample(weights / weights.max(), found.geometry, "smooth")
        places = (255 * smooth).round().astype(np.uint8)
        shown.append(Image.blend(view, Image.fromarray(colour_table("viridis")[places]), OPACITY))
    return Image.fromarray(np.concatenate([np.asarray(one) for one in shown], 1))


def transformer() -> Image.Image:
    """Every head of the Transformer's cross-attention while it writes "I am a monitor."."""
    from attnviz.inside import look_inside
    from attnviz.text import Tokeniser
    from attnviz.translation import translate

    card = zoo.card("everyday_ko_en_transformer")
    model: Any = zoo.load(card.name, "cpu")
    tokeniser = Tokeniser.load(card.tokeniser or "")
    found = translate(model, tokeniser, "나는 모니터입니다.")
    weights = look_inside(model, tokeniser, found.sentence, found.ids).weights("cross")
    places = (255 * weights[1:, :6] ** 0.5).round().astype(np.uint8)  # five layers of six heads
    maps = colour_table("viridis")[places].repeat(7, 2).repeat(7, 3)
    framed = np.pad(maps, ((0, 0), (0, 0), (0, 5), (0, 5), (0, 0)), constant_values=255)
    return Image.fromarray(np.concatenate(np.concatenate(framed, 1), 1))


if __name__ == "__main__":
    THUMBNAILS.mkdir(exist_ok=True)
    for draw in (rnn, seq2seq, tell, transformer, vit):
        draw().save(THUMBNAILS / f"{draw.__name__}.jpg", quality=88)
