"""Games of one player: nothing needs to add up to 0, and a shortest solution is proven."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from counterplay import CounterplayError, Game, state
from counterplay.api.openings import openings
from counterplay.core.survey import smoke
from counterplay.players.specs import best, player
from counterplay.players.wording import kind, outcome
from counterplay.search.chance.expectiminimax import Expectiminimax
from counterplay.search.engine.decide import decide
from counterplay.search.engine.techniques import SOUND, Technique, default_for
from counterplay.search.many_players.search import BestReply, MaxN, Paranoid
from counterplay.search.solving.solve import solve

SIDE = 3


@state
class Sliding(NamedTuple):
    tiles: tuple[int, int, int, int, int, int]
    hole: int


class Slide(Game):
    """Five tiles on 2x3: slide them into order. Lines of play can be endless."""

    players, compiled = 1, False

    def __init__(self, steps: int = 4) -> None:
        self.steps = steps

    def initial(self):
        s = Sliding((1, 2, 3, 4, 5, 0), 5)
        for step in range(self.steps):
            s = self.result(s, (4, 3, 0, 1, 4, 5, 2, 1)[step % 8])
        return s

    def to_move(self, s):
        return 0

    def actions(self, s, out):
        for tile in range(6):
            if abs(tile // SIDE - s.hole // SIDE) + abs(tile % SIDE - s.hole % SIDE) == 1:
                out.append(tile)

    def result(self, s, action):
        a, b, c, d, e, f = s.tiles
        t = s.tiles[action]
        h = s.hole
        return Sliding(
            (
                t if h == 0 else 0 if action == 0 else a,
                t if h == 1 else 0 if action == 1 else b,
                t if h == 2 else 0 if action == 2 else c,
                t if h == 3 else 0 if action == 3 else d,
                t if h == 4 else 0 if action == 4 else e,
                t if h == 5 else 0 if action == 5 else f,
            ),
            action,
        )

    def is_terminal(self, s):
        return s.tiles == (1, 2, 3, 4, 5, 0)

    def utility(self, s, player):
        return 1.0


def fewest(game):
    """The length of a shortest solution, by breadth first."""
    seen, level, plies = {game.initial()}, [game.initial()], 0
    while not any(game.is_terminal(s) for s in level):
        after = {
            game.result(s, a)
            for s in level
            for a in range(6)
            if abs(a // 3 - s.hole // 3) + abs(a % 3 - s.hole % 3) == 1
        }
        level, plies = list(after - seen), plies + 1
        seen |= after
    return plies


@pytest.mark.parametrize("method", [Expectiminimax(), Expectiminimax("none"), MaxN(), Paranoid(), BestReply()])
def test_a_shortest_solution_is_proven(method):
    for steps in (1, 4, 9):
        game = Slide(steps)
        found = method.deepen(game, game.initial(), depth=fewest(game) + 3)
        assert (found.value, found.plies, found.proven) == (1, fewest(game), True)
    shallow = method.deepen(game, game.initial(), depth=fewest(game) - 1)
    assert (shallow.value, shallow.plies, shallow.proven) == (0, None, False)


@pytest.mark.parametrize("techniques", [default_for(Slide()), SOUND, Technique.TABLE])
def test_alpha_beta_finds_a_shortest_solution(techniques):
    for steps in (1, 4, 9):
        game = Slide(steps)
        found = decide(game, game.initial(), depth=fewest(game) + 3, techniques=techniques)
        assert (found.value, found.plies, found.proven) == (1, fewest(game), True)
    shallow = decide(game, game.initial(), depth=fewest(game) - 1, techniques=techniques)
    assert (shallow.value, shallow.plies, shallow.proven) == (0, None, False)


@pytest.mark.parametrize("name", ["minimax", "negamax", "plain-alphabeta"])
def test_the_first_rungs_take_one_player(name):
    game = Slide(4)
    found = player(name, budget={"depth": 5}).choose(game.start())
    assert (found.value, found.action) == (1, decide(game, game.initial(), depth=5).action)


def test_advice_does_not_go_round_in_circles(monkeypatch):
    game = Slide(8)
    with pytest.raises(CounterplayError, match=r"for more than 1024 plies; the method `retrograde` handles such lines"):
        solve(game, game.initial(), method="search")
    found = solve(game, game.initial())
    assert (found.method, found.value, found.plies, found.proven) == ("retrograde", 1.0, fewest(game), True)
    monkeypatch.setattr("counterplay.endgame.enumeration.STATES", 100)  # too few for all positions
    with pytest.raises(CounterplayError, match=r"such lines.*; here .* too many positions for a table: .* --memory"):
        solve(game, game.initial(), megabytes=0.01)
    with pytest.raises(CounterplayError, match=r"one player; the method `search` does if no line of play is endless"):
        solve(game, game.initial(), method="deepening")
    assert player(best(game), budget={"depth": 12}).choose(game.start()).proven


def test_what_one_player_gets_need_not_add_up_to_0():
    game = Slide(1)
    assert game.zero_sum
    smoke(game)
    p = game.start().play("5")
    assert outcome(p) == "over: player 1 +1"
    assert kind({**game.traits._asdict()}) == "1 player"


def test_a_puzzle_without_end_has_no_book_of_openings(tmp_path):
    with pytest.raises(CounterplayError, match="no book of openings: a line of play may never end; `tables build"):
        openings(Slide(8), output=tmp_path / "book.npz")
