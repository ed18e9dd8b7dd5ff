"""The default player: chosen by what a game offers."""

from __future__ import annotations

import pytest

from counterplay import CHANCE, Game, load
from counterplay.players.specs import best, player, prefers_playouts
from counterplay.web.strength import levels


class Row(Game):
    """Place stones on a row of cells until it is full; whoever has more neighbours wins. Nothing evaluates a
    position.
    """

    def __init__(self, cells: int = 20, players: int = 2) -> None:
        self.cells, self.players = cells, players

    def initial(self):
        return (-1,) * self.cells

    def to_move(self, s):
        return (self.cells - s.count(-1)) % self.players

    def actions(self, s, out):
        out.extend(i for i, stone in enumerate(s) if stone < 0)

    def result(self, s, action):
        return (*s[:action], self.to_move(s), *s[action + 1 :])

    def is_terminal(self, s):
        return -1 not in s

    def utility(self, s, player):
        return 0.0


class Dice(Row):
    """The same, but chance places the stones of the second player."""

    def to_move(self, s):
        return CHANCE if super().to_move(s) == 1 else 0

    def result(self, s, action):
        return (*s[:action], 1, *s[action + 1 :])

    def chance(self, s, out):
        self.actions(s, out)

    def probability(self, s, event):
        return 1 / s.count(-1)


class Judging(Row):
    """The same with an estimate."""

    def evaluate(self, s, player):
        return 0.0


class Circles(Row):
    """The same with a rule of repetition."""

    repetition = "draw"


@pytest.mark.parametrize(
    ("game", "spec"),
    [
        (Row(), "mcts"),
        (Row(players=3), "mcts"),
        (Dice(), "mcts"),
        (Circles(3), "mcts"),
        (Row(6), "alphabeta"),  # small enough to be searched to the end
        (Row(players=1), "alphabeta"),  # for a puzzle's shortest solution
        (Judging(), "alphabeta"),
        (load("tree"), "alphabeta"),
        (load("connect-four"), "alphabeta"),
        (load("go"), "mcts:c=0.2,rave=1000"),
        (load("kuhn-poker"), "ismcts"),
    ],
)
def test_without_an_estimate_playouts_judge(game, spec):
    assert best(game) == spec
    assert levels(game)[-1].spec.startswith(spec.partition(":")[0])


def test_a_budget_that_playouts_do_not_know_leaves_it_to_search():
    assert prefers_playouts(Row())
    assert best(Row(), ["depth"]) == "alphabeta"
    assert best(Row(), ["time"]) == best(Row(), ["simulations"]) == "mcts"


@pytest.mark.parametrize("bounds", [(0.0, 14.0), (1.0, 8.0), (-9.0, -2.0)])
@pytest.mark.parametrize("spec", ["alphabeta:depth=2", "minimax:depth=2", "maxn:depth=2", "expectiminimax:depth=2"])
def test_without_an_estimate_a_value_is_the_middle_of_the_bounds(bounds, spec):
    """0 would be outside of these bounds or at their edge, where values stand for proven ends."""
    game = Row(players=1)
    game.utility_bounds = bounds
    found = player(spec).choose(game.start())
    assert found.value == pytest.approx(sum(bounds) / 2)
    assert found.plies is None
