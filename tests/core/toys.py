"""Small games that try out one thing each."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterplay import CHANCE, Game, Wide, state
from counterplay.core.language.bits import count, ones


@state
class Pile(NamedTuple):
    left: int
    ply: int


class Subtraction(Game):
    """Take 1 to `most` stones; whoever takes the last one wins."""

    def __init__(self, stones: int = 10, most: int = 3) -> None:
        self.heap, self.most = stones, most

    def initial(self):
        return Pile(self.heap, 0)

    def to_move(self, s):
        return s.ply % 2

    def actions(self, s, out):
        for n in range(1, min(self.most, s.left) + 1):
            out.append(n)

    def result(self, s, action):
        return Pile(s.left - action, s.ply + 1)

    def is_terminal(self, s):
        return s.left == 0

    def utility(self, s, player):
        return -1.0 if player == s.ply % 2 else 1.0


def nothing_special(x):
    """A plain helper, without a decorator, that calls itself."""
    return 0 if x <= 0 else 1 + nothing_special(x - 1)


class Helped(Subtraction):
    """The same game through tables, a helper function, a recursive method and a keyword argument."""

    def __init__(self, stones: int = 10, most: int = 3) -> None:
        super().__init__(stones, most)
        self.steps = np.arange(stones + 1, dtype=np.int8)
        self.grid = np.arange(6.0).reshape(2, 3)
        self.pair = (1, 2.5)

    def result(self, s, action):
        return Pile(ply=s.ply + 1, left=self.recursive(s.left, action))

    @property
    def end(self):
        return 5.0 * self.grid[0, 1]

    def recursive(self, left, action):
        if action == 0:
            return left
        return self.recursive(left - 1, action - 1)

    def to_move(self, s):
        return self.parity(nothing_special(s.ply) if s.ply > 1 else s.ply)

    def parity(self, ply):
        return ply % 2

    def is_terminal(self, s):
        return self.steps[s.left] == 0 and self.grid[1, 2] == self.end and self.pair[1] == 2.5


class AnyObject(Subtraction):
    """States that are dicts: plain Python only."""

    def initial(self):
        return {"left": self.heap, "ply": 0}

    def to_move(self, s):
        return s["ply"] % 2

    def actions(self, s, out):
        out.extend(range(1, min(self.most, s["left"]) + 1))

    def result(self, s, action):
        return {"left": s["left"] - action, "ply": s["ply"] + 1}

    def is_terminal(self, s):
        return s["left"] == 0

    def utility(self, s, player):
        return -1.0 if player == s["ply"] % 2 else 1.0


@state
class Spot(NamedTuple):
    at: int
    ply: int


class Shuffle(Game):
    """Two players move one pawn to and fro on a line; whoever steps off the end wins."""

    def __init__(self, repetition: str = "draw", occurrences: int = 2, length: int = 5) -> None:
        self.repetition, self.occurrences, self.length = repetition, occurrences, length

    def initial(self):
        return Spot(1, 0)

    def to_move(self, s):
        return s.ply % 2

    def actions(self, s, out):
        out.append(0)
        out.append(1)

    def result(self, s, action):
        return Spot(s.at + 2 * action - 1, s.ply + 1)

    def is_terminal(self, s):
        return s.at < 0 or s.at >= self.length

    def utility(self, s, player):
        return -1.0 if player == s.ply % 2 else 1.0

    def repetition_key(self, s):
        return 2 * s.at + s.ply % 2


@state
class Hand(NamedTuple):
    cards: Wide(100)
    drawn: int
    tosses: tuple[int, bool]


class Draws(Game):
    """Three players in turn draw from a hundred cards by chance; a wide state and a mixed tuple."""

    players = 3
    utility_bounds = (-2.0, 2.0)

    def initial(self):
        return Hand(Wide100(0), 0, (0, False))

    def to_move(self, s):
        return CHANCE if s.tosses[1] else s.drawn % 3

    def chance(self, s, out):
        for card in range(0, 100, 9):
            if not s.cards & (Wide100(1) << card):
                out.append(card)

    def probability(self, s, event):
        return 1 / (12 - count(s.cards))

    def actions(self, s, out):
        out.append(1)

    def result(self, s, action):
        if s.tosses[1]:
            return Hand(s.cards | Wide100(1) << action, s.drawn + 1, (s.tosses[0] + action, False))
        return Hand(s.cards, s.drawn, (s.tosses[0], True))

    def is_terminal(self, s):
        return s.drawn == 6

    def utility(self, s, player):
        total = 0
        for card in ones(s.cards):
            total += card
        winner = total % 3
        return 2.0 if player == winner else -1.0

    def information(self, s: Any, player: int):
        return s.drawn


Wide100 = Wide(100)
