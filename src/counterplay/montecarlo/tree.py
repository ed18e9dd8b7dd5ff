"""The tree of a Monte Carlo search: a struct of arrays with a slot per node, a node's children side by side.

A node stands for an action (or a chance event) at its parent and for the position after it, which is made again on each
descent: states are cheap and are not kept. A node has:

    visits, total     how often it was visited, and the sum of the results
    lower, upper      what is proven of its value (score bounded Monte Carlo: Cazenave & Saffidine 2010)
    first, count      its children, once it is expanded

Values run from -1, the worst that anyone can get, to 1, the best. Between two opponents one number is enough, from the
point of view of player 0 (`width` 1); otherwise each player has one (`width` players). Children are always made after
their parents, so that one sweep from left to right (pruning.py) makes room. The trees of many games at once (self-play)
are in the same arrays, one after another, each in a block of slots.
"""

from __future__ import annotations

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.workspace import Array, Flag, Workspace, f32, f64, i8, i32, i64

ROOT = 0
UNEXPANDED, EXPANDING = -1, -2
"""Values of `first` without a child: none yet; a thread is making them, or a policy is being asked about them."""
VACANT, TAKEN = -1, -2
"""Values of `count` without a number: a slot for a chance event that has not occurred yet; a thread is filling it."""
NEAR, FAR = -1.0, 1.0
"""The bounds of values."""

LEAST_NODES = 4096
MEGABYTE = 1 << 20


def vector_width(game: Game) -> int:
    """The number of components of a value."""
    return 1 if game.players == 1 or (game.players == 2 and game.zero_sum) else game.players


class SimulationTree(Workspace):
    """The nodes. An array that is not used has a single row."""

    room: i64  # slots
    used: Array[i64, 1]  # slots in use; an array, so that threads can add to it in one step
    full: Flag  # a slot was missing
    tickets: Array[i64, 1]  # simulations begun
    limit: i64  # simulations allowed
    has_priors: bool
    has_logits: bool
    has_amaf: bool
    has_estimates: bool

    first: Array[i32, "nodes"]  # the first child, UNEXPANDED or EXPANDING
    count: Array[i32, "nodes"]  # how many children
    parent: Array[i32, "nodes"]  # of a first child: its parent
    action: Array[i64, "nodes"]  # the action that leads here from the parent
    mover: Array[i8, "nodes"]  # the player to move here, once it is expanded
    visits: Array[i64, "nodes"]
    total: Array[f64, "nodes", "width"]  # the sum of all values
    lower: Array[f64, "nodes"]  # the value is no less
    upper: Array[f64, "nodes"]  # the value is no more
    plies: Array[i32, "nodes"]  # how far away the end is, if proven
    bounded: Array[i8, "nodes"]  # whether anything is proven about a child, once it is expanded
    chance: Array[f64, "nodes"]  # the probability of an event
    prior: Array[f32, "nodes"]  # the policy's probability of an action
    logit: Array[f32, "nodes"]  # its logarithm
    share: Array[f32, "nodes"]  # its probability by the improved policy, while in use
    opinion: Array[f64, "nodes"]  # the policy's value of the position, from player 0's point of view
    amaf_visits: Array[i64, "nodes"]  # playouts in which the action came later
    amaf_total: Array[f64, "nodes"]  # the sum of their values to the player who acts
    estimate: Array[f64, "nodes", "width"]  # the evaluation, backed up by minimax

    def __init__(
        self,
        game: Game,
        megabytes: float = 0.0,
        *,
        nodes: int = 0,
        priors: bool = False,
        logits: bool = False,
        amaf: bool = False,
        estimates: bool = False,
    ) -> None:
        """Room for `nodes` nodes, or for as many as fit into `megabytes`."""
        self.width = width = vector_width(game)
        self.scalar = scalar = width == 1
        self.has_chance = game.has_chance
        self.has_priors, self.has_logits, self.has_amaf, self.has_estimates = priors, logits, amaf, estimates
        optional = {
            "lower": scalar, "upper": scalar, "plies": scalar, "bounded": scalar, "chance": game.has_chance,
            "prior": priors, "logit": logits, "share": logits, "opinion": logits,
            "amaf_visits": amaf, "amaf_total": amaf, "estimate": estimates,
        }  # fmt: skip
        each = {"total": (width,), "estimate": (width,)}
        kinds = {name: np.dtype(array.item.code) for name, array in self._arrays.items() if array.lengths[0] == "nodes"}
        if not nodes:
            size = sum(
                kind.itemsize * int(np.prod(each.get(name, ())))
                for name, kind in kinds.items()
                if optional.get(name, 1)
            )
            wanted = megabytes * MEGABYTE / size
            if not 0 < wanted < 2**31:
                raise CounterplayError(
                    f"a tree of {megabytes:g} MB: it must be more than 0 and less than {2**11 * size}"
                )
            nodes = max(LEAST_NODES, int(wanted))
        for name, kind in kinds.items():
            setattr(self, name, np.empty((nodes if optional.get(name, 1) else 1, *each.get(name, ())), kind))
        self.room = nodes
        self.clear()

    def clear(self) -> None:
        """Keep only a root without visits."""
        self.used[0], self.full = 1, False
        self.plant(ROOT)

    def children(self, node: int = ROOT) -> range:
        """The children of a node."""
        first = int(self.first[node])
        return range(0) if first < 0 else range(first, first + int(self.count[node]))

    # What kernels call.

    def plant(self, root: int) -> None:
        """Make a root without visits."""
        self.begin(root, 0)
        if self.scalar:
            self.plies[root] = 0
        if self.has_estimates:
            for i in range(self.width):
                self.estimate[root, i] = 0.0

    def begin(self, node: int, action: int) -> None:
        """Make a new node without visits."""
        self.first[node] = UNEXPANDED
        self.count[node] = 0
        self.action[node] = action
        self.visits[node] = 0
        for i in range(self.width):
            self.total[node, i] = 0.0
        if self.scalar:
            self.lower[node] = NEAR
            self.upper[node] = FAR
        if self.has_amaf:
            self.amaf_visits[node] = 0
            self.amaf_total[node] = 0.0

    def is_known(self, node: int) -> bool:
        """Whether the value is proven."""
        if self.scalar:
            return self.lower[node] == self.upper[node]
        return False

    def has_bounds(self, node: int) -> bool:
        """Whether anything is proven about the children of an expanded node."""
        if self.scalar:
            return self.bounded[node] != 0
        return False

    def settle(self, node: int, value: float) -> None:
        """Set the certain value of a node at which the game ends."""
        self.plies[node] = 0
        self.lower[node] = value
        self.upper[node] = value

    def average(self, node: int, player: int) -> float:
        """The average of the simulations of a visited node, to `player`."""
        if self.scalar:
            value = self.total[node, 0] / self.visits[node]
            return value if player == 0 else -value
        return self.total[node, player] / self.visits[node]

    def mean(self, node: int, player: int) -> float:
        """What `player` can expect of a visited node: the average of its simulations, within the proven bounds."""
        if self.scalar:
            value = min(max(self.total[node, 0] / self.visits[node], self.lower[node]), self.upper[node])
            return value if player == 0 else -value
        return self.total[node, player] / self.visits[node]

    def least(self, node: int, player: int) -> float:
        """The least that `player` gets, proven."""
        return self.lower[node] if player == 0 else -self.upper[node]

    def most(self, node: int, player: int) -> float:
        """The most that `player` gets, proven."""
        return self.upper[node] if player == 0 else -self.lower[node]

    def estimated(self, node: int, player: int) -> float:
        """The evaluation of a node for `player`, backed up or not."""
        if self.scalar:
            return self.estimate[node, 0] if player == 0 else -self.estimate[node, 0]
        return self.estimate[node, player]

    def minimax(self, node: int) -> None:
        """Set the evaluation of an expanded node from those of its children: the best for the player to move there."""
        first, mover = self.first[node], self.mover[node]
        if mover == CHANCE:
            for i in range(self.width):
                total, seen = 0.0, 0.0
                for k in range(first, first + self.count[node]):
                    if self.count[k] >= 0:
                        total += self.chance[k] * self.estimate[k, i]
                        seen += self.chance[k]
                if seen > 0.0:
                    self.estimate[node, i] = total / seen
            return
        best = first
        for k in range(first + 1, first + self.count[node]):
            if self.estimated(k, mover) > self.estimated(best, mover):
                best = k
        for i in range(self.width):
            self.estimate[node, i] = self.estimate[best, i]

    def tighten(self, node: int) -> bool:
        """Tighten a node's bounds by those of its children; returns whether that proved something new."""
        low, high = 0.0, 0.0
        self.bounded[node] = 1
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
        """Set how far away the end is if `value` is the best or the worst: soon for the winner, late for the loser."""
        mover, first = self.mover[node], self.first[node]
        wins = value == (FAR if mover == 0 else NEAR)
        plies = -1
        for k in range(first, first + self.count[node]):
            if self.lower[k] == value and self.upper[k] == value:
                if plies < 0 or (self.plies[k] < plies) == wins:
                    plies = self.plies[k]
        self.plies[node] = plies + 1
