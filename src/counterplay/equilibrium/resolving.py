"""Continual re-solving (Moravčík and others, DeepStack, 2017): at each of a player's decisions, the rest of the game is
solved again.

Little is kept between two decisions: how likely the player's own actions make each of their hands (its *reach*), and
what each hand of the opponent could earn so far at best (its counterfactual *value*). The rest is solved in a *gadget*
that does not let the opponent gain from it: before the subgame, each of their hands may take its value instead of
playing on (CFR-D: Burch, Johanson & Bowling, 2014); or the smallest amount by which any of their hands falls short of
its value is maximized (maximum margin: Moravčík and others, 2016). The opponent's own strategy is never needed. An
action that the last solution did not consider is answered by solving again from where it was taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.game import CHANCE, Game
from counterplay.core.rules import legal
from counterplay.equilibrium.cfr import VARIANTS
from counterplay.equilibrium.look_ahead import METHOD, MOST_NODES, Leaves, LookAhead
from counterplay.equilibrium.public_tree import (
    PublicBelief,
    PublicTree,
    after_event,
    dealt,
    estimated_nodes,
    public_tree,
    require_deals,
)
from counterplay.equilibrium.public_unrolling import FRONTIER, TURN
from counterplay.equilibrium.vector_cfr import (
    EVALUATE,
    LEARN,
    NOBODY,
    RESPOND,
    PublicEvaluation,
    PublicWalker,
    VectorRegrets,
)

Gadget = Literal["cfr-d", "max-margin"]


def require_small(game: Game, s: Any) -> None:
    """Refuse a state whose rest is too large to solve, before it is walked."""
    found = estimated_nodes(game, s)
    if found > 2 * MOST_NODES:
        raise Unsuitable(
            f"{game.spec}: the rest of the game is too large to solve at each decision (about {found:,} "
            f"public nodes, the limit is {MOST_NODES:,}); start nearer to its end, such as on a river"
        )


class Constraint(NamedTuple):
    """A public state as a player reaches it; hands are the game's numbers."""

    state: Any  # with any hands
    reach: np.ndarray  # [hands] of the player, by their own actions and the public cards
    values: np.ndarray | None  # [hands] what each hand of the opponent could earn so far; None: they are free to enter
    weights: np.ndarray | None  # [hands, hands] the chance of each pair, if hands are not of cards


class Resolved(LookAhead):
    """The rest of a game, or a look-ahead with values at its frontier, as `player` plays it from a decision on."""

    def __init__(
        self,
        game: Game,
        player: int,
        start: Constraint,
        iterations: int,
        gadget: Gadget,
        leaves: Leaves | None = None,
    ) -> None:
        super().__init__(game, start.state, start.weights, leaves)
        self.player, self.start = player, start
        self.reach = start.reach[self.tree.hand]
        self.follows = np.ones(self.tree.hands)  # how often each opposing hand plays on, last iteration
        self.coming = np.zeros(self.tree.hands)  # the same over all iterations, up to a factor
        self.resolve(iterations, gadget)

    def resolve(self, iterations: int, gadget: Gadget) -> None:
        """Regret minimization of both players, and of the opponent's choice before the subgame."""
        values = None if self.start.values is None else self.start.values[self.tree.hand]
        regrets = np.zeros((2, self.tree.hands))  # of playing on and of taking the value
        if values is not None and gadget == "max-margin":
            self.follows = np.full(self.tree.hands, 1.0 / self.tree.hands)
        for _ in range(iterations):
            self.coming += (self.learned.iterations + 1) * self.follows
            found = self.iterate()
            if values is None:
                continue
            if gadget == "max-margin":
                regrets[0] += found - values - self.follows @ (found - values)
            else:
                mixed = self.follows * found + (1 - self.follows) * values
                regrets += np.array([found, values]) - mixed
            regrets = np.maximum(regrets, 0.0)
            total = regrets[0].sum() if gadget == "max-margin" else regrets.sum(axis=0)
            even = 1.0 / self.tree.hands if gadget == "max-margin" else 0.5
            self.follows = np.where(total > 0, regrets[0] / np.where(total > 0, total, 1.0), even)

    def iterate(self) -> np.ndarray:
        """One more iteration, the player's own walk first; [hands] what each hand of the opponent earns."""
        first, second = (self.reach, self.follows) if self.player == 0 else (self.follows, self.reach)
        turn = int(self.learned.iterations) + 1
        if not self.is_limited:
            self.learned.iterations = turn
            self.walk(0, self.player, LEARN, self.reach, self.follows)
            return self.walk(0, 1 - self.player, LEARN, self.follows, self.reach)
        for up, down in ((NOBODY, self.player), (self.player, 1 - self.player)):
            self.swing(first, second, up, down, turn)
            self.frontier.value(down)
        self.swing(first, second, 1 - self.player, NOBODY, turn)
        return self.scratch.worth[0].copy()

    def gains(self) -> np.ndarray:
        """[actions, hands of the game] what each own action earns on average at the first node against the opponent's
        strategy in the solution."""
        others = self.coming / max(float(self.learned.iterations * (self.learned.iterations + 1) / 2), 1.0)
        self.look(0, self.player, EVALUATE, self.reach, others)
        pairs = self.tree.pairs if self.player == 0 else self.tree.pairs.T
        met = pairs @ others
        count = int(self.tree.width[0])
        found = np.zeros((count, self.game.private_hands))
        found[:, self.tree.hand] = self.scratch.strategy[0, :count] / np.where(met > 0, met, 1.0)
        return found

    def values_at(self, node: int, reach: np.ndarray) -> np.ndarray:
        """[hands of the game] what each hand of the opponent earns at best from a node on, against our reach."""
        own = reach[self.tree.hand]
        found = np.zeros(self.game.private_hands)
        found[self.tree.hand] = self.look(node, 1 - self.player, RESPOND, np.ones(self.tree.hands), own)
        return found

    def is_frontier(self, node: int) -> bool:
        """Whether the look-ahead stops at a node."""
        return bool(self.tree.kind[node] == FRONTIER)


class Follower:
    """A player during a game: the last solution, the current node in it, and the player's own reach."""

    def __init__(
        self,
        game: Game,
        player: int,
        iterations: int,
        gadget: Gadget = "cfr-d",
        start: Any = None,
        leaves: Leaves | None = None,
    ) -> None:
        require_deals(game)
        cards = any(int(game.hand_cards(hand)) for hand in range(game.private_hands))
        first, weights = dealt(game, cards)
        self.game, self.player, self.iterations, self.gadget = game, player, iterations, gadget
        self.state = first if start is None else start
        self.leaves = leaves
        if leaves is None:
            require_small(game, self.state)
        self.reach = np.ones(game.private_hands)
        self.weights = None if cards else weights
        self.solution: Resolved | None = None
        self.node: int | None = 0
        self.values: np.ndarray | None = None  # the last known values, if the last solution lacks the state

    def copy(self) -> Follower:
        """A copy at the same point of the game."""
        other = object.__new__(Follower)
        other.__dict__.update(self.__dict__)
        return other

    def solve(self) -> Resolved:
        """Solve the rest from here on again; the first time without a gadget."""
        values = None
        if self.solution is not None:
            values = self.values if self.node is None else self.solution.values_at(self.node, self.reach)
        start = Constraint(self.state, self.reach, values, self.weights)
        self.solution, self.node, self.values = (
            Resolved(self.game, self.player, start, self.iterations, self.gadget, self.leaves),
            0,
            None,
        )
        return self.solution

    def play(self, action: int) -> None:
        """Advance by an action of either player, or by a public event of chance."""
        game, s = self.game, self.state
        mover = int(game.to_move(s))
        if self.solution is None or (self.node is not None and self.solution.is_frontier(self.node)):
            self.solve()  # whoever acts: values after the action are tighter than those before it
        solution = self.solution
        assert solution is not None
        if mover == self.player:
            if self.node != 0:
                solution = self.solve()
            actions = solution.actions()
            if action not in actions:
                raise CounterplayError(f"{game.spec}: {action} is not an action here")
            self.reach = self.reach * solution.shares()[actions.index(action)]
        elif mover == CHANCE:
            self.meet(action)
        if self.node is not None:
            after = solution.child(self.node, action)
            if after is None:  # values before the action bound those after it
                self.values = solution.values_at(self.node, self.reach)
            self.node = after
        self.state = self.after(action)

    def after(self, action: int) -> Any:
        """The state after an action, or after an event with hands that allow it."""
        if self.game.to_move(self.state) != CHANCE:
            return self.game.result(self.state, action)
        return after_event(self.game, self.state, action, self.weights)

    def meet(self, event: int) -> None:
        """Account for a public event: the hands that it rules out, and its chance."""
        game, s = self.game, self.state
        after = self.after(event)
        if self.weights is None:
            masks = np.array([int(game.hand_cards(hand)) for hand in range(game.private_hands)])
            free = (masks & int(game.public_cards(after))) == 0
            pair = [int(game.hand_of(after, player)) for player in range(2)]
            chance = game.probability(game.with_hands(s, *pair), event)
            self.reach = self.reach * free * chance
            if self.values is not None:
                self.values = self.values * free * chance
            return
        weights = self.weights.copy()
        for first, second in zip(*np.nonzero(weights), strict=True):
            t = game.with_hands(s, int(first), int(second))
            weights[first, second] *= game.probability(t, event) if event in legal(game, t) else 0.0
        self.weights = weights


def judge_resolving(
    game: Game, iterations: int, gadget: Gadget = "cfr-d", start: Any = None, leaves: Leaves | None = None
) -> PublicEvaluation:
    """What re-solving is worth, exactly, from the deal or from a public state with all hands on: it is consulted at
    every public state, for both players."""
    root = None if start is None else PublicBelief(start, np.ones((2, game.private_hands)))
    tree = public_tree(game, False, root=root)
    learned = VectorRegrets(tree, VARIANTS[METHOD])
    for player in range(2):
        for node, shares in answers(Follower(game, player, iterations, gadget, start, leaves), tree, 0):
            row = int(tree.row[node])
            learned.sums[row : row + len(shares)] = shares[:, tree.hand]
    return PublicWalker(tree, learned).evaluate()


def answers(follower: Follower, tree: PublicTree, node: int) -> Iterator[tuple[int, np.ndarray]]:
    """A follower's strategy at each of their public decisions, from a node of the whole tree on."""
    kind = int(tree.kind[node])
    if kind > TURN:
        return
    if kind == follower.player:
        solution = follower.solve() if follower.solution is None or follower.node != 0 else follower.solution
        yield node, solution.shares()
    for link in range(int(tree.start[node]), int(tree.start[node]) + int(tree.width[node])):
        other = follower.copy()
        other.play(int(tree.action[link]))
        yield from answers(other, tree, int(tree.child[link]))
