"""Typical mistakes in rules: the message gives the line, the mistake, and what to write instead."""

import re
import textwrap

import pytest

from counterplay import load
from counterplay.core.calling import ask
from counterplay.core.errors import BrokenGame
from counterplay.core.perft import perft

GAME = """
import copy, functools, itertools
from typing import NamedTuple
import numpy as np
from counterplay import Game, Wide, state, u64

LINES = ((0, 1, 2), (3, 4))
NAMES = ["x", "o"]
VALUES = {0: 1, 1: 2}
COUNT = 0
SEEN = np.zeros(3, np.int64)

class Point:
    def __init__(self, x): self.x = x

@state
class State(NamedTuple):
    board: tuple[int, int, int, int]
    bits: u64
    turn: int

class Rules(Game):
    moves = {1: 2}
    def __init__(self):
        self.rows = ((0, 1, 2), (3, 4))
        self.values = {0: 1, 1: 2}
        self.sizes = [1, 2]
        self._size = 3
    def initial(self): return State((0, 0, 0, 0), u64(0), 0)
    def to_move(self, s): return s.turn
    def actions(self, s, out): out.append(s.turn)
    def result(self, s, action): return s._replace(turn=1 - s.turn, bits=s.bits | (u64(1) << action))
    def is_terminal(self, s): return self.rule(s, s.turn) == 77 or s.bits == 15
    def utility(self, s, player): return 0.0
    def rule(self, s, i): return 0
"""

MISTAKES = {
    # a rule's lines, of which one is marked by "#!": what the message says
    "no return": (
        "def is_terminal(self, s):\n    if s.bits == 15:  #!\n        return True",
        "`is_terminal` ends without",
    ),
    "None": ("def result(self, s, action):\n    if action == 9:\n        return None  #!\n    return s", "every path"),
    "rows of different lengths": ("return self.rows[i][0]  #!", "make all rows equally long"),
    "a loop over such rows": ("for line in LINES:  #!\n    if line[0] == i: return 1\nreturn 0", "equally long"),
    "returns of different types": ("if i: return 0.5\nreturn s.bits", "make every `return` give the same type"),
    "an element is set": ("t = s.board\nif i > 9: t[i] = 1  #!\nreturn t[0]", r"t = replaced\(t, i, value\)"),
    "a tuple grows": ("t = ()\nfor x in s.board: t += (x,)  #!\nreturn len(t)", r"write tuple\(list\) at the end"),
    "a list as a field": ("return s._replace(board=list(s.board)).turn  #!", r"given a list; write tuple\(\.\.\.\)"),
    "an array as a field": ("return s._replace(board=np.array(s.board)).turn  #!", "given an array; write tuple"),
    "a field of another length": ("return s._replace(board=(1, 2)).turn  #!", "is a tuple of 4, .* given a tuple of 2"),
    "a float as an int": ("return s._replace(turn=i / 2).turn  #!", r"given a float; write // in place of /"),
    "an unknown field": ("return s._replace(tern=i).turn  #!", "State has no field tern; it has board, bits, turn"),
    "a dict attribute": ("return self.values[i]  #!", "self.values is a dict; make it a tuple"),
    "a list attribute": ("return self.sizes[i]  #!", "self.sizes is a list; make it a tuple"),
    "a dict of the class": ("return self.moves[i]  #!", "self.moves is a dict; make it a tuple"),
    "the class by name": ("return Rules.moves[i]  #!", "Rules is a class, .* write `self.`"),
    "a global dict": ("return VALUES[i]  #!", "VALUES is a dict; make it a tuple"),
    "a global list": ("return len(NAMES[i])  #!", "NAMES is a list; make it a tuple"),
    "an object": ("return Point(i).x  #!", "Point is a class, .* a @state class"),
    "a private attribute": ("return self._size  #!", "rename _size"),
    "a global is counted": ("global COUNT\nif i > 9: COUNT += 1  #!\nreturn 0", "change a global .* in the state"),
    "an attribute is set": (
        "self.counted = i  #!\nreturn i",
        "cannot set counted; what changes belongs in the state",
    ),
    "a global array": ("if i > 9: SEEN[0] += 1  #!\nreturn 0", "cannot write into an array"),
    "a dict of lists": ("d = {0: [1], 1: [2]}  #!\nreturn len(d[i])", "a dict cannot hold lists"),
    "except": ("try:\n    return s.board[i]\nexcept IndexError:  #!\n    return 0", "test with `if`"),
    "arguments by name": ("return self.named(n=i)  #!\ndef named(self, *, n): return n", r"leave out the `\*`"),
    "arguments in a dict": ("return self.named(n=i)\ndef named(self, **all): return 1", "write its arguments out"),
    "a default list": ("return self.f()\ndef f(self, a=[1]):  #!\n    return len(a)", "a has a default that does not"),
    "division of bits": ("return int(s.bits / 2)  #!", "write //"),
    "a number beyond 64 bits": ("return 1 if 1 << 70 > i else 0  #!", "does not fit into 64 bits; write u64 or Wide"),
    "a wide number made in a rule": (
        "return int(Wide(8)(i))  #!",
        r"at the top of the file, such as Board = Wide\(81\)",
    ),
    "an index by a comparison": ("return s.board[i == 1]  #!", r"not a bool; write int\(\.\.\.\)"),
    "a set comprehension": ("return len({x for x in s.board})  #!", r"write set\(\[x for \.\.\.\]\)"),
    "super": ("return super().stage(s) + i  #!", "write `inherited = Parent.rule` in the class"),
    "an empty list for a rule": ("d = []  #!\nself.actions(s, d)\nreturn len(d)", r"d = \[0\]; d.clear\(\)"),
    "an empty list": ("d = []  #!\nreturn len(d)", "nothing says what the empty list `d` will hold"),
    "a list of None": ("d = [None] * 4\nd[0] = 3  #!\nreturn d[0]", "begin it with a number"),
    "a key": ("return max(s.board, key=lambda x: -x)  #!", "max takes no `key`"),
    "a default": ("return max([x for x in s.board], default=0)  #!", "max takes no `default`"),
    "itertools": ("for a, b in itertools.combinations(s.board, 2): pass  #!\nreturn 0", "itertools.combinations does"),
    "deepcopy": ("return copy.deepcopy(s).turn  #!", "copy.deepcopy does not compile"),
    "bit_count": ("return s.bits.bit_count()  #!", r"write count\(x\)"),
    "bin": ("return bin(s.bits).count('1')  #!", r"count\(x\) of counterplay"),
    "the rest of a tuple": ("a, *rest = s.board  #!\nreturn a", r"rest = t\[1:\]"),
    "match on a tuple": ("match s.board:\n    case (0, 0, 0, 0): return 1  #!\nreturn 0", "compare those with =="),
    "import": ("import math  #!\nreturn int(math.sqrt(i))", "import at the top of the file"),
    "names unpacked": ("d = {'turn': 1}\nreturn s._replace(**d).turn  #!", "write the arguments out"),
    "a kept generator": ("g = (x for x in s.board)  #!\nreturn sum(g)", "write a loop or a list"),
    "a function within": (
        "def f(x): return 0 if x == 0 else f(x - 1)\nreturn f(i)",
        "a method or a function of the file",
    ),
    "del": ("d = [1, 2]\ndel d[0]\nreturn d[0]", r"write items.pop\(i\)"),
    "a class method": ("return self.made(i)  #!\n@classmethod\ndef made(cls, i): return i", "a method with `self`"),
    "a cache": ("return self.kept(i)  #!\n@functools.cache\ndef kept(self, i): return i", "leave the decorator out"),
    "extended in place": ("def actions(self, s, out):\n    out += [1, 2]  #!", r"write out.extend\(\.\.\.\)"),
    "an action that is not an int": ("def actions(self, s, out):\n    out.append(2 / 2)  #!", "an int, not a float"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_explained_with_its_line_and_what_to_write(name, tmp_path):
    lines, why = MISTAKES[name]
    if not lines.startswith("def is_terminal") and not lines.startswith("def result") and "out" not in lines[:30]:
        body, *methods = re.split(r"\n(?=def |@)(?!def f\(x\))", lines)
        lines = "\n".join(["def rule(self, s, i):", textwrap.indent(body, "    "), *methods])
    source = GAME + textwrap.indent(lines, "    ") + "\n"
    path = tmp_path / "rules.py"
    path.write_text(source)
    game = load(f"{path}:Rules")
    with pytest.raises(BrokenGame, match=why) as wrong:
        perft(game, game.initial(), 2)
    told = str(wrong.value)
    marked = [number for number, line in enumerate(source.splitlines(), 1) if "#!" in line]
    assert told.startswith(f"{path}:{marked[0]}:" if marked else f"{path}:"), told
    assert "Numba" not in told
    assert "\n" not in told


def test_python_itself_says_what_to_write_instead(tmp_path):
    path = tmp_path / "rules.py"
    path.write_text(GAME + "    def result(self, s, action):\n        s.board[action] = 1\n        return s\n")
    game = load(f"{path}:Rules")
    with pytest.raises(BrokenGame, match=r"rules.py:\d+: .*write t = replaced\(t, i, value\)"):
        ask(game, "result", game.initial(), 0)
