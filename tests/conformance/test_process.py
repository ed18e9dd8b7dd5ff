"""What compiled rules do to their process is a finding of `check`, and does nothing to `check` itself."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest

from counterplay import load
from counterplay.conformance.check import check

STICKS = """
import os
import re
from typing import NamedTuple
import numpy as np
from counterplay import Game, state

@state
class State(NamedTuple):
    sticks: int
    turn: int

def wrapped(n):
    return (n + 1) * (1 << 62)  # 1 << 62 times n + 1: from 2 on, negative or 0 in 64 bits

class Sticks(Game):
    def __init__(self):
        self.table = np.arange(8)
    def initial(self): return State(5, 0)
    def to_move(self, s): return s.turn
    def actions(self, s, out):
        {body}
        for take in range(1, min(3, s.sticks) + 1):
            out.append(take)
    def result(self, s, action): return State(s.sticks - action, 1 - s.turn)
    def is_terminal(self, s): return s.sticks == 0
    def utility(self, s, player): return -1.0 if player == s.turn else 1.0
"""

LOOP = "x = 0\n        while wrapped(s.sticks) <= 0 and x < 2:\n            x = 1 - x\n"
INDEX = "if wrapped(s.sticks) <= 0 and self.table[1000 * s.sticks] == 5:\n            out.append(7)\n"
QUIT = "if s.sticks == 3:\n            os._exit(3)\n"
CRASH = "if s.sticks == 3:\n            os.kill(os.getpid(), 11)\n"


@pytest.fixture
def sticks(tmp_path):
    def write(body):
        file = tmp_path / "sticks.py"
        file.write_text(STICKS.replace("{body}", body))
        return str(file)

    return write


@pytest.mark.parametrize(
    "body, what, why",
    [
        (LOOP, "compiles", "have not returned after 6 seconds in the step `compiles`"),
        (INDEX, "compiles", "the compiled rules raise IndexError: index .*out of bounds"),
        (QUIT, "rules", r"the rules ended the process \(exit code 3\)"),
        (CRASH, "rules", "the rules crashed: their process died of SIGSEGV in the step `rules`"),
    ],
    ids=["loop", "index", "exit", "crash"],
)
def test_a_crash_of_the_process_is_a_finding(sticks, body, what, why):
    report = check(load(sticks(body)), playthroughs=10, patience=6.0)
    wrong = next(finding for finding in report.findings if not finding.ok)
    assert wrong.what == what
    assert re.search(why, wrong.detail), wrong


@pytest.mark.parametrize(
    "old, new, what",
    [
        ("np.arange(8)", "int.from_bytes(os.urandom(8))", "self.table"),
        ("np.arange(8)", "tuple({str(i) for i in range(40)})", "self.table"),
        ("class Sticks(Game):", "class Sticks(Game):\n    seed = os.getpid()", "code or data that the rules use"),
    ],
    ids=["random", "a set's order", "the class"],
)
def test_a_game_that_every_process_creates_differently_is_detected(tmp_path, old, new, what):
    file = tmp_path / "sticks.py"
    file.write_text(STICKS.replace("{body}", "pass").replace(old, new))
    report = check(str(file), playthroughs=10)
    (wrong,) = report.findings
    assert (wrong.what, wrong.ok) == ("same", False)
    assert f"sticks.py: {what} differs from one process to the next" in wrong.detail


def test_actions_in_the_order_of_a_set_are_found_out(tmp_path):
    file = tmp_path / "sticks.py"
    plain = STICKS.replace("@state\n", "").replace("NamedTuple):", "NamedTuple):  # plain").replace("{body}", "pass")
    every = "range(1, min(3, s.sticks) + 1)"
    file.write_text(plain.replace(every, 'map(len, {"x" * n for n in ' + every + "})") + "    compiled = False\n")
    report = check(str(file), playthroughs=20, seconds=2)
    wrong = next(finding for finding in report.findings if not finding.ok)
    assert wrong.what == "same"
    assert "sticks.py: the order of the actions differs from one process to the next" in wrong.detail


def test_a_right_game_passes_in_its_process(sticks):
    report = check(sticks("pass"), playthroughs=20, seconds=5)
    assert report.ok, report
    assert report.findings[-1].what == "speed"
    assert report.playouts_per_second > 0


def test_ctrl_c_ends_a_check_that_hangs_in_compiled_code(sticks):
    command = [sys.executable, "-m", "counterplay", "check", sticks(LOOP), "--playthroughs", "10"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    time.sleep(8)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=15)
    assert process.returncode == 130, (out, err)
    assert b"Traceback" not in err
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)  # nobody is left
