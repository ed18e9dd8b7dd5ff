"""Subgames solved from given ranges: what `equilibrium` does with a position."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from counterplay.api.result import Result
from counterplay.core.errors import CounterplayError
from counterplay.core.formats.files import write_whole
from counterplay.core.game import Game
from counterplay.equilibrium.cfr import VARIANTS
from counterplay.equilibrium.ranges import read_ranges
from counterplay.equilibrium.strategy_grid import chips, grid_cells, strategy_grid
from counterplay.equilibrium.subgame import CLOSE, METHOD, MOST_ITERATIONS, RangeStrategy, Subgame
from counterplay.equilibrium.training import PolicyTraining

KINDS = (".svg", ".json")


@dataclass(frozen=True, repr=False)
class SubgameResult(Result):
    """The strategy of every hand at a public state, and how exploitable the solution is."""

    rules: Game
    position: str
    after: str
    method: str
    strategy: RangeStrategy | None  # None if a card is dealt first
    values: tuple[float, float]  # what each player gets on average, less what they have paid
    exploitability: float
    pot: float
    iterations: int
    seconds: float
    nodes: int
    hands: int
    file: Path | None = None
    stopped: bool = False  # by Ctrl-C, before the goal

    def to_json(self) -> dict[str, Any]:
        """The result as plain data, with the strategy and value of every hand."""
        game, found = self.rules, self.strategy
        data: dict[str, Any] = {
            "game": game.spec,
            "position": self.position,
            "after": self.after,
            "method": self.method,
            "iterations": self.iterations,
            "seconds": round(self.seconds, 6),
            "exploitability": self.exploitability,
            "pot": self.pot,
            "values": list(self.values),
            "public_nodes": self.nodes,
        }
        if found is None:
            return data
        shares = dict(zip(found.actions, found.shares, strict=True))
        hands = [
            {
                "hand": game.hand_name(row.hand),
                "weight": row.weight,
                "strategy": dict(zip(found.actions, row.shares, strict=True)),
                "value": row.value,
                "values": dict(zip(found.actions, row.gains, strict=True)),
            }
            for row in found.rows
        ]
        return data | {"to_move": game.player_name(found.player), "strategy": shares, "hands": hands}

    def __str__(self) -> str:
        game, found = self.rules, self.strategy
        part = f", {100 * self.exploitability / self.pot:.2g}% of the pot" if self.pot > 1 else ""
        lines = [
            f"{self.iterations:,} iterations of {self.method} in {self.seconds:.2f} s, {self.nodes:,} public nodes, "
            f"{self.hands:,} hands" + (f": {self.file}" if self.file else ""),
            f"exploitability: {self.exploitability:.3g}{part}",
            "value: " + ", ".join(f"{game.player_name(p)} {self.values[p]:+.4g}" for p in range(2)),
        ]
        if found is None:
            return "\n".join([*lines, "a card is dealt next: the strategy shown is for the rounds after it"])
        told = ", ".join(
            f"{action} {100 * share:.1f}%" for action, share in zip(found.actions, found.shares, strict=True)
        )
        lines.append(f"{game.player_name(found.player)} to move, pot {found.pot:g}: {told}")
        widths = [max(len(action), 5) for action in found.actions]
        heads = "  ".join(f"{action:>{wide}}" for action, wide in zip(found.actions, widths, strict=True))
        lines.append(f"{'hand':5} {'weight':>6}  {heads}  {'value':>7}")
        for cell in grid_cells(game, found):
            shares = "  ".join(f"{share:{wide}.2f}" for share, wide in zip(cell.shares, widths, strict=True))
            lines.append(f"{cell.text:5} {cell.weight:6.2f}  {shares}  {chips(cell.value):>7}")
        return "\n".join(lines)

    def svg(self) -> str:
        """The strategy as a table of all hands."""
        if self.strategy is None:
            raise CounterplayError("a card is dealt next: there is no strategy to draw before it")
        mover = self.rules.player_name(self.strategy.player)
        where = " ".join(word for word in (self.position, self.after) if word)
        return strategy_grid(self.rules, self.strategy, f"{mover} to move: {where}")

    def save(self, file: Path) -> None:
        """Write the strategy as a picture or as JSON, depending on the file's extension."""
        write_whole(file, self.svg() if file.suffix == ".svg" else json.dumps(self.to_json(), indent=1) + "\n")


class Spot(NamedTuple):
    """The position to solve from, in words."""

    position: str
    ranges: str = ""  # the first player's / the second's; empty: all hands
    after: str = ""  # actions after which the strategy is wanted


def spot_of(position: str | None, ranges: str, after: str) -> Spot | None:
    """The position to solve from; None for a whole game."""
    if position is None and (ranges or after):
        raise CounterplayError("--ranges and --after need a --position to solve from")
    return None if position is None else Spot(position, ranges, after)


def solve_subgame(
    rules: Game,
    spot: Spot,
    method: str,
    goal: Any,
    file: Path | None,
    run: Callable[[Any, PolicyTraining], bool],
    wait: Callable[[Callable[[], Any], str], Any],
) -> SubgameResult:
    """Solve the rest of a hand from given ranges, to a goal or to CLOSE of the pot; `run` trains."""
    if method and method not in VARIANTS:
        raise CounterplayError(f"a position is solved by {', '.join(VARIANTS)}, not by {method}")
    if file is not None and file.suffix not in KINDS:
        raise CounterplayError(f"{str(file)!r}: the strategy of a position is written as {' or '.join(KINDS)}")
    position, after = spot.position, spot.after
    weights = read_ranges(rules, spot.ranges)
    state = rules.parse_position(position)
    sub = wait(lambda: Subgame(rules, state, weights, method or METHOD), "unrolling the public tree")
    if sub.begins_with_a_card and after:
        raise CounterplayError("a card is dealt next in this position: leave out --after")
    if not any(goal):
        goal = type(goal)(iterations=MOST_ITERATIONS, exploitability=CLOSE * sub.pot)
    training = PolicyTraining(sub.learner, None)
    wait(lambda: sub.learner.run(0), "compiling")
    if not sub.begins_with_a_card:
        sub.decision(after)  # rejects impossible actions before all the work
    stopped = run(goal, training)
    strategy = None if sub.begins_with_a_card else sub.decision(after)
    found = sub.learner.evaluation()
    result = SubgameResult(
        rules=rules,
        position=position,
        after=after,
        method=sub.learner.method,
        strategy=strategy,
        values=found.values,
        exploitability=found.exploitability,
        pot=sub.pot,
        iterations=sub.learner.count,
        seconds=training.seconds,
        nodes=int(sub.tree.nodes),
        hands=int(sub.tree.hands),
        file=file,
        stopped=stopped,
    )
    if file is not None:
        result.save(file)
    return result
