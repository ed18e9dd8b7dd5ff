"""Scripted strategies for skirmish: fixed plans that know only what their side sees. A league should beat them all."""

from __future__ import annotations

from typing import Literal

from counterplay.core.errors import Unsuitable
from counterplay.core.game import Game
from counterplay.core.language.bits import ones
from counterplay.core.playthrough import Playthrough
from counterplay.games.skirmish import BUILD, MOVE, WAIT, Skirmish
from counterplay.players.clock import Clock
from counterplay.players.player import Player
from counterplay.search.decision import Decision, Report

ENOUGH = 3
"""The number of units that a swarm needs to march."""


class SkirmishScript(Player):
    """A fixed plan for skirmish: `rush` sends its foremost unit straight to the enemy's base; `guard` stays at home,
    builds when it can and strikes what comes near; `swarm` builds three units before it marches."""

    def __init__(self, plan: Literal["rush", "guard", "swarm"] = "rush") -> None:
        self.plan = plan
        self.spec = f"skirmish-script:plan={plan}"

    def require(self, game: Game) -> None:
        if not isinstance(game, Skirmish):
            raise Unsuitable(f"skirmish-script plays skirmish, not {game.spec}; `ismcts` plays games with secrets")

    def think(self, p: Playthrough, report: Report | None = None, clock: Clock | None = None) -> Decision:
        self.require(p.game)
        action = self.order(p.game, p.state, p.to_move, p.options())
        return Decision(action, 0.0, (action,))

    def order(self, game: Game, s: object, side: int, options: list[int]) -> int:
        """The order of a side, by what it knows."""
        assert isinstance(game, Skirmish)
        known = game.information(s, side)  # type: ignore[arg-type]
        enemies, goal = set(ones(known.seen)), game.bases[1 - side]
        strikes = [order for order in options if order >= MOVE and game.target(order) in enemies | {goal}]
        if goal in map(game.target, strikes):
            return next(order for order in strikes if game.target(order) == goal)
        if strikes:
            return strikes[0]
        units = len(list(ones(known.units)))
        if BUILD in options and (self.plan != "rush" or not units):
            return BUILD
        if self.plan == "guard" or (self.plan == "swarm" and units < ENOUGH):
            home = game.bases[side]
            leaving = [order for order in options if order >= MOVE and game.origin(order) == home]
            return leaving[0] if leaving and units < ENOUGH and known.stock >= 2 else WAIT
        marches = [order for order in options if order >= MOVE]
        return min(marches, key=lambda order: self.way(game, order, goal), default=WAIT)

    def way(self, game: Skirmish, order: int, goal: int) -> tuple[int, int]:
        """The distance to the enemy's base after an order, and before it: the foremost unit first."""
        return tuple(
            abs(cell % game.width - goal % game.width) + abs(cell // game.width - goal // game.width)
            for cell in (game.target(order), game.origin(order))
        )  # type: ignore[return-value]
