"""A look-ahead over public states, to the end of the game or to a frontier whose decisions are valued by someone else.

Regret minimization continues as over a whole tree. In each iteration the walk leaves the players' reaches at the frontier,
all its decisions are valued at once for these reaches (by a value network, or by a blueprint that both would follow), and
the walk comes back with the values (Moravčík and others, DeepStack, 2017).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from counterplay.core.game import Game
from counterplay.equilibrium.cfr import VARIANTS
from counterplay.equilibrium.public_leaves import Scratch
from counterplay.equilibrium.public_tree import PublicBelief, PublicTree, frontier_states, public_tree
from counterplay.equilibrium.public_unrolling import FRONTIER, TO_THE_END
from counterplay.equilibrium.vector_cfr import DOWN, EVALUATE, LEARN, UP, WHOLE, VectorRegrets, learn_together, walk

METHOD = "cfr+"
MOST_NODES = 200_000
"""Public nodes of a look-ahead, at most."""

RARELY = 1e-7
"""How likely a hand is taken to be that a range leaves out, where its value is wanted all the same."""

Valued = Callable[[int, np.ndarray, np.ndarray], np.ndarray]
"""What each hand of a player earns: from the player, and [states, hands] their reach and the opponent's."""


class Leaves(Protocol):
    """What values the frontier of a look-ahead."""

    def reach(self, s: Any) -> int:
        """How far to look from a public state: TO_THE_END, TO_THE_CARD, or a number of actions."""

    def at(self, states: list[Any], weights: np.ndarray | None) -> Valued:
        """The values of some public states."""


class Ahead(NamedTuple):
    """The tree of a look-ahead, and the states of its frontier."""

    tree: PublicTree
    states: list[Any]


def ahead(game: Game, s: Any, weights: np.ndarray | None, reach: int) -> Ahead:
    """The tree from a public state on; the last ones are kept, for a game comes back to them."""
    return _ahead(game, Keyed((game.public(s), None if weights is None else weights.tobytes()), s, weights), reach)


class Keyed(NamedTuple):
    """A public state, equal to others by its key."""

    key: Any
    state: Any
    weights: np.ndarray | None

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Keyed) and self.key == other.key


@functools.lru_cache(maxsize=256)
def _ahead(game: Game, root: Keyed, reach: int) -> Ahead:
    ranges = np.ones((2, game.private_hands))
    tree = public_tree(game, False, MOST_NODES, PublicBelief(root.state, ranges, root.weights), reach)
    return Ahead(tree, frontier_states(game, tree, root.state, root.weights) if (tree.kind == FRONTIER).any() else [])


class LookAhead:
    """Both players' learning from a public state on."""

    def __init__(self, game: Game, s: Any, weights: np.ndarray | None = None, leaves: Leaves | None = None) -> None:
        self.game, self.state = game, s
        self.tree, states = ahead(game, s, weights, TO_THE_END if leaves is None else leaves.reach(s))
        self.learned = VectorRegrets(self.tree, VARIANTS[METHOD])
        self.scratch = Scratch(self.tree)
        self.valued = leaves.at(states, weights) if states and leaves is not None else None
        shape = (2, len(states), self.tree.hands)
        self.sums = np.zeros(shape)  # what the frontier was worth to each player, iteration t counted t times
        self.weight = 0.0  # of all of them together

    def learn(self, player: int, own: np.ndarray, other: np.ndarray) -> np.ndarray:
        """One walk for one player; [hands] what each of their hands earns. `learned.iterations` is the iteration's."""
        if self.valued is None:
            return self.walk(0, player, LEARN, own, other)
        self.scratch.phase = DOWN
        self.walk(0, player, LEARN, own, other)
        worth = self.ask(player)
        self.scratch.part_worth[:] = worth
        self.sums[player] += self.learned.iterations * worth
        self.weight += self.learned.iterations / 2
        self.scratch.phase = UP
        found = self.walk(0, player, LEARN, own, other)
        self.scratch.phase = WHOLE
        return found

    def ask(self, player: int) -> np.ndarray:
        """[states, hands] what the frontier is worth to a player by the reaches that the walk has left there."""
        assert self.valued is not None
        hands, tree = self.game.private_hands, self.tree
        reaches = np.zeros((2, len(self.sums[0]), hands))
        reaches[0][:, tree.hand] = self.scratch.part_own
        reaches[1][:, tree.hand] = self.scratch.part_other
        return self.valued(player, reaches[0], reaches[1])[:, tree.hand]

    def look(self, node: int, player: int, purpose: int, own: np.ndarray, other: np.ndarray) -> np.ndarray:
        """[hands] what the averages earn from a node on, or a best response to them. Where the look-ahead has a frontier it
        counts as it was worth on average."""
        if self.valued is None:
            return self.walk(node, player, purpose, own, other)
        self.scratch.part_worth[:] = self.sums[player] / max(self.weight, 1e-300)
        self.scratch.phase = UP
        found = self.walk(node, player, purpose, own, other)
        self.scratch.phase = WHOLE
        return found

    def walk(self, node: int, player: int, purpose: int, own: np.ndarray, other: np.ndarray) -> np.ndarray:
        """[hands] What each hand of `player` earns from a node on, by the phase that is set."""
        self.scratch.own[0], self.scratch.other[0] = own, other
        walk(self.tree, self.learned, self.scratch, node, player, purpose)
        found: np.ndarray = self.scratch.worth[0].copy()
        return found

    def shares(self, node: int = 0) -> np.ndarray:
        """[actions, hands of the game] the average strategy at a node."""
        row, count = int(self.tree.row[node]), int(self.tree.width[node])
        sums = self.learned.sums[row : row + count].astype(np.float64)
        totals = sums.sum(axis=0)
        found = np.full((count, self.game.private_hands), 1.0 / count)
        found[:, self.tree.hand] = np.where(totals > 0, sums / np.where(totals > 0, totals, 1.0), 1.0 / count)
        return found

    def actions(self, node: int = 0) -> list[int]:
        """What may be done or happen at a node."""
        start = int(self.tree.start[node])
        found: list[int] = self.tree.action[start : start + int(self.tree.width[node])].tolist()
        return found

    def child(self, node: int, action: int) -> int | None:
        """The node after an action or event; None where it is not in the tree."""
        actions = self.actions(node)
        if action not in actions:
            return None
        return int(self.tree.child[int(self.tree.start[node]) + actions.index(action)])

    def solve(self, ranges: np.ndarray, iterations: int) -> np.ndarray:
        """Learn from given ranges [2, hands of the game]; [2, hands of the game] what each hand earns at the first node
        against the other's range, by the averages."""
        own = np.maximum(ranges[:, self.tree.hand], RARELY * ranges.max())  # so that every hand has an average
        if self.valued is None:
            learn_together(self.tree, self.learned, self.scratch, own[0], own[1], iterations)
        for _ in range(iterations if self.valued is not None else 0):
            self.learned.iterations += 1
            for player in range(2):
                self.learn(player, own[player], own[1 - player])
        found = np.zeros((2, self.game.private_hands))
        for player in range(2):
            found[player, self.tree.hand] = self.look(0, player, EVALUATE, own[player], own[1 - player])
        return found
