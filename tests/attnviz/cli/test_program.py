"""The program: its list of models, its manners, and what it must not import."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import attnviz
from attnviz import zoo
from tests.attnviz.cli.command import Command
from tests.attnviz.zoo import tiny

ROOT = Path(__file__).resolve().parents[3]


def test_models(command: Command) -> None:
    lines = command.prints("models").splitlines()
    assert lines[0].split()[0] == tiny.NAME and "bundled" in lines[0]
    assert [line.split()[0] for line in lines] == [c.name for c in zoo.cards(command.assets)]
    listed = json.loads(command.prints("models", "--json"))
    assert listed[0]["scores"] == {"top1": 0.25} and listed[1]["source"] == "timm"


@pytest.mark.parametrize(
    "words", [[], ["attend"], ["translate"], ["paint me"], ["models", "extra"]]
)
def test_misuse_says_where_help_is(command: Command, words: list[str]) -> None:
    assert "--help)" in command.fails(*words)


def test_a_fault_of_ours_is_one_line_too(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("many\nlines")

    monkeypatch.setattr("attnviz.cli.attend.open_image", broken)
    message = command.fails("attend", "picture.png")
    assert "something went wrong inside: RuntimeError: many lines" in message


def run(*command: str, **more: Any) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **more.pop("env", {})}
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True,
        check=False, timeout=60, **more,
    )  # fmt: skip


def test_as_a_program() -> None:
    assert "attend" in run("-m", "attnviz", "--help").stdout
    done = run("-m", "attnviz", "attend", "no such picture.png")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == (
        "attnviz: The file 'no such picture.png' cannot be opened: No such file or directory.\n"
    )


def test_an_unreachable_hub_is_said_soon(picture: Path, tmp_path: Path) -> None:
    """Measured from the start of the process."""
    environment = {
        "HF_ENDPOINT": "http://127.0.0.1:9",
        "HF_HUB_OFFLINE": "0",
        "HF_HOME": str(tmp_path),
    }
    start = time.monotonic()
    done = run(
        "-m", "attnviz", "attend", str(picture), "--model", "vit_tiny_patch16_224", env=environment
    )
    assert time.monotonic() - start <= 3
    assert done.returncode == 2
    assert "127.0.0.1:9 is unreachable" in done.stderr and done.stderr.count("\n") == 1


def test_a_reader_that_stops_reading() -> None:
    code = "from attnviz.cli import main; import sys; sys.exit(main(['models', '--json']))"
    program = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert program.stdout is not None and program.stderr is not None
    program.stdout.close()
    assert program.stderr.read() == b""
    assert program.wait(30) == 0
    program.stderr.close()


def test_a_terminal_without_our_signs() -> None:
    done = run("-m", "attnviz", "models", env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert done.returncode == 0 and "224?224" in done.stdout


def test_listing_and_help_bring_no_torch() -> None:
    code = (
        "import sys; from attnviz.cli import main; main(['models']);"
        "sys.exit('torch' in sys.modules or 'timm' in sys.modules)"
    )
    assert run("-c", code).returncode == 0


def test_the_version_is_importable_without_torch() -> None:
    assert attnviz.__version__
