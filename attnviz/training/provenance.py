"""Which data a recipe used: name, version as installed, licence. Goes into the model's card."""

from __future__ import annotations

import json
import subprocess
from importlib.metadata import version
from pathlib import Path

from attnviz.data.cutouts import EMOJI_PACKAGE
from attnviz.training.teacher import PACKAGE

DEBIAN = {
    "tuxpaint-stamps-default": "GPL-2.0-or-later",
    "mate-backgrounds": "GPL-2.0-or-later, CC-BY-SA-4.0",
    "plasma-workspace-wallpapers": "GPL-2.0-or-later",
    "gcompris-qt-data": "CC-BY, CC-BY-SA, CC0, public domain, GFDL, Free Art, GPL-3.0-or-later",
}
SCENERY = ("tuxpaint-stamps-default", "mate-backgrounds", "plasma-workspace-wallpapers")
NPM = {"openmoji": "CC-BY-SA-4.0", "@iconify-json/fluent-emoji-flat": "MIT"}
PYPI = {PACKAGE: "Apache-2.0", "scikit-image": "CC0 or no known restrictions (its pictures)"}


def scene_data(node_modules: Path) -> list[dict[str, str]]:
    """The packages behind `attnviz.training.cache`, as installed here."""
    found = [(name, debian_version(name), licence) for name, licence in DEBIAN.items()]
    found += [(name, npm_version(node_modules / name), licence) for name, licence in NPM.items()]
    found += [(name, version(name), licence) for name, licence in PYPI.items()]
    return [{"name": n, "version": v, "licence": licence} for n, v, licence in found]


def caption_data(node_modules: Path) -> list[dict[str, str]]:
    """The packages behind `attnviz.training.caption_shards`, as installed here."""
    emoji = {"name": EMOJI_PACKAGE, "version": npm_version(node_modules / EMOJI_PACKAGE)}
    scenery = [
        {"name": name, "version": debian_version(name), "licence": DEBIAN[name]} for name in SCENERY
    ]
    pypi = [{"name": n, "version": version(n), "licence": licence} for n, licence in PYPI.items()]
    return [*scenery, emoji | {"licence": "MIT"}, *pypi]


def debian_version(package: str) -> str:
    """What dpkg says is installed."""
    query = ["dpkg-query", "-W", "-f=${Version}", package]
    return subprocess.run(query, check=True, capture_output=True, text=True).stdout


def npm_version(folder: Path) -> str:
    """The version in a package's own manifest."""
    return json.loads((folder / "package.json").read_text(encoding="utf-8"))["version"]
