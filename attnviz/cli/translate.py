"""``translate TEXT``: a sentence in another language, and where the model looked for each piece."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attnviz.cli.arguments import (
    SHADES,
    UsageError,
    check_search,
    chooser,
    saved_file,
    search_options,
)
from attnviz.zoo.cards import ASSETS, card

if TYPE_CHECKING:
    import numpy as np

    from attnviz.text import Sentence, Tokeniser
    from attnviz.translation import Translation

DEFAULTS = {"ko": "everyday_ko_en_mlp", "latin": "everyday_en_ko_mlp"}
"""The model that translates a text, by the text's script."""
MOST_READ = 200_000  # characters of standard input; the sentence is cut long before


def add_command(commands: argparse._SubParsersAction) -> None:
    """What ``translate`` takes."""
    translate = commands.add_parser(
        "translate",
        help="a sentence in another language, and where the model looked",
        description="Translates a sentence and shows where the model looked for each piece.",
    )
    translate.add_argument("text", metavar="TEXT", help="a sentence; - reads standard input")
    translate.add_argument(
        "--model",
        metavar="NAME",
        help="see `attnviz models` (default: " + " or ".join(DEFAULTS.values()) + ", by script)",
    )
    search_options(translate, "pieces")
    translate.add_argument("--device", default="auto", help="auto, cpu, cuda, cuda:1, mps")
    translate.add_argument(
        "--save",
        type=saved_file(".npz"),
        metavar="FILE",
        help="weights of every head, probabilities and stages of each step (.npz)",
    )
    translate.add_argument("--json", action="store_true", help="print the result as JSON")
    translate.set_defaults(run=show_translation)


def show_translation(args: argparse.Namespace, assets: Path = ASSETS) -> None:
    """``translate``: the translation of a text and its alignment."""
    check_search(args)

    from attnviz.text import SentenceError, Tokeniser, foreign, read_sentence, script

    try:
        raw = sys.stdin.read(MOST_READ) if args.text == "-" else args.text
        sentence = read_sentence(raw)
    except SentenceError as error:
        raise UsageError(error) from error
    name = args.model or DEFAULTS.get(script(sentence.text), DEFAULTS["ko"])
    chosen = card(name, assets)
    if chosen.tokeniser is None:
        raise UsageError(f"{chosen.name} is no model that translates: see `attnviz models`")

    from attnviz import zoo
    from attnviz.data.held_out import held_out

    tokeniser = Tokeniser.load(chosen.tokeniser)
    model = zoo.load(chosen, args.device, assets=assets)
    run = decode(model, tokeniser, sentence, args)
    known = held_out(chosen.corpus).source_language if chosen.corpus else ""
    result = {
        "translation": run.text,
        "source": list(run.source),
        "target": list(run.target),
        "weights": None if run.weights is None else run.weights.tolist(),
        "probabilities": run.probabilities.tolist(),
        "model": chosen.name,
        "method": run.method,
        "device": run.device,
        "seconds": round(run.seconds, 4),
        "notes": [*(foreign(sentence.text, known) if known else ()), *run.notes],
    }
    if args.save is not None:
        _save(args.save, run, heads(model, tokeniser, run))
    print(json.dumps(result) if args.json else _text(sentence.text, result, args.save))


def decode(
    model: Any, tokeniser: Tokeniser, sentence: Sentence, args: argparse.Namespace
) -> Translation:
    """Greedily, by the best of a beam, or by chance, as the command line says."""
    from attnviz.translation import search, translate

    if args.beam is not None:
        return search(model, tokeniser, sentence, width=args.beam).translations[0]
    return translate(model, tokeniser, sentence, **chooser(args))


def heads(model: Any, tokeniser: Tokeniser, run: Translation) -> dict[str, np.ndarray]:
    """Every head of a Transformer by kind of attention, (layer, head, query, key)."""
    from attnviz.interventions import ATTENTIONS
    from attnviz.models.transformer import Transformer

    if not isinstance(model, Transformer):
        return {}
    from attnviz.inside import look_inside

    inside = look_inside(model, tokeniser, run.sentence, run.ids)
    return {f"{kind}.weights": inside.weights(kind) for kind in ATTENTIONS}


def _text(text: str, result: dict[str, Any], saved: Path | None) -> str:
    """The result for people: the translation, then where each of its pieces looked."""
    lines = [text, result["translation"], ""]
    lines += [f"{result['model']} on {result['device']}, {result['method']}", *result["notes"], ""]
    target, chances = result["target"], result["probabilities"]
    wide = max(map(columns, target))
    names = [
        f"{chance:5.0%}  {piece}{' ' * (wide - columns(piece))}"
        for piece, chance in zip(target, chances, strict=True)
    ]
    if result["weights"] is None:
        lines += [*(name.rstrip() for name in names), "", "This model has no attention."]
    else:
        room = shutil.get_terminal_size().columns - wide - 7  # beside "100%  "
        for band in bands([columns(piece) for piece in result["source"]], room):
            lines += matrix(names, result["source"][band], [w[band] for w in result["weights"]])
            lines.append("")
        lines.pop()
    if saved is not None:
        lines += ["", f"Saved {saved}"]
    return "\n".join(lines)


def matrix(
    names: Sequence[str], source: Sequence[str], weights: Sequence[Sequence[float]]
) -> list[str]:
    """Lines of an alignment: source pieces on top, below each a bar as dark as its weight."""
    lines = [" " * columns(names[0]) + "".join(f"  {piece}" for piece in source)]
    for name, row in zip(names, weights, strict=True):
        shades = (SHADES[round(weight * (len(SHADES) - 1))] for weight in row)
        cells = (f"  {s * columns(piece)}" for s, piece in zip(shades, source, strict=True))
        lines.append((name + "".join(cells)).rstrip())
    return lines


def bands(widths: Sequence[int], room: int) -> Iterator[slice]:
    """Slices of the source that each fit `room` columns, two more beside every piece."""
    start, used = 0, 0
    for i, width in enumerate(widths):
        if i > start and used + width + 2 > room:
            yield slice(start, i)
            start, used = i, 0
        used += width + 2
    yield slice(start, len(widths))


def columns(text: str) -> int:
    """How wide a terminal shows a text: two columns for Hangul and emoji, none for accents."""
    shown = (c for c in text if not unicodedata.combining(c))
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in shown)


def _save(path: Path, run: Translation, heads: dict[str, np.ndarray]) -> None:
    import numpy as np

    optional = {"weights": run.weights, "first_state": run.first_state}
    arrays = {name: array for name, array in optional.items() if array is not None}
    arrays |= heads | run.stages  # by tap name: attention.weights (target, source), …
    try:
        np.savez_compressed(
            path,
            source=np.array(run.source),
            target=np.array(run.target),
            ids=np.array(run.ids),
            probabilities=run.probabilities,
            encoder_states=run.encoder_states,
            allow_pickle=False,
            **arrays,
        )
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from error
