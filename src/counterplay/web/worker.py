"""A process that thinks for the server: `python -m counterplay.web.worker`.

To a question it answers {"ready": true} when everything is compiled, {"news": ...} as the search continues, and
{"answer": ...} or {"error": sentence} at the end. A question {"left": table} has no answer: the players of that table
are dropped; nor has {"forget": game}: the game's file was saved, and is read again. A process that has grown says
{"full": true} with its last answer, and is replaced.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from counterplay.core.conversation import Conversation, Data
from counterplay.core.errors import CounterplayError
from counterplay.core.fingerprint import jit_enabled
from counterplay.core.registry import describe
from counterplay.web import studying, thinking
from counterplay.web.seating import Seating
from counterplay.web.thinking import Stopped, forget_rules, rules_of

MEMORY = 1 << 30
"""The number of bytes of address space that one question may add, including compiling: one that needs more is refused
before it brings down the whole machine."""
GROWN, GAMES = 5 << 28, 24
"""Bytes of memory, and games, after which a process is replaced: code compiled by Numba is never freed."""

TASKS: dict[str, Callable[..., Any]] = {
    **thinking.TASKS,
    "study": studying.study,
    "review": studying.review,
    "ranges": studying.solve_ranges,
}
PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 1


class Thinker:
    """Questions one after the other, each of which can be stopped."""

    def __init__(self) -> None:
        self.talk = Conversation()
        self.seating = Seating()
        self.say = self.talk.say

    def news(self, value: Data) -> None:
        """Report progress; raises Stopped if the search is to end."""
        self.say({"news": value})
        if self.talk.is_stopped:
            raise Stopped

    def run(self) -> None:
        """Answer every question."""
        while True:
            asked = self.talk.hear()
            if "left" in asked:
                self.seating.leave(asked["left"])
            elif "forget" in asked:
                self.seating.clear()
                forget_rules(asked["forget"])
            else:
                self.say(self.answer(**asked) | ({"full": True} if is_full() else {}))

    def answer(self, task: str, **asked: object) -> Data:
        """The answer to a question."""
        limit_memory()
        try:
            return {"answer": TASKS[task](self, **asked)}
        except Stopped:
            return {"answer": None}
        except CounterplayError as wrong:
            return {"error": str(wrong)}
        except MemoryError:
            return {"error": "this needs more memory than the server allows", "full": True}
        except Exception as wrong:
            self.seating.clear()  # whatever state they are in
            return {"error": f"the search failed: {describe(wrong)}"}


def is_full() -> bool:
    """Whether the process has grown so large that a new one should replace it."""
    return rules_of.cache_info().misses > GAMES or resident() > GROWN


def resident() -> int:
    """The memory that the process holds, in bytes."""
    return pages()[1] * PAGE


def pages() -> tuple[int, int]:
    """The address space of the process and its resident part, in pages; zeros if the system does not report them."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            size, held = file.read().split()[:2]
    except OSError:
        return 0, 0
    return int(size), int(held)


def limit_memory() -> None:
    """Limit how much more memory may be used, on systems that support it."""
    size, _ = pages()
    if size:
        import resource

        limit = size * PAGE + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))


def main() -> None:
    """Start."""
    if hasattr(os, "nice"):
        os.nice(5)  # the server's pages come first
    if jit_enabled():
        from counterplay.core.native import load_compiler

        load_compiler()  # before anyone waits for it
    Thinker().run()


if __name__ == "__main__":
    main()
