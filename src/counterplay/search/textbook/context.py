"""What the plain searches share, so that their files show only the algorithm: leaves, counts, and reports to a
tracer."""

from __future__ import annotations

from collections.abc import Sequence

from counterplay.core.game import Game
from counterplay.core.language.marks import inlined
from counterplay.core.rules import payoff
from counterplay.core.types import State
from counterplay.search.memory import Context
from counterplay.search.tracing.tracer import HORIZON, SEARCHED, TERMINAL, RecordingTracer, SilentTracer


class TextbookContext(Context):
    """What a plain search uses. If it `dates` results, the best counts more the sooner it comes, as in the engine;
    otherwise utilities are as they are."""

    def __init__(
        self,
        game: Game,
        *,
        dates: bool = True,
        before: Sequence[int] = (),
        tracer: SilentTracer | RecordingTracer | None = None,
    ) -> None:
        super().__init__(game, None, before, tracer)
        self.dates = dates

    # What kernels call.

    @inlined
    def enter(
        self, game: Game, s: State, depth: int, alpha: float, beta: float, ply: int, last: int
    ) -> tuple[bool, float]:
        """Enter `s` by the action `last`; returns whether it is a leaf, and if so its value to the side to move."""
        self.nodes += 1
        mover = game.to_move(s)
        self.tracer.enter(ply, last, mover, depth, alpha, beta)
        value, why = 0.0, TERMINAL
        if game.is_terminal(s):
            value = self.result(game.utility(s, mover), ply)
        elif self.repeated(game, s, ply):
            value = self.result(payoff(game, s, mover), ply)
        elif depth == 0:
            self.doubts += 1
            value, why = self.horizon(game, s, mover) if self.dates else game.evaluate(s, mover), HORIZON
        else:
            return False, 0.0
        self.leaves += 1
        self.tracer.leave(ply, value, why)
        return True, value

    def result(self, value: float, ply: int) -> float:
        """The value of a final result at `ply`."""
        return self.dated(value, ply) if self.dates else value

    @inlined
    def list_actions(self, game: Game, s: State, ply: int) -> int:
        """Put the actions of `s` on the stack; returns where they begin."""
        start = len(self.out)
        self.list_options(game, s, ply)
        return start

    def cut(self, ply: int, i: int) -> None:
        """Report that the actions from `i` on are not searched."""
        self.tracer.cut(ply, self.out, i, len(self.out))

    @inlined
    def leave(self, ply: int, start: int, value: float) -> float:
        """Leave a node, whose actions begin at `start`, with its value to the side to move."""
        if start == len(self.out):  # every action is forbidden by repetition
            value = 0.0
        self.out.truncate(start)
        self.tracer.leave(ply, value, SEARCHED)
        return value
