"""Tables of whole games: against minimax and the solver, by the verifier, in files that may be damaged."""

from __future__ import annotations

import functools
import json
import random
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from counterplay import CounterplayError, Game, Wide, load, state, u64
from counterplay.core.derived import derive
from counterplay.core.language.state import words
from counterplay.core.rules import legal, listed
from counterplay.endgame import enumeration
from counterplay.endgame.enumeration import Enumeration
from counterplay.endgame.estimate import least_different
from counterplay.endgame.packing import Packing, packable
from counterplay.endgame.store import Tables
from counterplay.endgame.table import Table, build_table, file_name
from counterplay.endgame.table_file import MAGIC, VERSION, TableFile, write_table
from counterplay.endgame.verify import verify
from counterplay.players.specs import player
from counterplay.search.solving.solve import solve
from tests.search.test_alone import Slide, fewest


@pytest.fixture(scope="module")
def noughts():
    game = load("tic-tac-toe")
    return game, build_table(game, game.initial())


@functools.cache
def minimax(game, s):
    """The value to player 0 and the distance: the winner hurries, the loser delays."""
    if game.is_terminal(s):
        return game.utility(s, 0), 0
    after = [minimax(game, game.result(s, action)) for action in legal(game, s)]
    mover = game.to_move(s)
    value = (max if mover == 0 else min)(each[0] for each in after)
    away = [1 + plies for there, plies in after if there == value]
    return value, (min if (value > 0) == (mover == 0) else max)(away)


def test_every_position_of_tic_tac_toe(noughts):
    game, table = noughts
    assert table.known.count == 5478
    value = minimax(game, game.initial())[0]
    assert (table.probe(game.initial()).value, value) == (0, 0)
    for number in range(0, 5478, 7):
        s = table.state(number)
        value, plies = minimax(game, s)
        found = table.probe(s)
        assert found.value == value
        assert found.plies == (plies if value or game.is_terminal(s) else None)


def test_the_verifier_proves_a_table_and_finds_any_wrong_number(noughts):
    _, table = noughts
    assert verify(table) == 5478
    known = table.known
    for name, number, step in (("value", 3000, 0.5), ("plies", 17, 1), ("plies", 5477, -1), ("codes", 40, 1)):
        column = getattr(known, name)
        right = column[number]
        column[number] += step
        with pytest.raises(CounterplayError, match="does not follow from its successors"):
            verify(table)
        column[number] = right
    assert verify(table) == 5478


def test_the_solver_agrees(noughts):
    game, table = noughts
    for moves in ("", "a1", "b2 b1", "a1 b1 b2", "a1 c3 a3", "b2 a1 c3 a3"):
        s = game.start(moves).state
        found, entry = solve(game, s, every=True), table.probe(s)
        assert entry.to(game.to_move(s)) == found.value
        if found.value:
            assert entry.plies == found.plies
        for answer in found.actions:
            after = table.probe(game.result(s, answer.action))
            assert after.to(game.to_move(s)) == answer.value


@pytest.mark.slow
def test_connect_four_has_as_many_positions_as_tromp_counts():
    for spec, positions in (("connect-four:4,4", 161_029), ("connect-four:5,4", 3_945_711)):
        game = load(spec)
        table = build_table(game, game.initial())
        assert table.known.count == positions
        assert table.probe(game.initial()).value == 0
        assert verify(table) == positions


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec, plies",
    [
        ("connect-four:4,4", 0), ("connect-four:5,4", 0), ("connect-four:6,5", 18), ("othello:4", 0), ("othello:6", 24),
        ("kalah:3,3", 0), ("kalah:4,3", 0), ("three-mens-morris", 0),
    ],
)  # fmt: skip
def test_tables_and_the_solver_agree(spec, plies):
    """From the start, or from positions that random play reaches."""
    game, rng = load(spec), random.Random(6)
    for _ in range(4 if plies else 1):
        p = game.start()
        while not p.is_over and len(p) < plies:
            p.play(rng.choice(p.options()))
        if p.is_over:
            continue
        table = build_table(game, p.state)
        for _ in range(20):
            s = table.state(rng.randrange(table.known.count))
            if not game.is_terminal(s):
                entry, found = table.probe(s), solve(game, s)
                assert entry.to(game.to_move(s)) == found.value
                assert entry.plies == found.plies or not found.value


def test_a_puzzle_without_end_has_its_shortest_solution():
    game = Slide(8)  # in plain Python
    table = build_table(game, game.initial())
    assert table.known.count == 360
    assert table.probe(game.initial()) == (1.0, fewest(game))
    assert verify(table) == 360
    assert table.known.plies.max() == 21  # 2x3 sliding tiles: known as the farthest


def test_a_game_that_goes_round_in_circles():
    """Tapatan against plain sweeps over all positions, until nothing changes."""
    game = derive(load(str(Path(__file__).parents[2] / "examples" / "tapatan.py")), compiled=False)
    table = build_table(game, game.initial())
    assert table.known.count == 5390
    states = [table.state(number) for number in range(5390)]
    below = {s: [game.result(s, a) for a in listed(game, s)] for s in states if not game.is_terminal(s)}
    known = {s: (game.utility(s, 0), 0) for s in states if game.is_terminal(s)}
    for ply in range(1, 60):
        for s in [s for s in below if s not in known]:
            mine = 1.0 if game.to_move(s) == 0 else -1.0
            after = [known.get(each, (0.0, ply)) for each in below[s]]
            if any(each == (mine, ply - 1) for each in after):
                known[s] = mine, ply
            elif all(value == -mine and plies < ply for value, plies in after):
                known[s] = -mine, ply
    assert {s: tuple(table.probe(s)) for s in states} == {s: known.get(s, (0.0, None)) for s in states}
    assert table.probe(game.initial()) == (1.0, 9)  # in the middle, and the first player wins


def test_pig_to_six_by_plain_iteration():
    game = load("pig:6")
    table = build_table(game, game.initial())
    values = {}
    states = [table.state(number) for number in range(table.known.count)]
    for _ in range(100):
        for s in states:
            if game.is_terminal(s):
                values[s] = game.utility(s, 0)
                continue
            after = [values.get(game.result(s, option), 0.0) for option in legal(game, s)]
            mover = game.to_move(s)
            values[s] = sum(after) / 6 if mover < 0 else max(after) if mover == 0 else min(after)
    np.testing.assert_allclose(table.known.value, [values[s] for s in states], atol=1e-9)


def test_expectiminimax_plays_a_table_by_heart(tmp_path):
    game = load("pig:6")
    build_table(game, game.initial()).save(tmp_path / "pig.table")
    tables, by_heart = Tables(tmp_path, game), player(f"expectiminimax:depth=1,tables={tmp_path}")
    for moves in ("", "roll 3", "roll 2 hold roll 4"):
        p = game.start(moves)
        found = by_heart.choose(p)
        assert (found.proven, found.value) == (True, tables.probe(p.state).to(p.to_move))
        assert len(found.options) == len(p.options())


@pytest.mark.slow
def test_pig_to_a_hundred():
    game = load("pig")
    assert (1 + build_table(game, game.initial()).probe(game.initial()).value) / 2 == pytest.approx(0.5306, abs=5e-5)


# States as numbers.


@state
class Inner(NamedTuple):
    a: int
    b: bool


@state
class Every(NamedTuple):
    board: Wide(100)
    mine: u64
    inner: Inner
    share: float
    scores: tuple[int, int]


class Everything(Game):
    """A state with a field of each kind."""

    def initial(self):
        return Every(Wide(100)(1 << 99 | 5), u64(2**64 - 1), Inner(-7, True), -0.25, (3, -(2**63)))


def test_states_come_back_from_their_words():
    game = packable(Everything())
    s = game.initial()
    assert game.state_of([int(word) for word in words(s)]) == s


def test_packing_is_exact():
    low, high = [-5, 0, -(2**63), 7], [10, 2**40, 2**63 - 1, 7]
    packing = Packing(low, high)
    assert packing.width == 2
    for given in (low, high, [0, 12345, -1, 7]):
        assert packing.pack(given)
        packing.unpack(packing.code, 0)
        assert packing.unpacked.tolist() == given
    assert not packing.pack([11, 0, 0, 7])
    assert not packing.pack([0, 0, 0, 6])


# What does not suit.


@pytest.mark.parametrize(
    "spec, sentence",
    [
        ("kuhn-poker", "hides information"),
        ("mnk:3,3,3,players=3", "one player, or two with opposite interests"),
        ("go:5", "depends on which ones came before"),
    ],
)
def test_unsuitable_games(spec, sentence):
    game = load(spec)
    with pytest.raises(CounterplayError, match=sentence):
        Enumeration(game, game.initial())


def test_a_build_that_was_killed_goes_on(noughts, tmp_path, monkeypatch):
    game, table = noughts
    monkeypatch.setattr(enumeration, "BATCH", 500)
    monkeypatch.setattr("counterplay.endgame.table.SOONEST", 0.0)
    monkeypatch.setattr("counterplay.core.formats.saving.SHARE", float("inf"))

    def met(line):
        return int(line.split()[0].replace(",", ""))

    def dies(line):
        if met(line) > 3000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_table(game, game.initial(), report=dies, beside=tmp_path / "kept")
    again = []
    whole = build_table(game, game.initial(), report=again.append, beside=tmp_path / "kept")
    assert met(again[0]) > 2000  # it did not begin with the first
    assert np.array_equal(whole.known.codes, table.known.codes)
    assert np.array_equal(whole.known.plies, table.known.plies)
    (tmp_path / "kept").write_bytes(b"nothing of the kind")
    assert build_table(game, game.initial(), beside=tmp_path / "kept").known.count == 5478


def test_too_many_positions_for_the_memory(noughts):
    game, _ = noughts
    with pytest.raises(CounterplayError, match=r"too many positions for a table: .* --memory allows 0.5"):
        build_table(game, game.initial(), megabytes=0.5)


def test_few_meetings_mean_many_positions():
    rng = np.random.default_rng(4)
    for size in (10, 1000, 10**5, 10**7):
        least = least_different(rng.integers(1, size + 1, 20_000))
        assert size / 2 < least <= 1.05 * size if size < 10**7 else least > 10**6
    assert least_different(np.zeros(0)) == 0


def test_far_too_many_positions_are_refused_early(noughts, monkeypatch):
    game, _ = noughts
    monkeypatch.setattr(enumeration, "MANY", 2 * enumeration.STATES)
    monkeypatch.setattr(enumeration, "least_positions", lambda game, s: 4e12)
    with pytest.raises(CounterplayError, match=r"too many positions for a table: at least 4e\+12 by a sample"):
        build_table(game, game.initial())


# Files.


def test_a_table_comes_back_from_its_file(noughts, tmp_path):
    game, table = noughts
    file = tmp_path / file_name(game, game.initial())
    table.save(file)
    again = Table.read(file, game)
    for name in ("codes", "value", "plies"):
        np.testing.assert_array_equal(getattr(again.known, name), getattr(table.known, name))
    here, actions = Tables(tmp_path, game).ranked(game.start("a1 b1").state)
    assert here.value == 1.0
    assert [entry.value for _, entry in actions[:2]] == [1.0, 1.0]


def test_damaged_and_foreign_files(noughts, tmp_path):
    game, table = noughts
    file = tmp_path / "x.table"
    table.save(file)
    whole = file.read_bytes()
    for position in (*range(0, 50, 3), *range(60, len(whole), 500)):
        file.write_bytes(whole[:position])
        with pytest.raises(CounterplayError, match=r"damaged|no table"):
            Table.read(file, game)
        file.write_bytes(whole[:position] + bytes([whole[position] ^ 0x41]) + whole[position + 1 :])
        with pytest.raises(CounterplayError, match=r"damaged|no table|of version"):
            Table.read(file, game)
    file.write_bytes(whole)
    with pytest.raises(CounterplayError, match="is a table of tic-tac-toe, not of nim"):
        Table.read(file, load("nim"))


@pytest.mark.parametrize(
    "change",
    [
        {"game": None},
        {"summary": [{}]},
        {"summary": 3},
        {"values": "none"},
        {"values": [[0]]},
        {"packing": [[0], [1]]},
        {"packing": [[0] * 5, ["x"] * 5]},
        {"endless": None},
    ],
    ids=str,
)
def test_a_head_that_makes_no_sense(noughts, tmp_path, change):
    game, table = noughts
    table.save(tmp_path / "x.table")
    opened = TableFile(tmp_path / "x.table")
    columns = {name: opened.column(name) for name in opened.head["columns"]}
    write_table(tmp_path / "x.table", {**table.head, **change}, columns)
    with pytest.raises(CounterplayError, match="is damaged or incomplete"):
        Table.read(tmp_path / "x.table", game)


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("summary", [{"class": "x", "to_move": "x", "positions": {}, "won": 1, "drawn": 1, "lost": 1, "longest": 1}]),
        ("summary", [{"class": "x", "to_move": "x", "positions": 3, "won": 1, "drawn": 1, "lost": 1, "longest": "9"}]),
        ("blocks", [[0, 10]]),
        ("blocks", [[0, 10, "x"]]),
        ("positions", 2.0),
    ],
    ids=str,
)
def test_a_head_of_wrong_types_is_refused_immediately(noughts, tmp_path, name, bad):
    _, table = noughts
    file = tmp_path / "x.table"
    table.save(file)
    head = TableFile(file).head
    told = json.dumps(head | {name: bad}).encode()
    file.write_bytes(f"{MAGIC} {VERSION} {len(told)} {zlib.crc32(told):08x}\n".encode() + told + b"\n")
    with pytest.raises(CounterplayError, match="is damaged or incomplete"):
        TableFile(file)


class Bent(type(load("tic-tac-toe"))):
    """Tic-tac-toe with another payoff, under the same name."""

    name = "tic-tac-toe"

    def utility(self, s, player):
        return -super().utility(s, player)


def test_a_table_of_other_rules_is_refused(noughts, tmp_path):
    _, table = noughts
    table.save(tmp_path / "x.table")
    with pytest.raises(CounterplayError, match="was built with different rules of tic-tac-toe"):
        Table.read(tmp_path / "x.table", Bent())
