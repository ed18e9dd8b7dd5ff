"""What a terminal needs: pretty output, JSON, patience while something computes."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from counterplay.core.formats.files import write_whole as write_whole  # commands write by it

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

T = TypeVar("T")

PATIENCE, EAGERNESS = 1.0, 0.1
"""Seconds of silence before a person at a terminal sees a status line; and before one with news."""


def console(stderr: bool = False) -> Console:
    """A Rich console that prints text as it is: no markup, no colours of its own, no line broken."""
    from rich.console import Console

    class Piped(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # Rich would leave at once; `main` ends every command the same way

    return Piped(stderr=stderr, markup=False, highlight=False, emoji=False, soft_wrap=True)


def write_json(value: Any) -> None:
    """One JSON value on stdout."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")


def note(sentence: str) -> None:
    """Something to know that is not the result."""
    sys.stderr.write(sentence + "\n")


def wait_for(work: Callable[[], T], doing: str, news: Callable[[], str] | None = None) -> T:
    """The result of `work`, which may run compiled code for long: Ctrl-C ends it at once, and a person sees a clock.

    Where there is `news`, what it says stands before the clock, and is shown sooner.
    """
    answer: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            answer.append(work())
        except BaseException as wrong:
            failure.append(wrong)

    worker = threading.Thread(target=run, daemon=True)  # compiled code hears no signals, so this thread listens
    started = time.perf_counter()
    worker.start()
    worker.join(EAGERNESS if news else PATIENCE)
    if worker.is_alive() and sys.stderr.isatty():
        with console(stderr=True).status(doing) as status:
            while worker.is_alive():
                passed = time.perf_counter() - started
                if passed >= PATIENCE or news:
                    said = news() if news else ""
                    status.update(f"{said or doing + ', '}{passed:.0f} s (Ctrl-C ends it)")
                worker.join(EAGERNESS if news else PATIENCE)
    worker.join()
    if failure:
        raise failure[0]
    return answer[0]


def with_changes(board: str, before: str | None) -> Text:
    """A board as Rich text, the characters that differ from the board `before` standing out."""
    from rich.text import Text

    text = Text(board)
    old, new = (before or "").splitlines(), board.splitlines()
    if before is None or [len(line) for line in old] != [len(line) for line in new]:
        return text
    for i, (a, b) in enumerate(zip(before, board, strict=True)):
        if a != b:
            text.stylize("bold cyan", i, i + 1)
    return text
