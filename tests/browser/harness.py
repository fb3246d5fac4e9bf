"""A real server and a real browser, for the tests in this folder and for the benchmarks."""

from __future__ import annotations

import base64
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ElementHandle,
    Locator,
    Page,
    WebSocket,
    expect,
    sync_playwright,
)

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60_000  # milliseconds; a busy two-core machine is slow, not broken
DESKTOP, PHONE = (1280, 900), (390, 844)
expect.set_options(timeout=PATIENCE)
SHOTS = os.environ.get("ATTNVIZ_SHOTS")  # a folder for screenshots to look at; unset: none

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--force-color-profile=srgb",
]


class Server:
    """A Streamlit server of its own process; `with` stops it."""

    def __init__(self, script: Path, **env: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.log = tempfile.TemporaryFile("w+")  # noqa: SIM115 - lives as long as the process
        options = {
            "server.port": port,
            "server.address": "127.0.0.1",
            "server.headless": "true",
            "server.fileWatcherType": "none",
            "browser.gatherUsageStats": "false",
        }
        flags = [part for name, value in options.items() for part in (f"--{name}", str(value))]
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", str(script), *flags],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)} | env,
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )

    def __enter__(self) -> Server:
        while not self.healthy():
            if self.process.poll() is not None or time.perf_counter() - self.started > 60:
                self.__exit__()
                raise RuntimeError(f"the server did not start:\n{self.output()}")
            time.sleep(0.05)
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2) as answer:
                return answer.status == 200
        except OSError:
            return False

    def output(self) -> str:
        descriptor = self.log.fileno()  # its offset is the server's own
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0).decode(errors="replace")

    def megabytes(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024


def device(
    browser: Browser,
    *,
    size: tuple[int, int] = DESKTOP,
    dark: bool = False,
    touch: bool = False,
) -> BrowserContext:
    """A screen with a cache of its own."""
    return browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if dark else "light",
        has_touch=touch,
        is_mobile=touch,
        accept_downloads=True,
    )


class Visit:
    """One visitor's page, with what goes over its websocket and what its console complains of."""

    def __init__(self, context: BrowserContext) -> None:
        self.page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.complaints: list[str] = []
        self.reset()
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("websocket", self._listen)

    def open(self, url: str, ready: str = '[data-testid="stMain"]') -> Visit:
        """Go there, and wait until `ready` is on the page and the script has run."""
        self.page.goto(url)
        self.page.wait_for_selector(ready)
        idle(self.page)
        return self

    def reset(self) -> None:
        """Count frames and bytes from now on."""
        self.frames = self.bytes = 0

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framesent", self._count)
        socket.on("framereceived", self._count)

    def _count(self, payload: str | bytes) -> None:
        self.frames += 1
        self.bytes += len(payload)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, driven by Playwright."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        raise RuntimeError("Chromium is missing: install it with `apt-get install chromium`.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, headless=True, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def idle(page: Page) -> None:
    """Wait until the page's script has run."""
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')


def eventually(page: Page, holds: Callable[[], bool], complaint: str) -> None:
    """Wait until `holds()`: a component draws a moment after the text beside it has changed."""
    for _ in range(100):
        if holds():
            return
        page.wait_for_timeout(100)
    raise AssertionError(complaint)


def click_cell(page: Page, matrix: Locator, row: int, column: int) -> None:
    """A click into the middle of one cell of an alignment."""
    matrix.locator(".board").scroll_into_view_if_needed()
    x, y = matrix.evaluate(
        """(root, [row, column]) => {
            const { layout, cells } = root.alignment;
            const box = cells.getBoundingClientRect();
            return [
                box.left + (column + 0.5) * layout.cell.width,
                box.top + layout.top + (row + 0.5) * layout.cell.height,
            ];
        }""",
        [row, column],
    )
    page.mouse.click(x, y)


def pixels(canvas: Locator | ElementHandle) -> np.ndarray:
    """What a canvas holds, (height, width, 4) uint8."""
    height, width, data = canvas.evaluate(
        """canvas => {
            const { width, height } = canvas;
            const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
            let text = "";
            for (let i = 0; i < data.length; i += 32768)
                text += String.fromCharCode(...data.subarray(i, i + 32768));
            return [height, width, btoa(text)];
        }"""
    )
    return np.frombuffer(base64.b64decode(data), np.uint8).reshape(height, width, 4)


def redrawn(canvas: Locator, before: np.ndarray) -> np.ndarray:
    """What a canvas holds once that differs from `before`; AssertionError if it never does."""
    end = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < end:
        now = pixels(canvas)
        if now.shape != before.shape or (now != before).any():
            return now
        canvas.page.wait_for_timeout(30)
    raise AssertionError("the canvas was not drawn again")


def contrast(page: Page, selector: str) -> float:
    """The WCAG ratio of a text's colour to the page behind it."""
    found = page.locator(selector).first.evaluate(
        """node => {
            const paint = document.createElement("canvas").getContext("2d");
            const rgb = (colour) => {
                paint.fillStyle = colour;
                paint.fillRect(0, 0, 1, 1);
                return [...paint.getImageData(0, 0, 1, 1).data];
            };
            const app = document.querySelector('[data-testid="stApp"]');
            return [getComputedStyle(node).color, getComputedStyle(app).backgroundColor].map(rgb);
        }"""
    )
    channels = np.array(found)[:, :3] / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    high, low = sorted(linear @ [0.2126, 0.7152, 0.0722], reverse=True)
    return (high + 0.05) / (low + 0.05)


def no_sideways_scroll(page: Page) -> bool:
    return page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def shoot(page: Page, name: str) -> None:
    """A screenshot to look at, if a folder for them is named in ATTNVIZ_SHOTS."""
    if SHOTS:
        Path(SHOTS).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=f"{SHOTS}/{name}.png")
