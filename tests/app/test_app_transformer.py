"""The page "Transformer", run on the bundled Transformer of dates."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from app.controls_text import FIRST
from app.views.transformer_mask import preset, sentences
from attnviz import zoo
from attnviz.inside import Inside, look_inside
from attnviz.text import Tokeniser
from attnviz.translation import Translation, translate
from attnviz.zoo.cards import ASSETS
from tests.app.apptest import html, message, report, take_away
from tests.app.conftest import CORPUS

Open = Callable[..., AppTest]
TEXT, SAID = FIRST[CORPUS], "Monday, March 9, 2026"
VIEWS = (
    "Heads", "Step by step", "Inside", "Every layer", "Mask", "Silence", "Forced or free",
    "Beside the LSTM", "Beam", "Training", "Scores",
)  # fmt: skip


@cache
def model() -> Any:
    return zoo.load(f"{CORPUS}_transformer", "cpu", assets=ASSETS)


def own(text: str = TEXT) -> tuple[Translation, Inside]:
    """The same by the library alone."""
    tokeniser = Tokeniser.load("dates")
    found = translate(model(), tokeniser, text)
    return found, look_inside(model(), tokeniser, text, found.ids)


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_opens_with_its_facts(transformer: Open, view: str) -> None:
    app = transformer(tf_view=view)
    assert not app.error and "Can a translator do without recurrence?" in app.markdown[0].value
    page = html(app)
    assert "What is true here" in page and "cpu" in page
    assert "exact 100.0 %" in page, "the card's scores"


@pytest.mark.parametrize("view", VIEWS)
def test_every_snippet_runs(
    transformer: Open,
    view: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(go.Figure, "show", lambda figure: figure.to_json())
    app = take_away(transformer(tf_view=view))
    assert len(app.code) == 1
    exec(app.code[0].value, {})
    assert capsys.readouterr().out.strip()


def test_the_heads_are_those_of_the_library(transformer: Open) -> None:
    app, (found, inside) = transformer(), own()
    assert re.search(rf'class="said large"[^>]*>{SAID}<', html(app)) and found.text == SAID
    sent = message(app)
    assert tuple(sent["queries"]) == inside.target and tuple(sent["keys"]) == inside.source
    assert (sent["layers"], sent["heads"]) == inside.weights("cross").shape[:2]
    page = html(app)
    assert "Masked cells" in page and re.search(r"largest weight among [\d,]+ is 0<", page)


@pytest.mark.parametrize(("kind", "labels"), [("encoder", "source"), ("decoder", "inputs")])
def test_the_kind_of_attention_can_be_chosen(transformer: Open, kind: str, labels: str) -> None:
    sent = message(transformer(tf_attention=kind))
    expected = getattr(own()[1], labels)
    assert tuple(sent["queries"]) == tuple(sent["keys"]) == expected


def test_pieces_are_merged_into_words(transformer: Open) -> None:
    sent = message(transformer(tf_units="words"))
    assert sent["keys"] == ["2026년", "3월", "9일", "월요일", "</s>"]


def test_a_picked_head_is_kept_in_the_link(transformer: Open) -> None:
    app = report(transformer(), 0, [2, 1])
    assert app.query_params["tf_head"] in ("2.1", ["2.1"])
    assert "Layer 2, head 1: each token looks most at" in html(app)


def test_a_head_that_is_not_there_is_left_out(transformer: Open) -> None:
    assert not transformer(tf_head="77.x").error


def test_a_corpus_without_a_transformer_shows_another(transformer: Open) -> None:
    app = transformer(corpus="numbers_ko_en", text="백이십삼")
    assert not app.error and app.text_input(key="text_box").value == TEXT
    assert app.session_state["corpus"] == "numbers_ko_en", "the choice of other pages stays"
    app.text_input(key="text_box").set_value("3월 9일")
    app.button(key="text_send").click().run()
    assert app.session_state["corpus"] == CORPUS
    assert tuple(message(app)["keys"]) == own("3월 9일")[1].source


@pytest.mark.parametrize(
    ("raw", "note"),
    [
        ("가" * 2000, "only its first"),
        ("<script>alert(1)</script>", "read Korean alone"),
        ("3월 🙂", "never shown"),
        (" ".join(["3월"] * 40), "the longest that the model was tested"),
    ],
)
def test_any_text_is_taken(transformer: Open, raw: str, note: str) -> None:
    page = html(transformer(text=raw))
    assert note in page and "<script>" not in page


EVERY = "-".join(f"c.{layer}.{head}" for layer in range(6) for head in range(8))


@pytest.mark.parametrize(
    ("query", "fact"),
    [
        ({"tf_silent": EVERY}, "their context is 0"),
        ({"tf_unseen": "1"}, "get weight 0 from everybody"),
        ({"tf_off": "11-10-9"}, "no sublayer adds anything"),
    ],
)
def test_what_is_taken_away_changes_what_is_said(
    transformer: Open, query: dict[str, str], fact: str
) -> None:
    page = html(transformer(tf_view="Silence", **query))
    after = re.findall(r"<th scope=\"row\">after</th>(.*?)</tr>", page)[0]
    assert "<mark>" in after and fact in page


def test_a_click_on_the_wall_silences_and_another_brings_back(transformer: Open) -> None:
    app = report(transformer(tf_view="Silence"), 0, [5, 2])
    assert app.session_state["tf_silent"] == "c.5.2"
    assert [5, 2] in message(app)["silenced"]
    app = report(app, 0, None)
    assert app.session_state["tf_silent"] == ""


def test_nothing_left_to_look_at_is_said(transformer: Open) -> None:
    page = html(transformer(tf_view="Silence", tf_unseen="0-1-2-3-4"))
    assert "Nothing of the source is left to look at" in page


def test_the_look_ahead_mask_does_not_leak(transformer: Open) -> None:
    assert "nothing leaks" in html(transformer(tf_view="Mask"))


def test_an_open_cell_leaks(transformer: Open) -> None:
    app = transformer(tf_view="Mask", tf_turned="1.3")
    assert "Prediction 1 depends on the later input" in html(app) and "the mask leaks" in html(app)


def test_a_click_turns_a_cell_over(transformer: Open) -> None:
    app = report(transformer(tf_view="Mask"), 0, [0, 4])
    assert app.session_state["tf_turned"] == "0.4"
    assert "Prediction 0 depends on the later input" in html(app)


def test_a_row_that_is_hidden_everywhere_is_said(transformer: Open) -> None:
    page = html(transformer(tf_view="Mask", tf_mask="itself", tf_turned="2.2"))
    assert "Position 2 may look at nothing: its weights are all zero." in page


def test_presets_of_the_mask() -> None:
    assert preset("look-ahead", 3).tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert preset("no mask", 2).all() and preset("itself", 3).tolist() == np.eye(3).tolist()
    assert preset("last two", 4).tolist() == [
        [1, 0, 0, 0],
        [1, 1, 0, 0],
        [0, 1, 1, 0],
        [0, 0, 1, 1],
    ]


def test_the_leak_test_in_words() -> None:
    leaky = np.zeros((4, 4))
    shown = preset("look-ahead", 4)
    assert list(sentences(leaky, shown)) == [
        "No prediction depends on a later input: nothing leaks."
    ]
    leaky[0, 2] = leaky[0, 3] = 0.5
    shown[1] = False
    assert list(sentences(leaky, shown)) == [
        "Prediction 0 depends on the later input 2, 3: the mask leaks.",
        "Position 1 may look at nothing: its weights are all zero.",
    ]


def test_the_table_has_every_kind_and_names_the_best(transformer: Open) -> None:
    page = html(transformer(tf_view="Scores"))
    for name in ("no attention", "MLP", "Transformer"):
        assert f"<td>{name}</td>" in page
    assert (
        "<td>100.0 %</td>" in page and "Most exact matches on held-out pairs: Transformer." in page
    )
    assert len(re.findall(r"<td>\d+ ms</td>", page)) == 7


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ({}, "Transformer, layer 4, mean of heads"),
        ({"tf_layer": "2", "tf_which": "5"}, "Transformer, layer 2, head 5"),
    ],
)
def test_both_alignments_stand_beside_each_other(
    transformer: Open, query: dict[str, str], title: str
) -> None:
    app = transformer(tf_view="Beside the LSTM", **query)
    cross = own()[1].weights("cross")
    expected = cross[2, 5] if query else cross[-2].mean(0)
    sent = message(app, 1)
    shape = len(sent["target"]), len(sent["source"])
    weights = np.frombuffer(sent["weights"], "<f4").reshape(shape)
    np.testing.assert_allclose(weights, expected, atol=1e-5)
    assert "LSTM, MLP score" in html(app) and title in html(app)
    layers = app.segmented_control(key="tf_layer").options
    assert layers == sorted(layers), "as they lie, whichever is the default"
