"""Forcing and scrubbing as a visitor does it, with the bundled translators of dates."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.harness import (
    PHONE,
    Server,
    Visit,
    click_cell,
    contrast,
    idle,
    no_sideways_scroll,
    pixels,
    redrawn,
    shoot,
)

SUBJECT = "corpus=dates_ko_en&score=mlp&text=2026년 3월 9일 월요일"
SAID = "Monday, March 9, 2026"
INTERACTION = 200_000  # bytes over the websocket


@pytest.fixture
def opened(app: Server, visit: Any) -> Any:
    def found(
        view: str, query: str = "", ready: str = ".alignment .cells", **options: Any
    ) -> Visit:
        address = f"{app.url}/seq2seq?{SUBJECT}&seq_view={view.replace(' ', '+')}&{query}"
        return visit(address, ready=ready, **options)

    return found


def test_a_forced_cell_changes_the_translation(opened: Any) -> None:
    visit = opened("Force attention")
    page, said = visit.page, visit.page.locator(".said")
    expect(said).to_have_text([SAID, SAID])
    visit.reset()
    click_cell(page, page.locator(".alignment").nth(1), 2, 7)  # the month looks at the day
    expect(said.nth(1)).not_to_have_text(SAID)
    expect(page).to_have_url(re.compile(r"forced=2\.7\b"))
    idle(page)
    assert visit.bytes <= INTERACTION
    expect(said.nth(0)).to_have_text(SAID)
    expect(page.locator(".tokens mark")).to_have_count(2)
    expect(page.get_by_text("differ from those asked for by 0.0e+00")).to_be_visible()
    changed = said.nth(1).inner_text()
    shoot(page, "seq2seq_force")
    page.reload()
    page.wait_for_selector(".alignment .cells")
    expect(said).to_have_text([SAID, changed])
    page.get_by_role("button", name="Let go of all").click()
    expect(said).to_have_text([SAID, SAID])
    assert not visit.complaints


def test_a_second_click_lets_go(opened: Any) -> None:
    page = opened("Force attention", "forced=2.7").page
    said = page.locator(".said")
    expect(said.nth(1)).not_to_have_text(SAID)
    click_cell(page, page.locator(".alignment").nth(1), 2, 7)
    expect(said).to_have_text([SAID, SAID])
    assert "forced=" not in page.url


def test_a_row_can_be_drawn(opened: Any) -> None:
    page = opened("Force attention", "drawn=2", ready=".sketch .bar").page
    bars = page.locator(".sketch .bars")
    bars.scroll_into_view_if_needed()
    box, size = bars.bounding_box(), page.locator(".sketch .bar").nth(0).bounding_box()
    assert box is not None and size is not None
    bottom, top = box["y"] + box["height"] - 2, box["y"] + 2

    def drag(column: int, end: float) -> None:
        x = box["x"] + (column + 0.5) * size["width"]
        page.mouse.move(x, (top + bottom) / 2)
        page.mouse.down()
        page.mouse.move(x, end, steps=4)
        page.mouse.up()

    drag(5, bottom + 20)  # off the month
    idle(page)
    drag(7, top - 20)  # onto the day
    expect(page.locator(".said").nth(1)).not_to_have_text(SAID)
    expect(page).to_have_url(re.compile(r"forced=2\.[\d._]*7(\b|\.)"))
    row = page.locator(".sketch .bar")
    expect(row.nth(7)).to_have_attribute("aria-valuenow", "100")
    row.nth(7).press("ArrowDown")
    expect(page).to_have_url(re.compile(r"7_95"))
    shoot(page, "seq2seq_draw")


def test_scrubbing_and_playing_a_training(opened: Any) -> None:
    visit = opened("Training", ready=".film .map")
    page, film = visit.page, visit.page.locator(".film")
    step, says = film.locator(".step"), film.locator(".says")
    expect(says).to_have_text(SAID)
    before = pixels(film.locator(".map"))
    film.locator(".scrub").focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    expect(step).to_have_text("step 260")
    redrawn(film.locator(".map"), before)
    expect(says).not_to_have_text(SAID)
    expect(page).to_have_url(re.compile("snapshot=260"))
    expect(page.get_by_text("Step 260", exact=True)).to_be_visible()
    idle(page)
    film.get_by_role("button", name="step 10", exact=True).click()
    expect(page).to_have_url(re.compile(r"snapshot=10\b"))
    idle(page)
    page.wait_for_timeout(500)
    visit.reset()
    film.get_by_role("button", name="Play").click()
    expect(step).to_have_text("step 51")
    assert visit.frames == 0  # it plays in the browser
    film.get_by_role("button", name="Pause").click()
    expect(page).to_have_url(re.compile(r"snapshot=(51|115|260)\b"))
    shoot(page, "seq2seq_training")
    assert not visit.complaints


def test_a_film_that_plays_to_the_end_stops_there(opened: Any) -> None:
    page = opened("Training", "snapshot=588", ready=".film .map").page
    film = page.locator(".film")
    expect(film.locator(".step")).to_have_text("step 588")
    film.get_by_role("button", name="Play").click()
    expect(film.locator(".step")).to_have_text("step 3,000")
    expect(film.get_by_role("button", name="Play")).to_be_visible()
    expect(film.locator(".says")).to_have_text(SAID)
    expect(page).not_to_have_url(re.compile("snapshot="))


def test_hovering_the_film_says_what_looks_where(opened: Any) -> None:
    page = opened("Training", ready=".film .map").page
    stage = page.locator(".film .stage")
    stage.scroll_into_view_if_needed()
    box = stage.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    expect(page.locator(".film .status")).to_have_text(
        re.compile(r"0 Monday looks at 0 2 with \d+ % of its weight and is given \d+ %\.")
    )


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_the_film_is_saved(opened: Any, kind: str) -> None:
    page = opened("Training", ready=".film .map").page
    with page.expect_download() as coming:
        page.locator(f".film .{kind}").click()
    assert coming.value.suggested_filename == f"dates_ko_en_mlp-training.{kind}"
    data = coming.value.path().read_bytes()
    assert data.startswith(b"\x89PNG") if kind == "png" else b"step 3,000" in data


def test_forced_and_free_part_early_in_the_training(opened: Any) -> None:
    page = opened("Forced or free", "forced_at=260").page
    expect(page.get_by_text(re.compile(r"They part at step \d+"))).to_be_visible()
    expect(page.locator(".tokens td.cut").first).to_be_visible()
    expect(page.locator(".alignment")).to_have_count(2)
    box = page.get_by_role("textbox", name="Reference")
    box.fill("Monday, May 9, 2026")
    box.press("Enter")
    expect(page).to_have_url(re.compile("reference=Monday"))
    shoot(page, "seq2seq_forced")


@pytest.mark.parametrize("view", ["Forced or free", "Force attention", "Training"])
def test_phone(opened: Any, view: str) -> None:
    ready = ".film .map" if view == "Training" else ".alignment .cells"
    page = opened(view, "forced=2.7&forced_at=260", ready=ready, size=PHONE, touch=True).page
    assert no_sideways_scroll(page)
    shoot(page, f"seq2seq_phone_{view}")


@pytest.mark.parametrize(
    ("view", "parts"),
    [
        ("Forced or free", (".tokens mark", ".tokens th")),
        ("Force attention", (".tokens mark", ".sketch .labels span", ".sketch .bar b")),
        ("Training", (".film .says", ".film .play", ".film .rows span", ".film .strip button")),
    ],
)
@pytest.mark.parametrize("dark", [False, True])
def test_text_is_readable(opened: Any, view: str, parts: tuple[str, ...], dark: bool) -> None:
    ready = ".film .map" if view == "Training" else ".alignment .cells"
    page = opened(view, "forced=2.7&forced_at=260", ready=ready, dark=dark).page
    for part in parts:
        assert contrast(page, part) >= 4.5, part
