"""Forcing words, forcing attention and scrubbing through a training, on tiny random translators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app import controls_text, state, translations
from app.components.film import film
from app.components.sketch import accepted, sketch
from app.translations import Talk
from app.views import seq2seq_force, seq2seq_forcing, seq2seq_training
from attnviz import zoo
from attnviz.data.held_out import held_out
from attnviz.text import END, Sentence, Tokeniser
from attnviz.translation import follow, translate
from tests.app.apptest import html, message, report, take_away

Open = Callable[..., AppTest]
CORPUS = "dates_ko_en"
FORCED, FORCE, TRAINING = "Forced or free", "Force attention", "Training"
PAIR = held_out(CORPUS).pairs[40]
TALK = Talk(f"{CORPUS}_mlp", "cpu", Sentence(PAIR.source))
COLUMNS = len(Tokeniser.load("dates").encode(PAIR.source).ids) + 1


@pytest.fixture
def page(seq2seq: Open) -> Open:
    return partial(seq2seq, text=PAIR.source)


def model(snapshot: int | None = None) -> Any:
    return zoo.load(TALK.model, "cpu", snapshot=snapshot)


def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plotly.graph_objects.Figure.show", lambda figure: None)


# ---- forced or free


def test_both_runs_are_asked_for_the_same_pieces() -> None:
    tokeniser = TALK.tokeniser
    runs = seq2seq_forcing.compared(TALK)
    ids = (*tokeniser.encode(PAIR.target).ids, END)
    assert runs.origin == seq2seq_forcing.CORPUS and runs.forced.ids == ids
    free = translate(model(), tokeniser, PAIR.source).ids
    for step in range(len(ids)):
        if step >= len(free):
            assert np.isnan(runs.asked[step])
            continue
        asked = follow(model(), tokeniser, PAIR.source, (*free[:step], ids[step]))
        assert runs.asked[step] == pytest.approx(asked.losses[step], abs=1e-5)
    same = [a == b for a, b in zip(ids, free, strict=False)]
    assert runs.parted == same.index(False)
    np.testing.assert_allclose(
        runs.asked[: runs.parted + 1], runs.forced.losses[: runs.parted + 1], atol=1e-5
    )


def test_a_sentence_the_corpus_lacks_is_forced_to_what_the_finished_model_says() -> None:
    talk = replace(TALK, sentence=Sentence("1일 1일"))
    runs = seq2seq_forcing.compared(talk)
    assert runs.parted is None and runs.forced.ids == runs.free.ids
    assert "both runs are one" in seq2seq_forcing.explained(runs)
    early = seq2seq_forcing.compared(replace(talk, snapshot=10))
    assert early.forced.ids == runs.free.ids and early.origin == seq2seq_forcing.OWN


def test_a_run_that_ends_early_parts_at_its_end() -> None:
    free = translations.translation(TALK)
    text = TALK.tokeniser.decode(free.ids)
    runs = seq2seq_forcing.compared(TALK, f"{text} 1" if text else "1")
    assert runs.parted is not None and runs.origin == "typed here"
    assert f"They part at step {runs.parted}" in seq2seq_forcing.explained(runs)


def test_the_page_shows_where_they_part(page: Open) -> None:
    app = page(seq_view=FORCED)
    runs = seq2seq_forcing.compared(TALK)
    shown = html(app)
    assert not app.error and len(app.get("plotly_chart")) == 1
    assert shown.count('<td class="cut">') >= 2
    assert "held out, of the corpus" in shown and "What is true here" in shown
    first, second = message(app, 0), message(app, 1)
    assert first["target"] == list(runs.forced.target)
    assert second["target"] == list(runs.free.target)


def test_a_reference_can_be_typed_and_is_in_the_link(page: Open) -> None:
    app = page(seq_view=FORCED)
    app.text_input(key="seq_reference_box").set_value("May 5").run()
    assert app.query_params["reference"] in (["May 5"], "May 5")
    assert "typed here" in html(app)
    assert "".join(message(app, 0)["target"]) == "May5</s>"
    app.text_input(key="seq_reference_box").set_value("  ").run()
    assert "reference" not in app.query_params and "held out, of the corpus" in html(app)


def test_another_sentence_forgets_the_reference_and_the_rows(page: Open) -> None:
    app = page(seq_view=FORCED, reference="May 5")
    assert "typed here" in html(app)
    app.text_input(key="text_box").set_value(held_out(CORPUS).pairs[3].source)
    app.button(key="text_send").click().run()
    assert "reference" not in app.query_params and "typed here" not in html(app)


def test_the_model_can_be_taken_at_an_earlier_step(page: Open) -> None:
    app = page(seq_view=FORCED, forced_at="10")
    assert app.select_slider(key="forced_at").value == "10"
    early = translate(model(10), TALK.tokeniser, PAIR.source)
    assert message(app, 1)["target"] == list(early.target)
    weights = np.frombuffer(message(app, 1)["weights"], "<f4")
    np.testing.assert_allclose(weights, early.weights.ravel(), atol=1e-6)


def test_a_mistake_can_be_found(page: Open) -> None:
    app = page(seq_view=FORCED)
    app.button[next(i for i, b in enumerate(app.button) if b.label == "Find a mistake")].click()
    app.run()
    assert not app.error
    assert app.text_input(key="text_box").value == held_out(CORPUS).pairs[41].source


# ---- force attention


def after(forced: state.Rows) -> Any:
    rows = dict(seq2seq_force.vectors(forced, COLUMNS))
    return translate(model(), TALK.tokeniser, PAIR.source, rows=rows)


def test_a_click_moves_a_rows_whole_weight_and_another_shares_it(page: Open) -> None:
    app = report(page(seq_view=FORCE), 1, [0, 2])
    assert app.query_params["forced"] in (["0.2"], "0.2")
    sent, own = message(app, 1), after({0: {2: 100}})
    assert sent["forced"] == [0] and sent["target"] == list(own.target)
    weights = np.frombuffer(sent["weights"], "<f4").reshape(own.weights.shape)
    assert weights[0].tolist() == [float(column == 2) for column in range(COLUMNS)]
    assert "differ from those asked for by 0.0e+00" in html(app)
    app = report(app, 1, [0, 1])
    assert app.query_params["forced"] in (["0.1.2"], "0.1.2")
    row = np.frombuffer(message(app, 1)["weights"], "<f4")[:COLUMNS]
    assert row[:3].tolist() == [0, 0.5, 0.5]


def test_a_second_click_lets_go(page: Open) -> None:
    app = report(page(seq_view=FORCE), 1, [0, 2])
    app = report(app, 1, [0, 2])
    assert "forced" not in app.query_params and message(app, 1)["forced"] == []
    assert "before and after are the same run" in html(app)


def test_some_cell_changes_the_translation_and_the_changed_pieces_are_marked(page: Open) -> None:
    before = translate(model(), TALK.tokeniser, PAIR.source)
    forced = next(
        {0: {column: 100}}
        for column in range(COLUMNS)
        if after({0: {column: 100}}).ids != before.ids
    )
    app = page(seq_view=FORCE, forced=state.rows_text(forced))
    assert message(app, 0)["target"] == list(before.target)
    assert message(app, 1)["target"] == list(after(forced).target)
    gone, come = seq2seq_force.changed(before.ids, after(forced).ids)
    assert html(app).count("<mark>") == len(gone) + len(come) > 0


def test_a_drawn_row_is_used_and_stays_what_was_drawn(page: Open) -> None:
    drawn = [0] * COLUMNS
    drawn[1], drawn[3] = 30, 90
    app = report(page(seq_view=FORCE), 2, drawn)
    assert app.query_params["forced"] in (["0.1_30.3_90"], "0.1_30.3_90")
    row = np.frombuffer(message(app, 1)["weights"], "<f4")[:COLUMNS]
    np.testing.assert_allclose(row, np.array(drawn) / 120, atol=1e-7)
    linked = page(seq_view=FORCE, forced="0.1_30.3_90")
    own = np.frombuffer(message(linked, 2)["own"], np.uint8) / 255
    free = translate(model(), TALK.tokeniser, PAIR.source)
    np.testing.assert_allclose(own, free.weights[0], atol=1 / 255)


def test_rows_are_let_go_one_by_one_or_all(page: Open) -> None:
    app = page(seq_view=FORCE, forced="0.1-1.2")
    assert app.button(key="forced_0").label.startswith("Let go of 0 ")
    app.button(key="forced_0").click().run()
    assert app.query_params["forced"] in (["1.2"], "1.2")
    app.button(key="forced_all").click().run()
    assert "forced" not in app.query_params


@pytest.mark.parametrize(
    "forced", ["0.99", "999.0", "x", "0", "0.1_0", "-.-", "0.1_30_4", "1" * 5000]
)
def test_nonsense_rows_are_left_out(page: Open, forced: str) -> None:
    app = page(seq_view=FORCE, forced=forced, drawn="77")
    assert not app.error and message(app, 1)["forced"] == []
    assert "before and after are the same run" in html(app)


def test_a_row_that_is_not_reached_is_said(page: Open) -> None:
    steps = len(translate(model(), TALK.tokeniser, PAIR.source).ids)
    app = page(seq_view=FORCE, forced=f"{steps + 1}.0")
    assert "not reached: the translation ends before it" in html(app)


def test_rows_in_links_read_back() -> None:
    rows = {3: {5: 100}, 4: {2: 70, 6: 30}}
    assert state.rows("3.5-4.2_70.6_30") == rows
    assert state.rows(state.rows_text(rows)) == rows
    assert state.rows("1.2_900") == {1: {2: 100}}


def test_clicks_toggle_and_begin_a_drawn_row_anew() -> None:
    toggled = seq2seq_force.toggled
    assert toggled({}, (1, 2)) == {1: {2: 100}}
    assert toggled({1: {2: 100}}, (1, 3)) == {1: {2: 100, 3: 100}}
    assert toggled({1: {2: 100}, 5: {0: 100}}, (1, 2)) == {5: {0: 100}}
    assert toggled({1: {2: 70, 3: 30}}, (1, 2)) == {1: {2: 100}}


def test_changed_pieces_are_those_of_one_translation_only() -> None:
    assert seq2seq_force.changed([7, 8, 9], [7, 5, 8, 9]) == ([], [1])
    assert seq2seq_force.changed([7, 8, 9], [7, 6, 9]) == ([1], [1])


# ---- training


def test_every_step_follows_the_finished_translation() -> None:
    finished = translate(model(), TALK.tokeniser, PAIR.source)
    moments = seq2seq_training.watched(TALK, finished.ids)
    assert [moment.step for moment in moments] == [10, 100, 1000]
    first = follow(model(10), TALK.tokeniser, PAIR.source, finished.ids)
    np.testing.assert_allclose(moments[0].weights, first.weights, atol=1e-6)
    assert moments[0].loss == pytest.approx(first.losses.mean(), rel=1e-5)
    assert moments[0].says == translate(model(10), TALK.tokeniser, PAIR.source).text
    np.testing.assert_allclose(moments[-1].weights, finished.weights, atol=1e-6)
    assert moments[0].scores == {"exact_match": 0.01}


def test_the_film_holds_every_step_and_where_it_stops_is_in_the_link(page: Open) -> None:
    app = page(seq_view=TRAINING)
    sent = message(app)
    assert sent["steps"] == [10, 100, 1000] and sent["chosen"] is None
    size = len(sent["source"]) * len(sent["target"])
    assert len(sent["weights"]) == 3 * size and len(app.get("plotly_chart")) == 2
    app = report(app, 0, 0)
    assert app.query_params["snapshot"] in (["10"], "10")
    assert "held out, right: sentences 1.0%" in html(app)
    assert message(app)["stamp"] == sent["stamp"]  # nothing is sent again
    assert message(page(seq_view=TRAINING, snapshot="100"))["steps"] == [10, 100, 1000]


@pytest.mark.parametrize("snapshot", ["7", "x", "-1", "1000000"])
def test_nonsense_steps_are_left_out(page: Open, snapshot: str) -> None:
    app = page(seq_view=TRAINING, snapshot=snapshot)
    assert not app.error and message(app)["chosen"] is None


def test_a_model_without_snapshots_gives_way_to_one_that_has_them(page: Open) -> None:
    app = page(seq_view=TRAINING, score="dot")
    assert "No snapshots of “Tiny dot” were kept. Shown is “Tiny mlp”." in html(app)
    assert message(app)["steps"] == [10, 100, 1000]


def test_so_does_one_of_another_corpus_with_a_sentence_it_can_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = replace(zoo.card(TALK.model), name="manual_en_fr_mlp", corpus="manual_en_fr")
    other = replace(other, snapshots=())
    cards = [*zoo.cards(), other]
    monkeypatch.setattr(zoo, "cards", lambda: cards)
    monkeypatch.setattr(zoo, "card", lambda name: next(c for c in cards if c.name == name))
    found = seq2seq_training.with_snapshots(Talk(other.name, "cpu", Sentence("The file.")))
    assert found is not None and found.model == TALK.model
    assert found.sentence.text == controls_text.opening(held_out(CORPUS))
    monkeypatch.setattr(zoo, "cards", lambda: [other])
    assert seq2seq_training.with_snapshots(Talk(other.name, "cpu", Sentence("A."))) is None


# ---- all three


@pytest.mark.parametrize("view", [FORCED, FORCE, TRAINING])
@pytest.mark.parametrize("score", ["mlp", "dot"])
def test_snippets_run_and_compute_what_is_shown(
    page: Open, view: str, score: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet(monkeypatch)
    app = take_away(page(seq_view=view, score=score, forced="0.2"))
    assert not app.error and len(app.get("download_button")) == 2
    found: dict[str, Any] = {}
    exec(app.code[0].value, found)
    shown = html(app)
    if view == FORCED:
        assert f"{found['forced'].losses.mean():.3f} nats a piece, the whole reference" in shown
    elif view == FORCE:
        assert found["after"].weights[0, 2] == 1
        assert message(app, 1)["target"] == list(found["after"].target)
    else:
        assert message(app)["target"] == list(found["found"].target)


@pytest.mark.parametrize("view", [FORCED, FORCE, TRAINING])
@pytest.mark.parametrize("text", ["🙂", "<unk> $x$ **b** <i>", "مرحبا", "가" * 300, "a"])
def test_any_sentence_is_taken(seq2seq: Open, view: str, text: str) -> None:
    app = seq2seq(seq_view=view, text=text)
    assert not app.error and app.get("bidi_component") and "What is true here" in html(app)


# ---- the components' faces


GOOD: dict[str, Any] = {
    "weights": np.zeros((2, 3, 4), np.uint8),
    "probabilities": np.zeros((2, 3), np.uint8),
    "source": "abcd",
    "target": "xyz",
    "steps": (10, 20),
    "says": ("", "xy"),
    "key": "film",
}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"weights": np.zeros((2, 4, 3), np.uint8)}, r"weights: expected uint8 of shape \(2, 3, 4"),
        ({"probabilities": np.zeros((2, 3))}, "float64"),
        ({"says": ("a",)}, "1 texts for 2 frames"),
        ({"frame": 2}, "no frame 2: frames are 0–1"),
    ],
)
def test_a_film_that_does_not_fit_says_why(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        film(**GOOD | change)


def test_only_weights_of_the_right_kind_are_drawn() -> None:
    assert accepted([0, 100, 3], 3) == (0, 100, 3)
    for wrong in (
        [0, 0, 0],
        [1, 2],
        [1, 2, 101],
        [1, 2, -1],
        [1, 2, True],
        "abc",
        None,
        [1.0, 2, 3],
    ):
        assert accepted(wrong, 3) is None
    with pytest.raises(ValueError, match="2 weights from 0 to 100"):
        sketch(np.zeros(2, np.uint8), "ab", key="sketch", subject="", drawn=(1, 101))
