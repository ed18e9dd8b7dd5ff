"""How Go playouts choose: sensible moves evenly, or first what the last move calls for.

*Uniform*: any legal point but own eyes; pass only where there is no other. Without the eyes, playouts end in boards whose
area is plain to count (Brügmann 1993).

*Local*: answer the last move where it matters: save chains that it put into atari, by taking an attacker or by running
to two liberties; take what it left in atari; else play evenly (after Gelly, Wang, Munos & Teytaud, "Modification of
UCT with Patterns in Monte-Carlo Go", 2006).
"""

from __future__ import annotations

from typing import Any

from counterplay.core.bits import count, nth
from counterplay.core.rng import Rng
from counterplay.games.go.stones import NOWHERE, State, Stones, is_single


class Policy(Stones):
    """The playout policies."""

    def __init__(self, size: int, suicide: bool, local: bool) -> None:
        super().__init__(size)
        self.suicide, self.local = suicide, local

    def sample(self, s: State, rng: Rng) -> int:
        empty = self.empty(s)
        if self.local:
            if s.last != NOWHERE:
                answers = self.open(s, empty) & self.answers(s, empty)
                if answers:
                    return self.action(nth(answers, rng.below(count(answers))))
        return self.any(s, empty, rng)

    def open(self, s: State, empty: Any) -> Any:
        """The empty points but the ko."""
        return empty if s.ko == NOWHERE else empty ^ self.at(s.ko)

    def any(self, s: State, empty: Any, rng: Rng) -> int:
        """A sensible action, each as likely as the other."""
        free = self.open(s, empty) & ~self.eyes(s.mine, s.theirs, empty)
        easy = self.near(empty)
        left = count(free)
        while left > 0:
            point = nth(free, rng.below(left))
            stone = self.at(point)
            if stone & easy or self.is_safe(stone, s.mine, s.theirs, empty):
                return self.action(point)
            free ^= stone
            left -= 1
        return self.skip

    def answers(self, s: State, empty: Any) -> Any:
        """The points that the last move calls for, of which those of the first kind that there are: each is legal unless
        it is the ko."""
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
        """What saves a chain with one liberty: to take a chain beside it, or to run."""
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
