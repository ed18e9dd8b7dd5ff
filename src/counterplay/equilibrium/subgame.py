"""A subgame solved from given ranges, as poker players use solvers: the strategy and the value of every hand."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.game import CHANCE, Game
from counterplay.equilibrium.public_training import PublicLearner
from counterplay.equilibrium.public_tree import MOST_NODES, PublicBelief, PublicTree, public_tree, require_deals
from counterplay.equilibrium.public_unrolling import TURN
from counterplay.equilibrium.ranges import require_possible
from counterplay.equilibrium.vector_cfr import EVALUATE, walk

METHOD = "dcfr"
"""How subgames are solved by default."""
CLOSE = 0.003
"""A subgame is solved once a best response gains a player no more than this fraction of the pot."""
MOST_ITERATIONS = 2000


class HandRow(NamedTuple):
    """A hand's strategy and value."""

    hand: int  # the game's number
    weight: float  # in the range that comes here
    shares: tuple[float, ...]  # of each action
    value: float  # what it takes from the pot on average, less what it still pays
    gains: tuple[float, ...]  # the value after each action


class RangeStrategy(NamedTuple):
    """The strategy at a public state."""

    player: int
    actions: tuple[str, ...]  # none if the other player acts
    rows: tuple[HandRow, ...]  # possible hands
    pot: float

    @property
    def shares(self) -> tuple[float, ...]:
        """How often each action is taken, over all hands."""
        weights = np.array([row.weight for row in self.rows])
        found = weights @ np.array([row.shares for row in self.rows]) / max(float(weights.sum()), 1e-300)
        return tuple(map(float, found))


class Subgame:
    """A public state, the ranges of both players, and what is learned from it."""

    def __init__(
        self,
        game: Game,
        state: Any,
        ranges: np.ndarray,
        method: str,
        threads: int | None = None,
        most: int = MOST_NODES,
    ) -> None:
        require_deals(game)
        if game.is_terminal(state):
            raise Unsuitable(f"{game.spec}: the hand is over in this position: there is nothing to solve")
        if min(int(game.hand_of(state, player)) for player in range(2)) < 0:
            raise Unsuitable(f"{game.spec}: a position to solve from ranges must have both hands dealt")
        require_possible(game, state, ranges)
        self.game, self.state = game, state
        self.tree: PublicTree = public_tree(game, most=most, root=PublicBelief(state, ranges))
        self.learner = PublicLearner(game, self.tree, method, threads)

    @property
    def pot(self) -> float:
        """What both have paid; 1 in games without a pot."""
        return float(self.game.invested(self.state, 0) + self.game.invested(self.state, 1)) or 1.0

    def decision(self, after: str = "") -> RangeStrategy:
        """The strategy of all hands after some actions, in words."""
        s, node, reaches = self.reached(after)
        return self.judged(s, node, reaches, int(self.tree.kind[node]))

    def opposed(self, after: str = "") -> RangeStrategy:
        """The hands of the player who is not to move, and their values."""
        s, node, reaches = self.reached(after)
        return self.judged(s, node, reaches, 1 - int(self.tree.kind[node]))

    def reached(self, after: str) -> tuple[Any, int, np.ndarray]:
        """The decision after some actions: its state, its node and both ranges there."""
        game, tree, s, node = self.game, self.tree, self.state, 0
        reaches = tree.ranges.copy()
        for word in game.split_moves(after):
            self.require_turn(s)
            player, action = int(game.to_move(s)), game.parse_action(s, word)
            links = range(int(tree.start[node]), int(tree.start[node]) + int(tree.width[node]))
            link = next(link for link in links if tree.action[link] == action)
            reaches[player] *= self.shares(node)[link - links.start]
            s, node = game.result(s, action), int(tree.child[link])
        self.require_turn(s)
        return s, node, reaches

    def require_turn(self, s: Any) -> None:
        """Refuse a state in which no player acts."""
        if self.game.is_terminal(s):
            raise CounterplayError("the hand is over after these actions: there is no decision left")
        if self.game.to_move(s) == CHANCE:
            raise CounterplayError("a card is dealt next: give a position with it, or fewer actions")

    def shares(self, node: int) -> np.ndarray:
        """[actions, hands]: the average strategy at a decision."""
        row, count = int(self.tree.row[node]), int(self.tree.width[node])
        sums = self.learner.regrets.sums[row : row + count].astype(np.float64)
        totals = sums.sum(axis=0)
        found: np.ndarray = np.where(totals > 0, sums / np.where(totals > 0, totals, 1.0), 1.0 / count)
        return found

    def judged(self, s: Any, node: int, reaches: np.ndarray, player: int) -> RangeStrategy:
        """A player's hands at a node and what each earns; for the player to move, also each hand's actions."""
        game, tree, scratch = self.game, self.tree, self.learner.walker.top
        scratch.own[0], scratch.other[0] = reaches[player], reaches[1 - player]
        walk(tree, self.learner.regrets, scratch, node, player, EVALUATE)
        start, count = int(tree.start[node]), int(tree.width[node]) if player == tree.kind[node] else 0
        against = (tree.pairs if player == 0 else tree.pairs.T) @ reaches[1 - player]
        paid = float(game.invested(s, player))
        shares, rows = self.shares(node)[:count], []
        for h in range(tree.hands):
            if reaches[player, h] > 0 and against[h] > 0:
                value = float(scratch.worth[0, h]) / against[h] + paid
                gains = tuple(float(gain) / against[h] + paid for gain in scratch.strategy[0, :count, h])
                weight, chances = float(reaches[player, h]), tuple(map(float, shares[:, h]))
                rows.append(HandRow(int(tree.hand[h]), weight, chances, value, gains))
        actions = tuple(game.action_text(s, int(action)) for action in tree.action[start : start + count])
        return RangeStrategy(player, actions, tuple(rows), float(game.invested(s, 0) + game.invested(s, 1)))

    @property
    def begins_with_a_card(self) -> bool:
        """Whether no player is to move in the position itself."""
        return bool(self.tree.kind[0] == TURN)
