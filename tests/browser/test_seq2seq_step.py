"""The step player as a visitor plays it, with the bundled translators of dates."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ElementTree
from typing import Any
from urllib.parse import quote

import pytest
from PIL import Image
from playwright.sync_api import expect

from attnviz import zoo
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

CORPUS, TEXT = "dates_ko_en", "2026년 3월 9일 월요일"
REST = 12_000  # bytes over the websocket when the player comes to rest


def own(text: str = TEXT, kind: str = "mlp") -> Translation:
    """The same by the library alone."""
    card = zoo.card(f"{CORPUS}_{kind}")
    return translate(zoo.load(card.name, "cpu"), Tokeniser.load(card.tokeniser), text)


class Player:
    """The page, open at the player."""

    def __init__(self, visit: Visit) -> None:
        self.visit, self.page = visit, visit.page
        self.root = self.page.locator(".stepper")
        self.sentence = self.root.locator(".sentence")
        self.formula = self.root.locator(".formula")
        expect(self.sentence).not_to_be_empty()
        idle(self.page)

    def at(self, step: int, stage: str) -> None:
        expect(self.root.locator(".where")).to_have_text(f"step {step}")
        expect(self.root.locator(".stage[aria-current='step'] span")).to_have_text(stage)

    def numbers(self, row: str) -> list[str]:
        """What is written under the source pieces in a row."""
        texts = self.root.locator(f".columns .{row} text")
        return [text for text in texts.all_text_contents() if re.search(r"\d", text)]

    def exact(self, row: str) -> list[float]:
        """The same as the tooltips have it."""
        titles = self.root.locator(f".columns .{row} text title").all_text_contents()
        return [float(title.split("= ")[1]) for title in titles]


@pytest.fixture
def player(app: Server, visit: Any) -> Any:
    def opened(query: str = "", text: str = TEXT, **options: Any) -> Player:
        address = f"{app.url}/seq2seq?corpus={CORPUS}&seq_view=One+step&text={quote(text)}{query}"
        return Player(visit(address, ready=".stepper .chip", **options))

    return opened


def test_the_stages_show_the_numbers_of_the_run_without_a_message(player: Any) -> None:
    view, found = player(), own()
    view.at(0, "scores")
    view.visit.reset()
    view.root.focus()
    view.page.keyboard.press("ArrowDown")
    view.page.keyboard.press("ArrowDown")
    view.at(2, "scores")
    assert view.exact("scores") == pytest.approx(found.stages["attention.scores"][2], abs=1e-4)
    assert not view.numbers("softmax")
    view.page.keyboard.press("ArrowRight")
    view.at(2, "softmax")
    assert view.exact("softmax") == pytest.approx(found.weights[2], abs=1e-6)
    shown = [float(re.match(r"\d\.\d{3}", text)[0]) for text in view.numbers("softmax")]
    assert shown == [pytest.approx(weight, abs=6e-4) for weight in found.weights[2]]
    expect(view.root.locator(".rail")).to_contain_text("Σ 1.000")
    for stage in ("context", "concatenation", "prediction"):
        view.page.keyboard.press("ArrowRight")
        view.at(2, stage)
    rows = view.root.locator(".after .prediction")
    expect(rows).to_contain_text(found.target[2])
    expect(rows).to_contain_text("next input")
    expect(view.sentence).to_contain_text(f"“{found.target[2]}” is the likeliest")
    assert view.visit.frames == 0
    shoot(view.page, "step_prediction")
    expect(view.page).to_have_url(re.compile(r"stage=2\.4"))  # at rest it goes into the link
    idle(view.page)
    assert view.visit.bytes <= REST and not view.visit.complaints


def test_playing_goes_over_stages_and_steps_and_can_be_paused(player: Any) -> None:
    view = player("&stage=0.3")
    view.at(0, "concatenation")
    view.visit.reset()
    view.root.get_by_role("button", name="Play").click()
    view.at(0, "prediction")
    view.at(1, "scores")
    assert view.visit.frames == 0
    view.root.get_by_role("button", name="Pause").click()
    expect(view.page).to_have_url(re.compile(r"stage=1\.0"))
    view.page.wait_for_timeout(3500)  # longer than a stage lasts
    view.at(1, "scores")
    view.root.focus()
    view.page.keyboard.press("End")
    for _ in range(5):
        view.page.keyboard.press("ArrowRight")
    view.at(len(own().ids) - 1, "prediction")  # and there it stays
    expect(view.sentence).to_contain_text("Here the translation ends.")


def test_a_piece_or_the_slider_chooses_the_step_and_a_link_restores_it(player: Any) -> None:
    view = player("&stage=3.1")
    view.at(3, "softmax")
    view.root.locator(".chip").nth(5).click()
    view.at(5, "softmax")
    view.root.get_by_role("slider").press("ArrowLeft")
    view.at(4, "softmax")
    view.root.get_by_role("button", name="Stage before").click()
    view.at(4, "scores")
    view.root.locator(".stage").nth(2).click()
    view.at(4, "context")
    expect(view.page).to_have_url(re.compile(r"stage=4\.2"))
    view.page.reload()
    Player(view.visit).at(4, "context")


def test_pointing_tells_numbers(player: Any) -> None:
    view, found = player("&stage=2.1"), own()
    column = view.root.locator("[data-column='4']")
    box = column.bounding_box()
    assert box is not None
    view.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 70)
    expect(view.formula).to_contain_text(f"= {found.weights[2, 4]:.3f}")
    expect(view.root.locator(".foot .words")).to_have_text(
        re.compile(r"h_4, .*number \d+: [≤≥]? ?−?\d\.\d\d")
    )


@pytest.mark.parametrize(("kind", "formula"), [("dot", "sT hi"), ("bilinear", "sT W hi")])
def test_the_formula_is_that_of_the_score(player: Any, kind: str, formula: str) -> None:
    view = player(f"&score={kind}")
    expect(view.formula).to_contain_text(f"ei = {formula}")
    expect(view.formula.locator("i.accent").first).to_have_text("e")
    scores = own(kind=kind).stages["attention.scores"][0]
    assert view.exact("scores") == pytest.approx(scores, abs=1e-4)


def test_less_movement_is_respected(player: Any) -> None:
    view = player("&stage=0.1")
    moving = "root => root.getAnimations({ subtree: true }).length"
    view.root.locator(".on").click()
    assert view.root.evaluate(moving) > 0
    view.page.emulate_media(reduced_motion="reduce")
    view.root.locator(".on").click()
    view.at(0, "concatenation")
    assert view.root.evaluate(moving) == 0


def test_markup_and_unknown_pieces_are_shown_as_they_are(player: Any) -> None:
    view = player(text="<b>$x$ <unk> 🙂")
    shown = "".join(view.root.locator(".columns .head text title").all_text_contents())
    assert "<" in shown and "$" in shown and view.root.locator("b b, unk").count() == 0
    expect(view.root.locator(".columns .head")).to_contain_text("🙂")
    assert view.root.locator(".head [text-decoration='underline dotted']").count() > 0
    assert not view.visit.complaints


def test_downloads(player: Any) -> None:
    view = player("&stage=2.4")
    for kind in ("png", "svg"):
        with view.page.expect_download() as coming:
            view.root.locator(f".files .{kind}").click()
        assert coming.value.suggested_filename == f"{CORPUS}_mlp-step-2-prediction.{kind}"
        data = coming.value.path().read_bytes()
        if kind == "png":
            assert Image.open(io.BytesIO(data)).size[0] >= 900
        else:
            text = "".join(ElementTree.fromstring(data).itertext())
            assert "월요일" in text and own().target[2] in text


@pytest.mark.parametrize("dark", [False, True])
def test_both_screens_and_themes(player: Any, dark: bool) -> None:
    wide = player("&stage=2.2", dark=dark, size=(1440, 900))
    shoot(wide.page, f"step_{'dark' if dark else 'light'}")
    for part in (".sentence", ".chip.ahead span", ".stage span", ".where", ".foot .words"):
        assert contrast(wide.page, f".stepper {part}") >= 4.5, part
    phone = player("&stage=2.4", size=PHONE, touch=True, dark=dark)
    assert no_sideways_scroll(phone.page)
    best = phone.root.locator(".columns .head text").nth(0)
    expect(best).to_be_attached()
    shoot(phone.page, f"step_phone_{'dark' if dark else 'light'}")
