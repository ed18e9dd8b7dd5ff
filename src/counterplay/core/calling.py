"""Calling a user's rules: errors are reported in one sentence, with the file and line of the rule."""

from __future__ import annotations

import inspect
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from counterplay.core.errors import BrokenGame, CounterplayError
from counterplay.core.game import Game
from counterplay.core.registry import describe, where

PATIENCE = 5.0
"""Seconds after which a single call of a rule counts as endless."""


class _TooSlow(BaseException):
    """Raised in a rule that does not return; no rule catches it by accident."""


@contextmanager
def watching() -> Iterator[None]:
    """While inside, a call of `ask` that does not return in time is interrupted (in the main thread; elsewhere there
    is no such alarm)."""
    global _armed
    if _armed or threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise _TooSlow

    before = signal.signal(signal.SIGALRM, ring)
    _armed = True
    try:
        yield
    finally:
        _armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


_armed = False


def file_of(game: Game) -> Path:
    """The file that the game's class is written in."""
    try:
        return Path(inspect.getfile(type(game))).resolve()
    except (TypeError, OSError):
        return Path("<input>")


def location_of(game: Game, name: str) -> str:
    """Where a rule is written, as `file:line (name)`; if the game does not define it, the game's file."""
    rule = getattr(type(game), name, None)
    if rule is getattr(Game, name, game):
        return f"{file_of(game)}"
    code = getattr(rule, "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno} ({name})" if code else f"{type(game).__name__}.{name}"


def ask(game: Game, name: str, *args: Any) -> Any:
    """Call the rule `name`; an exception or an endless loop becomes one sentence."""
    rule = getattr(game, name)
    try:
        if _armed:
            signal.setitimer(signal.ITIMER_REAL, PATIENCE)
        return rule(*args)
    except CounterplayError:
        raise
    except _TooSlow as slow:
        location = where(slow, file_of(game)) or location_of(game, name)
        raise BrokenGame(
            f"{location}: `{name}` has not returned after {PATIENCE:g} seconds; does it loop forever?"
        ) from None
    except NotImplementedError:
        raise BrokenGame(f"{type(game).__name__} has no `{name}`; a game must define it") from None
    except Exception as wrong:
        location = where(wrong, file_of(game)) or location_of(game, name)
        raise BrokenGame(f"{location}: `{name}` raises {describe(wrong)}") from wrong
    finally:
        if _armed:
            signal.setitimer(signal.ITIMER_REAL, 0)


def refuse(game: Game, name: str, complaint: str) -> BrokenGame:
    """The error that says what a rule returned and what it should."""
    return BrokenGame(f"{location_of(game, name)}: {complaint}")
