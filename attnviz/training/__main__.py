"""``python -m attnviz.training RECIPE``: rebuild a bundled weight file from its data."""

from __future__ import annotations

import sys
from importlib import import_module

RECIPES = ("hybrid_vit_scenes", "corpora", "translation", "captions", "stickers")


def main(arguments: list[str]) -> int:
    """Run the named recipe with the remaining arguments; 2 for a name that there is not."""
    if not arguments or arguments[0] not in RECIPES:
        print(f"usage: python -m attnviz.training {{{','.join(RECIPES)}}} …", file=sys.stderr)
        return 2
    import_module(f"attnviz.training.{arguments[0]}").main(arguments[1:])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
