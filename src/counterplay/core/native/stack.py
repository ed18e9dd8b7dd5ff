"""Room on the call stack for searches over large states.

A search calls itself once for each ply, and every call holds copies of the state. The usual stack has 8 MB, enough for
small states at any depth but too little for states of kilobytes: the process would crash without a message. So kernels
over large states run in a thread whose stack is large enough. Only the memory used is allocated.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from counterplay.core.errors import BrokenGame
from counterplay.core.game import Game
from counterplay.core.language.state import Kind, is_state, kinds
from counterplay.core.language.wide import WideInt

SMALL = 512
"""The largest state, in bytes, for which the usual stack is enough."""
LARGEST = 1 << 16
"""The largest state, in bytes, that compiles."""
COPIES, PLIES = 128, 2048
"""The maximum number of copies of the state in a call, and of nested calls in a search."""
_lock = threading.Lock()


@functools.cache
def state_bytes(kind: Kind) -> int:
    """How large a value is, compiled."""
    if isinstance(kind, tuple):
        return sum(map(state_bytes, kind))
    if isinstance(kind, type) and issubclass(kind, WideInt):
        return -(-kind.width // 64) * 8
    return state_bytes(kinds(kind)) if isinstance(kind, type) and issubclass(kind, tuple) and is_state(kind) else 8


def with_room(game: Game, run: Callable[[], Any]) -> Any:
    """Run a kernel over large states of this game on a stack that is large enough."""
    size = state_bytes(game.frozen.state_class)
    if size > LARGEST:
        raise BrokenGame(
            f"a state of {type(game).__name__} has {size:,} bytes; compiled searches take up to {LARGEST:,}: keep less in "
            "the state, or write `compiled = False` in the class"
        )
    return _in_thread(run, size * COPIES * PLIES)


def _in_thread(run: Callable[[], Any], stack: int) -> Any:
    """Run in a thread whose stack has this many bytes. Ctrl-C waits for the end, as it does without a thread."""
    results: list[Any] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(run())
        except BaseException as wrong:
            errors.append(wrong)

    thread = threading.Thread(target=work)
    with _lock:
        before = threading.stack_size(stack)
        try:
            thread.start()
        finally:
            threading.stack_size(before)
    interrupt: KeyboardInterrupt | None = None
    while thread.is_alive():
        try:
            thread.join()
        except KeyboardInterrupt as pressed:
            interrupt = pressed
    if interrupt is not None:
        raise interrupt
    if errors:
        raise errors[0]
    return results[0]
