"""How fast the ViT page is, measured in a real browser beside the targets.

    python benchmarks/page_speed.py [--rounds 20] [--visitors 30] [--seconds 20]

Needs Debian's `chromium`. Times of a change run from the event in the browser to the map's repaint.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests/browser"), str(ROOT / "benchmarks")]

from harness import Server, Visit, chromium, device, idle  # noqa: E402
from visitors import crowd  # noqa: E402

APP = ROOT / "app/main.py"

# When the visitor did something last, and when a lens was painted for the first time since.
WATCH = """
window.watch = { done: 0, painted: 0 };
for (const kind of ["keydown", "click", "change"])
    addEventListener(kind, () => { watch.done = performance.now(); watch.painted = 0; }, true);
const put = CanvasRenderingContext2D.prototype.putImageData;
CanvasRenderingContext2D.prototype.putImageData = function (...rest) {
    put.apply(this, rest);
    if (this.canvas.isConnected && this.canvas.className.startsWith("map"))
        watch.painted ||= performance.now();
};
"""

HOVERS = """stage => Array.from({ length: 100 }, (_, i) => {
    const box = stage.getBoundingClientRect();
    const at = { clientX: box.x + (box.width * ((i * 7) % 60 + 0.5)) / 60,
                 clientY: box.y + (box.height * ((i * 11) % 60 + 0.5)) / 60 };
    const start = performance.now();
    stage.dispatchEvent(new PointerEvent("pointermove", at));
    return performance.now() - start;
})"""


def opened(browser: Browser, url: str) -> Visit:
    """A new visitor on the ViT page, with the watch running."""
    visit = Visit(device(browser))
    visit.page.add_init_script(WATCH)
    visit.open(f"{url}/vit", ready=".lens .stage")
    visit.page.wait_for_function("watch.painted > 0")
    return visit


def took(page: Page, act: Callable[[], object]) -> float:
    """Milliseconds from the event that `act` causes to the next painted map."""
    page.evaluate("watch.painted = watch.done = 0")
    act()
    page.wait_for_function("watch.done > 0 && watch.painted > watch.done")
    found: float = page.evaluate("watch.painted - watch.done")
    idle(page)
    return found


def cold(browser: Browser) -> tuple[float, float]:
    """Seconds from the start of a server's process to the picture, and to its attention."""
    with Server(APP) as server:
        visit = Visit(device(browser))
        visit.page.goto(f"{server.url}/vit", wait_until="commit")
        picture = visit.page.locator('[data-testid="stImage"] img, .lens .picture').first
        picture.wait_for()
        picture.evaluate("image => image.decode()")
        seen = time.perf_counter() - server.started
        visit.page.locator(".lens .status:not(:empty)").wait_for()
        attention = time.perf_counter() - server.started
        visit.page.context.close()
    return seen, attention


def switches(page: Page, rounds: int) -> list[float]:
    """Milliseconds from a click in the navigation to the page's picture, warm."""
    times = []
    for _ in range(rounds):
        page.get_by_role("link", name="Home").first.click()
        page.locator(".lens").wait_for(state="detached")
        idle(page)
        link = page.get_by_role("link", name="Vision Transformer").first
        times.append(took(page, link.click))
    return times


def uploads(page: Page, rounds: int) -> list[float]:
    """Milliseconds from choosing a file to its attention, a new picture each time."""
    times = []
    for number in range(rounds):
        chance = np.random.default_rng(number)
        coarse = Image.fromarray(chance.integers(0, 256, (12, 16, 3), np.uint8))
        buffer = io.BytesIO()
        coarse.resize((1600, 1200), Image.Resampling.BICUBIC).save(buffer, "JPEG")
        file = {"name": f"{number}.jpg", "mimeType": "image/jpeg", "buffer": buffer.getvalue()}
        chooser = page.locator('input[type="file"]').first
        times.append(took(page, lambda file=file, chooser=chooser: chooser.set_input_files(file)))
    return times


def changes(visit: Visit, rounds: int) -> tuple[list[float], list[float], int]:
    """Milliseconds of layer and of head changes, and the bytes of the largest."""
    page, most = visit.page, 0
    layers, heads = [], []
    slider = page.get_by_role("slider", name="Layer")
    for number in range(rounds):
        visit.reset()
        key = "ArrowLeft" if number % 2 == 0 else "ArrowRight"
        layers.append(took(page, lambda key=key: slider.press(key)))
        most = max(most, visit.bytes)
        visit.reset()
        head = page.locator(".st-key-head").get_by_text(str(number % 2), exact=True)
        heads.append(took(page, head.click))
        most = max(most, visit.bytes)
    return layers, heads, most


def hovers(visit: Visit) -> tuple[float, int]:
    """Milliseconds of one redraw (median), and websocket frames of all."""
    visit.reset()
    times = visit.page.locator(".lens .stage").evaluate(HOVERS)
    visit.page.wait_for_timeout(500)
    return float(np.median(times)), visit.frames


def clicks(visit: Visit, rounds: int) -> tuple[list[float], int]:
    """Milliseconds from a click on a patch to the end of the rerun, and bytes of the largest."""
    page, most, times = visit.page, 0, []
    box = page.locator(".lens .stage").bounding_box()
    assert box is not None
    for number in range(rounds):
        visit.reset()
        token = page.url.partition("token=")[2]
        start = time.perf_counter()
        share = (number % 10 + 0.5) / 10
        page.mouse.click(box["x"] + share * box["width"], box["y"] + 100)
        page.wait_for_function("t => location.href.split('token=')[1] !== t", arg=token)
        times.append(1000 * (time.perf_counter() - start))
        idle(page)
        most = max(most, visit.bytes)
    page.mouse.move(1, 1)
    return times, most


def p95(times: list[float]) -> float:
    return float(np.percentile(times, 95))


def row(what: str, measured: str, target: str, met: bool) -> None:
    print(f"{what:<52} {measured:>24}   {target:<14} {'ok' if met else 'MISSED'}", flush=True)


def times_row(what: str, times: list[float], limit: float) -> None:
    found = f"p50 {np.median(times):.0f}, p95 {p95(times):.0f} ms"
    row(what, found, f"≤ {limit:.0f} ms", p95(times) <= limit)


def size_row(what: str, size: int, limit: float) -> None:
    row(what, f"{size / 1e3:.1f} kB", f"≤ {limit / 1e3:.0f} kB", size <= limit)


def one_visitor(browser: Browser, url: str, rounds: int) -> None:
    visit = opened(browser, url)
    size_row("bytes at page open (websocket)", visit.bytes, 1.5e6)
    milliseconds, frames = hovers(visit)
    met = milliseconds <= 1000 / 60 and frames == 0
    row("hover a patch", f"{milliseconds:.2f} ms, {frames} messages", "1 frame, 0", met)
    layers, heads, most = changes(visit, rounds)
    times_row("layer slider → map redrawn", layers, 150)
    times_row("head change → map redrawn", heads, 150)
    size_row("bytes of one layer or head change", most, 200e3)
    pins, most = clicks(visit, rounds)
    times_row("click on a patch → in the address", pins, 150)
    size_row("bytes of one click", most, 200e3)
    times_row("upload → attention of the bundled hybrid visible", uploads(visit.page, rounds), 1000)
    times_row("warm page switch", switches(visit.page, rounds), 500)
    visit.page.context.close()


def many_visitors(server: Server, count: int, seconds: float) -> None:
    before = server.megabytes()
    outcome = asyncio.run(crowd(server.url, count, pause=2, seconds=seconds))
    each = (server.megabytes() - before) / count
    row(f"errors of {count} visitors", str(len(outcome.errors)), "0", not outcome.errors)
    for error in outcome.errors[:3]:
        print("   ", error)
    times_row(
        f"{count} visitors, a change every 2 s each", [1e3 * t for t in outcome.changes], 1000
    )
    row("memory of one visitor more", f"{each:.1f} MB", "≤ 8 MB", each <= 8)
    row(
        "memory of the server",
        f"{server.megabytes():.0f} MB",
        "≤ 2500 MB",
        server.megabytes() <= 2500,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--visitors", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    with chromium() as browser:
        found = [cold(browser) for _ in range(3)]
    seen, attention = np.median(found, axis=0)
    row("cold server: process start → picture", f"{seen:.1f} s", "≤ 4 s", seen <= 4)
    print(f"{'cold server: process start → attention':<52} {attention:>22.1f} s")
    with Server(APP) as server:
        with chromium() as browser:
            one_visitor(browser, server.url, options.rounds)
        many_visitors(server, options.visitors, options.seconds)


if __name__ == "__main__":
    main()
