"""The estimate of a game that defines none: within the bounds of utility, and never mistaken for a result."""

from __future__ import annotations

import pytest

from counterplay import Game
from counterplay.search.chance.expectiminimax import Expectiminimax
from counterplay.search.many_players.search import BestReply, MaxN, Paranoid
from counterplay.search.solving.solve import solve


class Count(Game):
    """Add 1 or 2 up to 30; the last number decides what everyone gets."""

    def __init__(self, low: float = -1.0, high: float = 1.0, players: int = 1, zero_sum: bool = False) -> None:
        self.utility_bounds, self.players, self.zero_sum = (low, high), players, zero_sum

    def initial(self):
        return 0, 0

    def to_move(self, s):
        return s[1]

    def actions(self, s, out):
        out.extend((1, 2))

    def result(self, s, action):
        return s[0] + action, (s[1] + 1) % self.players

    def is_terminal(self, s):
        return s[0] >= 30

    def utility(self, s, player):
        return self.utility_bounds[s[0] % 2]


METHODS = [Expectiminimax(), Expectiminimax("none"), MaxN(), Paranoid(), BestReply()]


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (1.0, 5.0), (-5.0, -1.0), (-1.0, 1.0), (-3, 0), (2.0, 2.0)])
@pytest.mark.parametrize("players", [1, 2, 3])
def test_it_is_the_middle_of_what_can_be_won(bounds, players):
    game = Count(*bounds, players=players)
    assert game.evaluate(game.initial(), 0) == sum(bounds) / 2
    for method in METHODS[:2] * (players == 1) + METHODS[2:]:
        found = method.deepen(game, game.initial(), depth=4)
        assert (found.value, found.plies, found.proven) == (pytest.approx(sum(bounds) / 2), None, False)


def test_it_is_0_where_what_all_get_adds_up_to_0():
    for players in (2, 3):
        game = Count(-2.0, 1.0, players, zero_sum=True)
        assert [game.evaluate(game.initial(), each) for each in range(players)] == [0.0] * players


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (1.0, 5.0), (-5.0, -1.0)])
def test_proven_values_lie_within_the_bounds_as_well(bounds):
    game = Count(*bounds)
    for budget in (1, 20, None):
        found = solve(game, game.initial(), nodes=budget)
        assert bounds[0] <= found.bounds[0] <= found.bounds[1] <= bounds[1]
    assert found.proven
    assert found.value == bounds[1]
