"""Compiled code that is interrupted, or runs out of stack."""

import os
import re
import signal
import subprocess
import sys
import time
from typing import NamedTuple

import pytest
from core import toys

from counterplay import Game, Wide, state, u64
from counterplay.core.errors import BrokenGame
from counterplay.core.perft import perft

Row = Wide(32768)
Endless = Wide(1 << 20)


@state
class Large(NamedTuple):
    cells: Row
    turn: int


@state
class TooLarge(NamedTuple):
    cells: Endless
    turn: int


class OneWay(Game):
    """There is always one action."""

    def initial(self):
        return Large(Row(1), 0)

    def to_move(self, s):
        return s.turn

    def actions(self, s, out):
        out.append(0)

    def result(self, s, action):
        return s._replace(cells=s.cells + 3, turn=1 - s.turn)

    def is_terminal(self, s):
        return s.cells == 0

    def utility(self, s, player):
        return 0.0


class TooFar(OneWay):
    def initial(self):
        return TooLarge(Endless(1), 0)


def test_large_states_have_room_on_the_stack():
    game = OneWay()
    assert game.compiles
    assert perft(game, game.initial(), 2040) == 1  # 8 MB of states alone


def test_a_state_that_is_too_large_is_refused():
    with pytest.raises(BrokenGame, match="a state of TooFar has 131,080 bytes; compiled searches take up to 65,536"):
        perft(TooFar(), TooFar().initial(), 2)


def test_the_size_of_a_state_is_that_of_its_fields():
    from counterplay.core.native.stack import state_bytes

    assert state_bytes(toys.Pile) == 16
    assert state_bytes(Large) == 4096 + 8
    assert state_bytes((u64, (bool, toys.Pile))) == 8 + 8 + 16


def test_ctrl_c_while_compiling_waits_for_a_safe_point(monkeypatch, tmp_path):
    from counterplay.core.native.inference import QuickTypeInference

    monkeypatch.setenv("COUNTERPLAY_CACHE", str(tmp_path))
    infer, seen = QuickTypeInference.run_pass, []

    def press(self, state):
        if not seen:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)  # here Python would raise
            seen.append("went on")
        return infer(self, state)

    before = signal.getsignal(signal.SIGINT)
    game = toys.Subtraction(13, 4)
    with monkeypatch.context() as patch:
        patch.setattr(QuickTypeInference, "run_pass", press)
        with pytest.raises(KeyboardInterrupt):
            perft(game, game.initial(), 3)
    assert seen == ["went on"]
    assert signal.getsignal(signal.SIGINT) is before
    assert perft(game, game.initial(), 3) == 64  # nothing half-made is left


def test_a_program_may_end_while_another_thread_compiles(tmp_path):
    source = """
import threading, time
from counterplay import load
from counterplay.core.perft import perft
game = load("connect-four")
threading.Thread(target=perft, args=(game, game.initial(), 2), daemon=True).start()
time.sleep(1.5)
"""
    environment = {**os.environ, "COUNTERPLAY_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", source], env=environment, capture_output=True, text=True, timeout=120)
    said = re.sub(r"^compiling perft_root for connect-four, once \.\.\.( .*\n)?", "", done.stderr)
    assert (done.returncode, said) == (0, "")
