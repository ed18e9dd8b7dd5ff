"""States that `repr` wrote are read back; nothing else is, and nothing is run."""

from __future__ import annotations

import math
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterplay import Game, Wide, load, state, u64
from counterplay.core.errors import InvalidPosition
from counterplay.players.specs import player

u128 = Wide(128)


@state
class Inner(NamedTuple):
    flag: bool
    share: float


@state
class Whole(NamedTuple):
    mine: u64
    large: u128
    cells: tuple[int, int, u64]
    inner: Inner
    turn: int


class Holder(Game):
    compiled = False

    def initial(self):
        return Whole(u64(0), u128(0), (0, 0, u64(0)), Inner(False, 0.0), 0)


words = st.integers(-(2**63), 2**63 - 1)


@given(
    st.integers(0, 2**64 - 1),
    st.integers(0, 2**128 - 1),
    words,
    words,
    st.booleans(),
    st.floats(allow_nan=False),
    words,
)
def test_any_state_is_read_as_it_was_written(mine, large, a, b, flag, share, turn):
    s = Whole(u64(mine), u128(large), (a, b, u64(mine)), Inner(flag, share), turn)
    read = Holder().parse_position(Holder().position_text(s))
    assert read == s
    assert [type(part) for part in read] == [type(part) for part in s]
    assert math.copysign(1, read.inner.share) == math.copysign(1, share)


TEXT = Holder().position_text(Holder().initial())


@pytest.mark.parametrize(
    "text",
    [
        "", "1", "(", "Whole()", TEXT + ")", TEXT.replace("turn=0", "turn=2**70"), TEXT.replace("turn=0", "turn=1.5"),
        TEXT.replace("turn=0", "turn=9999999999999999999999"), TEXT.replace("Whole", "print"),
        TEXT.replace("turn=0", "turn=__import__('os').system('touch run')"), TEXT.replace("cells=(0, ", "cells=("),
        TEXT.replace("turn=0", "turn=0, turn=0"), TEXT.replace("turn=0", "more=0"), "(" * 5000 + ")" * 5000, "1+" * 90_000,
    ],
)  # fmt: skip
def test_text_that_is_not_a_state_is_refused_in_a_sentence(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidPosition, match="a position looks like Whole"):
        Holder().parse_position(text)
    assert not list(tmp_path.iterdir())


CARDS = """
from counterplay import Game
CHANCE = -1
class High(Game):
    '''Each has a card; the first player bids or folds.'''
    compiled = False
    def initial(self): return ()
    def to_move(self, s): return -1 if len(s) < 2 else 0
    def chance(self, s, out): out.extend(card for card in range(4) if card not in s)
    def probability(self, s, event): return 1 / (4 - len(s))
    def actions(self, s, out): out.extend([0, 1])
    def result(self, s, action): return (*s, action)
    def is_terminal(self, s): return len(s) == 3
    def utility(self, s, player): return (1 - 2 * player) * (-0.5 if s[2] == 0 else 1.0 if s[0] > s[1] else -1.0)
    def information(self, s, player): return (s[player] if len(s) > player else 9) * 10 + max(0, len(s) - 1)
    def resample(self, s, player, rng):
        return (s[0], [card for card in range(4) if card != s[0]][rng.below(3)], *s[2:])
"""


def test_determinize_plays_a_game_that_does_not_say_how_to_read_a_position(tmp_path):
    (tmp_path / "high.py").write_text(CARDS)
    p = load(str(tmp_path / "high.py")).start("3 1")
    assert player("determinize:deals=3,depth=1").choose(p).action == 1
