"""The alignment in a real browser: what is drawn, what the pointer finds, what is saved."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from attnviz.figures.theme import colour_table
from tests.browser.demo.cases import ALIGNMENTS, Alignment
from tests.browser.harness import (
    PHONE,
    Server,
    Visit,
    contrast,
    idle,
    no_sideways_scroll,
    shoot,
)

BUDGET = 2_000  # bytes over the websocket for one click


class MatrixView:
    """One alignment in an open page."""

    def __init__(self, visit: Visit, case: Alignment) -> None:
        self.visit, self.page, self.case = visit, visit.page, case
        self.root = self.page.locator(".alignment")
        self.board, self.status = self.root.locator(".board"), self.root.locator(".status")
        expect(self.root.locator(".rects rect")).to_have_count(case.weights.size)
        idle(self.page)

    def cell(self, row: int, column: int) -> Any:
        return self.root.locator(".rects rect").nth(row * self.case.weights.shape[1] + column)

    def fills(self) -> list[str]:
        return self.root.locator(".rects rect").evaluate_all(
            "all => all.map(rect => rect.getAttribute('fill'))"
        )

    def shades(self, labels: str) -> np.ndarray:
        """How dark the labels are, as shares of the darkest possible."""
        found = self.root.locator(f".{labels} .shade").evaluate_all(
            "all => all.map(rect => Number(rect.getAttribute('opacity')))"
        )
        return np.array(found) / 0.6

    def away(self) -> None:
        self.page.mouse.move(1, 1)


@pytest.fixture
def look(visit: Any, demo: Server) -> Any:
    def looked(name: str = "plain", pin: str = "", **options: Any) -> MatrixView:
        address = f"{demo.url}/?alignment={name}&pinned={pin}"
        return MatrixView(visit(address, ready=".alignment .board", **options), ALIGNMENTS[name])

    return looked


@pytest.mark.parametrize("name", ALIGNMENTS)
def test_every_weight_has_its_colour_and_every_piece_its_numbered_label(
    look: Any, name: str
) -> None:
    view = look(name)
    shades = np.floor(255 * view.case.weights + 0.5).astype(int).reshape(-1)
    expected = [f"rgb({r}, {g}, {b})" for r, g, b in colour_table("viridis")[shades]]
    assert view.fills() == expected
    for labels, texts in (("columns", view.case.source), ("rows", view.case.target)):
        titles = view.root.locator(f"g.{labels} title").evaluate_all(
            "all => all.map(title => title.textContent)"
        )
        assert titles == [f"{i} {text}" for i, text in enumerate(texts)]
    shoot(view.page, f"alignment_{name}")


def test_hover_says_the_exact_weight_without_a_message(look: Any) -> None:
    view = look()
    view.visit.reset()
    view.cell(1, 2).hover()
    weight = view.case.weights[1, 2]
    expect(view.status).to_contain_text(f"gives 2 “{view.case.source[2]}” {100 * weight:.0f} %")
    assert np.abs(view.shades("columns") - view.case.weights[1]).max() < 0.002
    assert not view.shades("rows").any()
    numbers = view.root.locator(".numbers text").all_text_contents()
    assert [float(n) for n in numbers] == pytest.approx(100 * view.case.weights[1], abs=0.5)
    view.page.wait_for_timeout(300)  # time for a message that must not come
    assert view.visit.frames == 0
    view.away()
    expect(view.status).to_contain_text("Move over the matrix")
    assert not view.shades("columns").any()


def test_labels_answer_for_their_row_and_column(look: Any) -> None:
    view = look()
    view.root.locator("g.column").nth(2).locator("text").hover()
    best = int(view.case.weights[:, 2].argmax())
    expect(view.status).to_contain_text("Source 2 “<b>$x$</b>”, which is not in the vocabulary")
    expect(view.status).to_contain_text(f"looked at most by {best} “{view.case.target[best]}”")
    assert np.abs(view.shades("rows") - view.case.weights[:, 2]).max() < 0.002
    view.root.locator("g.row").nth(0).locator("text").hover()
    expect(view.status).to_contain_text("Target 0 “I” (p = 90 %) looks at")
    view.root.locator("g.row").nth(1).locator("text").hover()
    expect(view.status).to_contain_text("(p = 50 %, forced)")


def test_marks(look: Any) -> None:
    view = look()
    expect(view.root.locator("g.column .mark")).to_have_count(1)
    expect(view.root.locator("g.column").nth(2).locator(".mark")).to_have_count(1)
    expect(view.root.locator("g.row").nth(1).locator(".mark")).to_have_count(1)
    bars = view.root.locator("g.probability rect:last-of-type")
    widths = [float(bar.get_attribute("width")) for bar in bars.all()]
    assert np.array(widths) / 26 == pytest.approx(view.case.probabilities, abs=1e-6)


def test_a_click_pins_and_another_one_unpins(look: Any) -> None:
    view = look()
    view.visit.reset()
    view.cell(1, 2).click()
    expect(view.page.get_by_text("pinned (1, 2)")).to_be_visible()
    idle(view.page)
    assert view.visit.bytes <= BUDGET
    view.away()
    expect(view.status).to_contain_text("Pinned.")
    view.cell(1, 2).click()
    expect(view.page.get_by_text("pinned None")).to_be_visible()
    view.away()
    expect(view.status).to_contain_text("Move over")


def test_keyboard(look: Any) -> None:
    view = look()
    view.board.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "Enter"):
        view.page.keyboard.press(key)
    expect(view.page.get_by_text("pinned (1, 1)")).to_be_visible()
    for key in [*["ArrowDown"] * 9, *["ArrowRight"] * 9, "Enter"]:
        view.page.keyboard.press(key)
    last = tuple(n - 1 for n in view.case.weights.shape)
    expect(view.page.get_by_text(f"pinned {last}")).to_be_visible()


def test_a_link_restores_the_pin(look: Any) -> None:
    view = look(pin="1.0")
    expect(view.page.get_by_text("pinned (1, 0)")).to_be_visible()
    expect(view.status).to_contain_text("Pinned.")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", ALIGNMENTS)
def test_a_phone_scrolls_inside_and_keeps_the_rows_in_view(
    look: Any, name: str, dark: bool
) -> None:
    view = look(name, size=PHONE, touch=True, dark=dark)
    assert no_sideways_scroll(view.page)
    for part in (".alignment .status", ".alignment .foot .words"):
        assert contrast(view.page, part) >= 4.5
    label = view.root.locator("g.row text").first
    before = label.bounding_box()
    scrolled = view.root.locator(".scroll").evaluate(
        "box => { box.scrollLeft = 9999; return box.scrollLeft; }"
    )
    assert (scrolled > 0) == (name == "long")
    after = label.bounding_box()
    assert before is not None and after is not None and abs(before["x"] - after["x"]) < 4
    shoot(view.page, f"alignment_phone_{name}_{'dark' if dark else 'light'}")


def test_touch(look: Any) -> None:
    view = look(size=PHONE, touch=True)
    view.cell(0, 1).tap()
    expect(view.page.get_by_text("pinned (0, 1)")).to_be_visible()
    expect(view.status).to_contain_text(f"gives 1 “{view.case.source[1]}”")


def test_downloads_are_files_that_open(look: Any) -> None:
    view = look()
    view.cell(1, 2).click()
    view.away()
    with view.page.expect_download() as saved:
        view.root.get_by_role("button", name="Save the matrix as SVG").click()
    assert saved.value.suggested_filename == "demo.svg"
    page = ElementTree.parse(saved.value.path()).getroot()
    texts = ["".join(node.itertext()) for node in page.iter("{http://www.w3.org/2000/svg}text")]
    for text in (*view.case.source, *view.case.target):
        assert any(text in written for written in texts)
    with view.page.expect_download() as saved:
        view.root.get_by_role("button", name="Save the matrix as PNG").click()
    image = Image.open(io.BytesIO(saved.value.path().read_bytes()))
    assert image.width == 2 * float(page.get("width", 0)) and len(image.getcolors(1 << 24)) > 10
