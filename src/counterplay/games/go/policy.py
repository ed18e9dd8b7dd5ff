"""How Go playouts choose: sensible moves uniformly, or first answers to the last move.

*Uniform*: any legal point except own eyes; pass only if there is no other move. As eyes stay open, playouts end in
boards whose area is simple to count (Brügmann 1993).

*Local*: answer the last move: save chains that it put into atari, by capturing an attacker or by running to two
liberties; capture what it left in atari; make a good shape beside it (patterns.py); else play uniformly, and rarely
into atari (after Gelly, Wang, Munos & Teytaud, "Modification of UCT with Patterns in Monte-Carlo Go", 2006).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.core.language.bits import count, nth
from counterplay.core.language.marks import inlined
from counterplay.core.language.rng import Rng
from counterplay.games.go.patterns import worth_answering
from counterplay.games.go.stones import NOWHERE, State, Stones, is_single

RASHNESS = 8
"""One in this many moves into atari is played all the same."""


class PlayoutPolicy(Stones):
    """The playout policies."""

    def __init__(self, size: int, suicide: bool, local: bool) -> None:
        super().__init__(size)
        self.suicide, self.local = suicide, local
        self.shapes = worth_answering() if local else np.zeros(1, np.uint8)

    def sample(self, s: State, rng: Rng) -> int:
        empty = self.empty(s)
        if self.local:
            if s.last != NOWHERE:
                answers = self.open(s, empty) & self.answers(s, empty)
                if answers:
                    return self.action(nth(answers, rng.below(count(answers))))
                answers = self.open(s, empty) & self.shapely(s)
                while answers:
                    point = nth(answers, rng.below(count(answers)))
                    stone = self.at(point)
                    if not self.is_rash(stone, s, empty):
                        return self.action(point)
                    answers ^= stone
        return self.any(s, empty, rng)

    def open(self, s: State, empty: Any) -> Any:
        """The empty points except the ko."""
        return empty if s.ko == NOWHERE else empty ^ self.at(s.ko)

    @inlined
    def any(self, s: State, empty: Any, rng: Rng) -> int:
        """A sensible action, uniformly at random."""
        free = self.open(s, empty) & ~self.eyes(s.mine, s.theirs, empty)
        easy = self.near(empty)
        left = count(free)
        while left > 0:
            point = nth(free, rng.below(left))
            stone = self.at(point)
            if stone & easy or self.is_safe(stone, s.mine, s.theirs, empty):
                if not self.local or rng.below(RASHNESS) == 0 or not self.is_rash(stone, s, empty):
                    return self.action(point)
            free ^= stone
            left -= 1
        return self.skip

    def answers(self, s: State, empty: Any) -> Any:
        """The answers to the last move: the points of the first kind that has any. Each is legal unless it is the ko."""
        around = self.near(self.at(s.last))
        found = self.Board(0)
        friends = around & s.mine
        while friends:
            chain = self.spread(friends & -friends, s.mine)
            friends &= ~chain
            liberties = self.near(chain) & empty
            if is_single(liberties):
                found |= self.rescues(s, chain, liberties, empty)
        if found:
            return found
        chain = self.spread(self.at(s.last), s.theirs)
        liberties = self.near(chain) & empty
        return liberties if is_single(liberties) else found

    def rescues(self, s: State, chain: Any, liberty: Any, empty: Any) -> Any:
        """The points that save a chain with one liberty: by capturing a chain beside it, or by running."""
        found = self.Board(0)
        attackers = self.near(chain) & s.theirs
        while attackers:
            attacker = self.spread(attackers & -attackers, s.theirs)
            attackers &= ~attacker
            theirs = self.near(attacker) & empty
            if is_single(theirs):
                found |= theirs
        run = self.spread(liberty, s.mine)
        reached = self.near(run) & (empty ^ liberty)
        return found | liberty if reached and not is_single(reached) else found

    def is_rash(self, stone: Any, s: State, empty: Any) -> bool:
        """Whether a `stone` of the side to move captures nothing and leaves its chain at most one liberty."""
        rest = empty ^ stone
        if not is_single(self.near(stone) & rest):
            return False
        if not is_single(self.near(self.spread(stone, s.mine)) & rest):
            return False
        return not self.captured(stone, s.theirs, empty)

    def shapely(self, s: State) -> Any:
        """The empty points around the last stone with a good shape."""
        corner = s.last - 2 * self.stride - 2  # of the window of 5x5 points around it
        mine = self.window(s.mine, corner)
        theirs = self.window(s.theirs, corner)
        inside = self.window(self.full, corner)
        walls = ~inside
        free = inside & ~(mine | theirs)
        found = self.Board(0)
        for row in range(3):
            for column in range(3):
                corner_point = row * self.stride + column
                if free >> (corner_point + self.stride + 1) & 1:
                    code = self.ring(mine | walls, corner_point) | self.ring(theirs | walls, corner_point) << 8
                    if self.shapes[code]:
                        found |= self.at(corner + corner_point + self.stride + 1)
        return found

    def window(self, points: Any, corner: int) -> Any:
        """Points shifted so that those from `corner`, which may lie off the board, come first."""
        return points >> corner if corner >= 0 else points << -corner

    def ring(self, points: Any, corner_point: int) -> int:
        """The eight points around the middle of the 3x3 points from `corner_point` on, in reading order."""
        rows = points >> corner_point
        top, middle, bottom = int(rows & 7), int(rows >> self.stride & 7), int(rows >> 2 * self.stride & 7)
        return top | (middle & 1) << 3 | (middle & 4) << 2 | bottom << 5
