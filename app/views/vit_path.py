"""The path of the data: what each stage makes of this picture, with its real tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st
from PIL import Image

from app import loaders, maps, prose, show
from app.loaders import Subject
from app.pictures import encoded, painted, signed
from app.views import vit_code, vit_common
from attnviz.geometry import Geometry

if TYPE_CHECKING:
    from attnviz.inference import PictureRun


@show.panel
def draw(subject: Subject) -> None:
    """One stage under another, from pixels to labels."""
    run = loaders.run(subject)
    view = subject.preprocess.view(subject.picture.image)
    stages = run.stages
    show.note(prose.text("vit", "Path of the data"))
    show.steps(
        [
            _pixels(view),
            _patches(view, run.geometry, "grid" in stages),
            *(_stage(name, stages[name], run.geometry) for name in _WORDS if name in stages),
        ]
    )
    left, right = st.columns(2, gap="large")
    with left:
        if run.logits.size:
            show.labels(
                "The head turns the last token into labels", vit_common.top_labels(subject, run)
            )
        show.explain("vit", "Path of the data")
        _take_away(subject, run)
    with right:
        show.facts(
            [
                (
                    "Colours",
                    "three principal components of a stage's vectors; hues differ by stage",
                ),
                ("Matrices", "one token a line, one channel a column; blue below zero, red above"),
                *vit_common.run_facts(subject, run),
            ]
        )


def _take_away(subject: Subject, run: PictureRun) -> None:
    stages = run.stages
    show.take_away(
        key="vit_path",
        name=f"{subject.model}-path",
        arrays=lambda: stages,
        table=lambda: (
            ("stage", "shape", "numbers", "mean", "deviation"),
            (
                (name, "×".join(map(str, array.shape)), array.size, array.mean(), array.std())
                for name, array in stages.items()
            ),
        ),
        code=vit_code.whole_run(subject, "print({k: v.shape for k, v in run.stages.items()})\n"),
    )


_WORDS = {
    "grid": ("CNN grid", "A convolutional stem turns the pixels into a grid of feature vectors."),
    "projected": (
        "Projected",
        "Every patch goes through the same linear layer and becomes a token.",
    ),
    "embedded": (
        "Class token and positions",
        "A learned class token is put in front, and each token gets the vector of its place added.",
    ),
    "first block": (
        "After the first block",
        "Tokens have looked at each other once; what they saw was added to what they were.",
    ),
    "last block": (
        "After the last block",
        "The same again, layer by layer, ends in tokens that know the whole picture.",
    ),
    "normed": ("Normalised", "A last LayerNorm; the head reads the class token, or the mean."),
}


def _pixels(view: Image.Image) -> show.Step:
    words = "The picture, resized and cut as the model was trained to see it, then normalised."
    return [encoded(view)], "Picture", f"3 × {view.height} × {view.width}", words


def _patches(view: Image.Image, geometry: Geometry, hybrid: bool) -> show.Step:
    """The picture cut along its grid, with gaps."""
    rows, cols = geometry.rows, geometry.cols
    high, wide = view.height // rows, view.width // cols
    gap = max(1, high // 8)
    pixels = np.asarray(view)[: rows * high, : cols * wide]
    cut = np.full((rows, high + gap, cols, wide + gap, 3), 255, np.uint8)
    cut[:, :high, :, :wide] = pixels.reshape(rows, high, cols, wide, 3)
    picture = Image.fromarray(
        cut.reshape(rows * (high + gap), cols * (wide + gap), 3)[:-gap, :-gap]
    )
    words = (
        "This hybrid does not cut pixels: a CNN gives one vector for each of these cells."
        if hybrid
        else f"Cut into squares; each is a word of {high * wide * 3} numbers."
    )
    return [encoded(picture)], "Patches", f"{rows} × {cols} = {rows * cols} patches", words


def _stage(name: str, array: np.ndarray, geometry: Geometry) -> show.Step:
    title, words = _WORDS[name]
    vectors = array.reshape(len(array), -1).T if array.ndim == 3 else array  # (tokens, d)
    patches = vectors[-geometry.rows * geometry.cols :]
    colours = maps.principal_colours(patches).reshape(geometry.rows, geometry.cols, 3)
    shape = " × ".join(map(str, array.shape))
    return [painted(colours), signed(vectors)], title, shape, words
