"""Equilibria of matrix games, for people and for programs: the part of `equilibrium` that is about tables."""

from __future__ import annotations

import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import scipy.optimize  # noqa: F401 (loading it is not solving)

from counterplay.cli.terminal import console, note, wait_for, write_json
from counterplay.core.game import Game
from counterplay.equilibrium.correlated import Correlated, correlated_equilibrium
from counterplay.equilibrium.dominance import Dominated, remove_dominated
from counterplay.equilibrium.methods import NORMAL, matrix_policy
from counterplay.equilibrium.normal_form import Equilibrium, exploitability, tables_of
from counterplay.games.matrix import Matrix

MOST_LISTED = 50
MOST_CELLS = 10_000
"""Tables larger than this are not searched for dominated actions unasked."""


def solve_matrix(game: str, rules: Game, method: str, file: Path | None, json: bool) -> None:
    """Solve a matrix game by one of its own methods."""
    assert isinstance(rules, Matrix)
    tables = tables_of(rules)
    started = time.perf_counter()
    if method == "correlated":
        shared = wait_for(lambda: correlated_equilibrium(tables), "solving")
        tell_correlated(game, rules, shared, time.perf_counter() - started, file, json)
        return
    found = wait_for(lambda: NORMAL[method](tables), "solving")
    seconds = time.perf_counter() - started
    if not found:
        note(f"{method} found nothing: the game is degenerate; `vertices` finds all there is")
    if file is not None and found:
        policy = matrix_policy(rules, found[0].strategies)
        policy.about = {"method": method}
        policy.save(file)
        if len(found) > 1:
            note(f"{file} holds the first of {len(found)}")
    dominated = remove_dominated(tables)[0] if tables[0].size <= MOST_CELLS else []
    if json:
        write_json(as_data(game, rules, method, found, dominated, tables, seconds))
        return
    out = console()
    plural = "equilibrium" if len(found) == 1 else "equilibria"
    out.print(f"{len(found)} {plural} by {method} in {seconds:.3f} s" + (f": {file}" if file else ""))
    for number, one in enumerate(found[:MOST_LISTED], 1):
        lead = f"{number}. " if len(found) > 1 else ""
        out.print(lead + ", ".join(f"{rules.player_name(p)} gets {share(x)}" for p, x in enumerate(one.payoffs)))
        for player, strategy in enumerate(one.strategies):
            out.print(f"   {rules.player_name(player)}: {mixture(rules, player, strategy)}")
        if one.regret > 1e-7:
            out.print(f"   (not exact: somebody would gain {one.regret:.3g})")
    if len(found) > MOST_LISTED:
        out.print(f"... and {len(found) - MOST_LISTED} more (--json lists all)")
    for each in dominated:
        mix = mixture(rules, each.player, weights(rules, each))
        name = rules._form.names[each.player][each.action]
        out.print(f"dominated: {rules.player_name(each.player)}'s {name}, by {mix}")


def weights(rules: Matrix, each: Dominated) -> np.ndarray:
    """The mixture that dominates an action."""
    found = np.zeros(rules.counts[each.player])
    for action, weight in each.by.items():
        found[action] = weight
    return found


def mixture(rules: Matrix, player: int, strategy: np.ndarray) -> str:
    """A mixed strategy for people: the actions that are used."""
    names = rules._form.names[player]
    used = [(names[i], float(p)) for i, p in enumerate(strategy) if p > 1e-9]
    if len(used) == 1:
        return used[0][0]
    return ", ".join(f"{name} {share(p)}" for name, p in used)


def share(x: float) -> str:
    """A number for people: a small fraction where it is one."""
    near = Fraction(x).limit_denominator(60)
    return str(near) if abs(float(near) - x) < 1e-9 else f"{x:.6g}"


def as_data(
    game: str,
    rules: Matrix,
    method: str,
    found: list[Equilibrium],
    dominated: list[Dominated],
    tables: np.ndarray,
    seconds: float,
) -> dict[str, Any]:
    """What was found, for programs."""
    names = rules._form.names
    first = found[0] if found else None
    return {
        "game": game,
        "method": method,
        "value": first.payoffs[0] if first else None,
        "exploitability": exploitability(tables, first.strategies) if first else None,
        "iterations": 0,
        "seconds": round(seconds, 6),
        "information_sets": rules.players,
        "equilibria": [
            {
                "payoffs": list(one.payoffs),
                "regret": one.regret,
                "strategies": [
                    dict(zip(names[p], map(float, strategy), strict=True)) for p, strategy in enumerate(one.strategies)
                ],
            }
            for one in found
        ],
        "dominated": [
            {
                "player": rules.player_name(each.player),
                "action": names[each.player][each.action],
                "by": {names[each.player][action]: weight for action, weight in each.by.items()},
            }
            for each in dominated
        ],
    }


def tell_correlated(game: str, rules: Matrix, found: Correlated, seconds: float, file: Path | None, json: bool) -> None:
    """A distribution over profiles."""
    if file is not None:
        note("a correlated equilibrium is no policy: nothing was written")
    names = rules._form.names
    drawn = [
        ([names[p][i] for p, i in enumerate(profile)], float(chance))
        for profile, chance in np.ndenumerate(found.distribution)
        if chance > 1e-9
    ]
    if json:
        told = {"value": found.payoffs[0], "payoffs": list(found.payoffs), "regret": found.regret}
        cells = [{"profile": profile, "probability": chance} for profile, chance in drawn]
        write_json({"game": game, "method": "correlated", **told, "seconds": round(seconds, 6), "distribution": cells})
        return
    out = console()
    paid = ", ".join(f"{rules.player_name(p)} gets {share(x)}" for p, x in enumerate(found.payoffs))
    out.print(f"the correlated equilibrium with the greatest sum, in {seconds:.3f} s: {paid}")
    for profile, chance in drawn:
        out.print(f"   {share(chance):>8}  {' '.join(profile)}")
