"""Value networks learned from self-play (Brown and others, ReBeL, 2020), as a run.

From the deal on, a look-ahead is solved with the current network; the values of its first state are learned, and play
continues at a state that look-aheads ask for, chosen by the players' mixture in an iteration drawn at random (sometimes
uniformly), until the hand is over.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterplay.equilibrium.look_ahead import Frontier, LookAhead
from counterplay.equilibrium.public_tree import after_event
from counterplay.equilibrium.public_unrolling import FRONTIER, TURN
from counterplay.equilibrium.value_network import ACTIONS, ValueNetwork, possible
from counterplay.learning.value_training import Situation, ValueTraining

HANDS = 64
"""Hands played at the same time."""


class HandInPlay(NamedTuple):
    """A hand in play: the look-ahead from its state, and both players' ranges there."""

    look: LookAhead
    ranges: np.ndarray  # [2, hands] each adds up to 1


class RebelTraining(ValueTraining):
    """Networks of all streets together, from self-play."""

    method = "rebel"

    def taught(self) -> list[int]:
        return self.streets

    def progress(self) -> float:
        return min(self.share, 1.0)

    def situations(self, number: int, on: int, rng: np.random.Generator) -> list[Situation]:
        leaves, found = self.network(), list[Situation]()
        hands = self.game.private_hands
        while len(found) < number and not self.stop.is_set():
            deal = HandInPlay(LookAhead(self.game, self.start, self.weights, leaves), np.full((2, hands), 1.0 / hands))
            lanes = self.go_on([deal], HANDS, leaves, rng)  # no look-ahead ends at the deal: it is not learned
            while lanes and len(found) < number:
                after = self.go_on(lanes, 1, leaves, rng)
                found += [Situation(each.look.state, each.ranges, each.look.worth(each.ranges)) for each in lanes]
                lanes = after
        return found[:number]

    def go_on(
        self, lanes: list[HandInPlay], times: int, leaves: ValueNetwork, rng: np.random.Generator
    ) -> list[HandInPlay]:
        """Solve look-aheads, all at the same time, and play on from each several times, by the players' average mixture
        in iterations drawn at random."""
        iterations = self.settings.iterations
        noted = rng.integers(1, iterations + 1, size=(len(lanes), times))
        limited = [lane for lane in lanes if lane.look.is_limited]
        frontier = Frontier([lane.look for lane in limited], leaves, self.weights) if limited else None
        after: list[HandInPlay] = []
        done = 0
        for now in sorted({*noted.ravel().tolist(), iterations}):
            if frontier is not None:
                frontier.learn([lane.ranges for lane in limited], now - done)
            for lane, own in zip(lanes, noted, strict=True):
                if not lane.look.is_limited:
                    lane.look.learn(lane.ranges, now - done)
                for _ in range(int((own == now).sum())):
                    s, ranges = self.play(lane, rng)
                    if s is not None:
                        after.append(HandInPlay(LookAhead(self.game, s, self.weights, leaves), ranges))
            done = now
        return after

    def play(self, lane: HandInPlay, rng: np.random.Generator) -> tuple[Any, np.ndarray]:
        """A state that play reaches and the ranges there, by the players' average mixture so far; None at the end. It
        is the next one after a public card; without cards, one where a look-ahead may end, whoever is to move."""
        look, ranges = lane
        tree, node, s, now = look.tree, 0, look.state, ranges.copy()
        explorer, left = int(rng.integers(2)), -1 if self.cards else int(rng.integers(1, ACTIONS + 1))
        while tree.kind[node] <= TURN and left != 0:
            links = slice(int(tree.start[node]), int(tree.start[node]) + int(tree.width[node]))
            player = int(tree.kind[node])
            chances, shares = tree.chance[links], None
            if player != TURN:
                shares = look.shares(node)
                chances = shares @ now[player]
                if player == explorer and rng.random() < self.settings.gamble:
                    chances = np.ones(len(chances))
            choice = int(rng.choice(len(chances), p=chances / chances.sum()))
            if shares is not None and (reached := now[player] * shares[choice]).sum() > 0:
                now[player] = reached / reached.sum()
            action = int(tree.action[links][choice])
            s = after_event(self.game, s, action, self.weights) if player == TURN else self.game.result(s, action)
            node, left = int(tree.child[links][choice]), left - 1
        now *= possible(self.game, s)
        sums = now.sum(axis=1, keepdims=True)
        over = tree.kind[node] not in (0, 1, FRONTIER)
        return (None, now) if over or not sums.all() else (s, now / sums)
