"""A game with private deals whose chances and payoffs are drawn at random: three hands each, three actions in turn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterplay.core.game import CHANCE, Game
from counterplay.core.language.state import state

HANDS, CHOICES, DEPTH = 3, 2, 4


@state
class Situation(NamedTuple):
    pair: int  # both hands, -1 before the deal
    history: int  # base 2, after a leading 1


class RandomDeals(Game):
    """Whoever moves chooses one of two actions; some choices end the game."""

    name = "random-deals"
    utility_bounds = (-1.0, 1.0)
    private_hands = HANDS
    compiled = False

    def __init__(self, seed=0):
        rng = np.random.default_rng(seed)
        chances = rng.random(HANDS * HANDS) + 0.05
        self.chances = tuple(chances / chances.sum())
        self.pays = rng.uniform(-1, 1, (2 << DEPTH, HANDS * HANDS))
        self.ends = rng.random(2 << DEPTH) < 0.3

    def initial(self):
        return Situation(-1, 1)

    def plies(self, s):
        return s.history.bit_length() - 1

    def to_move(self, s):
        return CHANCE if s.pair < 0 else self.plies(s) % 2

    def chance(self, s, out):
        for pair in range(HANDS * HANDS):
            out.append(pair)

    def probability(self, s, event):
        return self.chances[event]

    def actions(self, s, out):
        for action in range(CHOICES):
            out.append(action)

    def result(self, s, action):
        return Situation(action, 1) if s.pair < 0 else Situation(s.pair, 2 * s.history + action)

    def is_terminal(self, s):
        return s.pair >= 0 and s.history > 1 and (self.plies(s) == DEPTH or bool(self.ends[s.history]))

    def utility(self, s, player):
        gain = float(self.pays[s.history, s.pair])
        return gain if player == 0 else -gain

    def information(self, s, player):
        return (self.hand_of(s, player) + 1) * 64 + s.history

    def resample(self, s, player, rng):
        return s

    def public(self, s):
        return s.history if s.pair >= 0 else 0

    def hand_of(self, s, player):
        return -1 if s.pair < 0 else s.pair // HANDS if player == 0 else s.pair % HANDS

    def with_hands(self, s, first, second):
        return Situation(first * HANDS + second, s.history)
