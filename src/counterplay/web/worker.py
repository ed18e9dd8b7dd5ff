"""A process that thinks for the server: `python -m counterplay.web.worker`.

It reads a question as a line of JSON from stdin and answers in lines on stdout: {"ready": true} when all is compiled,
{"news": ...} as the search goes on, and {"answer": ...} or {"error": sentence} at the end. A line {"stop": true} ends a
search with the best so far. When stdin ends, so does the process.
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

from counterplay.core.errors import CounterplayError
from counterplay.core.registry import describe
from counterplay.web.thinking import TASKS, Stopped

Data = dict[str, Any]
News = Callable[[Data], None]
MEMORY = 8 << 30
"""Bytes of address space: a search that wants more is refused, not the whole machine brought down."""


class Conversation:
    """Questions one after the other, each of which can be stopped."""

    def __init__(self) -> None:
        self.answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # rules that print do not disturb
        self.questions: queue.Queue[Data] = queue.Queue()
        self.stop = threading.Event()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self) -> None:
        """Take in lines beside the thinking."""
        for line in sys.stdin:
            asked = json.loads(line)
            if "stop" in asked:
                self.stop.set()
            else:
                self.questions.put(asked)
        os._exit(0)

    def say(self, value: Data) -> None:
        """A line."""
        self.answers.write(json.dumps(value) + "\n")
        self.answers.flush()

    def news(self, value: Data) -> None:
        """How far it is; raises Stopped where that is enough."""
        self.say({"news": value})
        if self.stop.is_set():
            raise Stopped

    def run(self) -> None:
        """Answer every question."""
        while True:
            asked = self.questions.get()
            self.stop.clear()
            try:
                answer = TASKS[asked.pop("task")](self, **asked)
                self.say({"answer": answer})
            except Stopped:
                self.say({"answer": None})
            except CounterplayError as wrong:
                self.say({"error": str(wrong)})
            except MemoryError:
                self.say({"error": "this needs more memory than the server gives"})
            except Exception as wrong:
                self.say({"error": f"the search failed: {describe(wrong)}"})


def main() -> None:
    """Begin."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then ends this process
    if hasattr(os, "nice"):
        os.nice(5)  # pages come first
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
    except (ImportError, ValueError, OSError):
        pass  # not on every system
    Conversation().run()


if __name__ == "__main__":
    main()
