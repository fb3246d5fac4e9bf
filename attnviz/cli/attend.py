"""``attend PICTURE``: what a model sees in a picture, and where it looks."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from attnviz.cli.arguments import SHADES, UsageError, progress_line, saved_file
from attnviz.images import open_image
from attnviz.zoo.cards import ASSETS, DEFAULT, Card, card

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image

    from attnviz.geometry import Geometry
    from attnviz.inference import PictureRun
    from attnviz.models.vit import ViT

METHODS = ("class", "rollout", "relevance", "gradient")
FUSIONS = ("mean", "max", "min")
FAMILIES = ("vit",)  # whose attention is one square of tokens a layer
SAVED_SIDE = 672  # pixels, least longer side of a saved overlay
OPACITY = 0.6


def add_command(commands: argparse._SubParsersAction) -> None:
    """What ``attend`` takes."""
    attend = commands.add_parser(
        "attend",
        help="what a model sees in a picture, and where it looks",
        description="Names what is in a picture and shows where the model looks. Layers and heads "
        "are numbered from 0, as in tap names: blocks.0 is the first.",
    )
    attend.add_argument("picture", metavar="PICTURE", help="a picture file")
    attend.add_argument(
        "--model",
        default=DEFAULT,
        metavar="NAME",
        help="see `attnviz models` (default: %(default)s)",
    )
    attend.add_argument(
        "--method",
        choices=METHODS,
        default="class",
        help="class: what the class token attends to (models without one: the mean over patches); "
        "rollout: attention multiplied through all layers; relevance: rollout weighted by the "
        "gradient of the first label; gradient: one layer's attention so weighted "
        "(default: %(default)s)",
    )
    attend.add_argument(
        "--layer",
        type=_layer,
        metavar="N|last|all",
        help="class: one layer or the mean of all (default: last); gradient: one layer (default: "
        "last); the other methods use all",
    )
    attend.add_argument(
        "--head",
        type=_head,
        metavar="N|mean|max|min",
        help="class: one head or how they are combined (default: mean); rollout: how they are "
        "combined; the other methods weigh heads by their gradients",
    )
    attend.add_argument("--device", default="auto", help="auto, cpu, cuda, cuda:1, mps")
    attend.add_argument(
        "--save",
        type=saved_file(".png", ".npz"),
        metavar="FILE",
        help="the map over the picture (.png), or all weights, logits and the map (.npz)",
    )
    attend.add_argument("--json", action="store_true", help="print the result as JSON")
    attend.set_defaults(run=show_attention)


def show_attention(args: argparse.Namespace, assets: Path = ASSETS) -> None:
    """``attend``: labels and one map of a picture."""
    _check_method(args)
    picture = open_image(Path(args.picture))
    chosen = card(args.model, assets)
    if chosen.family not in FAMILIES or chosen.preprocess is None:
        raise UsageError(f"{chosen.name} is no model that attend can show: see `attnviz models`")

    from attnviz import zoo

    progress = progress_line if sys.stderr.isatty() else None
    model = cast("ViT", zoo.load(chosen, args.device, progress=progress, assets=assets))

    from attnviz.inference import look

    layer, head = _choose(args, chosen, model)
    view = chosen.preprocess.view(picture.image)
    pixels = chosen.preprocess.pixels(view)
    run = look(model, pixels)
    values, total = patch_map(args.method, layer, head, run, model, pixels)
    names = zoo.label_names(chosen)
    result = {
        "model": chosen.name,
        "weights": {"source": chosen.source, "file": chosen.file, "sha256": chosen.sha256},
        "device": run.device,
        "labels": [
            {"name": names[i] if i < len(names) else f"class {i}", "probability": probability}
            for i, probability in run.top()
        ],
        "method": args.method,
        "layer": layer,
        "head": head,
        "size": [run.geometry.height, run.geometry.width],
        "grid": [run.geometry.rows, run.geometry.cols],
        "map": values.tolist(),
        "total": total,
        "seconds": round(run.seconds, 4),
        "notes": list(picture.notes),
    }
    if args.save is not None:
        _save(args.save, values, run, view, result["labels"])
    print(json.dumps(result) if args.json else _text(picture.name, result, args.save))


def patch_map(
    method: str,
    layer: int | str,
    head: int | str,
    run: PictureRun,
    model: ViT,
    pixels: np.ndarray,
) -> tuple[np.ndarray, float]:
    """Where the model looks, by one method: (rows, cols) that sum to 1, and the sum before scaling.

    A method that finds nothing anywhere gives zeros and a sum of 0.
    """
    import numpy as np

    from attnviz import analysis
    from attnviz.inference import gradients

    weights = run.weights  # (L, h, t, t)
    if method == "class":
        layers = weights[layer : layer + 1] if isinstance(layer, int) else weights
        fused = layers[:, head] if isinstance(head, int) else analysis.fuse_heads(layers, head)  # type: ignore[arg-type]
        square = fused.mean(0)
    elif method == "rollout":
        square = analysis.rollout(weights, fuse=head)  # type: ignore[arg-type]
    else:
        traced, slopes = gradients(model, pixels, None)
        if method == "relevance":
            square = analysis.relevance(traced, slopes) - np.eye(weights.shape[-1])
        else:
            upto = cast(int, layer) + 1
            square = analysis.attention_gradient(traced[:upto], slopes[:upto])
    values = np.maximum(analysis.class_map(square, run.geometry), 0).astype(np.float64)
    total = float(values.sum())
    return (values / total if total > 0 else values), total


def overlay(
    view: Image, values: np.ndarray, geometry: Geometry, peak: float | None = None
) -> Image:
    """The picture that the model saw, under the map in viridis, each cell where it really looks.

    Args:
        peak: what is drawn brightest; the map's own largest value by default.
    """
    import numpy as np
    from PIL import Image

    from attnviz.analysis import upsample
    from attnviz.figures.theme import colour_table

    peak = peak or values.max() or 1.0
    levels = np.rint(upsample(values / peak, geometry) * 255).astype(np.uint8)  # (H, W)
    colours = Image.fromarray(colour_table("viridis")[levels])
    factor = max(1, -(-SAVED_SIDE // max(view.size)))
    size = (view.width * factor, view.height * factor)
    return Image.blend(
        view.resize(size, Image.Resampling.BICUBIC),
        colours.resize(size, Image.Resampling.NEAREST),
        OPACITY,
    )


def _check_method(args: argparse.Namespace) -> None:
    """Refuse choices that a method would ignore, before anything is loaded."""
    if args.method in ("rollout", "relevance") and args.layer not in (None, "all"):
        raise UsageError(f"{args.method} goes through all layers: leave --layer out")
    if args.method == "gradient" and args.layer == "all":
        raise UsageError("gradient shows one layer: give its number, or last")
    if args.method in ("relevance", "gradient") and args.head is not None:
        raise UsageError(f"{args.method} weighs the heads by their gradients: leave --head out")
    if args.method == "rollout" and isinstance(args.head, int):
        raise UsageError(f"rollout combines the heads: --head takes {', '.join(FUSIONS)}")


def _choose(args: argparse.Namespace, chosen: Card, model: ViT) -> tuple[int | str, int | str]:
    """Layer and head as asked for, defaults filled in, within the model's range."""
    through_all = args.method in ("rollout", "relevance")
    layer = args.layer if args.layer is not None else "all" if through_all else "last"
    layer = model.cfg.depth - 1 if layer == "last" else layer
    by_gradient = args.method in ("relevance", "gradient")
    head = args.head if args.head is not None else "by gradient" if by_gradient else "mean"
    for what, number, count in (("layer", layer, model.cfg.depth), ("head", head, model.cfg.heads)):
        if isinstance(number, int) and number >= count:
            raise UsageError(
                f"{what} {number} does not exist: {chosen.name} has {what}s 0–{count - 1}"
            )
    return layer, head


def _text(name: str, result: dict[str, Any], saved: Path | None) -> str:
    """The result for people: labels, then the map in shades."""
    lines = [f"{name}: {result['model']} on {result['device']}", *result["notes"], ""]
    lines += [f"{entry['probability']:7.1%}  {entry['name']}" for entry in result["labels"]]
    if not result["labels"]:
        lines.append("This model has no classes.")
    rows, cols = result["grid"]
    layers = "all layers" if result["layer"] == "all" else f"layer {result['layer']}"
    head = result["head"]
    heads = f"head {head}" if isinstance(head, int) else f"heads: {head}"
    lines += ["", f"{result['method']}, {layers}, {heads}; {rows}×{cols} patches"]
    peak = max(map(max, result["map"])) or 1.0
    for row in result["map"]:
        shades = (SHADES[round(value / peak * (len(SHADES) - 1))] for value in row)
        lines.append(" ".join(shades).rstrip())
    if saved is not None:
        lines += ["", f"Saved {saved}"]
    return "\n".join(lines)


def _save(
    path: Path, values: np.ndarray, run: PictureRun, view: Image, labels: list[dict[str, Any]]
) -> None:
    import numpy as np

    geometry = run.geometry
    try:
        if path.suffix.lower() == ".png":
            overlay(view, values, geometry).save(path)
            return
        np.savez_compressed(
            path,
            map=values,
            weights=run.weights,  # (layers, heads, tokens, tokens)
            logits=run.logits,
            tokens=np.array(geometry.labels()),
            picture=np.asarray(view),
            labels=np.array([entry["name"] for entry in labels]),
        )
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from error


def _layer(text: str) -> int | str:
    return text if text in ("last", "all") else _number(text, "layer", "last or all")


def _head(text: str) -> int | str:
    return text if text in FUSIONS else _number(text, "head", "mean, max or min")


def _number(text: str, what: str, words: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is no {what}: a number from 0, {words}")
    return int(text)
