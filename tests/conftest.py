"""Shared by all tests: seeds, one thread, and small read-only models."""

from __future__ import annotations

import os

import pytest
import torch

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # no test may reach a hub by accident


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)
    torch.set_num_threads(min(2, os.cpu_count() or 1))
