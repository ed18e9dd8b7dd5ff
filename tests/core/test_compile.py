"""How games compile: the same answers as in plain Python, through methods, helpers, tables, states and streams."""

import math
from enum import IntEnum, IntFlag

import numpy as np
import pytest
from core import toys
from hypothesis import given
from hypothesis import strategies as st

from counterplay import Game, Rng, load, state
from counterplay.core import perft as perft_module
from counterplay.core.errors import BrokenGame
from counterplay.core.fingerprint import Fingerprint
from counterplay.core.language.kernel import kernel
from counterplay.core.language.marks import abreast, any_order, inlined
from counterplay.core.language.state import state_key
from counterplay.core.language.wide import u64
from counterplay.core.perft import perft
from counterplay.core.playout import playouts


def plain(game: Game) -> Game:
    """The same rules, kept in plain Python."""
    cls = type("Plain" + type(game).__name__, (type(game),), {"compiled": False})
    return cls(**game.parameters)


GAMES = [
    toys.Subtraction(21),
    toys.Helped(12),
    toys.Draws(),
    toys.Shuffle(),
    toys.Shuffle("illegal"),
    toys.Shuffle("loss", 3),
]


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_compiled_and_plain_count_the_same_tree(game):
    assert game.compiles
    assert not plain(game).compiles
    for depth in range(5):
        assert perft(game, game.initial(), depth) == perft(plain(game), game.initial(), depth)


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_compiled_and_plain_playouts_are_the_same(game):
    assert playouts(game, game.initial(), 20, seed=5) == playouts(plain(game), game.initial(), 20, seed=5)


def test_any_python_object_is_a_state_in_plain_mode():
    game = toys.AnyObject(10)
    assert not game.compiles
    assert perft(game, game.initial(), 4) == perft(toys.Subtraction(10), toys.Subtraction(10).initial(), 4)


def test_a_kernel_has_one_signature_for_each_game():
    game = toys.Subtraction(9)
    perft(game, game.initial(), 3)
    for k in (perft_module._perft, perft_module._perft_root):
        of_game = [sig for sig in k.dispatcher.signatures if game.frozen.key in str(sig[0])]
        assert len(of_game) <= 1


@kernel
def _same_state(game, s):
    return s


@kernel
def _first(game):
    return game.result(game.initial(), 1), game.key(game.initial())


@pytest.mark.parametrize("game", [toys.Subtraction(), toys.Draws(), load("connect-four")], ids=repr)
def test_states_pass_the_border_both_ways(game):
    s = game.initial()
    assert type(_same_state(game, s)) is type(s)
    assert _same_state(game, s) == s
    after, key = _first(game)
    assert after == game.result(s, 1)
    assert [type(part) for part in after] == [type(part) for part in game.result(s, 1)]
    assert key == game.key(s)
    if type(game).key is Game.key:
        assert key == state_key(s)


class Ways(IntFlag):
    UP = 1
    DOWN = 4


@kernel
def _ways(n):
    return n & Ways.DOWN, n & (Ways.UP | Ways.DOWN) != 0, Ways.UP + n


class Sides(IntEnum):
    LEFT = 0
    RIGHT = 7


@kernel
def _sides(n):
    side = Sides.RIGHT if n > 3 else Sides.LEFT
    return side, Sides.RIGHT - n, side == Sides.RIGHT, Sides.RIGHT.value


@pytest.mark.parametrize("n", range(8))
def test_flags_and_enums_are_their_numbers(n):
    assert _ways(n) == _ways.py_func(n)
    assert _sides(n) == _sides.py_func(n)


@kernel
def _leaves_none(n):
    return True if n == 0 else _leaves_one(n - 1)


@inlined
def _leaves_one(n):
    return False if n == 0 else _leaves_none(n - 1)


def test_functions_that_call_each_other_may_be_inlined():
    assert [_leaves_none(n) for n in range(5)] == [True, False, True, False, True]


@kernel
def _stream(rng, n):
    return rng.bits(), rng.below(n), rng.uniform()


@given(st.integers(0, 2**64 - 1), st.integers(1, 2**32))
def test_random_streams_are_the_same(seed, n):
    ours, theirs = Rng(seed), Rng(seed)
    for _ in range(3):
        assert _stream(ours, n) == _stream.py_func(theirs, n)


def test_random_numbers_are_even():
    rng = Rng(1)
    counts = [0] * 7
    for _ in range(70_000):
        counts[rng.below(7)] += 1
    assert max(abs(c - 10_000) for c in counts) < 5 * math.sqrt(10_000 * 6 / 7)


def test_parameters_are_constants_of_one_type_each():
    three, four = toys.Subtraction(10, 3), toys.Subtraction(10, 4)
    assert three.frozen.key != four.frozen.key
    assert three.frozen.key == toys.Subtraction(10, 3).frozen.key
    assert perft(four, four.initial(), 1) == 4


def test_a_table_is_data_and_not_part_of_the_type():
    one, two = toys.Helped(10), toys.Helped(10)
    two.steps = two.steps.copy()
    two.steps[5] = 0  # the game may end at five
    assert one.frozen.key == two.frozen.key
    assert (
        perft(one, one.initial(), 6) != perft(two, two.initial(), 6) == perft(plain_with_table(two), two.initial(), 6)
    )


def plain_with_table(game):
    twin = plain(game)
    twin.steps = game.steps
    return twin


def test_a_game_in_use_cannot_be_changed():
    game = toys.Helped(10)
    perft(game, game.initial(), 1)
    with pytest.raises(AttributeError, match="its most is fixed: what changes in play belongs in the state"):
        game.most = 5
    with pytest.raises(ValueError, match="read-only"):
        game.steps[0] = 1


def test_an_endless_action_list_is_stopped():
    class Endless(toys.Subtraction):
        def actions(self, s, out):
            while True:
                out.append(1)

    with pytest.raises(OverflowError, match="append forever"):
        perft(Endless(), toys.Pile(3, 0), 1)


class FloatField(toys.Subtraction):
    def result(self, s, action):
        return toys.Pile(s.left - action, s.ply + 1.0)


class NoAttribute(toys.Subtraction):
    def result(self, s, action):
        return toys.Pile(s.left - self.step, s.ply + 1)


class NoField(toys.Subtraction):
    def is_terminal(self, s):
        return s.gone == 0


class Mixed(toys.Subtraction):
    def is_terminal(self, s):
        x = 1
        if s.left:
            x = "no"
        return x == 1


class Missing(toys.Subtraction):
    def result(self, s, action):
        return toys.Pile(s.left - action)


class Unknown(toys.Subtraction):
    def result(self, s, action):
        return toys.Pile(s.left - undefined, s.ply)  # noqa: F821


@pytest.mark.parametrize(
    "cls, why",
    [
        (FloatField, r"Pile\.ply is an int, but here it is given a float"),
        (NoAttribute, "no step that compiled rules can use"),
        (NoField, "Pile has no gone"),
        (Mixed, "x is .* in one place and .* in another"),
        (Missing, "missing a required argument: 'ply'"),
        (Unknown, "name 'undefined' is not defined"),
    ],
)
def test_a_rule_that_does_not_compile_is_explained(cls, why):
    game = cls()
    with pytest.raises(BrokenGame, match=why) as wrong:
        perft(game, toys.Pile(5, 0), 2)
    first = cls.__dict__[next(n for n in ("result", "is_terminal") if n in cls.__dict__)].__code__
    place, line = str(wrong.value).split(": ")[0].split(" ")[0].rsplit(":", 1)
    assert place == first.co_filename
    assert first.co_firstlineno <= int(line) <= first.co_firstlineno + 5


def test_state_refuses_what_it_cannot_hold():
    from typing import NamedTuple

    with pytest.raises(
        TypeError, match=r"Bad\.cells: a state's field cannot be list; .* Without `@state` .* plain Python"
    ):

        @state
        class Bad(NamedTuple):
            cells: list

    with pytest.raises(TypeError, match="NamedTuple"):

        @state
        class Worse:
            x: int


def _even(n):
    return True if n == 0 else _odd(n - 1)


def _odd(n):
    return False if n == 0 else _even(n - 1)


@kernel
def _is_even(game, n):
    return _even(n)


@kernel
def _is_odd(game, n):
    return _odd(n)


def test_functions_may_call_each_other():
    assert [_is_even(toys.Subtraction(17), n) for n in range(4)] == [True, False, True, False]
    assert _is_odd(toys.Subtraction(17), 3)  # what it calls was compiled for another kernel


@pytest.mark.parametrize("mark", [any_order, inlined, abreast])
def test_a_mark_is_part_of_what_is_compiled(mark):
    def helper(x):
        return x

    before = Fingerprint().of(helper).hexdigest()
    assert Fingerprint().of(helper).hexdigest() == before
    mark(helper)
    assert Fingerprint().of(helper).hexdigest() != before


def test_a_docstring_does_not_recompile_but_a_string_that_the_code_uses_does():
    def hash_of(source):
        scope = {}
        exec(source, scope)
        return Fingerprint().of(scope["helper"]).hexdigest()

    assert hash_of("def helper():\n    'One.'\n    return 'a'") == hash_of("def helper():\n    'Two.'\n    return 'a'")
    assert hash_of("def helper():\n    'One.'\n    return 'a'") != hash_of("def helper():\n    'One.'\n    return 'b'")
    assert hash_of("def helper():\n    return 'a'") != hash_of("def helper():\n    return 'b'")


class Rings(toys.Subtraction):
    """Turns a board in eight ways."""

    def __init__(self):
        super().__init__(17)
        self.steps = np.array([1, 7, 8, 9, -1, -7, -8, -9], np.int64)

    @abreast
    def spread(self, board):
        found = u64(0)
        for way in range(8):
            found |= self.turned(board, int(self.steps[way]))
        return found

    def turned(self, board, step):
        return board << (step & 63) | board >> (-step & 63)


@kernel
def _spread(game, board):
    return game.spread(board)


@given(st.integers(0, 2**64 - 1))
def test_what_is_done_abreast_is_the_same(board):
    game = Rings()
    assert _spread(game, u64(board)) == game.spread(u64(board))


def steps():
    return 2


def furthest(left):
    return min(steps(), left)


class Reaching(toys.Subtraction):
    """Its rules reach `steps` through a helper of their own."""

    def actions(self, s, out):
        for n in range(1, furthest(s.left) + 1):
            out.append(n)


def test_a_redefined_helper_plays_immediately(monkeypatch):
    """As in a notebook, where a cell with a helper is run again."""
    assert perft(Reaching(6), Reaching(6).initial(), 2) == 4

    def steps():
        return 3

    monkeypatch.setitem(furthest.__globals__, "steps", steps)
    assert perft(Reaching(6), Reaching(6).initial(), 2) == 9


class Countdown(toys.AnyObject):
    """Whoever takes the last of many stones wins, one at a time."""

    def actions(self, s, out):
        out.append(1)


def test_a_long_game_is_followed_in_plain_mode():
    from counterplay.search.textbook.minimax import minimax

    game = Countdown(900)
    assert minimax(game, game.initial(), 500).value == 0.0


class Replacing(toys.Subtraction):
    def actions(self, s, out):
        out.extend(range(1, min(self.most, s.left) + 1))

    def result(self, s, action):
        return s._replace(ply=s.ply + 1, left=s.left - action)


class ReplacedWrongly(toys.Subtraction):
    def result(self, s, action):
        return s._replace(left=s.left - action, plies=s.ply + 1)


def test_states_are_replaced_and_lists_extended_compiled_as_plain():
    game = Replacing()
    assert game.compiles
    assert perft(game, game.initial(), 5) == perft(toys.Subtraction(), toys.Subtraction().initial(), 5)
    with pytest.raises(BrokenGame, match="Pile has no field plies; it has left, ply"):
        perft(ReplacedWrongly(), ReplacedWrongly().initial(), 2)


class Returning(toys.Subtraction):
    def actions(self, s, out):
        return [1, 2]


class Yielding(toys.Subtraction):
    def actions(self, s, out):
        yield 1


@pytest.mark.parametrize("cls, what", [(Returning, "list"), (Yielding, "generator")])
def test_actions_that_are_returned_are_refused(cls, what):
    with pytest.raises(BrokenGame, match=f"must append each action to `out` and return nothing, not a {what}"):
        perft(cls(), cls().initial(), 2)


class Listed(toys.Subtraction):
    def __init__(self):
        self.sizes = [1, 2]
        super().__init__()

    def actions(self, s, out):
        for n in self.sizes:
            out.append(n)


class Generated(toys.Subtraction):
    def is_terminal(self, s):
        kept = (s.left == k for k in range(1))
        return any(kept)


@pytest.mark.parametrize("cls, why", [(Listed, "sizes is a list; make it a tuple"), (Generated, "write a loop")])
def test_the_reason_names_a_way_out(cls, why):
    with pytest.raises(BrokenGame, match=why):
        perft(cls(), cls().initial(), 2)


class Following(toys.Subtraction):
    def result(self, s, action):
        for _ in range(action):
            s = toys.Pile(s.left - 1, s.ply)
        return toys.Pile(s.left, s.ply + 1)


def test_a_state_may_be_followed_through_a_loop():
    game = Following()
    assert game.compiles
    assert perft(game, game.initial(), 5) == perft(toys.Subtraction(), toys.Subtraction().initial(), 5)


@kernel
def _much_of_python(n):
    """What docs/rules.md says that compiles."""
    seen = {1, 2}
    seen.add(n)
    values = {i: 2 * i for i in range(3)}
    values[n] = 7
    match n:
        case 3:
            named = "three"
        case _:
            named = f"<{n}>"
    for i in range(n):
        if i == 9:
            break
    else:
        values[5] = _fibonacci(n)
    return (
        len(seen),
        values[n],
        len(values),
        named,
        divmod(-n, 2),
        round(n / 2),
        2**n,
        (1, 2, 1).count(1),
        _added(n, 1, 2),
    )


def _fibonacci(n):
    return n if n < 2 else _fibonacci(n - 1) + _fibonacci(n - 2)


def _added(n, *more):
    return n + sum(more)


@pytest.mark.parametrize("n", [2, 3, 12])
def test_sets_dicts_match_strings_and_recursion_compile(n):
    assert _much_of_python(n) == _much_of_python.py_func(n)


@kernel
def _follows_narrow_numbers(links, at):
    return _links_to_the_end(links, at)


def _links_to_the_end(links, at):
    """Entered with an int64, continues with the array's type."""
    return 0 if at < 0 else 1 + _links_to_the_end(links, links[at])


@pytest.mark.parametrize("kind", [np.int8, np.int64])
def test_a_recursion_may_go_on_with_narrower_numbers(kind):
    assert _follows_narrow_numbers(np.array([1, 2, 3, 4, -1], kind), 0) == 5


class Choice(IntFlag):
    FIRST = 1
    SECOND = 2
    THIRD = 4


def test_the_fingerprint_does_not_depend_on_the_flags_that_were_combined_before() -> None:
    """Python keeps every combination in the class; what one game has used must not rename the kernels of the next."""
    before = Fingerprint().of(Choice).hexdigest()
    Choice(3)
    assert Fingerprint().of(Choice).hexdigest() == before
