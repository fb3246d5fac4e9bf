"""The page "Show, Attend and Tell" as a visitor uses it, with the bundled captioners."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import expect

from app import scenes
from attnviz.data.samples import sample
from tests.browser.harness import (
    PHONE,
    Server,
    Visit,
    contrast,
    eventually,
    idle,
    no_sideways_scroll,
    pixels,
    redrawn,
    shoot,
)

INTERACTION = 200_000  # bytes over the websocket
PAIR = scenes.EXAMPLES["Two kinds"]


class TellView:
    """The page, open at one of its views."""

    def __init__(self, visit: Visit) -> None:
        self.visit, self.page = visit, visit.page
        self.player = self.page.locator(".captioner").first
        self.words = self.player.locator(".said button span:first-child")
        self.map = self.player.locator(".map")
        expect(self.player.locator(".status")).not_to_be_empty()
        idle(self.page)

    def said(self, player: int = 0) -> str:
        found = self.page.locator(".captioner").nth(player).locator(".said button")
        return " ".join(text.split("\n")[0] for text in found.all_inner_texts())

    def drag(self, board: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
        """The mouse over a square, places as shares of its side."""
        board.scroll_into_view_if_needed()
        box = board.bounding_box()
        assert box is not None
        for place, then in ((start, self.page.mouse.down), (end, self.page.mouse.up)):
            x, y = box["x"] + place[0] * box["width"], box["y"] + place[1] * box["height"]
            self.page.mouse.move(x, y, steps=5)
            then()


@pytest.fixture
def opened(app: Server, visit: Any) -> Any:
    def found(query: str = "", **options: Any) -> TellView:
        return TellView(visit(f"{app.url}/tell?{query}", ready=".captioner .said", **options))

    return found


def test_a_dragged_object_changes_the_caption(opened: Any) -> None:
    view = opened(f"tell_scene={PAIR}")
    before, address = view.said(), view.page.url
    assert "strawberry" in before and "penguin" in before
    board = view.page.locator(".composer .view")
    view.visit.reset()
    view.drag(board, (0.28, 0.56), (0.28, 0.2))  # the strawberry, held
    idle(view.page)
    expect(view.page).not_to_have_url(address)
    view.drag(board, (0.72, 0.52), (0.36, 0.76))  # the penguin, under it
    idle(view.page)
    told = re.compile("a penguin below a strawberry|a strawberry above a penguin")
    eventually(view.page, lambda: bool(told.match(view.said())), "the caption does not follow")
    assert view.said() != before
    assert view.visit.bytes <= 2 * INTERACTION
    shoot(view.page, "tell_dragged")
    changed = view.said()
    view.page.reload()
    view.page.wait_for_selector(".captioner .said")
    idle(view.page)
    assert TellView(view.visit).said() == changed
    assert not view.visit.complaints


def test_words_play_one_after_the_other(opened: Any) -> None:
    view = opened(f"tell_scene={PAIR}")
    count = view.words.count()
    current = view.player.locator(".said .current")
    drawn = pixels(view.map)
    view.visit.reset()
    view.player.locator(".play").click()
    redrawn(view.map, drawn)
    expect(view.player.locator(".said button").nth(count - 1)).to_have_class(re.compile("current"))
    expect(current).to_have_count(1)
    expect(view.player.locator(".play")).to_have_attribute("aria-label", "Play")
    assert view.visit.frames == 0, "playing is the browser's own"


def test_a_hovered_word_shows_its_map_and_a_click_keeps_it(opened: Any) -> None:
    view = opened(f"tell_scene={PAIR}")
    names = view.said().split()
    maps = []
    for name in ("strawberry", "penguin"):
        view.player.locator(".said button").nth(names.index(name)).hover()
        expect(view.player.locator(".status")).to_contain_text(name)
        maps.append(pixels(view.map)[..., 1].astype(float))
    width = maps[0].shape[1]
    sides = [found[:, : width // 2].max() > found[:, width // 2 :].max() for found in maps]
    assert sides == [True, False], "the strawberry lies left, the penguin right"
    step = names.index("penguin")
    view.player.locator(".said button").nth(step).click()
    expect(view.page).to_have_url(re.compile(f"tell_step={step}"))
    expect(view.page.get_by_text(f"{step} “penguin”, β")).to_be_visible()


def test_a_painted_region_changes_the_word(opened: Any) -> None:
    view = opened(f"tell_view=Force&tell_scene={PAIR}")
    free = view.said()
    names = free.split()
    first, other = (names.index(name) for name in ("strawberry", "penguin"))
    step = min(first, other)
    place = (0.72, 0.5) if step == first else (0.28, 0.55)  # where the other thing lies
    view.player.locator(".said button").nth(step).click()
    idle(view.page)
    x, y = place
    view.drag(view.player.locator(".view"), (x - 0.06, y - 0.08), (x + 0.06, y + 0.08))
    expect(view.page).to_have_url(re.compile(r"tell_cells="))
    idle(view.page)
    expect(view.page.get_by_text("looked evenly at")).to_be_visible()
    forced = view.said(1).split()
    assert view.said() == free and forced[step] != names[step]
    assert forced[step] == names[max(first, other)], "it names what it was made to look at"
    shoot(view.page, "tell_forced")
    view.page.get_by_role("button", name=re.compile("Let go of")).first.click()
    idle(view.page)
    expect(view.page.get_by_text("both are the same run")).to_be_visible()


def test_an_uploaded_photo_is_captioned(opened: Any) -> None:
    view = opened("tell_of=A+picture")
    before = view.said()
    picture = Image.open(sample("coffee").path).rotate(90, expand=True)
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    file = {"name": "mine.png", "mimeType": "image/png", "buffer": buffer.getvalue()}
    view.page.locator('input[type="file"]').set_input_files(file)
    expect(view.page.get_by_text("your picture").first).to_be_visible()
    idle(view.page)
    assert view.said() and view.said().endswith("(end)")
    expect(view.page.get_by_text("calls by the nearest").first).to_be_visible()
    view.page.locator('input[type="file"]').set_input_files(
        {"name": "no.png", "mimeType": "image/png", "buffer": b"no picture at all"}
    )
    idle(view.page)
    expect(view.page.get_by_role("alert")).to_be_visible()
    assert view.said() and before, "nothing that was there is lost"
    assert not view.visit.complaints


def test_a_step_is_walked_through(app: Server, visit: Any) -> None:
    seen = visit(f"{app.url}/tell?tell_view=Step+by+step", ready=".teller .stages")
    seen.page.locator(".teller .stage").nth(4).click()
    expect(seen.page).to_have_url(re.compile(r"tell_stage=0\.4"))
    expect(seen.page.locator(".teller .formula")).to_contain_text("α")
    assert not seen.complaints


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("view", ["Caption", "Force", "Ways+to+look", "Beam", "Training"])
def test_a_phone_shows_it_without_sideways_scrolling(
    app: Server, visit: Any, view: str, dark: bool
) -> None:
    ready = ".pair" if view == "Ways+to+look" else ".captioner .said"
    seen = visit(f"{app.url}/tell?tell_view={view}", ready=ready, size=PHONE, touch=True, dark=dark)
    assert no_sideways_scroll(seen.page)
    assert contrast(seen.page, ".facts dd") >= 4.5
    shoot(seen.page, f"tell_phone_{view}_{dark}")
