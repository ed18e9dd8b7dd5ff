"""What `go` allows: depth, time, nodes, moves, or no limit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from counterplay.players.clock import BONUS, MOST, MOVES_TO_GO, SECONDS, SPREE, Allowance

NUMBERS = ("wtime", "btime", "winc", "binc", "byoyomi", "movestogo", "depth", "nodes", "mate", "movetime", "perft")
CLOCKS = ("wtime", "btime")
"""They may have run out, and be below 0."""
FLAGS = ("infinite", "ponder")
LAST_MOVE = 0.8
"""The part of the clock that the last move before it is filled up may take."""


class Limits(NamedTuple):
    """A `go` command; milliseconds where the protocol has them."""

    numbers: dict[str, int]
    infinite: bool
    ponder: bool
    only: tuple[str, ...]  # searchmoves
    wrong: tuple[str, ...] = ()  # what was not understood, a sentence each
    sides: str = "wb"  # the letters of the players' clocks

    @property
    def is_open(self) -> bool:
        """Whether the search may answer only after `stop`."""
        return self.infinite or self.ponder

    def allowance(self, side: int, overhead: float) -> Allowance:
        """The time to spend, with `overhead` seconds kept for the way to the other program, but never more than half."""
        if "movetime" in self.numbers:
            return Allowance(max(usable(self.numbers["movetime"], overhead), 0.001))
        spare = self.numbers.get("byoyomi", 0)
        left = self.numbers.get(self.sides[side] + "time", 0 if spare else None)
        if left is None:
            is_limited = any(word in self.numbers for word in ("depth", "nodes", "mate"))
            return Allowance(SECONDS if self.wrong and not is_limited else None)  # there was to be some limit
        clock, bonus = usable(left, overhead), self.numbers.get(self.sides[side] + "inc", 0) / 1000
        moves = max(1, self.numbers.get("movestogo", MOVES_TO_GO))
        each = usable(spare, overhead)  # what is not used of it is lost
        most = (LAST_MOVE if moves == 1 else MOST) * clock + each
        soft = max(0.001, min(clock / moves + BONUS * bonus + each, most))
        return Allowance(max(soft, min(SPREE * soft, most)), soft)


def usable(milliseconds: int, overhead: float) -> float:
    """How many seconds of this many milliseconds are left for thinking."""
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
