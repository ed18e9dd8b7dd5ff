"""The methods for matrix games by name, and the default for a game."""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.equilibrium.information_tree import information_tree
from counterplay.equilibrium.lemke_howson import every_label, lemke_howson
from counterplay.equilibrium.logit import logit
from counterplay.equilibrium.normal_form import Equilibrium, Strategies
from counterplay.equilibrium.policy import Policy
from counterplay.equilibrium.supports import extreme_equilibria, support_enumeration
from counterplay.equilibrium.training import METHODS as LEARNING
from counterplay.equilibrium.zero_sum import solve_zero_sum
from counterplay.games.matrix import Matrix

NORMAL: dict[str, Callable[[np.ndarray], list[Equilibrium]]] = {
    "lp": lambda tables: [solve_zero_sum(tables)],
    "lemke-howson": lambda tables: [lemke_howson(tables)],
    "all-labels": every_label,
    "supports": support_enumeration,
    "vertices": extreme_equilibria,
    "logit": lambda tables: [logit(tables).equilibrium],
}
"""What each method finds in a matrix game."""

MATRIX_METHODS = (*NORMAL, "correlated")
FEW_BASES = 20_000
"""If a game has no more sets of tight inequalities than this, all its equilibria are listed by default."""


def usual_method(game: Game) -> str:
    """The default method."""
    if not isinstance(game, Matrix):
        return "cfr+"
    if game.players > 2:
        return "logit"
    if game.zero_sum:
        return "lp"
    return "vertices" if comb(sum(game.counts), game.counts[0]) <= FEW_BASES else "lemke-howson"


def require_method(game: Game, method: str) -> None:
    """Refuse an unknown method, or one that does not suit the game."""
    known = [*LEARNING, "lp"] if not isinstance(game, Matrix) else [*MATRIX_METHODS, *LEARNING]
    if method not in known:
        other = method in MATRIX_METHODS
        why = f"{method} is for matrix games" if other else f"no method {method!r}"
        raise CounterplayError(f"{why}; for {game.spec} there are {', '.join(known)}")


def matrix_policy(game: Matrix, strategies: Strategies) -> Policy:
    """Mixed strategies of a matrix game as a policy: each player has one information set."""
    tree = information_tree(game)
    whole = np.ones(tree.sequences)
    for player, strategy in enumerate(strategies):
        k = int(tree.first[player])
        whole[tree.start[k] : tree.start[k + 1]] = strategy
    return Policy.on_tree(game, tree, whole)
