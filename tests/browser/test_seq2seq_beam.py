"""The beam as a visitor uses it, with the bundled translators of dates."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ElementTree
from typing import Any
from urllib.parse import quote

import pytest
from PIL import Image
from playwright.sync_api import expect

from attnviz import zoo
from attnviz.text import END, Tokeniser
from attnviz.translation import Search, search
from tests.browser.harness import (
    PHONE,
    Server,
    Visit,
    contrast,
    idle,
    no_sideways_scroll,
    shoot,
)

CORPUS, TEXT = "dates_ko_en", "2026년 3월 9일 월요일"


def own(prefix: tuple[int, ...] = (), width: int = 4) -> Search:
    """The same by the library alone."""
    card = zoo.card(f"{CORPUS}_mlp")
    model, tokeniser = zoo.load(card.name, "cpu"), Tokeniser.load(card.tokeniser)
    return search(model, tokeniser, TEXT, width=width, prefix=prefix)


class Tree:
    """The page, open at the tree."""

    def __init__(self, visit: Visit) -> None:
        self.visit, self.page = visit, visit.page
        self.root = self.page.locator(".beam")
        self.status = self.root.locator(".status")
        self.found = self.page.get_by_test_id("stRadioGroup")
        expect(self.status).not_to_be_empty()
        idle(self.page)

    def node(self, step: int, rank: int) -> Any:
        return self.root.locator(f".node[data-place='{step},{rank}']")


@pytest.fixture
def tree(app: Server, visit: Any) -> Any:
    def opened(query: str = "", text: str = TEXT, **options: Any) -> Tree:
        address = f"{app.url}/seq2seq?corpus={CORPUS}&seq_view=Beam&text={quote(text)}{query}"
        return Tree(visit(address, ready=".beam .node", **options))

    return opened


def alternative(found: Search) -> tuple[int, int]:
    """A kept beginning that is open, and no part of the best translation."""
    best = found.translations[0].ids
    return next(
        (step, rank)
        for step, kept in enumerate(found.tree)
        for rank, (ids, _) in enumerate(kept)
        if ids[-1] != END and ids != best[: len(ids)]
    )


def test_a_click_goes_on_from_an_alternative_and_there_is_a_way_back(tree: Any) -> None:
    view, found = tree(), own()
    step, rank = alternative(found)
    prefix, total = found.tree[step][rank]
    expect(view.root.locator(".node")).to_have_count(sum(map(len, found.tree)))
    view.visit.reset()
    view.node(step, rank).hover()
    said = Tokeniser.load("dates").decode(prefix)
    expect(view.status).to_contain_text(f"“{said}”")
    expect(view.status).to_contain_text(f"{total:.4f}".replace("-", "−"))
    view.page.wait_for_timeout(300)  # time for a message that must not come
    assert view.visit.frames == 0
    shoot(view.page, "beam_hover")
    view.node(step, rank).click()
    expect(view.page.get_by_text(f"Every translation begins with “{said}”.")).to_be_visible()
    continued = own(prefix)
    expect(view.root.locator(".node")).to_have_count(sum(map(len, continued.tree)))
    expect(view.found).to_contain_text(continued.translations[0].text)
    assert continued.translations[0].text != found.translations[0].text
    expect(view.page).to_have_url(re.compile("prefix=" + r"\.".join(map(str, prefix)) + r"(&|$)"))
    shoot(view.page, "beam_continued")
    view.page.reload()
    again = Tree(view.visit)
    expect(again.found).to_contain_text(continued.translations[0].text)
    again.page.get_by_role("button", name="Back to the free search").click()
    expect(again.found).to_contain_text(found.translations[0].text)
    expect(again.page).not_to_have_url(re.compile("prefix="))
    assert not view.visit.complaints


def test_an_ending_shows_its_own_alignment(tree: Any) -> None:
    view, found = tree(), own()
    second = found.translations[1]
    step = len(second.ids) - 1
    rank = next(r for r, (ids, _) in enumerate(found.tree[step]) if ids == second.ids)
    view.node(step, rank).scroll_into_view_if_needed()
    view.node(step, rank).click()
    expect(view.found.get_by_role("radio").nth(1)).to_be_checked()
    expect(view.page).to_have_url(re.compile("hypothesis=2"))
    cells = view.page.locator(".alignment .rects rect")
    expect(cells).to_have_count(second.weights.size)
    view.found.get_by_role("radio").nth(0).check(force=True)
    expect(view.page).not_to_have_url(re.compile("hypothesis="))


def test_keys_walk_the_tree_and_the_width_narrows_it(tree: Any) -> None:
    view, found = tree(), own()
    view.root.locator(".tree").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        view.page.keyboard.press(key)
    ids = found.tree[1][1][0]
    expect(view.status).to_contain_text(f"“{Tokeniser.load('dates').decode(ids)}”")
    slider = view.page.get_by_role("slider", name="Width")
    slider.press("Home")
    expect(view.found.get_by_role("radio")).to_have_count(1)
    expect(view.root.locator(".node")).to_have_count(len(own(width=1).tree))
    expect(view.page.get_by_text("says the same; log-probability")).to_be_visible()


def test_a_hundred_steps_scroll_in_their_box_and_text_is_shown_as_it_is(tree: Any) -> None:
    tokeniser = Tokeniser.load("dates")
    comma = next(id for id in range(4, tokeniser.size) if tokeniser.piece(id) == ",")
    prefix = ".".join(["1", *[str(comma)] * 99])  # <unk>, then commas
    view = tree(f"&width=8&prefix={prefix}", text="<b>$x$ " * 60)
    expect(view.root.locator(".node")).to_have_count(100)
    expect(view.node(0, 0)).to_contain_text("<unk>")
    assert no_sideways_scroll(view.page)
    box = view.root.locator(".scroll")
    assert box.evaluate("box => box.scrollWidth > 3 * box.clientWidth")
    assert box.evaluate("box => box.scrollLeft") > 0  # where what was given ends
    expect(view.page.get_by_text("did not end").first).to_be_visible()
    assert view.root.locator("unk").count() == 0 and not view.visit.complaints


def test_downloads(tree: Any) -> None:
    view = tree()
    for kind in ("png", "svg"):
        with view.page.expect_download() as coming:
            view.root.locator(f".files .{kind}").click()
        assert coming.value.suggested_filename == f"{CORPUS}_mlp-beam.{kind}"
        data = coming.value.path().read_bytes()
        if kind == "png":
            assert Image.open(io.BytesIO(data)).size[0] >= 900
        else:
            assert "Monday" in "".join(ElementTree.fromstring(data).itertext())


@pytest.mark.parametrize("dark", [False, True])
def test_both_screens_and_themes(tree: Any, dark: bool) -> None:
    wide = tree(dark=dark, size=(1440, 900))
    shoot(wide.page, f"beam_{'dark' if dark else 'light'}")
    for part in (".status", ".foot span"):
        assert contrast(wide.page, f".beam {part}") >= 4.5, part
    phone = tree(size=PHONE, touch=True, dark=dark)
    assert no_sideways_scroll(phone.page)
    phone.node(0, 1).tap()
    expect(phone.status).to_contain_text("tap again to go on from here")
    assert "prefix=" not in phone.page.url
    shoot(phone.page, f"beam_phone_{'dark' if dark else 'light'}")
    phone.node(0, 1).tap()
    expect(phone.page).to_have_url(re.compile("prefix="))
