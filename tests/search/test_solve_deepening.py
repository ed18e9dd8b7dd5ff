"""Exact solving by deepening: against brute force if positions may not recur, against the search that knows the whole
path, and against known results for small Go boards."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search.test_repetition import Maze, by_hand, mazes

from counterplay import load
from counterplay.core.errors import CounterplayError
from counterplay.core.language.wide import u64
from counterplay.games.go.rules import Go
from counterplay.search.memory import Scale
from counterplay.search.solving.solve import solve


class PlainGo(Go):
    compiled = False


class Marked(Maze):
    """Each room has a mark of its own."""

    def mark(self, s):
        return u64(1) << (2 * s.at + s.turn)


class Alike(Maze):
    """All rooms have the same mark: no success is used on another path."""

    def mark(self, s):
        return u64(1)


@settings(max_examples=80, deadline=None)
@given(game=mazes("illegal"), every=st.booleans(), kind=st.sampled_from([Maze, Marked, Alike]))
def test_mazes_without_return(game, every, kind):
    """What is proven is true, however successes are stored; there are 12 positions, so no path is longer."""
    game = kind(game.doors, tuple(game.pay.tolist()), "illegal")
    s = game.initial()
    truth = Scale.of(game).plain(by_hand(game, [s], 12))
    found = solve(game, s, method="deepening", every=every, nodes=2000)
    assert found.bounds[0] <= truth <= found.bounds[1]
    assert found.proven == (found.value is not None)
    for each in found.actions:
        after = game.result(s, each.action)
        worth = Scale.of(game).plain(-by_hand(game, [s, after], 12))
        assert each.bounds[0] <= worth <= each.bounds[1]


def test_the_smallest_board_of_go():
    game = PlainGo(2, komi=0.0, score=True)
    found = solve(game, game.initial(), method="deepening")
    assert (found.value, found.proven, found.complete) == (1, True, True)
    s = game.parse_position("xx/.x x")  # Black can only pass, and White takes all three
    found = solve(game, s, method="deepening", every=True)
    judge = Go(2, komi=0.0, score=True)  # the search that knows the whole path, compiled
    truth = solve(judge, judge.parse_position("xx/.x x")).value
    assert [(each.action, each.value) for each in found.actions] == [(game.skip, truth)]


@pytest.mark.slow
@pytest.mark.parametrize("suicide", [False, True])
def test_positions_of_the_smallest_board(suicide):
    """The search that knows the whole path agrees everywhere."""
    game, rng = Go(2, komi=0.5, suicide=suicide, score=True), random.Random(3)
    for _ in range(12):
        p = game.start()
        for _ in range(rng.randint(6, 9)):
            if not p.is_over:
                p.play(rng.choice(p.options()))
        s = game.initial() if p.is_over else p.state
        assert solve(game, s, method="deepening").value == solve(game, s).value


@pytest.mark.slow
@pytest.mark.parametrize(("size", "value", "first"), [(3, 9, "B2"), (4, 2, "B3")])
def test_small_boards_of_go(size, value, first):
    """Positional superko, no suicide; the values are those of van der Werf, Uiterwijk & van den Herik (2003)."""
    game = load(f"go:{size},komi=0,score=on")
    found = solve(game, game.initial(), method="deepening")
    assert (found.value, game.action_text(game.initial(), found.action)) == (value, first)


def test_endless_play_proves_nothing():
    """Without superko both sides on the 2x2 board can continue forever rather than settle for less."""
    game = PlainGo(2, komi=0.0, score=True, superko=False)
    found = solve(game, game.initial(), method="deepening", nodes=2000)
    assert found.bounds[0] < 1 or found.bounds[1] > 1
    assert not found.complete


def test_refusals():
    p = load("go:3").start("B2")
    with pytest.raises(CounterplayError, match="positions with a past"):
        solve(p.game, p.state, before=p.before, method="deepening")
    with pytest.raises(CounterplayError, match="where repeating ends a game"):
        solve(Maze(((1,), (0,)), (0, 0), "draw"), Maze().initial(), method="deepening")
