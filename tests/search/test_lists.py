"""A rule's `out` is always its own empty list, in every search, compiled and plain."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CHANCE, Actions, Game, state
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.kernel import kernel
from counterplay.core.perft import perft
from counterplay.core.rules import legal
from counterplay.search.chance.expectiminimax import expectiminimax
from counterplay.search.engine.decide import decide
from counterplay.search.many_players.search import best_reply, maxn, paranoid
from counterplay.search.solving.solve import solve
from counterplay.search.textbook.alpha_beta import search as alpha_beta
from counterplay.search.textbook.minimax import minimax, negamax

PASS = 0


@state
class Heaps(NamedTuple):
    left: tuple[int, int]
    turn: int
    last: int  # the player who took last


class Takeaway(Game):
    """Each player takes 2 or 3 from their own heap and passes only if they cannot; whoever takes last wins."""

    def __init__(self, first: int = 7, second: int = 8):
        self.first, self.second = first, second

    def initial(self):
        return Heaps((self.first, self.second), 0, 0)

    def to_move(self, s):
        return s.turn

    def takes(self, s, out):
        for n in range(2, 4):
            if n <= s.left[s.turn]:
                out.append(n)

    def actions(self, s, out):
        self.takes(s, out)
        if len(out) == 0:
            out.append(PASS)

    def result(self, s, action):
        mine, theirs = s.left if s.turn == 0 else (s.left[1], s.left[0])
        mine -= action
        left = (mine, theirs) if s.turn == 0 else (theirs, mine)
        return Heaps(left, 1 - s.turn, s.last if action == PASS else s.turn)

    def is_terminal(self, s):
        return s.left[0] < 2 and s.left[1] < 2

    def utility(self, s, player):
        return 1.0 if s.last == player else -1.0


class ByNot(Takeaway):
    def actions(self, s, out):
        self.takes(s, out)
        if not out:
            out.append(PASS)


class ByTruth(Takeaway):
    def actions(self, s, out):
        self.takes(s, out)
        if out:
            return
        out.append(PASS)


class ByMembership(Takeaway):
    def actions(self, s, out):
        self.takes(s, out)
        if 2 not in out and 3 not in out:
            out.append(PASS)


class ByLoop(Takeaway):
    def actions(self, s, out):
        self.takes(s, out)
        most = 0
        for action in out:
            most = max(most, action)
        if most == 0:
            out.append(PASS)


class ByIndex(Takeaway):
    def actions(self, s, out):
        out.append(PASS)
        self.takes(s, out)
        if out[-1] != PASS:
            out[0] = out[len(out) - 1]
            out.pop()


class ByClearing(Takeaway):
    def actions(self, s, out):
        out.extend((9, 9))
        out.clear()
        out.append(PASS)
        self.takes(s, out)
        if out.index(PASS) == 0 and len(out) - out.count(PASS) > 0:
            out.remove(PASS)
        out.reverse()
        out.sort()


class Dice(Takeaway):
    """A rule that lists chance events looks at its list as well: the second heap's turn is decided by a coin."""

    def to_move(self, s):
        return CHANCE if s.turn == 1 else 0

    def chance(self, s, out):
        self.takes(s, out)
        if not out:
            out.append(PASS)

    def probability(self, s, event):
        return 0.5 if s.left[1] >= 3 else 1.0


WAYS = [Takeaway, ByNot, ByTruth, ByMembership, ByLoop, ByIndex, ByClearing]


def plain(game):
    return type("Plain", (type(game),), {"compiled": False})(**game.parameters)


def value(game, s):
    """The value to the first player, by recursion with a new list for each position."""
    if game.is_terminal(s):
        return game.utility(s, 0)
    out = []
    mover = game.to_move(s)
    (game.chance if mover == CHANCE else game.actions)(s, out)
    after = [value(game, game.result(s, action)) for action in out]
    if mover == CHANCE:
        return sum(game.probability(s, e) * v for e, v in zip(out, after, strict=True))
    return max(after) if mover == 0 else min(after)


def leaves(game, s, depth):
    if depth == 0:
        return 1
    if game.is_terminal(s):
        return 0
    out = []
    (game.chance if game.to_move(s) == CHANCE else game.actions)(s, out)
    return sum(leaves(game, game.result(s, action), depth - 1) for action in out)


heap = st.integers(0, 9)
positions = st.builds(lambda a, b, turn: Heaps((a, b), turn, 1 - turn), heap, heap, st.integers(0, 1)).filter(
    lambda s: max(s.left) >= 2
)
SEARCHES = {
    "minimax": lambda game, s: minimax(game, s, 12).value,
    "negamax": lambda game, s: negamax(game, s, 12).value,
    "alpha-beta": lambda game, s: alpha_beta(game, s, 12).value,
    "engine": lambda game, s: decide(game, s, depth=12, table=0.01).value,
    "expectiminimax": lambda game, s: expectiminimax(game, s, 12).value,
    "max^n": lambda game, s: maxn(game, s, 12).value,
    "paranoid": lambda game, s: paranoid(game, s, 12).value,
    "best reply": lambda game, s: best_reply(game, s, 12).value,
    "solve": lambda game, s: solve(game, s).value,
    "df-pn": lambda game, s: solve(game, s, method="pns").value,
}


@pytest.mark.plain
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("form", [lambda game: game, plain], ids=["compiled", "plain"])
def test_counting_sees_each_list_alone(way, form):
    truth, game = Takeaway(), form(way())
    for s in (truth.initial(), Heaps((1, 9), 0, 1), Heaps((9, 1), 0, 1), Heaps((4, 4), 1, 0)):
        for depth in range(7):
            assert perft(game, s, depth) == leaves(truth, s, depth)


@pytest.mark.parametrize("search", SEARCHES)
@settings(max_examples=25)
@given(s=positions)
def test_every_search_sees_each_list_alone(search, s):
    for game in (Takeaway(), plain(ByNot())):
        found, sign = SEARCHES[search](game, s), 1 if s.turn == 0 else -1
        assert found == sign * value(game, s)


@given(s=positions.filter(lambda s: s.turn == 0))
def test_chance_events_are_listed_alone(s):
    for game in (Dice(), plain(Dice())):
        assert expectiminimax(game, s, 12).value == pytest.approx(value(game, s))


def test_a_stack_is_not_handed_to_a_rule():
    """Rules can only fill a list from `fresh()`: forgetting it raises an error instead of giving a wrong answer."""
    game = plain(Takeaway())
    with pytest.raises(AttributeError, match="append"):
        game.actions(game.initial(), ActionStack())
    from counterplay import CounterplayError

    with pytest.raises(CounterplayError, match="ActionStack has no append"):
        _raw(Takeaway(), Takeaway().initial(), action_stack(Takeaway()))


@kernel
def _raw(game, s, out):
    game.actions(s, out)


@given(st.lists(st.one_of(st.none(), st.integers(0, 9), st.tuples(st.integers(0, 9)))))
def test_a_plain_stack_is_a_list_of_lists(steps):
    """None begins a fresh list, a number is appended to it, a tuple truncates the stack."""
    stack, model = ActionStack(), []
    top = stack.fresh()
    for step in steps:
        if step is None:
            assert len(stack) == len(model)
            top = stack.fresh()
            assert len(top) == 0
        elif isinstance(step, tuple):
            stack.truncate(min(step[0], len(model)))
            del model[step[0] :]
            top = stack.fresh()
        else:
            top.append(step)
            model.append(step)
    assert list(stack) == model


def test_the_list_is_the_one_that_people_know():
    out = Actions()
    assert isinstance(out, list)
    assert legal(ByIndex(), Heaps((0, 5), 0, 1)) == [PASS]
