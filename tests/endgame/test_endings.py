"""Endings of chess and checkers by class: numbers and back, published truths, the verifier, clocks."""

from __future__ import annotations

import io
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from counterplay import CounterplayError, load
from counterplay.core.derived import derive
from counterplay.core.formats.files import hold
from counterplay.core.rules import legal
from counterplay.endgame import class_build
from counterplay.endgame.ending_tables import EndingTables
from counterplay.endgame.endings import CLASS, NOTHING, numbering
from counterplay.endgame.store import Tables
from counterplay.endgame.table_file import TableFile, write_table
from counterplay.endgame.verify import prove
from counterplay.players.specs import player
from counterplay.protocols.uci.server import UciServer
from counterplay.search.solving.solve import solve


@pytest.fixture(scope="module")
def chess(tmp_path_factory):
    folder = tmp_path_factory.mktemp("chess")
    game = load("chess")
    rows = EndingTables(folder, game).build("KRK") + EndingTables(folder, game).build("KQK")
    return game, folder, rows


@pytest.fixture(scope="module")
def checkers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("checkers")
    game = load("checkers")
    return game, folder, EndingTables(folder, game).build("2")


def counts(rows, name):
    return [
        (row["to_move"], row["won"], row["drawn"], row["lost"], row["longest"]) for row in rows if row["class"] == name
    ]


@pytest.mark.parametrize("spec", ["chess", "checkers"])
def test_numbers_and_positions_go_both_ways(spec):
    numbered, rng, met = numbering(load(spec)), random.Random(5), 0
    for k in range(len(numbered.names)):
        for _ in range(25):
            index = rng.randrange(numbered.sizes[k])
            s = numbered.game.ending_state(k, index)
            if numbered.game.is_ending(k, index, s):
                met += 1
                assert numbered.game.ending_number(s) == k << CLASS | index
                text = numbered.game.position_text(s)
                assert numbered.game.ending_number(numbered.game.parse_position(text)) == k << CLASS | index
    assert met > 150


def test_every_index_of_two_pieces_has_its_position():
    """In checkers, every position of a class has exactly one index."""
    numbered = numbering(load("checkers"))
    for k, size in enumerate(numbered.sizes[:3]):
        met = set()
        for index in range(size):
            s = numbered.game.ending_state(k, index)
            if numbered.game.is_ending(k, index, s):
                assert numbered.game.ending_number(s) == k << CLASS | index
                met.add(s)
        assert (
            len(met) == (2 * 32 * 31, 2 * 28 * 31, 2 * (28 * 28 - 24))[("K-K", "K-M", "M-M").index(numbered.names[k])]
        )


def test_rook_and_queen_against_king(chess):
    _, folder, rows = chess
    assert counts(rows, "KRK") == [("White", 21_959, 0, 0, 31), ("Black", 0, 2_796, 25_260, 32)]
    assert counts(rows, "KQK") == [("White", 18_081, 0, 0, 19), ("Black", 0, 2_896, 25_160, 20)]
    entries = TableFile(folder / "chess-KRK.table").column("entry").ravel()
    black = entries[len(entries) // 2 :]
    mated_in = Counter(((black[(black > 0) & (black != NOTHING)] - 1) // 2).tolist())
    published = (27, 78, 246, 81, 198, 471, 592, 683, 1433, 1712, 1985, 2854, 3597, 4194, 4553, 2166, 390)
    assert [mated_in[moves] for moves in range(17)] == list(published)


def test_colours_and_symmetries_share_an_entry(chess):
    game, folder, _ = chess
    tables = Tables(folder, game)
    same = ("8/8/8/8/8/2k5/8/K6R w - - 0 1", "K6R/8/2k5/8/8/8/8/8 w - - 0 1", "k6r/8/2K5/8/8/8/8/8 b - - 0 1")
    found = [tables.probe(game.parse_position(text)) for text in same]
    assert found[0] == found[1] == (1.0, found[0].plies)
    assert found[2] == (-1.0, found[0].plies)


def test_perfect_play_takes_just_so_long(chess):
    game, folder, _ = chess
    tables = Tables(folder, game)
    p = game.start(position="8/8/8/8/8/2k5/8/K6R w - - 0 1")
    plies = tables.probe(p.state).plies
    for left in range(plies, 0, -1):
        here, actions = tables.ranked(p.state)
        assert here.plies == left
        p.play(game.action_text(p.state, actions[0][0]))
    assert p.returns == (1.0, -1.0)


def test_a_win_that_the_clock_may_forestall_is_not_promised(chess):
    game, folder, _ = chess
    tables = Tables(folder, game)
    plies = tables.probe(game.parse_position("8/8/8/8/8/2k5/8/K6R w - - 0 1")).plies
    just, late = (f"8/8/8/8/8/2k5/8/K6R w - - {100 - plies + more} 90" for more in (0, 1))
    assert tables.probe(game.parse_position(just)) == (1.0, plies)
    assert tables.probe(game.parse_position(late)) is None
    drawn = game.parse_position("8/8/8/8/8/8/1k6/R6K b - - 99 90")  # the king takes the rook
    assert tables.probe(drawn) == (0.0, None)


def test_the_verifier_proves_endings_and_finds_a_wrong_entry(checkers):
    game, folder, _ = checkers
    file = folder / "checkers-K-M.table"
    opened = TableFile(file)
    assert prove(opened, game) == 2 * 868
    kept, entries = file.read_bytes(), opened.column("entry").copy()
    entries[int(np.flatnonzero(entries.ravel() == 4)[3])] = 6
    write_table(file, opened.head, {"entry": entries})
    try:
        with pytest.raises(CounterplayError, match=r"K-M in '.*' does not follow from its successors"):
            prove(TableFile(file), game)
    finally:
        file.write_bytes(kept)


def test_one_piece_each_at_checkers(checkers):
    game, folder, rows = checkers
    assert counts(rows, "K-K") == [("black", 230, 654, 108, 11), ("white", 230, 654, 108, 11)]
    assert [row[1:4] for row in counts(rows, "K-M")] == [(331, 531, 6), (53, 574, 241)]
    assert [row[1:4] for row in counts(rows, "M-M")] == [(102, 611, 47)] * 2
    tables = Tables(folder, game)
    rng = random.Random(2)
    for _ in range(40):  # against plain minimax to a small depth
        numbered = tables.endings.numbering
        k = rng.randrange(3)
        index = rng.randrange(numbered.sizes[k])
        s = numbered.game.ending_state(k, index)
        if numbered.game.is_ending(k, index, s):
            found, seen = tables.probe(s), minimax(game, s, 5)
            if seen:
                assert (found.value, found.plies) == seen
            else:
                assert found.plies is None or found.plies > 5


def minimax(game, s, depth):
    """The value to player 0 and the distance of a win that is forced within `depth` plies; None if there is none."""
    if game.is_terminal(s):
        return game.utility(s, 0), 0
    if depth == 0:
        return None
    mover = game.to_move(s)
    after = [minimax(game, game.result(s, action), depth - 1) for action in legal(game, s)]
    mine = 1.0 if mover == 0 else -1.0
    wins = [1 + each[1] for each in after if each and each[0] == mine]
    if wins:
        return mine, min(wins)
    if all(each and each[0] == -mine for each in after):
        return -mine, 1 + max(each[1] for each in after)
    return None


def test_a_player_that_knows_endings_by_heart(checkers):
    """In plain Python, as compiling takes longer than these searches."""
    known, folder, _ = checkers
    game = derive(known, compiled=False)
    tables, by_heart = Tables(folder, game), player(f"alphabeta:depth=2,tables={folder}")
    won = next(
        s
        for index in range(tables.endings.numbering.sizes[0])
        if (s := tables.endings.numbering.game.ending_state(0, index)).mine & s.theirs == 0
        and (found := tables.probe(s))
        and found == (1.0, 11)
    )
    p = game.start(position=game.position_text(won))
    for left in range(11, 0, -1):
        found = by_heart.choose(p)
        assert (found.proven, found.plies, found.value) == (True, left, 1.0 if left % 2 else -1.0)
        p.play(game.action_text(p.state, found.action))
    assert p.returns == (1.0, -1.0)
    # Three pieces, of which no table knows: a jump leads to two, and there the search takes the table's word.
    p = game.start(position="B:WK15,K30:BK10")
    found = by_heart.choose(p)
    after = tables.probe(game.result(p.state, found.action))
    assert (found.proven, found.value, found.plies) == (True, after.to(0), None)


@pytest.mark.parametrize("sample", [12, pytest.param(500, marks=pytest.mark.slow)])
def test_won_endings_are_won_and_drawn_ones_are_not_lost(checkers, sample):
    """Against perfect play by the table: a win takes exactly its distance, and a draw stays a draw."""
    known, folder, _ = checkers
    game = derive(known, compiled=False)
    tables, by_heart, rng = Tables(folder, game), player(f"alphabeta:depth=1,tables={folder}"), random.Random(8)
    left = {1.0: sample, 0.0: sample}
    while any(left.values()):
        k = rng.randrange(3)
        index = rng.randrange(tables.endings.numbering.sizes[k])
        s = tables.endings.numbering.game.ending_state(k, index)
        if not tables.endings.numbering.game.is_ending(k, index, s) or game.is_terminal(s):
            continue
        us, here = game.to_move(s), tables.probe(s)
        value = here.to(us)
        if not left.get(value):
            continue
        left[value] -= 1
        p = game.start(position=game.position_text(s))
        while not p.is_over and len(p) < (here.plies or 12):
            perfect = tables.ranked(p.state)[1][0][0]
            p.play(by_heart.choose(p).action if p.to_move == us else perfect)
        if value:
            assert p.is_over
            assert p.returns[us] == 1.0
        else:
            assert p.returns[us] == 0 if p.is_over else tables.probe(p.state).value == 0


def test_tree_search_knows_endings_by_heart(checkers):
    known, folder, _ = checkers
    game = derive(known, compiled=False)
    tables, by_heart = Tables(folder, game), player(f"mcts:simulations=200,tables={folder}")
    p = game.start(position="B:WK15,K30:BK10")  # three pieces: a jump leads to two
    found = by_heart.choose(p)
    assert (found.proven, found.value) == (True, tables.probe(game.result(p.state, found.action)).to(0))
    p.play(game.action_text(p.state, found.action))
    here = tables.probe(p.state)
    assert (by_heart.choose(p).value, by_heart.choose(p).plies) == (here.to(1), here.plies)


def test_the_solver_asks_tables(checkers):
    known, folder, _ = checkers
    game = derive(known, compiled=False)
    tables = Tables(folder, game)
    p = game.start(position="B:WK15,K30:BK10")
    found = solve(game, p.state, tables=tables)
    after = tables.probe(game.result(p.state, found.action))
    assert (found.proven, found.value, found.plies) == (True, after.to(0), None)
    two = game.result(p.state, found.action)
    at_once = solve(game, two, tables=tables, every=True)
    assert (at_once.method, at_once.value, at_once.plies) == ("tables", after.to(1), after.plies)
    assert len(at_once.actions) == len(legal(game, two))


def test_the_uci_engine_asks_tables(chess):
    game, folder, _ = chess
    out, lost, won = io.StringIO(), "8/8/8/8/8/4k3/4r3/4K3 w - - 0 1", "7k/8/5KR1/8/8/8/8/8 w - - 0 1"
    plies = [Tables(folder, game).probe(game.parse_position(fen)).plies for fen in (lost, won)]
    commands = [
        f"setoption name TablesPath value {folder}",
        f"position fen {lost}",
        "go movetime 100",
        f"position fen {won}",
        "go movetime 100",
        "setoption name TablesPath value /no/such/folder",
    ]
    UciServer("test", commands, out).run()
    lines = out.getvalue().splitlines()
    scores = [line.partition(" score ")[2].split(" tbhits")[0] for line in lines if " score " in line]
    assert scores == [f"mate -{plies[0] // 2}", f"mate {(plies[1] + 1) // 2}"]
    assert any("no folder '/no/such/folder'" in line for line in lines)
    assert sum(line.startswith("bestmove") for line in lines) == 2


def test_the_tables_that_come_with_the_package_are_right():
    game = load("checkers")
    tables = Tables(Path("checkers"), game)
    one_sided = 2 * (4960 + 28 * 465 + 378 * 30 + 3276)  # which the published number has as well
    proven = sum(prove(file, game, threads=1) for file in tables.endings.files.values())
    assert proven == 2 * (992 + 868 + 760) + 261_224 - one_sided
    chinook = player("chinook:depth=1")
    won = game.start(position="B:WK29:BK1,K2")
    assert (chinook.choose(won).proven, chinook.choose(won).value) == (True, 1.0)


def test_what_was_built_is_not_built_again(chess, monkeypatch):
    game, folder, rows = chess
    monkeypatch.setattr("counterplay.endgame.ending_tables.ClassBuild", None)
    again = EndingTables(folder, game)
    assert again.build("KRK") + again.build("KQK") == rows


def built(folder, name="K-M", **options):
    """The bytes of a class of checkers, built in an empty folder or continued there."""
    tables = EndingTables(folder, load("checkers"))
    tables.build(name, **options)
    return tables.file(name).read_bytes()


def test_a_damaged_class_is_built_again_once_it_is_deleted(checkers, tmp_path):
    _, folder, _ = checkers
    expected = built(tmp_path)
    file = tmp_path / "checkers-K-M.table"
    file.write_bytes(expected[:-200])
    with pytest.raises(CounterplayError, match="is damaged or incomplete; delete it and run `tables build` again"):
        built(tmp_path)
    file.unlink()
    assert built(tmp_path) == expected == (folder / file.name).read_bytes()


def test_threads_and_room_make_no_difference(checkers, tmp_path, monkeypatch):
    _, folder, _ = checkers
    monkeypatch.setattr(class_build, "PART", 500)  # several parts, for several threads
    expected = (folder / "checkers-K-M.table").read_bytes()
    for threads in (1, 2, 3):
        (tmp_path / str(threads)).mkdir()
        assert built(tmp_path / str(threads), threads=threads) == expected
    pieces = []
    monkeypatch.setattr(class_build.ClassBuild, "fill_piecemeal", spied(class_build.ClassBuild.fill_piecemeal, pieces))
    (tmp_path / "little").mkdir()
    assert built(tmp_path / "little", megabytes=0.158) == expected  # some hundred edges at a time
    assert len(pieces) >= 1
    with pytest.raises(CounterplayError, match=r"K-K takes 0 MB of memory or more, and --memory allows 0.01"):
        built(tmp_path, megabytes=0.01)


def spied(function, calls):
    """The function, whose calls are noted."""

    def called(*given):
        calls.append(given)
        return function(*given)

    return called


def test_a_build_that_was_killed_goes_on(checkers, tmp_path, monkeypatch):
    """In the middle of the expansion, and then between two sweeps."""
    _, folder, _ = checkers
    expected = (folder / "checkers-K-M.table").read_bytes()
    monkeypatch.setattr(class_build, "PART", 500)
    monkeypatch.setattr(class_build, "SOONEST", 0.0)
    monkeypatch.setattr("counterplay.core.formats.saving.SHARE", float("inf"))
    built(tmp_path, "K-K")
    parts, follow = [], class_build.follow

    def dies(*given):
        if given[-2] >= 1000:
            raise KeyboardInterrupt
        return follow(*given)

    monkeypatch.setattr(class_build, "follow", dies)
    with pytest.raises(KeyboardInterrupt):
        built(tmp_path, threads=1)
    monkeypatch.setattr(class_build, "follow", spied(follow, parts))
    sweeps, retreat = [], class_build.retreat
    monkeypatch.setattr(
        class_build, "retreat", lambda *given: sweeps.append(1) or (1 / 0 if len(sweeps) > 4 else retreat(*given))
    )
    with pytest.raises(ZeroDivisionError):
        built(tmp_path, threads=1)
    assert [given[-2] for given in parts] == [0, 1000, 1500]  # the first call only compiles
    plies = []
    monkeypatch.setattr(
        class_build, "retreat", lambda *given: plies.append(abs(given[4][given[2][0]])) or retreat(*given)
    )
    assert built(tmp_path, threads=1) == expected
    assert plies[0] == 5  # four sweeps were kept
    assert [file.name for file in tmp_path.iterdir() if "building" in file.name] == []


def test_two_builds_of_one_class_do_not_meet(tmp_path):
    tables = EndingTables(tmp_path, load("checkers"))
    beside = tmp_path / ".checkers-K-K.table.2.building"
    beside.mkdir()
    (beside / "lock").touch()
    held = hold(beside / "lock", "")
    with pytest.raises(CounterplayError, match="K-K is being built by another process"):
        tables.build("K-K")
    held.close()


def test_refusals(chess, tmp_path):
    game, folder, _ = chess
    with pytest.raises(CounterplayError, match="chess has no class 'KXK' of endgames: there are 35, such as KRK"):
        EndingTables(tmp_path, game).build("KXK")
    with pytest.raises(CounterplayError, match="nim has no endgame classes"):
        EndingTables(tmp_path, load("nim"))
    (folder / "chess-KNK.table").write_bytes((folder / "chess-KRK.table").read_bytes())
    try:
        with pytest.raises(CounterplayError, match="is the table of KRK, not of KNK"):
            EndingTables(folder, game)
    finally:
        (folder / "chess-KNK.table").unlink()


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec, name, first, second",
    [
        ("chess", "KBNK", (1_352_913, 6_665, 0, 65), (0, 309_147, 1_398_741, 66)),
        ("chess", "KQKR", (1_108_111, 8_963, 2_142, 69), (386_313, 78_518, 883_075, 70)),
        ("chess", "KPK", (62_480, 19_184, 0, 55), (0, 35_210, 48_802, 56)),
    ],
)
def test_larger_endings(tmp_path, spec, name, first, second):
    tables = EndingTables(tmp_path, load(spec))
    found = counts(tables.build(name), name)
    assert [row[1:] for row in found] == [first, second]
    assert prove(tables.files[tables.numbering.names.index(name)], load(spec)) == sum(first[:3]) + sum(second[:3])


@pytest.mark.slow
def test_checkers_to_four_pieces(tmp_path):
    """As many positions as are published, but for those in which one side has no piece left."""
    game = load("checkers")
    tables = EndingTables(tmp_path, game)
    rows = {(row["class"], row["to_move"]): row for row in tables.build("3") + tables.build("4")}
    positions = Counter()
    for row in rows.values():
        one, two = row["class"].split("-")
        if one != two or row["to_move"] == "black":  # where both sides have the same, the colours make no other class
            positions[len(one + two)] += row["positions"]
    alone = {3: 2 * (4960 + 28 * 465 + 378 * 30 + 3276), 4: 2 * (35960 + 28 * 4495 + 378 * 435 + 3276 * 29 + 20475)}
    assert positions[2] == 3488
    assert positions[3] == 261_224 - alone[3]
    assert positions[4] == 7_092_774 - alone[4]
    for k in (3, 8, 22):
        assert prove(tables.files[k], game) == sum(row["positions"] for row in tables.files[k].head["summary"])
