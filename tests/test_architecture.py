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
    "attnviz/text": (
        "torch",
        "timm",
        "attnviz.models",
        "attnviz.zoo",
        "attnviz.data",
        "attnviz.figures",
        "attnviz.training",
    ),
    "attnviz/data": (
        "torch",
        "timm",
        "attnviz.models",
        "attnviz.zoo",
        "attnviz.figures",
        "attnviz.training",
    ),
    "attnviz/decoding.py": ("attnviz.models", "attnviz.layers", "attnviz.zoo", "attnviz.figures"),
    "attnviz/translation.py": (
        "attnviz.models",
        "attnviz.layers",
        "attnviz.zoo",
        "attnviz.figures",
        "attnviz.data",
    ),
    "attnviz/captioning.py": (
        "attnviz.models",
        "attnviz.layers",
        "attnviz.zoo",
        "attnviz.figures",
        "attnviz.data",
    ),
    "attnviz/composition.py": ("torch", "timm", "attnviz.models", "attnviz.zoo", "attnviz.figures"),
    "attnviz/encoding.py": ("attnviz.models", "attnviz.layers", "attnviz.zoo", "attnviz.figures"),
    "attnviz/cli": ("attnviz.training",),
    "attnviz/zoo": ("attnviz.figures", "attnviz.training", "attnviz.analysis"),
    "app": ("pages", "attnviz.training"),
    "pages": ("torch", "timm", "pages", "numpy.random"),
}

ONLY_TRAINING = ("babel", "num2words", "sacrebleu")  # not installed with the app


def _sources(where: str) -> list[Path]:
    path = ROOT / where
    return [path] if path.suffix else sorted(path.rglob("*.py"))


def _imports(path: Path) -> set[str]:
    return _named(ast.parse(path.read_text(encoding="utf-8")))


def _named(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
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


def test_what_only_training_needs_is_imported_where_it_is_used() -> None:
    for path in [*_sources("attnviz"), *_sources("app"), *_sources("pages")]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        tree.body = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        for name in _named(tree):
            assert name.partition(".")[0] not in ONLY_TRAINING, f"{path}: {name}"


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
     "attnviz.zoo", "attnviz.models", "attnviz.text", "attnviz.data.samples",
     "attnviz.data.corpora", "attnviz.data.held_out", "attnviz.cli", "app.registry"],
)  # fmt: skip
def test_import_brings_no_torch(module: str) -> None:
    code = f"import sys, {module}; sys.exit('torch' in sys.modules or 'timm' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False)
    assert done.returncode == 0, f"import {module} must not import torch"


def test_no_file_grows_past_400_lines() -> None:
    tracked = [p for top in ("attnviz", "app", "pages", "benchmarks") for p in _sources(top)]
    long = {str(p): n for p in tracked if (n := len(p.read_text("utf-8").splitlines())) > 400}
    assert not long
