"""The command line, run in the test's own process."""

from __future__ import annotations

from pathlib import Path

import pytest

from attnviz.cli import main


class Command:
    """``attnviz`` with the models of one folder."""

    def __init__(self, assets: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.assets, self.capsys = assets, capsys

    def prints(self, *command: str) -> str:
        """What a command that works prints."""
        status = main(command, assets=self.assets)
        out, err = self.capsys.readouterr()
        assert (status, err) == (0, "")
        return out

    def fails(self, *command: str) -> str:
        """The one line in which a command says why it does not work."""
        assert main(command, assets=self.assets) == 2
        out, err = self.capsys.readouterr()
        assert out == ""
        assert err.startswith("attnviz: ") and err.count("\n") == 1
        return err
