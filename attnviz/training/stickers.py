"""Recipe: the cut-outs that come with the package, cut down from the npm package of emoji."""

from __future__ import annotations

import argparse
from pathlib import Path

from PIL import Image

from attnviz.data.cutouts import emoji_cutout
from attnviz.data.scenes import trimmed
from attnviz.data.stickers import FOLDER, stickers

LONGER = 176  # pixels


def main(arguments: list[str]) -> None:
    """Command line: ``python -m attnviz.training stickers --help``."""
    parser = argparse.ArgumentParser(prog="python -m attnviz.training stickers")
    parser.add_argument("--node-modules", type=Path, default=Path("node_modules"))
    given = parser.parse_args(arguments)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for sticker in stickers():
        picture = trimmed(emoji_cutout(given.node_modules, sticker.name))
        picture.thumbnail((LONGER, LONGER), Image.Resampling.LANCZOS)
        picture.save(sticker.path, quality=82, method=6)
