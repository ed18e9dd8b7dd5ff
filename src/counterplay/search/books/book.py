"""An opening book that learns: positions, a search's estimate for each of their actions, and the results of games.

A position of the book has an estimate for each action. If the position after an action is in the book as well, its
value replaces the estimate: values are backed up by negamax, as in Logistello's book (Buro, Toward Opening Book
Learning, ICCA Journal 22(2), 1999). So the best action of a position is the best line in the book, or the best way to
leave it. A lost game is entered to its end: the loss is backed up to the last position with a better action, and there
the book deviates.

Symmetric positions are stored once. A line that repeats a position counts as a draw.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.formats.files import read_whole, write_whole
from counterplay.core.game import Game
from counterplay.core.rules import listed
from counterplay.core.types import State
from counterplay.search.decision import Option, ranked
from counterplay.search.solving.openings import folded
from counterplay.search.suitability import has_lasting_key, is_opposed

FORMAT, VERSION = "counterplay book", 1


class BookBranch(NamedTuple):
    """An action of a position, numbered as in the form that stands for all symmetric ones."""

    action: int
    estimate: float  # to player 0; the payoff if it ends the game
    after: int | None  # the key of the position after it; None if the game is over


@dataclass
class BookEntry:
    """A position of the book."""

    position: str  # as text
    mover: int
    source: int  # where it came from, by number
    branches: tuple[BookBranch, ...]
    games: int = 0  # how many of the games that the book learned from came here
    points: float = 0.0  # the sum of player 0's payoffs in them


class OpeningBook:
    """The positions that a game's book contains."""

    def __init__(self, game: Game) -> None:
        require_bookable(game)
        self.game = game
        self.entries: dict[int, BookEntry] = {}
        self.sources: list[str] = []
        self._values: dict[int, float] | None = None

    # Writing.

    def enter(self, s: State, estimates: Mapping[int, float], source: str) -> BookEntry:
        """Add a position, with a search's value of each action for the side to move."""
        key, form = folded(self.game, s)
        if key in self.entries:
            return self.entries[key]
        seen = self.game.symmetric(s, form)
        mover = self.game.to_move(s)
        branches = []
        for action, estimate in estimates.items():
            turned = self.game.symmetric_action(action, form)
            after = self.game.result(seen, turned)
            if self.game.is_terminal(after):
                branches.append(BookBranch(turned, float(self.game.utility(after, 0)), None))
            else:
                value = estimate if mover == 0 else -estimate + 0.0
                branches.append(BookBranch(turned, float(value), folded(self.game, after)[0]))
        if source not in self.sources:
            self.sources.append(source)
        entry = BookEntry(self.game.position_text(seen), mover, self.sources.index(source), tuple(branches))
        self.entries[key] = entry
        self._values = None
        return entry

    # Reading.

    @property
    def values(self) -> dict[int, float]:
        """The value of every position to player 0, backed up."""
        if self._values is None:
            self._values = backed_up(self)
        return self._values

    def branch_value(self, branch: BookBranch) -> float:
        """The value of an action to player 0: that of the position after it, or its estimate."""
        if branch.after is None:
            return branch.estimate
        return self.values.get(branch.after, branch.estimate)

    def options(self, s: State) -> tuple[Option, ...]:
        """The value of each action of a position to the side to move, best first; none if the position is not in the
        book."""
        key, form = folded(self.game, s)
        entry = self.entries.get(key)
        if entry is None:
            return ()
        back = {self.game.symmetric_action(action, form): action for action in listed(self.game, s)}
        sign = 1.0 if entry.mover == 0 else -1.0
        found = [(back.get(branch.action), branch) for branch in entry.branches]
        return ranked(
            Option(action, sign * self.branch_value(branch) + 0.0, visits=self.games_of(branch))
            for action, branch in found
            if action is not None
        )

    def games_of(self, branch: BookBranch) -> int:
        """How many of the games that the book learned from continued with this action."""
        entry = None if branch.after is None else self.entries.get(branch.after)
        return 0 if entry is None else entry.games

    def state(self, entry: BookEntry) -> Any:
        """The position of an entry."""
        return self.game.parse_position(entry.position)

    # Files.

    def save(self, file: Path) -> None:
        """Write the book, completely or not at all."""
        rows = [
            [
                str(key),
                each.position,
                each.mover,
                each.source,
                each.games,
                each.points,
                [list(b) for b in each.branches],
            ]
            for key, each in list(self.entries.items())  # another thread may be learning
        ]
        told = {"format": FORMAT, "version": VERSION, "game": self.game.spec, "sources": self.sources}
        lines = ",\n".join(json.dumps(row) for row in rows)
        write_whole(file, f'{json.dumps(told)[:-1]}, "positions": [\n{lines}\n]}}\n')

    @classmethod
    def read(cls, file: Path, game: Game) -> OpeningBook:
        """The book of `game` in a file."""
        book, content = cls(game), read_whole(file)
        try:
            told = json.loads(content)
            if told["format"] != FORMAT or told["version"] != VERSION:
                raise ValueError
            spec, book.sources = str(told["game"]), [str(each) for each in told["sources"]]
            for key, position, mover, source, games, points, branches in told["positions"]:
                kept = tuple(
                    BookBranch(int(a), float(value), None if k is None else int(k)) for a, value, k in branches
                )
                entry = BookEntry(str(position), int(mover), int(source), kept, int(games), float(points))
                if not book.could_have(entry):
                    raise ValueError
                book.entries[int(key)] = entry
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            raise CounterplayError(f"{str(file)!r} is not a book, or is incomplete; `book learn` writes one") from None
        if spec != game.spec:
            raise CounterplayError(f"{str(file)!r} is a book of {spec}, not of {game.spec}")
        book.require_keys(file)
        return book

    def could_have(self, entry: BookEntry) -> bool:
        """Whether an entry is plausible, as far as can be checked without its position."""
        numbers = (entry.points, *(branch.estimate for branch in entry.branches))
        known = entry.mover in range(self.game.players) and entry.source in range(len(self.sources))
        return known and len(entry.branches) > 0 and all(map(math.isfinite, numbers))

    def after(self, entry: BookEntry, branch: BookBranch) -> Any:
        """The position after an action of an entry; a file can contradict the rules."""
        s = self.state(entry)
        after = self.game.result(s, branch.action) if branch.action in listed(self.game, s) else None
        if after is None or folded(self.game, after)[0] != branch.after:
            raise CounterplayError(f"the book is damaged: its moves in {entry.position!r} are not those of the rules")
        return after

    def require_keys(self, file: Path) -> None:
        """Reject a book whose positions have other keys under the current rules."""
        for key, entry in list(self.entries.items())[:1]:
            if folded(self.game, self.state(entry))[0] != key:
                raise CounterplayError(f"{str(file)!r} was made with different rules of {self.game.spec}")


def backed_up(book: OpeningBook) -> dict[int, float]:
    """The value of every position of a book to player 0: that of the best action for the side to move."""
    game, entries = book.game, dict(book.entries)
    endless = 0.0 if game.players == 2 else float(game.utility_bounds[0])
    values: dict[int, float] = {}
    open_now: set[int] = set()
    for root in entries:
        stack = [root]
        while stack:
            key = stack[-1]
            if key in values:
                stack.pop()
                continue
            branches = entries[key].branches
            open_now.add(key)
            waiting = [
                b.after for b in branches if b.after in entries and b.after not in values and b.after not in open_now
            ]
            if waiting:
                stack += [after for after in waiting if after is not None]
                continue
            found = [b.estimate if b.after not in entries else values.get(b.after or 0, endless) for b in branches]
            values[key] = max(found) if entries[key].mover == 0 else min(found)
            open_now.discard(key)
            stack.pop()
    return values


def require_bookable(game: Game) -> None:
    """Reject a game whose positions a book cannot store."""
    if game.has_chance or game.has_secrets or (game.players > 1 and not is_opposed(game)):
        raise Unsuitable(
            f"a book suits one player, or two with opposite interests, in games without dice or secrets; not "
            f"{game.spec}"
        )
    if not has_lasting_key(game):
        raise Unsuitable(f"{game.spec} has no book: a book identifies positions by `key`, which the game does not have")


def replayed(book: OpeningBook, s: State, actions: Sequence[int]) -> list[Any]:
    """The positions that actions lead through, including the first."""
    states = [s]
    for action in actions:
        states.append(book.game.result(states[-1], action))
    return states
