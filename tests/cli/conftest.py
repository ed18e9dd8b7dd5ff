"""Commands run in this process, with their output."""

import io
import json
import re
import sys

import pytest

from counterplay.cli import main


@pytest.fixture
def run(capsys, monkeypatch):
    """Run a command in this process: its exit code, what it printed, and its notes (except that it compiled, which
    depends on chance).
    """

    def run(*arguments, typed=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        code = main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        notes = re.sub(r"^compiling .*\n", "", printed.err, flags=re.MULTILINE)
        return code, printed.out, notes

    return run


@pytest.fixture
def answer(run):
    """Run a command with --json, and return the value that it printed."""

    def answer(*arguments, **more):
        code, out, err = run(*arguments, "--json", **more)
        assert code == 0, err
        assert out.count("\n") == 1
        return json.loads(out)

    return answer
