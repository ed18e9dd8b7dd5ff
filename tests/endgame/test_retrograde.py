"""Retrograde analysis on any graph, against minimax to ever greater depths; expected values against plain iteration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CHANCE, CounterplayError
from counterplay.endgame.graph import OPEN, Graph
from counterplay.endgame.retrograde import NO_PLIES, solve_graph
from counterplay.endgame.value_iteration import expected_values


def graph_of(below, mover, payoff, plies=None, chance=False):
    """A graph from lists: what follows each position, who moves, and the payoffs of ends."""
    first = np.cumsum([0, *map(len, below)])
    flat = [after for each in below for after in each]
    shares = [1 / len(each) for each in below for _ in each]
    return Graph(
        first.astype(np.int64),
        np.array(flat, np.int32),
        np.array(mover, np.int8),
        np.array([OPEN if each else pay for each, pay in zip(below, payoff, strict=True)]),
        None if plies is None else np.array(plies, np.int32),
        np.array(shares) if chance else None,
    )


@st.composite
def graphs(draw, payoffs, due=0, movers=(0, 1), forward=False):
    n = draw(st.integers(1, 14))
    below = [
        draw(st.lists(st.integers(i + 1 if forward else 0, n - 1), max_size=4)) if i < n - forward else []
        for i in range(n)
    ]
    mover = draw(st.lists(st.sampled_from(movers), min_size=n, max_size=n))
    payoff = draw(st.lists(st.sampled_from(payoffs), min_size=n, max_size=n))
    plies = draw(st.lists(st.integers(0, due), min_size=n, max_size=n)) if due else None
    return below, mover, payoff, plies


def horizon_values(below, mover, payoff, plies, endless):
    """What each position is worth if play stops after 0, 1, 2, ... plies, where stopping counts as endless play."""
    due = plies or [0] * len(below)
    n = len(below)
    rows = []
    for horizon in range(n + max(due) + 1):
        rows.append(
            [
                (payoff[i] if due[i] <= horizon else endless)
                if not below[i]
                else endless
                if horizon == 0
                else (max if mover[i] == 0 else min)(rows[horizon - 1][after] for after in below[i])
                for i in range(n)
            ]
        )
    return rows


@settings(max_examples=150, deadline=None)
@given(graphs((-1.0, 0.0, 1.0), due=5))
def test_wins_and_losses_with_their_distance(parts):
    below, mover, payoff, plies = parts
    solved = solve_graph(graph_of(*parts), 0.0)
    rows = horizon_values(below, mover, payoff, plies, 0.0)
    for i in range(len(below)):
        value = solved.values[solved.outcome[i]]
        assert value == rows[-1][i]
        if value:
            assert solved.plies[i] == min(k for k, row in enumerate(rows) if row[i] == value)
        elif below[i]:
            assert solved.plies[i] == NO_PLIES


@settings(max_examples=150, deadline=None)
@given(graphs((-3.0, -1.0, 0.0, 2.0, 5.0)), st.sampled_from((0.0, -3.0)))
def test_many_results(parts, endless):
    below, mover, payoff, _ = parts
    solved = solve_graph(graph_of(*parts), endless)
    value = [solved.values[k] for k in solved.outcome]
    assert value == horizon_values(below, mover, payoff, None, endless)[-1]
    for i, after in enumerate(below):
        if not after:
            assert solved.plies[i] == 0
        elif value[i] == endless:
            assert solved.plies[i] == NO_PLIES
        else:  # whoever it is good for hurries, and the other delays
            alike = [int(solved.plies[j]) for j in after if value[j] == value[i]]
            hurries = (value[i] > endless) == (mover[i] == 0)
            assert solved.plies[i] == 1 + (min if hurries else max)(alike)


def test_more_results_than_a_table_holds():
    ends = 300
    with pytest.raises(CounterplayError, match="255 different results, and this game has at least 300"):
        solve_graph(graph_of([[]] * ends, [0] * ends, range(ends)), 0.0)


@settings(max_examples=80, deadline=None)
@given(graphs((-1.0, 0.0, 2.0), movers=(0, 1, CHANCE), forward=True))
def test_expected_values_where_play_always_ends(parts):
    below, mover, payoff, _ = parts
    value = [0.0] * len(below)
    for i in reversed(range(len(below))):
        after = [value[j] for j in below[i]]
        if not after:
            value[i] = payoff[i]
        elif mover[i] == CHANCE:
            value[i] = sum(after) / len(after)
        else:
            value[i] = (max if mover[i] == 0 else min)(after)
    np.testing.assert_allclose(expected_values(graph_of(*parts, chance=True), -1.0, 2.0), value, atol=1e-12)


def test_expected_values_where_play_goes_round():
    """Two players take turns tossing a coin, and heads wins: the one who begins wins 2/3. The player to move may also
    give up.
    """
    below = [[2, 6], [4, 7], [6, 1], [], [7, 0], [], [], []]  # 0 tosses at 2, 1 at 4; 6: player 0 won; 7: player 1
    below[0], below[1] = [2, 7], [4, 6]
    mover = [0, 1, CHANCE, 0, CHANCE, 0, 0, 0]
    value = expected_values(graph_of(below, mover, [0, 0, 0, 0, 0, 0, 1.0, -1.0], chance=True), -1.0, 1.0)
    np.testing.assert_allclose(value[[0, 1]], [1 / 3, -1 / 3], atol=1e-12)


def test_circles_without_chance_have_no_expected_value():
    below, mover = [[1, 2], [0, 3], [], []], [0, 1, 0, 0]
    with pytest.raises(CounterplayError, match="forever"):
        expected_values(graph_of(below, mover, [0, 0, -1.0, 1.0], chance=True), -1.0, 1.0)
