"""Workspaces: arrays and methods that Python and compiled code share."""

import numpy as np
import pytest

from counterplay.core.kernel import kernel
from counterplay.core.workspace import Workspace


class Counters(Workspace):
    step = 3

    def __init__(self, size=4, loud=False):
        self.counts = np.zeros(size, np.int64)
        self.means = np.zeros(size)
        self.loud = loud

    def add(self, which):
        self.counts[which] += self.step
        if self.loud:
            self.shout(which)

    def shout(self, which):
        self.means[which] += 0.5


class Mute(Workspace):
    def add(self, which):
        pass


@kernel
def count_to(n, counters):
    for i in range(n):
        counters.add(i % 4)
    return n


@pytest.mark.parametrize("loud", [False, True])
def test_compiled_and_plain_write_the_same(loud):
    ours, theirs = Counters(loud=loud), Counters(loud=loud)
    count_to(10, ours)
    count_to.py_func(10, theirs)
    assert ours.counts.tolist() == theirs.counts.tolist() == [9, 9, 6, 6]
    assert ours.means.tolist() == theirs.means.tolist()
    assert any(ours.means) == loud
    assert count_to(5, Mute()) == 5


def test_two_of_a_kind_share_code_but_not_memory():
    one, two = Counters(4), Counters(40)
    assert one.layout.key == two.layout.key != Counters(loud=True).layout.key
    count_to(1, one)
    count_to(2, two)
    assert one.counts.tolist() == [3, 0, 0, 0]
    assert two.counts[:3].tolist() == [3, 3, 0]


def test_what_is_in_use_is_fixed():
    counters = Counters()
    count_to(1, counters)
    with pytest.raises(AttributeError, match="make another one"):
        counters.counts = np.zeros(9, np.int64)

    class Flat(Workspace):
        def __init__(self):
            self.grid = np.zeros((2, 2))

    with pytest.raises(TypeError, match="one dimension"):
        count_to(1, Flat())
