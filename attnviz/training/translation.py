"""Recipe `translation`: encoder-decoders that translate, with and without attention.

One small recipe for all, so that their held-out scores can be compared: the same corpus, the same
order of batches, teacher forcing and Adam; recurrent models with the same number of steps and a
cosine, Transformers as their paper trains them (§5.3, §5.4: its schedule, label smoothing), except
that the rate falls to zero over the last steps where the paper averages the last checkpoints. A
model is named after its corpus and its kind, ``everyday_ko_en_mlp``:

    none       one fixed vector (Sutskever et al. 2014)
    reversed   one fixed vector, source read from its end (§3.3 there)
    rnn        one fixed vector, Elman's network in the LSTM's place
    dot, bilinear, mlp    attention with that score (Luong et al. 2015, Bahdanau et al. 2015)
    transformer           nothing but attention (Vaswani et al. 2017)
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnviz import models
from attnviz.data.corpora import corpus as build_corpus
from attnviz.data.pairs import Corpus, Pair
from attnviz.text import END, PAD, START, Tokeniser
from attnviz.training.runs import (
    cosine,
    device_name,
    inverse_root,
    logarithmic,
    note,
    resume,
    save,
)
from attnviz.training.ship_translation import finish
from attnviz.training.translate import exact_share
from attnviz.translation import padded
from attnviz.zoo.cards import ASSETS

KINDS = {
    "none": "seq2seq",
    "reversed": "seq2seq_reversed",
    "rnn": "seq2seq_rnn",
    "dot": "seq2seq_dot",
    "bilinear": "seq2seq_bilinear",
    "mlp": "seq2seq_mlp",
    "transformer": "transformer",
}


@dataclass(frozen=True)
class Plan:
    """How large, how long and how fast. Steps and sentences, Adam's settings.

    Args:
        width: of the model, and ``dropout`` in it.
        rate: the top of the cosine; of the paper's schedule, a factor.
        cooldown: last steps, over which the paper's schedule is drawn down to 0 in a straight line.
        forcing: share of the decoder's inputs that are the right word rather than its own guess,
            reached linearly at the last step from 1 at the first (Bengio et al. 2015,
            https://arxiv.org/abs/1506.03099). 1 is plain teacher forcing, and much faster.
        snapshots: whether to keep the weights of eight steps, evenly spaced in their logarithm.
    """

    steps: int
    width: int
    batch: int = 64
    rate: float = 3e-3
    warmup: int = 200
    weight_decay: float = 1e-4
    dropout: float = 0.1
    forcing: float = 1.0
    schedule: str = "cosine"  # or "inverse_root"
    smoothing: float = 0.0
    cooldown: int = 0
    snapshots: bool = False
    seed: int = 0

    def rate_at(self, step: int) -> float:
        """The learning rate of a step, counted from 0."""
        if self.schedule == "cosine":
            return self.rate * cosine(step, self.steps, self.warmup)
        left = min(1.0, (self.steps - step) / self.cooldown) if self.cooldown else 1.0
        return self.rate * left * inverse_root(step, self.warmup, self.width)


PLANS = {
    "dates_ko_en": Plan(steps=3000, width=96),
    "numbers_ko_en": Plan(steps=3000, width=96),
    "everyday_ko_en": Plan(steps=5000, width=160),
    "everyday_en_ko": Plan(steps=5000, width=160),
    "manual_en_fr": Plan(steps=5000, width=192, dropout=0.3, rate=2e-3),
    "manual_ko_en": Plan(steps=5000, width=192, dropout=0.3, rate=2e-3),
}

_PAPER = Plan(
    steps=7000,
    width=128,
    rate=1.0,
    warmup=1000,
    weight_decay=0.0,
    schedule="inverse_root",
    smoothing=0.1,
    cooldown=2500,
)
TRANSFORMERS = {
    "dates_ko_en": replace(_PAPER, steps=3000, width=48, cooldown=1000),
    "everyday_ko_en": _PAPER,
    "everyday_en_ko": _PAPER,
    "manual_en_fr": replace(_PAPER, steps=4000, width=96, cooldown=1500),
    "manual_ko_en": replace(_PAPER, steps=4000, width=96, dropout=0.2, cooldown=1500),
}

CHECKPOINT = 500  # steps between two

Encoded = tuple[list[int], list[int]]  # source ending with </s>, target from <s> to </s>


def encode_pairs(pairs: Sequence[Pair], tokeniser: Tokeniser) -> list[Encoded]:
    """The ids of each pair."""
    return [
        ([*tokeniser.encode(p.source).ids, END], [START, *tokeniser.encode(p.target).ids, END])
        for p in pairs
    ]


def batches(data: list[Encoded], size: int, seed: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Shuffled (source, target) batches for ever; the sentences of a batch are alike in length."""
    draw = random.Random(seed)
    while True:
        order = draw.sample(range(len(data)), len(data))
        pools = [order[i : i + 50 * size] for i in range(0, len(order), 50 * size)]
        groups = []
        for pool in pools:
            pool.sort(key=lambda i: (len(data[i][1]), len(data[i][0])))
            groups += [pool[i : i + size] for i in range(0, len(pool), size)]
        draw.shuffle(groups)
        for group in groups:
            yield padded([data[i][0] for i in group]), padded([data[i][1] for i in group])


def forced(model: Any, source: Tensor, target: Tensor, ratio: float, draw: random.Random) -> Tensor:
    """Logits (b, t, v) for target[:, 1:]; each input is the right token with chance `ratio`.

    Otherwise it is the model's own likeliest one, for the whole batch at that step.
    """
    if ratio >= 1:
        return model(source, target[:, :-1])
    memory, state = model.encode(source)
    logits, token = [], target[:, :1]
    for t in range(target.shape[1] - 1):
        step, state = model.decode(token, state, memory)
        logits.append(step)
        token = target[:, t + 1, None] if draw.random() < ratio else step.argmax(-1)
    return torch.cat(logits, 1)


def loss_of(logits: Tensor, target: Tensor, smoothing: float = 0.0) -> Tensor:
    """Mean cross-entropy of the real tokens of target (b, t + 1) under logits (b, t, v)."""
    wanted = target[:, 1:].flatten()
    return F.cross_entropy(
        logits.flatten(0, 1), wanted, ignore_index=PAD, label_smoothing=smoothing
    )


def train(
    name: str, kind: str, corpus: Corpus, tokeniser: Tokeniser, plan: Plan, run: Path, device: str
) -> tuple[nn.Module, float]:
    """Run the plan, or go on with it: the model and the seconds it took.

    `run` gets the checkpoint, the log (log.jsonl) and the snapshots.
    """
    run.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(plan.seed)
    model = models.build(KINDS[kind], **sizes(kind, tokeniser, plan)).to(device)
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=plan.rate, weight_decay=plan.weight_decay, betas=(0.9, 0.98)
    )
    data = encode_pairs(corpus.train, tokeniser)
    step, seconds = resume(run, {"model": model, "optimizer": optimizer})
    stream = batches(data, plan.batch, plan.seed)
    for _ in range(step):
        next(stream)
    keep = set(logarithmic(plan.steps)) if plan.snapshots else set()
    before, total = time.monotonic() - seconds, 0.0
    while step < plan.steps:
        for group in optimizer.param_groups:
            group["lr"] = plan.rate_at(step)
        source, target = (ids.to(device) for ids in next(stream))
        ratio = 1 - (1 - plan.forcing) * step / plan.steps
        logits = forced(model, source, target, ratio, random.Random(plan.seed * 1_000_003 + step))
        loss = loss_of(logits, target, plan.smoothing)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step, total = step + 1, total + loss.item()
        seconds = time.monotonic() - before
        if step in keep:
            torch.save(model.state_dict(), run / f"snapshot-{step:06d}.pt")
        if step % 100 == 0:
            note(run, step=step, loss=total / 100, seconds=round(seconds))
            total = 0.0
        if step % CHECKPOINT == 0 or step == plan.steps:
            right = exact_share(model, corpus.valid[:300], tokeniser)
            note(run, model=name, step=step, exact_match=right)
            save(run, {"model": model, "optimizer": optimizer}, step, seconds)
    return model, seconds


def sizes(kind: str, tokeniser: Tokeniser, plan: Plan) -> dict[str, Any]:
    """The fields of the config that the plan decides."""
    chosen = {"vocabulary": tokeniser.size, "width": plan.width, "dropout": plan.dropout}
    return chosen | ({"hidden": 4 * plan.width} if kind == "transformer" else {})


def main(arguments: list[str]) -> None:
    """Command line: ``python -m attnviz.training translation --help``."""
    parser = argparse.ArgumentParser(
        prog="python -m attnviz.training translation",
        description="Rebuild bundled translators. Stopped at any point, it goes on from there.",
    )
    add = parser.add_argument
    add("names", nargs="+", metavar="CORPUS_KIND", help="e.g. everyday_ko_en_mlp dates_ko_en_none")
    add("--runs", type=Path, default=Path("runs"), help="folder of checkpoints and logs")
    add("--assets", type=Path, default=ASSETS, help="where weights and cards are written")
    add("--only", choices=("train", "ship"), help="one stage (default: both)")
    add("--steps", type=int, help="instead of the recipe's number")
    add("--snapshots", action="store_true", help="keep and ship eight snapshots of the training")
    add("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    add("--threads", type=int, default=torch.get_num_threads(), help="of the CPU")
    given = parser.parse_args(arguments)
    torch.set_num_threads(given.threads)
    for name in given.names:
        one(name, given)


def one(name: str, given: argparse.Namespace) -> None:
    """Train and ship the model of that name, as the command line says."""
    corpus_name, _, kind = name.rpartition("_")
    plans = TRANSFORMERS if kind == "transformer" else PLANS
    if kind not in KINDS or corpus_name not in plans:
        raise SystemExit(
            f"{name!r} is no corpus and kind: corpora are {', '.join(plans)}; "
            f"kinds are {', '.join(KINDS)}"
        )
    plan = plans[corpus_name]
    plan = replace(plan, steps=given.steps or plan.steps, snapshots=given.snapshots)
    corpus = build_corpus(corpus_name)
    tokeniser = Tokeniser.load(corpus.tokeniser)
    run = given.runs / name
    model, seconds = train(name, kind, corpus, tokeniser, plan, run, given.device)
    if given.only != "train":
        card = {
            "name": name,
            "family": "transformer" if kind == "transformer" else "seq2seq",
            "variant": KINDS[kind],
            "config": sizes(kind, tokeniser, plan),
            "seed": plan.seed,
            "steps": plan.steps,
            "seconds": round(seconds),
            "trained_on": device_name(given.device),
        }
        print(finish(model, kind, corpus, tokeniser, card, run, given.assets))
