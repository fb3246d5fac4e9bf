"""Show, Attend and Tell: sizes, parity with an independent computation, where it looks."""

from __future__ import annotations

from math import cos, pi, sin

import pytest
import torch
from torch import Tensor, nn

from attnviz import models
from attnviz.layers.stems import GRIDS
from attnviz.models.show_attend_tell import (
    SCORES,
    Memory,
    ShowAttendTell,
    ShowAttendTellConfig,
    doubly_stochastic,
    places,
)
from attnviz.trace import record, taps

V, D, A, M, K, B, T = 19, 8, 8, 6, 5, 3, 4
F = A - 4  # of an annotation vector: the rest is its place, one wave
ROWS, COLS, CHANNELS = 3, 5, 7
SIZES = {"vocabulary": V, "width": D, "annotation": F, "embedding": M, "match": K, "waves": 1}


def randomised(model: ShowAttendTell) -> ShowAttendTell:
    """Random weights and biases: zeros would hide mistakes."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.5)
    return model.eval()


def tiny(**options: object) -> ShowAttendTell:
    """A captioner over the pixels themselves: the stem is a strided convolution."""
    torch.manual_seed(0)
    cfg = ShowAttendTellConfig(**SIZES, stem=None, channels=CHANNELS, **options)  # type: ignore[arg-type]
    return randomised(ShowAttendTell(cfg, nn.Conv2d(3, CHANNELS, 4, 4)))


def given() -> tuple[Tensor, Tensor]:
    torch.manual_seed(1)
    return torch.randn(B, 3, 4 * ROWS, 4 * COLS), torch.randint(4, V, (B, T))


@pytest.fixture(params=SCORES)
def score(request: pytest.FixtureRequest) -> str:
    return request.param


def test_parameter_count(score: str) -> None:
    own = {"mlp": K * D + (K * A + K) + K, "bilinear": D * A, "dot": 0}[score]
    expected = (
        own
        + (3 * 16 * CHANNELS + CHANNELS)  # the stem
        + (CHANNELS * F + F)  # what annotation vectors say of a cell
        + 2 * F  # their norm's gain and bias
        + 2 * (A * D + D)  # the first state
        + V * M  # E
        + (D + 1)  # f_β
        + 4 * D * (M + A + D + 2)  # the LSTM
        + (D * M + A * M + M * V + V)  # L_h, L_z, L_o
    )
    assert sum(p.numel() for p in tiny(score=score).parameters()) == expected


@torch.no_grad()
def test_equals_the_papers_equations(score: str) -> None:
    """Step by step with torch's own LSTM cell, in float64."""
    model, (pixels, tokens) = tiny(score=score).double(), given()
    grid = model.stem(pixels.double()).flatten(2).mT
    a = grid @ model.adapter.weight.T + model.adapter.bias
    a = (a - a.mean(-1, keepdim=True)) / (a.var(-1, correction=0, keepdim=True) + 1e-5).sqrt()
    a = (a * model.norm.weight + model.norm.bias).clamp_min(0)
    angles = [(r - 1.0, c / 2 - 1.0) for r in range(ROWS) for c in range(COLS)]
    waves = [[f(x * pi / 2) for x in place for f in (sin, cos)] for place in angles]
    a = torch.cat([a, 3 * torch.tensor(waves).double().expand(B, -1, -1)], -1)
    mean = a.mean(1)
    h = torch.tanh(mean @ model.init_h.weight.T + model.init_h.bias)
    c = torch.tanh(mean @ model.init_c.weight.T + model.init_c.bias)
    lstm = nn.LSTMCell(M + A, D).double()
    lstm.load_state_dict(model.lstm.state_dict())
    part = model.attention.score
    logits, weights = [], []
    for t in range(T):
        if score == "mlp":
            inner = (h @ part.query.weight.T)[:, None] + a @ part.key.weight.T + part.key.bias
            e = torch.tanh(inner) @ part.v.weight[0]
        elif score == "bilinear":
            e = torch.einsum("bd,da,bna->bn", h, part.weight.weight, a)
        else:
            e = torch.einsum("bd,bnd->bn", h, a)
        alpha = torch.exp(e) / torch.exp(e).sum(1, keepdim=True)
        beta = torch.sigmoid(h @ model.attention.f_beta.weight[0] + model.attention.f_beta.bias)
        z = beta[:, None] * torch.einsum("bn,bna->ba", alpha, a)
        y = model.embed.weight[tokens[:, t]]
        h, c = lstm(torch.cat([y, z], 1), (h, c))
        inner = torch.tanh(y + h @ model.L_h.weight.T + z @ model.L_z.weight.T)
        logits.append(inner @ model.L_o.weight.T + model.L_o.bias)
        weights.append(alpha)
    memory, state = model.encode(pixels.double())
    told, _ = model.tell(tokens, state, memory)
    torch.testing.assert_close(told.logits, torch.stack(logits, 1), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(told.weights.double(), torch.stack(weights, 1), atol=1e-5, rtol=1e-5)


@torch.inference_mode()
def test_weights_sum_to_one_and_the_context_is_their_gated_mean(score: str) -> None:
    model, (pixels, tokens) = tiny(score=score), given()
    with record(model, "*") as trace:
        model(pixels, tokens[:, :1])
    weights = trace["attention.weights"]
    assert weights.dtype == torch.float32 and weights.shape == (B, ROWS * COLS)
    torch.testing.assert_close(weights.sum(-1), torch.ones(B))
    average = (weights[:, None] @ trace["annotations"])[:, 0]
    torch.testing.assert_close(trace["attention.context"], trace["attention.gate"] * average)


@torch.inference_mode()
def test_one_word_at_a_time_is_teacher_forcing(score: str) -> None:
    model, (pixels, tokens) = tiny(score=score), given()
    memory, state = model.encode(pixels)
    alone = []
    for t in range(T):
        logits, state = model.decode(tokens[:, t : t + 1], state, memory)
        alone.append(logits)
    torch.testing.assert_close(torch.cat(alone, 1), model(pixels, tokens))


@torch.inference_mode()
def test_what_is_shown_is_seen_in_place_of_what_is_looked_at() -> None:
    model, (pixels, tokens) = tiny(), given()
    shown = torch.zeros(B, T, ROWS * COLS)
    shown[0, 1, 7] = 1
    memory, state = model.encode(pixels)
    with record(model, "attention.average") as trace:
        told, _ = model.tell(tokens, state, memory, shown)
    free, _ = model.tell(tokens, state, memory)
    assert told.looked[0, 1].equal(shown[0, 1])
    torch.testing.assert_close(trace.steps("attention.average")[1][0], memory.annotations[0, 7])
    torch.testing.assert_close(told.logits[1:], free.logits[1:])  # nothing was shown there
    torch.testing.assert_close(told.weights[0, :2], free.weights[0, :2])  # its own wish stays
    assert not torch.allclose(told.logits[0, 1:], free.logits[0, 1:])


def test_places_tell_near_from_far_in_every_direction() -> None:
    rows, cols = 14, 9
    where = places((rows, cols), 4)
    down, across = where.reshape(rows, cols, 2, 8).unbind(2)
    assert down.eq(down[:, :1]).all() and across.eq(across[:1]).all()
    assert down[:, 0, 0].diff().gt(0).all() and across[0, :, 0].diff().gt(0).all()
    likeness = where @ where.T
    assert likeness.argmax(-1).equal(torch.arange(rows * cols))
    assert (likeness.sort(-1).values.diff(dim=-1)[:, -1] > 1).all()


@torch.inference_mode()
def test_the_gate_closes_the_picture_out() -> None:
    model, (pixels, tokens) = tiny(), given()
    other = torch.randn_like(pixels)
    names = {"attention.gate": torch.zeros_like, "initial_state": torch.zeros_like}
    with record(model, edit=names):
        memory, (hidden, cell) = model.encode(pixels)
        blind = model.decode(tokens, (hidden, cell * 0), memory)[0]
        memory, (hidden, cell) = model.encode(other)
        same = model.decode(tokens, (hidden, cell * 0), memory)[0]
    torch.testing.assert_close(blind, same)
    assert not torch.allclose(model(pixels, tokens), model(other, tokens))


@torch.inference_mode()
def test_hard_attention_looks_at_the_likeliest_cell_and_samples_while_it_learns() -> None:
    model, (pixels, tokens) = tiny(hard=True), given()
    memory, state = model.encode(pixels)
    told, _ = model.tell(tokens, state, memory)
    assert told.looked.sum(-1).eq(1).all() and told.looked.amax(-1).eq(1).all()
    assert told.looked.argmax(-1).equal(told.weights.argmax(-1))
    many = 4000
    crowd = Memory(*(x[:1].expand(many, *x.shape[1:]) for x in memory))
    states = tuple(x[:1].expand(many, -1) for x in state)
    torch.manual_seed(0)
    drawn, _ = model.train().tell(tokens[:1, :1].expand(many, 1), states, crowd)
    share, expected = drawn.looked[:, 0].mean(0), drawn.weights[0, 0]
    assert (share - expected).abs().max() < 4 * (0.25 / many) ** 0.5


def test_the_grids_have_the_channels_and_cells_that_they_promise() -> None:
    for name, grid in GRIDS.items():
        model = models.build("show_attend_tell", **SIZES, stem=name).eval()
        with torch.inference_mode(), record(model, "grid") as trace:
            model(torch.randn(1, 3, 224, 224), torch.tensor([[2]]))
        assert trace["grid"].shape == (1, 196, grid.channels)
        where = trace.geometry()
        assert (where.rows, where.cols) == (14, 14)
        assert where.stride == (16, 16) and where.centre == (9, 9)


def test_a_stem_of_ones_own_divides_the_picture_evenly() -> None:
    model = tiny()
    where = model.geometry((12, 20), (3, 5))
    assert where.stride == (4, 4) and where.centre == (2, 2)


def test_the_penalty_on_hand_made_maps() -> None:
    weights = torch.tensor([[[0.5, 0.5], [1.0, 0.0], [0.9, 0.1]]])
    mask = torch.tensor([[True, True, False]])
    assert doubly_stochastic(weights, mask).item() == pytest.approx(0.5**2 + 0.5**2)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"width": 0}, "width should be at least 1, not 0"),
        ({"score": "cosine"}, "not 'cosine'"),
        ({"stem": "vgg"}, "not 'vgg'"),
        ({"stem": None}, "channels of one of your own"),
        ({"score": "dot", "width": 3}, "not 3 and 336"),
        ({"dropout": 1.0}, "not 1.0"),
    ],
)
def test_impossible_sizes_are_refused(options: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ShowAttendTellConfig(**options)


def test_frozen_taps() -> None:
    cells = ["hidden", "input_gate", "forget_gate", "candidate", "output_gate", "cell"]
    assert sorted(taps(tiny())) == sorted(
        [
            *(
                "attention." + n
                for n in ("scores", "weights", "looked", "average", "gate", "context")
            ),
            *(f"lstm.{name}" for name in cells),
            *("grid", "annotations", "keys", "mean", "initial_state", "states"),
            *("deep_output", "logits"),
        ]
    )


def test_reinforce_teaches_the_score() -> None:
    from attnviz.training.caption_data import Batch
    from attnviz.training.captions import Plan, losses

    model, (pixels, tokens) = tiny(hard=True).train(), given()
    memory, state = model.encode(pixels)
    told, _ = model.tell(tokens, state, memory)
    target = torch.zeros(B, T, ROWS * COLS)
    naming = torch.zeros(B, T, dtype=torch.bool)
    batch = Batch(torch.zeros(0), tokens, torch.randint(4, V, (B, T)), target, naming)
    terms = losses(told, batch, "hard", Plan())
    torch.stack(list(terms.values())).sum().backward()
    gradient = model.attention.score.query.weight.grad
    assert gradient is not None and gradient.isfinite().all() and gradient.abs().max() > 0
