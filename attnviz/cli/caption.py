"""``caption PICTURE``: what a captioner says of a picture, and where it looked for each word."""

from __future__ import annotations

import argparse
import json
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
from attnviz.cli.attend import overlay
from attnviz.images import open_image
from attnviz.zoo.cards import ASSETS, card

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image

    from attnviz.captioning import Captioning

DEFAULT = "captions_en_guided"
FAMILY = "captioner"


def add_command(commands: argparse._SubParsersAction) -> None:
    """What ``caption`` takes."""
    caption = commands.add_parser(
        "caption",
        help="what a captioner says of a picture, and where it looked",
        description="Captions a picture and shows where the model looked for each word. It knows "
        "few words: what it does not know it calls by the nearest that it knows.",
    )
    caption.add_argument("picture", metavar="PICTURE", help="a picture file")
    caption.add_argument(
        "--model",
        default=DEFAULT,
        metavar="NAME",
        help="see `attnviz models` (default: %(default)s)",
    )
    search_options(caption, "words")
    caption.add_argument("--device", default="auto", help="auto, cpu, cuda, cuda:1, mps")
    caption.add_argument(
        "--save",
        type=saved_file(".png", ".npz"),
        metavar="FILE",
        help="the maps over the picture, word after word (.png), or maps, gates, probabilities and "
        "stages of each word (.npz)",
    )
    caption.add_argument("--json", action="store_true", help="print the result as JSON")
    caption.set_defaults(run=show_caption)


def show_caption(args: argparse.Namespace, assets: Path = ASSETS) -> None:
    """``caption``: the caption of a picture and one map a word."""
    check_search(args)
    picture = open_image(Path(args.picture))
    chosen = card(args.model, assets)
    if chosen.family != FAMILY or chosen.preprocess is None or not chosen.labels:
        raise UsageError(f"{chosen.name} is no model that captions: see `attnviz models`")

    from attnviz import zoo
    from attnviz.text import Words

    model = zoo.load(chosen, args.device, assets=assets)
    view = chosen.preprocess.view(picture.image)
    run = tell(model, Words(chosen.labels), chosen.preprocess.pixels(view), args)
    result = {
        "caption": run.text,
        "words": list(run.words),
        "weights": run.weights.tolist(),
        "probabilities": run.probabilities.tolist(),
        "gates": run.gates.tolist(),
        "grid": [run.geometry.rows, run.geometry.cols],
        "model": chosen.name,
        "file": chosen.file,
        "sha256": chosen.sha256,
        "method": run.method,
        "device": run.device,
        "seconds": round(run.seconds, 4),
        "notes": [*picture.notes, *run.notes],
    }
    if args.save is not None:
        _save(args.save, run, view)
    print(json.dumps(result) if args.json else _text(picture.name, result, args.save))


def tell(model: Any, words: Any, pixels: np.ndarray, args: argparse.Namespace) -> Captioning:
    """Greedily, by the best of a beam, or by chance, as the command line says."""
    from attnviz.captioning import describe, search

    if args.beam is not None:
        return search(model, words, pixels, width=args.beam).captions[0]
    return describe(model, words, pixels, **chooser(args))


def _text(name: str, result: dict[str, Any], saved: Path | None) -> str:
    """The result for people: the caption, then for each word its map in shades."""
    lines = [f"{name}: {result['model']} on {result['device']}, {result['method']}"]
    lines += [*result["notes"], "", result["caption"]]
    told = zip(result["words"], result["probabilities"], result["weights"], strict=True)
    for word, chance, weights in told:
        lines += ["", f"{chance:5.0%}  {word}"]
        peak = max(map(max, weights)) or 1.0
        for row in weights:
            shades = (SHADES[round(value / peak * (len(SHADES) - 1))] for value in row)
            lines.append(" ".join(shades).rstrip())
    if saved is not None:
        lines += ["", f"Saved {saved}"]
    return "\n".join(lines)


def strip(run: Captioning, view: Image) -> Image:
    """The picture under every word's map, one after the other on one scale."""
    from PIL import Image

    peak = run.weights.max()
    shown = [overlay(view, weights, run.geometry, peak) for weights in run.weights]
    whole = Image.new("RGB", (sum(one.width for one in shown), shown[0].height))
    for number, one in enumerate(shown):
        whole.paste(one, (number * one.width, 0))
    return whole


def _save(path: Path, run: Captioning, view: Image) -> None:
    import numpy as np

    try:
        if path.suffix.lower() == ".png":
            strip(run, view).save(path)
            return
        np.savez_compressed(
            path,
            words=np.array(run.words),
            ids=np.array(run.ids),
            maps=run.weights,  # (words, rows, cols)
            gates=run.gates,
            probabilities=run.probabilities,
            picture=np.asarray(view),
            allow_pickle=False,
            **run.stages,
        )
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from error
