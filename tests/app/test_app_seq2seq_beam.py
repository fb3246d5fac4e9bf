"""The beam on the page, run on tiny random translators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app.translations import Talk
from app.views import beams
from attnviz import zoo
from attnviz.data.held_out import held_out
from attnviz.text import END, Sentence
from attnviz.translation import Search, search, translate
from tests.app.apptest import html, message, report, take_away

Open = Callable[..., AppTest]
CORPUS, VIEW = "dates_ko_en", "Beam"
TEXT = held_out(CORPUS).pairs[40].source
TALK = Talk(f"{CORPUS}_mlp", "cpu", Sentence(TEXT))


def own(width: int = 4, normalise: float = 1.0, prefix: tuple[int, ...] = ()) -> Search:
    """The same by the library alone."""
    model = zoo.load(TALK.model, "cpu")
    return search(model, TALK.tokeniser, TEXT, width=width, normalise=normalise, prefix=prefix)


@pytest.fixture
def page(seq2seq: Open) -> Open:
    def opened(**query: str) -> AppTest:
        return seq2seq(seq_view=VIEW, text=TEXT, **query)

    return opened


def part(app: AppTest, block: str) -> int:
    """The place of the component whose message has this field."""
    count = len(app.get("bidi_component"))
    return next(place for place in range(count) if block in message(app, place))


def tree(app: AppTest) -> list[list[list[Any]]]:
    return message(app, part(app, "steps"))["steps"]


def weights(app: AppTest) -> np.ndarray:
    sent = message(app, part(app, "weights"))
    return np.frombuffer(sent["weights"], "<f4").reshape(len(sent["target"]), -1)


def query(app: AppTest, name: str) -> str:
    value = app.query_params.get(name, "")
    return value[0] if isinstance(value, list) else value


def alternative(found: Search) -> tuple[int, int]:
    """A kept beginning that is open, and no part of the best translation."""
    best = found.translations[0].ids
    return next(
        (step, rank)
        for step, kept in enumerate(found.tree)
        for rank, (ids, _) in enumerate(kept)
        if ids[-1] != END and ids != best[: len(ids)] and step + 1 < len(found.tree)
    )


def test_the_tree_is_that_of_the_search(page: Open) -> None:
    app, found = page(), own()
    shown = tree(app)
    assert [len(step) for step in shown] == [len(step) for step in found.tree]
    for step, (nodes, kept) in enumerate(zip(shown, found.tree, strict=True)):
        for (_, _, parent, total, ended), (ids, expected) in zip(nodes, kept, strict=True):
            assert total == pytest.approx(expected, abs=1e-6) and ended == (ids[-1] == END)
            assert not step or found.tree[step - 1][parent][0] == ids[:-1]
    best, place = found.translations[0].ids, message(app, part(app, "steps"))["best"]
    assert found.tree[place[0]][place[1]][0] == best


def test_translations_are_listed_with_their_scores(page: Open) -> None:
    app, found = page(width="3", normalise="0.5"), own(3, 0.5)
    radio = app.radio(key="seq_hypotheses")
    assert len(radio.options) == len(found.translations)
    best = found.translations[0]
    total = -best.losses.sum(dtype=np.float64)
    said = beams.score(best, 0.5)
    assert said.startswith(f"score {total / len(best.ids) ** 0.5:.3f} = ".replace("-", "−"))
    assert said.endswith(f"{len(best.ids)}^0.5 pieces")


def test_a_width_of_one_is_greedy_decoding(page: Open) -> None:
    app = page(width="1")
    assert len(app.radio(key="seq_hypotheses").options) == 1
    greedy = translate(zoo.load(TALK.model, "cpu"), TALK.tokeniser, TEXT)
    assert np.abs(weights(app) - greedy.weights).max() < 1e-6
    assert "says the same; log-probability" in html(app)


def test_the_chosen_translations_own_weights_are_shown(page: Open) -> None:
    app, found = page(), own()
    assert np.abs(weights(app) - found.translations[0].weights).max() < 1e-6
    app.radio(key="seq_hypotheses").set_value("2").run()
    assert np.abs(weights(app) - found.translations[1].weights).max() < 1e-6
    assert query(app, "hypothesis") == "2"


def test_a_click_goes_on_from_an_alternative_and_there_is_a_way_back(page: Open) -> None:
    app, found = page(), own()
    place = alternative(found)
    prefix = found.tree[place[0]][place[1]][0]
    app = report(app, part(app, "steps"), list(place))
    assert not app.error and query(app, "prefix") == ".".join(map(str, prefix))
    continued = own(prefix=prefix)
    assert all(one.ids[: len(prefix)] == prefix for one in continued.translations)
    assert np.abs(weights(app) - continued.translations[0].weights).max() < 1e-6
    assert message(app, part(app, "steps"))["given"] == len(prefix)
    page_text = html(app)
    assert "Every translation begins with" in page_text and "Left alone" in page_text
    next(b for b in app.button if b.label == "Back to the free search").click().run()
    assert query(app, "prefix") == "" and "Every translation begins" not in html(app)
    assert np.abs(weights(app) - found.translations[0].weights).max() < 1e-6


def test_a_click_on_an_ending_shows_its_alignment(page: Open) -> None:
    app, found = page(), own()
    second = found.translations[1]
    place = next(p for p, ids in beams.places(found.tree) if ids == second.ids)
    app = report(app, part(app, "steps"), list(place))
    assert app.radio(key="seq_hypotheses").value == "2" and query(app, "prefix") == ""
    assert np.abs(weights(app) - second.weights).max() < 1e-6


def test_a_link_restores_width_beginning_and_choice(page: Open) -> None:
    found = own(6)
    place = alternative(found)
    prefix = found.tree[place[0]][place[1]][0]
    app = page(width="6", normalise="0.0", prefix=".".join(map(str, prefix)), hypothesis="2")
    continued = own(6, 0.0, prefix)
    assert app.slider(key="width").value == 6
    assert np.abs(weights(app) - continued.translations[1].weights).max() < 1e-6
    assert message(app, part(app, "steps"))["given"] == len(prefix)


@pytest.mark.parametrize(
    "prefix", ["x", "4..5", "0", "2.5", "3", "999999", "-4", "4-5", "<b>", "٤", "." * 400]
)
def test_nonsense_beginnings_are_left_out(page: Open, prefix: str) -> None:
    app = page(prefix=prefix, width="99", hypothesis="77", normalise="x")
    assert not app.error and "Every translation begins" not in html(app)
    assert np.abs(weights(app) - own().translations[0].weights).max() < 1e-6


def test_a_beginning_as_long_as_any_translation_still_ends(page: Open) -> None:
    app = page(prefix=".".join(["5"] * 300))
    assert not app.error and "did not end" in html(app)


def test_another_sentence_forgets_the_beginning(page: Open) -> None:
    app = page(prefix="5.6")
    app.text_input(key="text_box").set_value("4월 3일")
    app.button(key="text_send").click().run()
    assert query(app, "prefix") == "" and not app.error


@pytest.mark.parametrize("text", ["🙂", "<unk> $x$ **b** <i>", "مرحبا", "가" * 300, "a"])
def test_any_sentence_is_taken(seq2seq: Open, text: str) -> None:
    app = seq2seq(seq_view=VIEW, text=text, width="8")
    assert not app.error and "What is true here" in html(app)


def test_the_snippet_finds_what_is_shown(page: Open, capsys: pytest.CaptureFixture[str]) -> None:
    app = take_away(page(width="3", prefix="5.6", normalise="0.5"))
    assert not app.error and len(app.get("download_button")) == 2
    found: dict[str, Any] = {}
    exec(app.code[0].value, found)
    assert np.abs(found["beam"].translations[0].weights - weights(app)).max() < 1e-6
    assert found["beam"].translations[0].text in capsys.readouterr().out
