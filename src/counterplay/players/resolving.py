"""The player that re-solves: at each decision it looks ahead again and draws from the solution."""

from __future__ import annotations

import time as clocks
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.options import spec_of
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.rng import Rng
from counterplay.core.playthrough import Playthrough
from counterplay.equilibrium.look_ahead import Leaves
from counterplay.equilibrium.public_tree import require_deals
from counterplay.equilibrium.resolving import Follower, Gadget, Resolved
from counterplay.equilibrium.subgame import HandRow, RangeStrategy
from counterplay.players.clock import Clock
from counterplay.players.player import Player
from counterplay.search.decision import Decision, Option, Report

ITERATIONS = 300
MOST_KEPT = 4096
"""The number of cached followers: a public state is solved once."""


class Resolve(Player):
    """Continual re-solving: `iterations` of CFR+ at each decision, in a `gadget` that keeps the opponent from gaining
    by it (cfr-d or max-margin). It looks ahead to the next public card, or `actions` actions in games without cards,
    where a `net` (a file, a run or a name) or a `blueprint` that both would follow (a policy's file) takes over the
    valuation; without either, it looks ahead to the end of the game."""

    def __init__(
        self,
        iterations: int = ITERATIONS,
        gadget: Gadget = "cfr-d",
        seed: int = 0,
        net: str = "",
        blueprint: str = "",
        actions: int = 2,
    ) -> None:
        if iterations < 1:
            raise CounterplayError(f"resolve: iterations={iterations} must be 1 or more")
        if actions < 1:
            raise CounterplayError(f"resolve: actions={actions} must be 1 or more")
        if blueprint and net:
            raise CounterplayError("resolve: the frontier is valued by net or by blueprint, not by both")
        self.iterations, self.gadget, self.rng = iterations, gadget, Rng(seed)
        self.net, self.blueprint, self.actions = net, blueprint, actions
        usual = {"iterations": ITERATIONS, "gadget": "cfr-d", "seed": 0, "net": "", "blueprint": "", "actions": 2}
        given: dict[str, Any] = {
            "iterations": iterations, "gadget": gadget, "seed": seed, "net": net, "blueprint": blueprint,
            "actions": actions,
        }  # fmt: skip
        self.spec = spec_of("resolve", {k: v for k, v in given.items() if v != usual[k]})
        self._kept: dict[tuple[Any, ...], Follower] = {}
        self._leaves: tuple[Game, Leaves | None] | None = None

    def require(self, game: Game) -> None:
        require_deals(game)
        self.leaves(game)

    def prepare(self, p: Playthrough) -> None:
        if not p.is_over and p.to_move != CHANCE:
            self.follow(p)

    def leaves(self, game: Game) -> Leaves | None:
        """What evaluates the frontier in a game; None if the look-ahead goes to the end."""
        if self._leaves is None or self._leaves[0] != game:
            self._leaves = game, self.new_leaves(game)
        return self._leaves[1]

    def new_leaves(self, game: Game) -> Leaves | None:
        """The network or the blueprint, from its file."""
        from counterplay.equilibrium.value_network import ValueNetwork
        from counterplay.evaluation.model import find_model

        if self.blueprint:
            from counterplay.equilibrium.blueprint import read_blueprint

            return read_blueprint(game, Path(self.blueprint).expanduser(), self.actions)
        return ValueNetwork(game, find_model(self.net, game), self.actions) if self.net else None

    def follow(self, p: Playthrough) -> Follower:
        """The follower at the position of a playthrough; it continues from its last position."""
        require_deals(p.game)
        game = p.game
        begins = int(game.hand_of(p.states[0], 0)) >= 0
        pairs = zip(p.states, p.actions, strict=False)
        public = [int(action) for s, action in pairs if min(int(game.hand_of(s, k)) for k in range(2)) >= 0]
        start = (game, p.to_move, p.states[0] if begins else None)
        known = len(public)
        while known >= 0 and (*start, *public[:known]) not in self._kept:
            known -= 1
        if known >= 0:
            follower = self._kept[*start, *public[:known]].copy()
        else:
            follower = Follower(game, p.to_move, self.iterations, self.gadget, start[2], self.leaves(game))
        for action in public[max(known, 0) :]:
            follower.play(action)
        if follower.solution is None or follower.node != 0:
            follower.solve()
        while len(self._kept) >= MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[*start, *public] = follower
        return follower

    def solution(self, p: Playthrough) -> Resolved:
        """The look-ahead at the position of a playthrough."""
        found = self.follow(p).solution
        assert found is not None
        return found

    def shares(self, p: Playthrough) -> np.ndarray:
        """[actions, hands] the mixed strategy of the player to move with each hand."""
        return self.solution(p).shares()

    def range_of(self, p: Playthrough) -> dict[str, float]:
        """The probability of each hand of the player to move, by name, for an observer who knows how it plays."""
        solution = self.solution(p)
        total = max(float(solution.reach.sum()), 1e-300)
        return {
            p.game.hand_name(int(hand)): float(weight) / total
            for hand, weight in zip(solution.tree.hand, solution.reach, strict=True)
        }

    def strategy(self, p: Playthrough) -> RangeStrategy:
        """What every hand of the player to move would do, and its value: the range as a table, which `strategy_grid`
        draws."""
        solution = self.solution(p)
        shares, gains = solution.shares(), solution.gains()
        total = max(float(solution.reach.sum()), 1e-300)
        rows = [
            HandRow(
                hand,
                float(weight) / total,
                tuple(map(float, shares[:, hand])),
                float(shares[:, hand] @ gains[:, hand]),
                tuple(map(float, gains[:, hand])),
            )
            for hand, weight in zip(solution.tree.hand.tolist(), solution.reach, strict=True)
            if weight > 0
        ]
        actions = tuple(p.game.action_text(p.state, action) for action in solution.actions())
        pot = sum(float(p.game.invested(p.state, player)) for player in range(2))
        return RangeStrategy(p.to_move, actions, tuple(rows), pot)

    def think(self, p: Playthrough, report: Report | None = None, clock: Clock | None = None) -> Decision:
        started = clocks.perf_counter()
        solution = self.solution(p)
        hand = int(p.game.hand_of(p.state, p.to_move))
        chances, gains = solution.shares()[:, hand], solution.gains()[:, hand]
        actions = solution.actions()
        drawn = int(np.searchsorted(np.cumsum(chances), self.rng.uniform() * chances.sum(), side="right"))
        drawn = min(drawn, int(np.flatnonzero(chances)[-1]))
        options = tuple(
            Option(action, float(gain), prior=float(chance))
            for action, gain, chance in sorted(zip(actions, gains, chances, strict=True), key=lambda each: -each[2])
        )
        return Decision(
            actions[drawn],
            float(chances @ gains),
            nodes=int(solution.tree.nodes) * self.iterations,
            seconds=clocks.perf_counter() - started,
            options=options,
        )
