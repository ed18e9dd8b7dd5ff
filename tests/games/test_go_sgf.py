"""SGF: games written and read back, files of other programs, files cut short."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CounterplayError, load
from counterplay.games.go.rules import Go
from counterplay.games.go.sgf import read_sgf, write_sgf

GAME = """(;GM[1]FF[4]CA[UTF-8]AP[CGoban:3]ST[2]RU[Chinese]SZ[9]KM[5.50]HA[2]AB[gc][cg]XX[whatever]
PW[Black \\] Bear]PB[Ann]RE[B+R]C[a comment]
;W[ee]WL[30.2](;B[ge];W[];B[tt])(;B[cc]C[a variation];W[dd]))"""


def test_a_file_of_another_program():
    (record,) = read_sgf(GAME)
    p = record.playthrough
    assert p.game == Go(9, 5.5)
    assert p.moves == ["E5", "G5", "pass", "pass"]
    rows = ["........."] * 9
    rows[2], rows[6] = "......x..", "..x......"
    assert p.states[0] == p.game.parse_position(f"{'/'.join(rows)} o")
    assert record.tags["PW"] == "Black ] Bear"
    assert record.tags["RE"] == "B+R"
    assert read_sgf(GAME, moves=1)[0].playthrough.moves == ["E5"]
    assert len(read_sgf(GAME + GAME)) == 2


def test_rules_are_read():
    def game(properties):
        return read_sgf(f"(;SZ[5]{properties})")[0].playthrough.game

    assert game("") == Go(5, 0)
    assert game("RU[Japanese]KM[6.5]") == Go(5, 6.5, superko=False)
    assert game("RU[NZ]") == Go(5, 0, suicide=True)


@settings(max_examples=15)
@given(st.sampled_from([2, 5, 9]), st.booleans(), st.booleans(), st.randoms())
def test_games_round_trip(size, superko, suicide, random):
    p = Go(size, 6.5, superko, suicide).start()
    while not p.is_over and len(p) < 40:
        p.play(random.choice(p.options()))
    (record,) = read_sgf(write_sgf(p, PB="Ann [x]", PW="Bob\\"))
    again = record.playthrough
    assert again.game == p.game
    assert again.states == p.states
    assert again.actions == p.actions
    assert ("RE" in record.tags) == p.is_over
    assert record.tags["PB"] == "Ann [x]"
    assert record.tags["PW"] == "Bob\\"


def test_a_game_from_a_position_round_trips():
    game, rng = load("go:5"), random.Random(1)
    p = game.start(position="..x../.xo../..o../...../..... o")
    for _ in range(6):
        p.play(rng.choice(p.options()))
    assert read_sgf(write_sgf(p))[0].playthrough.states[1:] == p.states[1:]


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "this is not an SGF"),
        ("hello", "this is not an SGF"),
        ("(;SZ[9];B[aa", "this is not an SGF"),
        ("(;GM[2])", "game '2'; Go is game 1"),
        ("(;SZ[9:13])", "cannot be read|not square"),
        ("(;SZ[99])", "cannot be read|size 99"),
        ("(;SZ[1])", "size is 2 to 19|size 1"),
        ("(;SZ[x])", "cannot be read|not a number"),
        ("(;SZ[5]KM[lots])", "not a number"),
        ("(;SZ[5];B[zz])", "node 1|cannot be read"),
        ("(;SZ[5];B[cc];W[cc])", r"node 2 of the SGF: white \(o\) cannot play C3 there"),
        ("(;SZ[5];B[];W[];B[cc])", "node 3 of the SGF: .* the game is over"),
        ("(;SZ[5];B[cc]AW[aa])", "middle of the game"),
        ("(;SZ[2]AB[aa][ba][ab][bb])", "has no liberty"),
    ],
)
def test_bad_files_are_refused(text, why):
    with pytest.raises(CounterplayError, match=why) as raised:
        read_sgf(text)
    assert "\n" not in str(raised.value)


def test_what_cannot_be_written_is_refused():
    with pytest.raises(CounterplayError, match="no SGF property 'XY'"):
        write_sgf(load("go:5").start(), XY="z")
    with pytest.raises(CounterplayError, match="SGF is written for go, not for nim"):
        write_sgf(load("nim").start())
