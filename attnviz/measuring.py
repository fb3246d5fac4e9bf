"""Time and memory of real layers of equal width, measured on this machine.

The layers are those of the other pages, at the size that `attnviz.complexity` counts: attention
with its four projections and one head, a recurrence carried over the whole length, a convolution,
and attention restricted to a window. Vaswani et al. 2017, https://arxiv.org/abs/1706.03762, §4.

    n tokens · d width · k kernel · w blocks of s tokens · r = 2s + 1 tokens in a window
"""

from __future__ import annotations

import statistics
import time
import weakref
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np
import torch
from einops import rearrange
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode

from attnviz.complexity import Sizes
from attnviz.layers.attention import attend
from attnviz.layers.recurrent import CELLS, Recurrent
from attnviz.layers.transformer import MultiHeadAttention
from attnviz.trace import Tap, record

Pass = Literal["forward", "forward and backward"]

WRITTEN_OUT, FUSED = "self-attention, written out", "self-attention, fused"
LAYERS = (WRITTEN_OUT, FUSED, "RNN", "LSTM", "convolution", "restricted attention")

RECURRENT = ("RNN", "LSTM")

LENGTHS = tuple(2**power for power in range(4, 13))
"""Lengths to measure, 16 to 4,096 tokens. At the last one a matrix of all pairs takes 64 MiB."""

STEPS = 1024  # of a recurrence that is trained or whose memory is counted: each takes its time
SECONDS = 0.1  # a point is repeated for about this long
REPEATS = (3, 15)  # but so often at least and at most; once if the first run took very long
PATIENCE = 1.0  # seconds: a run that takes longer is not repeated


class SelfAttention(nn.Module):
    """Every token looks at every token, in one head."""

    def __init__(self, width: int, *, written_out: bool) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(width, 1)
        self.written_out = written_out

    def forward(self, x: Tensor) -> Tensor:
        """(1, n, d) → (1, n, d)."""
        watch = record(self, "*.weights") if self.written_out else nullcontext()
        with watch:  # the weights exist only where somebody looks at them
            return self.attention(x, *self.attention.keys_values(x))


class RestrictedAttention(nn.Module):
    """Every token looks at itself and s tokens on either side: r = 2s + 1.

    The tokens are cut into blocks of s. A block needs only itself and its two neighbours, so no
    matrix of all pairs ever exists:

        block 1 looks at      0 1 2 . .
        block 2 looks at      . 1 2 3 .        (Beltagy et al. 2020, arXiv:2004.05150, section 3.1)

    and a band mask leaves each token the r of those 3s that are near enough.
    """

    def __init__(self, width: int, half: int) -> None:
        super().__init__()
        self.block = half
        self.w_q, self.w_k, self.w_v, self.w_o = (
            nn.Linear(width, width, bias=False) for _ in range(4)
        )
        self.scores, self.weights = Tap("b w s t"), Tap("b w s t")

    def forward(self, x: Tensor) -> Tensor:
        """(b, n, d) → (b, n, d); n is padded to a multiple of s for the time being."""
        tokens, s = x.shape[1], self.block
        missing = -tokens % s
        x = F.pad(x, (0, 0, 0, missing))
        query = rearrange(self.w_q(x), "b (w s) d -> b w s d", s=s)
        key, value = self._neighbours(self.w_k(x)), self._neighbours(self.w_v(x))
        context = attend(
            query, key, value, scores_tap=self.scores, weights_tap=self.weights,
            mask=self._near(tokens, query.shape[1], x.device),
        )  # fmt: skip
        return self.w_o(rearrange(context, "b w s d -> b (w s) d"))[:, :tokens]

    def _neighbours(self, x: Tensor) -> Tensor:
        """(b, w · s, d) → (b, w, 3s, d): each block with those before and after it."""
        padded = F.pad(x, (0, 0, self.block, self.block))
        return padded.unfold(1, 3 * self.block, self.block).mT  # a view

    def _near(self, tokens: int, blocks: int, device: torch.device) -> Tensor:
        """(w, s, 3s), True where a token may look: near enough, and there."""
        s = self.block
        query, key = torch.arange(s, device=device), torch.arange(-s, 2 * s, device=device)
        near = (query[:, None] - key).abs() <= s  # (s, 3s)
        place = key + s * torch.arange(blocks, device=device)[:, None]  # (w, 3s)
        there = (place >= 0) & (place < tokens)
        return near & there[:, None]


class Convolution(nn.Module):
    """Every token is mixed from k neighbours, by weights that are the same everywhere."""

    def __init__(self, width: int, kernel: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(width, width, kernel, padding=kernel // 2, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """(b, n, d) → (b, n, d)."""
        return self.conv(x.mT).mT


class Recurrence(nn.Module):
    """A cell carried from the first token to the last."""

    def __init__(self, cell: str, width: int) -> None:
        super().__init__()
        self.layer = Recurrent(CELLS[cell](width, width))

    def forward(self, x: Tensor) -> Tensor:
        """(b, n, d) → (b, n, d)."""
        return self.layer(x)[0]


def build(layer: str, sizes: Sizes) -> nn.Module:
    """One of `LAYERS` with random weights.

    Raises:
        ValueError: no such layer.
    """
    d = sizes.width
    made: dict[str, Callable[[], nn.Module]] = {
        WRITTEN_OUT: lambda: SelfAttention(d, written_out=True),
        FUSED: lambda: SelfAttention(d, written_out=False),
        "RNN": lambda: Recurrence("rnn", d),
        "LSTM": lambda: Recurrence("lstm", d),
        "convolution": lambda: Convolution(d, sizes.kernel),
        "restricted attention": lambda: RestrictedAttention(d, sizes.half),
    }
    if layer not in made:
        raise ValueError(f"there are {', '.join(made)}, not {layer!r}")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return made[layer]()


@dataclass(frozen=True)
class Point:
    """One layer at one length.

    Args:
        seconds: of each run, the batch being one sequence.
        peak: bytes of all tensors that were alive at once, without weights and input. On a CPU
            that is every storage an operation gives back, not a kernel's scratch memory; on a
            CUDA device what its allocator says. None where counting would take too long.
        when: UTC.
    """

    layer: str
    length: int
    seconds: tuple[float, ...]
    peak: int | None
    when: datetime

    @property
    def median(self) -> float:
        """The median of the runs, seconds."""
        return statistics.median(self.seconds)

    @property
    def quartiles(self) -> tuple[float, float]:
        """Between these lies the middle half of the runs, seconds."""
        low, high = np.percentile(self.seconds, (25, 75))
        return float(low), float(high)


def longest(layer: str, passes: Pass = "forward") -> int:
    """How many tokens a layer is measured with at most: of `LENGTHS`, for the sake of others."""
    return STEPS if layer in RECURRENT and passes != "forward" else LENGTHS[-1]


def measure(
    layer: str, length: int, sizes: Sizes, device: str = "cpu", passes: Pass = "forward"
) -> Point:
    """Run a layer over random tokens: once to get ready, a few times for time, once for memory.

    Raises:
        ValueError: a length that is out of range, or no such layer.
    """
    if not 1 <= length <= longest(layer, passes):
        raise ValueError(f"{length} tokens: {layer} is measured with 1 to {longest(layer, passes)}")
    backward = passes != "forward"
    module = build(layer, sizes).to(device).requires_grad_(backward)
    draw = torch.Generator().manual_seed(length)
    x = torch.randn(1, length, sizes.width, generator=draw).to(device).requires_grad_(backward)

    def run() -> None:
        with torch.enable_grad() if backward else torch.inference_mode():
            output = module(x)
            if backward:
                output.sum().backward()
        module.zero_grad()
        x.grad = None

    seconds = repeated(run, device)
    counted = layer not in RECURRENT or length <= STEPS or device != "cpu"
    peak = peak_bytes(run, device) if counted else None
    return Point(layer, length, seconds, peak, datetime.now(UTC))


def repeated(run: Callable[[], None], device: str = "cpu") -> tuple[float, ...]:
    """Seconds of a few runs after a first one, fewer where a run takes long."""
    first = _timed(run, device)
    repeats = min(max(round(SECONDS / first), REPEATS[0]), REPEATS[1]) if first < PATIENCE else 1
    return tuple(_timed(run, device) for _ in range(repeats))


def _timed(run: Callable[[], None], device: str) -> float:
    _wait(device)
    began = time.perf_counter()
    run()
    _wait(device)
    return time.perf_counter() - began


def _wait(device: str) -> None:
    if device.startswith("cuda"):
        torch.cuda.synchronize(device)


def peak_bytes(run: Callable[[], None], device: str = "cpu") -> int:
    """Most bytes of tensors that were alive at once during a run, without those from before it."""
    if device.startswith("cuda"):
        torch.cuda.reset_peak_memory_stats(device)
        before = torch.cuda.memory_allocated(device)
        run()
        return torch.cuda.max_memory_allocated(device) - before
    with _Storages() as alive:
        run()
    return alive.peak


class _Storages(TorchDispatchMode):
    """Counts the bytes of storages that operations make, while they are alive."""

    def __init__(self) -> None:
        super().__init__()
        self.peak = self._now = 0
        self._old: set[int] = set()  # addresses of storages that were there before
        self._alive: set[int] = set()

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # else torch imports its whole compiler, seconds long, to keep it off this

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        for tensor in _tensors(args):
            storage = tensor.untyped_storage()
            if (address := storage.data_ptr()) not in self._alive and address not in self._old:
                self._old.add(address)
                weakref.finalize(storage, self._old.discard, address).atexit = False
        made = func(*args, **(kwargs or {}))
        for tensor in _tensors((made,)):
            self._count(tensor.untyped_storage())
        return made

    def _count(self, storage: torch.UntypedStorage) -> None:
        address, size = storage.data_ptr(), storage.nbytes()
        if not size or address in self._alive or address in self._old:
            return
        self._alive.add(address)
        self._now += size
        self.peak = max(self.peak, self._now)
        weakref.finalize(storage, self._gone, address, size).atexit = False

    def _gone(self, address: int, size: int) -> None:
        self._alive.discard(address)
        self._now -= size


def _tensors(values: Any) -> list[Tensor]:
    """Tensors among an operation's arguments or results, lists of them included."""
    found: list[Tensor] = []
    for value in values:
        if isinstance(value, Tensor):
            found.append(value)
        elif isinstance(value, list | tuple):
            found += (item for item in value if isinstance(item, Tensor))
    return found
