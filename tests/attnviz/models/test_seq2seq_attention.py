"""Attention over the source: sizes, parity with an independent computation, where weights go."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attnviz import models
from attnviz.models.seq2seq_attention import (
    SCORES,
    Attention,
    AttentionSeq2Seq,
    AttentionSeq2SeqConfig,
    Memory,
)
from attnviz.trace import record, taps

V, D, B, S, T = 17, 8, 3, 6, 5
LENGTHS = [6, 4, 1]  # source tokens of the batch


def randomised(module: nn.Module) -> nn.Module:
    """Random weights and biases: zeros would hide mistakes."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.4)
    return module.eval()


def tiny(score: str, **options: object) -> AttentionSeq2Seq:
    cfg = {"vocabulary": V, "width": D, "score": score, **options}
    return randomised(AttentionSeq2Seq(AttentionSeq2SeqConfig(**cfg)))  # type: ignore[arg-type,return-value]


@pytest.fixture(params=SCORES)
def score(request: pytest.FixtureRequest) -> str:
    return request.param


def real() -> Tensor:
    """True at the real source tokens of the batch (b, s)."""
    return torch.arange(S) < torch.tensor(LENGTHS)[:, None]


def sentences() -> tuple[Tensor, Tensor]:
    """Source ids (b, s), padded on the right, and target ids (b, t)."""
    return torch.randint(4, V, (B, S)) * real(), torch.randint(4, V, (B, T))


@pytest.mark.parametrize("cell", ["lstm", "rnn"])
@pytest.mark.parametrize(("v", "d", "layers"), [(2400, 192, 1), (50, 6, 3)])
def test_parameter_count(score: str, cell: str, v: int, d: int, layers: int) -> None:
    gates, parts = {"rnn": (1, 1), "lstm": (4, 2)}[cell]
    half = d // 2
    expected = (
        v * d + v  # one table for source, target and output, and the output's bias
        + 2 * gates * (half * d + half * half + 2 * half)  # the encoder, both ways
        + layers * gates * (2 * d * d + 2 * d)  # the decoder
        + layers * parts * (d * d + d)  # the bridge, for each tensor of its state
        + 2 * d * d  # [context ; state] back to the width
        + {"dot": 0, "bilinear": d * d, "mlp": 2 * d * d + d + d}[score]
    )  # fmt: skip
    with torch.device("meta"):
        model = models.build(f"seq2seq_{score}", vocabulary=v, width=d, layers=layers, cell=cell)
    assert sum(p.numel() for p in model.parameters()) == expected


def test_taps_are_frozen(score: str) -> None:
    gates = ("hidden", "input_gate", "forget_gate", "candidate", "output_gate", "cell")
    stacks = ("encoder_forward.0", "encoder_backward.0", "decoder.0", "decoder.1")
    assert taps(tiny(score, layers=2)) == {
        **{f"{stack}.cell.{gate}": "b d" for stack in stacks for gate in gates},
        "attention.scores": "b t s",
        "attention.weights": "b t s",
        "attention.context": "b t d",
        "attention.concatenated": "b t e",
        "attention.output": "b t d",
        "encoder_states": "b s d",
        "initial_state": "b d",
        "decoder_states": "b t d",
        "logits": "b t v",
    }


@torch.no_grad()
def test_scores_are_the_papers(score: str) -> None:
    """e = s·h, sᵀWh or vᵀ tanh(Ws + Uh), one decoder state and one source token at a time."""
    module = randomised(SCORES[score](D))
    query, states = torch.randn(B, T, D), torch.randn(B, S, D)
    if score == "dot":
        expected = torch.einsum("btd,bsd->bts", query, states)
    elif score == "bilinear":
        expected = torch.einsum("bte,ed,bsd->bts", query, module.weight.weight, states)
    else:
        w, u, v = module.query.weight, module.key.weight, module.v.weight[0]
        expected = torch.stack(
            [
                torch.stack([(w @ s + u @ h + module.key.bias).tanh() @ v for h in states[b]])
                for b in range(B)
                for s in query[b]
            ]
        ).unflatten(0, (B, T))
    found = module(query, module.keys(states))
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)


def attended(score: str, query: Tensor, states: Tensor, mask: Tensor) -> tuple[Attention, Memory]:
    module = randomised(Attention(D, score))
    return module, Memory(states, module.score.keys(states), mask)  # type: ignore[operator,return-value]


@torch.no_grad()
def test_rows_sum_to_one_and_masked_cells_are_zero(score: str) -> None:
    query, states = torch.randn(B, T, D), torch.randn(B, S, D)
    module, memory = attended(score, query, states, real())
    with record(module, "*") as trace:
        module(query, memory)
    weights = trace["weights"]
    torch.testing.assert_close(weights.sum(-1), torch.ones(B, T), atol=1e-5, rtol=0)
    assert (weights[~real()[:, None].expand_as(weights)] == 0).all()
    assert (weights[2, :, 0] == 1).all(), "one source token gets all of the weight"
    torch.testing.assert_close(trace["context"], torch.einsum("bts,bsd->btd", weights, states))
    assert trace["concatenated"].equal(torch.cat([trace["context"], query], -1))


def test_a_fully_masked_row_is_no_nan_and_gives_no_nan_gradient(score: str) -> None:
    query, states = torch.randn(B, T, D, requires_grad=True), torch.randn(B, S, D)
    mask = real()
    mask[1] = False
    module, memory = attended(score, query, states, mask)
    with record(module, "weights") as trace:
        output = module(query, memory)
    assert (trace["weights"][1] == 0).all() and output.isfinite().all()
    output.sum().backward()
    assert query.grad is not None and query.grad.isfinite().all()
    assert all(p.grad.isfinite().all() for p in module.parameters() if p.grad is not None)


@torch.no_grad()
def test_weights_depend_on_query_and_keys_only(score: str) -> None:
    query, states = torch.randn(B, T, D), torch.randn(B, S, D)
    module, memory = attended(score, query, states, real())
    others = memory._replace(states=torch.randn_like(states))
    with record(module, "weights", "context") as trace:
        module(query, memory)
        module(query, others)
    same, context = trace.steps("weights"), trace.steps("context")
    assert same[0].equal(same[1]) and not torch.allclose(context[0], context[1])
    with record(module, "weights") as trace:
        module(query[:, 2:3], memory)  # a step knows nothing of those before it
    torch.testing.assert_close(trace["weights"][:, 0], same[0][:, 2])


@pytest.mark.parametrize("layers", [1, 2])
@torch.no_grad()
def test_parity_with_an_independent_implementation(score: str, layers: int) -> None:
    """torch's networks over packed sentences, and the attention step by step in einsum."""
    model = tiny(score, layers=layers)
    source, target = sentences()
    table, weights = model.embed.weight, model.state_dict()

    encoder = nn.LSTM(D, D // 2, batch_first=True, bidirectional=True)
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    encoder.load_state_dict(
        {f"{n}_l0": weights[f"encoder_forward.0.cell.{n}"] for n in names}
        | {f"{n}_l0_reverse": weights[f"encoder_backward.0.cell.{n}"] for n in names}
    )
    packed = pack_padded_sequence(table[source], torch.tensor(LENGTHS), batch_first=True)
    found, (hidden, cell) = encoder(packed)
    states, _ = pad_packed_sequence(found, batch_first=True)  # (b, s, d)

    decoder = nn.LSTM(D, D, layers, batch_first=True)
    decoder.load_state_dict(
        {f"{n}_l{i}": weights[f"decoder.{i}.cell.{n}"] for i in range(layers) for n in names}
    )
    last = [torch.cat([part[0], part[1]], -1) for part in (hidden, cell)]
    first = [torch.tanh(bridge(last[i % 2])) for i, bridge in enumerate(model.bridge)]
    begin = tuple(torch.stack(first[part::2]) for part in range(2))  # each (layers, b, d)
    queries, _ = decoder(table[target], begin)  # (b, t, d)

    rows = []
    for query in queries.unbind(1):  # (b, d)
        if score == "dot":
            scores = torch.einsum("bd,bsd->bs", query, states)
        elif score == "bilinear":
            bilinear = weights["attention.score.weight.weight"]
            scores = torch.einsum("be,ed,bsd->bs", query, bilinear, states)
        else:
            mixed = torch.einsum("ed,bd->be", weights["attention.score.query.weight"], query)
            keys = torch.einsum("ed,bsd->bse", weights["attention.score.key.weight"], states)
            mixed = (mixed[:, None] + keys + weights["attention.score.key.bias"]).tanh()
            scores = torch.einsum("e,bse->bs", weights["attention.score.v.weight"][0], mixed)
        shares = scores.exp() * real()
        shares = shares / shares.sum(-1, keepdim=True)
        context = torch.einsum("bs,bsd->bd", shares, states)
        combine = weights["attention.combine.weight"]
        output = torch.einsum("de,be->bd", combine, torch.cat([context, query], -1)).tanh()
        rows.append(torch.einsum("bd,vd->bv", output, table) + model.head_bias)

    with record(model, "initial_state", "encoder_states", "decoder_states") as trace:
        logits = model(source, target)
    torch.testing.assert_close(logits, torch.stack(rows, 1), atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(trace["initial_state"], first[0], atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(trace["decoder_states"], queries, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(
        trace["encoder_states"][real()], states[real()], atol=1e-5, rtol=1e-4
    )


@pytest.mark.parametrize("cell", ["lstm", "rnn"])
@torch.no_grad()
def test_padding_changes_nothing(score: str, cell: str) -> None:
    model = tiny(score, cell=cell)
    source, target = torch.randint(4, V, (B, S)), torch.randint(4, V, (B, T))
    expected = model(source, target)
    pad = torch.zeros(B, 3, dtype=torch.long)
    for padded in (torch.cat([source, pad], 1), torch.cat([pad, source], 1)):
        torch.testing.assert_close(model(padded, target), expected, atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_all_at_once_is_step_by_step(score: str) -> None:
    model = tiny(score, layers=2)
    source, target = sentences()
    with record(model, "attention.weights", "logits") as whole:
        model(source, target)
    with record(model, "attention.weights", "logits") as single:
        memory, state = model.encode(source)
        for t in range(T):
            _, state = model.decode(target[:, t : t + 1], state, memory)
    for name in whole.names():
        steps = torch.cat(single.steps(name), 1)
        torch.testing.assert_close(steps, whole[name], atol=1e-5, rtol=1e-5)


@torch.inference_mode()
def test_watching_changes_nothing(score: str) -> None:
    model = tiny(score)
    source, target = sentences()
    plain = model(source, target)
    with record(model, "*") as trace:
        assert model(source, target).equal(plain)
    assert set(trace.names()) == set(taps(model))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"width": 7}, "width should be even, a half for each direction, not 7"),
        ({"layers": 0}, "layers should be at least 1, not 0"),
        ({"score": "cosine"}, "score should be one of dot, bilinear, mlp, not 'cosine'"),
        ({"cell": "gru"}, "cell should be one of rnn, lstm, not 'gru'"),
        ({"dropout": -0.1}, r"dropout should be in \[0, 1\), not -0.1"),
    ],
)
def test_a_config_says_what_is_wrong(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        AttentionSeq2SeqConfig(**options)  # type: ignore[arg-type]
