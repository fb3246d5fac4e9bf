"""Recipe `hybrid_vit_scenes`: a ViT over a frozen CNN grid learns a CNN's answers on scenes.

Knowledge distillation as function matching (Beyer et al. 2022, https://arxiv.org/abs/2106.05237):
no label is used, the student copies EfficientNet-Lite0's answer to any picture. What carries it far
past plain soft labels, and makes it look:

- it starts from its teacher's head, and from attention that follows content (`inherit`);
- the last layer is the teacher's own classifier, frozen, and the hidden layer before it learns the
  teacher's pooled features (SimKD, Chen et al. 2022, https://arxiv.org/abs/2203.14001), so classes
  that no training picture shows still have their direction;
- each step shows a random quarter of the patches (PatchDropout, Liu et al. 2023,
  https://arxiv.org/abs/2208.07220), which quarters the cost and asks every patch to carry its
  share; the last fiftieth of the steps shows all of them;
- the evaluated weights are an exponential moving average;
- a CNN that averages all cells can be copied without looking anywhere. So from `focus_from` on, a
  head of the last block whose class token spreads wider than `focus_aim` (entropy over the shown
  patches, as a share of the largest possible) pays for the rest: of all ways to give the same
  answer, one that looks at few patches is preferred. Which patches is left to training; no box is
  used.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from attnviz.models.vit import ViT, ViTConfig
from attnviz.trace import record
from attnviz.training.cache import cutout_answers, fill
from attnviz.training.evaluate import evaluate
from attnviz.training.export import rounded, ship
from attnviz.training.inherit import FEATURE_SCALE, fit_hidden, inherit
from attnviz.training.provenance import scene_data
from attnviz.training.runs import Stateful, cosine, device_name, logarithmic, note, resume, save
from attnviz.training.shards import Batch, Shards
from attnviz.training.teacher import Teacher, pretrained
from attnviz.zoo.cards import ASSETS

NAME = "hybrid_vit_scenes"
CONFIG = ViTConfig(
    stem="efficientnet_lite0", patch_size=1, width=384, depth=4, heads=6, representation=1280
)
GRID = CONFIG.grid(*CONFIG.image_size)  # (14, 14)
LAST = f"blocks.{CONFIG.depth - 1}.attn.weights"
FIT_BATCHES = 16  # of 64 pictures, for the closed-form start of the hidden layer
SHARDS = {"unseen": 3, "seen": 3, "train": 80}
CARD = {
    "name": NAME,
    "title": "Hybrid ViT taught by a CNN",
    "family": "vit",
    "variant": "vit_small_patch16_224",
    "config": {
        "stem": CONFIG.stem,
        "patch_size": CONFIG.patch_size,
        "width": CONFIG.width,
        "depth": CONFIG.depth,
        "heads": CONFIG.heads,
        "representation": CONFIG.representation,
    },
    "preprocess": {"size": CONFIG.image_size, "crop": 0.875, "mean": (0.5,) * 3, "std": (0.5,) * 3},
    "labels": "imagenet",
    "paper": "arXiv:2010.11929",
    "recipe": NAME,
    "notes": (
        "A Transformer of four blocks over the frozen 14×14 grid of EfficientNet-Lite0, taught "
        "to answer as that CNN does; the Transformer itself saw no label and no ImageNet "
        "picture. Scores are its agreement with the CNN on scenes it never saw (top1, top5, "
        "top1_sure where the CNN is above 0.5 sure), and how often the peak of a map lies in "
        "the object's box (one_, several_ objects). unseen_ scenes are made of cut-outs and "
        "backgrounds that were held out, whole nouns at a time; seen_ scenes show known objects "
        "anew. Training starts from the CNN's own head, and attention from looking where that "
        "head responds strongly; heads of the last block that spread over too many patches paid "
        "for it. No box was used in training."
    ),
}


@dataclass(frozen=True)
class Plan:
    """How long and how fast to learn. Steps and pictures, AdamW settings."""

    steps: int = 1_400
    batch: int = 64
    rate: float = 4e-4
    warmup: int = 100
    weight_decay: float = 0.05
    average: float = 0.995
    kept_patches: float = 0.25
    full_share: float = 0.02
    temperature: float = 2.0
    feature_weight: float = 1.0
    focus_weight: float = 1.0
    focus_aim: float = 0.72
    focus_from: float = 0.44
    seed: int = 0

    def rate_at(self, step: int) -> float:
        """Linear warm-up, then half a cosine to a hundredth."""
        return self.rate * cosine(step, self.steps, self.warmup)

    def patches_at(self, step: int, total: int) -> int:
        """How many patches a step shows."""
        whole = step >= (1 - self.full_share) * self.steps
        return total if whole else round(self.kept_patches * total)

    def focus_at(self, step: int) -> float:
        """Weight of the price on spreading attention."""
        return self.focus_weight if step >= self.focus_from * self.steps else 0.0

    def snapshots(self, count: int = 8) -> set[int]:
        """Step numbers, evenly spaced in their logarithm from 10 to the last."""
        return set(logarithmic(self.steps, count=count))


def student(cfg: ViTConfig, seed: int) -> ViT:
    """The model with the teacher's grid, frozen, and its classifier's shape; the rest random."""
    torch.manual_seed(seed)
    model = ViT(cfg).eval()
    stem = model.patch_embed.backbone
    assert stem is not None
    wanted = stem.state_dict()
    stem.load_state_dict({k: v for k, v in pretrained(16).state_dict().items() if k in wanted})
    stem.requires_grad_(False)
    model.head.requires_grad_(False)
    return model


def begin(model: ViT, data: Shards, seed: int) -> None:
    """Hand the teacher's head to a new student, in place."""
    generator = torch.Generator().manual_seed(seed)
    inherit(model, data.draw(512, generator))
    with torch.inference_mode():
        batches = [data.draw(64, generator) for _ in range(FIT_BATCHES)]
        tokens = torch.cat([encode(model, batch.seen)[:, 0] for batch in batches])
    fit_hidden(model, tokens, torch.cat([batch.pooled for batch in batches]))


def encode(model: ViT, grid: Tensor, kept: Tensor | None = None) -> Tensor:
    """Stored grids (b, n, 320) to tokens (b, 1 + n, d), from `kept` patches only if given."""
    image = grid.mT.unflatten(-1, GRID)  # (b, 320, 14, 14)
    tokens = model.embed(model.patch_embed.project(image), GRID)  # (b, 1 + n, d)
    if kept is not None:
        tokens = torch.cat([tokens[:, :1], tokens[:, 1 + kept]], 1)
    for block in model.blocks:
        tokens = block(tokens, GRID)
    return model.norm(tokens)


def losses(model: ViT, batch: Batch, kept: Tensor | None, plan: Plan) -> tuple[Tensor, Tensor]:
    """(answer, feature) losses: KL divergence at temperatures 1 and T; squared feature error.

    The error is in units of the batch's mean feature variance.
    """
    features = model.represent(encode(model, batch.seen, kept)).float()
    logits = model.head(features)
    kl = logits.new_zeros(())
    for t in (1.0, plan.temperature):
        target = F.log_softmax(batch.logits / t, -1)
        guess = F.log_softmax(logits / t, -1)
        kl = kl + t * t * F.kl_div(guess, target, reduction="batchmean", log_target=True)
    wanted = batch.pooled / FEATURE_SCALE
    error = F.mse_loss(features, wanted) / wanted.var(0).mean()
    return kl, error


def spread(weights: Tensor) -> Tensor:
    """How widely each head's class token looks, 0 (one patch) to 1 (all): (b, h, t, t) → (h,).

    Entropy over the patches divided by its largest value, mean of the batch.
    """
    patches = weights[:, :, 0, 1:]  # (b, h, n)
    patches = patches / patches.sum(-1, keepdim=True)
    bits = -(patches * patches.clamp_min(1e-9).log()).sum(-1)  # (b, h)
    return bits.mean(0) / math.log(patches.shape[-1])


def train(plan: Plan, cfg: ViTConfig, cache: Path, run: Path, device: str) -> tuple[ViT, float]:
    """Run the plan, or go on with it; the averaged model and the seconds it took.

    `run` gets checkpoints, the log (log.jsonl) and the averaged weights at a few steps.
    """
    run.mkdir(parents=True, exist_ok=True)
    data = Shards(cache / "train")
    model = student(cfg, plan.seed)
    if not (run / "checkpoint.pt").exists():
        begin(model, data, plan.seed)
    model.to(device)
    averaged = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(plan.average))
    mean = cast(ViT, averaged.module)
    learned = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(learned, lr=plan.rate, weight_decay=plan.weight_decay)
    parts: dict[str, Stateful] = {"model": model, "averaged": averaged, "optimizer": optimizer}
    step, seconds = resume(run, parts)
    held = {split: Shards(cache / split) for split in ("seen", "unseen")}
    cells = GRID[0] * GRID[1]
    before = time.monotonic() - seconds
    while step < plan.steps:
        for group in optimizer.param_groups:
            group["lr"] = plan.rate_at(step)
        if step % 100 == 0:
            data.scan()
        generator = torch.Generator().manual_seed(plan.seed * 1_000_003 + step)
        count = plan.patches_at(step, cells)
        kept = torch.randperm(cells, generator=generator)[:count] if count < cells else None
        batch = data.draw(plan.batch, generator).to(device)
        with (
            torch.autocast("cuda", torch.bfloat16, enabled=device.startswith("cuda")),
            record(model, LAST, grad=True) as trace,
        ):
            kl, error = losses(model, batch, kept, plan)
        excess = F.relu(spread(trace[LAST]) - plan.focus_aim).mean()
        optimizer.zero_grad(set_to_none=True)
        (kl + plan.feature_weight * error + plan.focus_at(step) * excess).backward()
        torch.nn.utils.clip_grad_norm_(learned, 1.0)
        optimizer.step()
        averaged.update_parameters(model)
        step += 1
        seconds = time.monotonic() - before
        if step % 50 == 0:
            measured = {"kl": kl, "feature": error, "excess": excess}
            values = {name: value.item() for name, value in measured.items()}
            note(run, step=step, seconds=round(seconds), **values)
        if step in plan.snapshots():
            torch.save(small(mean), run / f"snapshot-{step:06d}.pt")
        if step % 100 == 0 or step == plan.steps:
            note(run, step=step, pictures=len(data), **quick_agreement(mean, held, device))
            save(run, parts, step, seconds)
    return mean, seconds


def small(model: ViT) -> dict[str, Tensor]:
    """What changes in training, as float16."""
    return {name: p.detach().half() for name, p in model.named_parameters() if p.requires_grad}


@torch.inference_mode()
def quick_agreement(model: ViT, held: dict[str, Shards], device: str, count: int = 512) -> dict:
    """Share of held-out scenes in which the model names the teacher's class, per split."""
    result = {}
    for split, shards in held.items():
        right = [
            (model.classify(encode(model, batch.seen)).argmax(-1) == batch.logits.argmax(-1))
            for batch in (b.to(device) for b in shards.batches(64, count))
        ]
        result[split] = torch.cat(right).float().mean().item()
    return result


def finish(model: ViT, plan: Plan, seconds: float, given: argparse.Namespace) -> Path:
    """Measure the model as it will be shipped, and ship it with its card; the card's path."""
    rounded(model.cpu()).requires_grad_(False)
    answers = cutout_answers(Teacher())
    scores: dict[str, float] = {}
    for split in ("unseen", "seen"):
        found = evaluate(model, Shards(given.cache / split), encode, answers)
        scores |= {f"{split}_{name}": round(value, 4) for name, value in found.items()}
        note(given.run, split=split, **found)
    card = CARD | {
        "data": scene_data(given.node_modules),
        "seed": plan.seed,
        "steps": plan.steps,
        "seconds": round(seconds),
        "trained_on": device_name(given.device),
        "scores": scores,
    }
    return ship(model, card, given.assets)


def main(arguments: list[str]) -> None:
    """Command line: ``python -m attnviz.training hybrid_vit_scenes --help``."""
    parser = argparse.ArgumentParser(
        prog=f"python -m attnviz.training {NAME}",
        description="Rebuild the bundled hybrid ViT. Stopped at any point, it goes on from there.",
    )
    add = parser.add_argument
    add("--cache", type=Path, default=Path("cache/scenes"), help="folder of the stored pictures")
    add("--run", type=Path, default=Path("runs") / NAME, help="folder of checkpoints and log")
    add("--node-modules", type=Path, default=Path("node_modules"), help="where npm put the emoji")
    add("--assets", type=Path, default=ASSETS, help="where weights and card are written")
    add("--only", choices=("fill", "train", "ship"), help="one stage (default: all three)")
    add("--worker", type=int, nargs=2, default=(0, 1), metavar=("N", "OF"), help="share of fill")
    add("--steps", type=int, default=Plan.steps)
    add("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    add("--threads", type=int, default=torch.get_num_threads(), help="of the CPU")
    given = parser.parse_args(arguments)
    torch.set_num_threads(given.threads)
    if given.only in (None, "fill"):
        worker, workers = given.worker
        fill(given.cache, given.node_modules, SHARDS, worker=worker, workers=workers)
    if given.only == "fill":
        return
    plan = Plan(steps=given.steps)
    model, seconds = train(plan, CONFIG, given.cache, given.run, given.device)
    if given.only != "train":
        print(finish(model, plan, seconds, given))
