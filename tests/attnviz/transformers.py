"""A tiny random Transformer over the vocabulary of dates, for several tests."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch

from attnviz import models
from attnviz.text import Tokeniser

TOKENISER = Tokeniser.load("dates")
SENTENCE = "2024년 3월 5일 화요일"
N, H, D = 3, 2, 16


@cache
def tiny(**options: Any) -> Any:
    """Shared and read-only; weights large enough that attention is not even."""
    torch.manual_seed(3)
    sizes = {"width": D, "heads": H, "layers": N, "hidden": 24, **options}
    made = models.build("transformer", vocabulary=TOKENISER.size, **sizes)
    made.eval().requires_grad_(False)
    for name, parameter in made.named_parameters():
        if "norm" not in name:
            parameter.copy_(torch.randn_like(parameter) * 0.6)
    return made
