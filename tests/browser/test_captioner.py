"""The captioner in a real browser: where maps are drawn, what moves them, what is reported."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, expect

from attnviz.analysis import upsample
from attnviz.figures.theme import colour_table
from tests.browser.demo.captions import CAPTIONS, Caption
from tests.browser.harness import (
    PHONE,
    Server,
    Visit,
    contrast,
    idle,
    no_sideways_scroll,
    pixels,
    redrawn,
    shoot,
)

BUDGET = 3_000  # bytes over the websocket for one pick; the picture and the maps are 20 000

Cell = tuple[int, int]


class Player:
    """One captioner in an open page."""

    def __init__(self, visit: Visit, case: Caption) -> None:
        self.visit, self.page, self.case = visit, visit.page, case
        self.root = self.page.locator(".captioner")
        self.view, self.map = self.root.locator(".view"), self.root.locator(".map")
        self.words, self.frames = (
            self.root.locator(".said button"),
            self.root.locator(".frames button"),
        )
        self.status, self.play = self.root.locator(".status"), self.root.locator(".play")
        expect(self.words).to_have_count(len(case.words))
        idle(self.page)

    def tool(self, name: str) -> Locator:
        return self.root.get_by_role("button", name=name, exact=True)

    def bytes(self) -> np.ndarray:
        """The drawn map back from colours to bytes, (height, width)."""
        codes = colour_table("viridis") @ [1 << 16, 1 << 8, 1]
        order = codes.argsort()
        drawn = pixels(self.map)[..., :3] @ [1 << 16, 1 << 8, 1]
        return order[np.searchsorted(codes[order], drawn)]

    def centre(self, row: int, col: int) -> tuple[float, float]:
        """Where a cell really looks, (down, right) in pixels of what the model saw."""
        geometry = self.case.geometry
        down = geometry.centre[0] + row * geometry.stride[0]
        return down, geometry.centre[1] + col * geometry.stride[1]

    def point(self, row: int, col: int) -> tuple[float, float]:
        """The same on the screen, (x, y); a little inside, where that is the picture's edge."""
        self.view.scroll_into_view_if_needed()
        box = self.view.bounding_box()
        assert box is not None
        down, right = self.centre(row, col)
        x = box["x"] + right / self.case.geometry.width * box["width"]
        return x, box["y"] + down / self.case.geometry.height * box["height"]

    def over(self, row: int, col: int) -> None:
        self.page.mouse.move(*self.point(row, col))

    def drag(self, *cells: Cell) -> None:
        self.over(*cells[0])
        self.page.mouse.down()
        for cell in cells[1:]:
            self.over(*cell)
        self.page.mouse.up()

    def away(self) -> None:
        self.page.mouse.move(2, 2)

    def current(self, step: int) -> None:
        """The word that is shown is this one, above, below and on the slider."""
        for row in (self.words, self.frames):
            expect(row.nth(step)).to_have_class(re.compile(r"\bcurrent\b"))
        expect(self.root.locator(".said .current")).to_have_count(1)
        expect(self.root.locator("input")).to_have_value(str(step))

    def picked(self, said: str, reports: int) -> None:
        """What the server has, and that it heard no more than that."""
        expect(self.page.get_by_text(f"picked {said}, {reports} reports")).to_be_visible()
        idle(self.page)
        self.page.wait_for_timeout(150)  # time for another report, which must not come
        expect(self.page.get_by_text(f"picked {said}, {reports} reports")).to_be_visible()

    def marked(self) -> str:
        return self.root.locator(".marks > path").get_attribute("d") or ""


@pytest.fixture
def player(demo: Server, visit: Any) -> Any:
    def opened(name: str = "plain", more: str = "", **options: Any) -> Player:
        address = f"{demo.url}/?captioner={name}{more}"
        return Player(visit(address, ready=".captioner .said button", **options), CAPTIONS[name])

    return opened


@pytest.mark.parametrize("name", ["alone", "sharp"])
def test_a_word_that_looks_at_one_cell_is_drawn_where_that_cell_sees(
    player: Any, name: str
) -> None:
    view = player(name)
    stride = view.case.geometry.stride[0]
    for step in (1, 4, 6):
        view.words.nth(step).hover()
        view.current(step)
        found = view.bytes().astype(float)
        down, right = view.centre(*view.case.peak(step))
        assert found[int(down), int(right)] == found.max() >= 235
        rows, cols = np.indices(found.shape) + 0.5
        middle = [(axis * found).sum() / found.sum() for axis in (rows, cols)]
        assert middle == pytest.approx([down, right], abs=0.3)
        share = (found > 127).sum() / stride**2
        assert share == 1 if name == "sharp" else 0.2 < share < 0.8
    expect(view.status).to_contain_text("row 8, column 8 (100 %)")
    wanted = "true" if name == "sharp" else "false"
    expect(view.tool("14 × 14 cells")).to_have_attribute("aria-pressed", wanted)


def test_hovering_draws_every_words_own_map_and_sends_nothing(player: Any) -> None:
    view = player()
    view.current(1)  # what the page rests at
    view.visit.reset()
    weights = view.case.told.weights
    for step in (0, 3, 7, 9):
        view.words.nth(step).hover()
        view.current(step)
        wanted = upsample(weights[step].astype(float), view.case.geometry, "smooth")
        assert np.abs(view.bytes() - wanted).max() <= 4
        word = view.case.words[step]
        row, col = view.case.peak(step)
        expect(view.status).to_contain_text(f"“{word}” looks most at row {row}, column {col}")
    view.frames.nth(3).hover()
    view.current(3)
    view.away()
    view.current(1)
    assert view.visit.frames == 0


def test_words_are_shown_as_they_are_with_their_chances_and_gates(player: Any) -> None:
    view = player("given")
    told = view.case.told
    texts = [text.split("\n") for text in view.words.all_inner_texts()]
    assert [text[0] for text in texts] == list(view.case.words)
    assert [text[-1] for text in texts] == [f"β {gate:.2f}" for gate in told.gates]
    chances = view.words.evaluate_all(
        "all => all.map((word) => word.style.getPropertyValue('--chance'))"
    )
    assert [float(chance) for chance in chances] == pytest.approx(
        list(told.probabilities), abs=1e-5
    )
    expect(view.root.locator(".said .forced")).to_have_count(2)
    view.words.nth(1).hover()
    expect(view.status).to_contain_text("; the word is given")
    view.words.nth(2).hover()
    expect(view.status).to_contain_text("; where it looks is given")
    assert view.root.locator("b, i:not(:empty)").count() == 0  # markup stays text


def test_the_peak_of_a_word_wears_a_ring(player: Any) -> None:
    view = player()
    for step in (3, 6):
        view.words.nth(step).hover()
        view.current(step)
        ring = view.root.locator(".marks .peak").bounding_box()
        assert ring is not None
        x, y = view.point(*view.case.peak(step))
        assert ring["x"] + ring["width"] / 2 == pytest.approx(x, abs=1)
        assert ring["y"] + ring["height"] / 2 == pytest.approx(y, abs=1)
        assert 15 < ring["width"] < 40


def test_a_cell_shades_the_words_that_looked_there(player: Any) -> None:
    view = player()
    maps = view.case.told.weights[:, 8, 4].astype(float)  # the ball's peak
    view.visit.reset()
    view.over(8, 4)
    ball = round(float(maps[1] / 255 * view.case.vmax * 100), 1)
    expect(view.status).to_have_text(re.compile(rf"^Row 8, column 4: <b>ball</b> {ball} % · "))
    tints = view.words.evaluate_all(
        "all => all.map((word) => Number(getComputedStyle(word).getPropertyValue('--here')))"
    )
    assert np.square(tints) * 255 == pytest.approx(maps, abs=1e-3)
    backs = view.words.evaluate_all(
        "all => all.map((word) => getComputedStyle(word).backgroundColor)"
    )
    assert backs[1] != backs[9]
    view.over(0, 13)
    expect(view.status).to_contain_text("Row 0, column 13: no word looked here.")
    view.away()
    expect(view.status).to_contain_text("Hover a word to see where it looked")
    assert view.visit.frames == 0


def test_playing_goes_from_word_to_word_and_stops_at_the_end(player: Any) -> None:
    view = player()
    view.visit.reset()
    before = pixels(view.map)
    view.play.click()
    view.current(0)
    expect(view.play).to_have_attribute("aria-label", "Pause")
    view.current(1)
    redrawn(view.map, before)
    view.play.click()  # pauses
    expect(view.play).to_have_attribute("aria-label", "Play")
    view.page.wait_for_timeout(1500)
    held = int(view.root.locator("input").input_value())
    assert held <= 2
    last = len(view.case.words) - 1
    view.play.click()
    view.current(held)  # goes on from there
    view.current(last)
    expect(view.play).to_have_attribute("aria-label", "Play")
    view.page.wait_for_timeout(1500)
    view.current(last)
    wanted = upsample(view.case.told.weights[last].astype(float), view.case.geometry, "smooth")
    assert np.abs(view.bytes() - wanted).max() <= 4
    strip = view.root.locator(".frames")
    shown = strip.evaluate("node => node.lastChild.getBoundingClientRect().right")
    assert shown <= strip.evaluate("node => node.getBoundingClientRect().right") + 1
    view.play.click()  # from the beginning
    view.current(0)
    assert view.visit.frames == 0


def test_who_asked_for_less_movement_sees_no_map_in_between(player: Any) -> None:
    view = player("sharp")
    view.page.emulate_media(reduced_motion="reduce")
    count = """(map, milliseconds) => new Promise((done) => {
        const { weightMap } = map.closest(".captioner").captioner;
        let paints = 0;
        const paint = weightMap.paint;
        weightMap.paint = function (...values) { paints += 1; paint.apply(this, values); };
        setTimeout(() => { delete weightMap.paint; done(paints); }, milliseconds);
    })"""
    view.play.click()
    view.current(0)
    assert view.map.evaluate(count, 2500) <= 3
    view.page.emulate_media(reduced_motion="no-preference")
    assert view.map.evaluate(count, 2500) > 6


def test_the_slider_and_the_keys_walk(player: Any) -> None:
    view = player()
    view.root.locator("input").fill("6")
    view.current(6)
    view.view.focus()
    for key, step in (("ArrowRight", 7), ("ArrowLeft", 6), ("ArrowLeft", 5)):
        view.page.keyboard.press(key)
        view.current(step)
    view.page.keyboard.press(" ")
    expect(view.play).to_have_attribute("aria-label", "Pause")
    view.page.keyboard.press(" ")
    expect(view.play).to_have_attribute("aria-label", "Play")
    view.page.keyboard.press("Escape")
    view.current(1)
    view.words.nth(2).focus()
    view.page.keyboard.press("ArrowRight")
    view.current(3)
    assert view.words.nth(3).evaluate("word => word.getRootNode().activeElement === word")
    view.page.keyboard.press("Enter")
    view.picked("3 with cells []", 1)
    assert view.words.nth(3).evaluate("word => word.getRootNode().activeElement === word")
    view.page.keyboard.press("Escape")
    view.picked("nothing", 2)


def test_a_click_picks_a_word_and_another_lets_go(player: Any) -> None:
    view = player()
    view.visit.reset()
    view.words.nth(7).click()
    view.picked("7 with cells []", 1)
    assert view.visit.bytes < BUDGET
    view.away()
    view.current(7)
    expect(view.words.nth(7)).to_have_attribute("aria-pressed", "true")
    expect(view.words.nth(0)).to_have_attribute("aria-pressed", "false")  # the other "a"
    view.frames.nth(2).click()
    view.picked("2 with cells []", 2)
    view.words.nth(2).click()
    view.picked("nothing", 3)
    view.away()
    view.current(1)
    assert not view.visit.complaints


def test_the_page_orders_a_word_and_cells(player: Any) -> None:
    view = player("mark", "&pinned=6")
    view.current(6)
    view.picked("6 with cells []", 0)
    view.page.get_by_label("asked").click()
    view.page.get_by_role("option", name="2 with cells").click()
    view.picked("2 with cells [20, 21]", 0)
    view.current(2)
    assert view.marked().count("M") == 2


def test_cells_are_painted_and_erased_for_the_picked_word(player: Any) -> None:
    view = player("mark")
    view.drag((3, 4), (3, 6))
    expect(view.status).to_contain_text("Choose a word first")
    view.picked("nothing", 0)
    view.words.nth(4).click()
    view.picked("4 with cells []", 1)
    view.drag((3, 4), (3, 7), (5, 7))  # a fast pointer: two jumps
    view.picked("4 with cells [46, 47, 48, 49, 63, 77]", 2)
    view.away()
    assert view.marked().count("M") == 6
    expect(view.status).to_contain_text("6 of 196 cells marked")
    view.drag((3, 5), (3, 6))  # from a marked cell
    view.picked("4 with cells [46, 49, 63, 77]", 3)
    view.over(3, 4)
    view.page.keyboard.down("Shift")
    view.page.mouse.down()
    view.page.mouse.up()
    view.page.keyboard.up("Shift")
    view.picked("4 with cells []", 4)
    view.drag((0, 0), (0, 1))
    view.picked("4 with cells [0, 1]", 5)
    view.words.nth(5).hover()
    assert view.marked() == ""  # they are the other word's
    view.tool("Clear").click()
    view.picked("4 with cells []", 6)
    expect(view.tool("Clear")).to_be_disabled()
    assert not view.visit.complaints


def test_cells_are_painted_with_keys(player: Any) -> None:
    view = player("mark", "&pinned=3")
    view.view.focus()
    row, col = view.case.peak(3)
    view.page.keyboard.press("Shift+ArrowRight")  # begins at the peak
    expect(view.status).to_contain_text(f"Row {row}, column {col}")
    view.page.keyboard.press("Shift+ArrowDown")
    expect(view.status).to_contain_text(f"Row {row + 1}, column {col}")
    view.page.keyboard.press("Enter")
    cell = view.case.peak_cell(3) + 14
    view.picked(f"3 with cells [{cell}]", 1)
    view.page.keyboard.press("Enter")
    view.picked("3 with cells []", 2)


def test_a_picture_that_is_not_to_be_painted_takes_no_cells(player: Any) -> None:
    view = player("plain", "&pinned=3")
    view.drag((3, 4), (3, 7))
    view.picked("3 with cells []", 0)
    assert view.marked() == ""
    expect(view.root.locator(".clear")).to_be_hidden()


def test_a_finger_looks_picks_and_paints(player: Any) -> None:
    view = player("mark", size=PHONE, touch=True)
    x, y = view.point(8, 4)
    view.page.touchscreen.tap(x, y)
    expect(view.status).to_contain_text("Row 8, column 4: <b>ball</b>")  # and stays
    view.words.nth(1).tap()
    view.picked("1 with cells []", 1)
    view.current(1)
    session = view.page.context.new_cdp_session(view.page)

    def touch(kind: str, *cells: Cell) -> None:
        points = [dict(zip("xy", view.point(*cell), strict=True)) for cell in cells]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", (4, 4))
    touch("touchMove", (6, 4))
    touch("touchEnd")
    view.picked("1 with cells [60, 74, 88]", 2)
    scrolled = view.page.locator('[data-testid="stMain"]').evaluate("main => main.scrollTop")
    touch("touchStart", (10, 4))
    touch("touchMove", (2, 4))
    touch("touchCancel")
    view.picked("1 with cells [60, 74, 88]", 2)  # what the browser takes away is not painted
    assert (
        view.page.locator('[data-testid="stMain"]').evaluate("main => main.scrollTop") == scrolled
    )


def test_coverage_adds_up_all_words(player: Any) -> None:
    view = player()
    before = pixels(view.map)
    view.tool("Coverage").click()
    drawn = redrawn(view.map, before)
    sums = view.case.told.weights.astype(float).sum(0) / 255 * view.case.vmax
    wanted = upsample(np.rint(255 * sums / sums.max()), view.case.geometry, "smooth")
    assert np.abs(view.bytes() - wanted).max() <= 4
    penalty = np.square(1 - sums).mean()
    expect(view.status).to_contain_text(f"The mean of (1 − Σα)² over 196 cells is {penalty:.3f}.")
    row, col = np.unravel_index(sums.argmax(), sums.shape)
    expect(view.status).to_contain_text(f"{sums.max():.2g} at row {row}, column {col}")
    expect(view.root.locator(".foot .top")).to_have_text(f"{sums.max():.2g}")
    expect(view.root.locator(".foot .words")).to_have_text("all words added up")
    view.words.nth(3).hover()  # a word comes first
    redrawn(view.map, drawn)
    view.current(3)
    expect(view.root.locator(".foot .words")).to_have_text("same scale for every word")
    expect(view.root.locator(".foot .top")).to_have_text("0.3")
    view.away()
    expect(view.status).to_contain_text("Coverage")
    view.tool("Coverage").click()
    view.current(1)


def test_sharp_and_smooth_can_be_changed(player: Any) -> None:
    view = player()
    before = pixels(view.map)
    view.tool("14 × 14 cells").click()
    redrawn(view.map, before)
    wanted = upsample(view.case.told.weights[1].astype(float), view.case.geometry, "cells")
    assert np.abs(view.bytes() - wanted).max() <= 4


def test_boxes_lie_where_the_things_are(player: Any) -> None:
    view = player("boxes")
    labels = view.root.locator(".marks text")
    expect(labels).to_have_count(0)
    view.tool("Boxes").click()
    assert labels.all_text_contents() == ["ball", "<i>집</i>"]
    outer = view.view.bounding_box()
    assert outer is not None
    boxes = view.case.options["boxes"]
    for index, (_, (top, left, bottom, right)) in enumerate(boxes):
        box = view.root.locator(".marks .box path").nth(2 * index).bounding_box()
        assert box is not None
        edges = (box["y"] - outer["y"], box["x"] - outer["x"], box["height"], box["width"])
        wanted = np.array([top, left, bottom - top, right - left]) * outer["width"]
        assert edges == pytest.approx(tuple(wanted), abs=4)  # the stroke has a width
        label = labels.nth(index).bounding_box()
        assert label is not None
        assert label["x"] >= outer["x"] and label["y"] >= outer["y"]
        assert 9 < label["height"] < 24
    expect(player("plain").root.locator(".boxes")).to_be_hidden()


@pytest.mark.parametrize("name", ["sharp", "plain"])
def test_the_png_shows_the_word_and_its_map(player: Any, name: str) -> None:
    view = player(name)
    view.words.nth(4).focus()
    view.page.keyboard.press("ArrowRight")
    view.current(5)
    with view.page.expect_download() as download:
        view.tool("Save this view as PNG").click()
    assert download.value.suggested_filename == "demo-5-left.png"
    image = np.asarray(Image.open(download.value.path()).convert("RGB")).astype(int)
    assert image.shape[1] == 1280 and image.shape[0] > 1280 + 120
    down, right = view.centre(*view.case.peak(5))
    inside = image[int((down - 4) * 1280 / 224), int((right - 4) * 1280 / 224)]
    beside = image[int((down - 4) * 1280 / 224), int((right + 40) * 1280 / 224)]
    if name == "sharp":  # yellow over it, violet beside it
        assert inside[1] - beside[1] > 60
    red = np.abs(image[1280:] - (0xB0, 0x42, 0x12)).max(-1) < 40
    assert red.sum() > 50  # the shown word in the accent


def test_another_caption_takes_the_place_of_the_first(player: Any) -> None:
    view = player()
    view.words.nth(7).click()
    view.picked("7 with cells []", 1)
    view.page.get_by_label("caption", exact=True).click()
    view.page.get_by_role("option", name="wide").click()
    expect(view.tool("6 × 15 cells")).to_be_visible()
    view.away()
    view.current(7)  # it has such a word, too
    assert pixels(view.map).shape == (96, 240, 4)
    frame = view.frames.first.locator("canvas").bounding_box()
    assert frame is not None and frame["width"] / frame["height"] == pytest.approx(2.5, abs=0.1)
    assert not view.visit.complaints


@pytest.mark.parametrize("dark", [False, True])
def test_a_phone_has_room_for_a_long_caption(player: Any, dark: bool) -> None:
    view = player("long", "&pinned=3", size=PHONE, touch=True, dark=dark)
    assert no_sideways_scroll(view.page)
    strip = view.root.locator(".frames")
    assert strip.evaluate("node => node.scrollWidth > node.clientWidth")
    for selector in (".captioner .said small", ".captioner .status", ".captioner .frames span"):
        assert contrast(view.page, selector) >= 4.5
    rooms = view.root.locator("> *").evaluate_all(
        """all => all.map((part) => part.getBoundingClientRect())
            .map(({ top, bottom }) => [top, bottom])"""
    )
    assert all(below[0] >= above[1] - 1 for above, below in pairwise(rooms))
    shoot(view.page, f"captioner_phone_{'dark' if dark else 'light'}")


def test_nothing_jumps_while_words_and_cells_are_hovered(player: Any) -> None:
    view = player("boxes")
    heights = set()
    places = (*range(4), "cell", "away")
    for place in places:
        if isinstance(place, int):
            view.words.nth(place).hover()
        elif place == "cell":
            view.over(8, 4)
        else:
            view.away()
        heights.add(view.root.evaluate("root => root.offsetHeight"))
    assert len(heights) == 1


def test_the_picture_is_drawn_behind_every_small_map(player: Any) -> None:
    view = player("alone")
    frame = view.frames.nth(1).locator("canvas")
    before = np.zeros(1)
    small = redrawn(frame, before)[..., :3].astype(float)
    down, right = (int(at * 152 / 224) for at in view.centre(*view.case.peak(1)))
    assert small[down, right, 1] > small[20, 20, 1] + 30  # yellow over the ball, violet over sky
    assert np.abs(small[20, 20] - colour_table("viridis")[0]).max() > 30  # the sky shines through
