"""The page "Transformer" as a visitor uses it, with the bundled Transformer of dates."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, expect

from attnviz import zoo
from attnviz.inside import Inside, look_inside
from attnviz.text import Tokeniser
from attnviz.translation import Translation, translate
from tests.browser.harness import (
    PHONE,
    Server,
    Visit,
    contrast,
    idle,
    no_sideways_scroll,
    shoot,
)

TEXT = "2026년 3월 9일 월요일"
SUBJECT = f"corpus=dates_ko_en&text={TEXT}"
READY = {
    "Heads": ".headview .token",
    "Step by step": ".writer .given li",
    "Inside": ".js-plotly-plot",
    "Every layer": ".js-plotly-plot",
}
REST = 12_000  # bytes over the websocket when the player comes to rest


def own(text: str = TEXT) -> tuple[Translation, Inside]:
    """The same by the library alone."""
    model, tokeniser = zoo.load("dates_ko_en_transformer", "cpu"), Tokeniser.load("dates")
    found = translate(model, tokeniser, text)
    return found, look_inside(model, tokeniser, text, found.ids)


@pytest.fixture
def opened(app: Server, visit: Any) -> Any:
    def found(view: str = "Heads", query: str = "", **options: Any) -> Visit:
        address = f"{app.url}/transformer?{SUBJECT}&tf_view={view}&{query}"
        return visit(address, ready=READY[view], **options)

    return found


class Player:
    """The page, open at the player."""

    def __init__(self, visit: Visit) -> None:
        self.visit, self.page = visit, visit.page
        self.root = self.page.locator(".writer")
        self.clock, self.status = self.root.locator(".clock"), self.root.locator(".status")
        expect(self.status).not_to_be_empty()
        idle(self.page)

    def at(self, step: int) -> None:
        expect(self.clock).to_have_text(re.compile(rf"^step {step} of "))

    def shares(self, row: str) -> list[str]:
        return self.root.locator(f".{row} li em").all_text_contents()


def words(weight: float) -> str:
    return "< 0.1 %" if 0 < weight < 0.001 else f"{100 * weight:.1f} %"


def drawn(root: Locator, kind: str) -> int:
    return root.locator(f".lines path.{kind}").count()


def test_lines_follow_the_hover_without_a_message(opened: Any) -> None:
    visit = opened()
    page, root = visit.page, visit.page.locator(".headview")
    expect(root.locator(".token").first).to_be_visible()
    idle(page)
    page.mouse.move(1, 1)
    page.wait_for_timeout(300)
    visit.reset()
    pair, inside = root.locator(".pair"), own()[1]
    best = int(inside.weights("cross")[4, 3, 1].argmax())
    before = pair.screenshot()
    root.locator(".queries .token").nth(1).hover()
    expect(root.locator(".status")).to_contain_text(f"1 “{inside.target[1]}”")
    expect(root.locator(".status")).to_contain_text(f"most at {best} “{inside.source[best]}”")
    assert pair.screenshot() != before
    page.mouse.move(1, 1)
    expect(root.locator(".status")).not_to_contain_text(f"1 “{inside.target[1]}”")
    assert visit.frames == 0 and not visit.complaints


def test_a_sentence_is_typed_and_translated(opened: Any) -> None:
    visit = opened()
    page = visit.page
    expect(page.locator(".said.large")).to_have_text("Monday, March 9, 2026")
    page.get_by_role("textbox", name="Korean sentence").fill("2024년 5월 2일 목요일")
    page.get_by_role("button", name="Translate").click()
    expect(page.locator(".said.large")).to_have_text("Thursday, May 2, 2024")
    idle(page)
    for piece in own("2024년 5월 2일 목요일")[1].source:
        expect(page.locator(".headview .keys")).to_contain_text(piece)
    assert not visit.complaints


def test_steps_show_the_numbers_of_the_run_without_a_message(opened: Any) -> None:
    view, (found, inside) = Player(opened("Step by step", "tf_step=1.2")), own()
    view.at(1)
    view.visit.reset()
    view.root.focus()
    view.page.keyboard.press("ArrowRight")
    view.page.keyboard.press("ArrowRight")
    view.page.keyboard.press("ArrowUp")
    view.at(3)
    cross, looked = inside.weights("cross").mean(1)[3, 3], inside.weights("decoder").mean(1)[3, 3]
    assert view.shares("source") == [words(round(w * 65535) / 65535) for w in cross]
    given = [words(round(w * 65535) / 65535) for w in looked[:4]]
    assert view.shares("given") == given + ["hidden"] * (len(inside.inputs) - 4)
    assert drawn(view.root, "cross") == int((np.round(cross * 65535) / 65535 >= 0.02).sum())
    assert drawn(view.root, "own") == int((looked[:3] >= 0.02).sum())
    chosen = view.root.locator(".candidates .picked")
    expect(chosen).to_contain_text(inside.target[3])
    expect(chosen).to_contain_text(words(float(found.probabilities[3])))
    view.root.locator(".given li").nth(5).hover()
    expect(view.status).to_contain_text("it comes later, its weight is exactly 0")
    view.root.locator(".source li").nth(2).hover()
    expect(view.status).to_contain_text(f"2 {inside.source[2]} with {words(float(cross[2]))}")
    assert view.visit.frames == 0
    shoot(view.page, "transformer_steps")
    expect(view.page).to_have_url(re.compile(r"tf_step=3\.3"))  # at rest it goes into the link
    idle(view.page)
    assert view.visit.bytes <= REST and not view.visit.complaints
    view.page.reload()
    Player(view.visit).at(3)


def test_playing_goes_to_the_end_and_sends_nothing_on_its_way(opened: Any) -> None:
    last = len(own()[0].ids) - 1
    view = Player(opened("Step by step", f"tf_step={last - 3}.4"))
    view.at(last - 3)
    view.visit.reset()
    view.root.get_by_role("button", name="Play").click()
    view.at(last - 1)
    assert view.visit.frames == 0
    view.at(last)
    expect(view.root.locator(".said")).to_have_text("Monday, March 9, 2026")
    expect(view.root.locator(".play")).to_have_text("Play")
    expect(view.page).to_have_url(re.compile(rf"tf_step={last}\.4"))
    view.root.get_by_role("button", name="Play").click()  # from the end, again from the start
    view.at(0)
    expect(view.root.locator(".given .hidden")).to_have_count(last)
    view.root.get_by_role("button", name="Pause").click()
    assert not view.visit.complaints


def test_a_step_can_be_saved(opened: Any) -> None:
    view, inside = Player(opened("Step by step", "tf_step=2.1")), own()[1]
    saved = {}
    for kind in ("png", "svg"):
        with view.page.expect_download() as download:
            view.root.locator(f".files .{kind}").click()
        saved[kind] = download.value.path().read_bytes()
    with Image.open(io.BytesIO(saved["png"])) as image:
        assert image.width > 600
    said = " ".join(ElementTree.fromstring(saved["svg"]).itertext())
    assert "step 2, layer 1" in said and f"1 {inside.source[1]}" in said


def test_another_view_and_back_keeps_the_sentence_and_the_step(opened: Any) -> None:
    view = Player(opened("Step by step", "tf_step=2.1"))
    page = view.page
    page.get_by_role("radio", name="Every layer").click()
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    page.get_by_role("radio", name="Step by step").click()
    Player(view.visit).at(2)
    expect(page.get_by_role("textbox", name="Korean sentence")).to_have_value(TEXT)


@pytest.mark.parametrize("view", READY)
def test_phone(opened: Any, view: str) -> None:
    visit = opened(view, size=PHONE, touch=True)
    assert no_sideways_scroll(visit.page) and not visit.complaints
    shoot(visit.page, f"transformer_phone_{view}")


@pytest.mark.parametrize("dark", [False, True])
def test_the_player_is_readable(opened: Any, dark: bool) -> None:
    page = opened("Step by step", dark=dark).page
    for part in (".writer .tokens em", ".writer li.hidden b", ".writer .clock", ".candidates em"):
        assert contrast(page, part) >= 4.5, part
    shoot(page, f"transformer_steps_{'dark' if dark else 'light'}")
