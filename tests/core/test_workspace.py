"""Workspaces: arrays and methods that Python and compiled code share."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from counterplay.core.errors import CounterplayError
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import Rng
from counterplay.core.language.wide import u64
from counterplay.core.language.workspace import Array, Flag, Workspace, f32, f64, i8, i16, i32, i64, u8


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

    class Broken(Workspace):
        def __init__(self):
            self.grid = np.zeros((4, 4))[:, :2]

    with pytest.raises(TypeError, match="contiguous"):
        count_to(1, Broken())


# Declared fields.

WIDTH = 3


class Shelf(Workspace):
    books: Array[i64, 4]
    taken: i64

    def take(self, which):
        self.taken += 1
        return self.books[which]


class Quiet(Workspace):
    def tell(self, what):
        pass


class Loud(Workspace):
    heard: Array[i64, 8]

    def tell(self, what):
        self.heard[what] += 1


class Base(Workspace):
    nodes: i64 = 7
    high: f64 = 1.5
    is_open: bool = True
    stop: Flag
    mask: u64 = u64(1 << 63)


class Everything(Base):
    capacity: i64
    bytes: Array[u8, 4]
    small: Array[i8, 4]
    short: Array[i16, 4]
    middle: Array[i32, 4]
    floats: Array[f32, 4]
    square: Array[f64, WIDTH, WIDTH]
    total: Array[f64, "capacity", "players"]
    cube: Array[i64, 2, "capacity", WIDTH]
    path: Array[i64, "given"]
    shelf: Shelf
    teller: Quiet | Loud
    rng: Rng

    def __init__(self, capacity=5, teller=None, given=2):
        self.capacity, self.players = capacity, 2
        self.path = np.arange(given)
        self.shelf, self.teller, self.rng = Shelf(), teller or Quiet(), Rng(3)

    def step(self, i):
        self.nodes += i
        return self.nodes


@kernel
def use_everything(n, all):
    for i in range(n):
        all.step(i)
        all.nodes -= 1
        all.high = all.high * 2 + i
        all.is_open = not all.is_open
        all.mask = (all.mask >> 1) + 3
        all.bytes[i % 4] = 240
        all.bytes[i % 4] += i
        all.small[i % 4] -= 1
        all.short[i % 4] += 300
        all.middle[i % 4] += 70000
        all.floats[i % 4] += 0.5
        all.square[i % WIDTH, (i + 1) % WIDTH] += i
        all.square[0, 2] -= 0.25
        all.total[i % all.capacity, 1] += i
        all.cube[i % 2, all.capacity - 1, 2] = all.cube[1, 0, 1] + i
        row, plane = all.square[1], all.cube[1]
        row[2] += 1.0
        plane[0, 1] = i
        all.shelf.books[i % 4] += 1
        shelf = all.shelf
        all.path[0] += shelf.take(i % 4) + all.rng.below(10)
        all.teller.tell(i % 8)
    all.stop = n > 3
    return all.step(0)


def contents(all):
    numbers = [getattr(all, name) for name in ("nodes", "high", "is_open", "mask", "stop", "capacity")]
    names = ("bytes", "small", "short", "middle", "floats", "square", "total", "cube", "path")
    return numbers, [getattr(all, name).tolist() for name in names], all.shelf.books.tolist(), all.shelf.taken


@pytest.mark.parametrize("n", [0, 3, 11])
def test_fields_of_all_types_are_the_same_compiled_and_plain(n):
    ours, theirs = Everything(), Everything()
    assert use_everything(n, ours) == use_everything.py_func(n, theirs)
    assert contents(ours) == contents(theirs)
    assert [type(value) for value in contents(ours)[0]] == [int, float, bool, u64, bool, int]
    assert ours.stop == (n > 3)


def test_fields_begin_with_their_defaults():
    fresh = Everything()
    assert contents(fresh)[0] == [7, 1.5, True, 1 << 63, False, 5]
    assert fresh.total.shape == (5, 2)
    assert not fresh.cube.any()
    assert Everything(capacity=9).cube.shape == (2, 9, 3)


def test_workspaces_of_other_sizes_share_code_and_their_objects_tell_them_apart():
    one, two = Everything(), Everything(capacity=50, given=9)
    loud = Everything(teller=Loud())
    assert one.layout.key == two.layout.key != loud.layout.key
    for each in (one, two, loud):
        use_everything(10, each)
    assert two.total[:, 1].tolist()[:10] == list(range(10))
    assert loud.teller.heard.tolist() == [2, 2, 1, 1, 1, 1, 1, 1]


@kernel
def tell_only(n, all):
    all.teller.tell(n)
    return n + 1


def test_an_object_whose_methods_do_nothing_compiles_to_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("COUNTERPLAY_CACHE", str(tmp_path))  # what comes from a cache has no code to look at
    assert tell_only(1, Everything()) == 2
    (made,) = tell_only.dispatcher.overloads.values()
    code = made.library.get_function(made.fndesc.llvm_func_name)
    operations = [instruction.opcode for block in code.blocks for instruction in block.instructions]
    assert operations == ["add", "store", "ret"]


def test_numbers_can_be_set_while_in_use_and_arrays_cannot():
    all = Everything()
    use_everything(1, all)
    all.nodes = 100
    assert use_everything(0, all) == 100
    for name in ("shelf", "square"):
        with pytest.raises(AttributeError, match="in use"):
            setattr(all, name, getattr(Everything(), name))
    with pytest.raises(TypeError, match=r"Base.nodes is i64, not 0.5"):
        all.nodes = 0.5
    with pytest.raises(TypeError, match=r"Base.mask is u64, not -1"):
        all.mask = -1


@kernel
def wait(n, base):
    while not base.stop:
        base.nodes += n
    return base.nodes


def test_a_flag_that_another_thread_sets_is_seen():
    base = Base()
    done = Base()
    done.stop = True
    assert wait(1, done) == 7  # (compiled now)
    found = []
    thread = threading.Thread(target=lambda: found.append(wait(1, base)), daemon=True)
    thread.start()
    base.stop = True
    thread.join(20)
    assert found
    assert found[0] >= 7


def test_threads_have_blocks_of_their_own():
    mine = [Everything() for _ in range(4)]
    threads = [threading.Thread(target=use_everything, args=(100, each)) for each in mine]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(contents(each) == contents(mine[0]) for each in mine)
    addresses = {each.layout.address for each in mine}
    assert len(addresses) == 4
    assert all(address % 64 == 0 for address in addresses)


@kernel
def set_to_half(n, base):
    base.nodes = n / 2
    return n


@kernel
def exchange(n, all):
    all.square = all.total
    return n


def test_compiled_code_refuses_what_does_not_fit():
    with pytest.raises(CounterplayError, match=r"Base.nodes is an int, but here it is given a float"):
        set_to_half(3, Base())
    with pytest.raises(CounterplayError, match=r"Everything.square is not a number"):
        exchange(3, Everything())


@pytest.mark.parametrize(
    ("hint", "default", "said"),
    [
        ("int", None, r"Wrong.x: a field is i64, f64, Flag, bool, u64, an Array .* not int"),
        ("i32", None, r"Wrong.x: a field is .* not i32"),
        ("tuple[int, int]", None, r"Wrong.x: a field is .* not tuple"),
        ("i64", 0.5, r"Wrong.x is i64, not 0.5"),
        ("Array[i64]", None, r"Wrong.x: an Array has a length in each dimension"),
        ("Array[int, 3]", None, r"Wrong.x: an Array begins with the type of its numbers, i8, .*, not int"),
        ("Array[i64, 2.5]", None, r"Wrong.x: the length of an Array is a number or an attribute's name, not 2.5"),
        ("Array[i64, -1]", None, r"Wrong.x: the length of an Array is not negative"),
        ("Array[i64, 2]", 3, r"Wrong.x: an array has no default"),
        ("Array[i64, UNHEARD_OF]", None, r"Wrong.x: name 'UNHEARD_OF' is not defined"),
    ],
)
def test_wrong_declarations_are_told(hint, default, said):
    body = {"__annotations__": {"x": hint}} | ({} if default is None else {"x": default})
    with pytest.raises(TypeError, match=said):
        type("Wrong", (Workspace,), body)


def test_arrays_that_do_not_conform_are_told():
    class Plain(Workspace):
        grid: Array[f64, 2, "width"]

    with pytest.raises(TypeError, match=r"Plain.grid is an array of f64, not of int64"):
        Plain().grid = np.zeros((2, 2), np.int64)
    with pytest.raises(TypeError, match=r"Plain.grid has the lengths \[2, 'width'\], not \[3, 2\]"):
        Plain().grid = np.zeros((3, 2))
    with pytest.raises(AttributeError, match=r"Plain.grid: set it, or its length width, in __init__"):
        print(Plain().grid)
    with pytest.raises(TypeError, match="fields of one class"):
        type("Both", (Shelf, Loud), {})
    with pytest.raises(TypeError, match=r"is already a field of Base"):
        type("Again", (Base,), {"__annotations__": {"nodes": "i64"}})


BEYOND = """
from core.test_workspace import Everything, reach
all = Everything()
try:
    reach(5, all)
except IndexError:
    print("caught")
"""


@kernel
def reach(n, all):
    return all.square[1, n] + all.total[n, 0]


def test_bounds_are_checked_on_demand():
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1"}
    tests = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", BEYOND], env=environment, cwd=tests, capture_output=True, text=True)
    assert done.stdout == "caught\n", done.stderr
