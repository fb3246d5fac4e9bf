"""The teller in a real browser: its stages and numbers, what moves it, what it reports."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, expect

from app.components.teller import STAGES
from attnviz.figures.theme import colour_table
from tests.browser.demo.tellings import PLACES, TELLINGS
from tests.browser.harness import (
    PHONE,
    Server,
    Visit,
    contrast,
    idle,
    no_sideways_scroll,
    shoot,
)

TOLD, GEOMETRY = TELLINGS["plain"]
LAST = len(TOLD.words) - 1
REST = 6_000  # bytes over the websocket when it comes to rest; a telling has 200 000
REPORTED = 1000  # milliseconds at one place until the page hears of it


class Player:
    """One teller in an open page."""

    def __init__(self, visit: Visit) -> None:
        self.visit, self.page = visit, visit.page
        self.root = self.page.locator(".teller")
        self.sentence, self.formula = self.root.locator(".sentence"), self.root.locator(".formula")
        self.words = self.root.locator(".foot .words")
        expect(self.sentence).not_to_be_empty()
        idle(self.page)

    def at(self, word: int, stage: str) -> None:
        expect(self.root.locator(".where")).to_have_text(re.compile(f"^word {word + 1} of "))
        expect(self.root.locator(".stage[aria-current='step'] span")).to_have_text(stage)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def rests(self, word: int, stage: int) -> None:
        expect(self.page.get_by_text(f"rests at ({word}, {stage})")).to_be_visible()

    def block(self, name: str) -> Locator:
        return self.root.locator(f".block.{name}")

    def point(self, panel: str, row: int, col: int) -> None:
        """The pointer goes to where a cell's centre really is on a map."""
        frame = self.root.locator(f"[data-panel={panel}] .frame")
        frame.scroll_into_view_if_needed()
        box = frame.bounding_box()
        assert box is not None
        down = GEOMETRY.centre[0] + row * GEOMETRY.stride[0]
        right = GEOMETRY.centre[1] + col * GEOMETRY.stride[1]
        self.page.mouse.move(
            box["x"] + right / GEOMETRY.width * box["width"],
            box["y"] + down / GEOMETRY.height * box["height"],
        )

    def exact(self, name: str) -> list[float]:
        """Numbers in the tooltips of a stage, with all their digits."""
        titles = self.block(name).locator("text title").all_text_contents()
        found = [re.fullmatch(r"(?:.*[ =])?(\d\.\d{3,})", title) for title in titles]
        return [float(match[1]) for match in found if match]


@pytest.fixture
def player(demo: Server, visit: Any) -> Any:
    def opened(name: str = "plain", at: str = "", **options: Any) -> Player:
        query = f"?teller={name}" + (f"&at={at}" if at else "")
        return Player(visit(f"{demo.url}/{query}", ready=".teller .chip", **options))

    return opened


def softmax(scores: np.ndarray) -> np.ndarray:
    grown = np.exp(scores.astype(np.float64))
    return grown / grown.sum()


def test_the_first_word_goes_through_all_stages_with_the_numbers_of_the_run(player: Any) -> None:
    view = player()
    view.at(0, "grid")
    expect(view.sentence).to_contain_text("196 annotation vectors of the picture, 256 numbers each")
    cells = view.root.locator("[data-panel=grid] .cells rect")
    expect(cells).to_have_count(196)
    fills = cells.evaluate_all("all => all.map((cell) => cell.getAttribute('fill'))")
    assert fills == [f"rgb({r}, {g}, {b})" for r, g, b in TOLD.grid]
    view.visit.reset()
    view.root.focus()
    view.press("ArrowRight")
    view.at(0, "average")
    expect(view.formula).to_contain_text("n = 196")
    view.press("ArrowRight")
    view.at(0, "state")
    expect(view.formula).to_contain_text("h0 = tanh(W ā + b)")
    expect(view.block("state")).to_contain_text("from ā")
    view.press("ArrowRight")
    view.at(0, "score")
    scores = TOLD.scores[0]
    expect(view.block("score")).to_contain_text(f"{scores.min():.2f}".replace("-", "−"))
    expect(view.block("score")).to_contain_text(f"{scores.max():.2f}")
    row, col = divmod(int(scores.argmax()), 14)
    expect(view.formula).to_contain_text(f"e{row},{col} = {scores.max():.3f}")
    expect(view.block("softmax").locator("[data-panel]")).to_have_count(0)  # not yet
    view.press("ArrowRight")
    view.at(0, "softmax")
    expect(view.block("softmax")).to_contain_text("Σ α = 1.000")
    assert view.exact("softmax") == [pytest.approx(1, abs=1e-5)]
    total = np.exp(scores.astype(np.float64)).sum()
    expect(view.formula).to_contain_text(f"exp({scores.max():.3f}) / {total:.4g} = ")
    view.press("ArrowRight")
    view.at(0, "context")
    heaviest = np.sort(TOLD.weights[0])[::-1][:3]
    for weight in heaviest:
        expect(view.block("context")).to_contain_text(f"{weight:.3f} ×")
    view.press("ArrowRight")
    view.at(0, "gate")
    assert view.exact("gate") == [pytest.approx(TOLD.gates[0], abs=1e-6)]
    bar = view.block("gate").locator(".bar")
    assert float(bar.get_attribute("width")) == pytest.approx(96 * TOLD.gates[0], abs=1e-3)
    view.press("ArrowRight")
    view.at(0, "word")
    assert view.exact("word") == pytest.approx(TOLD.chances[0, :5], abs=1e-6)
    expect(view.block("word").locator("text.accent[font-weight='600']").last).to_contain_text("a")
    expect(view.sentence).to_contain_text("Of all words, “a” is the likeliest")
    assert view.visit.frames == 0
    view.rests(0, 7)
    assert view.visit.bytes <= REST and not view.visit.complaints


def test_later_words_begin_with_the_state(player: Any) -> None:
    view = player(at="0.7")
    view.root.focus()
    view.press("ArrowRight")
    view.at(1, "state")
    expect(view.block("state")).to_contain_text("after “a”")
    expect(view.formula).to_contain_text("h1 = LSTM([E y0 ; z1], h0)")
    view.press("ArrowLeft")
    view.at(0, "word")
    view.press("ArrowDown")
    view.root.locator(".stage").nth(1).click()
    view.at(1, "average")
    expect(view.sentence).to_contain_text("needed once")
    view.root.get_by_role("button", name="Stage before").click()
    view.at(1, "grid")
    view.root.get_by_role("button", name="Stage before").click()
    view.at(0, "word")


@pytest.mark.parametrize(("row", "col"), [(4, 10), (0, 0), (13, 13), (6, 2)])
def test_pointing_at_a_cell_tells_its_weight_and_sends_nothing(
    player: Any, row: int, col: int
) -> None:
    view, cell = player(at="4.4"), 14 * row + col
    view.page.wait_for_timeout(REPORTED)
    view.visit.reset()
    view.point("softmax", row, col)
    expect(view.words).to_contain_text(f"cell {row},{col}, score ")
    found = re.search(
        r"score (−?[\d.]+), weight ([\d.]+)(?: × 10\^(−\d+))?", view.words.inner_text()
    )
    assert found is not None
    score = float(found[1].replace("−", "-"))
    shown = float(found[2]) * 10.0 ** int((found[3] or "0").replace("−", "-"))
    assert score == pytest.approx(TOLD.scores[4, cell], abs=6e-4)
    assert shown == pytest.approx(TOLD.weights[4, cell], rel=6e-4)
    assert shown == pytest.approx(softmax(TOLD.scores[4])[cell], rel=1e-3)
    expect(view.formula).to_contain_text(f"α{row},{col} = exp({found[1]})")
    top, left, bottom, right = outlined(view, "score")
    centre = (GEOMETRY.centre[0] + 16 * row, GEOMETRY.centre[1] + 16 * col)
    assert top < centre[0] < bottom and left < centre[1] < right  # the same cell on the other map
    view.page.mouse.move(5, 5)
    expect(view.words).not_to_contain_text("score")
    view.page.wait_for_timeout(REPORTED + 300)
    assert view.visit.frames == 0


def outlined(view: Player, panel: str) -> tuple[float, ...]:
    """Top, left, bottom and right of the cell that is outlined on a map."""
    path = view.root.locator(f"[data-panel={panel}] g.hover path").first.get_attribute("d")
    found = re.fullmatch(r"M([\d.]+) ([\d.]+)H([\d.]+)V([\d.]+)H[\d.]+Z", path or "")
    assert found is not None, path
    left, top, right, bottom = map(float, found.groups())
    return top, left, bottom, right


def test_one_weight_lights_the_cell_whose_centre_is_there(player: Any) -> None:
    view = player("onehot", "1.4")
    rects = view.root.locator("[data-panel=softmax] .cells rect").evaluate_all(
        "all => all.map((r) => [...'x y width height'.split(' ').map((n) => +r.getAttribute(n)), "
        "r.getAttribute('fill')])"
    )
    table = colour_table("viridis")
    names = {end: "rgb({}, {}, {})".format(*table[end]) for end in (0, 255)}
    lit = [rect for rect in rects if rect[4] == names[255]]
    assert len(lit) == 1 and {rect[4] for rect in rects} == set(names.values())
    x, y, width, height, _ = lit[0]
    row, col = PLACES[1]
    assert (x + width / 2, y + height / 2) == (9 + 16 * col, 9 + 16 * row)
    assert max(x + width for x, _, width, _, _ in rects) == 224  # the last reach to the edge
    view.point("softmax", row, col)
    expect(view.formula).to_contain_text(f"α{row},{col} = exp(0.000) / 1 = 1")


def test_numbers_of_vectors_and_the_cells_they_come_from(player: Any) -> None:
    view = player(at="2.5")
    tile = view.root.locator("[data-block=averages] rect")
    box = tile.bounding_box()
    assert box is not None
    best = int(np.argmax(TOLD.averages[2]))
    line, place = divmod(best, 16)
    view.page.mouse.move(
        box["x"] + (place + 0.5) * box["width"] / 16, box["y"] + (line + 0.5) * box["height"] / 16
    )
    expect(view.words).to_contain_text(f"c, what is seen, number {best}:")
    shares = TOLD.weights[2] * TOLD.annotations[:, best]
    row, col = divmod(int(shares.argmax()), 14)
    expect(view.words).to_contain_text(f"from {row},{col} (")
    state = view.root.locator("[data-block=states] rect").bounding_box()
    assert state is not None
    view.page.mouse.move(state["x"] + 1, state["y"] + 1)
    expect(view.words).to_contain_text("h_2, the state, number 0:")
    shown = float(view.words.inner_text().split()[-1].replace("−", "-"))
    assert shown == pytest.approx(TOLD.states[1, 0], abs=0.02)  # after the second word


def test_playing_can_be_paused_stops_at_the_end_and_begins_again(player: Any) -> None:
    view = player(at=f"{LAST}.5")
    view.page.wait_for_timeout(REPORTED)
    view.visit.reset()
    view.root.get_by_role("button", name="Play").click()
    view.at(LAST, "gate")
    view.root.get_by_role("button", name="Pause").click()
    view.rests(LAST, 6)
    view.page.wait_for_timeout(3500)  # longer than a stage lasts
    view.at(LAST, "gate")
    view.root.get_by_role("button", name="Play").click()
    view.at(LAST, "word")
    expect(view.sentence).to_contain_text("Here the caption ends.")
    expect(view.root.get_by_role("button", name="Play")).to_be_visible()
    view.rests(LAST, 7)
    assert view.visit.bytes <= 2 * REST
    view.root.get_by_role("button", name="Play").click()
    view.at(0, "grid")


def test_a_word_the_slider_or_a_name_in_the_picture_jumps(player: Any) -> None:
    view = player(at="1.4")
    view.at(1, "softmax")
    view.root.locator(".chip").nth(5).click()
    view.at(5, "softmax")
    view.rests(5, 4)
    view.root.get_by_role("slider").press("ArrowLeft")
    view.at(4, "softmax")
    view.root.locator("[data-go='6']").click()
    view.at(4, "gate")
    view.rests(4, 6)
    view.page.get_by_role("combobox").click()
    view.page.get_by_role("option", name="long").click()
    view.at(0, "grid")  # another caption
    expect(view.root.locator(".chip")).to_have_count(24)


def test_keys_go_over_words_and_cells(player: Any) -> None:
    view = player(at="1.4")
    view.root.focus()
    view.press("End")
    view.at(LAST, "softmax")
    view.press("Home", "ArrowDown")
    view.at(1, "softmax")
    row, col = divmod(int(TOLD.weights[1].argmax()), 14)
    view.press("Shift+ArrowRight")
    expect(view.words).to_contain_text(f"cell {row},{col},")
    view.press("Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowLeft")
    expect(view.words).to_contain_text(f"cell {row + 2},{col - 1},")
    view.at(1, "softmax")
    view.press("Escape")
    expect(view.words).to_contain_text("one square for each number")
    view.press("Space")
    expect(view.root.get_by_role("button", name="Pause")).to_be_visible()


@pytest.mark.parametrize(
    ("name", "formula"),
    [("plain", "ei = vT tanh(W h + U ai)"), ("bilinear", "ei = hT W bi"), ("hard", "ei = h · ai")],
)
def test_the_formula_is_that_of_the_score(player: Any, name: str, formula: str) -> None:
    view = player(name, "1.3")
    expect(view.formula).to_contain_text(formula)
    if name == "bilinear":
        expect(view.sentence).to_contain_text("shallower features of the same cells")


def test_hard_attention_takes_one_cell(player: Any) -> None:
    view = player("hard", "2.5")
    best = "{},{}".format(*divmod(int(TELLINGS["hard"][0].weights[2].argmax()), 14))
    expect(view.sentence).to_contain_text(f"the likeliest cell alone: what is seen is cell {best}")
    expect(view.formula).to_contain_text(f"c = a{best}")
    expect(view.root.locator("[data-block=annotations]")).to_have_count(1)
    tiles = [view.root.locator(f"[data-block={b}] image") for b in ("annotations", "averages")]
    assert tiles[0].get_attribute("href") == tiles[1].get_attribute("href")


def test_a_word_that_is_not_the_likeliest_is_marked_where_it_stands(player: Any) -> None:
    view = player("unlikely", "1.7")
    expect(view.sentence).to_contain_text("“red” was said, at ")
    expect(view.block("word").locator("text.accent[font-weight='600']").last).to_contain_text("red")
    view.root.locator(".chip").nth(2).click()
    expect(view.sentence).to_contain_text("at < 0.1 %")
    said = view.block("word").locator("text.accent[font-weight='600']").last
    expect(said).to_contain_text("<b>ball</b>")
    assert view.root.locator("b b").count() == 0 and not view.visit.complaints


def test_less_movement_is_respected(player: Any) -> None:
    view = player(at="0.4")
    moving = "root => root.getAnimations({ subtree: true }).length"
    view.root.locator(".on").click()
    assert view.root.evaluate(moving) > 0
    view.page.emulate_media(reduced_motion="reduce")
    view.root.locator(".on").click()
    view.at(0, "gate")
    assert view.root.evaluate(moving) == 0


def test_downloads(player: Any) -> None:
    view = player(at="2.7")
    for kind in ("png", "svg"):
        with view.page.expect_download() as coming:
            view.root.locator(f".files .{kind}").click()
        assert coming.value.suggested_filename == f"demo-2-word.{kind}"
        data = coming.value.path().read_bytes()
        if kind == "png":
            image = np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)
            assert image.shape[1] > 2000
            # The picture is in it: reddish where the ball is on the map of weights.
            ball, sky = image[2 * 287, 2 * 885], image[2 * 169, 2 * 836]
            assert ball[0] - ball[2] > sky[0] - sky[2] + 30
        else:
            text = "".join(ElementTree.fromstring(data).itertext())
            assert "a red <b>ball</b>" in text and "8 word" in text


@pytest.mark.parametrize("dark", [False, True])
def test_both_screens_and_themes(player: Any, dark: bool) -> None:
    wide = player("bilinear", "3.7", dark=dark, size=(1440, 900))
    shoot(wide.page, f"teller_{'dark' if dark else 'light'}")
    parts = (".sentence", ".chip.ahead span", ".stage span", ".where", ".block .quiet")
    for part in parts:
        assert contrast(wide.page, f".teller {part}") >= 4.5, part
    last = wide.block("word").bounding_box()
    assert last is not None and last["y"] + last["height"] < 900  # all of it on one screen
    phone = player(size=PHONE, touch=True, dark=dark)
    assert no_sideways_scroll(phone.page)
    box = phone.root.bounding_box()
    assert box is not None
    for text in phone.root.locator(".board text").all():
        place = text.bounding_box()
        assert place is not None and place["x"] + place["width"] <= box["x"] + box["width"] + 1


def test_on_a_phone_what_is_said_stays_in_sight(player: Any) -> None:
    view = player(size=PHONE, touch=True)
    for stage in STAGES[1:]:
        view.root.get_by_role("button", name="Stage after").tap()
        view.at(0, stage)
        view.page.wait_for_timeout(700)  # scrolling
        guide = view.root.locator(".guide").bounding_box()
        block = view.block(stage).bounding_box()
        assert guide is not None and block is not None
        assert guide["y"] + guide["height"] <= PHONE[1]
        assert block["y"] >= 0 and block["y"] + block["height"] <= guide["y"] + 12, stage
    shoot(view.page, "teller_phone")
    view.root.locator("[data-panel=softmax] .frame").tap()
    expect(view.words).to_contain_text(re.compile(r"^cell \d+,\d+, score"))
