"""Recipe: captioners of composed scenes, in English and Korean (Show, Attend and Tell).

The CNN is frozen, so scenes are seen by it once (`caption_shards`) and read again and again. Kinds:
``learned`` finds out where to look from words alone, as in the paper; ``hard`` looks at one cell,
by REINFORCE; ``guided`` is told where: for words that name things, and for words such as "left" at
the thing that decides them and is not yet named (in English what another thing is left of, in
Korean the other thing), −Σ β log α with β the share of each cell that it covers (Liu et al. 2017,
"Attention Correctness in Neural Image Captioning", https://arxiv.org/abs/1605.09553, §3.2).
``bilinear`` and ``dot`` are guided, with other scores.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnviz.data.captions import LANGUAGES, vocabulary
from attnviz.layers.stems import GRIDS as GRIDS_OF_CNN
from attnviz.models.show_attend_tell import (
    Memory,
    ShowAttendTell,
    ShowAttendTellConfig,
    Told,
    doubly_stochastic,
)
from attnviz.text import PAD, Words
from attnviz.training.caption_data import Batch, Scenes, load
from attnviz.training.caption_shards import SEEDS, fill
from attnviz.training.evaluate_captions import SIZE, evaluate
from attnviz.training.runs import cosine, device_name, logarithmic, note, resume, save
from attnviz.training.ship_captions import finish
from attnviz.training.teacher import pretrained
from attnviz.zoo.cards import ASSETS

KINDS: dict[str, dict[str, Any]] = {
    "guided": {"narrow": False},
    "learned": {},
    "bilinear": {"narrow": False, "score": "bilinear"},
    "dot": {"narrow": False, "score": "dot", "width": 224, "annotation": 208},
    "hard": {"hard": True},
}
GUIDED = ("guided", "bilinear", "dot")
SHARDS = {"seen": 2, "moved": 2, "unseen": 2, "train": 32}
CHECKPOINT = 500
GRIDS = {
    "deep": "efficientnet_lite0",
    "shallow": "efficientnet_lite0_shallow",
    "both": "efficientnet_lite0_both",
}


@dataclass(frozen=True)
class Plan:
    """How a captioner is trained.

    Args:
        regulariser: λ of the doubly stochastic penalty.
        guidance, cells: weights of the losses that say where to look, and what is in each cell;
            guided kinds only.
        shown: share of the steps, from the first, in which guided kinds are shown the right place
            at ever fewer words, in place of where they look: as words are given while a decoder
            learns, so that it learns what to say before it knows where to look.
        reinforce: weight of REINFORCE's term, and `entropy` of the entropy's; kind ``hard`` only.
    """

    steps: int = 2400
    batch: int = 64
    rate: float = 2e-3
    decay: float = 0.02
    warmup: int = 200
    regulariser: float = 0.002
    guidance: float = 0.5
    cells: float = 0.3
    shown: float = 0.6
    reinforce: float = 1.0
    entropy: float = 0.002
    seed: int = 0


def cell_loss(model: ShowAttendTell, memory: Memory, batch: Batch) -> Tensor:
    """How surprising a thing's name is to each cell that it covers, by what is in that cell alone.

    The words' output layer without state and last word, over the cells that a named thing covers
    most of; so every cell of a thing learns its name, not those alone that were looked at.
    """
    shown = batch.target * batch.naming[..., None]  # (b, t, n)
    share, word = shown.max(1)  # (b, n): the step whose thing covers the cell most
    covered = share > 0.5 * shown.amax((1, 2), keepdim=True)[..., 0]
    names = batch.wanted.gather(1, word)  # (b, n)
    seen = memory.annotations[covered]  # (cells, a)
    logits = model.L_o(model.L_z(seen).tanh())
    return F.cross_entropy(logits.float(), names[covered])


def shown(batch: Batch, share: float, generator: torch.Generator) -> Tensor | None:
    """Right places for that share of the words that have one, (b, t, n); 0 where there is none."""
    if share <= 0:
        return None
    chosen = torch.rand(batch.given.shape, generator=generator) < share  # (b, t)
    return batch.target * chosen[..., None].to(batch.target)


def losses(told: Told, batch: Batch, kind: str, plan: Plan) -> dict[str, Tensor]:
    """The terms of the loss, each a mean over the batch's words."""
    real = batch.wanted != PAD  # (b, t)
    logits = told.logits.float().mT  # (b, v, t)
    surprise = F.cross_entropy(logits, batch.wanted, ignore_index=PAD, reduction="none")
    terms = {"words": surprise[real].mean()}
    if plan.regulariser and kind != "hard":
        terms["regulariser"] = plan.regulariser * doubly_stochastic(told.weights, real)
    log_weights = told.weights.clamp_min(1e-9).log()
    if kind in GUIDED:
        told_where = batch.target.sum(-1) > 0  # (b, t)
        missed = -(batch.target * log_weights).sum(-1)
        terms["guidance"] = plan.guidance * missed[told_where].mean()
    if kind == "hard":
        # Equation 11: cells that made the rest of the caption likelier than others of the batch
        # did get likelier.
        reward = -(surprise * real).flip(1).cumsum(1).flip(1).detach()  # (b, t)
        usual = (reward * real).sum(0) / real.sum(0)
        chosen = (told.looked * log_weights).sum(-1)
        terms["reinforce"] = -plan.reinforce * ((reward - usual) * chosen)[real].mean()
        entropy = -(told.weights * log_weights).sum(-1)
        terms["entropy"] = -plan.entropy * entropy[real].mean()
    return terms


def train(
    kind: str, language: str, grid: str, scenes: Scenes, valid: Scenes, words: Words, plan: Plan,
    run: Path, device: str, snapshots: bool = False,
) -> tuple[ShowAttendTell, float]:  # fmt: skip
    """Train, or go on training; the model and the seconds it took."""
    torch.manual_seed(plan.seed)
    run.mkdir(parents=True, exist_ok=True)
    model = ShowAttendTell(config(kind, grid, words))
    model.stem.requires_grad_(False)
    model.to(device).train()
    learned = [p for name, p in model.named_parameters() if not name.startswith("stem.")]
    optimizer = torch.optim.AdamW(learned, plan.rate, (0.9, 0.98), weight_decay=plan.decay)
    step, seconds = resume(run, {"model": model, "optimizer": optimizer})
    generator = torch.Generator().manual_seed(plan.seed + step)
    # 100, 289 and 833 of 2400; the last step is the model itself.
    kept = logarithmic(plan.steps, first=100, count=7)[:-1:2] if snapshots else []
    totals: dict[str, float] = {}
    while step < plan.steps:
        began = time.perf_counter()
        for group in optimizer.param_groups:
            group["lr"] = plan.rate * cosine(step, plan.steps, plan.warmup)
        batch = scenes.draw(plan.batch, generator).to(device)
        share = 1 - step / (plan.shown * plan.steps) if kind in GUIDED and plan.shown else 0.0
        places = shown(batch, share, generator)
        with torch.autocast(device.partition(":")[0], torch.bfloat16):  # scores stay float32
            memory, state = model.encode_grid(batch.grid, SIZE)
            told, _ = model.tell(batch.given, state, memory, places)
            terms = losses(told, batch, kind, plan)
            if kind in GUIDED:
                terms["cells"] = plan.cells * cell_loss(model, memory, batch)
        optimizer.zero_grad()
        torch.stack(list(terms.values())).sum().backward()
        torch.nn.utils.clip_grad_norm_(learned, 1.0)
        optimizer.step()
        step += 1
        seconds += time.perf_counter() - began
        for name, value in terms.items():
            totals[name] = totals.get(name, 0.0) + float(value.detach())
        if step % 100 == 0:
            note(run, step=step, seconds=round(seconds), **{k: v / 100 for k, v in totals.items()})
            totals = {}
        if step in kept:
            torch.save(model.state_dict(), run / f"snapshot-{step:06d}.pt")
        if step % CHECKPOINT == 0 or step == plan.steps:
            save(run, {"model": model, "optimizer": optimizer}, step, seconds)
        if step % (2 * CHECKPOINT) == 0 or step == plan.steps:
            note(run, step=step, **measured(model, valid, words, language))
    return model.eval(), seconds


def measured(
    model: ShowAttendTell, scenes: Scenes, words: Words, language: str
) -> dict[str, float]:
    """The scores of one split; training goes on where it was."""
    training = model.training
    scores = evaluate(model.eval(), scenes, words, language, model.geometry((224, 224), (14, 14)))
    model.train(training)
    return scores


def config(kind: str, grid: str, words: Words) -> ShowAttendTellConfig:
    """What a kind of captioner is."""
    return ShowAttendTellConfig(vocabulary=words.size, stem=GRIDS[grid], **KINDS[kind])


def main(arguments: list[str]) -> None:
    """Command line: ``python -m attnviz.training captions --help``."""
    parser = argparse.ArgumentParser(
        prog="python -m attnviz.training captions",
        description="Rebuild bundled captioners. Stopped at any point, it goes on from there.",
    )
    add = parser.add_argument
    add("names", nargs="*", metavar="LANGUAGE_KIND", help="e.g. en_guided ko_learned")
    add("--only", choices=("fill", "train", "ship"), help="one stage (default: all)")
    add("--shards", type=Path, default=Path("captions"), help="folder of scenes")
    add("--node-modules", type=Path, default=Path("node_modules"), help="where npm packages are")
    add("--runs", type=Path, default=Path("runs"), help="folder of checkpoints and logs")
    add("--assets", type=Path, default=ASSETS, help="where weights and cards are written")
    add("--grid", choices=list(GRIDS), default="both", help="what the captioner looks at")
    add("--steps", type=int, default=Plan.steps)
    add("--snapshots", action="store_true", help="keep and ship snapshots of the training")
    add("--worker", type=int, default=0, help="of the workers that fill, this one")
    add("--workers", type=int, default=1, help="how many fill")
    add("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    add("--threads", type=int, default=torch.get_num_threads(), help="of the CPU")
    given = parser.parse_args(arguments)
    torch.set_num_threads(given.threads)
    if given.only in (None, "fill"):
        fill(given.shards, given.node_modules, SHARDS, worker=given.worker, workers=given.workers)
    for name in given.names if given.only != "fill" else ():
        one(name, given)


def one(name: str, given: argparse.Namespace) -> None:
    """Train and ship the captioner of that name, as the command line says."""
    language, _, kind = name.partition("_")
    if language not in LANGUAGES or kind not in KINDS:
        raise SystemExit(
            f"{name!r} is no language and kind: languages are {', '.join(LANGUAGES)}; "
            f"kinds are {', '.join(KINDS)}"
        )
    words = Words(vocabulary(language))
    splits = {split: load(given.shards / split, given.grid, language, words) for split in SEEDS}
    scenes = splits.pop("train")
    plan = Plan(steps=given.steps)
    run = given.runs / f"captions_{name}_{given.grid}"
    model, seconds = train(
        kind,
        language,
        given.grid,
        scenes,
        splits["seen"],
        words,
        plan,
        run,
        given.device,
        given.snapshots,
    )
    if given.only != "train":
        model.stem.load_state_dict(frozen_cnn(given.grid).state_dict())
        cfg = config(kind, given.grid, words)
        card = {
            "name": f"captions_{name}",
            "config": {name: value for name, value in asdict(cfg).items() if value is not None},
            "seed": plan.seed,
            "steps": plan.steps,
            "seconds": round(seconds),
            "trained_on": device_name(given.device),
        }
        print(
            finish(
                model, kind, language, words, splits, card, run, given.node_modules, given.assets
            )
        )


def frozen_cnn(grid: str) -> nn.Module:
    """The pretrained CNN up to the grid, under the names of the captioner's stem."""
    stem = GRIDS_OF_CNN[GRIDS[grid]].build()
    state = pretrained(16).state_dict()
    stem.load_state_dict({name: state[name] for name in stem.state_dict()})
    return stem
