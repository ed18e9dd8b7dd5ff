"""How a book grows: by the positions that are most likely to come up next, and by games that were played.

What is searched next is chosen by drop-out expansion (Lincke, Strategies for the Automatic Construction of Opening Books,
2000): a line is the less urgent the longer it is, and the more its moves give away. So the book knows the best lines far,
and bad moves of the opponent as far as they may tempt somebody.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from counterplay.core.types import State
from counterplay.search.books.book import BookBranch, BookEntry, OpeningBook, replayed
from counterplay.search.solving.openings import folded

PLIES_OF_RANGE = 40.0
"""By how many plies a line is less urgent that gives away all that there is to win or lose."""
Judge = Callable[[Any], Mapping[int, float]]
"""What each action of a state is worth to the side to move, by a search."""
EXPANSION = "expansion"
"""Where positions come from that drop-out expansion chose."""


def most_urgent(book: OpeningBook, s: State) -> Any | None:
    """The position that is not in the book and most likely to come up after `s`; None where the book is complete."""
    low, high = book.game.utility_bounds
    number = itertools.count()  # of equals, the one that was found first
    queue: list[tuple[float, int, int, tuple[BookEntry, BookBranch] | None]] = [
        (0.0, next(number), folded(book.game, s)[0], None)
    ]
    seen: set[int] = set()
    while queue:
        cost, _, key, reached = heapq.heappop(queue)
        if key in seen:
            continue
        seen.add(key)
        entry = book.entries.get(key)
        if entry is None:
            return s if reached is None else book.after(*reached)
        for branch in entry.branches:
            if branch.after is not None and branch.after not in seen:
                given_away = abs(book.values[key] - book.branch_value(branch)) / (high - low)
                urgency = cost + 1.0 + PLIES_OF_RANGE * given_away
                heapq.heappush(queue, (urgency, next(number), branch.after, (entry, branch)))
    return None


def grow(book: OpeningBook, s: State, judge: Judge, hear: Callable[[], bool]) -> bool:
    """Add the most urgent positions after `s` one by one while `hear`, which is asked after each, says so; whether nothing
    is left to add."""
    while True:
        found = most_urgent(book, s)
        if found is None:
            return True
        book.enter(found, judge(found), EXPANSION)
        if not hear():
            return False


def learn_game(book: OpeningBook, s: State, actions: Sequence[int], judge: Judge, source: str) -> None:
    """Enter a game from its first position to its end. What its end pays goes back through the book."""
    states = replayed(book, s, actions)
    over = book.game.is_terminal(states[-1])
    for each in states[:-1] if over else states:
        key = folded(book.game, each)[0]
        entry = book.entries.get(key) or book.enter(each, judge(each), source)
        entry.games += 1
        if over:
            entry.points += float(book.game.utility(states[-1], 0))
