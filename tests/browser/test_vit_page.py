"""The Vision Transformer page as a visitor meets it."""

from __future__ import annotations

import io
import re
import struct
import zlib
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from attnviz import zoo
from attnviz.data.samples import samples
from attnviz.images import open_image
from tests.browser.harness import (
    PHONE,
    ROOT,
    Server,
    Visit,
    contrast,
    idle,
    no_sideways_scroll,
    pixels,
    redrawn,
    shoot,
)

FIRST, SECOND = (sample.name for sample in samples()[:2])
INTERACTION = 200_000  # bytes over the websocket


class VitView:
    """The page, open at its main view."""

    def __init__(self, visit: Visit) -> None:
        self.visit, self.page = visit, visit.page
        self.lens = self.page.locator(".lens").first
        self.stage, self.map = self.lens.locator(".stage"), self.lens.locator(".map")
        expect(self.lens.locator(".status")).not_to_be_empty()
        idle(self.page)

    def point(self, down: float, right: float) -> tuple[float, float]:
        """A place on the picture, in shares of its height and width."""
        self.stage.scroll_into_view_if_needed()
        box = self.stage.bounding_box()
        assert box is not None
        return box["x"] + right * box["width"], box["y"] + down * box["height"]

    def choose(self, view: str) -> None:
        self.page.locator(".st-key-view").get_by_text(view, exact=True).click()
        idle(self.page)

    def picture(self) -> np.ndarray:
        """The picture under the map as the browser decoded it, (height, width, 3)."""
        canvas = self.lens.locator(".picture").evaluate_handle(
            """async image => {
                await image.decode();
                const canvas = document.createElement("canvas");
                canvas.width = image.naturalWidth;
                canvas.height = image.naturalHeight;
                canvas.getContext("2d").drawImage(image, 0, 0);
                return canvas;
            }"""
        )
        return pixels(canvas.as_element())[..., :3]


@pytest.fixture
def vit(app: Server, visit: Any) -> Any:
    def opened(query: str = "", **options: Any) -> VitView:
        return VitView(visit(f"{app.url}/vit{query}", ready=".lens .stage", **options))

    return opened


def test_a_cold_deep_link_opens_the_page(visit: Any) -> None:
    with Server(ROOT / "app/main.py") as server:
        view = VitView(visit(f"{server.url}/vit?layer=1", ready=".lens .stage"))
        expect(view.page.get_by_role("heading", level=1)).to_have_text("Vision Transformer")
        expect(view.page.get_by_role("slider", name="Layer")).to_have_value("1")
        assert "Traceback" not in server.output()
    assert not view.visit.complaints


def test_hover_redraws_without_a_message(vit: Any) -> None:
    view = vit()
    before = pixels(view.map)
    view.visit.reset()
    view.page.mouse.move(*view.point(0.3, 0.6))
    assert (pixels(view.map) != before).any()
    view.page.wait_for_timeout(300)  # time for a message that must not come
    assert view.visit.frames == 0


def test_click_pins_and_exact_values_appear(vit: Any) -> None:
    view = vit()
    view.visit.reset()
    view.page.mouse.click(*view.point(0.45, 0.65))
    expect(view.page.get_by_text("Patch in row 6, column 9 looks most at")).to_be_visible()
    idle(view.page)
    assert view.visit.bytes <= INTERACTION
    shown = view.page.locator("table.values tbody tr").all_inner_texts()
    names, values = zip(*(row.split("\t") for row in shown), strict=True)
    row, labels = expected_row(6, 9)
    assert float(values[0]) == pytest.approx(row.max(), abs=2e-6)
    assert names[0] == labels[int(row.argmax())]
    assert "token=" in view.page.url
    shoot(view.page, "vit_pinned")


def expected_row(row: int, col: int) -> tuple[np.ndarray, list[str]]:
    """That patch's row in the last layer, mean of its heads, by the library alone."""
    from attnviz.inference import look

    preprocess = zoo.card(zoo.DEFAULT).preprocess
    image = open_image(samples()[0].path).image
    run = look(zoo.load(zoo.DEFAULT, "cpu"), preprocess.pixels(preprocess.view(image)))
    weights = run.weights[-1].mean(axis=0)
    return weights[run.geometry.cell(row, col)], run.geometry.labels()


def test_layer_and_head_redraw_and_go_into_the_address(vit: Any) -> None:
    view = vit()
    before = pixels(view.map)
    view.visit.reset()
    view.page.get_by_role("slider", name="Layer").press("ArrowLeft")
    before = redrawn(view.map, before)
    idle(view.page)
    assert view.visit.bytes <= INTERACTION
    view.page.locator(".st-key-head").get_by_text("2", exact=True).click()
    redrawn(view.map, before)
    idle(view.page)
    assert re.search(r"layer=\d", view.page.url) and "head=2" in view.page.url


def test_a_wall_shows_all_heads_and_picks_one(vit: Any) -> None:
    view = vit("?view=All+heads")
    wall = view.page.locator(".wall")
    expect(wall.locator(".status")).not_to_be_empty()
    wall.locator(".stage").focus()
    for key in ("ArrowDown", "ArrowRight", "Enter"):
        view.page.keyboard.press(key)
    expect(wall.locator(".status")).to_contain_text(re.compile(r"layer \d · head \d"))
    expect(view.page).to_have_url(re.compile(r"head=\d"))
    shoot(view.page, "vit_heads")


def test_silencing_heads_changes_the_labels(vit: Any) -> None:
    view = vit("?view=Edit")
    labels = view.page.locator("ol.labels.changed")
    expect(labels).to_have_count(1)
    before = labels.inner_text()
    view.page.get_by_role("button", name="Silence the last layer").click()
    expect(labels).not_to_have_text(before)
    expect(view.page.get_by_text(re.compile(r"\d+ of \d+ heads"))).to_be_visible()
    crosses = view.page.locator(".wall .silenced path").first
    expect(crosses).to_have_attribute("d", re.compile("."))
    shoot(view.page, "vit_edit")


def png(mode: str, size: tuple[int, int], colour: Any) -> bytes:
    buffer = io.BytesIO()
    Image.new(mode, size, colour).save(buffer, "PNG")
    return buffer.getvalue()


def rotated_jpeg() -> bytes:
    """Red beside blue in the file; its EXIF says: turn a quarter clockwise, red on top."""
    image = Image.new("RGB", (320, 240), (20, 20, 220))
    image.paste((220, 20, 20), (0, 0, 160, 240))
    exif = image.getexif()
    exif[0x0112] = 6
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", exif=exif, quality=95)
    return buffer.getvalue()


def bomb() -> bytes:
    """A small PNG of 20000 × 20000 black pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    side = 20_000
    rows = zlib.compress(bytes((side // 8 + 1) * side))
    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    )


def upload(page: Page, name: str, data: bytes) -> None:
    page.locator('input[type="file"]').first.set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    )


@pytest.mark.parametrize(
    ("name", "data", "top", "bottom"),
    [
        ("turned.jpg", rotated_jpeg(), (220, 20, 20), (20, 20, 220)),
        ("glass.png", png("RGBA", (300, 300), (0, 0, 0, 0)), (255, 255, 255), (255, 255, 255)),
        ("deep.png", png("I;16", (300, 300), 0x8080), (128, 128, 128), (128, 128, 128)),
    ],
)
def test_uploads_are_shown_as_they_are_meant(
    vit: Any, name: str, data: bytes, top: tuple[int, ...], bottom: tuple[int, ...]
) -> None:
    view = vit()
    before = view.lens.locator(".picture").get_attribute("src")
    upload(view.page, name, data)
    expect(view.lens.locator(".picture")).not_to_have_attribute("src", before)
    idle(view.page)
    picture = view.picture().astype(int)
    quarter = len(picture) // 4
    assert np.abs(picture[:quarter].mean(axis=(0, 1)) - top).max() < 6
    assert np.abs(picture[-quarter:].mean(axis=(0, 1)) - bottom).max() < 6


def test_files_that_are_no_pictures_leave_everything_as_it_was(vit: Any, app: Server) -> None:
    view = vit()
    view.page.mouse.click(*view.point(0.45, 0.65))
    expect(view.page.get_by_text("Patch in row 6, column 9")).to_be_visible()
    before = view.picture()
    for name, data in (("notes.png", b"only text\n"), ("bomb.png", bomb()), ("none.png", b"")):
        upload(view.page, name, data)
        alert = view.page.get_by_role("alert")
        expect(alert).to_have_count(1)
        sentence = alert.inner_text()
        assert len(sentence.splitlines()) == 1 and "Traceback" not in sentence
        idle(view.page)
        assert (view.picture() == before).all()
        expect(view.page.get_by_text("Patch in row 6, column 9")).to_be_visible()
        expect(view.lens.locator(".status")).to_contain_text("pinned")
        shoot(view.page, f"vit_refused_{name}")
        view.page.locator(".st-key-head").get_by_text("max", exact=True).click()
        idle(view.page)
        view.page.locator(".st-key-head").get_by_text("mean", exact=True).click()
        idle(view.page)
    assert app.healthy() and "Traceback" not in app.output()


def test_dark_mode(vit: Any) -> None:
    view = vit(dark=True)
    shoot(view.page, "vit_dark")
    for part in (".lens .status", "h1", "ol.labels li span", "p.note", "dl.facts dd"):
        assert contrast(view.page, part) >= 4.5, part


@pytest.mark.parametrize("name", ["Attention", "All heads", "Edit"])
def test_phone(vit: Any, name: str) -> None:
    view = vit(f"?view={name.replace(' ', '+')}", size=PHONE, touch=True)
    assert no_sideways_scroll(view.page)
    box = view.stage.bounding_box()
    assert box is not None and 280 <= box["width"] <= 390
    shoot(view.page, f"vit_phone_{name}")


def test_from_home_to_the_page_and_back_with_the_same_picture(visit: Any, app: Server) -> None:
    seen = visit(app.url)
    seen.page.get_by_role("link", name="Vision Transformer").first.click()
    view = VitView(seen)
    first = view.picture()
    view.page.locator(f".st-key-frame_{SECOND} button").first.click()
    expect(view.page).to_have_url(re.compile(f"picture={SECOND}"))
    idle(view.page)
    chosen = view.picture()
    assert chosen.shape != first.shape or (chosen != first).any()
    view.page.get_by_role("link", name="Home").first.click()
    expect(view.stage).to_have_count(0)
    view.page.get_by_role("link", name="Vision Transformer").first.click()
    again = VitView(seen)
    assert (again.picture() == chosen).all()
    assert not seen.complaints


def test_a_link_restores_the_view(vit: Any) -> None:
    view = vit(f"?picture={SECOND}&layer=1&head=2&token=95&scale=shared+maximum")
    expect(view.page.get_by_role("slider", name="Layer")).to_have_value("1")
    expect(view.page.get_by_text("Patch in row 6, column 10 looks most at")).to_be_visible()
    expect(view.lens.locator(".status")).to_contain_text("Patch 6,10, pinned")
    frame = view.page.locator(f".st-key-frame_{SECOND} button").first
    expect(frame).to_have_attribute("kind", "primary")
    view.page.reload()
    again = VitView(view.visit)
    expect(again.page.get_by_text("Patch in row 6, column 10 looks most at")).to_be_visible()
