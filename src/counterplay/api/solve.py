"""`solve`: the value of a position under best play, proven."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from counterplay.api.position import AnyPosition, position_of
from counterplay.api.result import Result
from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough
from counterplay.players.wording import plural, worth
from counterplay.search.solving.openings import Openings, shipped_openings
from counterplay.search.solving.solution import Solution
from counterplay.search.solving.solve import solve as find

if TYPE_CHECKING:
    from counterplay.endgame.store import Tables


class SolvedAction(NamedTuple):
    """What is proven of one action."""

    action: str
    value: float | None  # None if only bounds are known
    bounds: tuple[float, float]
    plies: int | None


@dataclass(frozen=True, repr=False)
class SolveResult(Result):
    """What is proven of a position. Values are from the point of view of the side to move."""

    game: str
    method: str
    value: float | None  # None if only bounds are known
    bounds: tuple[float, float]
    plies: int | None  # to the end under best play
    action: str | None
    actions: tuple[SolvedAction, ...]  # the best ones, or all if all were asked for, best first
    proven: bool
    complete: bool  # nothing that was asked for is open
    ran_out: str  # what ran out: "time", "nodes", "memory" or "depth"
    nodes: int
    seconds: float
    text: str  # all this in words
    solution: Solution  # the same with actions as numbers

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        found = self.solution
        return {
            "game": self.game,
            "method": self.method,
            "value": self.value,
            "bounds": self.bounds,
            "plies": self.plies,
            "action": self.action,
            "actions": [each._asdict() for each in self.actions],
            "proven": self.proven,
            "complete": self.complete,
            "ran_out": self.ran_out or None,
            "nodes": self.nodes,
            "seconds": round(self.seconds, 6),
            **({} if found.plies_bounds is None else {"plies_bounds": found.plies_bounds}),
            **({} if found.grundy is None else {"grundy": found.grundy}),
        }

    def __str__(self) -> str:
        return self.text


def solve(
    game: AnyPosition,
    *,
    position: str | None = None,
    moves: str = "",
    all: bool = False,
    method: str = "",
    time: float | None = None,
    nodes: int | None = None,
    memory: float | None = None,
    book: str | Path = "",
    tables: str | Path = "",
    progress: Callable[[SolveResult], None] | None = None,
) -> SolveResult:
    """The exact value of a position under best play, how long that lasts and which actions are best.

    With `all` each action is solved, not only the best. `method` is search, retrograde, deepening, pns or grundy (default:
    what suits the game); the table grows up to `memory` MB. `book` is a file written by `openings`, or "none" (default: the
    shipped one). `tables` is a folder written by `tables build`. If a budget runs out, the bounds proven so far remain.
    `progress` receives what is proven so far.
    """
    p = position_of(game, position, moves)
    if p.is_over:
        raise CounterplayError("there is nothing to solve: the game is over")

    def heard(found: Solution) -> None:
        if progress is not None:
            progress(result(p, found))

    found = find(
        p.game,
        p.state,
        method=method,
        every=all,
        before=p.before,
        seconds=time,
        nodes=nodes,
        megabytes=memory,
        book=open_book(book, p.game),
        tables=open_tables(tables, p.game),
        report=heard if progress is not None else None,
    )
    return result(p, found)


def open_book(book: str | Path, rules: Game) -> Openings | None:
    """The book of solved openings to use."""
    if book == "none":
        return None
    return Openings.read(Path(book), rules) if book else shipped_openings(rules)


def open_tables(folder: str | Path, rules: Game) -> Tables | None:
    """The tables in a folder, if one is given."""
    if not folder:
        return None
    from counterplay.endgame.store import Tables

    return Tables(Path(folder), rules)


def result(p: Playthrough, found: Solution) -> SolveResult:
    """What is proven, in the game's own words."""

    def written(action: int) -> str:
        return p.game.action_text(p.state, action)

    action = None if found.action is None else written(found.action)
    mover = p.game.player_name(p.to_move)
    does = f"{mover} is to move" if action is None else f"{mover} plays {action}"
    return SolveResult(
        game=p.game.spec,
        method=found.method,
        value=found.value,
        bounds=found.bounds,
        plies=found.plies,
        action=action,
        actions=tuple(
            SolvedAction(written(each.action), each.value, each.bounds, each.plies) for each in found.actions
        ),
        proven=found.proven,
        complete=found.complete,
        ran_out=found.ran_out,
        nodes=found.nodes,
        seconds=found.seconds,
        text=f"{does}  ({in_words(p.game, found)}; {found.seconds:.2f} s)",
        solution=found,
    )


def in_words(game: Game, found: Solution) -> str:
    """What is proven, as text."""
    parts = [f"value {within(game, found.bounds, found.plies)}"]
    if found.plies_bounds is not None:
        least, most = found.plies_bounds
        parts[0] += f" in {least} to {most} plies" if least < most else f" in {plural(least)}"
    if found.grundy is not None:
        parts.append(f"Grundy value {found.grundy}")
    if found.proven:
        parts.append("proven")
    if found.method in ("book", "tables"):
        parts.append("solved before")
    else:
        parts.append(f"{found.nodes:,} {'state' if found.nodes == 1 else 'states'}")
    return ", ".join(parts)


def within(game: Game, bounds: tuple[float, float], plies: int | None = None) -> str:
    """A value as text, in the game's own units, or its bounds."""
    low, high = bounds
    return worth(game, low, plies) if low == high else f"{worth(game, low)} to {worth(game, high)}"
