"""How a match or tournament stands: what the results in a file add up to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from counterplay.arena.result import Result
from counterplay.arena.statistics import Interval, Sample, elo, interval, superiority
from counterplay.core.game import Game


class Tally(NamedTuple):
    """What one contestant achieved."""

    games: int
    wins: int
    draws: int
    losses: int
    score: float  # of the games, on average, from 0 to 1
    utility: float  # what it got in a game, on average
    utility_interval: Interval
    forfeits: int


class Duel(NamedTuple):
    """What is known of the difference between two."""

    games: int
    wins: int
    draws: int
    losses: int
    score: float
    pairs: dict[float, int]  # how often a round gave this average score
    elo: float
    elo_interval: Interval
    superiority: float


def is_duel(game: Game) -> bool:
    """Whether one's gain is the other's loss, so that a score says who is stronger."""
    return game.players == 2 and game.zero_sum


def whole(results: Iterable[Result], players: int) -> list[Result]:
    """The games of complete rounds: those in which each side was played."""
    by_turn: dict[int, list[Result]] = {}
    for result in results:
        by_turn.setdefault(result.game // players, []).append(result)
    return [result for games in by_turn.values() if len(games) == players for result in games]


def round_means(results: Sequence[Result], players: int, contestant: int, what: str) -> list[float]:
    """What a contestant got in each round that it took part in, on average; `what` is `scores` or `utilities`.

    Where two contestants are the same player in all, each seat is still one of them.
    """
    found: dict[int, list[float]] = {}
    for result in results:
        for seat, player in enumerate(result.players):
            if player == contestant:
                found.setdefault(result.game // players, []).append(getattr(result, what)[seat])
    return [sum(values) / len(values) for _, values in sorted(found.items())]


def tally(game: Game, results: Sequence[Result], contestant: int) -> Tally:
    """What a contestant achieved in complete rounds; forfeits count in all games."""
    rounds = whole(results, game.players)
    scores = [s for r in rounds for s, p in zip(r.scores, r.players, strict=True) if p == contestant]
    low, high = game.utility_bounds
    utilities = round_means(rounds, game.players, contestant, "utilities")
    width = high - low or 1.0
    between = interval(Sample.of(round((u - low) / width, 12) for u in utilities))
    wins, losses = scores.count(1.0), scores.count(0.0)
    forfeits = sum(f for r in results for f, p in zip(r.forfeits, r.players, strict=True) if p == contestant)
    return Tally(
        len(scores),
        wins,
        len(scores) - wins - losses,
        losses,
        sum(scores) / max(len(scores), 1),
        sum(utilities) / max(len(utilities), 1),
        Interval(low + width * between.low, low + width * between.high),
        forfeits,
    )


def duel(results: Sequence[Result], first: int, second: int) -> Duel:
    """The games of two contestants, in view of the first."""
    rounds = whole([r for r in results if set(r.players) == {first, second}], 2)
    scores = [s for r in rounds for s, p in zip(r.scores, r.players, strict=True) if p == first]
    sample = Sample.of(round_means(rounds, 2, first, "scores"))
    between = interval(sample)
    return Duel(
        len(scores),
        scores.count(1.0),
        scores.count(0.5),
        scores.count(0.0),
        sample.mean,
        {quarter / 4: sample.counts.get(quarter / 4, 0) for quarter in range(5)},
        elo(sample.mean),
        Interval(elo(between.low), elo(between.high)),
        superiority(sample),
    )
