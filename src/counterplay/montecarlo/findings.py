"""What a Monte Carlo search found: each action's visits and value, the choice among them, the expected line."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import NamedTuple

from counterplay.core.game import CHANCE, Game
from counterplay.core.types import State
from counterplay.montecarlo.gumbel import SCALE, TINY, VISITS
from counterplay.montecarlo.simulator import Simulator
from counterplay.montecarlo.tree import FAR, NEAR, ROOT, SimulationTree
from counterplay.search.decision import Decision, Option
from counterplay.search.memory import Scale

LINES = 3
"""The number of actions, most visited first, whose expected line is reported."""


class Root(NamedTuple):
    """An action of the root, summed over all trees, from the point of view of the player to move."""

    action: int
    visits: int
    mean: float
    least: float  # proven
    most: float  # proven
    plies: int
    prior: float | None

    @property
    def is_known(self) -> bool:
        """Whether the value is proven."""
        return self.least == self.most


class Findings:
    """The results of one or several trees for `s`."""

    def __init__(self, game: Game, s: State, trees: Sequence[SimulationTree], simulators: Sequence[Simulator]) -> None:
        self.game, self.state, self.trees, self.simulators = game, s, trees, simulators
        self.mover = game.to_move(s)
        self.scale = Scale.of(game)
        seen: dict[int, list[tuple[SimulationTree, int]]] = {}
        for tree in trees:
            for k in tree.children():
                seen.setdefault(int(tree.action[k]), []).append((tree, k))
        self.roots = [self._added(action, nodes) for action, nodes in seen.items()]

    def _added(self, action: int, nodes: list[tuple[SimulationTree, int]]) -> Root:
        """An action, summed over the trees that have it."""
        visits = sum(int(tree.visits[k]) for tree, k in nodes)
        total = sum(float(tree.mean(k, self.mover)) * int(tree.visits[k]) for tree, k in nodes if tree.visits[k])
        first, k = nodes[0]
        prior = float(first.prior[k]) if first.has_priors else None
        if not first.scalar:
            return Root(action, visits, total / max(visits, 1), NEAR, FAR, 0, prior)
        least = max(float(tree.least(k, self.mover)) for tree, k in nodes)
        most = min(float(tree.most(k, self.mover)) for tree, k in nodes)
        plies = max(int(tree.plies[k]) for tree, k in nodes if tree.is_known(k)) if least == most else 0
        mean = total / visits if visits else (least + most) / 2
        return Root(action, visits, min(max(mean, least), most), least, most, plies, prior)

    def best(self, final: str) -> Root:
        """The action to take: the soonest win or the latest loss; otherwise, among those that may be better than what
        is certain, the best by visits or value, if it promises more."""
        floor = max(root.least for root in self.roots)
        secure = [root for root in self.roots if root.least == floor]
        hopes = [root for root in self.roots if root.most > floor]
        if not hopes:  # nothing can be better
            return max(secure, key=lambda root: (-root.plies if floor > 0 else root.plies, root.visits))

        def worth(root: Root) -> tuple[float, float]:
            tried = root.mean if root.visits or root.is_known else NEAR - 1
            return (root.visits, tried) if final == "visits" else (tried, root.visits)

        hope = self.most_promising(hopes) if final == "gumbel" else max(hopes, key=worth)
        known = [root for root in secure if root.is_known]
        return known[0] if known and floor > NEAR and hope.mean <= floor else hope

    def most_promising(self, roots: list[Root]) -> Root:
        """The best, by prior and value, of the last actions left by sequential halving: those with the most visits, or
        nearly so."""
        most = max(root.visits for root in roots)
        scale = (VISITS + most) * SCALE * 0.5

        def promise(root: Root) -> float:
            return log(max(root.prior or 0.0, TINY)) + scale * root.mean

        return max((root for root in roots if 2 * root.visits >= most), key=promise)

    def shown(self, value: float) -> float:
        """A value in the game's own units."""
        middle, half = (self.scale.low + self.scale.high) / 2, (self.scale.high - self.scale.low) / 2
        return middle + half * value + 0.0  # -0.0 is 0.0

    def plies(self, root: Root) -> int | None:
        """How far away the end is, if proven."""
        if not root.is_known or self.game.has_chance or root.least not in (NEAR, FAR):
            return None
        return root.plies + 1

    def line(self, action: int) -> tuple[int, ...]:
        """The line that the first tree expects: the most visited path until chance moves."""
        tree = self.trees[0]
        node = next((k for k in tree.children() if tree.action[k] == action), ROOT)
        line = [action]
        while tree.children(node) and node != ROOT and tree.mover[node] != CHANCE:
            below = tree.children(node)
            mover = int(tree.mover[node])
            if tree.is_known(node):
                node = max(below, key=lambda k: (tree.least(k, mover), tree.visits[k]))
            else:
                node = max(below, key=lambda k: tree.visits[k])
                if not tree.visits[node]:
                    break
            line.append(int(tree.action[node]))
        return tuple(line)

    def decision(self, final: str, seconds: float) -> Decision:
        """All findings as a decision."""
        simulations = sum(int(tree.tickets[0]) for tree in self.trees)
        if not self.roots:
            from counterplay.core.rules import legal

            return Decision(legal(self.game, self.state)[0], seconds=seconds)
        chosen = self.best(final)
        ordered = sorted(self.roots, key=lambda root: (root is not chosen, -root.visits, -root.mean))
        options = [
            Option(
                root.action,
                self.shown(root.mean),
                root.visits,
                self.plies(root),
                root.prior,
                self.line(root.action) if i < LINES else (),
            )
            for i, root in enumerate(ordered)
        ]
        ceiling = max(root.most for root in self.roots)
        counts = {
            "simulations": simulations,
            "tree": sum(int(tree.used[0]) for tree in self.trees),
            "deepest": max(int(simulator.deepest) for simulator in self.simulators),
        }
        return Decision(
            chosen.action,
            self.shown(chosen.mean) if chosen.visits or chosen.is_known else None,
            self.line(chosen.action),
            counts["deepest"],
            simulations,
            seconds,
            chosen.is_known and chosen.least >= ceiling,
            self.plies(chosen),
            counts,
            tuple(options),
        )
