"""The command line: ``models``, ``attend PICTURE``, ``translate TEXT``, ``caption PICTURE``.

For scripts and for lessons without a browser. Results go to standard output, as text or
(``--json``) as one JSON value. Whatever goes wrong is one line on standard error and exit status 2.
Heavy imports wait inside the commands, so that help and mistakes answer at once.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from attnviz.cli import attend, caption, translate
from attnviz.cli.arguments import Parser, UsageError
from attnviz.images import ImageError
from attnviz.zoo.cards import ASSETS, cards
from attnviz.zoo.errors import ZooError

SOURCES = {"bundled": "bundled", "timm": "fetched once", "package": "optional"}


def main(argv: Sequence[str] | None = None, *, assets: Path = ASSETS) -> int:
    """Run one command; returns the exit status.

    Args:
        argv: arguments without the program's name; by default the process's own.
        assets: where the bundled cards and weights lie.
    """
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that cannot show "×" shows "?"
    try:
        args = parser().parse_args(argv)
        args.run(args, assets)
        sys.stdout.flush()
    except (UsageError, ZooError, ImageError) as error:
        return _fail(error)
    except BrokenPipeError:  # the reader, e.g. `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if sys.flags.dev_mode:  # python -X dev -m attnviz … shows where
            raise
        return _fail(f"something went wrong inside: {type(error).__name__}: {error}")
    return 0


def _fail(what: object) -> int:
    print("attnviz:", " ".join(str(what).split()), file=sys.stderr)
    return 2


def parser() -> argparse.ArgumentParser:
    """What the command line takes."""
    top = Parser(prog="attnviz", description="What happens inside attention models.")
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    models = commands.add_parser("models", help="list the models there are")
    models.add_argument("--json", action="store_true", help="print all cards as JSON")
    models.set_defaults(run=list_models)
    attend.add_command(commands)
    translate.add_command(commands)
    caption.add_command(commands)
    return top


def list_models(args: argparse.Namespace, assets: Path = ASSETS) -> None:
    """``models``: a table, or every card as JSON."""
    found = cards(assets)
    if args.json:
        print(json.dumps([entry.to_dict() for entry in found], indent=1))
        return
    width = max(len(entry.name) for entry in found)
    for entry in found:
        source = SOURCES[entry.source]
        size = "×".join(map(str, entry.preprocess.size)) if entry.preprocess else ""
        millions = f"{entry.parameters / 1e6:.1f} M"
        print(f"{entry.name:{width}}  {millions:>8}  {size:>7}  {source:12}  {entry.title}")
