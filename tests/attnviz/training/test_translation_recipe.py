"""The translators' recipe: its batches, its forcing, and a run that can be stopped and shipped."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import torch
from torch import nn

from attnviz import models, zoo
from attnviz.data.corpora import corpus as build
from attnviz.data.pairs import Corpus
from attnviz.text import END, PAD, START, Tokeniser
from attnviz.training import __main__ as command
from attnviz.training import translation as recipe
from attnviz.training.runs import logarithmic
from attnviz.training.ship_translation import measure
from attnviz.training.translation import Plan, batches, encode_pairs, forced, loss_of, train

TOKENISER = Tokeniser.load("dates")
PLAN = Plan(steps=30, width=8, batch=8, rate=0.03, warmup=5, dropout=0.0)


@cache
def small() -> Corpus:
    """A corner of the dates."""
    whole = build("dates_ko_en")
    return replace(whole, train=whole.train[:60], valid=whole.valid[:4], test=whole.test[:8])


def tiny(kind: str = "mlp") -> nn.Module:
    torch.manual_seed(1)
    model = models.build(recipe.KINDS[kind], vocabulary=12, width=6).eval()
    for parameter in model.parameters():
        parameter.data = torch.randn_like(parameter)
    return model


def test_pairs_are_read_to_the_end_and_written_from_the_start() -> None:
    pair = small().train[0]
    ((source, target),) = encode_pairs([pair], TOKENISER)
    assert source[-1] == target[-1] == END and target[0] == START
    assert TOKENISER.decode(source) == pair.source and TOKENISER.decode(target[1:]) == pair.target


def test_batches_hold_every_pair_once_in_another_order_each_time() -> None:
    data = [([4 + i, *[5] * (i % 7), END], [START, 4 + i, END]) for i in range(50)]
    stream = batches(data, 8, seed=0)
    first, second = ([next(stream) for _ in range(7)] for _ in range(2))
    for epoch in (first, second):
        assert sorted(row[0].item() - 4 for source, _ in epoch for row in source) == [*range(50)]
        assert all((source[:, 0] == target[:, 1]).all() for source, target in epoch)
        assert all(source.ne(PAD).any(0).all() for source, _ in epoch), "no column of padding"
    order = [[source[:, 0].tolist() for source, _ in epoch] for epoch in (first, second)]
    assert order[0] != order[1]
    again = batches(data, 8, seed=0)
    assert order[0] == [next(again)[0][:, 0].tolist() for _ in range(7)]


def test_sentences_of_a_batch_are_alike_in_length() -> None:
    data = [
        ([4] * n, [START, *[4] * n, END]) for n in random.Random(0).choices(range(1, 30), k=400)
    ]
    stream = batches(data, 10, seed=0)
    spreads = [int(lengths.max() - lengths.min()) for lengths in
               (next(stream)[0].ne(PAD).sum(1) for _ in range(40))]  # fmt: skip
    assert sorted(spreads)[20] <= 2


@torch.no_grad()
def test_forcing_feeds_the_right_words_or_the_models_own() -> None:
    model = tiny()
    source, target = torch.randint(4, 12, (3, 5)), torch.randint(4, 12, (3, 6))
    right = forced(model, source, target, 1.0, random.Random(0))
    torch.testing.assert_close(right, model(source, target[:, :-1]))

    free = forced(model, source, target, 0.0, random.Random(0))  # (b, t, v)
    own = torch.cat([target[:, :1], free.argmax(-1)[:, :-1]], 1)
    torch.testing.assert_close(free, model(source, own), atol=1e-5, rtol=1e-5)
    assert not own.equal(target[:, :-1])

    mixed = forced(model, source, target, 0.5, random.Random(3))
    draw = random.Random(3)
    kept = torch.tensor([draw.random() < 0.5 for _ in range(5)])[:-1]
    assert kept.any() and not kept.all()
    given = torch.where(kept, target[:, 1:-1], mixed.argmax(-1)[:, :-1])
    expected = model(source, torch.cat([target[:, :1], given], 1))
    torch.testing.assert_close(mixed, expected, atol=1e-5, rtol=1e-5)


def test_padding_costs_nothing() -> None:
    logits, target = torch.randn(2, 4, 12), torch.randint(4, 12, (2, 5))
    target[1, 3:] = PAD
    chances = logits.log_softmax(-1)
    real = [(0, t) for t in range(4)] + [(1, t) for t in range(2)]
    expected = -sum(chances[b, t, target[b, t + 1]] for b, t in real) / len(real)
    torch.testing.assert_close(loss_of(logits, target), expected)


def trained(run: Path, plan: Plan = PLAN, kind: str = "mlp") -> nn.Module:
    return train(f"dates_ko_en_{kind}", kind, small(), TOKENISER, plan, run, "cpu")[0]


@pytest.mark.parametrize("kind", recipe.KINDS)
def test_every_kind_learns(kind: str, tmp_path: Path) -> None:
    data = encode_pairs(small().train[:8], TOKENISER)
    source, target = next(batches(data, 8, 0))
    torch.manual_seed(PLAN.seed)
    before = models.build(recipe.KINDS[kind], **recipe.sizes(kind, TOKENISER, PLAN)).eval()
    after = trained(tmp_path, kind=kind).eval()
    with torch.no_grad():
        first, last = (loss_of(model(source, target[:, :-1]), target) for model in (before, after))
    assert last < 0.85 * first


def test_the_papers_schedule() -> None:
    """Equation 3 of Vaswani et al. 2017: up in a straight line, then down with the root."""
    plan = replace(PLAN, schedule="inverse_root", rate=1.0, warmup=100, width=64)
    rates = [plan.rate_at(step) for step in range(1000)]
    assert rates[99] == max(rates) == pytest.approx(64**-0.5 * 100**-0.5)
    assert rates[24] == pytest.approx(rates[99] / 4)
    assert rates[399] == pytest.approx(rates[99] / 2)
    cooled = [replace(plan, steps=400, cooldown=100).rate_at(step) for step in range(400)]
    assert cooled[:300] == rates[:300] and cooled[399] == pytest.approx(rates[399] / 100)
    assert cooled[350] == pytest.approx(rates[350] / 2)


def test_smoothing_shares_a_tenth_among_all_words() -> None:
    logits, target = torch.randn(1, 3, 12), torch.randint(4, 12, (1, 4))
    chances = logits.log_softmax(-1)
    right = chances.gather(2, target[:, 1:, None])[..., 0]
    expected = -(0.9 * right + 0.1 * chances.mean(-1)).mean()
    torch.testing.assert_close(loss_of(logits, target, 0.1), expected)


def test_snapshots_are_kept_at_the_steps_they_name(tmp_path: Path) -> None:
    last = trained(tmp_path, replace(PLAN, snapshots=True))
    found = sorted(path.name for path in tmp_path.glob("snapshot-*"))
    assert found == [f"snapshot-{step:06d}.pt" for step in logarithmic(PLAN.steps)]
    stored = torch.load(tmp_path / found[-1], weights_only=True)
    assert all(stored[name].equal(value) for name, value in last.state_dict().items())


def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipe, "CHECKPOINT", 10)
    plan = replace(PLAN, steps=14)
    straight = trained(tmp_path / "straight", plan)
    losses = iter(range(1, 1000))

    def stop(*given: torch.Tensor) -> torch.Tensor:
        if next(losses) == 13:
            raise KeyboardInterrupt
        return loss_of(*given)

    monkeypatch.setattr(recipe, "loss_of", stop)
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "stopped", plan)
    resumed = trained(tmp_path / "stopped", plan)
    assert next(losses) == 13 + 4 + 1, "it goes on from the tenth step"
    for name, value in resumed.state_dict().items():
        torch.testing.assert_close(value, straight.state_dict()[name], atol=1e-6, rtol=1e-5)


def test_a_finished_run_is_shipped_with_its_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipe, "build_corpus", lambda name: small())
    monkeypatch.setitem(recipe.PLANS, "dates_ko_en", PLAN)
    options = ["--runs", str(tmp_path / "runs"), "--assets", str(tmp_path), "--snapshots"]
    options += ["--device", "cpu", "--threads", str(torch.get_num_threads())]
    command.main(["translation", "dates_ko_en_dot", *options])
    card = zoo.card("dates_ko_en_dot", tmp_path)
    assert (card.family, card.corpus, card.tokeniser) == ("seq2seq", "dates_ko_en", "dates")
    assert (card.steps, card.seed, card.variant) == (PLAN.steps, 0, "seq2seq_dot")
    assert "arXiv" in card.paper and card.recipe and card.data == small().data
    model = zoo.load(card.name, "cpu", assets=tmp_path)
    scores, by_length = measure(model, small().test, "en", TOKENISER)
    assert card.scores == scores and list(card.by_length) == by_length
    assert {"exact_match", "bleu", "token_accuracy", "alignment_accuracy"} <= scores.keys()
    assert sum(row["count"] for row in by_length) == len(small().test)
    assert [taken["step"] for taken in card.snapshots] == logarithmic(PLAN.steps)
    early = zoo.load(card.name, "cpu", snapshot=card.snapshots[0]["step"], assets=tmp_path)
    assert not early.embed.weight.equal(model.embed.weight)  # type: ignore[union-attr]
    log = [json.loads(line) for line in
           (tmp_path / "runs" / card.name / "log.jsonl").read_text().splitlines()]  # fmt: skip
    assert log[-1]["model"] == card.name and log[-1]["exact_match"] == scores["exact_match"]


@pytest.mark.parametrize("name", ["dates_ko_en_cosine", "dates_mlp", "mlp", ""])
def test_an_unknown_name_ends_with_what_there_is(name: str) -> None:
    with pytest.raises(
        SystemExit, match="kinds are none, reversed, rnn, dot, bilinear, mlp, transformer"
    ):
        recipe.main([name])
