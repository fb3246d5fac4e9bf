"""The step player on the page, run on tiny random translators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app.controls_text import FIRST
from app.translations import Talk
from app.views import seq2seq_step
from attnviz import zoo
from attnviz.text import Sentence
from attnviz.translation import Translation, translate
from tests.app.apptest import html, message, report, take_away

Open = Callable[..., AppTest]
CORPUS, VIEW = "dates_ko_en", "One step"
TEXT = FIRST[CORPUS]


def talk(kind: str = "mlp", text: str = TEXT) -> Talk:
    return Talk(f"{CORPUS}_{kind}", "cpu", Sentence(text))


def own(kind: str = "mlp", text: str = TEXT) -> Translation:
    """The same by the library alone."""
    asked = talk(kind, text)
    return translate(zoo.load(asked.model, "cpu"), asked.tokeniser, text)


def floats(sent: dict[str, Any], name: str) -> np.ndarray:
    return np.frombuffer(sent[name], "<f4").reshape(len(sent["target"]), -1)


@pytest.mark.parametrize("kind", ["mlp", "bilinear", "dot"])
def test_the_player_has_the_numbers_of_the_run(seq2seq: Open, kind: str) -> None:
    sent, found = message(seq2seq(seq_view=VIEW, text=TEXT, score=kind)), own(kind)
    assert tuple(sent["source"]) == found.source and tuple(sent["target"]) == found.target
    assert sent["kind"] == kind
    assert np.allclose(floats(sent, "scores"), found.stages["attention.scores"], atol=1e-5)
    assert np.allclose(floats(sent, "weights"), found.weights, atol=1e-6)
    assert np.allclose(floats(sent, "weights").sum(1), 1, atol=1e-5)
    assert np.allclose(floats(sent, "chances"), found.chances, atol=1e-6)
    for name, values in (
        ("encoder", found.encoder_states),
        ("states", found.stages["decoder_states"]),
        ("contexts", found.stages["attention.context"]),
        ("outputs", found.stages["attention.output"]),
    ):
        sized = np.frombuffer(sent[name], np.uint8).reshape(values.shape).astype(float)
        reach = sent["reach"]
        off = (sized - 128) / 127 * reach - values.clip(-reach, reach)
        assert np.abs(off).max() <= reach / 250 and np.mean(np.abs(values) <= reach) > 0.5


def test_what_was_computed_again_is_said(seq2seq: Open) -> None:
    page = html(seq2seq(seq_view=VIEW, text=TEXT))
    for words in ("of the scores gives the weights within", "is the weighted sum", "Held out"):
        assert words in page


def test_where_the_player_rests_is_in_the_link(seq2seq: Open) -> None:
    app = seq2seq(seq_view=VIEW, text=TEXT)
    first = message(app)
    assert first["chosen"] == [0, 0] and "stage" not in app.query_params
    app = report(app, 0, [1, 3])
    assert app.query_params["stage"] in ("1.3", ["1.3"])
    assert message(app)["stamp"] == first["stamp"]  # nothing travels again


def test_a_link_begins_where_it_says(seq2seq: Open) -> None:
    assert message(seq2seq(seq_view=VIEW, text=TEXT, stage="1.3"))["chosen"] == [1, 3]


@pytest.mark.parametrize("stage", ["99.0", "0.5", "x", "1.2.3", "1", "<b>"])
def test_nonsense_places_are_left_out(seq2seq: Open, stage: str) -> None:
    app = seq2seq(seq_view=VIEW, text=TEXT, stage=stage)
    assert not app.error and message(app)["chosen"] == [0, 0]


def test_another_sentence_begins_at_its_first_step(seq2seq: Open) -> None:
    app = report(seq2seq(seq_view=VIEW, text=TEXT), 0, [1, 3])
    app.text_input(key="text_box").set_value("4월 3일")
    app.button(key="text_send").click().run()
    sent = message(app)
    assert tuple(sent["source"]) == own(text="4월 3일").source
    assert sent["chosen"] is None and sent["order"] == 1
    assert "stage" not in app.query_params


def test_a_piece_that_is_not_among_the_likeliest_is_known_as_such() -> None:
    found = own()
    forced = seq2seq_step.walk(
        talk(),
        translate(
            zoo.load(talk().model, "cpu"),
            talk().tokeniser,
            TEXT,
            prefix=(unlikely(found), int(found.candidates[0, 1])),
        ),
    )
    assert forced.picked[0] == -1
    assert seq2seq_step.walk(talk(), found).picked == (0,) * len(found.ids)  # greedy


def unlikely(found: Translation) -> int:
    """A piece that is not among the likeliest of the first step."""
    return next(id for id in range(4, 100) if id not in found.candidates[0])


@pytest.mark.parametrize("text", ["🙂", "<unk> $x$ **b** <i>", "مرحبا", "가" * 300, "a"])
def test_any_sentence_is_taken_and_the_message_stays_small(seq2seq: Open, text: str) -> None:
    app = seq2seq(seq_view=VIEW, text=text)
    assert not app.error and "What is true here" in html(app)
    assert len(app.get("bidi_component")[0].proto.bytes) < 200_000
    sent = message(app)
    if text == "🙂":
        assert [sent["source"][i] for i in sent["unknown"]] == ["🙂"]


@pytest.mark.parametrize("kind", ["mlp", "dot"])
def test_the_snippet_computes_what_is_shown(
    seq2seq: Open, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    last = len(own(kind).ids) - 1
    app = take_away(seq2seq(seq_view=VIEW, text=TEXT, score=kind, stage=f"{last}.2"))
    assert not app.error and len(app.get("download_button")) == 2
    found: dict[str, Any] = {}
    exec(app.code[0].value, found)
    sent = message(app)
    assert np.allclose(found["weights"], floats(sent, "weights")[last], atol=1e-6)
    assert np.allclose(found["scores"], floats(sent, "scores")[last], atol=1e-5)
    context = found["weights"] @ found["found"].encoder_states
    assert np.allclose(found["context"], context, atol=1e-6)
    assert sent["source"][0] in capsys.readouterr().out
