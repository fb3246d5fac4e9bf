"""A tiny model and a picture for it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.attnviz.cli.command import Command
from tests.attnviz.zoo import tiny


@pytest.fixture(scope="module")
def assets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Assets with one tiny model, which is also the default one."""
    folder = tmp_path_factory.mktemp("assets")
    tiny.write(folder)
    return folder


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("pictures") / "noise picture.png"
    Image.fromarray(rng.integers(0, 256, (90, 120, 3), dtype=np.uint8)).save(path)
    return path


@pytest.fixture
def command(assets: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(assets, capsys)
