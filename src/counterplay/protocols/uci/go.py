"""The limits of a `go` command: depth, time, nodes, moves, or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from counterplay.players.clock import BONUS, MOST, MOVES_TO_GO, SECONDS, SPREE, Allowance

NUMBERS = ("wtime", "btime", "winc", "binc", "byoyomi", "movestogo", "depth", "nodes", "mate", "movetime", "perft")
CLOCKS = ("wtime", "btime")
"""Clocks, which may have run out and be below 0."""
FLAGS = ("infinite", "ponder")
LAST_MOVE = 0.8
"""The fraction of the clock that the last move before it is refilled may take."""


class Limits(NamedTuple):
    """A `go` command; milliseconds as in the protocol."""

    numbers: dict[str, int]
    infinite: bool
    ponder: bool
    only: tuple[str, ...]  # searchmoves
    wrong: tuple[str, ...] = ()  # words that were not understood, a sentence each
    sides: str = "wb"  # the letters of the players' clocks

    @property
    def is_open(self) -> bool:
        """Whether the search may answer only after `stop`."""
        return self.infinite or self.ponder

    def allowance(self, side: int, overhead: float) -> Allowance:
        """The time to spend, with `overhead` seconds, but never more than half, kept for communication."""
        if "movetime" in self.numbers:
            return Allowance(max(usable(self.numbers["movetime"], overhead), 0.001))
        spare = self.numbers.get("byoyomi", 0)
        left = self.numbers.get(self.sides[side] + "time", 0 if spare else None)
        if left is None:
            is_limited = any(word in self.numbers for word in ("depth", "nodes", "mate"))
            return Allowance(SECONDS if self.wrong and not is_limited else None)  # some limit was intended
        clock, bonus = usable(left, overhead), self.numbers.get(self.sides[side] + "inc", 0) / 1000
        moves = max(1, self.numbers.get("movestogo", MOVES_TO_GO))
        each = usable(spare, overhead)  # unused time is lost
        most = (LAST_MOVE if moves == 1 else MOST) * clock + each
        soft = max(0.001, min(clock / moves + BONUS * bonus + each, most))
        return Allowance(max(soft, min(SPREE * soft, most)), soft)


def usable(milliseconds: int, overhead: float) -> float:
    """The number of seconds left for thinking out of some milliseconds."""
    seconds = max(milliseconds, 0) / 1000
    return max(seconds - overhead, seconds / 2)


def read_limits(words: Sequence[str], sides: str = "wb") -> Limits:
    """The limits that the words after `go` set; unknown words and invalid numbers are skipped."""
    numbers: dict[str, int] = {}
    only: list[str] = []
    wrong: list[str] = []
    infinite = ponder = listing = False
    for word, after in zip(words, [*words, ""][1:], strict=True):
        if word in NUMBERS:
            listing = False
            if is_number(after) and (int(after) >= 0 or word in CLOCKS):
                numbers[word] = int(after)
            else:
                wrong.append(f"{word} needs a number, not {after[:40]!r}")
        elif word in FLAGS:
            infinite, ponder, listing = infinite or word == "infinite", ponder or word == "ponder", False
        elif word == "searchmoves":
            listing = True
        elif listing:
            only.append(word)
    return Limits(numbers, infinite, ponder, tuple(only), tuple(wrong), sides)


def is_number(text: str) -> bool:
    """Whether a text is a number of a sensible size."""
    return text.removeprefix("-").isdecimal() and len(text) <= 15
