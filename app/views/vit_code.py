"""The snippets: Python that computes what is on show. A test runs them and compares."""

from __future__ import annotations

from dataclasses import fields

from app.loaders import Subject
from attnviz import zoo
from attnviz.images import Preprocess


def one_layer(subject: Subject, layer: int, head: str) -> str:
    """One layer's map."""
    matrix = f"run.weights[{layer}, {head}]"
    if not head.isdecimal():
        matrix = f'analysis.fuse_heads(run.weights[{layer}], "{head}")'
    return _run(subject) + f"matrix = {matrix}  # (query, key)\n" + _DRAW


def rollout(subject: Subject, fuse: str, discard: float) -> str:
    """The rollout's map."""
    matrix = (
        f'analysis.rollout(run.weights, fuse="{fuse}", discard={discard:g}, '
        "keep=run.geometry.num_prefix)"
    )
    return _run(subject) + f"matrix = {matrix}\n" + _DRAW


def explained(subject: Subject, target: int | None, relevance: bool) -> str:
    """Relevance or attention × gradient."""
    name = "relevance" if relevance else "attention_gradient"
    less = " - np.eye(run.geometry.tokens, dtype=np.float32)" if relevance else ""
    return _run(subject) + (
        f"weights, slopes = inference.gradients(model, pixels, {target})\n"
        f"matrix = analysis.{name}(weights, slopes){less}\n" + _DRAW
    )


def edited(
    subject: Subject, silenced: tuple[tuple[int, int], ...], removed: tuple[int, ...]
) -> str:
    """The run before and after an edit."""
    return _run(subject) + (
        f"edit = inference.Edit(silenced={silenced!r}, removed={removed!r})\n"
        "after = inference.look(model, pixels, edit=edit)\n"
        "print(run.top(), after.top())\n"
    )


def model_only(subject: Subject, lines: str) -> str:
    """Something about the model itself."""
    return f"from attnviz import analysis, figures, zoo\n\n{_load(subject)}{lines}"


def whole_run(subject: Subject, lines: str) -> str:
    """Something computed from a run."""
    return _run(subject) + lines


_DRAW = (
    "figures.attention_map(view, analysis.class_map(matrix, run.geometry), run.geometry).show()\n"
)


def _run(subject: Subject) -> str:
    opening = subject.picture.code
    return (
        "from dataclasses import replace\n\n"
        "import numpy as np\n\n"
        "from attnviz import analysis, figures, inference, zoo\n"
        "from attnviz.data.samples import sample\n"
        "from attnviz.images import open_image\n\n"
        f"{_load(subject)}"
        f"image = {opening}\n"
        f"preprocess = {_preprocess(subject)}\n"
        "view = preprocess.view(image)\n"
        "pixels = preprocess.pixels(view)\n"
        "run = inference.look(model, pixels)\n"
    )


def _load(subject: Subject) -> str:
    half = ', dtype="float16"' if subject.half else ""
    return f'model = zoo.load("{subject.model}", "{subject.device}"{half})\n'


def _preprocess(subject: Subject) -> str:
    """The card's own, with what was changed."""
    card = f'zoo.card("{subject.model}").preprocess'
    base, used = zoo.card(subject.model).preprocess or Preprocess(), subject.preprocess
    changed = [
        f"{field.name}={getattr(used, field.name)!r}"
        for field in fields(Preprocess)
        if getattr(used, field.name) != getattr(base, field.name)
    ]
    return f"replace({card}, {', '.join(changed)})" if changed else card
