"""The studies of the page "Attention layer" as a visitor meets them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.harness import PHONE, Server, contrast, idle, no_sideways_scroll, shoot

VIEWS = ("Scaling", "Permutation", "Heads", "Correspondence", "Additive or dot")


def test_the_size_of_a_key_moves_what_is_said_of_it(app: Server, visit: Any) -> None:
    seen = visit(f"{app.url}/attention?attn_view=Scaling", ready=".js-plotly-plot")
    page = seen.page
    expect(page.get_by_text("At d = 64, medians")).to_be_visible()
    slider = page.locator(".st-key-attn_size input[type=range], .st-key-attn_size [role=slider]")
    slider.first.focus()
    slider.first.press("ArrowRight")
    expect(page.get_by_text("At d = 96, medians")).to_be_visible()
    expect(page).to_have_url(re.compile("attn_size=96"))
    shoot(page, "attention_scaling")
    assert not seen.complaints


def test_the_price_is_measured_and_the_measurement_stops(app: Server, visit: Any) -> None:
    query = "attn_view=Additive+or+dot&attn_width=16"
    seen = visit(f"{app.url}/attention?{query}", ready=".js-plotly-plot")
    page = seen.page
    page.get_by_role("button", name="Measure time and memory").click()
    page.get_by_role("button", name="Stop").click()
    again = page.get_by_role("button", name=re.compile("Measure time and memory"))
    expect(again).to_be_visible()
    again.click()
    expect(page.get_by_text(re.compile("512 keys of 16:.* ms")).first).to_be_visible()
    expect(page.locator(".st-key-attn_time .js-plotly-plot:visible")).to_have_count(1)
    shoot(page, "attention_additive")
    assert not seen.complaints


@pytest.mark.parametrize("dark", [False, True])
def test_every_study_fits_a_phone_and_can_be_read(app: Server, visit: Any, dark: bool) -> None:
    url = f"{app.url}/attention?attn_view="
    for view in VIEWS if not dark else VIEWS[3:4]:
        options = {"size": PHONE, "dark": dark, "touch": True}
        page = visit(url + view.replace(" ", "+"), ready=".facts", **options).page
        expect(page.get_by_text("What is true here")).to_be_attached()
        idle(page)
        assert no_sideways_scroll(page), view
        for selector in (".facts dt", ".note"):
            assert contrast(page, selector) >= 4.5, selector
        shoot(page, f"attention_phone_{view.replace(' ', '_')}_{dark}")
