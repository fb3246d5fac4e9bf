"""The page "Why self-attention" as a visitor meets it, with real measurements."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.harness import PHONE, Server, idle, no_sideways_scroll, shoot

PLOT = ".js-plotly-plot"


def test_a_measurement_runs_and_stops(app: Server, visit: Any) -> None:
    seen = visit(f"{app.url}/why?why_view=Measured&why_width=32&why_longest=2048", ready=PLOT)
    page = seen.page
    start = page.get_by_role("button", name=re.compile("Measure up to"))
    expect(start).to_be_visible()  # short lengths are done
    expect(page.get_by_text(re.compile("for all visitors"))).to_be_visible()
    start.click()
    page.get_by_role("button", name="Stop").click()
    expect(start).to_be_visible()
    expect(page.locator(PLOT)).to_have_count(2)
    shoot(page, "why_measured")
    assert not seen.complaints


def test_numbers_follow_the_sliders(app: Server, visit: Any) -> None:
    seen = visit(f"{app.url}/why", ready=PLOT)
    page = seen.page
    expect(page.locator("table.values")).to_contain_text("O(n·d²) = 16.8 M")
    slider = page.locator(".st-key-why_d input[type=range]")
    slider.focus()
    slider.press("ArrowRight")
    expect(page.locator("table.values")).to_contain_text("67.1 M")
    expect(page).to_have_url(re.compile("why_d=1"))
    shoot(page, "why_formulas")


@pytest.mark.parametrize("dark", [False, True])
def test_everything_fits_a_phone(app: Server, visit: Any, dark: bool) -> None:
    page = visit(f"{app.url}/why", ready=PLOT, size=PHONE, dark=dark, touch=True).page
    for name in ("Formulas", "Paths", "Measured"):
        page.locator(".st-key-why_view").get_by_text(name, exact=True).click()
        idle(page)
        assert no_sideways_scroll(page), name
        shoot(page, f"why_phone_{name}_{'dark' if dark else 'light'}")
