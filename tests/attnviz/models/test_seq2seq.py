"""The encoder-decoder through one vector: sizes, parity with torch, and where its source goes."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

from attnviz import models
from attnviz.models.seq2seq import Seq2Seq, Seq2SeqConfig
from attnviz.trace import record, taps

V, D, B, S, T = 17, 8, 3, 6, 5
LENGTHS = [6, 4, 1]  # source tokens of the batch


def tiny(**options: object) -> Seq2Seq:
    model = Seq2Seq(Seq2SeqConfig(**{"vocabulary": V, "width": D, **options})).eval()  # type: ignore[arg-type]
    with torch.no_grad():  # zero biases would hide mistakes
        for parameter in model.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.4)
    return model


def sentences() -> tuple[Tensor, Tensor]:
    """Source ids (b, s), padded on the right, and target ids (b, t)."""
    source, target = torch.randint(4, V, (B, S)), torch.randint(4, V, (B, T))
    return source * (torch.arange(S) < torch.tensor(LENGTHS)[:, None]), target


@pytest.mark.parametrize("name", ["seq2seq", "seq2seq_reversed", "seq2seq_rnn"])
@pytest.mark.parametrize(("v", "d", "layers"), [(2400, 192, 1), (50, 6, 3)])
def test_parameter_count(name: str, v: int, d: int, layers: int) -> None:
    gates = 1 if name == "seq2seq_rnn" else 4
    cell = gates * (2 * d * d + 2 * d)  # W and U, and a bias with each
    expected = v * d + v + 2 * layers * cell  # one table, the bias of the output, two stacks
    with torch.device("meta"):
        model = models.build(name, vocabulary=v, width=d, layers=layers)
    assert sum(p.numel() for p in model.parameters()) == expected


def test_taps_are_frozen() -> None:
    gates = ("hidden", "input_gate", "forget_gate", "candidate", "output_gate", "cell")
    outside = {
        "encoder_states": "b s d",
        "decoder_states": "b t d",
        "fixed_vector": "b d",
        "logits": "b t v",
    }
    inside = {
        f"{stack}.{layer}.cell.{gate}": "b d"
        for stack in ("encoder", "decoder")
        for layer in range(2)
        for gate in gates
    }
    assert taps(tiny(layers=2)) == inside | outside
    plain = {f"{stack}.0.cell.hidden": "b d" for stack in ("encoder", "decoder")}
    assert taps(tiny(cell="rnn")) == plain | outside


@pytest.mark.parametrize("cell", ["lstm", "rnn"])
@pytest.mark.parametrize("reverse", [False, True])
@torch.no_grad()
def test_parity_with_torchs_networks(cell: str, reverse: bool) -> None:
    model = tiny(cell=cell, reverse=reverse, layers=2)
    kind = nn.LSTM if cell == "lstm" else nn.RNN
    encoder, decoder = kind(D, D, 2, batch_first=True), kind(D, D, 2, batch_first=True)
    for ours, theirs in ((model.encoder, encoder), (model.decoder, decoder)):
        weights = {
            f"{name}_l{i}": p
            for i, layer in enumerate(ours)
            for name, p in layer.cell.state_dict().items()
        }
        theirs.load_state_dict(weights, strict=True)

    source, target = sentences()
    read = source.clone()
    if reverse:
        for row, length in zip(read, LENGTHS, strict=True):
            row[:length] = row[:length].flip(0)
    table = model.embed.weight
    _, state = encoder(pack_padded_sequence(table[read], torch.tensor(LENGTHS), batch_first=True))
    states, _ = decoder(table[target], state)
    expected = torch.einsum("btd,vd->btv", states, table) + model.head_bias
    with record(model, "fixed_vector") as trace:
        torch.testing.assert_close(model(source, target), expected, atol=1e-5, rtol=1e-5)
    vector = state[0][-1] if cell == "lstm" else state[-1]
    torch.testing.assert_close(trace["fixed_vector"], vector, atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_reversal_is_reading_the_reversed_source() -> None:
    plain, reversed_ = tiny(), tiny(reverse=True)
    reversed_.load_state_dict(plain.state_dict())
    source, target = torch.randint(4, V, (B, S)), torch.randint(4, V, (B, T))
    torch.testing.assert_close(reversed_(source, target), plain(source.flip(1), target))
    assert not torch.allclose(reversed_(source, target), plain(source, target))


@pytest.mark.parametrize("reverse", [False, True])
@torch.no_grad()
def test_padding_changes_nothing(reverse: bool) -> None:
    model = tiny(reverse=reverse)
    source, target = torch.randint(4, V, (B, S)), torch.randint(4, V, (B, T))
    pad = torch.zeros(B, 3, dtype=torch.long)
    for padded in (torch.cat([source, pad], 1), torch.cat([pad, source], 1)):
        expected = model(source, target)
        torch.testing.assert_close(model(padded, target), expected, atol=1e-5, rtol=0)


@torch.no_grad()
def test_all_at_once_is_step_by_step() -> None:
    model = tiny(layers=2)
    source, target = sentences()
    memory, state = model.encode(source)
    steps = []
    for t in range(T):
        logits, state = model.decode(target[:, t : t + 1], state, memory)
        steps.append(logits)
    torch.testing.assert_close(torch.cat(steps, 1), model(source, target), atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_a_later_target_leaves_earlier_predictions() -> None:
    model = tiny()
    source, target = sentences()
    changed = target.clone()
    changed[:, 3] = (changed[:, 3] - 3) % (V - 4) + 4
    before, after = model(source, target), model(source, changed)
    assert before[:, :3].equal(after[:, :3]) and not torch.allclose(before[:, 3], after[:, 3])


@torch.no_grad()
def test_the_fixed_vector_is_all_a_plain_decoder_learns_of_the_source() -> None:
    """Whoever replaces it, in a vanilla network of one layer, has replaced the source."""
    model = tiny(cell="rnn")
    source, target = sentences()
    other = torch.randint(4, V, (B, S))
    with record(model, "fixed_vector") as trace:
        expected = model(other, target)
    with record(model, edit={"fixed_vector": lambda _: trace["fixed_vector"]}):
        torch.testing.assert_close(model(source, target), expected)


@torch.inference_mode()
def test_watching_changes_nothing() -> None:
    model = tiny(layers=2)
    source, target = sentences()
    plain = model(source, target)
    with record(model, "*") as trace:
        assert model(source, target).equal(plain)
    assert set(trace.names()) == set(taps(model))
    assert len(trace.steps("encoder.0.cell.hidden")) == S
    assert len(trace.steps("decoder.1.cell.cell")) == T


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vocabulary": 0}, "vocabulary should be at least 1, not 0"),
        ({"layers": -1}, "layers should be at least 1, not -1"),
        ({"cell": "gru"}, "cell should be one of rnn, lstm, not 'gru'"),
        ({"dropout": 1.0}, r"dropout should be in \[0, 1\), not 1.0"),
    ],
)
def test_a_config_says_what_is_wrong(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tiny(**options)
