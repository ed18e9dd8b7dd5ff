"""How a book grows: by the positions that are most likely to come up, and by games that were played.

The next position to search is chosen by drop-out expansion (Lincke, Strategies for the Automatic Construction of
Opening Books, 2000): the longer a line and the more its moves give away, the less urgent it is. So the book follows the
best lines far, and the opponent's mistakes as far as they are likely.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from counterplay.core.types import State
from counterplay.search.books.book import BookBranch, BookEntry, OpeningBook, replayed
from counterplay.search.solving.openings import folded

PLIES_OF_RANGE = 40.0
"""The plies of urgency lost by a line that gives away the whole range of payoffs."""
ENTRIES_A_CHOICE = 200
"""One more position is chosen at a time for each of this many entries: every choice looks through the whole book."""
Judge = Callable[[Any], Mapping[int, float]]
"""Values each action of a state for the side to move, by a search."""
Spread = Callable[[Judge, Iterable[Any]], Iterable[Mapping[int, float]]]
"""Values several states, like `map`: one after another or in parallel."""
EXPANSION = "expansion"
"""The source of positions that drop-out expansion chose."""


def most_urgent(book: OpeningBook, s: State, number: int = 1) -> list[Any]:
    """A number of positions that are not in the book, starting with those most likely to come up after `s`; none if
    the book is complete."""
    found: list[Any] = []
    low, high = book.game.utility_bounds
    count = itertools.count()  # among equals, the one found first
    queue: list[tuple[float, int, int, tuple[BookEntry, BookBranch] | None]] = [
        (0.0, next(count), folded(book.game, s)[0], None)
    ]
    seen: set[int] = set()
    while queue and len(found) < number:
        cost, _, key, reached = heapq.heappop(queue)
        if key in seen:
            continue
        seen.add(key)
        entry = book.entries.get(key)
        if entry is None:
            found.append(s if reached is None else book.after(*reached))
            continue
        for branch in entry.branches:
            if branch.after is not None and branch.after not in seen:
                given_away = abs(book.values[key] - book.branch_value(branch)) / (high - low)
                urgency = cost + 1.0 + PLIES_OF_RANGE * given_away
                heapq.heappush(queue, (urgency, next(count), branch.after, (entry, branch)))
    return found


def grow(
    book: OpeningBook, s: State, judge: Judge, hear: Callable[[], bool], at_once: int = 1, spread: Spread = map
) -> bool:
    """Add the most urgent positions after `s` while `hear`, called after each, returns True; returns whether nothing is
    left to add. `at_once` positions are searched together, each chosen without the results of the others; a large book
    chooses more together."""
    while True:
        found = most_urgent(book, s, max(at_once, len(book.entries) // ENTRIES_A_CHOICE))
        if not found:
            return True
        for each, values in zip(found, spread(judge, found), strict=False):
            book.enter(each, values, EXPANSION)
            if not hear():
                return False


def learn_game(
    book: OpeningBook, s: State, actions: Sequence[int], judge: Judge, source: str, spread: Spread = map
) -> None:
    """Enter a game from its first position to its end. The payoff at its end is backed up through the book."""
    states = replayed(book, s, actions)
    over = book.game.is_terminal(states[-1])
    passed = states[:-1] if over else states
    keys, new = [folded(book.game, each)[0] for each in passed], dict[int, Any]()
    for key, each in zip(keys, passed, strict=True):
        if key not in book.entries:
            new.setdefault(key, each)
    for each, values in zip(new.values(), spread(judge, new.values()), strict=True):
        book.enter(each, values, source)
    for key in keys:
        entry = book.entries[key]
        entry.games += 1
        if over:
            entry.points += float(book.game.utility(states[-1], 0))
