"""The tree of a Monte Carlo search: a struct of arrays, a slot a node, the children of a node side by side.

A node stands for an action (or a chance event) at its parent and for the position behind it, which is played again on
each way down: states are cheap to make and are not kept. What is written of a node:

    visits, total     how often it was passed, and what came of it
    lower, upper      what is proven of its value (score bounded Monte Carlo: Cazenave & Saffidine 2010)
    first, count      its children, once it is expanded

Values run from -1, the worst that anybody can get, to 1, the best. Between two opponents one number is enough, in view of
player 0 (`width` 1); otherwise each player has one (`width` players). Children are always made after their parents, so
that one sweep from left to right (pruning.py) makes room.
"""

from __future__ import annotations

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.workspace import Workspace

ROOT = 0
UNEXPANDED, EXPANDING = -1, -2
"""Instead of a first child: none yet; a thread is making them."""
NOBODY = -3
"""The mover of a node that is not expanded."""
VACANT, TAKEN = -1, -2
"""Instead of a number of children: a slot for a chance event that has not come yet; a thread is filling it."""
NEAR, FAR = -1.0, 1.0
"""The bounds of values."""
USED, ROOM, FULL, TICKETS, LIMIT = range(5)
"""Places in `counters`: slots in use and there are; whether one was missing; simulations begun and allowed."""

PRIORS, AMAF, ESTIMATES = range(3)
"""Places in `flags`: which of the optional arrays are in use."""

LEAST_NODES = 4096
MEGABYTE = 1 << 20


def vector_width(game: Game) -> int:
    """How many numbers a value has."""
    return 1 if game.players == 1 or (game.players == 2 and game.zero_sum) else game.players


class Tree(Workspace):
    """The nodes. An array that nothing uses has a single element."""

    def __init__(
        self, game: Game, megabytes: float, *, priors: bool = False, amaf: bool = False, estimates: bool = False
    ) -> None:
        self.width = width = vector_width(game)
        self.scalar = width == 1
        self.has_chance = game.has_chance
        kinds = {
            "first": (np.int32, 1, True),  # [nodes] the first child, UNEXPANDED or EXPANDING
            "count": (np.int32, 1, True),  # [nodes] how many children
            "parent": (np.int32, 1, True),  # [nodes] of a first child: its parent
            "action": (np.int64, 1, True),  # [nodes] what leads here from the parent
            "mover": (np.int8, 1, True),  # [nodes] who moves here; NOBODY where it is not expanded
            "visits": (np.int64, 1, True),  # [nodes]
            "total": (np.float64, width, True),  # [nodes, width] the sum of all values
            "lower": (np.float64, 1, width == 1),  # [nodes] the value is no less
            "upper": (np.float64, 1, width == 1),  # [nodes] the value is no more
            "plies": (np.int32, 1, width == 1),  # [nodes] how far away the end is, where it is proven
            "prior": (np.float32, 1, priors),  # [nodes] the policy's opinion of an action
            "chance": (np.float64, 1, game.has_chance),  # [nodes] the probability of an event
            "amaf_visits": (np.int64, 1, amaf),  # [nodes] playouts in which the action came later
            "amaf_total": (np.float64, 1, amaf),  # [nodes] what came of them for the player who acts
            "estimate": (np.float64, width, estimates),  # [nodes, width] the evaluation, backed up by minimax
        }
        size = sum(np.dtype(kind).itemsize * each for kind, each, used in kinds.values() if used)
        wanted = megabytes * MEGABYTE / size
        if not 0 < wanted < 2**31:
            raise CounterplayError(f"a tree of {megabytes:g} MB: it must be more than 0 and less than {2**11 * size}")
        nodes = max(LEAST_NODES, int(wanted))
        for name, (kind, each, used) in kinds.items():
            setattr(self, name, np.empty(nodes * each if used else 1, kind))
        self.counters = np.array([1, nodes, 0, 0, 0], np.int64)
        self.flags = np.array([priors, amaf, estimates], np.int64)
        self.clear()

    # For type checkers: the arrays above.
    first: np.ndarray
    count: np.ndarray
    parent: np.ndarray
    action: np.ndarray
    mover: np.ndarray
    visits: np.ndarray
    total: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    plies: np.ndarray
    prior: np.ndarray
    chance: np.ndarray
    amaf_visits: np.ndarray
    amaf_total: np.ndarray
    estimate: np.ndarray

    def clear(self) -> None:
        """Only a root that nobody has visited."""
        self.counters[USED], self.counters[FULL] = 1, 0
        for name in ("count", "visits", "plies", "amaf_visits", "amaf_total"):
            getattr(self, name)[0] = 0
        self.first[ROOT], self.mover[ROOT], self.action[ROOT] = UNEXPANDED, NOBODY, 0
        self.lower[0], self.upper[0], self.prior[0], self.chance[0] = NEAR, FAR, 1, 1
        self.total[: self.width] = self.estimate[: self.width if self.estimate.size > 1 else 1] = 0

    def children(self, node: int = ROOT) -> range:
        """The nodes below."""
        first = int(self.first[node])
        return range(0) if first < 0 else range(first, first + int(self.count[node]))

    # What kernels call.

    def begin(self, node: int, action: int) -> None:
        """A new node that nobody has visited."""
        self.first[node] = UNEXPANDED
        self.count[node] = 0
        self.parent[node] = 0
        self.action[node] = action
        self.mover[node] = NOBODY
        self.visits[node] = 0
        for i in range(node * self.width, (node + 1) * self.width):
            self.total[i] = 0.0
        if self.scalar:
            self.lower[node] = NEAR
            self.upper[node] = FAR
            self.plies[node] = 0
        if self.flags[AMAF]:
            self.amaf_visits[node] = 0
            self.amaf_total[node] = 0.0

    def is_known(self, node: int) -> bool:
        """Whether the value is proven."""
        if self.scalar:
            return self.lower[node] == self.upper[node]
        return False

    def settle(self, node: int, value: float) -> None:
        """The value of a node, for certain."""
        self.lower[node] = value
        self.upper[node] = value

    def mean(self, node: int, player: int) -> float:
        """What `player` may expect of a node that was visited: the average of its simulations, within what is proven."""
        if self.scalar:
            value = min(max(self.total[node] / self.visits[node], self.lower[node]), self.upper[node])
            return value if player == 0 else -value
        return self.total[node * self.width + player] / self.visits[node]

    def least(self, node: int, player: int) -> float:
        """What `player` gets for certain."""
        return self.lower[node] if player == 0 else -self.upper[node]

    def most(self, node: int, player: int) -> float:
        """What `player` gets at the most, for certain."""
        return self.upper[node] if player == 0 else -self.lower[node]

    def estimated(self, node: int, player: int) -> float:
        """The evaluation of a node for `player`, backed up or not."""
        if self.scalar:
            return self.estimate[node] if player == 0 else -self.estimate[node]
        return self.estimate[node * self.width + player]

    def minimax(self, node: int) -> None:
        """The evaluation of an expanded node from those of its children: the best for who moves there."""
        first, mover, width = self.first[node], self.mover[node], self.width
        if mover == CHANCE:
            for i in range(width):
                total, seen = 0.0, 0.0
                for k in range(first, first + self.count[node]):
                    if self.count[k] >= 0:
                        total += self.chance[k] * self.estimate[k * width + i]
                        seen += self.chance[k]
                if seen > 0.0:
                    self.estimate[node * width + i] = total / seen
            return
        best = first
        for k in range(first + 1, first + self.count[node]):
            if self.estimated(k, mover) > self.estimated(best, mover):
                best = k
        for i in range(width):
            self.estimate[node * width + i] = self.estimate[best * width + i]

    def tighten(self, node: int) -> bool:
        """What follows for a node from what is proven of its children; whether it is more than before."""
        low, high = 0.0, 0.0
        mover, first = self.mover[node], self.first[node]
        if mover == CHANCE:
            unseen = 1.0
            for k in range(first, first + self.count[node]):
                low += self.chance[k] * self.lower[k]
                high += self.chance[k] * self.upper[k]
                unseen -= self.chance[k]
            if unseen > 1e-9:
                low += unseen * NEAR
                high += unseen * FAR
        else:
            low, high = self.lower[first], self.upper[first]
            for k in range(first + 1, first + self.count[node]):
                if mover == 0:
                    low, high = max(low, self.lower[k]), max(high, self.upper[k])
                else:
                    low, high = min(low, self.lower[k]), min(high, self.upper[k])
        if low <= self.lower[node] and high >= self.upper[node]:
            return False
        self.lower[node] = low
        self.upper[node] = high
        if low == high:
            self.date(node, low)
        return True

    def date(self, node: int, value: float) -> None:
        """How far away the end is where `value` is the best or the worst: soon for who wins, late for who loses."""
        mover, first = self.mover[node], self.first[node]
        wins = value == (FAR if mover == 0 else NEAR)
        plies = -1
        for k in range(first, first + self.count[node]):
            if self.lower[k] == value and self.upper[k] == value:
                if plies < 0 or (self.plies[k] < plies) == wins:
                    plies = self.plies[k]
        self.plies[node] = plies + 1
