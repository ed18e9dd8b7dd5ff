"""Wide integers: Python's own arithmetic is the oracle for the plain form, which is the oracle for the compiled one."""

import operator
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterplay import Wide, u64
from counterplay.core.language import bits
from counterplay.core.language.kernel import kernel

WIDTHS = (64, 7, 100, 169, 361)
BINARY = (operator.and_, operator.or_, operator.xor, operator.add, operator.sub, operator.mul)


@st.composite
def pairs(draw):
    width = draw(st.sampled_from(WIDTHS))
    number = st.integers(0, 2**width - 1) | st.integers(0, 3)
    return Wide(width)(draw(number)), Wide(width)(draw(number))


def same(x, y):
    assert type(x) is type(y)
    assert x == y


@kernel
def arithmetic(x, y):
    return x & y, x | y, x ^ y, x + y, x - y, x * y, ~x, -x


@kernel
def comparisons(x, y):
    return x == y, x != y, x < y, x <= y, x > y, x >= y, bool(x), not x


@kernel
def shifts(x, n):
    return x << n, x >> n


@kernel
def division(x, y):
    return x // y, x % y


@kernel
def counting(x):
    total = 0
    for i in bits.ones(x):
        total += i + 1
    k = bits.count(x) // 2
    return bits.count(x), bits.first(x), bits.last(x), total, bits.nth(x, k), int(x & 1023)


@kernel
def branches(x, flag):
    y = x if flag else 0
    z = 0
    if flag:
        z |= x
    return y, z, 1 << (x & 3), 5 - x, 3 & x


@given(pairs())
def test_plain_arithmetic_is_pythons_modulo_the_width(pair):
    x, y = pair
    for op in BINARY:
        same(op(x, y), type(x)(op(int(x), int(y)) % 2**x.width))
        same(op(x, int(y)), op(x, y))
        same(op(int(x), y), op(x, y))
    assert int(~x) == 2**x.width - 1 - int(x)
    assert eval(repr(x), {"u64": u64, "Wide": Wide}) == x
    assert pickle.loads(pickle.dumps(x)) == x


@given(pairs())
def test_compiled_arithmetic_agrees_with_plain(pair):
    x, y = pair
    for f in (arithmetic, comparisons):
        for ours, theirs in zip(f(x, y), f.py_func(x, y), strict=True):
            same(ours, theirs)


@given(pairs(), st.integers(-(2**63), 2**63 - 1))
def test_an_int_may_take_part(pair, n):
    x, _ = pair
    for ours, theirs in zip(arithmetic(x, n), arithmetic.py_func(x, n), strict=True):
        same(ours, theirs)
    assert comparisons(x, n) == comparisons.py_func(x, n)
    assert comparisons(n, x)[:6] == comparisons.py_func(n, x)[:6]


@given(pairs(), st.integers(0, 400))
def test_shifts_beyond_the_width_leave_nothing(pair, n):
    x, _ = pair
    for ours, theirs in zip(shifts(x, n), shifts.py_func(x, n), strict=True):
        same(ours, theirs)
    assert int(x << n) == (int(x) << n) % 2**x.width


@given(st.integers(0, 2**64 - 1), st.integers(1, 2**64 - 1))
def test_division(x, y):
    assert division(u64(x), u64(y)) == (x // y, x % y)


@given(pairs())
def test_bits_agree_with_plain(pair):
    x, _ = pair
    if x:
        assert counting(x) == counting.py_func(x)
        assert list(bits.ones(x)) == [i for i in range(x.width) if int(x) >> i & 1]


@given(st.integers(0, 2**64 - 1), st.booleans())
def test_branches_keep_the_type(x, flag):
    for ours, theirs in zip(branches(u64(x), flag), branches.py_func(u64(x), flag), strict=True):
        assert ours == theirs


def test_a_bitboard_has_64_bits():
    with pytest.raises(ValueError, match="0 to 63"):
        bits.bit(64)
    assert Wide(64) is u64
    with pytest.raises(ValueError, match="1 bit or more"):
        Wide(0)


@pytest.mark.parametrize("operation", [operator.add, operator.mul, operator.and_, operator.floordiv, operator.sub])
def test_there_is_no_operation_with_a_float(operation):
    """Compiled rules refuse it, so plain ones must not round it away."""
    with pytest.raises(TypeError, match="float"):
        operation(u64(3), 0.5)
