"""A player that delegates to another: a wrapper overrides only what it does itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough
from counterplay.players.clock import Clock
from counterplay.players.player import Player
from counterplay.search.decision import Decision, Report

if TYPE_CHECKING:
    from counterplay.search.tracing.tracer import RecordingTracer


class Delegate(Player):
    """Does everything as the wrapped player does."""

    def __init__(self, inner: Player) -> None:
        self.inner, self.spec = inner, inner.spec

    def think(self, p: Playthrough, report: Report | None = None, clock: Clock | None = None) -> Decision:
        self.require(p.game)
        return self.inner.choose(p, report, clock)

    def rank(self, p: Playthrough, report: Report | None = None) -> Decision:
        self.require(p.game)
        return self.inner.rank(p, report)

    def appraise(self, p: Playthrough, report: Report | None = None) -> Decision:
        return self.inner.appraise(p, report)

    def recorder(self, game: Game, limit: int) -> RecordingTracer:
        return self.inner.recorder(game, limit)

    def trace(self, p: Playthrough, recorder: RecordingTracer, deepening: bool = False) -> Decision:
        self.require(p.game)
        return self.inner.trace(p, recorder, deepening)

    def require(self, game: Game) -> None:
        self.inner.require(game)

    def remark(self, game: Game) -> str:
        return self.inner.remark(game)

    def complaint(self) -> str:
        return self.inner.complaint()

    def prepare(self, p: Playthrough) -> None:
        self.require(p.game)
        self.inner.prepare(p)

    def close(self) -> None:
        self.inner.close()
