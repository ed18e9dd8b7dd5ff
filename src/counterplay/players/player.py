"""What every player is: a way to choose an action within a budget, which says what it thought."""

from __future__ import annotations

from typing import NamedTuple

from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE, Game, summary
from counterplay.core.playthrough import Playthrough


class Thought(NamedTuple):
    """An action, and what the player thought of it as far as it thinks."""

    action: int
    value: float | None = None  # in view of the side to move
    depth: int | None = None  # plies looked ahead
    nodes: int | None = None  # states looked at
    line: tuple[int, ...] = ()  # the play that it expects, from `action` on


class Player:
    """Chooses actions. A subclass writes `think`; its constructor's parameters are the options of its spec."""

    spec: str
    """The player as one writes it on the command line, such as `alphabeta:depth=6`."""

    def choose(self, p: Playthrough) -> Thought:
        """The action that the player takes where it is to move in `p`; `p` itself is left as it is."""
        if p.is_over:
            raise CounterplayError("there is nothing to choose: the game is over")
        if p.to_move == CHANCE:
            raise CounterplayError(f"there is nothing to choose: chance moves, and its events are {summary(p.legal())}")
        return self.think(p)

    def think(self, p: Playthrough) -> Thought:
        """The same, where there is a choice."""
        raise NotImplementedError

    def require(self, game: Game) -> None:
        """Refuse a game that the player does not suit, in a sentence that names one that does."""

    def prepare(self, p: Playthrough) -> None:
        """Do what comes once, such as compiling, so that it does not count as thinking."""

    def __repr__(self) -> str:
        return f"player({self.spec!r})"
