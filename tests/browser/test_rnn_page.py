"""The page "RNN to Seq2Seq" as a visitor meets it, with the bundled models of dates."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import expect

from app.loaders import percentile
from attnviz import zoo
from attnviz.figures.theme import colour_table
from attnviz.recurrence import Unrolled, unroll
from attnviz.text import Tokeniser
from attnviz.translation import translate
from tests.browser.harness import (
    PHONE,
    ROOT,
    Server,
    Visit,
    contrast,
    eventually,
    idle,
    no_sideways_scroll,
    pixels,
    shoot,
)

CORPUS = "dates_ko_en"
TEXT, OTHER = "2026년 3월 9일 월요일", "2019년 8월 5일 월요일 오후 9시 33분"
CLICK = 12_000  # bytes over the websocket


def own(text: str = TEXT, kind: str = "none") -> Unrolled:
    """The same by the library alone."""
    card = zoo.card(f"{CORPUS}_{kind}")
    return unroll(zoo.load(card.name, "cpu"), Tokeniser.load(card.tokeniser), text)


class Network:
    """The page, open at its main view."""

    def __init__(self, visit: Visit) -> None:
        self.visit, self.page = visit, visit.page
        self.said = self.page.locator(".said.large")
        self.part = self.page.locator(".unrolled")
        self.stage, self.strips = self.part.locator(".stage"), self.part.locator(".strips")
        self.status, self.clock = self.part.locator(".status"), self.part.locator(".clock")
        expect(self.status).not_to_be_empty()
        idle(self.page)

    def layout(self) -> dict[str, Any]:
        layout = self.part.evaluate("root => ({ ...root.unrolled.layout })")
        bridge, margin = 58, 30  # as in picture.js
        steps = range(layout["steps"])
        x = [margin + at * layout["step"] + bridge * (at >= layout["split"]) for at in steps]
        return layout | {"x": x}

    def point(self, row: int, step: int) -> tuple[float, float]:
        """The middle of a cell on the screen."""
        self.stage.scroll_into_view_if_needed()
        box, layout = self.stage.bounding_box(), self.layout()
        assert box is not None
        x = layout["x"][step] + layout["bar"] / 2
        return box["x"] + x, box["y"] + layout["top"] + (row + 0.5) * layout["unit"]

    def drawn(self) -> np.ndarray:
        """The colours of the cells, (units, steps, 3), read off the middle of each."""
        layout, canvas = self.layout(), pixels(self.strips)
        across = np.array(layout["x"]) + layout["bar"] / 2
        units = round(layout["height"] / layout["unit"])
        down = (np.arange(units) + 0.5) * layout["unit"]
        return canvas[np.ix_(down.astype(int), across.astype(int))][..., :3]

    def shows(self, found: Unrolled, part: str = "hidden") -> None:
        """Waits until the strips are those that the library computes."""
        expect(self.said).to_have_text(found.text)
        values = found.over_time(part)
        vector = found.fixed.get(part, found.fixed["hidden"])
        values = values[:, np.argsort(-vector, kind="stable")].T
        if part.endswith("gate"):
            shades, colours = 255 * values, colour_table("viridis")
        else:
            shares = np.clip(values / percentile(np.abs(values)), -1, 1)
            shades, colours = 255 * (1 + shares) / 2, colour_table("diverging")
        expected = colours[np.floor(shades + 0.5).astype(int)].astype(int)

        def drawn() -> bool:
            strips = self.drawn().astype(int)
            return strips.shape == expected.shape and np.abs(strips - expected).max() <= 8

        eventually(self.page, drawn, "the strips never showed what they should")


@pytest.fixture
def network(app: Server, visit: Any) -> Any:
    def opened(query: str = f"corpus={CORPUS}", **options: Any) -> Network:
        address = f"{app.url}/rnn?{quote(query, safe='=&+')}"
        return Network(visit(address, ready=".unrolled .stage", **options))

    return opened


def test_a_shared_link_opens_cold(visit: Any) -> None:
    with Server(ROOT / "app/main.py") as server:
        query = f"corpus={CORPUS}&text={OTHER}&network=LSTM+reversed&part=cell+c&unit=7&time_step=4"
        seen = visit(f"{server.url}/rnn?{quote(query, safe='=&+')}", ready=".unrolled .stage")
        view, found = Network(seen), own(OTHER, "reversed")
        view.shows(found, "cell")
        value = f"{found.over_time('cell')[4, 7]:.4f}".replace("-", "−")
        expect(view.status).to_contain_text(f"unit 7: cell c {value}")
        expect(view.status).to_contain_text(f"reads “{found.read[4]}”, piece {found.order[4]}")
        expect(view.clock).to_have_text(f"step 4 of {len(found.read) + len(found.said) - 1}")
        assert "Traceback" not in server.output()
    assert not seen.complaints


def test_the_strips_are_the_runs_numbers(network: Any) -> None:
    view = network()
    view.shows(own())
    shoot(view.page, "rnn_unrolled")
    for word, kind, part in (
        ("forget gate f", "none", "forget_gate"),
        ("LSTM reversed", "reversed", "forget_gate"),
        ("vanilla RNN", "rnn", "hidden"),
    ):
        view.page.get_by_text(word, exact=True).click()
        idle(view.page)
        view.shows(own(kind=kind), part)
    assert not view.visit.complaints


def test_hovering_a_unit_draws_it_without_a_message(network: Any) -> None:
    view, found = network(), own()
    order = np.argsort(-found.fixed["hidden"], kind="stable")
    view.visit.reset()
    for row, step in ((0, 0), (40, 5), (95, len(found.read) + 2)):
        view.page.mouse.move(*view.point(row, step))
        value = f"{found.over_time('hidden')[step, order[row]]:.4f}".replace("-", "−")
        expect(view.status).to_contain_text(f"unit {order[row]}: state h {value}")
        expect(view.part.locator(".curve circle")).to_have_count(len(found.read) + len(found.said))
    expect(view.status).to_contain_text(f"says “{found.said[2]}”")
    view.page.wait_for_timeout(300)  # time for a message that must not come
    assert view.visit.frames == 0


def test_a_click_keeps_a_unit_for_little(network: Any) -> None:
    view = network()
    view.shows(own())
    unit = int(np.argsort(-own().fixed["hidden"], kind="stable")[10])
    view.visit.reset()
    view.page.mouse.click(*view.point(10, 3))
    expect(view.page).to_have_url(re.compile(f"unit={unit}"))
    idle(view.page)
    expect(view.page.locator('[data-testid="stPlotlyChart"]')).to_have_count(1)
    assert view.visit.bytes < CLICK + 30_000  # the figure of the unit
    view.stage.press("Escape")
    expect(view.page).not_to_have_url(re.compile("unit="))


def test_play_uncovers_the_steps_and_rests_in_the_link(network: Any) -> None:
    view = network()
    view.shows(own())
    view.part.locator(".play").click()
    expect(view.clock).to_have_text(re.compile("step [1-9]"))
    expect(view.part.locator(".veil rect")).to_have_count(1)
    view.part.locator(".play").click()
    expect(view.page).to_have_url(re.compile(r"time_step=\d+"))
    view.part.get_by_text("All steps").click()
    expect(view.page).not_to_have_url(re.compile("time_step"))
    expect(view.part.locator(".veil rect")).to_have_count(0)


def test_the_picture_is_saved(network: Any) -> None:
    view = network()
    for kind, start in (("svg", b"<svg"), ("png", b"\x89PNG")):
        with view.page.expect_download() as saved:
            view.part.locator(f".{kind}").last.click()
        assert saved.value.suggested_filename == f"{CORPUS}_none-hidden.{kind}"
        content = saved.value.path().read_bytes()
        assert content.startswith(start) and len(content) > 5_000
        if kind == "svg":
            assert (
                "월요일" in content.decode() and "the fixed vector: 96 numbers" in content.decode()
            )


def test_gradients_follow_the_sliders(network: Any) -> None:
    view = network(f"corpus={CORPUS}&part=state+h")
    page = view.page
    page.locator(".st-key-rnn_view").get_by_text("Gradients").click()
    expect(page.get_by_text("What is left 59 steps back")).to_be_visible()
    slider = page.locator(".st-key-length input[type=range]")
    slider.focus()
    slider.press("ArrowRight")
    expect(page.get_by_text("What is left 60 steps back")).to_be_visible()
    expect(page).to_have_url(re.compile("length=61"))
    page.get_by_text("Trained encoders of these sentences too").click()
    expect(page.get_by_text("vanilla RNN, trained").first).to_be_visible()
    shoot(page, "rnn_gradients")


def test_the_measurement_runs_again_and_stops(app: Server, visit: Any) -> None:
    query = f"corpus={CORPUS}&rnn_view=The+bottleneck"
    seen = visit(f"{app.url}/rnn?{query}", ready=".js-plotly-plot")
    page = seen.page
    page.get_by_role("button", name="Translate 300 held-out sentences now").click()
    page.get_by_role("button", name="Stop").dispatch_event("click")  # at once: the work goes on
    start = page.get_by_role("button", name=re.compile("to the end|again|now"))
    expect(start).to_be_visible()
    start.click()
    expect(page.get_by_text("300 of the 300 bundled held-out sentences")).to_be_visible()
    expect(page.get_by_text("attention, MLP, measured now")).to_be_visible()
    shoot(page, "rnn_bottleneck")
    assert not seen.complaints


def test_a_candidate_is_clicked_to_go_on_from(app: Server, visit: Any) -> None:
    seen = visit(f"{app.url}/rnn?corpus={CORPUS}&rnn_view=Decoding", ready=".choices .steps li")
    page, steps = seen.page, seen.page.locator(".choices .steps li")
    card = zoo.card(f"{CORPUS}_none")
    model, tokeniser = zoo.load(card.name, "cpu"), Tokeniser.load(card.tokeniser)
    first = translate(model, tokeniser, TEXT)
    said = page.locator(".choices .said")
    expect(said).to_have_text(first.text)
    expect(steps).to_have_count(len(first.ids))
    steps.nth(2).locator("button").nth(1).click()
    ids = (*first.ids[:2], int(first.candidates[2, 1]))
    expect(said).to_have_text(translate(model, tokeniser, TEXT, prefix=ids).text)
    expect(page.locator(".choices .steps li.given")).to_have_count(3)
    expect(page).to_have_url(re.compile("beginning=" + "-".join(map(str, ids))))
    shoot(page, "rnn_decoding")
    page.get_by_role("button", name="Start again").click()
    expect(said).to_have_text(first.text)
    page.locator(".choices .scrub").fill("1")
    expect(page.locator(".choices .steps li.later")).to_have_count(len(first.ids) - 1)
    assert not seen.complaints


def test_the_reversal_says_what_the_cards_say(app: Server, visit: Any) -> None:
    seen = visit(f"{app.url}/rnn?corpus={CORPUS}&rnn_view=Reversal", ready=".said.large")
    after = zoo.card(f"{CORPUS}_reversed").scores["exact_match"]
    expect(seen.page.get_by_text(re.compile(f"Reversed, {after:.1%} of"))).to_be_visible()
    expect(seen.page.locator(".said.large")).to_have_text([own().text, own(kind="reversed").text])
    shoot(seen.page, "rnn_reversal")


@pytest.mark.parametrize("dark", [False, True])
def test_everything_fits_a_phone_and_can_be_read(network: Any, dark: bool) -> None:
    view = network(size=PHONE, dark=dark, touch=True)
    view.shows(own())
    assert no_sideways_scroll(view.page)
    for selector in (".unrolled .status", ".unrolled .clock", ".unrolled .foot", ".note"):
        assert contrast(view.page, selector) >= 4.5, selector
    shoot(view.page, f"rnn_phone_{'dark' if dark else 'light'}")
    for name in ("Gradients", "The bottleneck", "Decoding", "Reversal"):
        view.page.locator(".st-key-rnn_view").get_by_text(name, exact=True).click()
        idle(view.page)
        assert no_sideways_scroll(view.page), name
