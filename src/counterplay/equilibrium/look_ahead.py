"""A look-ahead over public states, to the end of the game or to a frontier whose decisions something else values.

Regret minimization works as over a whole tree. In each iteration the walk leaves the players' reaches at the frontier,
all its decisions are valued at once for these reaches (by a value network, or by a blueprint that both would follow),
and the walk returns with the values (Moravčík and others, DeepStack, 2017).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from counterplay.core.game import Game
from counterplay.equilibrium.cfr import VARIANTS
from counterplay.equilibrium.public_leaves import Scratch
from counterplay.equilibrium.public_tree import PublicBelief, PublicTree, frontier_states, public_tree
from counterplay.equilibrium.public_unrolling import FRONTIER, TO_THE_END
from counterplay.equilibrium.vector_cfr import EVALUATE, NOBODY, UP, WHOLE, VectorRegrets, learn_together, swing, walk

METHOD = "cfr+"
MOST_NODES = 200_000
"""The maximum number of public nodes of a look-ahead."""

RARELY = 1e-7
"""The probability given to a hand outside a range when its value is wanted all the same."""

Valued = Callable[[int, np.ndarray, np.ndarray], np.ndarray]
"""What each hand of a player earns, from the player and two arrays [states, hands]: their reach and the opponent's."""


class Leaves(Protocol):
    """The source of values for the frontier of a look-ahead."""

    def reach(self, s: Any) -> int:
        """How far to look from a public state: TO_THE_END, TO_THE_CARD, or a number of actions."""

    def at(self, states: list[Any], weights: np.ndarray | None) -> Valued:
        """The values of some public states."""


class Ahead(NamedTuple):
    """The tree of a look-ahead, and the states of its frontier."""

    tree: PublicTree
    states: list[Any]


def ahead(game: Game, s: Any, weights: np.ndarray | None, reach: int, folded: bool = False) -> Ahead:
    """The tree from a public state on. The last ones are cached, since a game returns to them."""
    return _ahead(game, keyed(game, s, weights), reach, folded)


class Keyed(NamedTuple):
    """A public state, equal to others by its key."""

    key: Any
    state: Any
    weights: np.ndarray | None

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Keyed) and self.key == other.key


def keyed(game: Game, s: Any, weights: np.ndarray | None = None) -> Keyed:
    """A state as a dictionary key."""
    return Keyed((game.public(s), None if weights is None else weights.tobytes()), s, weights)


@functools.lru_cache(maxsize=1024)
def _ahead(game: Game, root: Keyed, reach: int, folded: bool) -> Ahead:
    ranges = np.ones((2, game.private_hands))
    tree = public_tree(game, folded, MOST_NODES, PublicBelief(root.state, ranges, root.weights), reach)
    return Ahead(tree, frontier_states(game, tree, root.state, root.weights) if (tree.kind == FRONTIER).any() else [])


class LookAhead:
    """Both players' learning from a public state on. In a `folded` one, a public card represents those that differ only
    in the names of suits, which is exact if neither range tells such hands apart."""

    def __init__(
        self,
        game: Game,
        s: Any,
        weights: np.ndarray | None = None,
        leaves: Leaves | None = None,
        folded: bool = False,
    ) -> None:
        self.game, self.state = game, s
        self.tree, self.states = ahead(game, s, weights, TO_THE_END if leaves is None else leaves.reach(s), folded)
        self.learned = VectorRegrets(self.tree, VARIANTS[METHOD])
        self.scratch = Scratch(self.tree)
        self.leaves, self.weights = leaves, weights
        shape = (2, len(self.states), self.tree.hands)
        self.sums = np.zeros(shape)  # what the frontier was worth to each player, iteration t counted t times
        self.weight = 0.0  # of all of them together

    @property
    def is_limited(self) -> bool:
        """Whether it stops at a frontier."""
        return bool(self.states)

    @functools.cached_property
    def frontier(self) -> Frontier:
        """The frontier where it stops."""
        assert self.leaves is not None
        return Frontier([self], self.leaves, self.weights)

    def swing(self, first: np.ndarray, second: np.ndarray, up: int, down: int, turn: int) -> None:
        """Run from one valuation of the frontier to the next."""
        swing(self.tree, self.learned, self.scratch, first, second, up, down, turn)

    def take(self, player: int, worth: np.ndarray) -> None:
        """Record what the frontier is worth to a player by the reaches that the walk has left there."""
        self.scratch.part_worth[:] = worth
        self.sums[player] += self.learned.iterations * worth
        self.weight += self.learned.iterations / 2

    def look(self, node: int, player: int, purpose: int, own: np.ndarray, other: np.ndarray) -> np.ndarray:
        """[hands] what the averages earn from a node on, or a best response to them. A frontier counts with its average
        value."""
        if not self.is_limited:
            return self.walk(node, player, purpose, own, other)
        self.scratch.part_worth[:] = self.sums[player] / max(self.weight, 1e-300)
        self.scratch.phase = UP
        found = self.walk(node, player, purpose, own, other)
        self.scratch.phase = WHOLE
        return found

    def walk(self, node: int, player: int, purpose: int, own: np.ndarray, other: np.ndarray) -> np.ndarray:
        """[hands] what each hand of `player` earns from a node on, in the current phase."""
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
        """The actions or events at a node."""
        start = int(self.tree.start[node])
        found: list[int] = self.tree.action[start : start + int(self.tree.width[node])].tolist()
        return found

    def child(self, node: int, action: int) -> int | None:
        """The node after an action or event; None if it is not in the tree."""
        actions = self.actions(node)
        if action not in actions:
            return None
        return int(self.tree.child[int(self.tree.start[node]) + actions.index(action)])

    def solve(self, ranges: np.ndarray, iterations: int) -> np.ndarray:
        """Learn from given ranges [2, hands of the game]. Returns [2, hands of the game] what each hand earns at the
        first node against the other's range, by the averages."""
        self.learn(ranges, iterations)
        return self.worth(ranges)

    def learn(self, ranges: np.ndarray, iterations: int) -> None:
        """More iterations of both players from given ranges."""
        if self.is_limited:
            self.frontier.learn([ranges], iterations)
            return
        own = self.reaches(ranges)
        learn_together(self.tree, self.learned, self.scratch, own[0], own[1], iterations)

    def worth(self, ranges: np.ndarray) -> np.ndarray:
        """[2, hands of the game] what each hand earns at the first node against the other's range, by the averages."""
        own, found = self.reaches(ranges), np.zeros((2, self.game.private_hands))
        for player in range(2):
            found[player, self.tree.hand] = self.look(0, player, EVALUATE, own[player], own[1 - player])
        return found

    def reaches(self, ranges: np.ndarray) -> np.ndarray:
        """[2, hands of the tree] ranges in which every hand is possible, so that each has an average."""
        found: np.ndarray = np.maximum(ranges[:, self.tree.hand], RARELY * ranges.max())
        return found


class Frontier:
    """Where several look-aheads that learn at the same time stop: all their states are valued in one call."""

    def __init__(self, looks: Sequence[LookAhead], leaves: Leaves, weights: np.ndarray | None) -> None:
        self.looks = looks
        states = [s for look in looks for s in look.states]
        ends = np.cumsum([len(look.states) for look in looks])
        hands = looks[0].game.private_hands
        self.parts: list[Any] = [  # the states of each, and its hands: all of them, or some
            (
                slice(int(end) - len(look.states), int(end)),
                slice(None) if look.tree.hands == hands else look.tree.hand,
            )
            for look, end in zip(looks, ends, strict=True)
        ]
        self.valued = leaves.at(states, weights)
        self.reach = np.zeros((2, len(states), hands))  # of the player who learns, of the other

    def value(self, player: int) -> None:
        """Tell every look-ahead what its frontier is worth to a player."""
        own, other = self.reach
        for look, part in zip(self.looks, self.parts, strict=True):
            own[part], other[part] = look.scratch.part_own, look.scratch.part_other
        worth = self.valued(player, own, other)
        for look, part in zip(self.looks, self.parts, strict=True):
            look.take(player, worth[part])

    def learn(self, ranges: Sequence[np.ndarray], iterations: int) -> None:
        """More iterations of all, each from its ranges [2, hands of the game]."""
        owns = [look.reaches(each) for look, each in zip(self.looks, ranges, strict=True)]
        begun = int(self.looks[0].learned.iterations)
        up, down = NOBODY, 0
        for step in range(2 * iterations + 1):
            turn = begun + 1 + step // 2
            for look, own in zip(self.looks, owns, strict=True):
                look.swing(own[0], own[1], up, down, turn)
            if down != NOBODY:
                self.value(down)
            up, down = down, 1 - down if step + 1 < 2 * iterations else NOBODY
