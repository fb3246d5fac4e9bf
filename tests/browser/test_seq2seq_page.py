"""The page "Seq2Seq with attention" as a visitor meets it, with the bundled models of dates."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
import pytest
from playwright.sync_api import expect

from attnviz import zoo
from attnviz.figures.theme import colour_table
from attnviz.text import Tokeniser
from attnviz.translation import Translation, translate
from tests.browser.harness import (
    PHONE,
    ROOT,
    Server,
    Visit,
    contrast,
    eventually,
    idle,
    no_sideways_scroll,
    shoot,
)

CORPUS = "dates_ko_en"
TEXT, OTHER = "2026년 3월 9일 월요일", "2019년 8월 5일 월요일 오후 9시 33분"
CLICK = 12_000  # bytes over the websocket


def own(text: str, kind: str = "mlp") -> Translation:
    """The same by the library alone."""
    card = zoo.card(f"{CORPUS}_{kind}")
    return translate(zoo.load(card.name, "cpu"), Tokeniser.load(card.tokeniser), text)


class Talking:
    """The page, open at its main view."""

    def __init__(self, visit: Visit) -> None:
        self.visit, self.page = visit, visit.page
        self.box = self.page.get_by_label("Korean sentence")
        self.said = self.page.locator(".said.large")
        self.matrix = self.page.locator(".alignment").first
        self.status = self.matrix.locator(".status")
        expect(self.status).not_to_be_empty()
        idle(self.page)

    def say(self, text: str) -> None:
        self.box.fill(text)
        self.box.press("Enter")

    def shows(self, found: Translation) -> None:
        """Waits until the translation and its matrix are those that the library computes."""
        expect(self.said).to_have_text(found.text)
        expect(self.matrix.locator(".rects rect")).to_have_count(found.weights.size)
        shades = np.floor(255 * found.weights + 0.5).astype(int).reshape(-1)
        rgb = colour_table("viridis")[shades].astype(int)
        for labels, texts in (("columns", found.source), ("rows", found.target)):
            titles = self.matrix.locator(f"g.{labels} title")
            expect(titles).to_have_text([f"{i} {text}" for i, text in enumerate(texts)])

        def coloured() -> bool:
            drawn = self.matrix.locator(".rects rect").evaluate_all(
                "all => all.map(rect => rect.getAttribute('fill').match(/\\d+/g).map(Number))"
            )
            return np.shape(drawn) == rgb.shape and np.abs(drawn - rgb).max() <= 6  # a step or so

        eventually(self.page, coloured, "the matrix never showed what it should")

    def cell(self, row: int, column: int) -> Any:
        columns = self.matrix.locator("g.column").count()
        return self.matrix.locator(".rects rect").nth(row * columns + column)


@pytest.fixture
def talk(app: Server, visit: Any) -> Any:
    def opened(query: str = f"corpus={CORPUS}", **options: Any) -> Talking:
        address = f"{app.url}/seq2seq?{quote(query, safe='=&')}"
        return Talking(visit(address, ready=".alignment .board", **options))

    return opened


def test_a_shared_link_opens_cold(visit: Any) -> None:
    with Server(ROOT / "app/main.py") as server:
        query = quote(f"corpus={CORPUS}&text={OTHER}&score=bilinear&cell=2.4", safe="=&")
        seen = visit(f"{server.url}/seq2seq?{query}", ready=".alignment .board")
        view = Talking(seen)
        expect(view.page.get_by_role("heading", level=1)).to_have_text("Seq2Seq with attention")
        expect(view.box).to_have_value(OTHER)
        found = own(OTHER, "bilinear")
        view.shows(found)
        expect(view.page.get_by_text(f"2 “{found.target[2]}” looks most at")).to_be_visible()
        expect(view.status).to_contain_text("Pinned.")
        assert "Traceback" not in server.output()
    assert not seen.complaints


def test_a_shared_link_opens_at_another_view(app: Server, visit: Any) -> None:
    query = quote(f"corpus={CORPUS}&text={OTHER}&seq_view=Scores compared&units=words", safe="=&")
    view = Talking(visit(f"{app.url}/seq2seq?{query}", ready=".alignment .board"))
    said = view.page.locator(".said")
    kinds = ("dot", "bilinear", "mlp", "none", "reversed", "rnn")
    expect(said).to_have_text([own(OTHER, kind).text for kind in kinds])
    matrices = view.page.locator(".alignment")
    expect(matrices).to_have_count(3)
    expect(matrices.nth(2).locator("g.column").first).to_contain_text("2019년")
    shoot(view.page, "seq2seq_scores")


def test_the_page_opens_with_an_everyday_sentence(talk: Any) -> None:
    view = talk("")
    expect(view.box).to_have_value("나는 모니터입니다.")
    expect(view.said).to_have_text("I am a monitor.")
    view.page.get_by_role("button", name="넌 누구니?").click()
    expect(view.said).to_have_text("Who are you?")
    expect(view.matrix.locator("g.row").first).to_contain_text("Who")
    shoot(view.page, "seq2seq_everyday")


def test_typed_korean_is_translated(talk: Any) -> None:
    view = talk()
    view.shows(own(TEXT))
    view.say("4월 2일")
    view.shows(own("4월 2일"))
    expect(view.page).to_have_url(re.compile("text="))
    assert "4월 2일" in unquote(view.page.url).replace("+", " ")
    view.box.fill("5월 1일")
    view.page.get_by_role("button", name="Translate").click()
    view.shows(own("5월 1일"))
    view.page.get_by_role("button", name=OTHER).click()
    view.shows(own(OTHER))


def test_the_sentence_travels_and_another_corpus_brings_its_own(talk: Any) -> None:
    view = talk()
    view.say("4월 2일")
    view.shows(own("4월 2일"))
    view.page.get_by_role("link", name="RNN to Seq2Seq").first.click()
    expect(view.page.get_by_role("heading", level=1)).to_have_text("RNN to Seq2Seq")
    expect(view.box).to_have_value("4월 2일")
    view.page.get_by_role("link", name="Seq2Seq with attention").first.click()
    view = Talking(view.visit)
    view.shows(own("4월 2일"))
    expect(view.box).to_have_value("4월 2일")
    view.page.get_by_role("combobox", name="Sentences").click()
    view.page.get_by_role("option", name="Everyday sentences, English to Korean").click()
    expect(view.page.get_by_label("English sentence")).to_have_value("I am a monitor.")
    expect(view.said).to_have_text(re.compile("모니터"))
    assert "text=" not in view.page.url


def test_an_input_method_can_compose(talk: Any) -> None:
    view = talk()
    view.box.fill("")
    view.box.focus()
    keys = view.page.context.new_cdp_session(view.page)
    for letters in ("ㅅ", "사", "삼"):
        keys.send(
            "Input.imeSetComposition",
            {"text": letters, "selectionStart": 1, "selectionEnd": 1},
        )
    keys.send("Input.insertText", {"text": "3월"})
    keys.send("Input.insertText", {"text": " 9일"})
    view.box.press("Enter")
    view.shows(own("3월 9일"))


def test_hover_says_what_is_looked_at_without_a_message(talk: Any) -> None:
    view, found = talk(), own(TEXT)
    view.visit.reset()
    row = found.target.index("March")
    column = int(found.weights[row].argmax())
    view.cell(row, column).hover()
    expect(view.status).to_contain_text(f"Target {row} “March”")
    percent = 100 * found.weights[row, column]
    expect(view.status).to_contain_text(f"gives {column} “{found.source[column]}” {percent:.1f} %")
    view.page.wait_for_timeout(300)  # time for a message that must not come
    assert view.visit.frames == 0


def test_a_pinned_cell_shows_its_row_and_is_linked(talk: Any) -> None:
    view, found = talk(), own(TEXT)
    view.visit.reset()
    view.cell(2, 5).click()
    expect(view.page.get_by_text(f"2 “{found.target[2]}” looks most at")).to_be_visible()
    idle(view.page)
    assert view.visit.bytes <= CLICK
    shown = view.page.locator("table.values tbody tr").first.inner_text().split("\t")
    assert float(shown[1]) == pytest.approx(found.weights[2].max(), abs=2e-6)
    expect(view.page).to_have_url(re.compile(r"cell=2\.5"))
    shoot(view.page, "seq2seq_pinned")
    view.page.reload()
    again = Talking(view.visit)
    expect(again.status).to_contain_text("Pinned.")


def test_the_score_can_be_switched(talk: Any) -> None:
    view = talk()
    for kind in ("dot", "bilinear"):
        view.page.locator(".st-key-score").get_by_text(kind, exact=True).click()
        expect(view.page).to_have_url(re.compile(f"score={kind}"))
        idle(view.page)
        view.page.wait_for_timeout(200)
        view.shows(own(TEXT, kind))


def test_words_and_sampling(talk: Any) -> None:
    view = talk()
    view.page.locator(".st-key-units").get_by_text("words", exact=True).click()
    expect(view.matrix.locator("g.column")).to_have_count(5)
    view.page.locator(".st-key-decoding").get_by_text("sampled", exact=True).click()
    expect(view.page.get_by_role("slider", name="Temperature")).to_be_visible()
    expect(view.page).to_have_url(re.compile("decoding=sampled"))
    expect(view.page.get_by_text("sampled, 1, seed 0")).to_be_visible()


def test_what_is_no_sentence_leaves_the_page_as_it_was(talk: Any, app: Server) -> None:
    view = talk()
    view.say("   ")
    alert = view.page.get_by_role("alert")
    expect(alert).to_have_count(1)
    expect(alert).to_contain_text("type a few words")
    view.shows(own(TEXT))
    expect(view.box).to_have_value(TEXT)
    view.say("<b>$x$</b> 🙂")
    expect(view.page.get_by_text("read Korean alone")).to_be_visible()
    expect(view.matrix.locator("g.column .mark").first).to_be_attached()
    assert app.healthy() and "Traceback" not in app.output()
    assert not view.visit.complaints


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", ["Alignment", "Scores compared"])
def test_phone(talk: Any, name: str, dark: bool) -> None:
    view = talk(f"corpus={CORPUS}&seq_view={name}", size=PHONE, touch=True, dark=dark)
    assert no_sideways_scroll(view.page)
    view.cell(1, 1).tap()
    expect(view.status).to_contain_text("Target 1")
    shoot(view.page, f"seq2seq_phone_{name}_{'dark' if dark else 'light'}")


def test_dark_mode(talk: Any) -> None:
    view = talk(dark=True)
    shoot(view.page, "seq2seq_dark")
    for part in (".alignment .status", ".said.large", "p.note", "dl.facts dd", "h1"):
        assert contrast(view.page, part) >= 4.5, part
