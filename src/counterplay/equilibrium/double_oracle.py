"""The double oracle (McMahan, Gordon and Blum 2003) over an information tree, with exact best responses.

Each player has a few pure strategies. The matrix of their payoffs against each other is a game itself, the meta-game; a
linear program solves it, and each player adds a best response to the other's mixture. When no response gains anything,
the mixtures are an equilibrium of the whole game. There are finitely many pure strategies, so this terminates. With
oracles other than exact best responses, it is called policy-space response oracles (Lanctot and others 2017).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterplay.core.errors import Unsuitable
from counterplay.core.game import Game
from counterplay.core.language.kernel import kernel
from counterplay.equilibrium.information_tree import InformationTree
from counterplay.equilibrium.plans import (
    PolicyEvaluation,
    collect,
    evaluate_policy,
    plan_of,
    respond,
    strategy_of,
    uniform,
)
from counterplay.equilibrium.zero_sum import solve_zero_sum


class MetaStrategy(NamedTuple):
    """A solution of the meta-game."""

    value: float  # the first player's payoff
    mixtures: tuple[np.ndarray, np.ndarray]  # a probability for each strategy of either side


def require_two_opponents(game: Game) -> None:
    """Refuse games whose meta-game is not a zero-sum matrix."""
    if game.players != 2 or not game.zero_sum:
        raise Unsuitable(f"a league is for two opponents, and {game.spec} is not such a game; `ismcts` plays any")


def solve_meta(payoffs: np.ndarray) -> MetaStrategy:
    """An equilibrium of the meta-game, whose `payoffs` are the first player's."""
    found = solve_zero_sum(np.stack([payoffs, -payoffs]))
    ours, theirs = found.strategies
    return MetaStrategy(float(found.payoffs[0]), (np.asarray(ours), np.asarray(theirs)))


class DoubleOracle:
    """Two growing sets of pure strategies, as plans over the tree."""

    def __init__(self, tree: InformationTree) -> None:
        self.tree = tree
        self.plans: list[list[np.ndarray]] = [[], []]  # for each player, bool[own sequences], without the empty one
        self.payoffs = np.zeros((0, 0))  # [plans of the first player, plans of the second]
        self._gains: list[list[np.ndarray]] = [[], []]  # what the other's sequences earn against each of the plans

    def own(self, player: int) -> slice:
        """The sequences of a player, without the empty one."""
        tree = self.tree
        return slice(int(tree.start[tree.first[player]]), int(tree.start[tree.first[player + 1]]))

    def add(self, player: int, plan: np.ndarray) -> None:
        """Add a pure plan to a player's set."""
        whole, gains = np.ones(self.tree.sequences), np.zeros(self.tree.sequences)
        whole[self.own(player)] = plan
        earnings(self.tree, 1 - player, whole, gains)
        self.plans[player].append(plan)
        self._gains[player].append(gains)
        rows, columns = len(self.plans[0]), len(self.plans[1])
        grown = np.zeros((rows, columns))
        grown[: self.payoffs.shape[0], : self.payoffs.shape[1]] = self.payoffs
        others = range(columns) if player == 0 else range(rows)
        for k in others:
            worth = gains[1 - player] + gains[self.own(1 - player)] @ self.plans[1 - player][k]
            if player == 0:
                grown[-1, k] = -worth
            else:
                grown[k, -1] = worth
        self.payoffs = grown

    def respond_to(self, player: int, plan: np.ndarray) -> tuple[float, np.ndarray]:
        """What a player's best response to the other's `plan` earns, and the plan of that response."""
        answer, gains = np.ones(self.tree.sequences), np.zeros(self.tree.sequences)
        value = respond(self.tree, player, plan, gains, answer)
        return float(value), plan_of(self.tree, answer)[self.own(player)] > 0

    def begin(self) -> None:
        """The first strategies: each player's best response to random play."""
        even = plan_of(self.tree, uniform(self.tree))
        for player in range(2):
            self.add(player, self.respond_to(player, even)[1])

    def mixed(self, mixtures: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """The plan of both players' mixtures."""
        plan = np.ones(self.tree.sequences)
        for player in range(2):
            plan[self.own(player)] = sum(
                weight * plan for weight, plan in zip(mixtures[player], self.plans[player], strict=True)
            )
        return plan

    def widen(self, mixtures: tuple[np.ndarray, np.ndarray], exploiters: int = 0) -> int:
        """Let each player add a main agent, the best response to the other's mixture, and the best responses to the
        other's last `exploiters` main agents. Returns how many were new."""
        plan, found = self.mixed(mixtures), 0
        latest = [self.plans[player][-exploiters:] if exploiters else [] for player in range(2)]
        for player in range(2):
            added = [self.respond_to(player, plan)[1]]
            for target in latest[1 - player]:
                whole = np.ones(self.tree.sequences)
                whole[self.own(1 - player)] = target
                added.insert(0, self.respond_to(player, whole)[1])
            for new in added:
                if not any(np.array_equal(new, known) for known in self.plans[player]):
                    self.add(player, new)
                    found += 1
        return found

    def evaluation(self, mixtures: tuple[np.ndarray, np.ndarray]) -> PolicyEvaluation:
        """What the mixtures are worth in the whole game."""
        return evaluate_policy(self.tree, self.strategy(mixtures))

    def strategy(self, mixtures: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """The mixtures as probabilities of actions."""
        return strategy_of(self.tree, self.mixed(mixtures))


@kernel
def earnings(tree: InformationTree, player: int, plan: np.ndarray, gains: np.ndarray) -> None:
    """Write what each of the player's sequences earns against the other's plan."""
    collect(tree, player, plan, gains)
