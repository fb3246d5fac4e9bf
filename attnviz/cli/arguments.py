"""What the commands share: how arguments are read, refused and reported on."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

WIDEST_BEAM = 64
COLDEST, HOTTEST = 0.01, 100.0
LAST_SEED = 2**32 - 1
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


def search_options(command: argparse.ArgumentParser, what: str) -> None:
    """How the `what` of a sentence are found: --beam, or --sample with --seed."""
    how = command.add_mutually_exclusive_group()
    how.add_argument("--beam", type=_beam, metavar="N", help="search with a beam of N")
    how.add_argument(
        "--sample", type=_temperature, metavar="TEMPERATURE", help=f"draw the {what} by chance"
    )
    command.add_argument("--seed", type=_seed, metavar="N", help="of --sample (default: 0)")


def check_search(args: argparse.Namespace) -> None:
    """Refuse a seed that nothing would use."""
    if args.seed is not None and args.sample is None:
        raise UsageError("--seed is of --sample: give a temperature, e.g. --sample 1")


def chooser(args: argparse.Namespace) -> dict[str, Any]:
    """``choose`` and ``method`` as `attnviz.decoding` takes them, without a beam."""
    from attnviz.decoding import greedy, sampler

    if args.sample is None:
        return {"choose": greedy, "method": "greedy"}
    seed = args.seed or 0
    method = f"sampled at temperature {args.sample:g}, seed {seed}"
    return {"choose": sampler(args.sample, seed), "method": method}


def _beam(text: str) -> int:
    return _within(text, int, 1, WIDEST_BEAM, "a width")


def _temperature(text: str) -> float:
    return _within(text, float, COLDEST, HOTTEST, "a temperature")


def _seed(text: str) -> int:
    return _within(text, int, 0, LAST_SEED, "a seed")


def _within(text: str, kind: Callable[[str], Any], least: float, most: float, what: str) -> Any:
    try:
        if least <= (value := kind(text)) <= most:
            return value
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{text!r} is not {what} from {least:.10g} to {most:.10g}")
