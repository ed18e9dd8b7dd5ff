"""Tuples in rules: one element changed, slices, lists and generator expressions made tuples, compiled as plain."""

from typing import NamedTuple

import pytest
from core import toys
from hypothesis import given
from hypothesis import strategies as st

from counterplay import replaced, state
from counterplay.core.errors import BrokenGame
from counterplay.core.language.kernel import kernel
from counterplay.core.native.generators import with_generators
from counterplay.core.perft import perft


@state
class Board(NamedTuple):
    cells: tuple[int, int, int, int]
    rows: tuple[tuple[bool, bool], tuple[bool, bool]]


@kernel
def _replaced(t, rows, i, j, value):
    return (
        replaced(t, i, value),
        replaced(rows, i % 2, replaced(rows[i % 2], j, value > 0)),
        replaced(i=j, value=7, t=t),
    )


four = st.tuples(*[st.integers(-9, 9)] * 4)
two_rows = st.tuples(*[st.tuples(st.booleans(), st.booleans())] * 2)


@given(four, two_rows, st.integers(-4, 3), st.integers(0, 1), st.integers(-(2**63), 2**63 - 1))
def test_one_element_is_replaced_compiled_as_plain(t, rows, i, j, value):
    got = _replaced(t, rows, i, j, value)
    assert got == _replaced.py_func(t, rows, i, j, value)
    changed = list(t)
    changed[i] = value
    assert got[0] == tuple(changed)


@pytest.mark.parametrize("i", [4, -5, 2**40])
def test_an_index_outside_the_tuple_is_refused(i):
    for way in (_replaced, _replaced.py_func):
        with pytest.raises(IndexError, match="t has 4 elements, so i is from 0 to 3"):
            way((1, 2, 3, 4), ((True, True), (True, True)), i, 0, 1)


def test_a_state_has_replace_of_its_own():
    with pytest.raises(TypeError, match="a state has `_replace`"):
        replaced(toys.Pile(3, 0), 0, 1)


class FloatAmongInts(toys.Subtraction):
    def result(self, s, action):
        return toys.Pile(replaced((1, 2), 0, 0.5)[0], s.ply)


class OfAState(toys.Subtraction):
    def result(self, s, action):
        return replaced(s, 0, action)


class OfTwoTypes(toys.Subtraction):
    def result(self, s, action):
        return toys.Pile(replaced((1, 2.0), 0, 1)[0], s.ply)


@pytest.mark.parametrize(
    "cls, why",
    [
        (FloatAmongInts, "the elements are an int each, the value is a float"),
        (OfAState, r"for a Pile write s\._replace\(field=value\)"),
        (OfTwoTypes, "needs a tuple whose elements all have one type"),
    ],
)
def test_what_cannot_be_replaced_is_explained(cls, why):
    with pytest.raises(BrokenGame, match=why):
        perft(cls(), toys.Pile(5, 0), 2)


@kernel
def _changed(s, i, value, much):
    """One element changed, in all ways that people write."""
    cells = list(s.cells)
    cells[i] = value
    rows = [list(row) for row in s.rows]
    rows[i % 2][i // 2] = True
    other = s.cells
    if much:
        other = tuple([2 * cell for cell in other])
    return (
        s._replace(cells=tuple(cells), rows=tuple(tuple(row) for row in rows)),
        Board(s.cells[:i] + (value,) + s.cells[i + 1 :], s.rows),  # noqa: RUF005 (as people write it)
        Board(tuple(value if k == i else s.cells[k] for k in range(4)), s.rows),
        Board(other, s.rows),
        Board(tuple(cell for row in s.rows for cell in row), s.rows),
    )


@given(four, two_rows, st.integers(0, 3), st.integers(-9, 9), st.booleans())
def test_tuples_are_made_of_lists_slices_and_generators_compiled_as_plain(cells, rows, i, value, much):
    s = Board(cells, rows)
    got = _changed(s, i, value, much)
    assert got == _changed.py_func(s, i, value, much)
    assert got[0].cells == got[1].cells == got[2].cells == replaced(cells, i, value)
    assert got[0].rows == replaced(rows, i % 2, replaced(rows[i % 2], i // 2, True))


@kernel
def _cut(s, n):
    return Board(s.cells[:n], s.rows)


def test_a_tuple_of_the_wrong_length_does_not_become_a_field():
    s = Board((1, 2, 3, 4), ((True, False), (True, False)))
    assert _cut(s, 4) == s
    with pytest.raises(ValueError, match="a tuple of 4 elements is expected here"):
        _cut(s, 3)


@kernel
def _alias(t):
    items = list(t)
    kept = tuple(items)
    items[0] = 99
    return kept[0]


def test_a_tuple_of_a_list_does_not_change_with_it():
    assert _alias((1, 2, 3)) == 1


@kernel
def _asked(t, rows, limit):
    part = t[:limit]
    return (
        sum(x for x in t if x > limit),
        sum((x / 2 for x in t), 0.5),
        any(x == limit for x in t),
        all(x != limit for row in (t, t) for x in row),
        min(x * y for x in t for y in range(1, 3)),
        max(sum(x + i for x in t) for i in range(3)),
        sorted(-x for x in t)[0],
        len(set(x for x in t)),  # noqa: C401
        any(t),
        all(rows[0]),
        any(10 // (limit - k) == 5 for k in range(limit)),  # it stops before it divides by 0, or there is none
        part == t,
        part + (1,) != (1,) + part,  # noqa: RUF005
        [x for x in part],  # noqa: C416
        limit in part,
    )


@given(four, two_rows, st.integers(0, 4))
def test_generator_expressions_are_asked_compiled_as_plain(t, rows, limit):
    assert _asked(t, rows, limit) == _asked.py_func(t, rows, limit)


@kernel
def _stops(t, limit):
    return any(t[k] == limit for k in range(100))


def test_a_generator_is_not_asked_further_than_python_asks_it():
    assert _stops((1, 2, 3, 4), 4)
    with pytest.raises(IndexError):
        _stops((1, 2, 3, 4), 5)


class Deep(toys.Subtraction):
    """A generator expression with everything around it: methods, constants, `super`, defaults."""

    def actions(self, s, out):
        out.extend(n for n in range(1, self.most + 1) if self.allows(s, n))

    def allows(self, s, n, least=1):
        return all(part(s, k) >= 0 for k in range(least, n + 1) if k <= self.most)

    def is_terminal(self, s):
        return not any(self.allows(s, n) for n in range(1, 2))


def part(s, k):
    return s.left - k


def test_rules_with_generator_expressions_are_the_same_compiled():
    game = Deep()
    assert game.compiles
    assert perft(game, game.initial(), 5) == perft(toys.Subtraction(), toys.Subtraction().initial(), 5)


def test_only_a_function_whose_source_still_runs_is_rewritten():
    scope: dict = {}
    exec("def f(t):\n    return any(x for x in t)", scope)
    assert with_generators(scope["f"]) is scope["f"]  # no source
    assert with_generators(part) is part  # nothing to do
    made = with_generators(_stops.py_func)
    assert made is not _stops.py_func
    assert made((1, 2), 2)
    assert "generator_1" not in _stops.py_func.__globals__
