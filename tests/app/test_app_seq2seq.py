"""The page "Seq2Seq with attention", run on tiny random translators: frame and own views."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from html import unescape
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app import prose, translations
from app.controls_text import FIRST
from app.views import seq2seq_common
from attnviz import decoding, zoo
from attnviz.data.held_out import held_out
from attnviz.text import Tokeniser
from attnviz.translation import Translation, translate
from tests.app.apptest import html, message, report, take_away
from tests.app.conftest import CORPUS, OTHER_CORPUS

Open = Callable[..., AppTest]
TEXT = FIRST[CORPUS]


def own(text: str = TEXT, kind: str = "mlp", **options: Any) -> Translation:
    """The same by the library alone."""
    model = zoo.load(f"{CORPUS}_{kind}", "cpu")
    return translate(model, Tokeniser.load("dates"), text, **options)


def sent_weights(app: AppTest, place: int = 0) -> np.ndarray:
    sent = message(app, place)
    shape = len(sent["target"]), len(sent["source"])
    return np.frombuffer(sent["weights"], "<f4").reshape(shape)


def said(app: AppTest) -> list[str]:
    """The translations on the page."""
    found = re.findall(r'<p class="said[^>]*>(.*?)</p>', html(app))
    return ["" if text == "(nothing)" else unescape(text) for text in found]


def say(app: AppTest, text: str) -> AppTest:
    app.text_input(key="text_box").set_value(text)
    return app.button(key="text_send").click().run()


def test_the_first_view_is_alive(seq2seq: Open) -> None:
    app, found = seq2seq(), own()
    assert "Which words does a translator look at?" in app.markdown[0].value
    assert app.text_input(key="text_box").value == TEXT
    sent = message(app)
    assert tuple(sent["source"]) == found.source and tuple(sent["target"]) == found.target
    assert np.abs(sent_weights(app) - found.weights).max() < 1e-6
    strip = np.frombuffer(sent["probabilities"], "<f4")
    assert np.abs(strip - found.probabilities).max() < 1e-6
    assert said(app) == [found.text]
    page = html(app)
    assert re.search(r"sum to 1; the largest deviation measured is \d\.\de-0[5-9]", page)
    assert "exact 50.0 % · BLEU 61.2" in page and "right alignment 25.0 %" in page
    assert "greedy; " in page and "cpu, float32" in page


def test_a_typed_sentence_is_translated_and_linked(seq2seq: Open) -> None:
    app = say(seq2seq(), "4월 3일")
    assert said(app) == [own("4월 3일").text] and not app.error
    assert app.query_params["text"] in ("4월 3일", ["4월 3일"])


def test_an_example_is_one_click_away(seq2seq: Open) -> None:
    app = seq2seq()
    example = held_out(CORPUS).examples[2]
    next(b for b in app.button if b.key == "example_3").click().run()
    assert app.text_input(key="text_box").value == example.source
    assert tuple(message(app)["source"]) == own(example.source).source


@pytest.mark.parametrize("raw", ["", "   ", "\u200b\u202e\n\t"])
def test_nothing_is_one_kind_sentence_and_the_last_one_stays(seq2seq: Open, raw: str) -> None:
    app = say(seq2seq(), "4월 3일")
    before = message(app)["weights"]
    app = say(app, raw)
    assert len(app.error) == 1 and "type a few words" in app.error[0].value
    assert message(app)["weights"] == before
    assert app.text_input(key="text_box").value == "4월 3일"
    assert not app.run().error


@pytest.mark.parametrize(
    ("raw", "note"),
    [
        (" ".join(["월요일"] * 512), "only its first"),
        ("3월 🙂👩‍👩‍👧 9일", "never shown: 🙂"),
        ("שלום עולם", "never shown: ש"),
        ("مرحبا 3월", "never shown"),
        ("Привет, мир", "read Korean alone"),
        ("the third of May", "read Korean alone"),
        ("<unk> </s>", "read Korean alone"),
        ("$x$ & **a** :red[b]", "read Korean alone"),
        ("<script>alert(1)</script>", "read Korean alone"),
        ("3월\n9일\u200b", "Invisible characters"),
        ("가" * 2000, "only its first"),
        ("?!?", ""),
    ],
)
@pytest.mark.parametrize("linked", [True, False])
def test_any_text_is_taken_and_what_was_done_is_said(
    seq2seq: Open, raw: str, note: str, linked: bool
) -> None:
    app = seq2seq(text=raw) if linked else say(seq2seq(), raw)
    assert not app.exception and not app.error
    page = html(app)
    assert note in page and "<script>" not in page
    assert len(message(app)["source"]) <= 65 and np.allclose(sent_weights(app).sum(1), 1, atol=1e-5)
    assert re.search(r"it ended by itself|cut off at the limit", page)


def test_what_was_said_of_a_text_is_said_after_the_next_run_too(seq2seq: Open) -> None:
    app = say(seq2seq(), "3월\u200b 9일").run()
    assert "Invisible characters were left out." in html(app)


def test_decomposed_hangul_is_the_same_sentence(seq2seq: Open) -> None:
    app = say(seq2seq(), unicodedata.normalize("NFD", TEXT))
    assert tuple(message(app)["source"]) == own().source
    assert app.text_input(key="text_box").value == TEXT


def test_unknown_pieces_are_marked(seq2seq: Open) -> None:
    app = seq2seq(text="3월 🙂 9일")
    sent = message(app)
    assert [sent["source"][i] for i in sent["unknown"]] == ["🙂"]
    assert "“🙂”: read as &lt;unk&gt;" in html(app)


@pytest.mark.parametrize("kind", ["dot", "bilinear"])
def test_the_score_can_be_switched(seq2seq: Open, kind: str) -> None:
    app = seq2seq()
    assert app.segmented_control(key="score").options == ["MLP", "bilinear", "dot"]
    app.segmented_control(key="score").set_value(kind).run()
    assert np.abs(sent_weights(app) - own(kind=kind).weights).max() < 1e-6


def test_a_pinned_cell_shows_its_row_in_numbers(seq2seq: Open) -> None:
    app, found = report(seq2seq(), 0, [1, 2]), own()
    page = html(app)
    assert f"1 “{found.target[1]}” looks most at" in page
    assert f"<td>{found.weights[1].max():.6f}</td>" in page
    assert "It might have said" in page
    assert app.query_params["cell"] in ("1.2", ["1.2"])
    app = say(app, "4월 3일")
    assert "looks most at" not in html(app) and "cell" not in app.query_params


def test_words_are_pieces_merged(seq2seq: Open) -> None:
    app, found = seq2seq(units="words"), own()
    sent = message(app)
    assert sent["source"] == ["2026년", "3월", "9일", "월요일", "</s>"]
    weights = sent_weights(app)
    assert np.allclose(weights.sum(1), 1, atol=1e-5)
    talk = translations.Talk(f"{CORPUS}_mlp", "cpu", found.sentence)
    merged = seq2seq_common.matrix(talk, found, "words")
    assert merged.probabilities.prod() == pytest.approx(found.probabilities.prod(), rel=1e-4)
    assert [piece for row in merged.rows for piece in row] == list(range(len(found.target)))
    first = weights[0]  # looks where its pieces look on average; a word receives all of it
    year = found.weights[list(merged.rows[0])].mean(0)[:5].sum()
    assert first[0] == pytest.approx(year, abs=1e-5)


def test_sampling_is_repeatable_and_in_the_link(seq2seq: Open) -> None:
    app = seq2seq(decoding="sampled", temperature="1.5", seed="3")
    expected = own(choose=decoding.sampler(1.5, seed=3))
    assert said(app) == [expected.text]
    assert "sampled, 1.5, seed 3" in html(app) and "as at temperature 1" in html(app)
    app.number_input(key="seed").set_value(4).run()
    assert said(app) == [own(choose=decoding.sampler(1.5, seed=4)).text] != [expected.text]


def test_a_link_restores_the_page(seq2seq: Open) -> None:
    text = "2042년 3월 8일 오전 4:03"
    app = seq2seq(text=text, corpus=CORPUS, score="dot", cell="1.3", units="words")
    assert app.text_input(key="text_box").value == text
    assert message(app)["chosen"] == [1, 3]
    assert message(app)["source"][0] == "2042년"
    assert app.segmented_control(key="score").value == "dot"
    assert "looks most at" in html(app)
    assert said(seq2seq(seq_view="Scores compared"))[0] == own(text, "dot").text


@pytest.mark.parametrize(
    "query",
    [
        {"corpus": "../../etc"},
        {"score": "none"},
        {"score": "<b>", "units": "?", "decoding": "x", "seq_view": "y"},
        {"cell": "99.0"},
        {"cell": "0.99-x"},
        {"decoding": "sampled", "temperature": "-3", "seed": "x"},
        {"text": "\u0000"},
    ],
)
def test_nonsense_in_a_link_is_left_out(seq2seq: Open, query: dict[str, str]) -> None:
    app = seq2seq(**query)
    assert not app.error and message(app)["chosen"] is None
    assert app.text_input(key="text_box").value == TEXT


def test_another_corpus_starts_with_its_own_example(seq2seq: Open) -> None:
    app = say(seq2seq(), "4월 3일")
    app.selectbox(key="corpus_picker").set_value(OTHER_CORPUS).run()
    assert app.text_input(key="text_box").value == held_out(OTHER_CORPUS).examples[0].source
    assert app.segmented_control(key="score").options == ["MLP"]
    assert app.query_params["corpus"] in (OTHER_CORPUS, [OTHER_CORPUS])
    compared = seq2seq(seq_view="Scores compared", corpus=OTHER_CORPUS)
    assert len(said(compared)) == 1 and not compared.error


def test_the_sentence_is_kept_over_pages(seq2seq: Open, home: AppTest) -> None:
    say(seq2seq(), "4월 3일")
    home.switch_page("../pages/rnn.py").run()
    assert home.text_input(key="text_box").value == "4월 3일"
    home.switch_page("../pages/home.py").run()
    home.switch_page("../pages/seq2seq.py").run()
    assert home.text_input(key="text_box").value == "4월 3일"
    assert said(home) == [own("4월 3일").text]


def test_a_held_out_sentence_has_its_reference(seq2seq: Open) -> None:
    pair = held_out(CORPUS).pairs[5]
    app = seq2seq(text=pair.source)
    assert f"the corpus says “{pair.target}”" in html(app)
    assert "the corpus says" not in html(say(app, "1월 1월 1월"))


def test_scores_are_compared_on_the_same_sentence(seq2seq: Open) -> None:
    app = seq2seq(seq_view="Scores compared", text="4월 3일")
    order = ("dot", "bilinear", "mlp", "none", "reversed", "rnn")
    assert said(app) == [own("4월 3일", kind).text for kind in order]
    for place, kind in enumerate(order[:3]):
        assert np.abs(sent_weights(app, place) - own("4월 3일", kind).weights).max() < 1e-6
    shown = " ".join(element.value for element in app.markdown)
    for kind in order:
        assert prose.text("seq2seq", f"Score: {kind}") in shown
    assert html(app).count("<dt>exact</dt><dd>50.0 %</dd>") == 6
    assert html(app).count("<dt>right alignment</dt>") == 3


@pytest.mark.parametrize("view", ["Alignment", "Scores compared"])
def test_views_explain_themselves_and_can_be_taken_away(seq2seq: Open, view: str) -> None:
    app = seq2seq(seq_view=view)
    assert "What is true here" in html(app) and not app.code
    app = take_away(app)
    assert not app.error and app.get("download_button") and app.code
    assert any(prose.text("seq2seq", f"How: {view}") == each.value for each in app.markdown)


@pytest.mark.parametrize(
    "query",
    [
        {"text": "4월 3일 'a' \\", "score": "dot"},
        {"decoding": "sampled", "temperature": "0.7", "seed": "5"},
    ],
)
def test_the_snippet_computes_what_is_shown(
    seq2seq: Open, query: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plotly.graph_objects.Figure.show", lambda figure: None)
    app = take_away(seq2seq(**query))
    found: dict[str, Any] = {}
    exec(app.code[0].value, found)
    assert np.abs(found["weights"] - sent_weights(app)).max() < 1e-6
    assert [found["found"].text] == said(app)


def test_the_snippet_of_the_comparison_computes_what_is_shown(seq2seq: Open) -> None:
    app = take_away(seq2seq(seq_view="Scores compared"))
    found: dict[str, Any] = {}
    exec(app.code[0].value, found)
    assert sorted(run.text for run in found["found"].values()) == sorted(said(app))
