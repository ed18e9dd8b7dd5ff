"""Joint ratings: against known solutions, against other formulas, and by simulation."""

import math
import random

import numpy as np
import pytest

from counterplay.arena.ratings import Meeting, is_comparable, meetings, rate
from counterplay.arena.result import GameResult
from counterplay.arena.statistics import elo, expected


def games(first, second, wins, draws, losses, start=0):
    scores = [1.0] * wins + [0.5] * draws + [0.0] * losses
    return [Meeting(first, second, score, start + number) for number, score in enumerate(scores)]


def test_two_players_are_as_far_apart_as_their_score_says():
    found = rate(2, games(0, 1, 60, 20, 20))
    assert found.points[0] - found.points[1] == pytest.approx(elo(0.7), abs=1e-6)
    assert sum(found.points) == pytest.approx(0, abs=1e-6)


def test_the_interval_of_two_is_that_of_the_score():
    """Half the difference, whose error is that of the mean score through the slope of the Elo curve."""
    found = rate(2, games(0, 1, 600, 200, 200))
    deviation = math.sqrt((600 * 0.3**2 + 200 * 0.2**2 + 200 * 0.7**2) / 1000 / 999)
    slope = 400 / math.log(10) / (0.7 * 0.3)
    width = found.intervals[0].high - found.intervals[0].low
    assert width == pytest.approx(2 * 1.962 * slope * deviation / 2, rel=0.005)


def mm(players, played, steps=20_000):
    """The same ratings by Zermelo's iteration (1929; Hunter 2004)."""
    strength = [1.0] * players
    points = [sum(m.score for m in played if m.first == i) for i in range(players)]
    points = [p + sum(1 - m.score for m in played if m.second == i) for i, p in enumerate(points)]
    met = np.zeros((players, players))
    for m in played:
        met[m.first, m.second] += 1
        met[m.second, m.first] += 1
    for _ in range(steps):
        strength = [
            points[i] / sum(met[i, j] / (strength[i] + strength[j]) for j in range(players) if met[i, j])
            for i in range(players)
        ]
        mean = math.exp(sum(map(math.log, strength)) / players)
        strength = [s / mean for s in strength]
    return [400 * math.log10(s) for s in strength]


def test_many_players_get_the_likeliest_ratings():
    played = (
        games(0, 1, 7, 2, 3) + games(1, 2, 6, 0, 6) + games(2, 3, 9, 1, 1) + games(3, 0, 1, 4, 7) + games(0, 2, 3, 3, 2)
    )
    assert rate(4, played).points == pytest.approx(mm(4, played, 2000), abs=1e-3)


@pytest.mark.parametrize(
    "played, comparable",
    [
        (games(0, 1, 1, 0, 1) + games(1, 2, 1, 0, 1), True),
        (games(0, 1, 5, 0, 0) + games(1, 2, 1, 1, 0), False),
        (games(0, 1, 1, 0, 0) + games(1, 2, 1, 0, 0) + games(2, 0, 1, 0, 0), True),
        (games(0, 1, 0, 3, 0), False),  # nobody met the third
    ],
)
def test_ratings_exist_where_points_lead_from_everyone_to_everyone(played, comparable):
    assert is_comparable(3, played) == comparable
    found = rate(3, played)
    assert found.is_held != comparable
    for i, between in enumerate(found.intervals):
        met = any(i in (m.first, m.second) for m in played)
        assert math.isfinite(between.low) == math.isfinite(between.high) == met


def test_who_won_everything_is_held_by_a_draw():
    found = rate(3, games(0, 1, 10, 0, 0) + games(0, 2, 10, 0, 0) + games(1, 2, 5, 0, 5))
    assert found.is_held
    assert found.points[0] - found.points[1] == pytest.approx(elo(10.5 / 11), abs=1)
    assert found.points[1] == pytest.approx(found.points[2])


def test_intervals_of_ratings_cover_the_truth_95_times_in_100():
    """Five players, many draws, and openings that favour a side: both games of a round share one."""
    rng = random.Random(5)
    truth = [-100.0, -40.0, 0.0, 40.0, 100.0]
    covered = total = 0
    for _ in range(120):
        played, number = [], 0
        for i in range(5):
            for j in range(i + 1, 5):
                for _ in range(20):
                    number += 1
                    bias = rng.choice([-0.2, 0.2])
                    for sign in (1, -1):
                        mean = expected(truth[i] - truth[j]) + sign * bias
                        draw = min(0.5, 2 * min(mean, 1 - mean)) * 0.8
                        score = rng.choices([0.0, 0.5, 1.0], [1 - mean - draw / 2, draw, mean - draw / 2])[0]
                        played.append(Meeting(i, j, score, number))
        found = rate(5, played)
        for between, true in zip(found.intervals, truth, strict=True):
            covered += between.low <= true <= between.high
            total += 1
    assert 0.925 <= covered / total <= 0.985, covered / total


def test_a_game_of_three_is_three_meetings():
    result = GameResult(7, 1, (2, 0, 1), (5.0, 3.0, 3.0), (1.0, 0.25, 0.25), (False, False, False))
    assert [m[:3] for m in meetings([result])] == [(2, 0, 1.0), (2, 1, 1.0), (0, 1, 0.5)]
    assert len({m.round for m in meetings([result, result._replace(game=8), result._replace(game=9)])}) == 2
