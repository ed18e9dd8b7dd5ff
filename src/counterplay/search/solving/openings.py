"""Solved openings: a book of positions near the start of a game, with the proven value of every action.

The first moves are the hardest to solve, and everyone asks for them; a book solves them once. It follows all lines in
which at most one action was not the best (the soonest win, else a draw, else the latest loss): best play, and what each
mistake leads to. Symmetric positions share an entry.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.archive import read_archive, write_archive
from counterplay.core.game import Game
from counterplay.core.language.bits import signed
from counterplay.core.language.kernel import kernel
from counterplay.core.rules import listed
from counterplay.core.types import State
from counterplay.search.solving.solution import Answer, Solution, best_first
from counterplay.search.solving.solve import Solver
from counterplay.search.suitability import has_lasting_key, require_suitable

FORMAT = "counterplay openings"
SHIPPED = Path(__file__).parents[2] / "openings"
MISTAKES = 1
"""The maximum number of mistakes on the way to a position of the book."""
UNDATED = -1
"""Stands for the plies to the end if an action leads to neither a win nor a loss."""
COLUMNS = {"keys": (np.uint64, 1), "plies": (np.int16, 1), "actions": (np.int32, 2), "values": (np.float64, 2),
           "dates": (np.int16, 2)}  # fmt: skip
"""The arrays of a file and their types: a row for each position; the last three have a column for each action."""
HABIT = 20.0
"""The file is written again after this many seconds of work."""


class SolvedOpening(NamedTuple):
    """A solved position, in the form that stands for all symmetric ones: how many plies best play takes, and each
    action."""

    plies: int
    answers: tuple[Answer, ...]


class Openings:
    """The solved positions of a game, by their keys."""

    def __init__(self, spec: str) -> None:
        self.spec = spec
        self.entries: dict[int, SolvedOpening] = {}

    # Reading.

    def solution(self, game: Game, s: State, every: bool) -> Solution | None:
        """What the book knows about a position: the best actions, or all."""
        started = time.perf_counter()
        key, form = folded(game, s)
        entry = self.entries.get(key)
        if entry is None:
            return None
        back = {game.symmetric_action(action, form): action for action in listed(game, s)}
        answers = best_first([answer._replace(action=back[answer.action]) for answer in entry.answers])
        best = answers[0]
        shown = answers if every else tuple(answer for answer in answers if answer[1:] == best[1:])
        seconds = time.perf_counter() - started
        return Solution(best.bounds, entry.plies, best.action, shown, True, True, "book", seconds=seconds)

    # Solving.

    def extend(self, game: Game, plies: int, megabytes: float, hear: Callable[[int, int], None]) -> None:
        """Solve the missing positions up to `plies` from the start: best play first, then the latest mistakes, which
        are the easiest. After each, `hear` receives how many mistakes and how many plies lead there."""
        solver = Solver(game, game.initial(), (), True, None, megabytes)
        solver.prepare()
        number = itertools.count()  # states have no order: among equals, the one found first
        queue = [(0, plies, next(number), game.initial())]
        seen: dict[int, int] = {}  # how many plies were left
        while queue:
            mistakes, left, _, s = heapq.heappop(queue)
            key = folded(game, s)[0]
            if seen.get(key, -1) >= left:
                continue
            seen[key] = left
            found = self.solution(game, s, True)
            if found is None:
                found = self.solve(solver, s)
                hear(mistakes, plies - left)
            if left == 0:
                continue
            for answer in found.actions:
                after = game.result(s, answer.action)
                so_far = mistakes + (answer[1:] != found.actions[0][1:])
                if so_far <= MISTAKES and not game.is_terminal(after):
                    heapq.heappush(queue, (so_far, left - 1, next(number), after))

    def solve(self, solver: Solver, s: State) -> Solution:
        """Solve a position and add it."""
        solver.turn_to(s)
        solver.work()
        found, game = solver.solution(), solver.game
        key, form = folded(game, s)
        answers = [answer._replace(action=game.symmetric_action(answer.action, form)) for answer in found.actions]
        assert found.plies is not None  # without a budget, everything is found
        self.entries[key] = SolvedOpening(found.plies, tuple(answers))
        return found

    # Files.

    def save(self, file: Path) -> None:
        """Write the book, completely or not at all."""
        entries = dict(self.entries)  # another thread may be solving
        size = len(entries), max((len(entry.answers) for entry in entries.values()), default=0)
        actions, values = np.full(size, -1, np.int32), np.zeros(size)
        dates = np.full(size, UNDATED, np.int16)
        for i, entry in enumerate(entries.values()):
            for j, answer in enumerate(entry.answers):
                actions[i, j], values[i, j] = answer.action, answer.bounds[0]
                dates[i, j] = UNDATED if answer.plies is None else answer.plies
        arrays = {
            "keys": np.array(list(entries), np.uint64),
            "plies": np.array([entry.plies for entry in entries.values()], np.int16),
            "actions": actions,
            "values": values,
            "dates": dates,
        }
        write_archive(file, {"format": FORMAT, "version": 1, "game": self.spec}, arrays)

    @classmethod
    def read(cls, file: Path, game: Game) -> Openings:
        """The book of `game` in a file."""
        parts = read_archive(file, FORMAT)
        head, arrays = parts if parts is not None else ({}, {})
        if head.get("version") != 1 or "game" not in head or not arrays.keys() >= set(COLUMNS):
            raise CounterplayError(
                f"{str(file)!r} is not a book of solved openings, or is incomplete; `openings` makes them"
            )
        if head["game"] != game.spec:
            raise CounterplayError(f"{str(file)!r} is a book of {head['game']}, not of {game.spec}")
        if not is_sound(arrays):
            raise CounterplayError(f"{str(file)!r} is damaged: its parts are inconsistent")
        book = cls(game.spec)
        for key, plies, *rows in zip(*(arrays[name].tolist() for name in COLUMNS), strict=True):
            answers = (
                Answer(action, (value, value), None if date == UNDATED else date)
                for action, value, date in zip(*rows, strict=True)
                if action >= 0
            )
            book.entries[key] = SolvedOpening(plies, tuple(answers))
        return book


def is_sound(arrays: Mapping[str, Any]) -> bool:
    """Whether the columns of a book have the types and shapes that `save` writes."""
    actions = arrays["actions"]
    size = actions.shape if actions.ndim == 2 else (-1, -1)
    fits = all(
        arrays[name].dtype == kind and arrays[name].shape == size[:dimensions]
        for name, (kind, dimensions) in COLUMNS.items()
    )
    return fits and bool(np.isfinite(arrays["values"]).all())


def folded(game: Game, s: State) -> tuple[int, int]:
    """The least key of a position's symmetric forms, and the form that has it."""
    key, form = least_key(game, s)
    return key % 2**64, form


@kernel
def least_key(game: Any, s: State) -> tuple[int, int]:
    """The same, with the key as a signed number. (`folded_key` of the engine compares keys with their sign; books on
    file were made without.)"""
    key, form = game.key(s), 0
    for k in range(1, game.symmetries):
        other = game.key(game.symmetric(s, k))
        if other < key:
            key, form = other, k
    return signed(key), form


def shipped_openings(game: Game) -> Openings | None:
    """The book shipped with the package for `game` with exactly these parameters, if there is one."""
    file = SHIPPED / f"{game.name}.npz"
    if game.spec != game.name or not file.is_file():
        return None
    return Openings.read(file, game)


def require_foldable(game: Game) -> None:
    """Refuse a game whose positions have no value independent of the path, or no key."""
    require_suitable(game, game.initial(), "solve")
    if not has_lasting_key(game) or game.has_repetition:
        raise CounterplayError(
            f"{game.spec} has no book of openings: a position's value there depends on earlier positions"
            if game.has_repetition
            else f"{game.spec} has no book of openings: a book identifies positions by `key`, which it does not have"
        )
