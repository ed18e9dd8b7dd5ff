"""A process that works on the units of another one's job: `python -m counterplay.scale.worker`.

It reads pickles from stdin, each after its length: the job first, then one unit after another, and answers each. When
stdin ends, because the work is done or the parent is gone, so does the worker, with everything that it started.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from typing import Any, BinaryIO

from counterplay.core.errors import CounterplayError
from counterplay.scale.job import Job, Work
from counterplay.scale.pipe import Refused, attempt, close, is_spent, read_frame, write_frame


class UnitListener:
    """The worker's side of the pipes."""

    def __init__(self) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and then ends this process
        self.answers: BinaryIO = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # rules that print do not disturb
        self.questions: queue.Queue[Any] = queue.Queue()
        self.work: Work | None = None
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while (found := read_frame(sys.stdin.buffer)) is not None:
            self.questions.put(found)
        close(self.work)
        os._exit(0)

    def open(self) -> None:
        """Set up the workshop of the job that is sent first."""
        job: Job = self.questions.get()
        try:
            self.work = job.open()
        except CounterplayError as wrong:
            write_frame(self.answers, (Refused(str(wrong)),))
            return
        write_frame(self.answers, (None,))

    def serve(self) -> None:
        """Work on units until stdin ends."""
        while True:
            unit = self.questions.get()
            assert self.work is not None
            if is_spent(self.work):
                close(self.work)
                os._exit(0)  # another process takes over, and has the machine to itself
            write_frame(self.answers, (attempt(self.work, unit),))


if __name__ == "__main__":
    listener = UnitListener()
    listener.open()
    listener.serve()
