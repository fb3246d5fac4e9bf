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

PROBE_SECONDS = 2.5  # for the first answer, so that an unreachable hub is reported within 3 s
SILENCE_SECONDS = 8.0  # between two pieces of a file
_POLL_SECONDS = 0.1

Progress = Callable[[int, int, str], object]
T = TypeVar("T")


@dataclass(frozen=True)
class _Remote:
    """One version of a file on the hub. ``etag`` is its sha256 (large files) or git hash."""

    url: str
    etag: str
    commit: str
    size: int


class _Job:
    """How far a download is, told to the caller ten times a second; where it can be stopped."""

    def __init__(self, what: str, progress: Progress | None, stop: threading.Event | None) -> None:
        self.what, self.done, self.total = what, 0, 0
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


def fetch(
    repo: str,
    filename: str,
    *,
    progress: Progress | None = None,
    stop: threading.Event | None = None,
    endpoint: str | None = None,
    cache: Path | None = None,
) -> Path:
    """The path of a hub file in the local cache, downloaded if it is not there yet.

    Args:
        repo: ``owner/name`` of a model repository; its ``main`` revision is taken.
        progress: called as ``progress(done_bytes, total_bytes, what)`` in this thread, at most ten
            times a second, also while nothing arrives; an exception it raises ends the download.
        stop: an event that ends the download when set.
        endpoint, cache: default to ``huggingface_hub``'s at the time of the call.

    Raises:
        HubUnreachable: no answer within 3 s, or not from a hub.
        Cancelled: ``stop`` was set.
        ZooError: the file is not there, broke off, stayed silent for 8 s, or arrived damaged. What
            had arrived whole is kept and the next call goes on from there.
    """
    cache = Path(cache or constants.HF_HUB_CACHE).expanduser()
    known = try_to_load_from_cache(repo, filename, cache_dir=cache)
    if isinstance(known, str):
        return Path(known)
    endpoint = endpoint or constants.ENDPOINT
    job = _Job(f"Fetching {repo.split('/')[-1]}", progress, stop)
    remote = _probe(repo, filename, endpoint, job)
    folder = cache / f"models--{repo.replace('/', '--')}"
    blob = folder / "blobs" / remote.etag
    job.total = remote.size
    try:
        blob.parent.mkdir(parents=True, exist_ok=True)
        lock = cache / ".locks" / folder.name / f"{remote.etag}.lock"
        lock.parent.mkdir(parents=True, exist_ok=True)
        with _alone(lock, job):
            if not blob.exists():
                _download(remote, blob, job, urlsplit(endpoint).netloc)
            path = _publish(blob, folder, remote.commit, filename)
    except OSError as error:
        raise ZooError(
            f"The cache {cache} cannot be written: {error.strerror or error}."
        ) from error
    job.finish()
    return path


def _probe(repo: str, filename: str, endpoint: str, job: _Job) -> _Remote:
    """Ask the hub for a file's address, size and hash; the one place that finds out who answers."""
    host = urlsplit(endpoint).netloc or endpoint
    advice = "Check the network, or take a bundled model, which needs none."

    def ask() -> Iterator[Any]:
        url = f"{endpoint.rstrip('/')}/{repo}/resolve/main/{filename}"
        yield get_hf_file_metadata(url, token=False, timeout=PROBE_SECONDS, library_name="attnviz")

    try:
        found = next(_background(ask(), PROBE_SECONDS, job))
    except _NetworkError as failure:
        error = failure.error
        status = error.response.status_code if isinstance(error, HfHubHTTPError) else 0
        if status in (401, 403, 404):
            raise ZooError(
                f"{host} has no {filename} in {repo} to give (status {status})."
            ) from error
        if status:
            reason = f"{host} answers with status {status}"
        elif isinstance(error, OfflineModeIsEnabled):
            reason = f"{host} was not asked, because HF_HUB_OFFLINE is set"
        else:
            reason = f"{host} cannot be reached"
        raise HubUnreachable(f"{reason}, so {repo} cannot be fetched. {advice}") from error
    remote = _Remote(found.location, found.etag or "", found.commit_hash or "", found.size or 0)
    genuine = re.fullmatch(r"\w[\w.-]*", remote.etag) and re.fullmatch(
        "[0-9a-f]{40}", remote.commit
    )
    if not (genuine and remote.size):
        raise HubUnreachable(
            f"What answers as {host} is no model hub (a sign-in page, a proxy?), "
            f"so {repo} cannot be fetched. {advice}"
        )
    return remote


def _download(remote: _Remote, blob: Path, job: _Job, host: str) -> None:
    """Stream into ``blob.incomplete``, going on where an earlier try ended; verify; rename."""
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
            raise _broken_off(job, host) from failure.error
    if job.done < remote.size:
        raise _broken_off(job, host)
    if not _intact(partial, remote.etag, job):
        partial.unlink()
        raise ZooError(f"{job.what}: the file from {host} arrived damaged. Try again.")
    os.replace(partial, blob)


def _broken_off(job: _Job, host: str) -> ZooError:
    return ZooError(
        f"{job.what}: {host} broke off after {_megabytes(job.done)} of {_megabytes(job.total)}. "
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


def _publish(blob: Path, folder: Path, commit: str, filename: str) -> Path:
    """Make a blob visible under its name, as ``huggingface_hub`` lays out its cache."""
    pointer = folder / "snapshots" / commit / filename
    pointer.parent.mkdir(parents=True, exist_ok=True)
    if not pointer.exists():
        pointer.unlink(missing_ok=True)  # a dangling link
        try:
            pointer.symlink_to(os.path.relpath(blob, pointer.parent))
        except OSError:  # no links on this file system
            shutil.copyfile(blob, pointer)
    ref = folder / "refs" / "main"
    ref.parent.mkdir(parents=True, exist_ok=True)
    ref.write_text(commit)
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
