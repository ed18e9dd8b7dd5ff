"""Ctrl-C while modules are imported waits until they are.

Raised in the middle of an import, KeyboardInterrupt is lost if Python happens to be in a callback, or a library turns it
into an error of another kind. So it is raised when the import has returned, or at the second Ctrl-C.
"""

from __future__ import annotations

import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any, NoReturn

IMPORT = ("<frozen importlib._bootstrap>", "_find_and_load")
"""The file and the function that import a module for whoever needs it: not those that run a user's rules."""

_waiting = False
_program: FrameType | None = None  # the frame that runs the command; what imports that frame is not waited for


def handle() -> None:
    """From now on, Ctrl-C waits for imports. A program that was started to ignore it, as by `nohup`, still does."""
    global _program
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        _program = sys._getframe(1)
        signal.signal(signal.SIGINT, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _waiting
    outermost = None if _waiting else importer(frame)
    if outermost is None:
        _waiting = False
        raise KeyboardInterrupt
    _waiting, before = True, sys.gettrace()

    def imported(*_: Any) -> NoReturn:
        global _waiting
        _waiting = False
        outermost.f_trace = None
        sys.settrace(before)
        raise KeyboardInterrupt

    outermost.f_trace = imported
    sys.settrace(lambda *_: None)


def importer(frame: FrameType | None) -> FrameType | None:
    """The frame that waits for the outermost import that is under way, as a debugger would stop in it."""
    found = None
    while frame is not None and frame is not _program:
        code = frame.f_code
        if (code.co_filename, code.co_name) == IMPORT:
            found = frame.f_back
        frame = frame.f_back
    return found
