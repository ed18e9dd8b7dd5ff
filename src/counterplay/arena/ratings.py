"""Joint ratings of many players from their results against each other (Bradley & Terry 1952), on the Elo scale.

Player i is expected to score 1 / (1 + 10 ** ((r_j - r_i) / 400)) against player j, and a draw is half a win. The ratings
are the most likely ones, their average is 0, and they are found by Newton's method. The intervals come from how much
the rounds disagree (the sandwich estimate of White 1980, with each round as one observation): so neither draws nor
openings that favour a side make them too wide or too narrow.

If someone won or lost everything, no rating is the most likely. Then each pair that met receives one additional drawn
game, and the intervals are the model's own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from counterplay.arena.result import GameResult
from counterplay.arena.statistics import CONFIDENCE, Interval

if TYPE_CHECKING:
    import numpy as np

SCALE = 400 / math.log(10)
"""Points of Elo for a unit of the natural logarithm of the odds."""


class Meeting(NamedTuple):
    """One game between two players."""

    first: int
    second: int
    score: float  # of the first
    round: int  # meetings of one round are not independent


class Ratings(NamedTuple):
    """Ratings of all contestants, by number."""

    points: list[float]
    intervals: list[Interval]
    is_held: bool  # someone won or lost everything, and only an additional draw holds the ratings


def meetings(results: Iterable[GameResult]) -> list[Meeting]:
    """The pairs that met in the games; in a game for many players, each pair."""
    found = []
    for result in results:
        seats = range(len(result.players))
        turn = result.game // len(seats)  # one opening played from every side by one group
        for i in seats:
            for j in range(i + 1, len(seats)):
                mine, other = result.utilities[i], result.utilities[j]
                score = 0.5 + 0.5 * ((mine > other) - (mine < other))
                found.append(Meeting(result.players[i], result.players[j], score, turn))
    return found


def rate(players: int, played: Sequence[Meeting]) -> Ratings:
    """The maximum-likelihood ratings, given these meetings."""
    import numpy as np
    from scipy.special import stdtrit

    is_held = not is_comparable(players, played)
    pairs = {(min(m.first, m.second), max(m.first, m.second)) for m in played}
    extra = [Meeting(i, j, 0.5, -1) for i, j in sorted(pairs)] if is_held else []
    every = [*played, *extra]
    first, second = (np.array([m[k] for m in every], dtype=np.int64) for k in (0, 1))
    score = np.array([m.score for m in every], dtype=np.float64)
    ratings = np.zeros(players)
    for _ in range(100):
        surprise, bread = _derivatives(ratings, first, second, score)
        gradient = np.bincount(first, surprise, players) - np.bincount(second, surprise, players)
        step = bread @ gradient
        ratings += step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-300))  # no step of more than 350 points
        if np.abs(step).max() < 1e-10:
            break
    surprise, bread = _derivatives(ratings, first, second, score)
    rounds = np.array([m.round for m in every], dtype=np.int64)
    spread = bread if is_held else bread @ _disagreement(players, first, second, surprise, rounds) @ bread
    points, intervals = [], []
    for i in range(players):
        count = len({m.round for m in played if i in (m.first, m.second)})
        deviate = float(stdtrit(max(count - 1, 1), (1 + CONFIDENCE) / 2))
        error = deviate * SCALE * math.sqrt(max(float(spread[i, i]), 0.0)) if count else math.inf
        points.append(SCALE * float(ratings[i]))
        intervals.append(Interval(points[-1] - error, points[-1] + error))
    return Ratings(points, intervals, is_held)


def _derivatives(ratings: np.ndarray, first: np.ndarray, second: np.ndarray, score: np.ndarray) -> tuple[Any, Any]:
    """How far each score is from the expected one, and the inverse of the information (for ratings of average 0)."""
    import numpy as np

    players = len(ratings)
    expected = 1 / (1 + np.exp(ratings[second] - ratings[first]))
    weight = expected * (1 - expected)
    information = np.zeros((players, players))
    np.add.at(information, (first, first), weight)
    np.add.at(information, (second, second), weight)
    np.add.at(information, (first, second), -weight)
    np.add.at(information, (second, first), -weight)
    return score - expected, np.linalg.pinv(information, rcond=1e-10, hermitian=True)


def _disagreement(players: int, first: np.ndarray, second: np.ndarray, surprise: np.ndarray, rounds: np.ndarray) -> Any:
    """The covariance of the gradient, from the gradients of the rounds."""
    import numpy as np

    names, where = np.unique(rounds, return_inverse=True)
    gradients = np.zeros((len(names), players))
    np.add.at(gradients, (where, first), surprise)
    np.add.at(gradients, (where, second), -surprise)
    return gradients.T @ gradients * (len(names) / max(len(names) - 1, 1))


def is_comparable(players: int, played: Iterable[Meeting]) -> bool:
    """Whether maximum-likelihood ratings exist (Ford 1957): a chain of points leads from everyone to everyone."""
    took: list[set[int]] = [set() for _ in range(players)]  # the opponents from whom each took at least half a point
    for meeting in played:
        if meeting.score > 0:
            took[meeting.first].add(meeting.second)
        if meeting.score < 1:
            took[meeting.second].add(meeting.first)
    gave = [{i for i in range(players) if j in took[i]} for j in range(players)]
    return all(len(_reachable(0, edges)) == players for edges in (took, gave))


def _reachable(start: int, edges: list[set[int]]) -> set[int]:
    seen, waiting = {start}, [start]
    while waiting:
        for other in edges[waiting.pop()] - seen:
            seen.add(other)
            waiting.append(other)
    return seen
