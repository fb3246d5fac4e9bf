"""The lens and the wall in a real browser: what is drawn, what is sent, and what comes back."""

from __future__ import annotations

import base64
import io
import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from attnviz.analysis import mass_set, upsample
from attnviz.figures.theme import colour_table
from attnviz.geometry import Geometry
from tests.browser.demo.cases import CASES, SQUARE, VMAX, Case, heads
from tests.browser.harness import (
    PHONE,
    Server,
    Visit,
    contrast,
    eventually,
    idle,
    no_sideways_scroll,
    pixels,
    shoot,
)

BUDGET = 2_000  # bytes over the websocket for one click


class LensView:
    """One lens in an open page."""

    def __init__(self, visit: Visit, case: Case, shown: int | None = None) -> None:
        self.visit, self.page = visit, visit.page
        self.case, self.geometry = case, case.geometry
        self.stage, self.map = self.page.locator(".lens .stage"), self.page.locator(".lens .map")
        self.status = self.page.locator(".lens .status")
        self.wait_for(case.rest if shown is None else case.full[shown])

    def point(self, token: int) -> tuple[float, float]:
        """The middle of a patch on the screen."""
        top, left, bottom, right = self.geometry.box(*self.geometry.position(token))
        box = self.stage.bounding_box()
        assert box is not None
        x = (left + right) / 2 / self.geometry.width * box["width"]
        y = (top + bottom) / 2 / self.geometry.height * box["height"]
        return box["x"] + x, box["y"] + y

    def hover(self, token: int) -> None:
        self.page.mouse.move(*self.point(token))

    def click(self, token: int) -> None:
        self.page.mouse.click(*self.point(token))

    def away(self) -> None:
        self.page.mouse.move(1, 1)

    def expected(self, values: np.ndarray) -> np.ndarray:
        """What the map must show, (height, width, 3) uint8, made by the library alone."""
        options = self.case.options
        mode = "smooth" if options.get("smooth") else "cells"
        spread = upsample(self.geometry.grid(values).astype(np.float64), self.geometry, mode)
        return colour_table(options.get("colours", "viridis"))[np.floor(spread + 0.5).astype(int)]

    def shows(self, values: np.ndarray, tolerance: int = 0) -> bool:
        drawn = pixels(self.map)[..., :3].astype(int)
        return bool(np.abs(drawn - self.expected(values)).max() <= tolerance)

    def wait_for(self, values: np.ndarray) -> None:
        """Until the first paint: the component mounts a moment after the script has run."""
        if not self.case.options.get("mass"):
            complaint = "the map never showed what it should"
            eventually(self.page, lambda: self.shows(values, tolerance=8), complaint)

    def outlined(self, kind: str) -> tuple[float, ...] | None:
        """The box (top, left, bottom, right) of a mark, None if there is none."""
        path = self.page.locator(f".lens .{kind} path").first.get_attribute("d")
        if not path:
            return None
        left, top, right, bottom, _ = map(float, re.findall(r"[\d.]+", path))
        return top, left, bottom, right


@pytest.fixture
def look(visit: Any, demo: Server) -> Any:
    def looked(name: str, pin: int | None = None, **options: Any) -> LensView:
        query = "" if pin is None else f"&pinned={pin}"
        seen = visit(f"{demo.url}/?case={name}{query}", ready=".lens .stage", **options)
        return LensView(seen, CASES[name], pin)

    return looked


def pinned(page: Page, token: int | None) -> None:
    expect(page.get_by_text(f"pinned {token}", exact=True)).to_be_visible()


def test_hover_redraws_without_a_message(look: Any) -> None:
    view = look("plain")
    view.visit.reset()
    for token in (SQUARE.cell(6, 9), SQUARE.cell(0, 0), SQUARE.cell(13, 13)):
        view.hover(token)
        assert view.shows(view.case.full[token])
        assert view.outlined("hover") == SQUARE.box(*SQUARE.position(token))
    shoot(view.page, "lens_hover")
    view.away()
    assert view.shows(view.case.rest) and view.outlined("hover") is None
    view.page.wait_for_timeout(300)  # time for a message that must not come
    assert view.visit.frames == 0
    assert not view.visit.complaints


def test_status_names_the_strongest_target_and_keeps_its_height(look: Any) -> None:
    view = look("plain")
    height = view.stage.evaluate("stage => stage.getRootNode().host.clientHeight")
    token = SQUARE.cell(6, 9)
    row, col = SQUARE.position(SQUARE.num_prefix + int(view.case.full[token][1:].argmax()))
    view.hover(token)
    expect(view.status).to_contain_text(f"Patch 6,9 looks most at patch {row},{col} (")
    value = view.case.full[token].max() / 255 * VMAX
    expect(view.status).to_contain_text(f"{value:.2g}")
    assert view.stage.evaluate("stage => stage.getRootNode().host.clientHeight") == height


def test_click_pins_and_the_server_hears(look: Any) -> None:
    view = look("plain")
    token, other = SQUARE.cell(6, 9), SQUARE.cell(1, 2)
    view.visit.reset()
    view.click(token)
    pinned(view.page, token)
    idle(view.page)
    assert view.visit.bytes <= BUDGET
    view.hover(other)
    assert view.shows(view.case.full[other])
    view.away()
    assert view.shows(view.case.full[token])  # the map returns to the pinned row
    assert view.outlined("pin") == SQUARE.box(6, 9)
    view.click(token)  # the same again lets go
    pinned(view.page, None)
    view.away()
    assert view.outlined("pin") is None and view.shows(view.case.rest)


def test_keyboard(look: Any) -> None:
    view = look("plain")
    view.stage.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp"):
        view.page.keyboard.press(key)
    token = SQUARE.cell(0, 1)  # the first key only enters the grid
    assert view.shows(view.case.full[token])
    view.page.keyboard.press("Enter")
    pinned(view.page, token)
    view.page.keyboard.press("ArrowUp")  # the edge holds
    assert view.shows(view.case.full[token])
    assert view.stage.evaluate("s => getComputedStyle(s).outlineStyle") == "solid"
    shoot(view.page, "lens_keyboard")
    view.page.keyboard.press("Escape")
    pinned(view.page, None)
    assert view.shows(view.case.rest)


def test_touch(look: Any) -> None:
    view = look("plain", size=PHONE, touch=True)
    start, token = SQUARE.cell(3, 3), SQUARE.cell(3, 8)
    touch = view.page.context.new_cdp_session(view.page)

    def finger(kind: str, at: int, aside: int = 0) -> None:
        x, y = view.point(at)
        points = [] if kind == "touchEnd" else [{"x": x + aside, "y": y}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    view.visit.reset()
    finger("touchStart", start)
    finger("touchMove", token)
    expect(view.status).to_contain_text("Patch 3,8")
    assert view.shows(view.case.full[token]) and view.visit.frames == 0
    view.page.wait_for_timeout(200)  # the finger rests: lifted in motion it would fling the page,
    finger("touchMove", token, aside=1)
    view.page.wait_for_timeout(200)
    finger("touchEnd", token)  # and a tap would only stop that
    view.page.touchscreen.tap(*view.point(token))
    pinned(view.page, token)
    assert view.shows(view.case.full[token])


def test_prefix_tokens_are_chips(look: Any) -> None:
    view = look("registers")
    chips = view.page.locator(".lens .chip")
    assert chips.all_inner_texts() == list(view.geometry.prefix)
    chips.nth(2).hover()
    assert view.shows(view.case.full[2]) and view.outlined("hover") is None
    swatch = chips.nth(4).locator("i").evaluate("i => getComputedStyle(i).backgroundColor")
    colour = colour_table("viridis")[view.case.full[2][4]]
    assert swatch == "rgb({}, {}, {})".format(*colour)
    chips.nth(2).click()
    pinned(view.page, 2)
    expect(chips.nth(2)).to_have_attribute("aria-pressed", "true")


def test_rows_may_exist_for_some_patches_only(look: Any) -> None:
    view = look("registers")
    near = view.geometry.cell(9, 17)  # rows exist for every fourth patch: (8, 16) is nearest
    view.hover(near)
    kept = view.geometry.cell(8, 16)
    assert view.shows(view.case.full[kept])
    view.click(near)
    pinned(view.page, kept)


def test_smooth_agrees_with_the_library(look: Any) -> None:
    view = look("smooth")
    token = SQUARE.cell(6, 9)
    view.hover(token)
    assert view.shows(view.case.full[token], tolerance=6)  # one step of the scale by rounding


@pytest.mark.parametrize("name", ["plain", "smooth"])
def test_a_lone_cell_lies_where_it_should(look: Any, name: str) -> None:
    view = look(name)
    alone = np.zeros(SQUARE.tokens, np.uint8)
    alone[SQUARE.cell(6, 9)] = 255
    view.map.evaluate(
        "(map, values) => {"
        " const { lens } = map.closest('.lens');"
        " lens.weights.paint(Uint8Array.from(values), null); }",
        alone.tolist(),
    )
    codes = colour_table("viridis") @ [1 << 16, 1 << 8, 1]
    order = codes.argsort()
    drawn = pixels(view.map)[..., :3] @ [1 << 16, 1 << 8, 1]
    byte = order[np.searchsorted(codes[order], drawn)]  # colours back to weights
    down, across = np.indices(byte.shape) + 0.5
    assert (down * byte).sum() / byte.sum() == pytest.approx(104, abs=0.2)
    assert (across * byte).sum() / byte.sum() == pytest.approx(152, abs=0.2)


def test_mass_keeps_the_smallest_set(look: Any) -> None:
    view = look("mass")
    token = SQUARE.cell(6, 9)
    view.hover(token)
    kept = mass_set(SQUARE.grid(view.case.full[token]), 0.5)
    alpha = pixels(view.map)[..., 3]
    assert ((alpha == 255) == np.kron(kept, np.ones((16, 16), bool))).all()
    expect(view.status).to_contain_text(f"{kept.sum()} of 196 patches hold 50 %")
    shoot(view.page, "lens_mass")


def test_removed_patches_are_hatched(look: Any) -> None:
    view = look("removed")
    path = view.page.locator(".lens .removed path").first.get_attribute("d")
    numbers = np.array(re.findall(r"[\d.]+", path), float).reshape(-1, 2)
    assert numbers.min(0).tolist() == [48, 32] and numbers.max(0).tolist() == [80, 48]  # x, y
    shoot(view.page, "lens_removed")


@pytest.mark.parametrize("name", ["rectangle", "shifted"])
def test_any_geometry(look: Any, name: str) -> None:
    view = look(name)
    box = view.stage.bounding_box()
    assert box["width"] / box["height"] == pytest.approx(
        view.geometry.width / view.geometry.height, rel=0.01
    )
    token = view.geometry.cell(4, 10)
    view.hover(token)
    assert view.shows(view.case.full[token])
    expect(view.status).to_contain_text("Patch 4,10")
    assert view.outlined("hover") == view.geometry.box(4, 10)
    shoot(view.page, f"lens_{name}")


def test_a_link_restores_the_pin_and_a_new_picture_forgets_it(look: Any) -> None:
    linked, token = SQUARE.cell(2, 11), SQUARE.cell(6, 9)
    view = look("plain", pin=linked)
    pinned(view.page, linked)
    view.click(token)  # the page goes on asking for the link's: the visitor's word is newer
    pinned(view.page, token)
    view.away()
    view.page.get_by_text("other picture").click()
    pinned(view.page, None)
    other = LensView(view.visit, CASES["other"])
    assert other.outlined("pin") is None
    other.click(token)
    pinned(view.page, token)
    view.page.get_by_text("away").click()
    expect(view.stage).to_have_count(0)
    view.page.get_by_text("here", exact=True).click()
    pinned(view.page, linked)  # it appears anew, as the link says
    expect(other.status).to_contain_text("pinned")


def test_a_pin_outlives_its_element(look: Any) -> None:
    view = look("plain")
    token = SQUARE.cell(6, 9)
    view.click(token)
    pinned(view.page, token)
    view.stage.evaluate("stage => stage.setAttribute('data-old', '')")
    view.page.get_by_text("elsewhere").click()  # Streamlit makes a new element for it
    expect(view.page.locator(".lens .stage[data-old]")).to_have_count(0)
    expect(view.status).to_contain_text("Patch 6,9, pinned")
    view.wait_for(view.case.full[token])


@pytest.mark.parametrize("dark", [False, True])
def test_text_can_be_read(look: Any, visit: Any, demo: Server, dark: bool) -> None:
    view = look("registers", dark=dark)
    shoot(view.page, f"lens_{'dark' if dark else 'light'}")
    for part in (".status", ".foot", ".chip", ".files button"):
        assert contrast(view.page, f".lens {part}") >= 4.5
    page = visit(f"{demo.url}/?wall=12x12", dark=dark, ready=".wall .stage").page
    shoot(page, f"wall_{'dark' if dark else 'light'}")
    for part in (".status", ".foot", ".across span", ".down span"):
        assert contrast(page, f".wall {part}") >= 4.5


@pytest.mark.parametrize("query", ["case=registers", "case=rectangle", "wall=12x12", "wall=4x6"])
def test_a_phone_needs_no_sideways_scrolling(visit: Any, demo: Server, query: str) -> None:
    page = visit(f"{demo.url}/?{query}", size=PHONE, touch=True, ready=".stage").page
    expect(page.locator(".status")).not_to_be_empty()
    assert no_sideways_scroll(page)
    shoot(page, f"phone_{query.replace('=', '_')}")


def test_downloads_are_files_that_open(look: Any) -> None:
    view = look("cividis")
    view.click(SQUARE.cell(6, 9))
    pinned(view.page, SQUARE.cell(6, 9))
    files = {}
    for kind in ("png", "svg"):
        with view.page.expect_download() as coming:
            view.page.locator(f".lens .{kind}").click()
        assert re.fullmatch(rf"[A-Za-z0-9._-]+patch-6-9\.{kind}", coming.value.suggested_filename)
        files[kind] = coming.value.path().read_bytes()
    image = Image.open(io.BytesIO(files["png"])).convert("RGB")
    assert image.size == (1280, 1360)
    assert np.ptp(np.asarray(image)[: 1280 // 14], axis=(0, 1)).min() > 5  # no blank sheet
    page = ElementTree.fromstring(files["svg"])
    names = [node.tag.split("}")[1] for node in page.iter()]
    assert names.count("rect") == 196 + 1  # cells and the colour bar
    href = next(node.get("href") for node in page.iter() if node.tag.endswith("image"))
    assert base64.b64decode(href.split(",")[1]) == view.case.picture


@pytest.mark.parametrize("name", ["plain", "tokens"])
def test_a_hover_takes_less_than_half_a_frame(look: Any, name: str) -> None:
    view = look(name)
    times = view.stage.evaluate(
        """stage => Array.from({ length: 60 }, (_, i) => {
            const box = stage.getBoundingClientRect();
            const at = { clientX: box.x + (box.width * ((i * 7) % 60 + 0.5)) / 60,
                         clientY: box.y + (box.height * ((i * 11) % 60 + 0.5)) / 60 };
            const start = performance.now();
            stage.dispatchEvent(new PointerEvent("pointermove", at));
            return performance.now() - start;
        })"""
    )
    assert np.percentile(times, 10) < 8  # milliseconds; the rest measures who else is busy


class WallView:
    """The wall in an open page."""

    def __init__(self, visit: Visit, layers: int, count: int, geometry: Geometry) -> None:
        self.visit, self.page = visit, visit.page
        self.rows = heads(layers, count, geometry)
        self.geometry, self.layers, self.count = geometry, layers, count
        self.maps, self.zoom = self.page.locator(".wall .maps"), self.page.locator(".wall .zoom")
        self.status = self.page.locator(".wall .status")
        expect(self.status).to_contain_text("layer")

    def point(self, layer: int, head: int) -> tuple[float, float]:
        box = self.maps.bounding_box()
        assert box is not None
        x = box["x"] + (head + 0.5) * box["width"] / self.count
        return x, box["y"] + (layer + 0.5) * box["height"] / self.layers

    def expected(self, layer: int, head: int) -> np.ndarray:
        return colour_table("viridis")[self.geometry.grid(self.rows[layer, head])]


@pytest.fixture
def wall(visit: Any, demo: Server) -> Any:
    def opened(layers: int, count: int, case: str = "plain", **options: Any) -> WallView:
        address = f"{demo.url}/?case={case}&wall={layers}x{count}"
        seen = visit(address, ready=".wall .stage", **options)
        return WallView(seen, layers, count, CASES[case].geometry)

    return opened


def picked(page: Page, layer: int, head: int) -> None:
    expect(page.get_by_text(f"picked ({layer}, {head}) of layer {layer}")).to_be_visible()


def test_wall_hover_enlarges_without_a_message(wall: Any) -> None:
    view = wall(12, 12)
    idle(view.page)
    view.page.wait_for_timeout(300)  # what mounting said has been said
    view.visit.reset()
    view.page.mouse.move(*view.point(3, 5))
    expect(view.status).to_contain_text("layer 3 · head 5")
    assert (pixels(view.zoom)[..., :3] == view.expected(3, 5)).all()
    view.page.wait_for_timeout(300)  # time for a message that must not come
    assert view.visit.frames == 0


def test_wall_click_and_keys_pick_and_the_page_can_too(wall: Any) -> None:
    view = wall(6, 6)
    picked(view.page, 0, 1)
    view.visit.reset()
    view.page.mouse.click(*view.point(3, 5))
    picked(view.page, 3, 5)
    idle(view.page)
    assert view.visit.bytes <= BUDGET
    view.page.keyboard.press("ArrowUp")
    view.page.keyboard.press("ArrowLeft")
    view.page.keyboard.press("Enter")
    picked(view.page, 2, 4)
    view.page.get_by_role("slider").focus()
    view.page.keyboard.press("ArrowRight")
    picked(view.page, 3, 4)
    expect(view.status).to_contain_text("layer 3 · head 4")


@pytest.mark.parametrize(("layers", "count", "case"), [(4, 6, "rectangle"), (24, 16, "plain")])
def test_wall_draws_every_head_in_its_place(wall: Any, layers: int, count: int, case: str) -> None:
    view = wall(layers, count, case)
    drawn = pixels(view.maps)[..., :3]
    gap = 3  # pixels between maps
    height = (drawn.shape[0] + gap) / layers - gap
    width = (drawn.shape[1] + gap) / count - gap
    grid = view.geometry.grid(view.rows)  # (layers, heads, rows, cols)
    assert width / height == pytest.approx(grid.shape[3] / grid.shape[2], rel=0.1)
    for layer, head in ((0, 0), (layers - 1, count - 1), (2, 3)):
        row, col = np.unravel_index(grid[layer, head].argmax(), grid.shape[2:])
        y = layer * (height + gap) + (row + 0.5) * height / grid.shape[2]
        x = head * (width + gap) + (col + 0.5) * width / grid.shape[3]
        colour = colour_table("viridis")[grid[layer, head].max()].astype(int)
        assert np.abs(drawn[int(y), int(x)] - colour).max() < 60  # small maps are averaged
    shoot(view.page, f"wall_{layers}x{count}")


def test_silenced_heads_are_crossed_out(wall: Any) -> None:
    view = wall(4, 6)
    assert view.page.locator(".wall .silenced path").first.get_attribute("d").count("M") == 2
    view.page.mouse.move(*view.point(0, 0))
    expect(view.status).to_contain_text("silenced")


def test_wall_downloads(wall: Any) -> None:
    view = wall(4, 6)
    for kind in ("png", "svg"):
        with view.page.expect_download() as coming:
            view.page.locator(f".wall .{kind}").click()
        assert coming.value.suggested_filename == f"heads.{kind}"
        data = coming.value.path().read_bytes()
        if kind == "png":
            assert Image.open(io.BytesIO(data)).size[0] >= 600
        else:
            assert ElementTree.fromstring(data).tag.endswith("svg")
