"""The interface of all players: a player chooses an action for a playthrough within a budget, and reports its thinking.

The budget is its own (the options of its spec) and the clock's, whichever is tighter. A player may hold a resource that
must be released, such as the process of an external engine: `close` does that, and `with player(spec) as ...` calls it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.formats.text import summary
from counterplay.core.game import CHANCE, Game
from counterplay.core.playthrough import Playthrough
from counterplay.players.clock import Clock
from counterplay.search.decision import Decision, Report
from counterplay.search.suitability import what_suits

if TYPE_CHECKING:
    from counterplay.search.tracing.tracer import RecordingTracer


class Forfeit(CounterplayError):
    """A player cannot or will not continue: it has lost, and the sentence says why."""

    def __init__(self, sentence: str, kind: str = "fault") -> None:
        super().__init__(sentence)
        self.kind = kind
        """What happened, in a word: resigned, time, illegal, silent, died, fault."""


class Player:
    """Chooses actions. A subclass defines `think`; its constructor's parameters are the options of its spec."""

    spec: str
    """The player as written on the command line, such as `alphabeta:depth=6`."""
    outside: ClassVar[str] = ""
    """What its options reach beyond thinking, such as "starts a program": remote users may not ask for such a player."""

    def choose(self, p: Playthrough, report: Report | None = None, clock: Clock | None = None) -> Decision:
        """The action that the player takes in `p`, where it is to move; `p` itself stays unchanged. A game that does
        not suit the player is refused. Everything is compiled before the player's own clock runs.

        `report` receives the best action so far, from a player that looks deeper and deeper; the `clock` says how much
        time there is, beside the player's own options. A player that cannot continue raises Forfeit.
        """
        self.require_choice(p)
        return self.think(p, report, clock)

    def think(self, p: Playthrough, report: Report | None = None, clock: Clock | None = None) -> Decision:
        """The same, if there is a choice."""
        raise NotImplementedError

    def rank(self, p: Playthrough, report: Report | None = None) -> Decision:
        """The same, with the value of each action in `options`, the best first; such a search takes longer."""
        found = self.choose(p, report)
        if not found.options:
            raise Unsuitable(f"{self.spec} does not evaluate every action; `alphabeta` does, where it suits the game")
        return found

    def appraise(self, p: Playthrough, report: Report | None = None) -> Decision:
        """The value of a position in which chance moves, to the player who acts next (`Game.viewer`), with the value of
        each event in `options` if the search evaluates each; there is no action."""
        raise Unsuitable(f"{self.spec} chooses actions, and here chance moves; {what_suits(p.game)}")

    def recorder(self, game: Game, limit: int) -> RecordingTracer:
        """The recorder of a trace, for at most `limit` events."""
        from counterplay.search.tracing.tracer import RecordingTracer

        return RecordingTracer(limit)

    def trace(self, p: Playthrough, recorder: RecordingTracer, deepening: bool = False) -> Decision:
        """The same, observed by a `recorder`: one search at full depth or, if `deepening`, all from depth 1 on."""
        raise Unsuitable(
            f"{self.spec} cannot be traced; `alphabeta`, `minimax`, `expectiminimax`, `paranoid`, `maxn`, `mcts` "
            "and `ismcts` can"
        )

    def require(self, game: Game) -> None:
        """Refuse a game that does not suit the player, in a sentence that names one that does."""

    def require_choice(self, p: Playthrough) -> None:
        """Refuse positions in which nobody chooses; but first a game with chance, if it does not suit the player."""
        if not p.is_over and p.to_move == CHANCE:
            self.require(p.game)
        require_choice(p)

    def remark(self, game: Game) -> str:
        """What the user should know about how the player plays `game`; empty if nothing."""
        return ""

    def complaint(self) -> str:
        """Trouble since the last call that did not decide the game; empty if there was none."""
        return ""

    def prepare(self, p: Playthrough) -> None:
        """Do one-time work, such as compiling, so that an outside clock does not count it as thinking."""

    def close(self) -> None:
        """Release the player's resources, such as a process; it can no longer choose."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"player({self.spec!r})"


def require_choice(p: Playthrough) -> None:
    """Refuse positions in which nobody chooses."""
    if p.is_over:
        raise CounterplayError("there is nothing to choose: the game is over")
    if p.to_move == CHANCE:
        raise CounterplayError(f"there is nothing to choose: chance moves, and its events are {summary(p.legal())}")
