"""Impartial games: Grundy values and distances against published ones and against plain search."""

from __future__ import annotations

import functools
import operator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CounterplayError, load
from counterplay.core.rules import legal
from counterplay.games.kayles import Kayles
from counterplay.games.nim import Nim
from counterplay.search.memory import Scale
from counterplay.search.solving.solve import solve
from tests.search.oracles import expected

KAYLES = (0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4, 1, 2, 7, 1, 4, 3, 2, 1, 4, 6, 7)
"""Grundy values of rows of 0, 1, ... pins (Guy and Smith 1956)."""
NODES = 2_500  # enough for all parts


def check_actions(game, s, found):
    """An action wins exactly if plain minimax says so, and as fast."""
    scale = Scale.of(game)
    for each in found.actions:
        value = expected(game, game.result(s, each.action), 99, game.to_move(s))
        assert (each.value, each.plies - 1) == (scale.plain(value), scale.plies(value))


class PlainNim(Nim):
    compiled = False


class PlainKayles(Kayles):
    compiled = False


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3).filter(lambda heaps: sum(heaps) <= 7))
def test_nim_is_the_exclusive_or(heaps):
    game = PlainNim("-".join(map(str, heaps)))
    found = solve(game, game.initial(), every=True)
    total = functools.reduce(operator.xor, heaps)
    assert (found.method, found.grundy, found.value) == ("grundy", total, 1 if total else -1)
    check_actions(game, game.initial(), found)
    assert found.complete


@pytest.mark.slow
@settings(max_examples=30)
@given(st.lists(st.integers(1, 23), min_size=1, max_size=2))
def test_kayles_has_the_published_values(rows):
    game = PlainKayles("-".join(map(str, rows)))
    found = solve(game, game.initial(), nodes=NODES)
    total = functools.reduce(operator.xor, [KAYLES[n] for n in rows])
    assert (found.grundy, found.value) == (total, 1 if total else -1)
    after = game.result(game.initial(), found.action)
    if total and not game.is_terminal(after):
        assert solve(game, after, nodes=NODES).grundy == 0  # the best action leaves nothing


def test_grundy_agrees_with_search():
    for game in (PlainKayles("6"), PlainKayles("4-1"), PlainNim("2-2-3"), PlainNim("1-2-3")):
        for s in (game.initial(), game.result(game.initial(), legal(game, game.initial())[0])):
            one, other = (solve(game, s, every=True, method=method) for method in ("grundy", "search"))
            assert (one.value, one.plies, set(one.actions)) == (other.value, other.plies, set(other.actions))


def test_budgets_leave_bounds():
    game = load("nim:7-9-12")
    complete = solve(game, game.initial(), every=True)
    values = {each.action: each.value for each in complete.actions}
    for nodes in (1, 50, 500, 2_000):
        found = solve(game, game.initial(), every=True, nodes=nodes)
        assert found.bounds[0] <= complete.value <= found.bounds[1]
        assert not found.complete
        assert (found.ran_out, found.nodes <= nodes) == ("nodes", True)
        assert all(each.bounds[0] <= values[each.action] <= each.bounds[1] for each in found.actions)


def test_a_sum_is_solved_by_its_parts():
    game = load("kayles:60")
    found = solve(game, game.initial(), megabytes=0.1)
    assert (found.grundy, found.value, found.complete, found.plies) == (4, 1, True, None)  # the whole is too large


def test_misere_nim_is_not_for_grundy():
    game = PlainNim("1-1-2", misere=True)
    assert solve(game, game.initial()).method == "search"
    with pytest.raises(CounterplayError, match="grundy suits impartial games"):
        solve(game, game.initial(), method="grundy")
