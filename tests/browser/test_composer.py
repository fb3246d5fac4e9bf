"""The composer in a real browser: what is drawn, what pointers and keys do, what is reported."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import CDPSession, expect

from attnviz.composition import render
from tests.browser.demo.composing import (
    BACKDROPS,
    BLUE,
    GRASS,
    GREEN,
    MOST,
    PURPLE,
    RED,
    SCENES,
    SKY,
    SPRITES,
)
from tests.browser.harness import (
    PHONE,
    Server,
    Visit,
    contrast,
    idle,
    no_sideways_scroll,
    pixels,
    shoot,
)

BUDGET = 4_000  # bytes over the websocket for one drop; the pictures alone are 26 000

Point = tuple[float, float]


class ComposerView:
    """One composer in an open page."""

    def __init__(self, visit: Visit) -> None:
        self.visit, self.page = visit, visit.page
        self.root = self.page.locator(".composer")
        self.view, self.status = self.root.locator(".view"), self.root.locator(".status")
        self.frame, self.items = self.root.locator(".frame"), self.root.locator(".items button")
        self.things = self.root.locator(".things button")
        expect(self.things).to_have_count(len(SPRITES))
        expect(self.status).not_to_be_empty()
        idle(self.page)

    def point(self, x: float, y: float) -> Point:
        """A place of the scene on the screen."""
        box = self.view.bounding_box()
        assert box is not None
        return box["x"] + x * box["width"], box["y"] + y * box["height"]

    def click(self, x: float, y: float) -> None:
        self.page.mouse.click(*self.point(x, y))

    def drag(self, start: Point, end: Point, steps: int = 6) -> None:
        """The mouse from one place of the scene to another."""
        self.page.mouse.move(*self.point(*start))
        self.page.mouse.down()
        self.page.mouse.move(*self.point(*end), steps=steps)
        self.page.mouse.up()

    def tool(self, name: str) -> Any:
        return self.root.get_by_role("button", name=name, exact=True)

    def heard(self) -> dict[str, Any]:
        """What the server has: the scene, and how many reports it got."""
        found: dict[str, Any] = json.loads(self.page.locator('[data-testid="stText"]').inner_text())
        return found

    def wait(self, reports: int) -> list[dict[str, Any]]:
        """The objects, once so many reports have come; fails if more do."""
        words = f'"reports": {reports}}}'
        expect(self.page.locator('[data-testid="stText"]')).to_contain_text(words)
        idle(self.page)
        self.page.wait_for_timeout(150)  # time for another one, which must not come
        heard = self.heard()
        assert heard["reports"] == reports
        objects: list[dict[str, Any]] = heard["objects"]
        return objects

    def names(self) -> list[str]:
        return [one["name"] for one in self.heard()["objects"]]

    def settled(self) -> np.ndarray:
        """The canvas after the next frame, (side, side, 3) integers."""
        self.page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        return pixels(self.view)[..., :3].astype(int)

    def box(self, *colours: tuple[int, int, int]) -> tuple[float, ...]:
        """Where these colours lie (left, top, right, bottom), as shares."""
        drawn = self.settled()
        near = [np.abs(drawn - colour).max(-1) < 12 for colour in colours]
        rows, columns = np.nonzero(np.logical_or.reduce(near))
        side = len(drawn)
        return (
            columns.min() / side,
            rows.min() / side,
            (columns.max() + 1) / side,
            (rows.max() + 1) / side,
        )


@pytest.fixture
def look(visit: Any, demo: Server) -> Any:
    def looked(name: str = "three", **options: Any) -> ComposerView:
        address = f"{demo.url}/?composer={name}"
        return ComposerView(visit(address, ready=".composer .things button", **options))

    return looked


def test_objects_are_drawn_where_the_scene_says(look: Any) -> None:
    view = look()
    assert view.box(RED) == pytest.approx((0.15, 0.15, 0.35, 0.35), abs=0.004)
    assert view.box(GREEN, PURPLE) == pytest.approx((0.5, 0.2, 0.9, 0.4), abs=0.004)  # 2 : 1
    assert view.box(BLUE) == pytest.approx((0.3, 0.5, 0.7, 0.9), abs=0.006)
    assert view.box(GREEN)[2] == pytest.approx(0.7, abs=0.004)  # green is on the left
    drawn = view.settled()
    side = len(drawn)
    assert 500 <= side <= 560 and drawn.shape[0] == drawn.shape[1]
    assert drawn[2, 2].tolist() == list(SKY) and drawn[-3, 2].tolist() == list(GRASS)
    veil = 100 / 255 * np.array(BLUE) + (1 - 100 / 255) * np.array(GRASS)
    assert np.abs(drawn[int(0.7 * side), int(0.5 * side)] - veil).max() <= 4
    assert not view.visit.complaints
    shoot(view.page, "composer")


def test_later_objects_lie_in_front_and_flipped_ones_are_mirrored(look: Any) -> None:
    view = look("pile")
    drawn = view.settled()
    side = len(drawn)

    def at(x: float, y: float) -> list[int]:
        colour: list[int] = drawn[int(y * side), int(x * side)].tolist()
        return colour

    assert at(0.4, 0.36) == list(BLUE)  # the ring over the square
    assert at(0.26, 0.42) == list(RED)
    veiled = np.array(at(0.45, 0.5)) - np.array(at(0.55, 0.5))
    flag = (np.array(PURPLE) - np.array(GREEN)) * (1 - 100 / 255)  # purple on the left now
    assert np.abs(veiled - flag).max() <= 4


@pytest.mark.parametrize("name", ["three", "pile"])
def test_the_library_draws_the_same(look: Any, name: str) -> None:
    drawn = look(name).settled()
    cutouts = {one.name: Image.open(io.BytesIO(one.picture)) for one in SPRITES}
    backdrop = Image.open(io.BytesIO(BACKDROPS[0].picture))
    expected = np.asarray(render(SCENES[name], cutouts, backdrop, side=len(drawn)), int)
    assert (np.abs(drawn - expected).max(-1) > 40).mean() < 0.01  # edges, by half a pixel


def test_a_drag_moves_and_is_reported_once_on_drop(look: Any) -> None:
    view = look()
    view.visit.reset()
    view.page.mouse.move(*view.point(0.25, 0.25))
    view.page.mouse.down()
    view.page.mouse.move(*view.point(0.45, 0.35), steps=8)
    assert view.box(RED) == pytest.approx((0.35, 0.25, 0.55, 0.45), abs=0.006)
    view.page.wait_for_timeout(300)  # time for a message that must not come
    assert view.visit.frames == 0
    view.page.mouse.up()
    objects = view.wait(1)
    assert (objects[0]["x"], objects[0]["y"]) == pytest.approx((0.45, 0.35), abs=0.003)
    assert objects[1:] == [vars(one) for one in SCENES["three"].objects[1:]]
    assert all(round(one[of], 3) == one[of] for one in objects for of in ("x", "y", "size"))
    assert view.visit.bytes <= BUDGET  # the pictures were not sent again
    shoot(view.page, "composer_dragged")


def test_many_drops_send_no_pictures(look: Any) -> None:
    view = look()
    view.visit.reset()
    for count in range(4):
        view.drag((0.25 + 0.05 * count, 0.25), (0.3 + 0.05 * count, 0.25))
        view.wait(count + 1)
    assert view.visit.bytes <= 4 * BUDGET


def test_a_click_selects_and_reports_nothing(look: Any) -> None:
    view = look()
    expect(view.frame).to_be_hidden()
    view.visit.reset()
    view.click(0.25, 0.25)
    expect(view.status).to_contain_text("square: drag to move it")
    frame, stage = view.frame.bounding_box(), view.view.bounding_box()
    assert frame["width"] == pytest.approx(0.2 * stage["width"] + 12, abs=1)
    assert frame["x"] + frame["width"] / 2 == pytest.approx(view.point(0.25, 0)[0], abs=1)
    view.click(0.05, 0.95)  # the backdrop
    expect(view.frame).to_be_hidden()
    view.page.wait_for_timeout(300)
    assert view.visit.frames == 0


@pytest.mark.parametrize("corner", range(4))
def test_a_corner_resizes_about_the_centre(look: Any, corner: int) -> None:
    view = look()
    view.click(0.25, 0.25)
    handle = view.frame.locator("i").nth(corner).bounding_box()
    middle = view.point(0.25, 0.25)
    start = (handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2)
    end = tuple(m + 1.5 * (s - m) for s, m in zip(start, middle, strict=True))
    view.page.mouse.move(*start)
    view.page.mouse.down()
    view.page.mouse.move(*end, steps=5)
    view.page.mouse.up()
    square = view.wait(1)[0]
    assert square["size"] == pytest.approx(0.3, abs=0.004)
    assert (square["x"], square["y"]) == (0.25, 0.25)
    assert view.box(RED) == pytest.approx((0.1, 0.1, 0.4, 0.4), abs=0.006)


def test_the_pointer_hits_opaque_pixels_only(look: Any) -> None:
    view = look("pile")
    view.click(0.5, 0.55)  # through the veil of the ring, onto the flag
    expect(view.status).to_contain_text("flag <b>of</b> two")
    view.click(0.5, 0.32)  # the ring itself
    expect(view.status).to_contain_text("고리")
    view.click(0.27, 0.32)  # inside its rectangle, outside its circle: nothing but sky
    expect(view.frame).to_be_hidden()
    view.click(0.27, 0.37)  # the square behind
    expect(view.status).to_contain_text("square")


def test_a_flipped_object_is_hit_where_it_is_drawn(look: Any) -> None:
    view = look("empty")
    view.root.locator("[data-name=hook]").click()
    view.wait(1)
    left, right = (0.4, 0.42), (0.6, 0.42)  # the upper half of the hook is on its left
    for flipped, (there, nowhere) in enumerate([(left, right), (right, left)]):
        if flipped:
            view.click(*left)
            view.tool("Flip").click()
            view.wait(2)
        view.click(*nowhere)
        expect(view.frame).to_be_hidden()
        view.click(*there)
        expect(view.frame).to_be_visible()


def test_layers(look: Any) -> None:
    view = look("pile")
    view.click(0.26, 0.37)
    assert view.names() == ["square", "flag", "ring"]
    view.tool("Bring forward").click()
    view.wait(1)
    assert view.names() == ["flag", "square", "ring"]
    view.tool("Bring forward").click()
    view.wait(2)
    assert view.names() == ["flag", "ring", "square"]
    drawn = view.settled()
    assert drawn[int(0.4 * len(drawn)), int(0.4 * len(drawn))].tolist() == list(RED)
    expect(view.tool("Bring forward")).to_be_disabled()
    view.tool("Send backward").click()
    view.wait(3)
    assert view.names() == ["flag", "square", "ring"]


def test_a_layer_passes_what_it_does_not_touch(look: Any) -> None:
    view = look()
    view.click(0.25, 0.25)
    view.drag((0.25, 0.25), (0.4, 0.6))  # onto the ring, which lies two layers up
    view.wait(1)
    view.page.keyboard.press("PageUp")
    view.wait(2)
    assert view.names() == ["flag", "ring", "square"]


def test_flip_remove_and_undo(look: Any) -> None:
    view = look()
    view.click(0.6, 0.3)
    view.tool("Flip").click()
    assert view.wait(1)[1]["flip"] is True
    assert view.box(GREEN)[0] == pytest.approx(0.7, abs=0.004)  # on the right now
    view.tool("Remove").click()
    view.wait(2)
    assert view.names() == ["square", "ring"]
    view.tool("Undo").click()
    assert view.wait(3)[1]["flip"] is True
    view.tool("Undo").click()
    assert view.wait(4)[1]["flip"] is False
    expect(view.tool("Undo")).to_be_disabled()
    view.tool("Redo").click()
    assert view.wait(5)[1]["flip"] is True


def test_duplicate_and_empty(look: Any) -> None:
    view = look()
    view.click(0.25, 0.25)
    view.tool("Duplicate").click()
    objects = view.wait(1)
    assert view.names() == ["square", "square", "flag", "ring"]
    assert objects[1]["x"] == pytest.approx(0.31) and objects[1]["size"] == 0.2
    view.tool("Empty the scene").click()
    assert view.wait(2) == []
    expect(view.status).to_contain_text("The scene is empty")
    assert np.ptp(view.settled()[:200], axis=(0, 1)).max() == 0  # only sky
    view.tool("Undo").click()
    assert len(view.wait(3)) == 4


def test_the_palette_adds_at_a_free_place_and_stops_at_the_most(look: Any) -> None:
    view = look()
    for count in range(1, 3):
        view.things.nth(count).click()
        objects = view.wait(count)
        new = objects[-1]
        assert new["name"] == SPRITES[count].name
        gaps = [np.hypot(one["x"] - new["x"], one["y"] - new["y"]) for one in objects[:-1]]
        assert min(gaps) > 0.2
        expect(view.items.last).to_have_attribute("aria-pressed", "true")
    assert len(objects) == MOST
    view.things.nth(0).click()
    refusal = f"A scene holds at most {MOST} objects: remove one to add another."
    expect(view.status).to_have_text(refusal)
    view.tool("Duplicate").click()
    expect(view.status).to_have_text(refusal)
    assert len(view.wait(2)) == MOST
    view.tool("Remove").click()
    view.wait(3)
    view.things.nth(0).click()
    assert len(view.wait(4)) == MOST


def test_a_thumbnail_is_dragged_onto_the_stage(look: Any) -> None:
    view = look()
    thumb = view.things.nth(0).bounding_box()
    view.visit.reset()
    view.page.mouse.move(thumb["x"] + 20, thumb["y"] + 20)
    view.page.mouse.down()
    view.page.mouse.move(thumb["x"] - 10, thumb["y"] + 30, steps=3)
    expect(view.root.locator(".ghost")).to_be_visible()
    view.page.mouse.move(*view.point(0.8, 0.8), steps=4)
    expect(view.root.locator(".ghost")).to_be_hidden()
    expect(view.items).to_have_count(4)
    assert view.visit.frames == 0
    view.page.mouse.up()
    new = view.wait(1)[-1]
    assert new["name"] == "square"
    assert (new["x"], new["y"]) == pytest.approx((0.8, 0.8), abs=0.003)
    assert len(view.heard()["objects"]) == 4  # and no second one by the click
    view.page.mouse.move(thumb["x"] + 20, thumb["y"] + 20)
    view.page.mouse.down()
    view.page.mouse.move(*view.point(0.5, 0.5), steps=3)
    view.page.mouse.move(*view.point(1.05, 0.5), steps=3)  # off the stage: not added
    view.page.mouse.up()
    expect(view.items).to_have_count(4)
    view.wait(1)


def test_search(look: Any) -> None:
    view = look()
    search = view.root.get_by_role("searchbox")
    search.fill("STONE 3")
    expect(view.things.filter(visible=True)).to_have_count(11)
    search.fill("고리")
    expect(view.things.filter(visible=True)).to_have_count(1)
    search.fill("\u1100\u1169\u1105\u1175")  # the same, decomposed as some keyboards send it
    expect(view.things.filter(visible=True)).to_have_count(1)
    search.fill("<b>cat")
    expect(view.root.locator(".none")).to_have_text("No object is called “<b>cat”.")
    expect(view.things.filter(visible=True)).to_have_count(0)
    search.fill("")
    expect(view.things.filter(visible=True)).to_have_count(len(SPRITES))
    search.press_sequentially("rc")  # no shortcuts of the page
    view.page.keyboard.press("Delete")
    view.page.wait_for_timeout(200)
    assert view.heard()["reports"] == 0
    expect(view.page.get_by_role("dialog")).to_have_count(0)


def test_backdrops(look: Any) -> None:
    view = look()
    night = view.root.get_by_role("button", name="Background: night")
    expect(night).to_have_attribute("aria-pressed", "false")
    night.click()
    assert len(view.wait(1)) == 3 and view.heard()["backdrop"] == "night"
    expect(night).to_have_attribute("aria-pressed", "true")
    assert view.settled()[2, 2].tolist() == [30, 35, 60]


def test_keyboard(look: Any) -> None:
    view = look()
    press = view.page.keyboard.press
    view.tool("Empty the scene").focus()
    press("Tab")
    expect(view.status).to_contain_text("square")
    press("Tab")
    expect(view.status).to_contain_text("flag <b>of</b> two")
    expect(view.items.nth(1)).to_have_attribute(
        "aria-label", "flag <b>of</b> two, 2 of 3 from the back"
    )
    for key in ("ArrowLeft", "ArrowLeft", "Shift+ArrowDown"):
        press(key)
    flag = view.wait(1)[1]  # three keys, one report
    assert (flag["x"], flag["y"]) == (0.68, 0.35)
    press("+")
    assert view.wait(2)[1]["size"] == 0.44
    press("-")
    assert view.wait(3)[1]["size"] == 0.4
    press("PageDown")
    view.wait(4)
    assert view.names() == ["flag", "square", "ring"]
    press("Delete")
    view.wait(5)
    assert view.names() == ["square", "ring"]
    expect(view.frame).to_be_hidden()
    press("Control+z")
    view.wait(6)
    press("Control+z")
    view.wait(7)
    assert view.names() == ["square", "flag", "ring"]
    press("Control+Shift+z")
    view.wait(8)
    assert view.names() == ["flag", "square", "ring"]
    view.items.nth(1).focus()
    expect(view.frame).to_be_visible()
    press("Escape")
    expect(view.frame).to_be_hidden()
    press("ArrowLeft")  # nothing is selected
    view.page.wait_for_timeout(700)
    view.wait(8)


def test_an_undo_takes_keys_that_are_not_yet_reported(look: Any) -> None:
    view = look()
    view.items.nth(0).focus()
    view.page.keyboard.press("ArrowRight")
    view.page.keyboard.press("Control+z")
    expect(view.tool("Undo")).to_be_disabled()
    view.page.wait_for_timeout(700)  # one report or two, as they meet
    assert view.heard()["objects"][0]["x"] == 0.25
    view.tool("Redo").click()
    assert view.wait(view.heard()["reports"] + 1)[0]["x"] == 0.26


def test_what_lies_off_the_edge_can_be_brought_back(look: Any) -> None:
    view = look()
    lost = view.root.locator(".lost")
    expect(lost).to_be_hidden()
    view.drag((0.25, 0.25), (-0.5, 0.25))
    assert view.wait(1)[0]["x"] == -0.2  # no further
    expect(lost).to_have_text("1 object off the edge — bring back")
    expect(view.frame).to_be_hidden()
    shoot(view.page, "composer_lost")
    lost.click()
    square = view.wait(2)[0]
    assert (square["x"], square["y"]) == (0.1, 0.25)
    expect(lost).to_be_hidden()


def test_the_page_orders_a_scene_and_it_can_be_undone(look: Any) -> None:
    view = look()
    view.drag((0.25, 0.25), (0.35, 0.25))
    view.wait(1)
    view.page.get_by_text("empty", exact=True).click()
    expect(view.items).to_have_count(0)
    assert view.wait(1) == [] and view.heard()["backdrop"] == "night"
    view.tool("Undo").click()
    assert view.wait(2)[0]["x"] == pytest.approx(0.35, abs=0.003)


class Fingers:
    """Touches on an open page."""

    def __init__(self, view: ComposerView) -> None:
        self.view = view
        self.session: CDPSession = view.page.context.new_cdp_session(view.page)

    def touch(self, kind: str, *places: Point) -> None:
        points = [self.view.point(*place) for place in places]
        touches = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    def drag(self, start: Point, end: Point) -> None:
        self.touch("touchStart", start)
        for share in (0.2, 0.4, 0.6, 0.8, 1.0):
            x, y = (s + share * (e - s) for s, e in zip(start, end, strict=True))
            self.touch("touchMove", (x, y))
            self.view.page.wait_for_timeout(20)
        self.touch("touchEnd")


def scrolled(view: ComposerView) -> float:
    box = view.view.bounding_box()
    assert box is not None
    return box["y"]


def test_a_finger_drags_objects_and_scrolls_on_the_backdrop(look: Any) -> None:
    view = look(size=PHONE, touch=True)
    before = scrolled(view)
    fingers = Fingers(view)
    fingers.drag((0.25, 0.3), (0.25, 0.1))
    square = view.wait(1)[0]
    assert (square["x"], square["y"]) == pytest.approx((0.25, 0.05), abs=0.005)
    assert scrolled(view) == before
    fingers.drag((0.1, 0.9), (0.1, 0.3))
    view.page.wait_for_timeout(300)
    assert scrolled(view) < before - 50
    view.wait(1)
    expect(view.frame).to_be_visible()  # a finger that scrolls lets nothing go


def test_two_fingers_resize(look: Any) -> None:
    view = look(size=PHONE, touch=True)
    fingers = Fingers(view)
    fingers.touch("touchStart", (0.35, 0.7))
    fingers.touch("touchStart", (0.35, 0.7), (0.65, 0.7))
    fingers.touch("touchMove", (0.3, 0.7), (0.675, 0.7))
    fingers.touch("touchMove", (0.275, 0.7), (0.725, 0.7))
    fingers.touch("touchEnd", (0.275, 0.7))
    fingers.touch("touchEnd")
    ring = view.wait(1)[2]
    assert ring["size"] == pytest.approx(0.6, abs=0.01)
    assert (ring["x"], ring["y"]) == (0.5, 0.7)


def test_a_tap_adds_and_a_corner_resizes_by_touch(look: Any) -> None:
    view = look("empty", size=PHONE, touch=True)
    view.things.nth(0).tap()
    assert view.wait(1)[0] == {"name": "square", "x": 0.5, "y": 0.5, "size": 0.3, "flip": False}
    half = 0.15 + 6 / view.view.bounding_box()["width"]
    Fingers(view).drag((0.5 + half, 0.5 + half), (0.5 + 2 * half, 0.5 + 2 * half))
    assert view.wait(2)[0]["size"] == pytest.approx(0.6, abs=0.01)


@pytest.mark.parametrize("dark", [False, True])
def test_a_phone_has_room_for_everything(look: Any, dark: bool) -> None:
    view = look("pile", size=PHONE, touch=True, dark=dark)
    view.page.touchscreen.tap(*view.point(0.27, 0.37))
    expect(view.frame).to_be_visible()
    assert no_sideways_scroll(view.page)
    tops = {round(view.tool(name).bounding_box()["y"]) for name in ("Undo", "Remove")}
    assert len(tops) == 1  # one row
    for part in (".status", ".foot .words", ".things span", ".tools .flip"):
        assert contrast(view.page, f".composer {part}") >= 4.5
    shoot(view.page, f"composer_phone_{'dark' if dark else 'light'}")


def test_the_saved_picture_is_the_scene(look: Any) -> None:
    view = look()
    view.click(0.25, 0.25)  # the frame is no part of it
    with view.page.expect_download() as saved:
        view.root.get_by_role("button", name="Save the scene as PNG").click()
    assert saved.value.suggested_filename == "demo.png"
    image = Image.open(io.BytesIO(saved.value.path().read_bytes())).convert("RGB")
    small = np.asarray(image.resize((256, 256)), int)
    drawn = view.settled().astype(np.uint8)
    shown = np.asarray(Image.fromarray(drawn).resize((256, 256)), int)
    assert image.size == (1024, 1024) and np.abs(small - shown).mean() < 1


def test_a_frame_of_a_drag_is_drawn_in_time(look: Any) -> None:
    view = look("pile")
    times = view.root.evaluate(
        """root => Array.from({ length: 40 }, () => {
            const start = performance.now();
            root.composer.stage.paint();
            root.composer.stage.view.getContext("2d").getImageData(0, 0, 1, 1);
            return performance.now() - start;
        })"""
    )
    assert np.percentile(times, 10) < 8  # milliseconds, half a frame; the rest measures who is busy
