"""The page "RNN to Seq2Seq", run on tiny random translators."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app import recurrences
from app.controls_text import FIRST
from app.views import rnn_bottleneck, rnn_reversal
from attnviz import analysis, zoo
from attnviz.data.held_out import held_out
from attnviz.recurrence import Unrolled, trained_gradients, unroll, untrained_gradients
from attnviz.text import END, Tokeniser
from attnviz.translation import translate, translate_all
from tests.app.apptest import html, message, report, take_away
from tests.app.conftest import CORPUS, TEXT_SCORES

Open = Callable[..., AppTest]
TEXT = FIRST[CORPUS]
VIEWS = ("Unrolled", "Gradients", "The bottleneck", "Decoding", "Reversal")
TOKENISER = Tokeniser.load("dates")


def own(kind: str = "none", text: str = TEXT) -> Unrolled:
    """The same by the library alone."""
    return unroll(zoo.load(f"{CORPUS}_{kind}", "cpu"), TOKENISER, text)


def sent_values(app: AppTest) -> np.ndarray:
    sent = message(app)
    return np.frombuffer(sent["values"], "<f4").reshape(-1, len(sent["units"]))


def figures(app: AppTest) -> list[dict[str, Any]]:
    import json

    return [json.loads(element.proto.spec) for element in app.get("plotly_chart")]


def test_the_first_view_is_the_real_run(rnn: Open) -> None:
    app, found = rnn(), own()
    assert "How does a network read a sentence" in app.markdown[0].value
    np.testing.assert_allclose(sent_values(app), found.over_time("hidden"), atol=1e-6)
    sent = message(app)
    assert sent["source"] == list(found.read) and sent["said"] == list(found.said)
    assert sent["reads"] == list(range(len(found.read)))
    vector = found.fixed["hidden"][sent["units"]]
    assert (np.diff(vector) <= 0).all()  # sorted by the fixed vector
    assert sent["passed"] == "the fixed vector: 16 numbers"
    page = html(app)
    assert re.search(r"the largest difference is \d\.\de-0[5-9]", page)
    assert "exact 50.0 % · BLEU 61.2" in page and "cpu, float32" in page


def test_network_and_part_choose_what_is_shown(rnn: Open) -> None:
    app = rnn(network="LSTM reversed", part="forget gate f", units_by="number")
    found, sent = own("reversed"), message(app)
    np.testing.assert_allclose(sent_values(app), found.over_time("forget_gate"), atol=1e-6)
    assert sent["reads"] == list(range(len(found.read)))[::-1]
    assert sent["source"] == list(found.read)[::-1]
    assert sent["units"] == list(range(16))
    assert not sent["signed"] and sent["vmax"] == 1 and not sent["passed"]
    app.segmented_control(key="network").set_value("vanilla RNN").run()
    assert app.segmented_control(key="part").options == ["state h"]
    np.testing.assert_allclose(sent_values(app), own("rnn").over_time("hidden"), atol=1e-6)


def test_a_kept_unit_is_linked_and_drawn_whole(rnn: Open) -> None:
    app = report(rnn(), 0, [5, 3])
    assert app.query_params["unit"] in ("5", ["5"]) and app.query_params["time_step"] in (
        "3",
        ["3"],
    )
    (figure,) = figures(app)
    assert len(figure["data"]) == 6  # h, c and four gates


@pytest.mark.parametrize(
    ("unit", "step", "kept"), [("5", "3", [5, 3]), ("5", "", [5, None]), ("99", "-1", None)]
)
def test_a_link_keeps_a_unit_and_a_step(rnn: Open, unit: str, step: str, kept: Any) -> None:
    app = rnn(unit=unit, time_step=step)
    assert message(app)["chosen"] == kept and len(figures(app)) == bool(kept)


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_opens_with_its_facts_and_formula(rnn: Open, view: str) -> None:
    app = take_away(rnn(rnn_view=view))
    assert not app.exception and not app.error
    assert "What is true here" in html(app)
    assert len(app.get("download_button")) == 2 and len(app.code) == 1


def test_gradients_are_the_librarys(rnn: Open) -> None:
    app = rnn(rnn_view="Gradients", length="12", radius="0.5", forget_bias="3.0")
    found = untrained_gradients("lstm", 12, scale=0.5, forget_bias=3)
    page = html(app)
    assert f"{found.forget:.3f} on average; 11 of these" in page
    assert "What is left 11 steps back" in page
    rnn_left = untrained_gradients("rnn", 12, scale=0.5).curve("inputs")[1, -1]
    assert f"{rnn_left:.1e} of the gradient" in page or f"{rnn_left:.2%} of the gradient" in page
    assert [t.get("name") for t in figures(app)[0]["data"] if t.get("name")] == [
        "vanilla RNN",
        "LSTM",
    ]
    app.slider(key="length").set_value(40).run()
    assert "What is left 39 steps back" in html(app)


def test_trained_encoders_are_drawn_on_demand(rnn: Open) -> None:
    app = rnn(rnn_view="Gradients", trained="true")
    names = [trace["name"] for trace in figures(app)[0]["data"] if trace.get("name")]
    assert names[2:] == ["LSTM, trained", "LSTM reversed, trained", "vanilla RNN, trained"]
    pairs = held_out(CORPUS).pairs[::5]
    assert f"{len(pairs)} held-out sentences" in html(app)
    model = zoo.load(f"{CORPUS}_none", "cpu")
    same = trained_gradients(model, TOKENISER, pairs).curve("inputs", 5)[1]
    kept = recurrences.trained(f"{CORPUS}_none", "cpu").curve("inputs", 5)[1]
    np.testing.assert_allclose(kept, same, rtol=1e-4)


def test_stored_scores_come_with_their_intervals() -> None:
    card = zoo.card(f"{CORPUS}_none")
    bins = [(row["from"], row["to"]) for row in card.by_length]
    scores = rnn_bottleneck.stored(card, bins, "exact_match")
    assert [s.value for s in scores] == [TEXT_SCORES["exact_match"]] * 3
    assert [s.count for s in scores] == [50, 100, 200]
    assert (scores[0].low, scores[0].high) == analysis.wilson(25, 50)
    assert rnn_bottleneck.stored(card, bins, "bleu")[0].low is None
    assert rnn_bottleneck.stored(card, [(7, 9)], "bleu")[0].value is None


def test_the_measurement_can_be_run_again(rnn: Open) -> None:
    app = rnn(rnn_view="The bottleneck", models="LSTM")
    assert "none yet" in html(app)
    app.button(key="rnn_start").click().run()  # each run does a part, and asks for the next
    page = html(app)
    pairs = held_out(CORPUS).pairs
    assert f"{len(pairs)} of the {len(pairs)} bundled" in page
    model = zoo.load(f"{CORPUS}_none", "cpu")
    parts = recurrences.parts(CORPUS)
    assert sorted(pair.source for part in parts for pair in part) == sorted(
        pair.source for pair in pairs
    )
    texts = [pair.source for pair in parts[0]]
    assert recurrences.answers(f"{CORPUS}_none", "cpu", 0) == translate_all(model, TOKENISER, texts)
    rings = [t for t in figures(app)[0]["data"] if t.get("name", "").endswith("measured now")]
    assert len(rings) == 1


def test_measuring_counts_what_is_right() -> None:
    score = rnn_bottleneck._measured(["a", "b"], ["a", "c"], "exact_match", characters=False)
    assert (score.value, score.count) == (0.5, 2)
    assert (score.low, score.high) == analysis.wilson(1, 2)
    assert rnn_bottleneck._measured(["a b c d"], ["a b c d"], "bleu", characters=False).value == (
        pytest.approx(100)
    )
    assert rnn_bottleneck._measured([], [], "bleu", characters=True).value is None


def test_a_candidate_can_be_picked_to_go_on_from(rnn: Open) -> None:
    app = rnn(rnn_view="Decoding")
    model = zoo.load(f"{CORPUS}_none", "cpu")
    first = translate(model, TOKENISER, TEXT)
    assert message(app)["said"] == list(first.target)
    app = report(app, 0, [1, 2])
    ids = [first.ids[0], int(first.candidates[1, 2])]
    assert app.query_params["beginning"] in ("-".join(map(str, ids)), ["-".join(map(str, ids))])
    going_on = translate(model, TOKENISER, TEXT, prefix=ids)
    sent = message(app)
    assert sent["said"] == list(going_on.target) and sent["given"] == 2
    assert sent["texts"][-1] == going_on.text
    assert "the first 2 pieces" in html(app)
    next(button for button in app.button if button.label == "Start again").click().run()
    assert message(app)["given"] == 0 and message(app)["said"] == list(first.target)


def test_another_sentence_has_no_beginning(rnn: Open) -> None:
    app = rnn(rnn_view="Decoding", beginning="10-11")
    assert message(app)["given"] == 2
    app.text_input(key="text_box").set_value("4월 3일")
    app.button(key="text_send").click().run()
    assert message(app)["given"] == 0


@pytest.mark.parametrize(
    "beginning", ["x", "-", "0-1", "999999", f"9-{END}-9", "9-" * 300, "<b>", "1-2-$x$"]
)
def test_a_link_may_give_any_beginning(rnn: Open, beginning: str) -> None:
    app = rnn(rnn_view="Decoding", beginning=beginning)
    assert not app.error and message(app)["given"] <= len(message(app)["said"])


def test_sampling_repeats_by_its_seed(rnn: Open) -> None:
    app = rnn(rnn_view="Decoding", each_piece="sampled", rnn_temperature="2.0", rnn_seed="1")
    said = [message(app)["said"]]
    for seed in (2, 3, 1):
        app.number_input(key="rnn_seed").set_value(seed).run()
        said.append(message(app)["said"])
    assert said[0] == said[-1] and len({tuple(words) for words in said}) > 1


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(
    "text", ["🙂🙂", "שלום עולם", "한글", "<unk> </s>", "$x$ **b**", "word " * 512, "."]
)
def test_no_text_is_too_strange(rnn: Open, view: str, text: str) -> None:
    app = rnn(rnn_view=view, text=text)
    assert not app.exception and not app.error


@pytest.mark.parametrize("view", ("Unrolled", "Gradients", "Decoding", "Reversal"))
def test_sentences_without_such_models_say_so(rnn: Open, view: str) -> None:
    app = rnn(rnn_view=view, corpus="numbers_ko_en", trained="true")
    assert not app.exception and len(app.error) == 1
    assert "hoose other sentences" in app.error[0].value or "without attention" in (
        app.error[0].value
    )


def test_links_may_say_anything(rnn: Open) -> None:
    app = rnn(
        rnn_view="Nothing", network="GRU", part="x", unit="a.b", time_step="1e9", length="-5",
        radius="nan", models="x", measure="chrF", corpus="nowhere",
    )  # fmt: skip
    assert not app.exception and not app.error


def test_the_verdict_is_computed_from_the_scores() -> None:
    forward, back = (zoo.card(f"{CORPUS}_{kind}") for kind in ("none", "reversed"))
    assert "no difference" in rnn_reversal.verdict(forward, back)
    better = replace(back, scores={"exact_match": 0.9})
    assert "it helped" in rnn_reversal.verdict(forward, better)
    assert "90.0% of 350 held-out" in rnn_reversal.verdict(forward, better)
    worse = replace(back, scores={"exact_match": 0.1})
    assert "it did harm" in rnn_reversal.verdict(forward, worse)
    manual = [replace(card, corpus="manual_en_fr") for card in (forward, back)]
    assert "BLEU is 61.2 instead of 61.2: the same" in rnn_reversal.verdict(*manual)
    assert "not measured" in rnn_reversal.verdict(replace(forward, scores={}), back)


def test_lags_are_the_grammars_where_it_is_known(rnn: Open) -> None:
    pair = next(pair for pair in held_out(CORPUS).pairs if pair.links)
    app = rnn(rnn_view="Reversal", text=pair.source)
    assert "known from the grammar" in html(app)
    source, target = TOKENISER.encode(pair.source), TOKENISER.encode(pair.target)
    places = analysis.linked_places(target.spans, source.spans, pair.links)
    mean = np.nanmean(analysis.writing_lags(places, len(source)))
    assert f"{mean:.1f} steps on average" in html(app)


def test_lags_of_other_sentences_are_assumed(rnn: Open) -> None:
    assert "assumed: both sentences in the same order" in html(rnn(rnn_view="Reversal", text="x"))


@pytest.mark.parametrize("view", VIEWS)
def test_the_snippet_computes_what_is_shown(
    rnn: Open, view: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import plotly.graph_objects as go

    monkeypatch.setattr(go.Figure, "show", lambda self: None)
    app = take_away(rnn(rnn_view=view))
    names: dict[str, Any] = {}
    exec(app.code[0].value, names)
    said = capsys.readouterr().out
    if view == "Unrolled":
        np.testing.assert_allclose(names["values"], sent_values(app), atol=1e-6)
    elif view == "Gradients":
        shown = figures(app)[0]["data"]
        assert len(names["curves"]["rnn"][1]) == 60 and len(shown) == 6
    elif view == "The bottleneck":
        assert names["curves"][f"{CORPUS}_none"][0].value == TEXT_SCORES["exact_match"]
    elif view == "Decoding":
        assert list(names["found"].target) == message(app)["said"]
    else:
        assert said.count("exact_match") == 2
