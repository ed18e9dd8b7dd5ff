"""Excluded root actions: the rest is searched as if they did not exist."""

from __future__ import annotations

import pytest

from counterplay.core.rules import legal
from counterplay.games.mnk import TicTacToe
from counterplay.search.engine.iterative_deepening import Searcher
from counterplay.search.engine.killers_and_history import EngineContext
from counterplay.search.engine.techniques import default_for
from counterplay.search.engine.transposition_table import TranspositionTable
from counterplay.search.memory import INFINITY, Scale
from counterplay.search.textbook.minimax import negamax


class Slow(TicTacToe):
    """Tic-tac-toe in plain Python, which needs no compiling."""

    compiled = False


def test_the_best_of_the_rest_is_found():
    """After two stones; each best action is barred in turn, with one table for all."""
    game = Slow()
    s = game.start("a1 b2 c3 a3").state
    table, barred = TranspositionTable(0.1), []
    context = EngineContext(game, default_for(game), table)
    values = {action: -negamax(game, game.result(s, action), 9).value for action in legal(game, s)}
    for _ in values:
        context.bar(barred)
        value = Searcher(game, s, context).look(9, -INFINITY, INFINITY)
        best = context.expected(0)[0]
        rest = {action: worth for action, worth in values.items() if action not in barred}
        assert best in rest
        assert Scale.of(game).plain(value) == values[best] == max(rest.values())
        barred.append(best)
    assert sorted(barred) == sorted(values)


@pytest.mark.parametrize("barred", [[], [0]])
def test_a_root_without_all_its_actions_is_not_remembered(barred):
    game = Slow()
    s = game.start("a1 b2 c3 a3").state
    table = TranspositionTable(0.1)
    context = EngineContext(game, default_for(game), table)
    context.bar([legal(game, s)[i] for i in barred])
    Searcher(game, s, context).look(9, -INFINITY, INFINITY)
    data, _ = table.probe(int(game.key(s)) - (1 << 64 if int(game.key(s)) >> 63 else 0))
    assert (data != 0) == (not barred)
