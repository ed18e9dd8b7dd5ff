"""Child processes of our own: questions and answers, each a line of JSON.

The parent starts `command(module)`, writes questions with `line` and reads answers with `read_line`. The child holds a
`Conversation`: it takes one question after another, and its stdout is free for rules that print. A line {"stop": true}
stops the question being answered. When stdin ends, because the parent is done or gone, so does the child.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

Data = dict[str, Any]


def command(module: str) -> list[str]:
    """The command that starts a child."""
    return [sys.executable, "-m", module]


def line(data: Data) -> bytes:
    """A question or an answer in the form that is sent."""
    return json.dumps(data).encode() + b"\n"


def read_line(text: bytes) -> Data | None:
    """What `line` wrote; None if the line was cut off because the other process ended."""
    return json.loads(text) if text.endswith(b"\n") else None


class Conversation:
    """The child's side."""

    def __init__(self, farewell: Callable[[], None] | None = None) -> None:
        """`farewell` is called once stdin has ended, before the process exits."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and then ends this process
        self._answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # rules that print do not disturb
        self._questions: queue.Queue[tuple[int, Data]] = queue.Queue()
        self._farewell = farewell
        self._asked = self._current = self._stopped = (
            0  # numbers of questions: the last one, the one being answered, the one to stop
        )
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        """Read lines while the work goes on."""
        for text in sys.stdin.buffer:
            data = read_line(text)
            if data is None:
                break
            if "stop" in data:
                self._stopped = self._asked
            else:
                self._asked += 1
                self._questions.put((self._asked, data))
        if self._farewell is not None:
            self._farewell()
        os._exit(0)

    def hear(self) -> Data:
        """The next question, as soon as there is one."""
        self._current, data = self._questions.get()
        return data

    @property
    def is_stopped(self) -> bool:
        """Whether the parent no longer needs the rest of the current answer."""
        return self._stopped >= self._current

    def say(self, data: Data) -> None:
        """Answer a line."""
        self._answers.write(line(data))
        self._answers.flush()
