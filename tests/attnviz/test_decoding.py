"""Decoding: what each way of choosing must hold, on random models and on tables of chances."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from attnviz import models
from attnviz.decoding import (
    LONGEST,
    Hypothesis,
    beam_search,
    decode,
    greedy,
    limit_for,
    next_token,
    rows,
    sampler,
)
from attnviz.text import END, PAD, START, UNKNOWN
from attnviz.trace import record

KINDS = ("seq2seq", "seq2seq_reversed", "seq2seq_rnn", "seq2seq_dot", "seq2seq_mlp")
V = 9  # pieces in the vocabulary, special ones included


def random_model(kind: str, seed: int = 0) -> nn.Module:
    """Weights large enough that the model means something, and an end that is within reach."""
    torch.manual_seed(seed)
    model = models.build(kind, vocabulary=V, width=6).eval().requires_grad_(False)
    for parameter in model.parameters():
        parameter.copy_(torch.randn_like(parameter))
    return model


class Table:
    """A model that knows only the last token: logits (v, v), a row what may follow it."""

    def __init__(self, logits: Tensor) -> None:
        self.logits = logits

    def encode(self, source: Tensor) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
        return (), ()

    def decode(
        self, tokens: Tensor, state: tuple[Tensor, ...], memory: tuple[Tensor, ...]
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        return self.logits[tokens], state


def source(batch: int = 1, length: int = 4) -> Tensor:
    return torch.randint(4, V, (batch, length))


def never_ending() -> Table:
    logits = torch.randn(V, V)
    logits[:, END] = -torch.inf
    return Table(logits)


seeds = st.integers(0, 10_000)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=8, deadline=None)
@given(seed=seeds, length=st.integers(1, 6))
def test_a_beam_of_one_is_greedy(kind: str, seed: int, length: int) -> None:
    model, given_source = random_model(kind, seed), source(1, length)
    (found,) = decode(model, given_source)
    (best,) = beam_search(model, given_source, width=1).best
    assert (best.ids, best.rows, best.finished) == (found.ids, found.rows, found.finished)
    assert best.log_probabilities == pytest.approx(found.log_probabilities, abs=1e-5)


@settings(max_examples=25, deadline=None)
@given(seed=seeds, normalise=st.sampled_from([0.0, 0.5, 1.0]))
def test_a_wide_beam_finds_the_best_of_all_sentences(seed: int, normalise: float) -> None:
    """A beam as wide as there are beginnings forgets nothing: compare with all sentences."""
    torch.manual_seed(seed)
    size, limit = 6, 3
    table = Table(torch.randn(size, size) * 2)
    chances = next_token(table.logits)
    words = [UNKNOWN, *range(4, size)]

    def score(ids: Sequence[int]) -> float:
        steps = itertools.pairwise((START, *ids))
        return sum(chances[a, b].item() for a, b in steps) / len(ids) ** normalise

    ended = [
        (*beginning, END)
        for length in range(limit)
        for beginning in itertools.product(words, repeat=length)
    ]
    beam = beam_search(table, source(), width=1000, normalise=normalise, limit=limit)
    found = [hypothesis for hypothesis in beam.best if hypothesis.finished]
    assert {h.ids for h in found} == set(ended)
    assert found[0].ids == max(ended, key=score)
    assert found[0].score(normalise) == pytest.approx(score(found[0].ids), abs=1e-5)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=6, deadline=None)
@given(seed=seeds, width=st.integers(1, 5))
def test_what_a_beam_keeps(kind: str, seed: int, width: int) -> None:
    model, given_source = random_model(kind, seed), source()
    beam = beam_search(model, given_source, width=width)
    assert len({h.ids for h in beam.best}) == len(beam.best) <= width
    ends = [h.finished for h in beam.best]
    assert ends == sorted(ends, reverse=True), "those that ended lead"
    for part in (True, False):
        scores = [h.score(1.0) for h in beam.best if h.finished is part]
        assert scores == sorted(scores, reverse=True)
    done = 0
    for t, step in enumerate(beam.live):
        assert 0 < len(step) <= width - done and all(len(h.ids) == t + 1 for h in step)
        done += sum(h.finished for h in step)
        if t:  # every beginning goes on from one that was kept, in the row that it says
            before = [h for h in beam.live[t - 1] if not h.finished]
            assert all(h.ids[:-1] == before[h.rows[-1]].ids for h in step)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=6, deadline=None)
@given(seed=seeds)
def test_what_was_recorded_follows_its_beam(kind: str, seed: int) -> None:
    """Each hypothesis, decoded again alone, is predicted by the logits at its rows.

    In float64: a random recurrent network is chaotic, and doubles rounding errors at every step.
    """
    model, given_source = random_model(kind, seed).double(), source()
    with record(model, "logits") as trace:
        beam = beam_search(model, given_source, width=4)
    for hypothesis in beam.best:
        mine = [
            step[row, 0] for step, row in zip(trace.steps("logits"), hypothesis.rows, strict=False)
        ]
        given_target = torch.tensor([[START, *hypothesis.ids[:-1]]])
        expected = model(given_source, given_target)[0]  # (t, v)
        torch.testing.assert_close(torch.stack(mine), expected, atol=1e-4, rtol=1e-4)
        chances = next_token(expected).gather(1, torch.tensor(hypothesis.ids)[:, None])[:, 0]
        assert hypothesis.log_probabilities == pytest.approx(chances.tolist(), abs=1e-4)


def test_a_model_that_never_ends_is_stopped_at_the_limit() -> None:
    model = never_ending()
    for length, limit in ((1, 12), (10, 30), (500, LONGEST)):
        given_source = source(2, length)
        assert limit_for(length) == limit
        for hypothesis in decode(model, given_source):
            assert len(hypothesis.ids) == limit and not hypothesis.finished
        beam = beam_search(model, given_source[:1], width=3)
        assert len(beam.best) == 3 and len(beam.live) == limit
        assert all(len(h.ids) == limit and not h.finished for h in beam.best)
    (cut,) = decode(model, source(), limit=5)
    assert len(cut.ids) == 5 and len(beam_search(model, source(), limit=5).live) == 5


def test_a_sentence_ends_at_its_end_while_others_go_on() -> None:
    logits = torch.full((V, V), -10.0)
    logits[START, 4] = logits[4, 5] = logits[5, END] = 10.0
    model = Table(logits)

    def choose(chances: Tensor) -> Tensor:
        """Row 0 ends at once."""
        chosen = greedy(chances)
        chosen[0] = END
        return chosen

    first, second = decode(model, source(2), choose=choose)
    assert first.ids == (END,) and first.finished and first.rows == (0,)
    assert second.ids == (4, 5, END) and second.finished and second.rows == (1, 1, 1)


@pytest.mark.parametrize("kind", KINDS)
def test_sentences_of_a_batch_are_decoded_as_if_alone(kind: str) -> None:
    model, batch = random_model(kind), source(3, 5)
    batch[1, 3:], batch[2, 1:] = PAD, PAD
    for row, hypothesis in enumerate(decode(model, batch, limit=12)):
        (alone,) = decode(model, batch[row : row + 1, : (5, 3, 1)[row]], limit=12)
        assert hypothesis.ids == alone.ids
        assert hypothesis.log_probabilities == pytest.approx(alone.log_probabilities, abs=1e-5)


@settings(max_examples=20, deadline=None)
@given(seed=seeds, count=st.integers(1, 4))
def test_a_prefix_is_kept_and_gone_on_from(seed: int, count: int) -> None:
    model, given_source = random_model("seq2seq_mlp", seed), source()
    prefix = torch.randint(4, V, (count,)).tolist()
    (found,) = decode(model, given_source, prefix=prefix)
    assert list(found.ids[:count]) == prefix and len(found.ids) > count
    logits = next_token(model(given_source, torch.tensor([[START, *found.ids[:-1]]]))[0])
    free = found.ids[count:]
    assert tuple(logits[count:].argmax(-1).tolist()) == free
    beam = beam_search(model, given_source, width=3, prefix=prefix)
    assert all(list(h.ids[:count]) == prefix for h in beam.best)
    (one,) = beam_search(model, given_source, width=1, prefix=prefix).best
    assert one.ids == found.ids


def test_a_prefix_that_ends_is_the_sentence() -> None:
    model = random_model("seq2seq_dot")
    (found,) = decode(model, source(), prefix=[4, 5, END, 6])
    assert found.ids == (4, 5, END)
    beam = beam_search(model, source(), width=3, prefix=[4, 5, END, 6])
    assert [h.ids for h in beam.best] == [(4, 5, END)]


@settings(max_examples=20, deadline=None)
@given(seed=seeds)
def test_a_seed_repeats_a_sample_and_a_cold_one_is_greedy(seed: int) -> None:
    model, given_source = random_model("seq2seq_mlp", seed), source()
    first, second = (decode(model, given_source, choose=sampler(1.0, seed)) for _ in range(2))
    assert first == second
    (cold,) = decode(model, given_source, choose=sampler(1e-4, seed))
    (sure,) = decode(model, given_source)
    assert cold.ids == sure.ids


def test_samples_have_the_models_chances() -> None:
    logits = torch.randn(V, V)
    chances = next_token(logits[START][None])
    for temperature in (0.5, 1.0, 2.0):
        choose = sampler(temperature, 3)
        drawn = choose(chances.expand(20_000, V)).bincount(minlength=V) / 20_000
        expected = (chances[0] / temperature).softmax(-1)
        torch.testing.assert_close(drawn, expected, atol=0.015, rtol=0)
        assert drawn[PAD] == drawn[START] == 0


def test_other_seeds_give_other_samples() -> None:
    model, given_source = random_model("seq2seq_mlp"), source()
    found = {decode(model, given_source, choose=sampler(1.0, s))[0].ids for s in range(10)}
    assert len(found) > 1


@pytest.mark.parametrize("special", [PAD, START])
def test_no_sentence_contains_padding_or_a_second_start(special: int) -> None:
    logits = torch.randn(V, V)
    logits[:, special] = 50  # what the model would like best
    model = Table(logits)
    assert special not in decode(model, source())[0].ids
    assert special not in decode(model, source(), choose=sampler(1.0, 0))[0].ids
    assert all(special not in h.ids for h in beam_search(model, source()).best)
    torch.testing.assert_close(next_token(logits).exp().sum(-1), torch.ones(V))


def test_a_hypothesis_knows_its_chance() -> None:
    found = Hypothesis().extended(5, 0, -1.0).extended(END, 2, -0.5)
    assert found.ids == (5, END) and found.rows == (0, 2) and found.finished
    assert found.log_probability == -1.5 and found.score(0) == -1.5 and found.score(1) == -0.75
    assert not Hypothesis((5,), (0,), (-1.0,)).finished and not Hypothesis().finished


def test_rows_of_a_memory_keep_its_type() -> None:
    model = random_model("seq2seq_mlp")
    memory, state = model.encode(source(3))
    chosen = rows(memory, torch.tensor([2, 0]))
    assert type(chosen) is type(memory) and chosen.keys.equal(memory.keys[[2, 0]])
    assert rows(state, torch.tensor([1]))[0].equal(state[0][1:2])
    assert rows((), torch.tensor([0])) == ()


@pytest.mark.parametrize(("width", "batch"), [(0, 1), (-1, 1), (4, 2)])
def test_a_beam_over_nothing_or_two_is_refused(width: int, batch: int) -> None:
    with pytest.raises(ValueError, match=f"a beam of {width} over {batch} sources"):
        beam_search(random_model("seq2seq"), source(batch), width=width)
