"""Ctrl-C at any moment of a command's start: it leaves at once and says nothing."""

from __future__ import annotations

import importlib
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from counterplay.cli import interrupts

START = """
import os, signal, sys
left = [0]
def hook(event, arguments):
    if event == "import" and left[0]:
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGINT)
sys.addaudithook(hook)
from counterplay.cli import run
left[0] = int(sys.argv.pop(1))
run()
"""
"""A command that receives Ctrl-C when it imports its nth module (the first argument)."""
COMMANDS = (("mcp",), ("search", "tic-tac-toe", "--depth", "1"), ("show", "nim"), ("serve", "--port", "0"))


def interrupted(moment, command):
    """The exit code and stderr of a command that receives Ctrl-C at a moment."""
    words = [sys.executable, "-c", START, str(moment), *command]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stderr


def test_the_program_soon_handles_ctrl_c():
    code = "import sys; known = {*sys.modules}; from counterplay.cli import run; print(*sorted({*sys.modules} - known))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["__future__", "counterplay", "counterplay.cli"]


@pytest.mark.parametrize("moment", [1, 2, 5, 30, 120, 400, 700])
def test_ctrl_c_while_a_command_starts(moment):
    assert interrupted(moment, ("mcp",)) == (130, "")


def test_a_program_that_was_started_to_ignore_ctrl_c_does():
    ignoring = ["sh", "-c", 'trap "" INT; exec "$@"', "sh"]
    words = [*ignoring, sys.executable, "-c", START, "120", "show", "nim"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.trust
@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
def test_ctrl_c_at_every_moment_of_a_start(command):
    def tried(moment):
        code, said = interrupted(moment, command)
        return code == 0 or (code, said) == (130, "") or f"{command} at import {moment}: {code} {said[-1500:]}"

    moments = [*range(1, 40), *range(40, 1000, 20)]
    with ThreadPoolExecutor(2) as pool:
        assert [told for told in pool.map(tried, moments) if told is not True] == []


@pytest.fixture
def handled():
    before = signal.getsignal(signal.SIGINT)
    interrupts.handle()
    yield
    signal.signal(signal.SIGINT, before)


def module(tmp_path, monkeypatch, name, source):
    """Write a module that can be imported."""
    (tmp_path / f"{name}.py").write_text("import signal\n" + source)
    monkeypatch.syspath_prepend(tmp_path)


def test_an_import_is_finished_first(tmp_path, monkeypatch, handled):
    source = "try: signal.raise_signal(signal.SIGINT)\nexcept KeyboardInterrupt: raise RuntimeError\ndone = []\n"
    module(tmp_path, monkeypatch, "hides_it", source + "done.append(1)\n")
    with pytest.raises(KeyboardInterrupt):
        importlib.import_module("hides_it")
    assert sys.modules.pop("hides_it").done == [1]


def test_a_second_ctrl_c_does_not_wait(tmp_path, monkeypatch, handled):
    module(
        tmp_path, monkeypatch, "endless", "for _ in range(2): signal.raise_signal(signal.SIGINT)\nwhile True: pass\n"
    )
    with pytest.raises(KeyboardInterrupt):
        importlib.import_module("endless")
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_an_import_that_runs_the_program_is_not_waited_for(tmp_path, monkeypatch):
    source = "from counterplay.cli import interrupts\ninterrupts.handle()\nsignal.raise_signal(signal.SIGINT)\n"
    module(tmp_path, monkeypatch, "starts_it", source + "came = True\n")
    before = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(KeyboardInterrupt):
            importlib.import_module("starts_it")
    finally:
        signal.signal(signal.SIGINT, before)
    assert "starts_it" not in sys.modules


def test_rules_are_no_import(tmp_path, handled):
    from counterplay.core.registry import load

    file = tmp_path / "endless_rules.py"
    file.write_text("import signal\nsignal.raise_signal(signal.SIGINT)\nwhile True: pass\n")
    with pytest.raises(KeyboardInterrupt):
        load(str(file))
