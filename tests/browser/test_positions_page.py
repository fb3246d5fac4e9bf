"""The page "Positions" as a visitor meets it: waves under the pointer, sliders, a phone."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attnviz.position_study import table
from tests.browser.harness import PHONE, Server, contrast, idle, no_sideways_scroll, pixels, shoot

VIEWS = (
    "Table",
    "Rotation",
    "Distance",
    "Added or concatenated",
    "Terms of a score",
    "Beyond the length",
    "Learned tables",
    "Permutation",
)
STATUS = ".waves .status"


def point(page: Page, pair: int, position: int, size: tuple[int, int]) -> tuple[float, float]:
    """The middle of a pair's rows at a position, on the screen."""
    box = page.locator(".waves .table").bounding_box()
    assert box is not None
    length, width = size
    return (
        box["x"] + (position + 0.5) / length * box["width"],
        box["y"] + (2 * pair + 1) / width * box["height"],
    )


def test_hovering_a_pair_shows_its_wave_and_asks_nobody(app: Server, visit: Any) -> None:
    seen = visit(f"{app.url}/positions?pos_n=32&pos_d=16&pos_pair=5", ready=".waves .table")
    page = seen.page
    status = page.locator(STATUS)
    expect(status).to_contain_text("Pair 5")
    waves = page.locator(".waves .drawing path")
    before = waves.evaluate_all("paths => paths.map((path) => path.getAttribute('d')).join()")
    idle(page)
    page.wait_for_timeout(500)
    seen.reset()
    page.mouse.move(*point(page, 1, 7, (32, 16)))
    sine, cosine = (f"{value:.4f}".replace("-", "−") for value in table(32, 16)[7, 2:4])
    expect(status).to_contain_text("Pair 1, components 2 (sine) and 3 (cosine)")
    expect(status).to_contain_text(f"At position 7: {sine} and {cosine}")
    assert before != waves.evaluate_all("all => all.map((path) => path.getAttribute('d')).join()")
    assert seen.frames == 0
    page.mouse.click(*point(page, 1, 7, (32, 16)))
    expect(page.get_by_text(re.compile("^1, kept"))).to_be_visible()
    expect(page).to_have_url(re.compile("pos_pair=1"))
    shoot(page, "positions_table")
    page.locator(".waves .stage").press("ArrowDown")
    expect(status).to_contain_text("Pair 2")
    assert not seen.complaints


def test_the_canvas_holds_the_table(app: Server, visit: Any) -> None:
    page = visit(f"{app.url}/positions?pos_n=16&pos_d=8", ready=".waves .table").page
    expect(page.locator(STATUS)).to_contain_text("Pair")
    drawn = pixels(page.locator(".waves .table"))[..., :3].astype(int)
    high, wide = drawn.shape[:2]
    rows = ((np.arange(8) + 0.5) / 8 * high).astype(int)
    columns = ((np.arange(16) + 0.5) / 16 * wide).astype(int)
    redness = drawn[rows][:, columns][..., 0] - drawn[rows][:, columns][..., 2]  # red for more
    values = table(16, 8).T
    assert (redness[values > 0.1] > 0).all() and (redness[values < -0.1] < 0).all()


def test_the_shift_turns_the_pair(app: Server, visit: Any) -> None:
    seen = visit(f"{app.url}/positions?pos_view=Rotation&pos_k=4", ready=".js-plotly-plot")
    page = seen.page
    expect(page.locator(".facts dd").filter(has_text="PE(p + 4)")).to_be_visible()
    slider = page.locator(".st-key-pos_k input[type=range]")
    slider.focus()
    slider.press("ArrowRight")
    expect(page.locator(".facts dd").filter(has_text="PE(p + 5)")).to_be_visible()
    expect(page.locator(".katex").first).to_be_visible()
    expect(page).to_have_url(re.compile("pos_k=5"))
    shoot(page, "positions_rotation")
    assert not seen.complaints


@pytest.mark.parametrize("dark", [False, True])
def test_every_view_fits_a_phone_and_can_be_read(app: Server, visit: Any, dark: bool) -> None:
    for view in VIEWS if not dark else VIEWS[:1]:
        url = f"{app.url}/positions?pos_view={view.replace(' ', '+')}"
        page = visit(url, ready=".facts", size=PHONE, dark=dark, touch=True).page
        expect(page.locator(".js-plotly-plot").first).to_be_attached()
        idle(page)
        assert no_sideways_scroll(page), view
        for selector in (".facts dt", ".note"):
            assert contrast(page, selector) >= 4.5, selector
        shoot(page, f"positions_phone_{view.replace(' ', '_')}_{dark}")


def test_a_finger_shows_a_wave(app: Server, visit: Any) -> None:
    page = visit(f"{app.url}/positions", ready=".waves .table", size=PHONE, touch=True).page
    page.locator(".waves .table").scroll_into_view_if_needed()
    page.touchscreen.tap(*point(page, 2, 10, (64, 64)))
    expect(page.locator(STATUS)).to_contain_text("Pair 2")
    expect(page.get_by_text(re.compile("^2, kept"))).to_be_attached()
