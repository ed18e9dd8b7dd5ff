"""Equilibria of matrix games: the part of `equilibrium` that is about tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import scipy.optimize  # noqa: F401 (loading it is not solving)

from counterplay.api.result import Result
from counterplay.equilibrium.correlated import Correlated, correlated_equilibrium
from counterplay.equilibrium.dominance import Dominated, remove_dominated
from counterplay.equilibrium.methods import NORMAL, matrix_policy
from counterplay.equilibrium.normal_form import Equilibrium, exploitability, tables_of
from counterplay.games.matrix import Matrix

MOST_LISTED = 50
MOST_CELLS = 10_000
"""Tables larger than this are searched for dominated actions only on request."""


@dataclass(frozen=True, repr=False)
class MatrixResult(Result):
    """All equilibria that a method found, and the actions that are dominated."""

    rules: Matrix
    method: str
    equilibria: tuple[Equilibrium, ...]
    dominated: tuple[Dominated, ...]
    exploitability: float | None  # of the first equilibrium
    seconds: float
    file: Path | None = None
    stopped = False

    @property
    def game(self) -> str:
        """The spec of the game."""
        return self.rules.spec

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        rules, names = self.rules, self.rules._form.names
        return {
            "game": self.game,
            "method": self.method,
            "value": self.equilibria[0].payoffs[0] if self.equilibria else None,
            "exploitability": self.exploitability,
            "iterations": 0,
            "seconds": round(self.seconds, 6),
            "information_sets": rules.players,
            "equilibria": [
                {
                    "payoffs": list(one.payoffs),
                    "regret": one.regret,
                    "strategies": [
                        dict(zip(names[p], map(float, strategy), strict=True))
                        for p, strategy in enumerate(one.strategies)
                    ],
                }
                for one in self.equilibria
            ],
            "dominated": [
                {
                    "player": rules.player_name(each.player),
                    "action": names[each.player][each.action],
                    "by": {names[each.player][action]: weight for action, weight in each.by.items()},
                }
                for each in self.dominated
            ],
        }

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """The equilibria as text."""
        rules, found = self.rules, self.equilibria
        plural = "equilibrium" if len(found) == 1 else "equilibria"
        yield f"{len(found)} {plural} by {self.method} in {self.seconds:.3f} s" + (
            f": {self.file}" if self.file else ""
        )
        for number, one in enumerate(found[:MOST_LISTED], 1):
            lead = f"{number}. " if len(found) > 1 else ""
            yield lead + ", ".join(f"{rules.player_name(p)} gets {share(x)}" for p, x in enumerate(one.payoffs))
            for player, strategy in enumerate(one.strategies):
                yield f"   {rules.player_name(player)}: {mixture(rules, player, strategy)}"
            if one.regret > 1e-7:
                yield f"   (not exact: a player would gain {one.regret:.3g})"
        if len(found) > MOST_LISTED:
            yield f"... and {len(found) - MOST_LISTED} more (--json lists all)"
        for each in self.dominated:
            mix = mixture(rules, each.player, weights(rules, each))
            name = rules._form.names[each.player][each.action]
            yield f"dominated: {rules.player_name(each.player)}'s {name}, by {mix}"


@dataclass(frozen=True, repr=False)
class CorrelatedResult(Result):
    """The correlated equilibrium with the greatest sum: a distribution over profiles of actions."""

    rules: Matrix
    found: Correlated
    seconds: float
    stopped = False

    @property
    def game(self) -> str:
        """The spec of the game."""
        return self.rules.spec

    @property
    def distribution(self) -> list[tuple[list[str], float]]:
        """The profiles that are drawn, each with its probability."""
        names = self.rules._form.names
        return [
            ([names[p][i] for p, i in enumerate(profile)], float(chance))
            for profile, chance in np.ndenumerate(self.found.distribution)
            if chance > 1e-9
        ]

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        found = self.found
        told = {"value": found.payoffs[0], "payoffs": list(found.payoffs), "regret": found.regret}
        cells = [{"profile": profile, "probability": chance} for profile, chance in self.distribution]
        named = {"game": self.game, "method": "correlated"}
        return {**named, **told, "seconds": round(self.seconds, 6), "distribution": cells}

    def __str__(self) -> str:
        rules = self.rules
        paid = ", ".join(f"{rules.player_name(p)} gets {share(x)}" for p, x in enumerate(self.found.payoffs))
        lines = [f"the correlated equilibrium with the greatest total payoff, in {self.seconds:.3f} s: {paid}"]
        return "\n".join(
            lines + [f"   {share(chance):>8}  {' '.join(profile)}" for profile, chance in self.distribution]
        )


def solve_matrix(
    rules: Matrix,
    method: str,
    file: Path | None,
    wait: Callable[[Callable[[], Any], str], Any],
    note: Callable[[str], None],
) -> MatrixResult | CorrelatedResult:
    """Solve a matrix game by one of its own methods."""
    tables = tables_of(rules)
    started = perf_counter()
    if method == "correlated":
        shared = wait(lambda: correlated_equilibrium(tables), "solving")
        if file is not None:
            note("a correlated equilibrium is not a policy: nothing was written")
        return CorrelatedResult(rules, shared, perf_counter() - started)
    found = wait(lambda: NORMAL[method](tables), "solving")
    seconds = perf_counter() - started
    if not found:
        note(f"{method} found nothing: the game is degenerate; `vertices` finds all equilibria")
    if file is not None and found:
        policy = matrix_policy(rules, found[0].strategies)
        policy.about = {"method": method}
        policy.save(file)
        if len(found) > 1:
            note(f"{file} holds the first of {len(found)}")
    dominated = remove_dominated(tables)[0] if tables[0].size <= MOST_CELLS else []
    exploited = exploitability(tables, found[0].strategies) if found else None
    return MatrixResult(rules, method, tuple(found), tuple(dominated), exploited, seconds, file)


def weights(rules: Matrix, each: Dominated) -> np.ndarray:
    """The mixture that dominates an action."""
    found = np.zeros(rules.counts[each.player])
    for action, weight in each.by.items():
        found[action] = weight
    return found


def mixture(rules: Matrix, player: int, strategy: np.ndarray) -> str:
    """A mixed strategy as text: the actions that it uses."""
    names = rules._form.names[player]
    used = [(names[i], float(p)) for i, p in enumerate(strategy) if p > 1e-9]
    if len(used) == 1:
        return used[0][0]
    return ", ".join(f"{name} {share(p)}" for name, p in used)


def share(x: float) -> str:
    """A number as text: as a small fraction if it is one."""
    near = Fraction(x).limit_denominator(60)
    return str(near) if abs(float(near) - x) < 1e-9 else f"{x:.6g}"
