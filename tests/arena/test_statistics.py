"""Statistics: against published formulas for large samples, against simulation for small ones."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterplay.arena.result import GameResult
from counterplay.arena.sprt import Sprt, Trial
from counterplay.arena.statistics import Sample, elo, expected, interval, log_likelihood, superiority

QUARTERS = [0.0, 0.25, 0.5, 0.75, 1.0]
COUNTS = st.lists(st.integers(0, 30), min_size=5, max_size=5).filter(lambda counts: sum(counts) >= 2)


def sample(counts):
    return Sample({value: n for value, n in zip(QUARTERS, counts, strict=True) if n})


@pytest.mark.parametrize("score, difference", [(0.5, 0), (0.64, 100), (0.76, 200), (10 / 11, 400), (1 / 11, -400)])
def test_elo_is_as_the_table_of_fide_has_it(score, difference):
    assert elo(score) == pytest.approx(difference, abs=1)
    assert expected(elo(score)) == pytest.approx(score)


def test_who_never_lost_is_not_measured():
    assert (elo(1.0), elo(0.0)) == (math.inf, -math.inf)


@pytest.mark.parametrize("counts", [[40, 160, 420, 230, 150], [5, 90, 700, 150, 55], [100, 0, 300, 0, 200]])
def test_large_samples_give_what_the_normal_distribution_gives(counts):
    """The usual formula of match programs: mean ± 1.96 standard errors of the pairs, LOS by the normal distribution."""
    n = sum(counts)
    mean = sum(c * q for c, q in zip(counts, QUARTERS, strict=True)) / n
    error = math.sqrt(sum(c * (q - mean) ** 2 for c, q in zip(counts, QUARTERS, strict=True)) / n / n)
    found = interval(sample(counts))
    assert found.low == pytest.approx(mean - 1.96 * error, abs=error / 20)
    assert found.high == pytest.approx(mean + 1.96 * error, abs=error / 20)
    normal = 0.5 * (1 + math.erf((mean - 0.5) / error / math.sqrt(2)))
    assert superiority(sample(counts)) == pytest.approx(normal, abs=0.01)
    ratio = (expected(20) - expected(0)) / error**2 * (mean - (expected(20) + expected(0)) / 2)
    assert Sprt(0, 20).ratio(sample(counts)) == pytest.approx(ratio, rel=0.05)  # GSPRT's approximation (Van den Bergh)


def test_the_likelihood_of_two_outcomes_is_the_binomial_one():
    for mean in (0.3, 0.5, 0.71):
        exact = 30 * math.log(mean / 0.6) + 20 * math.log((1 - mean) / 0.4)
        assert log_likelihood(sample([20, 0, 0, 0, 30]), mean) == pytest.approx(exact)


def test_the_likelihood_of_wins_alone_is_that_of_a_coin():
    assert log_likelihood(sample([0, 0, 0, 0, 7]), 0.8) == pytest.approx(7 * math.log(0.8))
    found = interval(sample([0, 0, 0, 0, 10]))
    assert 0.7 < found.low < 0.85
    assert found.high == 1.0
    assert superiority(sample([0, 0, 0, 0, 1])) < 0.95


def best_likelihood(counts, mean):
    """The same by brute force: a numerical maximum over all distributions of the five outcomes with this mean."""
    from scipy.optimize import minimize

    total = sum(counts)

    def loss(p):
        return -sum(c * math.log(max(q, 1e-12) * total / c) for c, q in zip(counts, p, strict=True) if c)

    constraints = [
        {"type": "eq", "fun": lambda p: sum(p) - 1},
        {"type": "eq", "fun": lambda p: sum(q * v for q, v in zip(p, QUARTERS, strict=True)) - mean},
    ]
    found = minimize(loss, [0.2] * 5, bounds=[(0, 1)] * 5, constraints=constraints, options={"maxiter": 500})
    return -found.fun


@pytest.mark.parametrize("counts", [[3, 5, 9, 4, 2], [0, 0, 6, 3, 1], [0, 4, 0, 0, 0], [0, 0, 0, 2, 9]])
@pytest.mark.parametrize("mean", [0.2, 0.5, 0.85])
def test_the_likelihood_is_the_best_that_a_distribution_with_the_mean_reaches(counts, mean):
    assert log_likelihood(sample(counts), mean) == pytest.approx(best_likelihood(counts, mean), abs=1e-3)


@given(COUNTS)
def test_an_interval_holds_the_mean_and_turns_with_the_sides(counts):
    given, turned = sample(counts), sample(counts[::-1])
    low, high = interval(given)
    assert 0 <= low <= given.mean <= high <= 1
    assert interval(turned) == pytest.approx((1 - high, 1 - low), abs=1e-6)
    assert superiority(given) + superiority(turned) == pytest.approx(1)


@given(COUNTS, st.floats(0.01, 0.99))
def test_no_mean_is_likelier_than_the_samples_own(counts, mean):
    given = sample(counts)
    assert log_likelihood(given, mean) <= 1e-9
    assert log_likelihood(given, given.mean) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    "chances, pairs",
    [([1, 2, 4, 2, 1], 20), ([2, 5, 20, 33, 40], 40), ([25, 0, 50, 0, 25], 12), ([0, 0, 2, 8, 90], 60)],
)
def test_intervals_cover_the_truth_95_times_in_100(chances, pairs):
    rng = random.Random(7)
    truth = sum(c * q for c, q in zip(chances, QUARTERS, strict=True)) / sum(chances)
    covered = 0
    for _ in range(400):
        low, high = interval(Sample.of(rng.choices(QUARTERS, chances, k=pairs)))
        covered += low <= truth <= high
    assert 0.925 <= covered / 400 <= 0.99  # 0.95 within two standard errors; discrete outcomes may cover more


def trial_of(rng, chances, test, most=5000):
    """The verdict of a test of random rounds with these chances."""
    trial = Trial(test)
    for number in range(most):
        score = rng.choices(QUARTERS, chances)[0]
        halves = {0.0: (0, 0), 0.25: (0, 0.5), 0.5: (0.5, 0.5), 0.75: (1, 0.5), 1.0: (1, 1)}[score]
        trial.add(GameResult(2 * number, number, (0, 1), (0, 0), (halves[0], 1 - halves[0]), (False, False)))
        trial.add(GameResult(2 * number + 1, number, (1, 0), (0, 0), (1 - halves[1], halves[1]), (False, False)))
        if trial.verdict:
            return trial.verdict
    return ""


def chances_for(difference):
    """Chances of a round's five scores, many of them even, whose mean is that of a difference in Elo."""
    shift = expected(difference) - 0.5
    return [0.08 - shift * 0.6, 0.22 - shift * 0.8, 0.4, 0.22 + shift * 0.8, 0.08 + shift * 0.6]


@pytest.mark.parametrize("truth, wrong", [(0, "elo1"), (60, "elo0")])
def test_a_sequential_test_errs_as_seldom_as_it_says(truth, wrong):
    rng = random.Random(3)
    chances = chances_for(truth)
    assert sum(c * q for c, q in zip(chances, QUARTERS, strict=True)) == pytest.approx(expected(truth))
    verdicts = [trial_of(rng, chances, Sprt(0, 60)) for _ in range(120)]
    assert "" not in verdicts
    assert verdicts.count(wrong) / 120 <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 120)


def test_the_bounds_are_walds():
    assert Sprt(0, 5).bounds == pytest.approx((-2.944, 2.944), abs=0.001)
    assert Sprt(0, 5, 0.1, 0.2).bounds == pytest.approx((math.log(0.2 / 0.9), math.log(0.8 / 0.1)))


@pytest.mark.parametrize(
    "counts, elos, ratio",
    [([223, 9863, 21279, 10037, 246], (0.5, 2.5), -3.07), ([871, 26175, 55983, 26678, 821], (0, 2), -4.98)],
)
def test_the_ratio_is_that_of_fastchess(counts, elos, ratio):
    """Two large matches of chess engines, with the ratios that fastchess, a referee for engines, reports for them."""
    assert Sprt(*elos).ratio(sample(counts)) == pytest.approx(ratio, abs=0.006)


def test_a_test_takes_rounds_in_their_order():
    rng, results = random.Random(1), []
    for number in range(400):
        score = rng.choice([0.5, 1.0])
        results.append(GameResult(number, number // 2, (0, 1), (0, 0), (score, 1 - score), (False, False)))
    straight, shuffled = Trial(Sprt(0, 40)), Trial(Sprt(0, 40))
    for result in results:
        straight.add(result)
    rng.shuffle(results)
    for result in results:
        shuffled.add(result)
    assert (straight.verdict, straight.rounds, straight.ratio) == (shuffled.verdict, shuffled.rounds, shuffled.ratio)
    assert straight.verdict == "elo1"
    assert straight.rounds < 200
