"""Measuring a translator as it will be shipped, and shipping it with its card."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn

from attnviz.data.pairs import Corpus, Pair
from attnviz.text import END, Tokeniser
from attnviz.training.evaluate_translation import Alignment, evaluate, token_accuracy
from attnviz.training.export import copied, rounded, ship, ship_snapshot
from attnviz.training.runs import note
from attnviz.training.translate import translations
from attnviz.translation import follow

TITLES = {
    "none": "fixed vector",
    "reversed": "fixed vector, source reversed",
    "rnn": "fixed vector, vanilla RNN",
    "dot": "attention, dot-product score",
    "bilinear": "attention, bilinear score",
    "mlp": "attention, MLP score",
    "transformer": "Transformer",
}
PAPERS = {
    "none": "arXiv:1409.3215",
    "reversed": "arXiv:1409.3215",
    "rnn": "arXiv:1409.3215",
    "dot": "arXiv:1508.04025",
    "bilinear": "arXiv:1508.04025",
    "mlp": "arXiv:1409.0473",
    "transformer": "arXiv:1706.03762",
}
NOTES = (
    "Scores are those of greedy decoding on held-out pairs: exact_match is the share of sentences "
    "that equal the reference character for character, token_accuracy the share of right pieces "
    "when every step gets the reference's beginning, alignment_accuracy the share of pieces whose "
    "largest weight lies on what the grammar made them from. Lengths count pieces of the source."
)


def finish(
    model: nn.Module,
    kind: str,
    corpus: Corpus,
    tokeniser: Tokeniser,
    card: dict[str, Any],
    run: Path,
    assets: Path,
) -> Path:
    """Round, measure on the test pairs and write weights, snapshots and card; the card's path.

    Args:
        card: fields that only the training knows: name, variant, config, seed, steps, time.
        run: where the training left its snapshots.
    """
    rounded(model.cpu()).eval().requires_grad_(False)
    scores, by_length = measure(model, corpus.test, corpus.target_language, tokeniser)
    note(run, model=card["name"], **scores)
    snapshots = []
    state = copied(model)
    for path in sorted(run.glob("snapshot-*.pt")):
        step = int(path.stem.partition("-")[2])
        model.load_state_dict(torch.load(path, weights_only=True))
        rounded(model)
        found, _ = measure(model, corpus.test[:300], corpus.target_language, tokeniser)
        snapshots.append(ship_snapshot(model, card["name"], step, assets, scores=found))
    model.load_state_dict(state)
    whole = {
        "title": f"{corpus.title}: {TITLES[kind]}",
        "paper": PAPERS[kind],
        "recipe": f"translation {card['name']}",
        "corpus": corpus.name,
        "tokeniser": corpus.tokeniser,
        "data": list(corpus.data),
        "scores": scores,
        "by_length": by_length,
        "snapshots": snapshots,
        "notes": NOTES,
    }
    return ship(model, card | whole, assets)


def measure(
    model: nn.Module, pairs: Sequence[Pair], language: str, tokeniser: Tokeniser
) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """A card's ``scores`` and ``by_length``, rounded to four places."""
    ids = [(*tokeniser.encode(pair.target).ids, END) for pair in pairs]
    runs = [follow(model, tokeniser, p.source, i) for p, i in zip(pairs, ids, strict=True)]
    alignments: list[Alignment] = [
        (run.weights, tokeniser.encode(pair.target).spans, run.pieces.spans, pair.links)
        for pair, run in zip(pairs, runs, strict=True)
        if run.weights is not None
    ]
    scores, by_length = evaluate(
        translations(model, [pair.source for pair in pairs], tokeniser),
        [pair.target for pair in pairs],
        [len(run.pieces) for run in runs],
        language=language,
        alignments=alignments or None,
    )
    guesses = [tuple(run.candidates[:, 0].tolist()) for run in runs]
    scores["token_accuracy"] = token_accuracy(guesses, ids)
    return _short(scores), [_short(row) for row in by_length]


def _short(values: dict[str, Any]) -> dict[str, Any]:
    return {k: round(v, 4) if isinstance(v, float) else v for k, v in values.items()}
