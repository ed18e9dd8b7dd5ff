"""The first algorithms of a course as players: one ply, minimax, negamax, plain alpha-beta."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterplay.core.formats.options import spec_of
from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough
from counterplay.players.clock import Clock
from counterplay.players.evaluation_option import EvaluationOption
from counterplay.players.player import Player
from counterplay.search.background import beside
from counterplay.search.decision import Decision, Report
from counterplay.search.suitability import require_budget, require_suitable
from counterplay.search.textbook import alpha_beta, minimax

if TYPE_CHECKING:
    from counterplay.search.tracing.tracer import RecordingTracer, SilentTracer

DEPTH = 4
"""The default depth."""


class Rung(Player):
    """A search to a fixed depth, without a clock; `evaluation` is a learned one: a model's file or name."""

    name = ""

    def __init__(self, depth: int = DEPTH, evaluation: str | None = None) -> None:
        require_budget(depth)
        self.depth, self.evaluation = depth, EvaluationOption(evaluation)
        self.spec = spec_of(self.name, {"depth": depth} | learned(evaluation))

    def require(self, game: Game) -> None:
        require_suitable(game, None, self.name)
        self.evaluation.of(game)

    def prepare(self, p: Playthrough) -> None:
        if not p.is_over:
            self.look(p, 1)

    def think(self, p: Playthrough, report: Report | None = None, clock: Clock | None = None) -> Decision:
        self.require(p.game)
        return beside(lambda: self.look(p, self.depth))

    def trace(self, p: Playthrough, recorder: RecordingTracer, deepening: bool = False) -> Decision:
        self.require_choice(p)
        self.require(p.game)
        return self.look(p, self.depth, recorder)

    def look(self, p: Playthrough, depth: int, tracer: SilentTracer | RecordingTracer | None = None) -> Decision:
        """The search itself."""
        raise NotImplementedError


class Minimax(Rung):
    """Minimax over the whole tree to a depth."""

    name = "minimax"

    def look(self, p: Playthrough, depth: int, tracer: SilentTracer | RecordingTracer | None = None) -> Decision:
        return minimax.minimax(self.evaluation.of(p.game), p.state, depth, tracer, p.before)


class Negamax(Rung):
    """The same, from the point of view of the side to move throughout."""

    name = "negamax"

    def look(self, p: Playthrough, depth: int, tracer: SilentTracer | RecordingTracer | None = None) -> Decision:
        return minimax.negamax(self.evaluation.of(p.game), p.state, depth, tracer, p.before)


class PlainAlphaBeta(Rung):
    """Alpha-beta as taught in a lecture."""

    name = "plain-alphabeta"

    def look(self, p: Playthrough, depth: int, tracer: SilentTracer | RecordingTracer | None = None) -> Decision:
        return alpha_beta.search(self.evaluation.of(p.game), p.state, depth, tracer, p.before)


class Greedy(Minimax):
    """The action that leads to the best estimate."""

    name = "greedy"

    def __init__(self, evaluation: str | None = None) -> None:
        super().__init__(1, evaluation)
        self.spec = spec_of(self.name, learned(evaluation))


def learned(evaluation: str | None) -> dict[str, object]:
    """The option, unless it has its default value."""
    return {} if evaluation is None else {"evaluation": evaluation}
