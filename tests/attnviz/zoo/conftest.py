"""The zoo's tests talk to stand-in hubs on this machine, never to a real one."""

from __future__ import annotations

import huggingface_hub.constants
import pytest


@pytest.fixture(autouse=True)
def _only_local_hubs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
