"""Where a model runs and in which precision."""

from __future__ import annotations

import torch

from attnviz.zoo.errors import ZooError

_DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


def devices() -> list[str]:
    """The devices of this machine, fastest first; always ends in ``"cpu"``."""
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    cuda = ["cuda"] if count == 1 else [f"cuda:{index}" for index in range(count)]
    mps = ["mps"] if torch.backends.mps.is_available() else []
    return [*cuda, *mps, "cpu"]


def pick_device(wanted: str | torch.device = "auto") -> torch.device:
    """A device to run on: ``"auto"`` takes the fastest that really computes.

    Raises:
        ZooError: the device is not one of this machine's, or no device at all.
    """
    available = devices()
    if wanted == "auto":
        return next(d for d in map(torch.device, available) if _computes(d))
    try:
        device = torch.device(wanted)
    except (RuntimeError, TypeError) as error:
        raise ZooError(
            f"{str(wanted)!r} is no device; this machine has: {', '.join(available)}."
        ) from error
    if device.type not in {torch.device(name).type for name in available} or _beyond(device):
        raise ZooError(
            f"The device {device} is not available; this machine has: {', '.join(available)}."
        )
    return device


def pick_dtype(wanted: str | torch.dtype | None, device: torch.device) -> torch.dtype:
    """The precision to run in: float32 unless asked; half precision only where it is fast and safe.

    Raises:
        ZooError: not a precision of this zoo, or a half precision off CUDA.
    """
    dtype = torch.float32 if wanted is None else _DTYPES.get(str(wanted).removeprefix("torch."))
    if dtype is None:
        raise ZooError(f"The precision is one of {', '.join(_DTYPES)}, not {str(wanted)!r}.")
    if dtype is not torch.float32 and device.type != "cuda":
        raise ZooError(
            f"Half precision needs a CUDA device, and this one is {device.type}: use float32."
        )
    return dtype


def _beyond(device: torch.device) -> bool:
    """Whether the index is past the last device of its kind."""
    count = torch.cuda.device_count() if device.type == "cuda" else 1
    return device.index is not None and device.index >= count


def _computes(device: torch.device) -> bool:
    """A driver can list a card that this build of torch has no code for: try before trusting it."""
    if device.type == "cpu":
        return True
    try:
        return float(torch.ones(2, device=device).sum()) == 2.0
    except RuntimeError:
        return False
