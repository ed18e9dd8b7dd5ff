"""Positions settled by an exact search: their values are those of plain minimax, and so are the targets of earlier
positions.
"""

import functools
import itertools
from dataclasses import replace

import numpy as np
import pytest

from counterplay import CounterplayError, load
from counterplay.learning.alphazero import AlphaZero, Settings

TINY = Settings(simulations=4, slots=8, width=4, blocks=1, positions=200, opening=2, gate=0)
LINES = [0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124]


@functools.cache
def minimax(mine, theirs):
    """What tic-tac-toe is worth to the side to move."""
    if any(theirs & line == line for line in LINES):
        return -1
    free = [1 << k for k in range(9) if not (mine | theirs) >> k & 1]
    return max((-minimax(theirs, mine | bit) for bit in free), default=0)


def played(nodes):
    """Of each game that was played: what its positions are truly worth, and what is to be learned of them."""
    training = AlphaZero(load("tic-tac-toe"), replace(TINY, exact=nodes), games=10_000)
    share = training.advance()["settled"]
    planes, _, thought, result = training.replay.parts[0]
    bits = planes.astype(int).reshape(-1, 2, 9) @ (1 << np.arange(9))
    stones = planes.astype(int).reshape(-1, 18).sum(1)
    true = np.array([minimax(int(mine), int(theirs)) for mine, theirs in bits])
    begins = [0, *np.flatnonzero(np.diff(stones) != 1) + 1, len(stones)]
    games = [slice(start, end) for start, end in itertools.pairwise(begins)]
    return share, [(true[game], thought[game], result[game]) for game in games]


@pytest.mark.slow
def test_with_nodes_enough_all_that_is_learned_is_true():
    share, games = played(100_000)
    assert share == 1.0
    for true, thought, result in games:
        assert np.array_equal(thought, true)
        assert np.array_equal(result, true)
    assert any(len(set(np.abs(true))) > 1 for true, _, _ in games)  # mistakes were made, and not learned from


@pytest.mark.slow
def test_with_few_nodes_the_first_position_that_is_settled_speaks_for_those_before():
    share, games = played(6)
    assert 0.1 < share < 0.9
    for true, thought, result in games:
        known = np.flatnonzero((thought != true) | (result != true))
        first = known[-1] + 1 if len(known) else 0  # at the latest
        if first < len(true):
            turns = (-1.0) ** (first - np.arange(first))
            assert np.array_equal(result[:first], turns * true[first])


def test_games_whose_results_depend_on_the_past_are_refused():
    with pytest.raises(CounterplayError, match=r"exact=10: .* leave exact at 0"):
        AlphaZero(load("go:3"), replace(TINY, exact=10), games=10)
