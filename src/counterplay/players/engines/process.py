"""An external program in its own process, driven line by line: if it falls silent, dies or floods us, we continue.

Every process leads its own group and is ended with everything that it started, at the latest when this program ends.
"""

from __future__ import annotations

import atexit
import collections
import contextlib
import os
import queue
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import weakref
from typing import IO

from counterplay.core.errors import CounterplayError

GAMES_FOLDERS = ("/usr/games", "/usr/local/games")
"""Where Debian and others install such programs; often not on PATH."""
LONGEST_LINE = 1 << 20
WAITING_LINES = 100_000
FAREWELL = 0.5
"""Seconds that a program has to exit by itself after its input ends."""


class NoAnswer(Exception):
    """The program did not answer in time."""


class Died(Exception):
    """The program has ended; the text says how."""


def find_command(command: str) -> list[str]:
    """A command as people write it, its program found on PATH or in a folder of games; Python runs a Python file."""
    try:
        words = shlex.split(command)
    except ValueError as wrong:
        raise CounterplayError(f"{command!r} is not a command: {str(wrong).lower()}") from None
    if not words:
        raise CounterplayError("an engine needs a program, such as uci:stockfish")
    if words[0].endswith(".py") and os.path.isfile(words[0]):
        return [sys.executable, *words]
    found = shutil.which(words[0]) or shutil.which(words[0], path=os.pathsep.join(GAMES_FOLDERS))
    if not found:
        raise CounterplayError(f"no program {words[0]!r}: it is neither on PATH nor in {' or '.join(GAMES_FOLDERS)}")
    return [found, *words[1:]]


class Process:
    """A running program: lines go in and come out."""

    def __init__(self, command: list[str]) -> None:
        pipe = subprocess.PIPE
        try:
            self.popen = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True, bufsize=0
            )
        except OSError as wrong:
            raise CounterplayError(f"cannot start {command[0]!r}: {(wrong.strerror or str(wrong)).lower()}") from None
        self._lines: queue.Queue[str | None] = queue.Queue(WAITING_LINES)
        self._complaints: collections.deque[str] = collections.deque(maxlen=20)
        self._ended = False
        assert self.popen.stdout is not None
        assert self.popen.stderr is not None
        self._readers = [
            threading.Thread(target=self._read, args=(self.popen.stdout,), daemon=True),
            threading.Thread(target=self._overhear, args=(self.popen.stderr,), daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        _running.add(self)

    def _read(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            buffered = os.fdopen(os.dup(stream.fileno()), "rb")
            with buffered:
                while line := buffered.readline(LONGEST_LINE):
                    self._put(line.decode("utf-8", "replace").rstrip("\r\n"))
        self._put(None)

    def _put(self, line: str | None) -> None:
        while not self._ended:
            try:
                self._lines.put(line, timeout=0.5)
                return
            except queue.Full:
                continue

    def _overhear(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            buffered = os.fdopen(os.dup(stream.fileno()), "rb")
            with buffered:
                while line := buffered.readline(LONGEST_LINE):
                    self._complaints.append(line.decode("utf-8", "replace").strip())

    def send(self, line: str) -> None:
        """Send a line."""
        assert self.popen.stdin is not None
        data, deadline = (line + "\n").encode(), time.monotonic() + 10
        os.set_blocking(self.popen.stdin.fileno(), False)  # a program that does not read must not block us
        while data:
            try:
                written = self.popen.stdin.write(data)
            except OSError:
                raise Died(self.last_words()) from None
            data = data[written or 0 :]
            if data:
                if time.monotonic() > deadline:
                    raise NoAnswer
                time.sleep(0.01)

    def hear(self, deadline: float) -> str:
        """The next line, before `deadline` on the monotonic clock."""
        left = deadline - time.monotonic()
        try:
            line = self._lines.get(timeout=max(left, 0.001))
        except queue.Empty:
            raise NoAnswer from None
        if left < 0 and line is not None:  # it talks, but does not answer
            raise NoAnswer
        if line is None:
            self._lines.put(None)  # for later calls
            raise Died(self.last_words())
        return line

    def last_words(self) -> str:
        """How the program ended, with the last lines of its stderr."""
        try:
            code = self.popen.wait(FAREWELL)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        self._readers[1].join(FAREWELL)
        how = f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
        said = [line for line in self._complaints if line]
        return f"{how}: {said[-1][:200]}" if said else how

    def end(self) -> None:
        """End the program and everything that it started."""
        self._ended = True
        with contextlib.suppress(OSError):
            assert self.popen.stdin is not None
            self.popen.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.popen.wait(FAREWELL)
        self.kill()
        for stream in (self.popen.stdout, self.popen.stderr):
            if stream is not None:
                stream.close()
        _running.discard(self)

    def kill(self) -> None:
        """End it at once."""
        with contextlib.suppress(OSError):  # ProcessLookupError: the group is empty
            if hasattr(os, "killpg"):
                os.killpg(self.popen.pid, signal.SIGKILL)
            else:
                self.popen.kill()
        self.popen.wait()


_running: weakref.WeakSet[Process] = weakref.WeakSet()


@atexit.register
def end_all() -> None:
    """End every program that is still running."""
    for process in list(_running):
        process.kill()
