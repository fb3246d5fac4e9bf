"""All files of a component become one module of the browser: no name may be declared twice."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from app.components.mount import COMMON

FOLDERS = [
    folder
    for folder in sorted(COMMON.parent.iterdir())
    if folder.is_dir() and any(folder.glob("*.js")) and folder != COMMON
]
DECLARED = re.compile(
    r"^(?:export )?(?:default )?(?:async )?(?:const|let|function\*?|class) (\w+)", re.MULTILINE
)


def declared(folder: Path) -> list[str]:
    files = [*COMMON.glob("*.js"), *folder.glob("*.js")]
    return [name for file in files for name in DECLARED.findall(file.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_name_is_declared_once(folder: Path) -> None:
    names = Counter(declared(folder))
    assert len(names) > 20 and [name for name, times in names.items() if times > 1] == []
