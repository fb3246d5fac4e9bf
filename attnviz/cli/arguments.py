"""What the commands share: how arguments are read, refused and reported on."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

SHADES = " .:-=+*#%@"  # from nothing to the most


class UsageError(Exception):
    """Arguments that cannot be carried out; the text is one plain sentence."""


class Parser(argparse.ArgumentParser):
    """Raises mistakes instead of printing a screenful and leaving."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see {self.prog} --help)")


def saved_file(*endings: str) -> Callable[[str], Path]:
    """Reads the name of a file to write, which has to end in one of these."""

    def read(text: str) -> Path:
        path = Path(text)
        if path.suffix.lower() not in endings:
            raise argparse.ArgumentTypeError(f"{text!r} should end in {' or '.join(endings)}")
        return path

    return read


def progress_line(done: int, total: int, what: str) -> None:
    """How far a download is, on one line of standard error."""
    end = "\n" if done == total else ""
    size = f"{done / 1e6:.0f} of {total / 1e6:.0f} MB"
    print(f"\r{what}: {size}", end=end, file=sys.stderr, flush=True)
