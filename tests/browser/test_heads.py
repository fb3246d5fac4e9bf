"""The head view in a real browser: what is drawn, what is sent, what the pointer finds."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, expect

from attnviz.figures.theme import colour_table
from tests.browser.demo.cases import HEAD_STACKS, HeadStack
from tests.browser.harness import (
    PHONE,
    Server,
    Visit,
    contrast,
    no_sideways_scroll,
    pixels,
    shoot,
)

CLICK = 2_000  # bytes over the websocket for one click
OPEN = 1_200_000  # bytes for all weights of 12 layers × 12 heads × 128 tokens
FRAME = 1000 / 60  # milliseconds
SVG = "{http://www.w3.org/2000/svg}"


class HeadsPage:
    """One head view in an open page."""

    def __init__(self, visit: Visit, case: HeadStack) -> None:
        self.visit, self.page, self.case = visit, visit.page, case
        self.root = self.page.locator(".headview")
        self.stage, self.pair = self.root.locator(".stage"), self.root.locator(".pair")
        self.status, self.which = self.root.locator(".status"), self.root.locator(".which b")
        self.chips = self.root.locator(".chip")

    def token(self, side: str, index: int) -> Locator:
        return self.root.locator(f".{side} .token").nth(index)

    def shares(self, side: str) -> list[str]:
        found = self.root.locator(f".{side} .token b").all_text_contents()
        return [share.replace("\N{NO-BREAK SPACE}", " ") for share in found]

    def tile(self, layer: int, head: int) -> dict[str, float]:
        """Where the middle of a map is, from the stage's corner."""
        box = self.stage.bounding_box()
        assert box is not None
        return {
            "x": (head + 0.5) * box["width"] / self.case.heads,
            "y": (layer + 0.5) * box["height"] / self.case.layers,
        }

    def edges(self) -> set[tuple[int, int, int]]:
        """(head, query, key) of every line; head −1 is the mean."""
        found = self.root.evaluate(
            "({view}) => view.lines.drawn.edges.map(([row, column, value, colour]) =>"
            " [view.message.palette.indexOf(colour), row, column])"
        )
        return {tuple(edge) for edge in found}

    def strongest(self, layer: int, heads: list[int], share: float) -> set[tuple[int, int, int]]:
        """The edges that hold the share of their row's weight, strongest first."""
        kept = set()
        for head in heads:
            for row, weights in enumerate(self.case.weights[layer, head].astype(float)):
                order = np.argsort(-weights, kind="stable")
                held = np.cumsum(weights[order])
                count = int((held < share * held[-1] * (1 - 1e-6)).sum()) + 1
                kept |= {(head, row, int(column)) for column in order[:count]}
        return kept

    def away(self) -> None:
        self.page.mouse.move(1, 1)

    def silent(self) -> bool:
        """Whether nothing was sent, after time for a message that must not come."""
        self.page.wait_for_timeout(300)
        return self.visit.frames == 0


@pytest.fixture
def look(visit: Any, demo: Server) -> Any:
    def looked(name: str = "plain", pin: str = "", **options: Any) -> HeadsPage:
        address = f"{demo.url}/?heads={name}&pinned={pin}"
        return HeadsPage(visit(address, ready=".headview .token", **options), HEAD_STACKS[name])

    return looked


def test_every_map_has_its_colours_on_one_scale(look: Any) -> None:
    view = look()
    weights = view.case.weights
    table = colour_table("viridis")
    expected = table[np.floor(255 * np.sqrt(weights / weights.max()) + 0.5).astype(int)]
    drawn = pixels(view.root.locator(".maps"))
    rows, columns = weights.shape[2:]
    height, width = view.root.evaluate(
        "({view}) => [view.wall.grid.tile.height, view.wall.grid.tile.width]"
    )
    for layer in range(view.case.layers):
        for head in range(view.case.heads):
            down = layer * (height + 3) + (np.arange(rows) + 0.5) * height / rows
            right = head * (width + 3) + (np.arange(columns) + 0.5) * width / columns
            found = drawn[np.ix_(down.astype(int), right.astype(int))][..., :3].astype(int)
            assert np.abs(found - expected[layer, head]).max() <= 4
    expect(view.root.locator(".legend .words")).to_have_text(
        "square-root scale, the same for every head"
    )
    assert view.root.locator(".silenced path").first.get_attribute("d").count("M") == 2
    shoot(view.page, "heads_plain")


def test_labels_are_numbered_and_literal(look: Any) -> None:
    view = look()
    for side, texts in (("queries", view.case.queries), ("keys", view.case.keys)):
        tokens = view.root.locator(f".{side} .token")
        titles = tokens.evaluate_all("all => all.map(token => token.title)")
        assert titles == [f"{i} {text}" for i, text in enumerate(texts)]
        assert tokens.locator("span").all_text_contents() == list(texts)


@pytest.mark.parametrize("temperature", [0.3, 1, 3])
def test_twelve_heads_of_128_tokens_are_light_and_hovering_is_silent(
    look: Any, temperature: float
) -> None:
    view = look(f"large{temperature}")
    assert view.visit.bytes <= OPEN
    error = view.root.evaluate("({view}) => view.message.error")
    for layer, head in ((0, 0), (5, 7), (11, 11)):
        found = view.root.evaluate(
            f"({{view}}) => Array.from(view.map({layer}, {head}))",
        )
        weights = view.case.weights[layer, head].reshape(-1)
        assert np.abs(np.array(found) - weights).max() <= error + 1e-6
    expect(view.root.locator(".caption")).to_contain_text("weights rounded to")
    view.visit.reset()
    view.token("queries", 3).hover()
    expect(view.status).to_contain_text("3 “word3” looks most at")
    view.token("keys", 5).hover()
    expect(view.status).to_contain_text("5 “word5” is looked at most by")
    view.stage.hover(position=view.tile(2, 9))
    expect(view.which).to_have_text("Layer 2, head 9")
    assert view.silent()
    shoot(view.page, f"heads_large_{temperature}")


def test_hovering_redraws_within_a_frame(look: Any) -> None:
    view = look("large1")
    changed, times = view.root.evaluate(
        """async ({ view }) => {
            const look = (i) => view.hoverToken([i % 2 ? "keys" : "queries", 3 * i]);
            const times = [];
            for (let i = 0; i < 40; i++) {
                await new Promise(requestAnimationFrame);  // the pointer moves once a frame
                const start = performance.now();
                look(i);
                times.push(performance.now() - start);
            }
            const seen = new Set();
            for (let i = 0; i < 6; i++) {
                look(i);
                seen.add(view.lines.lines.toDataURL());
            }
            return [seen.size, times];
        }"""
    )
    assert changed == 6, "the lines follow at once"
    assert np.quantile(times, 0.25) < FRAME, "what a machine that is not busy needs"


def test_a_query_shows_where_it_looks_and_a_key_who_looks_at_it(look: Any) -> None:
    view = look()
    layer, heads = view.case.layers - 1, list(range(view.case.heads))
    every = view.strongest(layer, heads, 0.8)
    assert view.edges() == every
    mean = view.case.weights[layer].mean(0)
    view.visit.reset()
    view.token("queries", 3).hover()
    assert view.edges() == {edge for edge in every if edge[1] == 3}
    assert view.shares("keys") == [f"{100 * share:.1f} %" for share in mean[3]]
    assert view.shares("queries") == [""] * len(view.case.queries)
    best = int(mean[3].argmax())
    chance = 100 * view.case.options["probabilities"][3]
    expect(view.status).to_contain_text(
        f"3 “monitor” (p = {chance:.1f} %) looks most at {best} “{view.case.keys[best]}”"
    )
    view.token("keys", 5).hover()
    assert view.edges() == {edge for edge in every if edge[2] == 5}
    assert view.shares("queries") == [f"{100 * share:.1f} %" for share in mean[:, 5]]
    expect(view.status).to_contain_text("5 “<b>$x$</b>” is looked at most by")
    shoot(view.page, "heads_key")
    view.away()
    expect(view.status).to_contain_text("Hover a word")
    assert view.edges() == every and view.silent()


def test_heads_are_toggled_alone_and_averaged(look: Any) -> None:
    view = look()
    layer = view.case.layers - 1
    view.visit.reset()
    view.chips.nth(1).click()
    assert view.edges() == view.strongest(layer, [0, 2, 3], 0.8)
    view.chips.nth(2).click(modifiers=["Shift"])
    assert view.edges() == view.strongest(layer, [2], 0.8)
    expect(view.which).to_have_text(f"Layer {layer}, head 2")
    view.chips.nth(0).dblclick()
    assert view.edges() == view.strongest(layer, [0], 0.8)
    view.root.locator(".chip.all").click()
    view.chips.filter(has_text="mean").click()
    assert {head for head, _, _ in view.edges()} == {-1}
    view.token("queries", 2).hover()
    mean = view.case.weights[layer].mean(0)[2]
    assert view.shares("keys") == [f"{100 * share:.1f} %" for share in mean]
    for chip in range(view.case.heads):
        view.chips.nth(chip).click()
    view.away()
    assert view.edges() == set()
    expect(view.which).to_have_text(f"Layer {layer}, no head on")
    assert view.silent()


def test_the_slider_hides_weak_lines_and_says_so(look: Any) -> None:
    view = look()
    layer, heads = view.case.layers - 1, list(range(view.case.heads))
    expect(view.status).to_contain_text("at least 80 % of each row’s weight; the weaker rest")
    slider = view.root.locator(".mass input")
    for share in (0.5, 0.9):
        slider.fill(str(share))
        assert view.edges() == view.strongest(layer, heads, share)
        expect(view.status).to_contain_text(f"at least {100 * share:.0f} % of each row’s weight")
    slider.fill("1")
    assert len(view.edges()) == view.case.weights[layer].size
    expect(view.status).to_contain_text("Every weight has its line")


def test_layers_change_by_their_numbers_and_by_keys(look: Any) -> None:
    view = look()
    heads = list(range(view.case.heads))
    view.root.get_by_role("button", name="layer 0").click()
    assert view.edges() == view.strongest(0, heads, 0.8)
    view.pair.focus()
    view.page.keyboard.press("PageDown")
    assert view.edges() == view.strongest(1, heads, 0.8)
    expect(view.root.locator(".chip.silenced")).to_have_text("2")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        view.page.keyboard.press(key)
    expect(view.status).to_contain_text("1 “는” is looked at most by")
    view.page.keyboard.press("Enter")
    expect(view.token("keys", 1)).to_have_class("token current kept")
    view.page.keyboard.press("Escape")
    expect(view.status).to_contain_text("Hover a word")


def test_a_click_picks_a_head_and_another_one_none(look: Any) -> None:
    view = look()
    view.visit.reset()
    view.stage.click(position=view.tile(1, 3))
    expect(view.page.get_by_text("picked (1, 3)")).to_be_visible()
    assert view.visit.bytes <= CLICK
    view.away()
    expect(view.which).to_have_text("Layer 1, head 3")
    assert view.edges() == view.strongest(1, [3], 0.8)
    view.stage.click(position=view.tile(1, 3))
    expect(view.page.get_by_text("picked None")).to_be_visible()
    view.away()
    expect(view.which).to_have_text("Layer 1, mean of 3 heads")  # one is silenced


def test_keys_pick_a_head(look: Any) -> None:
    view = look()
    view.stage.focus()
    for key in ("ArrowUp", "ArrowUp", "ArrowRight", "Enter"):
        view.page.keyboard.press(key)
    expect(view.page.get_by_text("picked (1, 1)")).to_be_visible()


def test_a_link_restores_the_head(look: Any) -> None:
    view = look(pin="0.2")
    expect(view.page.get_by_text("picked (0, 2)")).to_be_visible()
    expect(view.which).to_have_text("Layer 0, head 2")
    assert view.edges() == view.strongest(0, [2], 0.8)


def test_masked_cells_are_never_drawn(look: Any) -> None:
    view = look("decoder")
    view.root.locator(".mass input").fill("1")
    assert view.edges() and all(key <= query for _, query, key in view.edges())
    large = pixels(view.root.locator(".zoom"))
    assert ((large[..., 3] > 0) == np.tri(len(view.case.queries), dtype=bool)).all()
    expect(view.root.locator(".caption")).to_contain_text("masked cells are left blank")
    view.token("queries", 0).hover()
    assert view.shares("keys")[0] == "100 %" and set(view.shares("keys")[1:]) == {"0.0 %"}
    shoot(view.page, "heads_decoder")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", ["six", "large1"])
def test_a_phone_scrolls_inside(look: Any, name: str, dark: bool) -> None:
    view = look(name, size=PHONE, touch=True, dark=dark)
    assert no_sideways_scroll(view.page)
    for part in (".status", ".caption", ".which span", ".token span", ".mass span"):
        assert contrast(view.page, f".headview {part}") >= 4.5
    inside = view.pair.evaluate("box => [box.scrollHeight > box.clientHeight, box.clientHeight]")
    assert inside[0] == (name == "large1") and inside[1] < PHONE[1]
    stage, pair = view.stage.bounding_box(), view.pair.bounding_box()
    assert stage is not None and pair is not None and stage["y"] + stage["height"] < pair["y"]
    shoot(view.page, f"heads_phone_{name}_{'dark' if dark else 'light'}")


def test_touch(look: Any) -> None:
    view = look(size=PHONE, touch=True)
    view.token("queries", 1).tap()
    expect(view.status).to_contain_text("1 “saw”")
    expect(view.token("queries", 1)).to_have_class("token current kept")
    view.token("queries", 1).tap()
    expect(view.status).to_contain_text("Tap a word")
    view.stage.tap(position=view.tile(0, 3))
    expect(view.page.get_by_text("picked (0, 3)")).to_be_visible()


def test_downloads_are_files_that_open(look: Any) -> None:
    view = look()
    view.token("queries", 3).click()
    view.away()
    lines = len(view.edges())
    with view.page.expect_download() as saved:
        view.root.get_by_role("button", name="Save this view as SVG").click()
    assert saved.value.suggested_filename == "demo.svg"
    page = ElementTree.parse(saved.value.path()).getroot()
    texts = ["".join(node.itertext()) for node in page.iter(f"{SVG}text")]
    for text in (*view.case.queries, *view.case.keys):
        assert any(text in written for written in texts)
    curves = [node for node in page.iter(f"{SVG}path") if "C" in node.get("d", "")]
    assert len(curves) == lines
    with view.page.expect_download() as saved:
        view.root.get_by_role("button", name="Save this view as PNG").click()
    data = saved.value.path().read_bytes()
    image = Image.open(io.BytesIO(data))
    assert image.width == 2 * float(page.get("width", 0)) and len(image.getcolors(1 << 24)) > 10
