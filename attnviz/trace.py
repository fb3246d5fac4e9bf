"""Taps: how internals of a shared model become visible without touching it.

A ``Tap`` is a named identity module. It does nothing unless the current context records:

    with record(model, "*.weights", edit={"blocks.3.attn.weights": zero_head(5)}) as trace:
        logits = model(pixels)
    trace["blocks.3.attn.weights"]        # (b, h, q, k)

The recorder lives in a ``ContextVar``, so two threads that share a model never see each other's
run; nothing is stored on modules and no hook is registered. Idea of declared observation points:
the HookPoint of TransformerLens; the difference is that state belongs to the caller, not to the
model.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from fnmatch import fnmatchcase

import torch
from torch import Tensor, nn

from attnviz.geometry import Geometry

Edit = Callable[[Tensor], Tensor]

_recorders: ContextVar[tuple[_Recorder, ...]] = ContextVar("attnviz_recorders", default=())


class TapError(LookupError):
    """A tap that is not there, a tensor of the wrong shape, a recording that caught nothing."""


class Tap(nn.Module):
    """A named point in a forward pass. ``axes`` names its dimensions: ``Tap("b h q k")``."""

    def __init__(self, axes: str) -> None:
        super().__init__()
        self.axes = axes

    def forward(self, tensor: Tensor) -> Tensor:
        """The tensor itself, or what an edit makes of it."""
        for recorder in _recorders.get():
            tensor = recorder.visit(self, tensor)
        return tensor

    @property
    def watched(self) -> bool:
        """Whether the current context records or edits this tap."""
        return any(recorder.wants(self) for recorder in _recorders.get())

    def extra_repr(self) -> str:
        return repr(self.axes)


class Trace:
    """What one recording caught. Tensors are detached unless recorded with ``grad=True``."""

    def __init__(self, axes: Mapping[str, str]) -> None:
        self._axes = axes
        self._tensors: dict[str, list[Tensor]] = {}
        self._geometries: dict[str, Geometry | None] = {}

    def __getitem__(self, name: str) -> Tensor:
        """The tensor of a tap that was passed once."""
        steps = self.steps(name)
        if len(steps) > 1:
            raise TapError(f"{name!r} was passed {len(steps)} times; use trace.steps({name!r})")
        return steps[0]

    def __contains__(self, name: str) -> bool:
        return name in self._tensors

    def __len__(self) -> int:
        return len(self._tensors)

    def names(self) -> list[str]:
        """Recorded names, in the order of the forward pass."""
        return list(self._tensors)

    def steps(self, name: str) -> list[Tensor]:
        """Every tensor that passed the tap, e.g. one for each decoding step."""
        if name not in self._tensors:
            raise TapError(f"nothing was recorded as {name!r}.{_near(name, self._tensors)}")
        return self._tensors[name]

    def match(self, pattern: str) -> list[Tensor]:
        """The tensors of all recorded names that match, in the order of the forward pass."""
        return [self[name] for name in self._tensors if fnmatchcase(name, pattern)]

    def grad(self, name: str) -> Tensor:
        """The gradient at a tap, after ``backward()``; needs ``record(..., grad=True)``."""
        gradient = self[name].grad
        if gradient is None:
            raise TapError(f"{name!r} has no gradient: record with grad=True, then call backward()")
        return gradient

    def axes(self, name: str) -> str:
        """The names of a tap's dimensions, e.g. ``"b h q k"``."""
        return self._axes[name]

    def geometry(self, name: str | None = None) -> Geometry:
        """Where the tokens sit, for one tap or (without a name) for the whole run."""
        found = (
            {self._geometries[name]} if name in self._geometries else set(self._geometries.values())
        )
        known = found - {None}
        if len(known) != 1:
            raise TapError(
                f"{len(known)} geometries were recorded; name the tap"
                if known
                else "no geometry was recorded: the model has no picture grid"
            )
        return known.pop()  # type: ignore[return-value]

    def _add(self, name: str, tensor: Tensor, geometry: Geometry | None) -> None:
        self._tensors.setdefault(name, []).append(tensor)
        self._geometries[name] = geometry


class _Recorder:
    """One ``record`` block: which taps it wants, the edits it makes, and the trace it fills."""

    def __init__(
        self, model: nn.Module, patterns: tuple[str, ...], edits: Mapping[str, Edit], grad: bool
    ) -> None:
        found = dict(_tap_modules(model))
        axes = {name: tap.axes for name, tap in found.items()}
        selected = {name for pattern in patterns for name in _select(pattern, axes)}
        edit_of: dict[str, list[Edit]] = {}
        for pattern, edit in edits.items():
            for name in _select(pattern, axes):
                edit_of.setdefault(name, []).append(edit)
        self._names = {found[name]: name for name in (*selected, *edit_of)}
        self._selected = selected
        self._edits = edit_of
        self._unused = set(edit_of)
        self._grad = grad
        self.geometry: Geometry | None = None
        self.trace = Trace(axes)

    def wants(self, tap: Tap) -> bool:
        return tap in self._names

    def visit(self, tap: Tap, tensor: Tensor) -> Tensor:
        name = self._names.get(tap)
        if name is None:
            return tensor
        if tensor.ndim != len(tap.axes.split()):
            raise TapError(f"{name!r} is declared {tap.axes!r} but got {tuple(tensor.shape)}")
        for edit in self._edits.get(name, ()):
            tensor = _apply(edit, name, tensor)
            self._unused.discard(name)
        if name in self._selected:
            if self._grad and tensor.requires_grad:
                tensor.retain_grad()
            self.trace._add(name, tensor if self._grad else tensor.detach(), self.geometry)
        return tensor

    def finish(self) -> None:
        """Refuse silence: a recording or an edit that never met its tap is an error."""
        missed = self._unused | (
            self._selected if self._selected and not len(self.trace) else set()
        )
        if missed:
            raise TapError(
                f"the forward pass never reached {_list(missed)}: "
                "was the recorded model the one called?"
            )


@contextmanager
def record(
    model: nn.Module,
    *patterns: str,
    edit: Mapping[str, Edit] | None = None,
    grad: bool = False,
) -> Iterator[Trace]:
    """Record the taps of ``model`` that match, in this thread and context only.

    Args:
        patterns: tap names with ``*`` and ``?`` (``"blocks.*.attn.weights"``).
        edit: pattern → function that gets the tensor and returns the one to go on with; same shape.
        grad: keep the graph and the gradients of what is recorded (relevance methods).

    Raises:
        TapError: a pattern matches no tap (near names are listed), nothing was recorded, an edit
            was never applied or returned another shape.
    """
    if not patterns and not edit:
        raise TapError(
            "name at least one tap to record or to edit, e.g. record(model, '*.weights')"
        )
    if grad and torch.is_inference_mode_enabled():
        raise TapError("grad=True cannot work inside torch.inference_mode(); leave it first")
    recorder = _Recorder(model, patterns, edit or {}, grad)
    token = _recorders.set((*_recorders.get(), recorder))
    try:
        yield recorder.trace
    finally:
        _recorders.reset(token)
    recorder.finish()


def note_geometry(geometry: Callable[[], Geometry]) -> None:
    """Called by a model: what is recorded from here on is laid out like this.

    Takes a function so that an unwatched forward pass builds nothing.
    """
    if recorders := _recorders.get():
        here = geometry()
        for recorder in recorders:
            recorder.geometry = here


def taps(model: nn.Module) -> dict[str, str]:
    """The taps of a model: name → axes, in the order of the modules."""
    return {name: tap.axes for name, tap in _tap_modules(model)}


def _tap_modules(model: nn.Module) -> Iterator[tuple[str, Tap]]:
    return ((name, m) for name, m in model.named_modules() if isinstance(m, Tap))


def _select(pattern: str, names: Iterable[str]) -> list[str]:
    names = list(names)
    found = [name for name in names if fnmatchcase(name, pattern)]
    if not found:
        raise TapError(f"no tap matches {pattern!r}.{_near(pattern, names)}")
    return found


def _near(name: str, names: Iterable[str]) -> str:
    names = list(names)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    if near:
        return f" Near: {_list(near)}."
    return f" There are: {_list(names)}." if names else " The model has no taps."


def _list(names: Iterable[str], most: int = 6) -> str:
    names = sorted(names) if isinstance(names, set) else list(names)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(repr(n) for n in names[:most]) + more


def _apply(edit: Edit, name: str, tensor: Tensor) -> Tensor:
    edited = edit(tensor)
    if not isinstance(edited, Tensor) or edited.shape != tensor.shape:
        got = tuple(edited.shape) if isinstance(edited, Tensor) else type(edited).__name__
        raise TapError(f"the edit of {name!r} must return {tuple(tensor.shape)}, not {got}")
    return edited
