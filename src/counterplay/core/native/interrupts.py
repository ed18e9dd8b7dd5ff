"""Ctrl-C while a kernel is compiled waits until LLVM is not running.

Python would raise KeyboardInterrupt wherever it is, even in the middle of a call from LLVM, and leave half-made code
behind, which crashes later. So while a kernel is compiled in the main thread, Ctrl-C is only noted, and raised when the
next function begins. If another thread is compiling when the program ends, the end waits for that point.
"""

from __future__ import annotations

import atexit
import signal
import threading
from types import FrameType
from typing import Any

from numba.core.compiler_lock import global_compiler_lock

_before: Any = None  # the handler of Ctrl-C before ours
_pressed = False
_ending = False


def defer() -> None:
    """From now on, only note Ctrl-C."""
    global _before, _pressed
    if threading.current_thread() is not threading.main_thread() or _before is not None:
        return
    before = signal.getsignal(signal.SIGINT)
    if callable(before):
        _pressed = False
        signal.signal(signal.SIGINT, _note)
        _before = before


def _note(number: int, frame: FrameType | None) -> None:
    global _pressed
    _pressed = True


def resume() -> None:
    """Handle Ctrl-C as before; one that was noted is handled now."""
    global _before, _pressed
    if threading.current_thread() is not threading.main_thread() or _before is None:
        return
    before, _before = _before, None
    signal.signal(signal.SIGINT, before)
    if _pressed:
        _pressed = False
        before(signal.SIGINT, None)


def safe_point() -> None:
    """A point at which compiling can be interrupted."""
    if _ending:
        raise SystemExit
    if _pressed:
        resume()


@atexit.register
def _end() -> None:
    """Wait until no other thread is inside LLVM."""
    global _ending
    _ending = True
    global_compiler_lock.acquire()
    global_compiler_lock.release()
