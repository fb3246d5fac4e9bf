"""The page "Why self-attention"."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app import loaders, measurements
from app.measurements import Setup
from app.views import why_formulas, why_measured
from attnviz import measuring
from attnviz.complexity import Sizes
from attnviz.measuring import LAYERS, Point
from tests.app.apptest import MAIN, html, take_away
from tests.app.conftest import _opened

Open = Callable[..., AppTest]
SETUP = Setup(Sizes(64), "cpu", "forward")


@pytest.fixture(scope="module", autouse=True)
def _tiny_zoo() -> None:
    """This page needs no weights."""


@pytest.fixture
def why(home: AppTest) -> Open:
    return partial(_opened, home, "why")


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, int]]]:
    """What was asked to be measured; answers come at once, and nothing was measured before."""
    asked: list[tuple[str, int]] = []

    def quick(layer: str, length: int, sizes: Sizes, device: str, passes: str) -> Point:
        assert loaders.turn(device).locked()
        asked.append((layer, length))
        return Point(layer, length, (length / 1e6,) * 3, 4 * length**2, datetime.now(UTC))

    monkeypatch.setattr(measuring, "measure", quick)
    measurements.known(SETUP).clear()
    yield asked
    measurements.known(SETUP).clear()


def figure(app: AppTest, place: int = 0) -> dict[str, Any]:
    return json.loads(app.get("plotly_chart")[place].proto.spec)


def test_the_first_view_is_the_papers_table_with_numbers(why: Open) -> None:
    app = why(why_n="64", why_d="512", why_k="3", why_r="33")
    page = html(app)
    assert "<td>self-attention</td><td>O(n²·d) = 2.1 M</td><td>O(1) = 1</td>" in page
    assert "<td>recurrence</td><td>O(n·d²) = 16.8 M</td><td>O(n) = 64</td>" in page
    assert figure(app)["data"][-1]["text"] == ["n = 512", "n = 1,536", "n = 33"]
    assert "1/8 as many" in html(app)
    app.select_slider(key="why_d").set_value(128).run()
    assert figure(app)["data"][-1]["text"][0] == "n = 128"
    app.segmented_control(key="why_count").set_value(why_formulas.EXACT).run()
    assert "FlopCounterMode" in html(app)
    assert figure(app)["data"][-1]["text"][0] == "n = 256"  # an LSTM, at 2 d


@pytest.mark.parametrize("view", ["Formulas", "Paths", "Measured"])
def test_every_view_has_its_facts_formula_and_a_snippet_that_runs(
    why: Open, measured: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch, view: str
) -> None:
    app = take_away(why(why_view=view))
    assert not app.exception and not app.error
    assert "What is true here" in html(app)
    assert len(app.get("download_button")) == 2
    monkeypatch.undo()  # the snippet measures in earnest
    exec(app.code[0].value, {})


def test_paths_are_found_and_counted(why: Open) -> None:
    app = why(why_view="Paths", why_tokens="9", why_taps="3", why_near="5")
    page = html(app)
    for words in ("1 edge found", "9 edges found", "2 edges found", "4 edges found"):
        assert words in page
    app.toggle(key="why_dilated").set_value(False).run()
    assert page.count("2 edges found") == 1 and "2 edges found" not in html(app)


def test_short_lengths_are_measured_at_once_and_long_ones_when_asked(
    why: Open, measured: list[tuple[str, int]]
) -> None:
    app = why(why_view="Measured", why_longest="512")
    assert measured == [(layer, n) for n in (16, 32, 64, 128, 256) for layer in LAYERS]
    assert "<td>1.00</td><td>1.42</td><td>2</td><td>2.00</td>" in html(app)
    app.button(key="why_start").click().run()
    assert measured[30:] == [(layer, 512) for layer in LAYERS]
    assert app.button(key="why_start").label == "Measure up to n = 512 again"
    app.button(key="why_start").click().run()
    assert len(measured) == 72


def test_a_second_visitor_sees_what_was_measured(
    why: Open, measured: list[tuple[str, int]]
) -> None:
    why(why_view="Measured")
    count = len(measured)
    visitor = AppTest.from_file(str(MAIN), default_timeout=60).run()
    other = _opened(visitor, "why", why_view="Measured")
    assert len(measured) == count
    assert f"{datetime.now(UTC):%Y-%m-%d}" in html(other)


def test_stop_stops(home: AppTest, measured: list[tuple[str, int]]) -> None:
    home.session_state["why_running"] = why_measured.STOPPED
    app = _opened(home, "why", why_view="Measured")
    assert not measured and len(app.get("plotly_chart")) == 2  # empty: nothing is made up
    assert app.button(key="why_start").label == "Measure up to n = 1,024"
