"""Two-player zero-sum games with secrets, solved exactly by one linear program (Koller, Megiddo & von Stengel 1994).

Plans instead of strategies make the expected payoff bilinear, with a number for each sequence. The first
player's program is solved by HiGHS; the second player's plan is its dual.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.equilibrium.information_tree import InformationTree
from counterplay.equilibrium.plans import strategy_of


def require_zero_sum(tree: InformationTree) -> None:
    """Refuse games that one linear program cannot solve."""
    if tree.players != 2:
        raise Unsuitable(f"lp is for two players, not for {tree.players}; cfr+ takes any number, without a guarantee")
    totals = tree.payoffs.reshape(2, -1).sum(axis=0)
    if np.abs(totals).max(initial=0.0) > 1e-9 * max(1e-300, float(np.abs(tree.payoffs).max(initial=0.0))):
        raise Unsuitable("lp is for zero-sum games; cfr+ takes others, without a guarantee")


def solve_sequence_form(tree: InformationTree) -> np.ndarray:
    """An equilibrium of a two-player zero-sum game, as a strategy over the tree."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_matrix, csr_matrix, hstack

    require_zero_sum(tree)
    ours, theirs = _own_sequences(tree, 0), _own_sequences(tree, 1)
    rows, columns = (tree.reached[: tree.leaves], tree.reached[tree.leaves :])
    column = np.zeros(tree.sequences, np.int64)
    column[ours], column[theirs] = np.arange(len(ours)), np.arange(len(theirs))
    scale = max(float(np.abs(tree.payoffs).max()), 1e-300)
    table = coo_matrix(
        (tree.payoffs[: tree.leaves] / scale, (column[rows], column[columns])), shape=(len(ours), len(theirs))
    ).tocsr()
    flow, their_flow = _flow(tree, 0, column), _flow(tree, 1, column)
    one = np.zeros(flow.shape[0])
    one[0] = 1.0
    # Over plans x >= 0 and free q: maximize q[0] where their_flow.T @ q <= table.T @ x and flow @ x == one.
    found = linprog(
        np.concatenate([np.zeros(len(ours)), [-1.0], np.zeros(their_flow.shape[0] - 1)]),
        A_ub=hstack([-table.T, their_flow.T]),
        b_ub=np.zeros(len(theirs)),
        A_eq=hstack([flow, csr_matrix((flow.shape[0], their_flow.shape[0]))]),
        b_eq=one,
        bounds=[(0, None)] * len(ours) + [(None, None)] * their_flow.shape[0],
        method="highs",
    )
    if found.status != 0:
        raise CounterplayError(f"lp: the linear program was not solved: {found.message}")
    plan = np.ones(tree.sequences)
    plan[ours] = np.maximum(found.x[: len(ours)], 0.0)
    plan[theirs] = np.maximum(-found.ineqlin.marginals, 0.0)
    plan[plan < 1e-12] = 0.0
    return strategy_of(tree, plan)


def _own_sequences(tree: InformationTree, player: int) -> np.ndarray:
    """The player's sequences, the empty one first."""
    start, end = tree.start[tree.first[player]], tree.start[tree.first[player + 1]]
    return np.append(player, np.arange(start, end))


def _flow(tree: InformationTree, player: int, column: np.ndarray) -> Any:
    """The matrix of a plan's constraints: the empty sequence is 1, and what leaves a set is what arrives there."""
    from scipy.sparse import csr_matrix

    sets = np.arange(tree.first[player], tree.first[player + 1])
    widths = np.diff(tree.start)[sets]
    leaving = np.arange(tree.start[tree.first[player]], tree.start[tree.first[player + 1]])
    number = np.arange(1, len(sets) + 1)
    rows = np.concatenate([[0], number, np.repeat(number, widths)])
    columns = np.concatenate([[0], column[tree.arrival[sets]], column[leaving]])
    entries = np.concatenate([[1.0], -np.ones(len(sets)), np.ones(len(leaving))])
    return csr_matrix((entries, (rows, columns)), shape=(len(sets) + 1, len(leaving) + 1))
