"""Turns: everyone waiting for a worker or a thread receives a fair share of them, however much others ask for.

A free resource goes to the visitor who was served longest ago, and among the requests of one visitor to the first. If
too many wait, the last request of the visitor with the most gives way to a visitor with fewer.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from typing import Generic, TypeVar

from counterplay.core.errors import CounterplayError

MOST_WAITING = 200
"""The maximum number of waiting requests."""
REMEMBERED = 1000
"""The maximum number of visitors whose last turn is remembered."""

T = TypeVar("T")
visitor: ContextVar[str] = ContextVar("visitor", default="")
"""A visitor: the address that a request or a socket comes from."""


class Busy(CounterplayError):
    """Too many requests at once."""


class Turns(Generic[T]):
    """Resources that serve one visitor at a time."""

    def __init__(self, things: Iterable[T], full: str) -> None:
        self._free = list(things)
        self._full = full
        self._waiting: list[tuple[str, asyncio.Future[T]]] = []
        self._served: dict[str, int] = {}  # by visitor, the latest last
        self._turn = 0

    @property
    def waiting(self) -> int:
        """The number of waiting requests."""
        return len(self._waiting)

    async def take(self, pick: Callable[[Sequence[T]], int] = lambda free: -1) -> T:
        """A free resource, the one at the index that `pick` returns; as soon as there is one."""
        who = visitor.get()
        if self._free:
            self._serve(who)
            return self._free.pop(pick(self._free))
        if len(self._waiting) >= MOST_WAITING:
            self._make_room(who)
        turn: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((who, turn))
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self.give_back(turn.result())  # it came at the same moment
            raise

    def give_back(self, thing: T) -> None:
        """Release a resource to the next in line."""
        self._waiting = [each for each in self._waiting if not each[1].done()]
        if not self._waiting:
            self._free.append(thing)
            return
        chosen = min(self._waiting, key=lambda each: self._served.get(each[0], -1))
        self._waiting.remove(chosen)
        self._serve(chosen[0])
        chosen[1].set_result(thing)

    def _serve(self, who: str) -> None:
        self._turn += 1
        self._served.pop(who, None)
        self._served[who] = self._turn
        if len(self._served) > REMEMBERED:
            del self._served[next(iter(self._served))]

    def _make_room(self, who: str) -> None:
        """Let the last request of the visitor with the most give way, unless that is the one asking."""
        number = Counter(each for each, _ in self._waiting)
        greediest, most = number.most_common(1)[0]
        if number[who] + 1 >= most:
            raise Busy(self._full)
        last = max(i for i, (each, _) in enumerate(self._waiting) if each == greediest)
        _, turn = self._waiting.pop(last)
        if not turn.done():
            turn.set_exception(Busy(self._full))
