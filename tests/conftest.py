"""Shared by all tests: seeds, one thread for each of the processes that run them, no deadlines."""

from __future__ import annotations

import os

import pytest
import torch
from hypothesis import settings

settings.register_profile("shared", deadline=None)  # processes wait for each other
settings.load_profile("shared")
os.environ.setdefault("HF_HUB_OFFLINE", "1")  # no test may reach a hub by accident


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
