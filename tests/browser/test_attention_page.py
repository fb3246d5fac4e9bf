"""The lab of the attention layer as a visitor meets it: dragging, hovering, the leak test."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from app.components.linked import read
from attnviz.attention_lab import run
from tests.browser.harness import PHONE, Server, Visit, contrast, idle, no_sideways_scroll, shoot

CLICK = 60_000  # bytes over the websocket for one edit and what comes back
PARTS = {"Q": "query", "K": "key", "V": "value", "S": "scores", "A": "weights", "O": "output"}
OUTPUT_3 = ".facts dt:text-is('Output 3') + dd"


@pytest.fixture
def opened(app: Server, visit: Any) -> Any:
    def found(view: str, query: str = "", **options: Any) -> Visit:
        url = f"{app.url}/attention?attn_view={view}&{query}"
        seen = visit(url, ready='.matrix[data-name="S"] .cell', **options)
        seen.page.get_by_text("What is true here").wait_for(state="attached")
        idle(seen.page)
        return seen

    return found


def matrix(page: Page, name: str) -> np.ndarray:
    """What the browser computed, unrounded."""
    values = page.locator(".linked").evaluate("(root, name) => root.linked.all[name]", name)
    return np.array(values, float)


def setup(page: Page) -> Any:
    text = page.locator(".linked").evaluate(
        "root => root.linked.choice.value ?? root.linked.message.start"
    )
    return read(text)


def cell(page: Page, name: str, row: int, column: int) -> Locator:
    """A cell, counted from 0."""
    found = page.locator(f'.matrix[data-name="{name}"]')
    columns = 2 if name in "WqWkWvXQKVO" else len(matrix(page, "X"))
    return found.locator(".cell").nth(row * columns + column)


def agrees_with_torch(page: Page) -> None:
    found = run(setup(page))
    for name, part in PARTS.items():
        np.testing.assert_allclose(matrix(page, name), getattr(found, part), atol=1e-6)


def test_the_browser_computes_what_torch_computes(opened: Any) -> None:
    page = opened("Layer").page
    agrees_with_torch(page)
    field = cell(page, "Wq", 0, 1)
    field.fill("1.5")
    field.press("Tab")
    page.get_by_role("button", name="causal").click()
    page.get_by_label("Wv: a usual matrix").select_option("trained")
    page.get_by_label("divide by √d").uncheck()
    idle(page)
    left = setup(page)
    assert left.w_q[0][1] == 1.5 and not left.scaled and left.w_v[0][0] == 0.83
    agrees_with_torch(page)


def test_dragging_redraws_at_once_and_sends_nothing_until_dropped(opened: Any) -> None:
    seen = opened("Layer")
    page, point = seen.page, seen.page.locator(".linked .point").nth(2)
    before, said = matrix(page, "O"), page.locator(OUTPUT_3).text_content()
    box = point.locator("circle").last.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.wait_for_timeout(300)
    seen.reset()
    page.mouse.down()
    page.mouse.move(x + 60, y + 90, steps=8)
    page.wait_for_timeout(300)
    assert seen.frames == 0, "nothing is sent while the vector is dragged"
    assert abs(matrix(page, "O") - before).max() > 0.05
    page.mouse.up()
    expect(page.locator(OUTPUT_3)).not_to_have_text(said or "")
    assert 0 < seen.bytes < CLICK
    expect(page).to_have_url(re.compile("attn_setup="))
    agrees_with_torch(page)
    x_there, y_there = matrix(page, "O")[2]
    told = page.locator(OUTPUT_3).text_content() or ""
    np.testing.assert_allclose(list(map(float, told.split(", "))), [x_there, y_there], atol=2e-6)
    milliseconds = page.locator(".linked").evaluate(
        """root => {
            const start = performance.now();
            for (let i = 0; i < 50; i++) root.linked.show();
            return (performance.now() - start) / 50;
        }"""
    )
    assert milliseconds < 1000 / 60
    assert not seen.complaints


def test_hovering_a_score_lights_its_row_key_value_weight_output_and_symbol(opened: Any) -> None:
    seen = opened("Layer")
    page = seen.page
    seen.reset()
    cell(page, "S", 1, 2).hover()
    for name, row, column in [("Q", 1, 0), ("K", 2, 1), ("A", 1, 2), ("V", 2, 0), ("O", 1, 1)]:
        expect(cell(page, name, row, column)).to_have_class(re.compile(r"\blit\b"))
    for name, row, column in [("Q", 2, 0), ("K", 1, 1), ("A", 1, 1), ("O", 2, 1)]:
        expect(cell(page, name, row, column)).not_to_have_class(re.compile(r"\blit\b"))
    lit = page.locator("[data-symbol].lit")
    expect(lit).to_have_count(1)
    expect(lit).to_have_attribute("data-symbol", "S")
    expect(page.locator(".linked .status")).to_contain_text("Query 2 with key 3")
    shoot(page, "attention_linked")
    cell(page, "V", 0, 0).hover()
    expect(page.locator('.formula [data-symbol="V"].lit').first).to_be_visible()
    expect(page.locator('[data-symbol="S"].lit')).to_have_count(0)
    assert seen.frames == 0


def test_arrow_keys_move_a_vector(opened: Any) -> None:
    page = opened("Layer").page
    before = setup(page).vectors[0]
    page.locator(".linked .point").first.focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile("attn_setup="))
    assert setup(page).vectors[0] == pytest.approx((before[0] - 0.1, before[1] + 0.1))


def test_a_mask_edit_changes_the_outputs_and_the_leak_test_finds_the_future(opened: Any) -> None:
    seen = opened("Mask")
    page = seen.page
    leak = page.get_by_text("Position 2’s output depends on the later token 3: the mask leaks.")
    expect(leak).to_be_visible()
    before = matrix(page, "O")
    cell(page, "M", 1, 2).click()
    expect(page.get_by_text("nothing leaks")).to_be_visible()
    healed = matrix(page, "O")
    assert abs(healed[1] - before[1]).max() > 1e-3
    assert np.array_equal(np.delete(healed, 1, 0), np.delete(before, 1, 0))
    cell(page, "M", 0, 3).click()
    expect(page.get_by_text("Position 1’s output depends on the later token 4")).to_be_visible()
    cell(page, "M", 0, 3).click()
    cell(page, "M", 0, 0).click()
    expect(page.get_by_text("Position 1 may look at nothing: its output is zero.")).to_be_visible()
    assert not matrix(page, "O")[0].any() and np.isfinite(matrix(page, "A")).all()
    agrees_with_torch(page)
    page.reload()
    expect(page.get_by_text("Position 1 may look at nothing: its output is zero.")).to_be_visible()
    assert not seen.complaints


def test_usual_masks_widen_when_pressed_again(opened: Any) -> None:
    page = opened("Mask").page
    band = page.get_by_role("button", name="band")
    band.click()
    assert matrix(page, "M").sum() == 10
    band.click()
    assert matrix(page, "M").sum() == 14
    page.get_by_role("button", name="Start again").click()
    expect(page.get_by_text("depends on the later token 3")).to_be_visible()


def test_the_view_is_saved(opened: Any) -> None:
    page = opened("Layer").page
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save this view as SVG").click()
    text = saved.value.path().read_text(encoding="utf-8")
    assert "softmax" in text and text.count("<rect") >= 12 + 4 * 2 * 5 + 3 * 16
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save this view as PNG").click()
    assert saved.value.path().read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("view", ["Layer", "Mask"])
def test_it_fits_a_phone_and_can_be_read(opened: Any, view: str, dark: bool) -> None:
    query = "attn_count=8"
    page = opened(view, query, size=PHONE, dark=dark, touch=True).page
    assert no_sideways_scroll(page)
    for selector in (".linked .status", ".facts dt", ".linked figcaption"):
        assert contrast(page, selector) >= 4.5, selector
    shoot(page, f"attention_lab_phone_{view}_{dark}")
