"""A stand-in model hub on this machine: as much of the protocol as a download needs, and faults."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class StandInHub(ThreadingHTTPServer):
    """Serves ``files`` ({"owner/name/file": bytes}) the way the hub does: a HEAD on the hub's host
    with hash, size and commit, whose ``Location`` is a "CDN" under another host name.

    ``fault`` is one of: None, "head hangs", "body hangs", "body breaks", "get hangs", "damaged",
    "garbage", "sign-in page", "slow", or a status number.
    """

    daemon_threads = True

    def __init__(self, files: dict[str, bytes], fault: str | int | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files, self.fault = files, fault
        self.requests: list[tuple[str, str, str]] = []  # method, path, Range
        self.closing = threading.Event()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def cdn(self) -> str:
        return f"http://localhost:{self.server_port}/cdn"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go away are part of the game."""


@contextmanager
def serving(files: dict[str, bytes], fault: str | int | None = None) -> Iterator[StandInHub]:
    hub = StandInHub(files, fault)
    threading.Thread(target=hub.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield hub
    finally:
        hub.closing.set()
        hub.shutdown()
        hub.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: StandInHub

    def log_message(self, *args: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        hub = self.server
        hub.requests.append(("HEAD", self.path, ""))
        content = self._content()
        if hub.fault == "head hangs":
            hub.closing.wait()
        elif hub.fault == "garbage":
            self.wfile.write(b"\x00\x01\x02 what?\r\n")
            self.close_connection = True
        elif hub.fault == "sign-in page":
            self._answer(200, {"Content-Type": "text/html", "Content-Length": "5"})
        elif isinstance(hub.fault, int):
            self._answer(hub.fault, {"Content-Length": "0"})
        elif content is None:
            self._answer(404, {"X-Error-Code": "EntryNotFound", "Content-Length": "0"})
        else:
            digest = hashlib.sha256(content).hexdigest()
            headers = {
                "X-Repo-Commit": COMMIT,
                "X-Linked-Etag": f'"{digest}"',
                "X-Linked-Size": str(len(content)),
                "Location": f"{hub.cdn}{self.path}",
                "Content-Length": "0",
            }
            self._answer(302, headers)

    def do_GET(self) -> None:
        hub = self.server
        wanted = self.headers.get("Range", "")
        hub.requests.append(("GET", self.path, wanted))
        content = self._content() or b""
        start = int(wanted.removeprefix("bytes=").rstrip("-") or 0)
        if hub.fault == "get hangs":
            hub.closing.wait()
            return
        if hub.fault == "damaged":
            content = content[:-1] + bytes([content[-1] ^ 1])
        headers = {"Content-Length": str(len(content) - start)}
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        self._answer(206 if start else 200, headers)
        body = content[start:]
        if hub.fault in ("body hangs", "body breaks"):
            self.wfile.write(body[: len(body) // 2])
            self.wfile.flush()
            if hub.fault == "body hangs":
                hub.closing.wait()
            self.close_connection = True
            return
        step = len(body) if hub.fault != "slow" else max(1, len(body) // 40)
        for begin in range(0, len(body), step):
            self.wfile.write(body[begin : begin + step])
            if hub.fault == "slow":
                time.sleep(0.02)

    def _content(self) -> bytes | None:
        path = self.path.removeprefix("/cdn").lstrip("/").replace("/resolve/main/", "/")
        return self.server.files.get(path)

    def _answer(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
