"""Downloads against a stand-in hub that is slow, silent, broken, or not there."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import huggingface_hub
import pytest

from attnviz.zoo import hub
from attnviz.zoo.errors import Cancelled, HubUnreachable, ZooError
from tests.attnviz.zoo.hub_server import COMMIT, StandInHub, serving

REPO, FILE = "timm/tiny.test", "model.safetensors"
CONTENT = bytes(range(256)) * 4000  # 1 MB
FILES = {f"{REPO}/{FILE}": CONTENT}
AT_MOST = 3.0  # seconds until an unreachable hub is reported


def fetch(
    server: StandInHub | str,
    cache: Path,
    progress: hub.Progress | None = None,
    stop: threading.Event | None = None,
) -> Path:
    endpoint = server if isinstance(server, str) else server.endpoint
    found = hub.locate(REPO, FILE, stop=stop, endpoint=endpoint, cache=cache)
    return found if isinstance(found, Path) else hub.download(found, progress=progress, stop=stop)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    start = time.monotonic()
    yield
    assert time.monotonic() - start <= seconds


def blobs(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.glob("models--*/blobs/*"))


@pytest.fixture
def soon_tired(monkeypatch: pytest.MonkeyPatch) -> None:
    """Silence is given up after half a second, to keep the tests short."""
    monkeypatch.setattr(hub, "SILENCE_SECONDS", 0.5)


def test_a_file_arrives_and_the_library_finds_it(tmp_path: Path) -> None:
    with serving(FILES) as server:
        path = fetch(server, tmp_path)
    assert path.read_bytes() == CONTENT
    found = huggingface_hub.try_to_load_from_cache(REPO, FILE, cache_dir=tmp_path)
    assert Path(str(found)) == path
    assert path.parent.name == COMMIT
    scanned = huggingface_hub.scan_cache_dir(tmp_path)
    assert not scanned.warnings
    assert [repo.repo_id for repo in scanned.repos] == [REPO]


def test_a_cached_file_needs_no_network(tmp_path: Path) -> None:
    with serving(FILES) as server:
        path = fetch(server, tmp_path)
        asked = len(server.requests)
        assert fetch(server, tmp_path) == path
        assert len(server.requests) == asked
    assert fetch("http://127.0.0.1:9", tmp_path) == path


def test_progress_grows_to_the_whole_file_in_the_callers_thread(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    threads = set()

    def progress(done: int, total: int, what: str) -> None:
        threads.add(threading.get_ident())
        told.append((done, total))
        assert what == "Fetching tiny.test"

    with serving(FILES, "slow") as server:
        fetch(server, tmp_path, progress=progress)
    done = [d for d, _ in told]
    assert done == sorted(done)
    assert told[-1] == (len(CONTENT), len(CONTENT))
    assert len(set(done)) > 3
    assert threads == {threading.get_ident()}


def closed_port() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


def test_nothing_listening(tmp_path: Path) -> None:
    with within(AT_MOST), pytest.raises(HubUnreachable, match="is unreachable.*bundled model"):
        fetch(closed_port(), tmp_path)


@pytest.mark.parametrize("endpoint", ["http://hub.invalid", "hub without scheme", "ftp://hub"])
def test_an_address_that_leads_nowhere(tmp_path: Path, endpoint: str) -> None:
    with within(AT_MOST), pytest.raises(HubUnreachable, match="hub"):
        fetch(endpoint, tmp_path)


def test_a_blackhole(tmp_path: Path) -> None:
    """A socket that is open and never answers, as behind many firewalls."""
    with socket.socket() as hole:
        hole.bind(("127.0.0.1", 0))
        hole.listen()
        with within(AT_MOST), pytest.raises(HubUnreachable):
            fetch(f"http://127.0.0.1:{hole.getsockname()[1]}", tmp_path)


def test_a_name_that_takes_forever_to_resolve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No timeout of an HTTP library covers name look-ups."""
    answer = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answer.wait(30) and [])
    with within(AT_MOST), pytest.raises(HubUnreachable):
        fetch("http://hub.example", tmp_path)
    answer.set()


@pytest.mark.parametrize("fault", ["head hangs", "garbage", "sign-in page", 500, 503, 429])
def test_a_hub_that_answers_wrongly_is_as_good_as_none(tmp_path: Path, fault: str | int) -> None:
    with serving(FILES, fault) as server, within(AT_MOST), pytest.raises(HubUnreachable) as caught:
        fetch(server, tmp_path)
    assert "\n" not in str(caught.value)
    assert blobs(tmp_path) == []


@pytest.mark.parametrize("fault", [404, 401, 403])
def test_a_file_that_is_not_there(tmp_path: Path, fault: int) -> None:
    with serving(FILES, fault) as server, within(AT_MOST), pytest.raises(ZooError) as caught:
        fetch(server, tmp_path)
    assert not isinstance(caught.value, HubUnreachable)
    assert f"has no {FILE} in {REPO}" in str(caught.value)


def test_offline_mode_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with serving(FILES) as server, pytest.raises(HubUnreachable, match="HF_HUB_OFFLINE"):
        fetch(server, tmp_path)


@pytest.mark.usefixtures("soon_tired")
@pytest.mark.parametrize("fault", ["body breaks", "body hangs"])
def test_a_broken_download_is_resumed(tmp_path: Path, fault: str) -> None:
    with serving(FILES, fault) as server:
        with within(AT_MOST), pytest.raises(ZooError, match="broke off after 0.5 MB of 1.0 MB"):
            fetch(server, tmp_path)
        assert [name.endswith(".incomplete") for name in blobs(tmp_path)] == [True]
        assert huggingface_hub.try_to_load_from_cache(REPO, FILE, cache_dir=tmp_path) is None
        server.fault = None
        assert fetch(server, tmp_path).read_bytes() == CONTENT
        assert server.requests[-1][2] == f"bytes={len(CONTENT) // 2}-"
    assert [name.endswith(".incomplete") for name in blobs(tmp_path)] == [False]


@pytest.mark.usefixtures("soon_tired")
def test_a_server_that_finds_the_file_and_then_says_nothing(tmp_path: Path) -> None:
    said = pytest.raises(ZooError, match="broke off after 0.0 MB")
    with serving(FILES, "get hangs") as server, within(AT_MOST), said:
        fetch(server, tmp_path)


def test_the_real_silence_is_bounded() -> None:
    assert hub.PROBE_SECONDS < AT_MOST
    assert hub.SILENCE_SECONDS <= 10


def test_a_damaged_file_never_reaches_the_cache(tmp_path: Path) -> None:
    with serving(FILES, "damaged") as server:
        with pytest.raises(ZooError, match="damaged"):
            fetch(server, tmp_path)
        assert blobs(tmp_path) == []
        server.fault = None
        assert fetch(server, tmp_path).read_bytes() == CONTENT


def test_a_partial_file_of_something_else_is_found_out(tmp_path: Path) -> None:
    with serving(FILES, "body breaks") as server:
        with pytest.raises(ZooError):
            fetch(server, tmp_path)
        partial = next(tmp_path.glob("models--*/blobs/*.incomplete"))
        partial.write_bytes(bytes(len(CONTENT) // 2))
        server.fault = None
        with pytest.raises(ZooError, match="damaged"):
            fetch(server, tmp_path)
        assert fetch(server, tmp_path).read_bytes() == CONTENT


def test_an_event_stops_a_silent_download_at_once(tmp_path: Path) -> None:
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    with serving(FILES, "body hangs") as server, within(1.5), pytest.raises(Cancelled):
        fetch(server, tmp_path, stop=stop)


def test_what_the_callback_raises_ends_the_download(tmp_path: Path) -> None:
    class Left(Exception):
        pass

    def progress(done: int, total: int, what: str) -> None:
        if done:
            raise Left

    with serving(FILES, "slow") as server:
        with pytest.raises(Left):
            fetch(server, tmp_path, progress=progress)
        server.fault = None
        assert fetch(server, tmp_path).read_bytes() == CONTENT
        assert server.requests[-1][2].startswith("bytes=")


def test_two_visitors_download_once(tmp_path: Path) -> None:
    paths: list[Path] = []
    with serving(FILES, "slow") as server:
        visitors = [
            threading.Thread(target=lambda: paths.append(fetch(server, tmp_path))) for _ in range(2)
        ]
        for visitor in visitors:
            visitor.start()
        for visitor in visitors:
            visitor.join(20)
        downloads = [request for request in server.requests if request[0] == "GET"]
    assert len(paths) == 2 and len(set(paths)) == 1
    assert len(downloads) == 1


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file, no folder")
    with serving(FILES) as server, pytest.raises(ZooError, match="cannot be written"):
        fetch(server, tmp_path / "cache")


def test_a_full_disk_is_noticed_before_the_download(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 10})())
    with serving(FILES) as server, pytest.raises(ZooError, match="needs 1.0 MB of disk space"):
        fetch(server, tmp_path)


@pytest.mark.parametrize("etag", ["../../escape", "", ".."])
def test_a_hash_from_the_server_cannot_name_another_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, etag: str
) -> None:
    bad = huggingface_hub.HfFileMetadata(COMMIT, etag, "http://127.0.0.1:9/x", 10, None)
    monkeypatch.setattr(hub, "get_hf_file_metadata", lambda *_, **__: bad)
    with pytest.raises(HubUnreachable, match="no model hub"):
        fetch("http://127.0.0.1:9", tmp_path)
