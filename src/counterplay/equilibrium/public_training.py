"""Learning over a public tree, for games with too many information sets to list."""

from __future__ import annotations

import os

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.equilibrium.cfr import VARIANTS
from counterplay.equilibrium.information_tree import InformationTree, estimated_histories
from counterplay.equilibrium.public_policy import PublicPolicy
from counterplay.equilibrium.public_tree import PublicTree
from counterplay.equilibrium.vector_cfr import PublicEvaluation, PublicWalker, VectorRegrets

MANY_HISTORIES = 5_000_000
"""A game with private deals and more than about this many histories is learned on its public tree instead of its
information sets."""
MUCH_WORK = 500_000
"""From this number of nodes times hands on, a public tree is worth a thread for each core."""
MEMORY = ("regrets", "sums", "last")


def needs_public_tree(game: Game, method: str) -> bool:
    """Whether a method works on the game's public tree, because it has too many information sets."""
    suits = game.has_private_deals and game.players == 2 and game.zero_sum and method in VARIANTS
    return suits and estimated_histories(game) > MANY_HISTORIES


class PublicLearner:
    """A learner by regret minimization over the public tree."""

    def __init__(self, game: Game, tree: PublicTree, method: str, threads: int | None = None) -> None:
        self.game, self.tree, self.method = game, tree, method
        if threads is None:
            threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self.regrets = VectorRegrets(tree, VARIANTS[method])
        self.walker = PublicWalker(tree, self.regrets, threads if tree.nodes * tree.hands > MUCH_WORK else 1)

    @property
    def count(self) -> int:
        """Iterations so far."""
        return int(self.regrets.iterations)

    def run(self, iterations: int) -> None:
        """Run more iterations."""
        self.walker.iterate(iterations)

    def evaluation(self, tree: InformationTree | None = None) -> PublicEvaluation:
        """What the policy is worth, exactly."""
        return self.walker.evaluate()

    def policy(self) -> PublicPolicy:
        """What was learned, with everything needed to continue."""
        memory = {"regrets": self.regrets.regrets.copy(), "last": self.regrets.last.copy()}
        return PublicPolicy(self.game, self.tree, self.regrets.sums.copy(), {}, memory)

    def restore(self, saved: PublicPolicy) -> None:
        """Continue from a saved policy."""
        parts = {"sums": saved.sums, **saved.memory}
        for name in MEMORY:
            own = getattr(self.regrets, name)
            if name not in parts or parts[name].shape != own.shape or not np.isfinite(parts[name]).all():
                raise CounterplayError("the file lacks the training state to continue; --fresh starts over")
            own[:] = parts[name]
        self.regrets.iterations = int(saved.about["iterations"])
