"""Exact solving: the value of a position under best play, how long it takes, and which actions are best.

The value is narrowed from both sides by questions such as "is it worth at least t?" (a null window; Plaat's MTD, 1996):
first whether the position is won, then step by step to the value and, once the result is clear, by bisection to how
soon it comes. Each question is put to the root's actions one by one, and what is proven of each is kept, so a search
that is stopped leaves bounds, never a guess.

The table starts small and grows as needed, up to a limit.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.game import Game
from counterplay.core.repetition import repetition_word
from counterplay.core.rules import legal
from counterplay.core.types import State
from counterplay.endgame.enumeration import MEGABYTES as TABLE_MEGABYTES
from counterplay.search.background import run
from counterplay.search.memory import Scale
from counterplay.search.solving.kernel import follow, promise, prove, recall
from counterplay.search.solving.memory import FRACTION, SolveContext, WideContext, context_for
from counterplay.search.solving.method import SMALL, EndlessLine, SolvingMethod
from counterplay.search.solving.solution import Answer, Solution, best_first
from counterplay.search.suitability import require_budget, require_suitable, require_table

if TYPE_CHECKING:
    from counterplay.endgame.store import Tables
    from counterplay.search.solving.openings import Openings

MEGABYTES = 512.0
"""The table's default limit; for retrograde analysis it is that of tables."""
BARELY = math.nextafter(0.0, math.inf)
"""A value of at least this is a win."""
SOON = (1, 3, 5)
"""A win within this many plies is looked for first: that is cheap, while a longer win may be expensive to find."""
HINT = 0xFFFF
"""The bits of an action that the table keeps."""
METHODS = ("search", "deepening", "retrograde", "pns", "grundy")


def solve(
    game: Game,
    s: State,
    *,
    method: str = "",
    every: bool = False,
    before: Sequence[int] = (),
    seconds: float | None = None,
    nodes: int | None = None,
    megabytes: float | None = None,
    book: Openings | None = None,
    tables: Tables | None = None,
    report: Callable[[Solution], None] | None = None,
) -> Solution:
    """Solve `s`, or find it in a `book` of solved openings or in `tables`, which are probed during the search as well.
    If a budget of seconds or nodes runs out, or on Ctrl-C, the proven bounds are returned.

    `method` is "search" for all suitable games, "retrograde" if all positions fit in memory, "deepening" if lines of
    play are long or endless, "grundy" for impartial games, "pns" to prove only who wins; by default one that suits, and
    "retrograde" if a search meets an endless line. `every` solves each action; otherwise all best actions are found (by
    deepening, one). `before` are the repetition keys of the positions before `s`. `report` receives from time to time
    what is proven so far.
    """
    require_suitable(game, s, "solve", before)
    require_budget(None, seconds, nodes)
    if megabytes is not None:
        require_table(megabytes)
    if book is not None and method in ("", "search") and (known := book.solution(game, s, every)):
        return known
    if tables is not None:
        return _with_tables(tables, game, s, method, every, before, seconds, nodes, megabytes, report)
    chosen = method or ("grundy" if game.impartial else "search")
    options = (game, s, before, every, nodes)
    try:
        return _run(_method(chosen)(*options, megabytes or most_memory(chosen)), seconds, report)
    except EndlessLine as endless:
        if method:
            raise
        try:
            return _run(_method("retrograde")(*options, megabytes or most_memory("retrograde")), seconds, report)
        except Unsuitable:
            raise endless from None
        except CounterplayError as refusal:  # too many positions
            raise EndlessLine(f"{endless}; here {refusal}") from None


def most_memory(method: str) -> float:
    """The default limit of a method's table in megabytes."""
    return TABLE_MEGABYTES if method == "retrograde" else MEGABYTES


def _with_tables(tables: Tables, game: Game, s: State, method: str, every: bool, *budget: Any) -> Solution:
    """What tables say about `s` or, if they do not contain it, a solution that probes them at every position that they
    contain: who wins is proven, not how soon."""
    known = tables.ranked(s)
    if known is not None and known[1]:
        mover = game.to_move(s)
        found = best_first([Answer(action, (each.to(mover),) * 2, each.plies) for action, each in known[1]])
        shown = found if every else tuple(each for each in found if each[1:] == found[0][1:])
        return Solution(found[0].bounds, known[0].plies, found[0].action, shown, True, True, "tables")
    searched = game
    if tables.endings is not None:
        from counterplay.endgame.tabled import tabled

        searched = tabled(game, tables.endings)
    before, seconds, nodes, megabytes, report = budget
    solved = solve(
        searched, s, method=method, every=every, before=before, seconds=seconds, nodes=nodes, megabytes=megabytes,
        report=report,
    )  # fmt: skip
    return solved._replace(
        plies=None, plies_bounds=None, actions=tuple(each._replace(plies=None) for each in solved.actions)
    )


def _run(solver: SolvingMethod, seconds: float | None, report: Callable[[Solution], None] | None) -> Solution:
    """What a method proves within a number of seconds, not counting compilation."""
    solver.prepare()
    started = time.perf_counter()

    def proven() -> Solution:
        return solver.solution()._replace(seconds=time.perf_counter() - started)

    try:
        run([solver.work], solver.stop, seconds, (lambda: report(proven())) if report else None)
    except KeyboardInterrupt:
        pass  # what is proven so far is the answer
    found = proven()
    if seconds is not None and not found.complete and not found.ran_out:
        found = found._replace(ran_out="time")
    return found


def _method(name: str) -> type[SolvingMethod]:
    """The class behind a method's name."""
    if name not in METHODS:
        raise CounterplayError(f"no method {name!r} to solve with; there are {', '.join(METHODS)}")
    if name == "search":
        return Solver
    if name == "grundy":
        from counterplay.search.solving.grundy import Grundy

        return Grundy
    if name == "retrograde":
        from counterplay.search.solving.retrograde import Retrograde

        return Retrograde
    if name == "deepening":
        from counterplay.search.solving.deepening import Deepener

        return Deepener
    from counterplay.search.solving.proof_number import Prover

    return Prover


class RootAction:
    """An action of the root, and what is proven of it, with dates, from the point of view of the side to move at the
    root."""

    def __init__(self, action: int, after: State, alternates: bool, worst: float, best: float) -> None:
        self.action, self.after, self.alternates = action, after, alternates
        self.low, self.high = worst, best


class Solver(SolvingMethod):
    """Alpha-beta over any suitable game."""

    name = "search"

    def __init__(self, game: Game, s: State, *options: Any) -> None:
        super().__init__(game, s, *options)
        self.context = context_for(game, s, min(SMALL, self.megabytes), self.before)
        self.context.repeated(game, s, 0)  # records it on the path
        self.keyed, self.scale = bool(self.context.keyed), Scale.of(game)
        self.greatest, self.top = self.context.greatest, self.context.top
        self.turn_to(s)

    def turn_to(self, s: State) -> None:
        """Turn to another position. What the table knows still holds, unless it depends on the path."""
        game, self.s, self.done = self.game, s, False
        self.length: int | None = None  # of a line of best play, if the value has no date
        self.branches: list[RootAction] = []
        for action in sorted(legal(game, s, self.before), key=lambda action: -promise(game, s, action)):
            after = follow(game, s, action)
            alternates = game.to_move(after) != game.to_move(s)
            self.branches.append(RootAction(action, after, alternates, 1 - self.top, self.top - 1))

    def warm(self) -> None:
        prove(self.game, self.s, 0, -1.0, 1.0, self.context)
        recall(self.game, self.s, 0, self.context)

    def larger(self, megabytes: float, why: int) -> SolveContext:
        if why == FRACTION:
            return WideContext(self.game, self.s, min(SMALL, self.megabytes), self.before, self.context)
        return type(self.context)(self.game, self.s, megabytes, self.before, self.context)

    def find(self) -> None:
        best = self.leader()
        self.close_in(best)
        for branch in sorted(self.branches, key=lambda branch: -branch.high):
            if branch is not best and branch.high >= best.low:
                best = self.challenge(best, branch)
            if self.every:
                self.close_in(branch)
        if abs(best.low) <= self.greatest:
            self.length = len(self.line(best))

    # Closing in on the value.

    def leader(self) -> RootAction:
        """A branch that wins soon, or that wins, or else that gives the most still possible."""
        goals = [*(self.top - plies for plies in SOON), BARELY]
        while True:
            goal = goals.pop(0) if goals else max(branch.high for branch in self.branches)
            for branch in sorted(self.branches, key=lambda branch: -branch.high):
                if branch.high >= goal:
                    self.question(branch, goal)
                    if branch.low >= goal:
                        return branch

    def challenge(self, best: RootAction, branch: RootAction) -> RootAction:
        """The better of the best so far and a branch that may be as good; the best so far if they are equal."""
        self.question(branch, best.low)
        if best.low <= branch.low < branch.high:
            self.question(branch, math.nextafter(best.low, math.inf))
        if branch.low <= best.low:
            return best
        self.close_in(branch)
        return branch

    def close_in(self, branch: RootAction) -> None:
        """Ask until a branch's value is exact."""
        rose = True
        while branch.low < branch.high:
            goal = self.goal(branch.low, branch.high, rose)
            self.question(branch, goal)
            rose = branch.low >= goal

    def goal(self, low: float, high: float, rose: bool) -> float:
        """What to ask for next, more than `low` and at most `high`."""
        if low > self.greatest or high < -self.greatest:  # the result is clear: halve the dates
            return math.floor((low + high) / 2) + 1.0
        if low < 0 < high and rose:
            return BARELY
        return math.nextafter(low, math.inf) if rose else high

    def question(self, branch: RootAction, goal: float) -> None:
        """Find out whether a branch is worth at least `goal`, and record what that proves."""
        value = self.look(branch.after, 1, branch.alternates, goal)
        if value >= goal:
            branch.low = max(branch.low, value)
        else:
            branch.high = min(branch.high, value)

    def look(self, after: State, ply: int, alternates: bool, goal: float) -> float:
        """A bound of the value of `after` to the player who moved there: at least `goal`, or less."""
        below = math.nextafter(goal, -math.inf)
        while True:
            if alternates:
                value = -prove(self.game, after, ply, -goal, -below, self.context)
            else:
                value = prove(self.game, after, ply, below, goal, self.context)
            if self.has_answer():
                return float(value) + 0.0  # -0.0 is 0.0

    # A line of best play.

    def line(self, best: RootAction) -> list[int]:
        """A line of best play to the end, beginning with the best branch, whose value has no date."""
        game, s, value = self.game, self.s, best.low
        line: list[int] = []
        before = list(self.before)
        while options := legal(game, s, before):
            self.context.repeated(game, s, len(line))  # records it on the path
            hint = recall(game, s, len(line), self.context) if line else best.action & HINT
            for action in sorted(options, key=lambda action: (action & HINT) != hint):
                after = follow(game, s, action)
                alternates = game.to_move(after) != game.to_move(s)
                if self.look(after, len(line) + 1, alternates, value) >= value:
                    break
            before.append(repetition_word(game, s))
            s, value = after, -value if alternates else value
            line.append(action)
        return line

    # What is proven.

    def solution(self) -> Solution:
        """All that is proven so far."""
        low, high = (max(getattr(branch, side) for branch in self.branches) for side in ("low", "high"))
        proven = low == high
        shown = [branch for branch in self.branches if self.every or not proven or branch.high >= low]
        best = max(self.branches, key=lambda branch: branch.low)
        plies = self.plies(low, high)
        length = plies[0] if plies and proven else self.length
        return Solution(
            bounds=(self.plain(low), self.plain(high)),
            plies=length,
            action=best.action if best.low > 1 - self.top else None,
            actions=best_first([self.answer(branch) for branch in shown]),
            proven=proven,
            complete=self.done,
            method=self.name,
            nodes=self.context.nodes,
            plies_bounds=None if proven else plies,
            ran_out=self.ran_out,
        )

    def answer(self, branch: RootAction) -> Answer:
        """What is proven of one action."""
        plies = self.plies(branch.low, branch.high) if branch.low == branch.high else None
        return Answer(branch.action, (self.plain(branch.low), self.plain(branch.high)), plies[0] if plies else None)

    def plain(self, value: float) -> float:
        """A value without its date, within the bounds of utility."""
        return min(max(value, self.scale.low), self.scale.high)

    def plies(self, low: float, high: float) -> tuple[int, int] | None:
        """The earliest and the latest ply at which the end comes, if the result is clear and has a date."""
        if low > self.greatest:
            return int(self.top - high), int(self.top - low)
        if high < -self.greatest:
            return int(self.top + low), int(self.top + high)
        return None
