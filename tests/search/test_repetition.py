"""Searching games with repetition: every search obeys the rule, sees the earlier moves, and what it calls proven is
true, whatever its table confused."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search.oracles import dated

from counterplay import Game, state
from counterplay.core.repetition import repetition_word
from counterplay.core.rules import legal
from counterplay.players.specs import player
from counterplay.search.engine.decide import decide
from counterplay.search.engine.multipv import rank
from counterplay.search.engine.techniques import Technique
from counterplay.search.memory import Scale
from counterplay.search.textbook.alpha_beta import search as plain_search
from counterplay.search.textbook.minimax import minimax, negamax

RULES = ["draw", "loss", "illegal"]


@state
class Place(NamedTuple):
    at: int
    turn: int


class Maze(Game):
    """Two push one token from room to room in turn; some rooms end the game and pay the first player what they hold."""

    def __init__(self, doors: tuple = ((1,), (0,)), pay: tuple = (0, 0), rule: str = "draw", compiled: bool = False):
        self.doors, self.repetition, self.compiled = doors, rule, compiled
        self.exits = np.array([(*rooms, -1, -1, -1, -1)[:4] for rooms in doors]).ravel()  # [rooms, 4]
        self.pay = np.array(pay)

    def initial(self):
        return Place(0, 0)

    def to_move(self, s):
        return s.turn

    def actions(self, s, out):
        for i in range(4 * s.at, 4 * s.at + 4):
            if self.exits[i] >= 0:
                out.append(self.exits[i])

    def result(self, s, action):
        return Place(action, 1 - s.turn)

    def is_terminal(self, s):
        return self.exits[4 * s.at] < 0

    def utility(self, s, player):
        return float(self.pay[s.at] if player == 0 else -self.pay[s.at])

    def evaluate(self, s, player):
        return 0.0


@st.composite
def mazes(draw, rule):
    rooms = draw(st.integers(2, 6))
    room = st.integers(0, rooms - 1)
    doors = [tuple(sorted(draw(st.sets(room, max_size=3)) - {i})) for i in range(rooms)]
    doors[0] = doors[0] or (1,)
    pay = [draw(st.sampled_from([-1, 0, 1])) for _ in range(rooms)]
    return Maze(tuple(doors), tuple(pay), rule)


def by_hand(game, path, depth):
    """The value of the last position of `path` to the side to move, with the path's history; None beyond the horizon
    counts as 0."""
    s, ply = path[-1], len(path) - 1
    if game.is_terminal(s):
        return dated(game, game.utility(s, s.turn), ply)
    if game.repetition != "illegal" and s in path[:-1]:
        return 0.0 if game.repetition == "draw" else dated(game, 1.0, ply)  # the other player caused it
    if depth == 0:
        return 0.0
    after = [game.result(s, room) for room in game.doors[s.at]]
    if game.repetition == "illegal":
        after = [t for t in after if t not in path]
    return max((-by_hand(game, [*path, t], depth - 1) for t in after), default=0.0)


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=60, deadline=None)
@given(data=st.data(), depth=st.integers(1, 7))
def test_every_search_obeys_the_rule(rule, data, depth):
    game = data.draw(mazes(rule))
    s = game.initial()
    value = Scale.of(game).plain(by_hand(game, [s], depth))
    without_table = Technique.PVS | Technique.KILLERS
    assert minimax(game, s, depth).value == value
    assert negamax(game, s, depth).value == value
    assert plain_search(game, s, depth).value == value
    assert decide(game, s, depth=depth, techniques=without_table, first=depth).value == value


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=60, deadline=None)
@given(data=st.data(), depth=st.integers(1, 12))
def test_what_is_called_proven_is_true(rule, data, depth):
    game = data.draw(mazes(rule))
    s = game.initial()
    truth = by_hand(game, [s], 12)  # there are 12 positions: no path is longer
    complete = decide(game, s, depth=12, table=0)
    assert complete.proven  # without a table, nothing is skipped
    found = [complete, decide(game, s, depth=depth), rank(game, s, depth=depth), minimax(game, s, min(depth, 6))]
    for decision in found:
        if decision.proven:
            assert decision.value == Scale.of(game).plain(truth)
            assert decision.plies == Scale.of(game).plies(truth)


class Thrice(Maze):
    """The same, but only the third occurrence of a position ends the game."""

    occurrences = 3


def thrice(game, path, root, depth, circles):
    """The value of the last position of `path`, whose search began at path[root]; with `circles`, a position that has
    occurred since then is a draw at its second occurrence."""
    s = path[-1]
    if game.is_terminal(s):
        return dated(game, game.utility(s, s.turn), len(path) - 1 - root)
    if path.count(s) >= 3 or (circles and s in path[root + 1 : -1]) or depth == 0:
        return 0.0
    after = [game.result(s, room) for room in game.doors[s.at]]
    return max(-thrice(game, [*path, t], root, depth - 1, circles) for t in after)


@pytest.mark.parametrize("circles", [False, True])
@settings(max_examples=60, deadline=None)
@given(data=st.data(), depth=st.integers(1, 9), played=st.integers(0, 6))
def test_circles_within_a_search_are_draws(circles, data, depth, played):
    drawn = data.draw(mazes("draw"))
    game = Thrice(drawn.doors, tuple(drawn.pay.tolist()))
    p = game.start()
    while len(p) < played and not p.is_over:
        p.play(data.draw(st.sampled_from(p.options())))
    if p.is_over:
        return
    value = thrice(game, list(p.states), len(p), depth, circles)
    techniques = Technique.PVS | (Technique.CIRCLES if circles else Technique.PVS)
    found = decide(game, p.state, depth=depth, first=depth, techniques=techniques, table=0, before=p.before)
    assert found.value == Scale.of(game).plain(value)


def test_a_circle_spares_the_search_of_the_third_time():
    game = Thrice(CIRCLE, (0, 0, 0, 0, 1))
    with_circles, without = (
        decide(game, game.initial(), depth=12, first=12, techniques=techniques, table=0)
        for techniques in (Technique.PVS | Technique.CIRCLES, Technique.PVS)
    )
    assert with_circles.nodes < without.nodes
    assert with_circles.value == without.value


@pytest.mark.parametrize("rule", RULES)
def test_without_a_table_everything_is_seen_to_the_end(rule):
    game = Maze(((1, 2), (0, 2), (0, 1, 3), ()), (0, 0, 0, 1), rule)
    found = decide(game, game.initial(), depth=12, table=0)
    assert found.proven
    assert found.value == Scale.of(game).plain(by_hand(game, [game.initial()], 12))


CIRCLE = ((1, 3), (2,), (3,), (0, 4), ())
"""From 0 to 1, 2, 3 and back to 0, with a short cut to 3 and the way out from there."""


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    "spec", ["minimax", "plain-alphabeta", "alphabeta:depth=4", "expectiminimax:depth=4", "maxn:depth=4"]
)
def test_what_was_played_before_is_known(spec, compiled):
    """In room 3, after 0-1-2-3, the first player's turn is over: the second may go back to 0 or leave, which loses. Back
    in 0 with the same player to move would be a repetition; here it is forbidden, so leaving is all that is left."""
    game = Maze(CIRCLE, (0, 0, 0, 0, 1), "illegal", compiled)
    p = game.start("1 2 3")
    assert p.to_move == 1
    assert p.legal() == ["4"]  # Place(0, 0) was there before
    found = player(spec).choose(p)
    assert (found.action, found.value) == (4, -1.0)
    fresh = player(spec).choose(game.start(position=None, moves="3"))
    assert fresh.action in (0, 4)


def test_a_root_that_came_again_offers_nothing():
    game = Maze(CIRCLE, (0, 0, 0, 0, 1), "draw")
    p = game.start("1 2 3 0")
    assert p.is_over
    assert legal(game, p.state, p.before) == []
    assert legal(game, p.state) == [1, 3]
    assert p.before == tuple(repetition_word(game, s) for s in p.states[:-1])
