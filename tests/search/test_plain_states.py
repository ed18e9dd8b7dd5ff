"""Any Python object as a state: recognized by its hash and equality if it has them, else searched without a table."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterplay import CounterplayError, Game
from counterplay.core.language.state import Numbers
from counterplay.core.rules import legal
from counterplay.equilibrium.training import learner_for
from counterplay.players.specs import player
from counterplay.search.chance.expectiminimax import expectiminimax
from counterplay.search.engine.decide import decide
from counterplay.search.memory import Scale
from counterplay.search.solving.openings import require_foldable
from counterplay.search.solving.solve import solve
from counterplay.search.suitability import has_key
from tests.search.oracles import dated


class Heaps(Game):
    """Take one or two from a heap; whoever empties the last one wins. A state is a tuple."""

    def __init__(self, first: int = 6, second: int = 7) -> None:
        self.first, self.second = first, second

    def made(self, heaps, turn):
        return (*heaps, turn)

    def initial(self):
        return self.made((self.first, self.second), 0)

    def to_move(self, s):
        return s[2]

    def actions(self, s, out):
        for heap in range(2):
            for number in range(1, min(2, s[heap]) + 1):
                out.append(2 * heap + number - 1)

    def result(self, s, action):
        heaps = [s[0], s[1]]
        heaps[action // 2] -= action % 2 + 1
        return self.made(heaps, 1 - s[2])

    def is_terminal(self, s):
        return s[0] + s[1] == 0

    def utility(self, s, player):
        return -1.0 if player == s[2] else 1.0


class Crowded:
    """A state with the same hash as every other."""

    def __init__(self, *fields):
        self.fields = fields

    def __getitem__(self, i):
        return self.fields[i]

    def __eq__(self, other):
        return self.fields == other.fields

    def __hash__(self):
        return 7


class Alone(Crowded):
    """A state that equals only itself."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__


class CrowdedHeaps(Heaps):
    def made(self, heaps, turn):
        return Crowded(*heaps, turn)


class AloneHeaps(Heaps):
    def made(self, heaps, turn):
        return Alone(*heaps, turn)


class ListHeaps(Heaps):
    def made(self, heaps, turn):
        return [*heaps, turn]


@cache
def wins(first, second):
    """Whether the player to move wins."""
    after = [(first - n, second) for n in (1, 2) if n <= first] + [(first, second - n) for n in (1, 2) if n <= second]
    return any(not wins(*heaps) for heaps in after)


@cache
def nodes_of_the_tree(first, second):
    after = [(first - n, second) for n in (1, 2) if n <= first] + [(first, second - n) for n in (1, 2) if n <= second]
    return 1 + sum(nodes_of_the_tree(*heaps) for heaps in after)


@pytest.mark.parametrize("cls", [Heaps, CrowdedHeaps])
@pytest.mark.parametrize("method", ["search", "deepening", "pns"])
def test_states_with_hash_and_equality_are_known_again(cls, method):
    for first in range(1, 8):
        game = cls(first, 7)
        found = solve(game, game.initial(), method=method)
        assert found.value == (1 if wins(first, 7) else -1)
    # There are 2 * 8 * 8 states, and a few questions are asked about them.
    assert found.nodes < 2_500 < nodes_of_the_tree(7, 7) / 2


@pytest.mark.parametrize("cls", [ListHeaps, AloneHeaps])
def test_states_without_them_are_searched_once_for_each_question(cls):
    game = cls(5, 5)
    found = solve(game, game.initial(), every=True)
    assert found.complete
    assert found.value == (1 if wins(5, 5) else -1)
    assert found.nodes < 10 * nodes_of_the_tree(5, 5)
    for method in ("pns", "deepening"):
        with pytest.raises(CounterplayError, match=f"{method} .* `key`.*the method `search` does"):
            solve(game, game.initial(), method=method)
    assert decide(game, game.initial(), depth=12).value == (1 if wins(5, 5) else -1)


def test_searches_find_the_same_with_a_table_of_plain_states():
    for first in range(1, 5):
        one, other = Heaps(first, 4), ListHeaps(first, 4)
        for search in (
            lambda game: decide(game, game.initial(), depth=9),
            lambda game: expectiminimax(game, game.initial(), 9),
        ):
            with_table, without = search(one), search(other)
            assert (with_table.value, with_table.plies, with_table.proven) == (without.value, without.plies, True)
        assert search(one).nodes <= search(other).nodes


def test_what_must_last_longer_than_a_process_wants_a_key_of_its_own():
    with pytest.raises(CounterplayError, match="defines no `key`"):
        expectiminimax(Heaps(), Heaps().initial(), 3, samples=2)
    with pytest.raises(CounterplayError, match="identifies positions by `key`"):
        require_foldable(Heaps())


@given(st.lists(st.integers(0, 9)), st.integers(1, 4))
def test_numbers_never_confuse_two_states(states, room):
    numbers, seen = Numbers(room), {}
    for s in states:
        key = numbers.key(Crowded(s))
        assert seen.setdefault(key, s) == s
        assert len(numbers.recent) + len(numbers.earlier) <= 2 * room
    unlimited = Numbers(float("inf"))
    assert [unlimited.key(s) == unlimited.key(t) for s in states for t in states] == [
        s == t for s in states for t in states
    ]


class Corridor(Game):
    """Two push one token along a corridor in turn; player 0 wins at the upper end, player 1 at the lower one."""

    def __init__(self, rule: str = "draw", listed: bool = False) -> None:
        self.repetition, self.listed = rule, listed

    def initial(self):
        return self.place(3, 0)

    def place(self, at, turn):
        return [at, turn] if self.listed else (at, turn)

    def to_move(self, s):
        return s[1]

    def actions(self, s, out):
        for step in (1, 2):
            if step == 1 or (s[0] + step) % 4:
                out.append(s[0] + step)
            if s[0] % 3:
                out.append(s[0] - step)

    def result(self, s, action):
        return self.place(action, 1 - s[1])

    def is_terminal(self, s):
        return s[0] <= 0 or s[0] >= 7

    def utility(self, s, player):
        return 1.0 if (s[0] >= 7) == (player == 0) else -1.0


def with_history(game, path, hero):
    """The dated value to `hero` of the last position of `path`, by plain minimax."""
    s, ply = path[-1], len(path) - 1
    if game.is_terminal(s):
        return dated(game, game.utility(s, hero), ply)
    if path.count(s) > 1:
        return 0.0 if game.repetition == "draw" else dated(game, 1.0 if hero == s[1] else -1.0, ply)
    values = [with_history(game, [*path, game.result(s, action)], hero) for action in legal(game, s)]
    return (max if s[1] == hero else min)(values)


@pytest.mark.parametrize("rule", ["draw", "loss"])
def test_a_repetition_rule_knows_plain_states_again(rule):
    game = Corridor(rule)
    for s in ((at, turn) for at in range(1, 7) for turn in (0, 1)):
        value = with_history(game, [s], s[1])
        found = solve(game, s)
        assert (found.value, found.plies or 0) == (
            Scale.of(game).plain(value),
            Scale.of(game).plies(value) or found.plies or 0,
        )
    p = game.start("4 3")
    assert p.is_over
    assert p.returns == ((0, 0) if rule == "draw" else (1, -1))


def test_a_repetition_rule_over_states_without_equality_is_a_sentence():
    game = Corridor(listed=True)
    assert not has_key(game)
    with pytest.raises(CounterplayError, match="a list has no hash and equality of its own; make states of tuples"):
        game.start("4 3")


class Strict(Heaps):
    """Rules that break on NumPy's numbers: they subtract bools."""

    def result(self, s, action):
        assert type(action) is int, type(action)
        return super().result(s, action)

    def utility(self, s, player):
        return float((player != s[2]) - (player == s[2]))


class StrictSecret(Strict):
    """The same for players that sample; nothing is really hidden."""

    def information(self, s, player):
        return (s[0] * 100 + s[1]) * 2 + s[2]

    def resample(self, s, player, rng):
        return s


OPEN = ("minimax:depth=4", "alphabeta:depth=4", "mcts:simulations=60", "mcts:simulations=60,rave=20", "maxn:depth=3")


@pytest.mark.parametrize("cls, specs", [(Strict, OPEN), (StrictSecret, ("ismcts:simulations=60",))])
def test_rules_that_are_not_compiled_get_pythons_numbers(cls, specs):
    for spec in specs:
        with player(spec, seed=1) as who:
            assert type(who.choose(cls(3, 3).start()).action) is int


@pytest.mark.parametrize("method", ["mccfr", "mccfr-outcome"])
def test_what_samples_gives_plain_rules_pythons_numbers(method):
    learner = learner_for(StrictSecret(2, 2), method, None)
    learner.run(20)
    assert len(learner.policy()) > 4
