"""Measuring a captioner as it will be shipped, and shipping it with its card."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from attnviz.models.show_attend_tell import ShowAttendTell
from attnviz.text import Words
from attnviz.training.caption_data import Scenes
from attnviz.training.evaluate_captions import evaluate
from attnviz.training.export import copied, rounded, ship, ship_snapshot
from attnviz.training.provenance import caption_data
from attnviz.training.runs import note

LANGUAGE = {"en": "English", "ko": "Korean"}
TITLES = {
    "guided": "guided attention",
    "learned": "learned attention",
    "bilinear": "guided attention, bilinear score",
    "dot": "guided attention, dot-product score",
    "hard": "hard attention",
}
GUIDED = "arXiv:1502.03044, arXiv:1605.09553"
PAPERS = {"guided": GUIDED, "bilinear": GUIDED, "dot": GUIDED}
STEM = {"stem.": "hybrid_vit_scenes/patch_embed.backbone."}
PREPROCESS = {"size": [224, 224], "crop": 1.0, "mean": [0.5] * 3, "std": [0.5] * 3}
NOTES = (
    "seen_ scores are of new scenes of known pictures, moved_ of known pictures on backgrounds "
    "that were held out, unseen_ of pictures of known things that were held out, too. Written "
    "freely: bleu (against the caption that the recipe teaches; over characters for Korean), "
    "exact_match (with any caption that is true of the scene), object_recall (kinds of thing in "
    "the scene that are named). Given the words so far: object_words (words naming things that are "
    "predicted) and pointing (how often the peak of such a word's map lies in the box of what it "
    "names), beside what the middle of the picture and a cell drawn blindly would reach; "
    "relation_words (left, above, on, …), beside always saying the commonest of them. The words "
    "are whole and few: what the captioner does not know it calls by the nearest name that it has. "
)
BOXES = "Attention was supervised with the objects' cells while it learned."
TAUGHT = {
    "guided": BOXES,
    "bilinear": BOXES,
    "dot": BOXES,
    "hard": "One cell is looked at for each word: sampled in training, the likeliest here.",
}
LEARNED = "Where to look was learned from the words alone; no box was used in training."


def finish(
    model: ShowAttendTell,
    kind: str,
    language: str,
    words: Words,
    splits: Mapping[str, Scenes],
    card: dict[str, Any],
    run: Path,
    node_modules: Path,
    assets: Path,
) -> Path:
    """Round, measure on held-out scenes and write weights, snapshots and card; the card's path.

    Args:
        splits: "seen", "moved" and "unseen".
        card: fields that only the training knows: name, config, seed, steps, time.
        run: where the training left its snapshots.
    """
    rounded(model.cpu()).eval().requires_grad_(False)
    geometry = model.geometry((224, 224), (14, 14))

    def scores(which: Mapping[str, Scenes]) -> dict[str, float]:
        return {
            f"{split}_{name}": round(value, 4)
            for split, scenes in which.items()
            for name, value in evaluate(model, scenes, words, language, geometry).items()
        }

    found = scores(splits)
    note(run, model=card["name"], **found)
    state, snapshots = copied(model), []
    for path in sorted(run.glob("snapshot-*.pt")):
        step = int(path.stem.partition("-")[2])
        model.load_state_dict(torch.load(path, weights_only=True))
        rounded(model)
        early = scores({"seen": splits["seen"]})
        snapshots.append(
            ship_snapshot(model, card["name"], step, assets, scores=early, without=STEM)
        )
    model.load_state_dict(state)
    whole = {
        "family": "captioner",
        "variant": "show_attend_tell",
        "title": f"Captions in {LANGUAGE[language]}: {TITLES[kind]}",
        "paper": PAPERS.get(kind, "arXiv:1502.03044"),
        "recipe": f"captions {language}_{kind}",
        "preprocess": PREPROCESS,
        "labels": list(words.words),
        "language": language,
        "borrows": STEM,
        "data": caption_data(node_modules),
        "scores": found,
        "snapshots": snapshots,
        "notes": NOTES + TAUGHT.get(kind, LEARNED),
    }
    return ship(model, card | whole, assets)
