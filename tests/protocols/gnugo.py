"""GNU Go, driven by GTP: an independent Go program."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import Self

import pytest

PLACES = os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"])
GNUGO = shutil.which("gnugo", path=PLACES)

needs_gnugo = pytest.mark.skipif(GNUGO is None, reason="gnugo is not installed")


class GnuGo:
    """One process."""

    def __init__(self, *options: str) -> None:
        command = [str(GNUGO), "--mode", "gtp", *options]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.process.kill()
        self.process.communicate()

    def ask(self, line: str) -> str:
        """The answer to a command, which must succeed."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        lines = []
        while (read := self.process.stdout.readline().rstrip("\n")) or not lines:
            if read:
                lines.append(read)
        assert lines[0].startswith("="), f"{line}: {lines}"
        return "\n".join(lines)[1:].strip()
