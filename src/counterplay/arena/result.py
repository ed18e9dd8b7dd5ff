"""The result of a game, seat by seat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from counterplay.arena.plan import Fixture
from counterplay.arena.referee import Played


class GameResult(NamedTuple):
    """The part of a game that statistics need; tuples are by seat."""

    game: int
    round: int
    players: tuple[int, ...]
    utilities: tuple[float, ...]
    scores: tuple[float, ...]
    forfeits: tuple[bool, ...]


def result_of(fixture: Fixture, played: Played) -> GameResult:
    """The result of a planned game."""
    forfeits = tuple(seat == played.loser for seat in range(len(played.returns)))
    scores = tuple(shares(played.returns))
    return GameResult(fixture.number, fixture.round, fixture.seats, played.returns, scores, forfeits)


def shares(returns: Sequence[float]) -> list[float]:
    """The score of each seat, from 0 to 1: the average over the other seats of 1 for a higher payoff and 1/2 for an
    equal one."""
    return [
        sum(0.5 + 0.5 * ((mine > other) - (mine < other)) for j, other in enumerate(returns) if j != i)
        / max(len(returns) - 1, 1)
        for i, mine in enumerate(returns)
    ]
