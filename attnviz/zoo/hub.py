"""Files from a model hub into its shared cache: soon, checked, resumable, and never a long silence.

``huggingface_hub`` finds files (``get_hf_file_metadata``), keeps the HTTP session and defines the
cache layout, which other tools share. Its own downloader waits up to a minute for a silent server,
keeps nothing of a broken download and compares no hash, so the bytes are moved here.

All network calls run in a thread of their own: name look-ups and handshakes obey no timeout, but
the wait for them does. Files are only touched by the caller's thread, which also runs ``progress``.
"""

from __future__ import annotations

import hashlib
import os
import queue
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from filelock import Timeout
from huggingface_hub import (
    constants,
    get_hf_file_metadata,
    get_session,
    try_to_load_from_cache,
)
from huggingface_hub.errors import HfHubHTTPError, HTTPError, OfflineModeIsEnabled
from huggingface_hub.utils import WeakFileLock, hf_raise_for_status

from attnviz.zoo.errors import Cancelled, HubUnreachable, ZooError

PROBE_SECONDS = 2.0  # for the first answer: an unreachable hub is reported within 3 s, imports too
SILENCE_SECONDS = 8.0  # between two pieces of a file
_POLL_SECONDS = 0.1

Progress = Callable[[int, int, str], object]
T = TypeVar("T")


@dataclass(frozen=True)
class Remote:
    """One version of a file on a hub, and where in the cache it belongs.

    Attributes:
        url: where its bytes are, as a rule on another host than the hub's.
        etag: its sha256 (large files) or git's hash (small ones).
        commit: the version of the repository.
        size: in bytes.
        folder: the repository's folder in the cache.
    """

    repo: str
    filename: str
    host: str
    url: str
    etag: str
    commit: str
    size: int
    folder: Path


class _Job:
    """How far a download is, told to the caller ten times a second; where it can be stopped."""

    def __init__(
        self,
        what: str,
        progress: Progress | None,
        stop: threading.Event | None,
        total: int = 0,
    ) -> None:
        self.what, self.done, self.total = what, 0, total
        self._progress, self._stop, self._told = progress, stop, 0.0

    def tick(self) -> None:
        """Report; raises ``Cancelled`` or whatever the caller's callback raises."""
        if self._stop is not None and self._stop.is_set():
            raise Cancelled("The download was stopped; what had arrived is kept for the next try.")
        if self._progress is not None and time.monotonic() - self._told >= _POLL_SECONDS:
            self._told = time.monotonic()
            self._progress(self.done, self.total, self.what)

    def finish(self) -> None:
        if self._progress is not None:
            self._progress(self.total, self.total, self.what)


def locate(
    repo: str,
    filename: str,
    *,
    stop: threading.Event | None = None,
    endpoint: str | None = None,
    cache: Path | None = None,
) -> Path | Remote:
    """Find a file: its path if the cache has it (no network is used), else where to download it.

    Args:
        repo: ``owner/name`` of a model repository; its ``main`` revision is taken.
        stop: an event that ends the wait when set.
        endpoint, cache: default to ``huggingface_hub``'s at the time of the call.

    Raises:
        HubUnreachable: no answer within 3 s, or not from a hub.
        ZooError: the hub does not have the file, or not for everybody.
    """
    cache = Path(cache or constants.HF_HUB_CACHE).expanduser()
    known = try_to_load_from_cache(repo, filename, cache_dir=cache)
    if isinstance(known, str):
        return Path(known)
    endpoint = (endpoint or constants.ENDPOINT).rstrip("/")
    host = urlsplit(endpoint).netloc or endpoint
    advice = f"so {repo} cannot be fetched. Check the network, or take a bundled model."

    def ask() -> Iterator[Any]:
        url = f"{endpoint}/{repo}/resolve/main/{filename}"
        yield get_hf_file_metadata(url, token=False, timeout=PROBE_SECONDS, library_name="attnviz")

    try:
        found = next(_background(ask(), PROBE_SECONDS, _Job("", None, stop)))
    except _NetworkError as failure:
        error = failure.error
        status = error.response.status_code if isinstance(error, HfHubHTTPError) else 0
        if status in (401, 403, 404):
            raise ZooError(f"{host} has no {filename} in {repo} to give ({status}).") from error
        if isinstance(error, OfflineModeIsEnabled):
            reason = f"{host} was not asked, because HF_HUB_OFFLINE is set"
        else:
            reason = f"{host} answers with status {status}" if status else f"{host} is unreachable"
        raise HubUnreachable(f"{reason}, {advice}") from error
    etag, commit = found.etag or "", found.commit_hash or ""
    genuine = re.fullmatch(r"\w[\w.-]*", etag) and re.fullmatch("[0-9a-f]{40}", commit)
    if not (genuine and found.size):
        raise HubUnreachable(f"{host} is no model hub (a sign-in page, a proxy?), {advice}")
    folder = cache / f"models--{repo.replace('/', '--')}"
    return Remote(repo, filename, host, found.location, etag, commit, found.size, folder)


def download(
    remote: Remote, *, progress: Progress | None = None, stop: threading.Event | None = None
) -> Path:
    """Bring a file into the cache, going on where an earlier try ended.

    Args:
        progress: called as ``progress(done_bytes, total_bytes, what)`` in this thread, at most ten
            times a second, also while nothing arrives; an exception it raises ends the download.
        stop: an event that ends the download when set.

    Raises:
        Cancelled: ``stop`` was set.
        ZooError: it broke off, stayed silent for 8 s, or arrived damaged; or the cache cannot hold
            it. What had arrived whole is kept for the next try.
    """
    job = _Job(f"Fetching {remote.repo.split('/')[-1]}", progress, stop, remote.size)
    blob = remote.folder / "blobs" / remote.etag
    lock = remote.folder.parent / ".locks" / remote.folder.name / f"{remote.etag}.lock"
    try:
        blob.parent.mkdir(parents=True, exist_ok=True)
        lock.parent.mkdir(parents=True, exist_ok=True)
        with _alone(lock, job):
            if not blob.exists():
                _fill(blob, remote, job)
            path = _publish(blob, remote)
    except OSError as error:
        cache, reason = remote.folder.parent, error.strerror or error
        raise ZooError(f"The cache {cache} cannot be written: {reason}.") from error
    job.finish()
    return path


def _fill(blob: Path, remote: Remote, job: _Job) -> None:
    """Stream into ``blob.incomplete``, verify, rename."""
    partial = blob.with_name(f"{blob.name}.incomplete")
    start = partial.stat().st_size if partial.exists() else 0
    job.done = start = start if start <= remote.size else 0
    free = shutil.disk_usage(blob.parent).free
    if free < remote.size - start:
        need, room = _megabytes(remote.size - start), _megabytes(free)
        raise ZooError(f"{job.what} needs {need} of disk space, but only {room} are free.")
    if start < remote.size:
        pieces = _background(_stream(remote.url, start), SILENCE_SECONDS, job)
        try:
            with partial.open("r+b" if start else "wb") as file:
                for position, piece in pieces:
                    file.seek(position)
                    file.truncate()
                    file.write(piece[: remote.size - position])
                    job.done = min(remote.size, position + len(piece))
        except _NetworkError as failure:
            raise _broken_off(job, remote) from failure.error
    if job.done < remote.size:
        raise _broken_off(job, remote)
    if not _intact(partial, remote.etag, job):
        partial.unlink()
        raise ZooError(f"{job.what}: the file from {remote.host} arrived damaged. Try again.")
    os.replace(partial, blob)


def _broken_off(job: _Job, remote: Remote) -> ZooError:
    done, total = _megabytes(job.done), _megabytes(job.total)
    return ZooError(
        f"{job.what}: {remote.host} broke off after {done} of {total}. "
        "What arrived is kept; trying again goes on from there."
    )


def _stream(url: str, start: int) -> Iterator[tuple[int, bytes]]:
    """The bytes of a file from ``start`` on, each piece with its position."""
    headers = {"Accept-Encoding": "identity"}
    if start:
        headers["Range"] = f"bytes={start}-"
    with get_session().stream("GET", url, headers=headers, timeout=SILENCE_SECONDS) as response:
        hf_raise_for_status(response)
        resumed = response.headers.get("Content-Range", "").startswith(f"bytes {start}-")
        position = start if resumed else 0
        for piece in response.iter_bytes():
            yield position, piece
            position += len(piece)


def _intact(path: Path, etag: str, job: _Job) -> bool:
    """Compare a file with its etag: sha256 of large files, git's sha1 of small ones."""
    if re.fullmatch("[0-9a-f]{64}", etag):
        digest = hashlib.sha256()
    elif re.fullmatch("[0-9a-f]{40}", etag):
        digest = hashlib.sha1(f"blob {path.stat().st_size}\0".encode())
    else:  # a mirror with hashes of its own: the size was right, and safetensors checks its layout
        return True
    with path.open("rb") as file:
        while piece := file.read(1 << 22):
            digest.update(piece)
            job.tick()
    return digest.hexdigest() == etag


def _publish(blob: Path, remote: Remote) -> Path:
    """Make a blob visible under its name, as ``huggingface_hub`` lays out its cache."""
    pointer = remote.folder / "snapshots" / remote.commit / remote.filename
    pointer.parent.mkdir(parents=True, exist_ok=True)
    if not pointer.exists():
        pointer.unlink(missing_ok=True)  # a dangling link
        try:
            pointer.symlink_to(os.path.relpath(blob, pointer.parent))
        except OSError:  # no links on this file system
            shutil.copyfile(blob, pointer)
    ref = remote.folder / "refs" / "main"
    ref.parent.mkdir(parents=True, exist_ok=True)
    ref.write_text(remote.commit)
    return pointer


@contextmanager
def _alone(lock: Path, job: _Job) -> Iterator[None]:
    """One download of a file at a time, over threads and processes; ticks while it waits."""
    with ExitStack() as held:
        while True:
            with suppress(Timeout):
                held.enter_context(WeakFileLock(lock, timeout=_POLL_SECONDS))
                break
            job.tick()
        yield


class _NetworkError(Exception):
    """Whatever ended a network call: the session's error, or a wait that took too long."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def _background(items: Iterator[T], patience: float, job: _Job) -> Iterator[T]:
    """The items of a generator that runs in its own thread.

    Raises:
        _NetworkError: the network failed, or gave nothing for ``patience`` seconds.
    """
    results: queue.Queue[tuple[str, Any]] = queue.Queue(maxsize=16)
    given_up = threading.Event()

    def hand_over(kind: str, value: Any) -> None:
        while not given_up.is_set():
            with suppress(queue.Full):
                return results.put((kind, value), timeout=_POLL_SECONDS)

    def run() -> None:
        try:
            for item in items:
                hand_over("item", item)
                if given_up.is_set():
                    return
            hand_over("end", None)
        except Exception as error:
            hand_over("error", error)

    threading.Thread(target=run, name="attnviz-hub", daemon=True).start()
    deadline = time.monotonic() + patience
    try:
        while True:
            job.tick()
            try:
                kind, value = results.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                if time.monotonic() > deadline:
                    raise _NetworkError(TimeoutError(f"no answer for {patience} s")) from None
                continue
            if kind == "end":
                return
            if kind == "error" and isinstance(value, (HTTPError, OSError)):
                raise _NetworkError(value)
            if kind == "error":
                raise value
            yield value
            deadline = time.monotonic() + patience
    finally:
        given_up.set()


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"
