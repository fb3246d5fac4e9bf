"""The only caches: models and runs, kept bounded and shared by all visitors; tensors end here.

torch is imported inside the functions, so that pages without models never wait for it.
"""

from __future__ import annotations

import gc
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import streamlit as st

from app import pictures
from app.pictures import Shown
from attnviz import analysis, zoo
from attnviz.data.samples import sample
from attnviz.images import Preprocess

if TYPE_CHECKING:
    from attnviz.inference import Edit, PictureRun
    from attnviz.zoo.hub import Progress

T = TypeVar("T")

RUNS_BYTES = 600 * 2**20  # all kept runs together
RUN_BYTES = 330 * 2**20  # one run's weights
GRADIENT_BYTES = 100 * 2**20  # one run's weights, where every one of them needs a gradient


class TooLarge(ValueError):
    """An input whose attention weights would not fit; one sentence for the visitor."""


@dataclass(frozen=True)
class Subject:
    """What a page looks at: one picture through one model on one device."""

    model: str
    device: str
    half: bool
    picture: Shown
    preprocess: Preprocess

    @property
    def key(self) -> tuple[Any, ...]:
        """What results are kept by."""
        return self.model, self.device, self.half, self.picture.key, self.preprocess


class Shelf:
    """Results by key, within a budget of bytes; the least recently used leave first.

    A key is computed once however many visitors ask for it at the same time.
    """

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self._kept: OrderedDict[Any, tuple[Any, int]] = OrderedDict()
        self._making: dict[Any, threading.Lock] = {}
        self._lock = threading.Lock()

    def get(self, key: Any, make: Callable[[], Any], size: Callable[[Any], int]) -> Any:
        """The result kept for a key, else ``make()``, which is then kept."""
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._lock:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    return self._kept[key][0]
            try:
                result = make()
            finally:
                with self._lock:
                    self._making.pop(key, None)
            with self._lock:
                self._kept[key] = result, size(result)
                while len(self._kept) > 1 and self.held > self.budget:
                    self._kept.popitem(last=False)
            return result

    @property
    def held(self) -> int:
        """Bytes of all kept results."""
        return sum(size for _, size in self._kept.values())


class Explained(NamedTuple):
    """Gradient-weighted maps of one class, (queries, keys) each."""

    relevance: np.ndarray
    gradient: np.ndarray


class Positions(NamedTuple):
    """A model's position table at its own grid and at another one."""

    native: np.ndarray  # (prefix + rows·cols, d) or (rows·cols, d)
    native_grid: tuple[int, int]
    resized: np.ndarray
    grid: tuple[int, int]


@st.cache_resource(show_spinner=False)
def _shelf() -> Shelf:
    return Shelf(RUNS_BYTES)


@st.cache_resource(show_spinner=False, max_entries=16)
def turn(device: str) -> threading.Lock:
    """What to hold while a model runs: one inference at a time on each device."""
    return threading.Lock()


@st.cache_resource(show_spinner=False, max_entries=3)
def _model(name: str, device: str, half: bool) -> Any:
    return _settled(zoo.load(name, device, dtype="float16" if half else None))


@st.cache_resource(show_spinner=False, max_entries=48)
def translator(name: str, device: str, snapshot: int | None = None) -> Any:
    """A translator, or what it was at a step of its training: a few megabytes each.

    Raises:
        ZooError: there is no such model or snapshot.
    """
    return _settled(zoo.load(name, device, snapshot=snapshot))


@st.cache_resource(show_spinner=False, max_entries=16)
def captioner(name: str, device: str, snapshot: int | None = None) -> Any:
    """A captioner with its CNN, or what it was at a step of its training: 14 MB each.

    Raises:
        ZooError: there is no such model or snapshot.
    """
    return _settled(zoo.load(name, device, snapshot=snapshot))


@st.cache_resource(show_spinner=False, max_entries=2)
def encoder(device: str) -> Any:
    """MiniLM and its vocabulary.

    Raises:
        ZooError: they are not on this machine.
    """
    from attnviz.zoo import minilm

    return _settled(zoo.load(minilm.CARD, device)), minilm.tokeniser()


def _settled(model: Any) -> Any:
    # Streamlit collects garbage after every run of a script, and walking through torch's hundred
    # thousand objects takes 0.1 s. They stay for good, so later collections may pass them over.
    gc.collect()
    gc.freeze()
    return model


def kept(key: Hashable, make: Callable[[], T], size: Callable[[T], int]) -> T:
    """What was computed for a key, by whomever; its arrays are shared: read only.

    Args:
        make: computes it, once for all who ask.
        size: bytes that it takes on the shelf.
    """
    return _shelf().get(key, make, size)


@st.cache_data(show_spinner=False, max_entries=64)
def sample_picture(name: str) -> Shown:
    """A bundled sample, opened."""
    return pictures.from_sample(sample(name))


@st.cache_data(show_spinner=False, max_entries=64)
def thumbnail(key: str, _picture: Shown, side: int = 112) -> bytes:
    """A square of a picture's middle, WebP."""
    square = Preprocess(size=(side, side), crop=1.0).view(_picture.image)
    return pictures.encoded(square, quality=80)


@st.cache_data(show_spinner=False, max_entries=64)
def _view(key: str, preprocess: Preprocess, _picture: Shown) -> bytes:
    return pictures.encoded(pictures.drawn(_picture.image, preprocess))


def view(picture: Shown, preprocess: Preprocess) -> bytes:
    """A picture as a model sees it, finer where there are pixels for it."""
    return _view(picture.key, preprocess, picture)


@st.cache_data(show_spinner=False)
def devices() -> list[str]:
    """What the device switch offers; the first import of torch may happen here."""
    return ["auto", *zoo.devices()]


@st.cache_data(show_spinner=False, max_entries=16)
def resolve(device: str) -> str:
    """The device that a choice comes to, "auto" being the fastest; the CPU if it has gone."""
    try:
        return str(zoo.pick_device(device))
    except zoo.ZooError:
        return "cpu"


def fetch(card: zoo.Card, progress: Callable[[], Progress]) -> None:
    """Bring a model's weights onto this machine, if they are not here yet.

    Not cached, because ``progress`` draws a bar and returns what moves it.

    Raises:
        ZooError: they cannot be had; one sentence.
    """
    if card.bundled:
        return
    from attnviz.zoo import hub

    found = hub.locate(*card.file.rsplit("/", 1))
    if isinstance(found, hub.Remote):
        hub.download(found, progress=progress())


def run(subject: Subject, edit: Edit | None = None) -> PictureRun:
    """One forward pass, or the kept result of an earlier one. Its arrays are shared: read only.

    Raises:
        ZooError: the model cannot be had.
        TooLarge: the weights would not fit into memory.
        ValueError: the model cannot take this size, or the edit does not fit it.
    """
    from attnviz.inference import look

    def make() -> PictureRun:
        model = _model(subject.model, subject.device, subject.half)
        pixels = _pixels(subject)
        _check_size(model, pixels.shape, RUN_BYTES)
        with turn(subject.device):
            return look(model, pixels, edit=edit)

    return _shelf().get((subject.key, edit), make, _run_size)


def explained(subject: Subject, target: int | None) -> Explained:
    """Relevance and attention × gradient for one class; without classes, for the feature.

    Raises:
        TooLarge: the gradients would not fit into memory.
    """
    from attnviz.inference import gradients

    def make() -> Explained:
        model = _model(subject.model, subject.device, subject.half)
        pixels = _pixels(subject)
        _check_size(model, pixels.shape, GRADIENT_BYTES)
        with turn(subject.device):
            weights, slopes = gradients(model, pixels, target)
        return Explained(
            analysis.relevance(weights, slopes), analysis.attention_gradient(weights, slopes)
        )

    return _shelf().get((subject.key, "explained", target), make, _arrays_size)


def rollout(subject: Subject, fuse: str, discard: float) -> np.ndarray:
    """Attention rollout of a run, (queries, keys)."""

    def make() -> np.ndarray:
        found = run(subject)
        keep = found.geometry.num_prefix
        return analysis.rollout(found.weights, fuse=fuse, discard=discard, keep=keep)  # type: ignore[arg-type]

    key = (subject.key, "rollout", fuse, discard)
    return _shelf().get(key, make, lambda array: array.nbytes)


def reaches(subject: Subject) -> tuple[float, float]:
    """Over all layers, heads and queries: largest weight on a patch, and 99th percentile."""

    def make() -> tuple[float, float]:
        found = run(subject)
        weights = found.weights[..., found.geometry.num_prefix :]
        return float(weights.max()), percentile(weights)

    return _shelf().get((subject.key, "reaches"), make, lambda _: 0)


def percentile(values: np.ndarray, share: float = 0.99) -> float:
    """The value below which a share of all values lies; a fast one for large arrays."""
    flat = values.reshape(-1)
    place = min(len(flat) - 1, int(share * len(flat)))
    return float(np.partition(flat, place)[place])


class PerHead(NamedTuple):
    """One number for each head, (layers, heads)."""

    distance: np.ndarray  # pixels
    entropy: np.ndarray  # bits


def per_head(subject: Subject) -> PerHead:
    """How far and how widely each head looks."""

    def make() -> PerHead:
        found = run(subject)
        return PerHead(
            analysis.head_distance(found.weights, found.geometry),
            analysis.entropy(found.weights, found.geometry, average=True),
        )

    return _shelf().get((subject.key, "per head"), make, _arrays_size)


def positions(subject: Subject, grid: tuple[int, int]) -> Positions | None:
    """The model's position table, native and at another grid; None for a model without one."""
    import torch

    model = _model(subject.model, subject.device, subject.half)
    native_grid = model.cfg.grid(*model.cfg.image_size)
    with torch.inference_mode():
        native, resized = model.position_table(native_grid), model.position_table(grid)
    if native is None or resized is None:
        return None
    return Positions(_array(native[0]), native_grid, _array(resized[0]), grid)


def filters(subject: Subject) -> tuple[np.ndarray, bool]:
    """The filters that meet the pixels, (count, 3, height, width); whether a stem has them."""
    model = _model(subject.model, subject.device, subject.half)
    embed = model.patch_embed
    if embed.backbone is None:
        weight = _array(embed.proj.weight)
        return weight.reshape(len(weight), 3, embed.patch_size, embed.patch_size), False
    first = next(
        module.weight
        for module in embed.backbone.modules()
        if getattr(module, "in_channels", 0) == 3
    )
    return _array(first), True


@st.cache_data(show_spinner=False, max_entries=16)
def labels(model: str) -> list[str]:
    """Names of a model's classes; empty for one without."""
    return zoo.label_names(zoo.card(model))


def _pixels(subject: Subject) -> np.ndarray:
    return subject.preprocess.pixels(subject.preprocess.view(subject.picture.image))


def _check_size(model: Any, shape: tuple[int, ...], limit: int) -> None:
    tokens = model.geometry(*shape[-2:]).tokens
    needed = model.cfg.depth * model.cfg.heads * tokens**2 * 4
    if needed > limit:
        raise TooLarge(
            f"At {shape[-2]}×{shape[-1]} pixels this model has {tokens} tokens, and its attention "
            f"weights take {needed / 2**20:.0f} MB where {limit / 2**20:.0f} MB are allowed: "
            "choose a smaller input."
        )


def _run_size(found: PictureRun) -> int:
    return found.weights.nbytes + sum(array.nbytes for array in found.stages.values())


def _arrays_size(found: tuple[np.ndarray, ...]) -> int:
    return sum(array.nbytes for array in found)


def _array(tensor: Any) -> np.ndarray:
    return tensor.detach().float().cpu().numpy()
