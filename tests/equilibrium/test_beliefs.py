"""Beliefs against all histories that look the same; certain wins against every possible plan."""

from __future__ import annotations

import random
from itertools import product
from typing import Any, NamedTuple

import pytest
from games.naive_kriegspiel import Ending
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CounterplayError, Game, load
from counterplay.core.errors import Unsuitable
from counterplay.core.rules import legal
from counterplay.games.kriegspiel.ending import KriegspielEnding
from counterplay.games.tree import Tree
from counterplay.hidden.beliefs import exact_belief, particles
from counterplay.hidden.sure_wins import prospects


class Plain(KriegspielEnding):
    """Uncompiled."""

    compiled = False


class PlainTree(Tree):
    """Uncompiled."""

    compiled = False


@pytest.mark.parametrize(
    "spec, plies", [("kuhn-poker", 4), ("kuhn-poker:players=3", 5), ("kriegspiel-ending:3", 5), ("dark-hex:2", 9)]
)
def test_a_belief_is_all_that_looks_the_same(spec, plies):
    """By brute force: the essences of all histories in which the player knows the same."""
    game, rng = load(spec), random.Random(2)
    layer: list[list[int]] = [[]]
    histories: list[tuple[list[int], Any]] = []
    for _ in range(plies):
        layer = [[*h, a] for h in layer for a in legal(game, end(game, h))]
        histories += [(h, end(game, h)) for h in layer]
    for player in range(game.players):
        alike: dict[Any, set[Any]] = {}
        for _, s in histories:
            alike.setdefault(game.information(s, player), set()).add(game.essence(s))
        for h, s in rng.sample(histories, min(len(histories), 40)):
            p = game.start()
            for action in h:
                p.play(action)
            assert exact_belief(p, player) == alike[game.information(s, player)]
            assert set(particles(p, player, 30, seed=1)) <= exact_belief(p, player)


def end(game: Game, history: list[int]) -> Any:
    s = game.initial()
    for action in history:
        s = game.result(s, action)
    return s


def test_a_sample_is_as_likely_as_chance():
    p = load("leduc-poker:distinct_suits=off").start("J K call")
    drawn = particles(p, 0, 4000, seed=5)
    share = {card: sum(s.cards[1] == card for s in drawn) / 4000 for card in (1, 2, 3)}
    assert share == pytest.approx({1: 0.2, 2: 0.4, 3: 0.4}, abs=0.04)


def trees(depth: int) -> st.SearchStrategy[Any]:
    """Small trees of Max (who wins 1 or loses) against Min: at each turn Max sees one of two colours, and remembers."""
    leaf = st.sampled_from([1, 1, -1])
    if depth == 0:
        return leaf
    below = trees(depth - 1)
    inner = st.tuples(st.sampled_from(["max", "min"]), st.sampled_from("rb"), st.lists(below, min_size=2, max_size=2))
    return st.one_of(inner, inner, leaf)


def described(part: Any, memory: str, number: list[int]) -> Any:
    """The tree as the game takes it: Max's information is what Max did and saw."""
    if isinstance(part, int):
        return part
    kind, colour, children = part
    number[0] += 1
    if kind == "min":
        parts = [described(child, memory, number) for child in children]
        return {"player": 1, "information": f"m{number[0]}-{id(part)}", "actions": parts}
    known = memory + colour
    parts = [described(child, f"{known}{i}", number) for i, child in enumerate(children)]
    return {"player": 0, "information": known, "actions": parts}


def sure_by_plans(game: Game) -> bool:
    """By brute force over all plans of Max: does one of them win against all of Min's choices?"""
    sets: set[int] = set()
    waiting = [game.initial()]
    while waiting:
        s = waiting.pop()
        options = legal(game, s)
        if options and game.to_move(s) == 0:
            sets.add(game.information(s, 0))
        waiting += [game.result(s, a) for a in options]

    def wins(s: Any, plan: dict[int, int]) -> bool:
        if game.is_terminal(s):
            return game.utility(s, 0) > 0
        if game.to_move(s) == 0:
            return wins(game.result(s, plan[game.information(s, 0)]), plan)
        return all(wins(game.result(s, a), plan) for a in legal(game, s))

    names = sorted(sets)
    return any(
        wins(game.initial(), dict(zip(names, plan, strict=True))) for plan in product(range(2), repeat=len(names))
    )


@settings(max_examples=100, deadline=None)
@given(trees(4))
def test_guaranteed_wins_are_those_of_some_plan(part):
    """If a game always ends, mixing does not help: what is won with probability 1 is won by a plan."""
    data = described(part, "", [0])
    game = PlainTree({"player": 0, "information": "start", "actions": [data, -1]})
    found = prospects(game, 0, frozenset([game.initial()])).best
    assert (found.guaranteed is not None) == found.probabilistic == sure_by_plans(game)


class Guess(NamedTuple):
    """A coin, hidden until it is guessed."""

    coin: int  # -1 before the other player has laid it
    lives: int
    over: int  # 1 if it was guessed, -1 if no life is left


class Coins(Game):
    """Guess a coin that the other player has placed: without limit, or as often as there are lives."""

    compiled = False

    def __init__(self, lives: int = 0) -> None:
        self.lives = lives

    def initial(self):
        return Guess(-1, self.lives, 0)

    def to_move(self, s):
        return 1 if s.coin < 0 else 0

    def actions(self, s, out):
        out.append(0)
        out.append(1)

    def result(self, s, action):
        if s.coin < 0:
            return Guess(action, s.lives, 0)
        if s.coin == action:
            return Guess(s.coin, s.lives, 1)
        return Guess(-1, s.lives - 1 if self.lives else 0, -1 if s.lives == 1 else 0)

    def is_terminal(self, s):
        return s.over != 0

    def utility(self, s, player):
        return float(s.over if player == 0 else -s.over)

    def information(self, s, player):
        return (s.coin if player == 1 or s.over else -2, s.lives, s.over, s.coin < 0)


def test_what_no_plan_wins_mixing_may_win():
    both = frozenset([Guess(0, 0, 0), Guess(1, 0, 0)])
    found = prospects(Coins(), 0, both)
    assert [(each.guaranteed, each.probabilistic, each.accidental) for each in found.actions] == [(None, True, 1)] * 2
    last = frozenset([Guess(0, 3, 0), Guess(1, 3, 0)])
    found = prospects(Coins(lives=3), 0, last)
    assert [(each.guaranteed, each.probabilistic, each.accidental) for each in found.actions] == [(None, False, 1)] * 2
    found = prospects(Coins(), 0, frozenset([Guess(1, 0, 0)]))
    assert found.best == (1, 1, True, 1)


@pytest.mark.parametrize("size, piece", [(3, "rook"), (3, "queen")])
def test_kriegspiel_is_won_as_sets_of_squares_say(size, piece):
    game = Plain(size, piece)
    p = game.start()
    p.play(p.options()[0])
    found = prospects(game, 0, exact_belief(p, 0))
    assert (found.best.guaranteed, found.beliefs) == Ending(size, piece == "queen").guaranteed()


@pytest.mark.slow
@pytest.mark.parametrize("piece, expected", [("rook", (11, 5992)), ("queen", (7, 3765))])
def test_kriegspiel_on_a_larger_board(piece, expected):
    game = Plain(4, piece)
    p = game.start()
    p.play(p.options()[0])
    found = prospects(game, 0, exact_belief(p, 0))
    assert (found.best.guaranteed, found.beliefs) == expected == Ending(4, piece == "queen").guaranteed()


def test_following_a_guaranteed_win_mates_whatever_black_does():
    game, rng = Plain(3), random.Random(7)
    for _ in range(5):
        p = game.start()
        p.play(rng.choice(p.options()))
        while not p.is_over:
            if p.to_move == 0:
                best = prospects(game, 0, exact_belief(p, 0)).best
                assert best.guaranteed is not None
                p.play(best.action)
            else:
                p.play(rng.choice(p.options()))
        assert p.returns == (1, -1)


def test_what_is_refused():
    game = Plain(3)
    with pytest.raises(CounterplayError, match="since the start of the game"):
        exact_belief(game.start(position="k2/3/KR1"), 0)
    with pytest.raises(Unsuitable, match="more than 2 states"):
        exact_belief(game.start("ka3"), 0, most=2)
    with pytest.raises(Unsuitable, match="more than 10 beliefs"):
        prospects(game, 0, exact_belief(game.start("ka3"), 0), most=10)
    with pytest.raises(Unsuitable, match="not the player's turn"):
        prospects(game, 1, exact_belief(game.start("ka3"), 1))
    with pytest.raises(Unsuitable, match="repetition rule"):
        exact_belief(load("go:5").start(), 0)
    with pytest.raises(CounterplayError, match="larger sample"):
        particles(load("dark-hex:2").start("a1 a1"), 1, 1, seed=2)  # the one state has the stone elsewhere
