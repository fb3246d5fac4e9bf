"""Masking and silencing as a visitor does it, with the bundled Transformer of dates."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.harness import (
    PHONE,
    Server,
    Visit,
    click_cell,
    contrast,
    idle,
    no_sideways_scroll,
    shoot,
)

SUBJECT = "corpus=dates_ko_en&text=2026년 3월 9일 월요일"
LAYERS, HEADS = 6, 8
MATRIX, WALL = ".alignment .cells", ".headview .token"


@pytest.fixture
def opened(app: Server, visit: Any) -> Any:
    def found(view: str, query: str = "", **options: Any) -> Visit:
        address = f"{app.url}/transformer?{SUBJECT}&tf_view={view}&{query}"
        return visit(address, ready=MATRIX if view == "Mask" else WALL, **options)

    return found


def weight(page: Page, query: int, key: int) -> float:
    """What the matrix of weights shows in a cell."""
    figure = page.locator(".st-key-tf_mask_weights .js-plotly-plot")
    expect(figure).to_have_count(1)
    return float(
        figure.evaluate("(root, [row, column]) => root._fullData[0].z[row][column]", [query, key])
    )


def test_a_turned_cell_changes_the_outputs_and_the_leak_test_catches_it(opened: Any) -> None:
    visit = opened("Mask")
    page = visit.page
    expect(page.get_by_text("nothing leaks")).to_be_visible()
    expect(page.locator(".tokens mark")).to_have_count(0)
    assert weight(page, 2, 3) == 0
    click_cell(page, page.locator(".alignment"), 2, 3)  # “March” reads itself in the next input
    expect(
        page.get_by_text(re.compile("Prediction 2 depends on the later input 3"))
    ).to_be_visible()
    expect(page).to_have_url(re.compile(r"tf_turned=2\.3\b"))
    expect(page.locator(".tokens mark")).to_have_count(1)
    idle(page)
    assert weight(page, 2, 3) > 0
    shoot(page, "transformer_mask")
    click_cell(page, page.locator(".alignment"), 2, 3)
    expect(page.get_by_text("nothing leaks")).to_be_visible()
    assert "tf_turned=" not in page.url
    assert not visit.complaints


def test_the_last_head_that_is_silenced_changes_the_translation(opened: Any) -> None:
    """Two heads of the cross-attention carry this sentence alone, one does not."""
    left = {(5, 4), (5, 7)}
    places = [(layer, head) for layer in range(LAYERS) for head in range(HEADS)]
    silent = "-".join(f"c.{layer}.{head}" for layer, head in places if (layer, head) not in left)
    visit = opened("Silence", f"tf_silent={silent}")
    page, changed = visit.page, visit.page.locator(".tokens mark")
    expect(page.locator(".tokens tr")).to_have_count(3)
    expect(changed).to_have_count(0)
    stage = page.locator(".headview .stage")
    stage.scroll_into_view_if_needed()
    box = stage.bounding_box()
    assert box is not None
    place = {"x": 4.5 * box["width"] / HEADS, "y": 5.5 * box["height"] / LAYERS}
    stage.click(position=place)
    expect(changed.first).to_be_visible()
    expect(page).to_have_url(re.compile(r"c\.5\.4"))
    shoot(page, "transformer_silence")
    page.get_by_role("button", name="Undo all").click()
    expect(changed).to_have_count(0)
    assert "tf_silent=" not in page.url
    assert not visit.complaints


@pytest.mark.parametrize("view", ["Mask", "Silence"])
def test_phone(opened: Any, view: str) -> None:
    page = opened(view, "tf_turned=2.3&tf_off=0", size=PHONE, touch=True).page
    assert no_sideways_scroll(page)
    shoot(page, f"transformer_phone_{view}")


@pytest.mark.parametrize("view", ["Mask", "Silence"])
@pytest.mark.parametrize("dark", [False, True])
def test_text_is_readable(opened: Any, view: str, dark: bool) -> None:
    page = opened(view, "tf_turned=2.3&tf_unseen=1", dark=dark).page
    for part in (".tokens th", ".tokens mark"):
        assert contrast(page, part) >= 4.5, part
    shoot(page, f"transformer_{view}_{'dark' if dark else 'light'}")
