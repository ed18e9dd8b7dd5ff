"""Output to a terminal: text, JSON, and a status line while something computes."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from counterplay.core.formats.files import write_whole as write_whole  # for the commands
from counterplay.search.background import beside

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

T = TypeVar("T")

PATIENCE, EAGERNESS = 1.0, 0.1
"""Seconds of silence before a terminal shows a status line; and before one with news."""


def console(stderr: bool = False) -> Console:
    """A Rich console that prints text unchanged: no markup, no added colours, no line breaks."""
    from rich.console import Console

    class Piped(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # Rich would exit at once; `main` ends every command the same way

    return Piped(stderr=stderr, markup=False, highlight=False, emoji=False, soft_wrap=True)


def write_json(value: Any) -> None:
    """One JSON value on stdout."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")


def note(sentence: str) -> None:
    """A note to stderr, next to the result."""
    sys.stderr.write(sentence + "\n")


@contextmanager
def patience(doing: str, delay: float = 0.0) -> Iterator[Callable[[str], None]]:
    """Show at a terminal, from `delay` seconds on, what is running and a clock; calling the yielded function replaces
    the text."""
    if not sys.stderr.isatty():
        yield lambda news: None
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn

    clock = TextColumn("{task.description}{task.elapsed:.0f} s (Ctrl-C stops it)", markup=False)
    line = Progress(SpinnerColumn(), clock, console=console(stderr=True), transient=True)
    task, started = line.add_task(f"{doing}, ", total=None), time.perf_counter()

    def say(news: str) -> None:
        if not line.live.is_started and time.perf_counter() - started >= delay:
            line.start()
        line.update(task, description=news or f"{doing}, ")

    if not delay:
        line.start()
    try:
        yield say
    finally:
        line.stop()


def wait_for(work: Callable[[], T], doing: str, news: Callable[[], str] | None = None) -> T:
    """The result of `work`, which can run compiled code for a long time: Ctrl-C ends it at once, and a clock is shown.

    With `news`, its text is shown before the clock, and sooner.
    """
    with patience(doing, EAGERNESS if news else PATIENCE) as say:
        return beside(work, lambda: say(news() if news else ""))


def wait_with_news(work: Callable[[Callable[[str], None]], T], doing: str) -> T:
    """The same for work that takes a function to report its progress."""
    news = [""]

    def hear(sentence: str) -> None:
        news[0] = sentence

    return wait_for(lambda: work(hear), doing, lambda: f"{news[0]}, " if news[0] else "")


def with_changes(board: str, before: str | None) -> Text:
    """A board as Rich text, highlighting the characters that differ from the board `before`."""
    from rich.text import Text

    text = Text(board)
    old, new = (before or "").splitlines(), board.splitlines()
    if before is None or [len(line) for line in old] != [len(line) for line in new]:
        return text
    for i, (a, b) in enumerate(zip(before, board, strict=True)):
        if a != b:
            text.stylize("bold cyan", i, i + 1)
    return text
