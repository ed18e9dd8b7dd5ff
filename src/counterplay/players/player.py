"""What every player is: a way to choose an action within a budget, which says what it thought."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.game import CHANCE, Game, summary
from counterplay.core.playthrough import Playthrough
from counterplay.search.decision import Decision

if TYPE_CHECKING:
    from counterplay.search.tracer import Recorder

Report = Callable[[Decision], None]
"""Hears of the best so far, as a search goes deeper."""


class Player:
    """Chooses actions. A subclass writes `think`; its constructor's parameters are the options of its spec."""

    spec: str
    """The player as one writes it on the command line, such as `alphabeta:depth=6`."""

    def choose(self, p: Playthrough, report: Report | None = None) -> Decision:
        """The action that the player takes where it is to move in `p`; `p` itself is left as it is.

        `report` hears of the best so far, from a player that looks ever deeper.
        """
        require_choice(p)
        return self.think(p, report)

    def think(self, p: Playthrough, report: Report | None = None) -> Decision:
        """The same, where there is a choice."""
        raise NotImplementedError

    def rank(self, p: Playthrough, report: Report | None = None) -> Decision:
        """The same, with the value of each action in `options`, the best first; such a search takes longer."""
        found = self.choose(p, report)
        if not found.options:
            raise Unsuitable(f"{self.spec} does not judge every action; `alphabeta` does, where it suits the game")
        return found

    def trace(self, p: Playthrough, recorder: Recorder, deepening: bool = False) -> Decision:
        """The same, in front of a `recorder`: one search at full depth or, if `deepening`, all from depth 1 on."""
        raise Unsuitable(f"{self.spec} leaves no trace; `alphabeta` and `minimax` do")

    def require(self, game: Game) -> None:
        """Refuse a game that the player does not suit, in a sentence that names one that does."""

    def prepare(self, p: Playthrough) -> None:
        """Do what comes once, such as compiling, so that it does not count as thinking."""

    def __repr__(self) -> str:
        return f"player({self.spec!r})"


def require_choice(p: Playthrough) -> None:
    """Refuse positions in which nobody chooses."""
    if p.is_over:
        raise CounterplayError("there is nothing to choose: the game is over")
    if p.to_move == CHANCE:
        raise CounterplayError(f"there is nothing to choose: chance moves, and its events are {summary(p.legal())}")
