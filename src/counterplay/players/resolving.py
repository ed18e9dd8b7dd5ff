"""The player that re-solves: at each decision it solves the rest of the game anew, and mixes as the solution says."""

from __future__ import annotations

import time as clocks

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.options import spec_of
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.rng import Rng
from counterplay.core.playthrough import Playthrough
from counterplay.equilibrium.public_tree import require_deals
from counterplay.equilibrium.resolving import Follower, Gadget
from counterplay.players.clock import Clock
from counterplay.players.player import Player
from counterplay.search.decision import Decision, Option, Report

ITERATIONS = 300


class Resolve(Player):
    """Continual re-solving: `iterations` of CFR+ at each decision, in a `gadget` that keeps the opponent from gaining by it
    (cfr-d or max-margin). For games with private deals; what is left of the game must fit."""

    def __init__(self, iterations: int = ITERATIONS, gadget: Gadget = "cfr-d", seed: int = 0) -> None:
        if iterations < 1:
            raise CounterplayError(f"resolve: iterations={iterations} must be 1 or more")
        self.iterations, self.gadget, self.rng = iterations, gadget, Rng(seed)
        usual = {"iterations": ITERATIONS, "gadget": "cfr-d", "seed": 0}
        given = {"iterations": iterations, "gadget": gadget, "seed": seed}
        self.spec = spec_of("resolve", {k: v for k, v in given.items() if v != usual[k]})
        self._kept: tuple[tuple[object, ...], list[int], Follower] | None = None

    def require(self, game: Game) -> None:
        require_deals(game)

    def prepare(self, p: Playthrough) -> None:
        if not p.is_over and p.to_move != CHANCE:
            self.follow(p)

    def follow(self, p: Playthrough) -> Follower:
        """The follower at the position of a playthrough; it goes on from the last turn where it can."""
        require_deals(p.game)
        who, actions = (p.game, p.to_move, p.states[0]), [int(action) for action in p.actions]
        played: list[int] = []
        follower: Follower | None = None
        if self._kept is not None and self._kept[0] == who and actions[: len(self._kept[1])] == self._kept[1]:
            played, follower = self._kept[1], self._kept[2]
        if follower is None:
            begins = int(p.game.hand_of(p.states[0], 0)) >= 0
            follower = Follower(p.game, p.to_move, self.iterations, self.gadget, p.states[0] if begins else None)
        for s, action in list(zip(p.states, actions, strict=False))[len(played) :]:
            if min(int(p.game.hand_of(s, player)) for player in range(2)) >= 0:  # else it is of the deal
                follower.play(action)
        if follower.solution is None or follower.node != 0:
            follower.solve()
        self._kept = who, actions, follower
        return follower

    def think(self, p: Playthrough, report: Report | None = None, clock: Clock | None = None) -> Decision:
        started = clocks.perf_counter()
        solution = self.follow(p).solution
        assert solution is not None
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
