"""The import rules of docs/architecture.md, read off the source."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# folder or file → what it must not import (prefixes of dotted names)
FORBIDDEN = {
    "attnviz": ("streamlit", "app", "pages"),
    "attnviz/models": (
        "timm",
        "attnviz.figures",
        "attnviz.data",
        "attnviz.zoo",
        "attnviz.analysis",
    ),
    "attnviz/layers": ("timm", "attnviz.models", "attnviz.figures", "attnviz.zoo", "attnviz.data"),
    "attnviz/figures": ("torch", "timm", "attnviz.models", "attnviz.zoo", "attnviz.layers"),
    "attnviz/analysis": ("torch", "timm", "plotly", "attnviz.models", "attnviz.zoo"),
    "attnviz/geometry.py": ("torch", "numpy"),
    "attnviz/trace.py": ("attnviz.models", "attnviz.layers"),
    "attnviz/images.py": ("torch", "timm"),
    "attnviz/zoo": ("attnviz.figures", "attnviz.training", "attnviz.analysis"),
    "app": ("pages", "attnviz.training"),
    "pages": ("torch", "timm", "pages", "numpy.random"),
}


def _sources(where: str) -> list[Path]:
    path = ROOT / where
    return [path] if path.suffix else sorted(path.rglob("*.py"))


def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("where", FORBIDDEN)
def test_no_forbidden_import(where: str) -> None:
    sources = _sources(where)
    assert sources, f"{where} is gone: correct the rule"
    for path in sources:
        for name in _imports(path):
            for banned in FORBIDDEN[where]:
                assert name != banned and not name.startswith(banned + "."), f"{path}: {name}"


def test_only_loaders_cache_and_only_show_draws() -> None:
    for path in [*_sources("app"), *_sources("pages")]:
        text = path.read_text(encoding="utf-8")
        if path.name != "loaders.py":
            assert "st.cache_" not in text, f"{path} caches; only app/loaders.py may"
        if path.name != "show.py":
            assert "st.plotly_chart" not in text, f"{path} draws; only app/show.py may"


@pytest.mark.parametrize(
    "module",
    ["attnviz", "attnviz.geometry", "attnviz.images", "attnviz.analysis", "attnviz.figures",
     "attnviz.zoo", "attnviz.models", "attnviz.data.samples", "app.registry"],
)  # fmt: skip
def test_import_brings_no_torch(module: str) -> None:
    code = f"import sys, {module}; sys.exit('torch' in sys.modules or 'timm' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False)
    assert done.returncode == 0, f"import {module} must not import torch"


def test_no_file_grows_past_400_lines() -> None:
    tracked = [p for top in ("attnviz", "app", "pages", "benchmarks") for p in _sources(top)]
    long = {str(p): n for p in tracked if (n := len(p.read_text("utf-8").splitlines())) > 400}
    assert not long
