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


if __name__ == "__main__":
    THUMBNAILS.mkdir(exist_ok=True)
    vit().save(THUMBNAILS / "vit.jpg", quality=88)
