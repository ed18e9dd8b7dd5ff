"""Passes over an information tree: from strategies to plans, from plans to values, and the best response, exact.

`strategy` and `plan` have a number for each sequence: the probability of its last action, and the product of all its
probabilities. `gains[sequence]` is what a player's sequence earns against the others' plans.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterplay.core.language.kernel import kernel
from counterplay.equilibrium.information_tree import InformationTree


class Response(NamedTuple):
    """What a player can do against the others."""

    value: float  # the most that they can earn
    strategy: np.ndarray  # [sequences] 1 for the actions of a best response


class PolicyEvaluation(NamedTuple):
    """What a profile of strategies is worth, exactly."""

    values: tuple[float, ...]  # each player's payoff
    responses: tuple[Response, ...]  # what each could earn

    @property
    def nash_conv(self) -> float:
        """The total gain if each player switched to a best response: 0 in an equilibrium."""
        return sum(max(0.0, one.value - value) for one, value in zip(self.responses, self.values, strict=True))

    @property
    def exploitability(self) -> float:
        """The same per player, as OpenSpiel defines it: NashConv divided by the number of players."""
        return self.nash_conv / len(self.values)


def uniform(tree: InformationTree) -> np.ndarray:
    """The strategy that draws uniformly everywhere."""
    counts = np.diff(tree.start)
    return np.append(np.ones(tree.players), np.repeat(1.0 / counts, counts))


def plan_of(tree: InformationTree, strategy: np.ndarray) -> np.ndarray:
    """The plan of a strategy."""
    plan = np.ones(tree.sequences)
    realize_all(tree, strategy, plan)
    return plan


def strategy_of(tree: InformationTree, plan: np.ndarray) -> np.ndarray:
    """The strategy of a plan or of a sum of plans; uniform in sets that it never reaches."""
    totals = np.add.reduceat(plan, tree.start[:-1]) if tree.sets else np.zeros(0)
    counts = np.diff(tree.start)
    spread = np.repeat(totals, counts)
    even = np.repeat(1.0 / counts, counts)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.where(spread > 0, plan[tree.players :] / spread, even)
    return np.append(np.ones(tree.players), shares)


def evaluate_policy(tree: InformationTree, strategy: np.ndarray) -> PolicyEvaluation:
    """A profile's payoffs, and the best response of each player."""
    plan, gains = plan_of(tree, strategy), np.zeros(tree.sequences)
    values, responses = [], []
    for player in range(tree.players):
        values.append(float(value_to(tree, player, plan)))
        answer = np.append(np.ones(tree.players), np.zeros(tree.sequences - tree.players))
        responses.append(Response(float(respond(tree, player, plan, gains, answer)), answer))
    return PolicyEvaluation(tuple(values), tuple(responses))


# What kernels call.


def realize(tree: InformationTree, player: int, strategy: np.ndarray, plan: np.ndarray) -> None:
    """Write the player's plan."""
    for k in range(tree.first[player], tree.first[player + 1]):
        reach = plan[tree.arrival[k]]
        for i in range(tree.start[k], tree.start[k + 1]):
            plan[i] = reach * strategy[i]


def collect(tree: InformationTree, player: int, plan: np.ndarray, gains: np.ndarray) -> None:
    """Write what each of the player's sequences earns at the leaves that it leads to, against the others' plans."""
    leaves = tree.leaves
    gains[player] = 0.0
    if tree.first[player] < tree.first[player + 1]:
        for i in range(tree.start[tree.first[player]], tree.start[tree.first[player + 1]]):
            gains[i] = 0.0
    own = player * leaves
    if tree.players == 2:
        other = leaves - own
        for z in range(leaves):
            gains[tree.reached[own + z]] += tree.payoffs[own + z] * plan[tree.reached[other + z]]
    else:
        for z in range(leaves):
            worth = tree.payoffs[own + z]
            for q in range(tree.players):
                if q != player:
                    worth *= plan[tree.reached[q * leaves + z]]
            gains[tree.reached[own + z]] += worth


@kernel
def realize_all(tree: InformationTree, strategy: np.ndarray, plan: np.ndarray) -> None:
    """Write the plans of all players."""
    for player in range(tree.players):
        plan[player] = 1.0
        realize(tree, player, strategy, plan)


@kernel
def value_to(tree: InformationTree, player: int, plan: np.ndarray) -> float:
    """A player's payoff under all players' plans."""
    leaves = tree.leaves
    total = 0.0
    for z in range(leaves):
        worth = tree.payoffs[player * leaves + z]
        for q in range(tree.players):
            worth *= plan[tree.reached[q * leaves + z]]
        total += worth
    return total


@kernel
def respond(tree: InformationTree, player: int, plan: np.ndarray, gains: np.ndarray, answer: np.ndarray) -> float:
    """The value of the player's best response to the others' plans; `answer` gets 1 at its actions. Children come
    before their parents, so each set is decided once."""
    collect(tree, player, plan, gains)
    for k in range(tree.first[player + 1] - 1, tree.first[player] - 1, -1):
        best = tree.start[k]
        for i in range(tree.start[k], tree.start[k + 1]):
            answer[i] = 0.0
            if gains[i] > gains[best]:
                best = i
        answer[best] = 1.0
        gains[tree.arrival[k]] += gains[best]
    return gains[player]
