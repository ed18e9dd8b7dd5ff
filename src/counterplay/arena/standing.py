"""The standings of a match or tournament, from the results in its file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from counterplay.arena.ratings import Ratings, meetings, rate
from counterplay.arena.result import GameResult
from counterplay.arena.sprt import Sprt, Trial
from counterplay.arena.statistics import Interval, Sample, elo, interval, superiority
from counterplay.arena.store import Store
from counterplay.core.game import Game


class Tally(NamedTuple):
    """One contestant's results."""

    games: int
    wins: int
    draws: int
    losses: int
    score: float  # of the games, on average, from 0 to 1
    utility: float  # its payoff in a game, on average
    utility_interval: Interval
    forfeits: int


class Duel(NamedTuple):
    """What is known about the difference between two players."""

    games: int
    wins: int
    draws: int
    losses: int
    score: float
    pairs: dict[float, int]  # the number of rounds with each average score
    elo: float
    elo_interval: Interval
    superiority: float


class Standing:
    """The standings from the games in a file; if a sequential test is decided, from the games that decided it."""

    def __init__(self, game: Game, store: Store) -> None:
        self.game, self.plan, self.path = game, store.plan, store.path
        self.notes = store.notes()
        """The games that someone forfeited or that were aborted, by number."""
        self.judged = store.judged()
        """The number of games that the judge ended."""
        self.trial = Trial(Sprt(*self.plan.sprt)) if self.plan.sprt else None
        self.results = store.results()
        for result in self.results:
            if len(result.players) != game.players:
                raise store.damaged(result.game)
        if self.trial:
            for result in self.results:
                self.trial.add(result)
            if self.trial.verdict:
                self.results = [r for r in self.results if r.round < self.trial.rounds]
        self.rounds = whole(self.results, game.players)
        """The games of complete rounds: only they count, since only they have every side played."""
        self.labels = self.plan.labels()
        self.total = self.plan.total(game.players)

    def tally(self, contestant: int) -> Tally:
        """One contestant's results; forfeits in all games count."""
        scores = [s for r in self.rounds for s, p in zip(r.scores, r.players, strict=True) if p == contestant]
        low, high = self.game.utility_bounds
        utilities = round_means(self.rounds, contestant, "utilities")
        width = high - low or 1.0
        between = interval(Sample.of(round((u - low) / width, 12) for u in utilities))
        wins, losses = scores.count(1.0), scores.count(0.0)
        return Tally(
            len(scores),
            wins,
            len(scores) - wins - losses,
            losses,
            sum(scores) / max(len(scores), 1),
            sum(utilities) / max(len(utilities), 1),
            Interval(low + width * between.low, low + width * between.high),
            sum(f for r in self.results for f, p in zip(r.forfeits, r.players, strict=True) if p == contestant),
        )

    def duel(self, first: int, second: int) -> Duel:
        """The games between two contestants, from the first one's point of view."""
        rounds = [r for r in self.rounds if set(r.players) == {first, second}]
        scores = [s for r in rounds for s, p in zip(r.scores, r.players, strict=True) if p == first]
        sample = Sample.of(round_means(rounds, first, "scores"))
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

    def ratings(self) -> Ratings:
        """The joint ratings of all contestants."""
        return rate(len(self.labels), meetings(self.rounds))

    def crosstable(self) -> list[list[tuple[float, int]]]:
        """For each contestant, its points against every other one and the number of meetings."""
        n = len(self.labels)
        table = [[(0.0, 0)] * n for _ in range(n)]
        for meeting in meetings(self.rounds):
            for me, other, score in (
                (meeting.first, meeting.second, meeting.score),
                (meeting.second, meeting.first, 1 - meeting.score),
            ):
                points, games = table[me][other]
                table[me][other] = points + score, games + 1
        return table


def whole(results: Iterable[GameResult], players: int) -> list[GameResult]:
    """The games of complete rounds."""
    by_turn: dict[int, list[GameResult]] = {}
    for result in results:
        by_turn.setdefault(result.game // players, []).append(result)
    return [result for games in by_turn.values() if len(games) == players for result in games]


def round_means(results: Sequence[GameResult], contestant: int, what: str) -> list[float]:
    """A contestant's average in each of its rounds; `what` is `scores` or `utilities`."""
    found: dict[int, list[float]] = {}
    for result in results:
        for seat, player in enumerate(result.players):
            if player == contestant:
                found.setdefault(result.game // len(result.players), []).append(getattr(result, what)[seat])
    return [sum(values) / len(values) for _, values in sorted(found.items())]
