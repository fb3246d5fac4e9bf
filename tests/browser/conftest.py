"""Fixtures of the browser tests: one browser, one server a kind, and visits that are closed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext

from tests.browser.harness import ROOT, Server, Visit, chromium, device


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="session")
def demo() -> Iterator[Server]:
    with Server(ROOT / "tests/browser/demo/main.py") as server:
        yield server


@pytest.fixture(scope="session")
def app() -> Iterator[Server]:
    with Server(ROOT / "app/main.py") as server:
        yield server


@pytest.fixture(scope="session")
def devices(browser: Browser) -> Callable[..., BrowserContext]:
    """Screens, one a kind: visits on the same one find Streamlit's own files in its cache."""
    known: dict[object, BrowserContext] = {}

    def found(**options: Any) -> BrowserContext:
        kind = tuple(sorted(options.items()))
        if kind not in known:
            known[kind] = device(browser, **options)
        return known[kind]

    return found


@pytest.fixture
def visit(devices: Callable[..., BrowserContext]) -> Iterator[Callable[..., Visit]]:
    """`visit(url, ready=SELECTOR, size=…, dark=…, touch=…)` opens a page as a new visitor."""
    visits: list[Visit] = []

    def opened(url: str, *, ready: str = '[data-testid="stMain"]', **options: Any) -> Visit:
        visits.append(Visit(devices(**options)))
        return visits[-1].open(url, ready)

    yield opened
    for each in visits:
        each.page.close()
