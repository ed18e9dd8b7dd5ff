"""Tournaments: everyone against everyone, ratings, files for other programs."""

import csv
import io
import json
import sqlite3

import pytest

from counterplay import load
from counterplay.arena.event import Event
from counterplay.arena.export import export
from counterplay.arena.openings import Opening
from counterplay.arena.plan import Plan
from counterplay.arena.plot import plot_ratings
from counterplay.arena.standing import Standing
from counterplay.arena.store import Store
from counterplay.core.errors import CounterplayError

NIM = Plan("nim:1-2-3", ("random", "random:seed=5", "random:seed=6"), 6, "round-robin", plies=1)


@pytest.fixture(scope="module")
def nim(tmp_path_factory):
    """A tournament that was played."""
    event = Event(load(NIM.game), NIM, Store(tmp_path_factory.mktemp("nim") / "nim.db"))
    event.run(0)
    return Standing(event.game, event.store), event.store


def test_everyone_plays_everyone_from_each_side_with_the_same_openings(nim):
    standing, store = nim
    assert len(standing.results) == standing.total == 18
    seats = {(r.round, *r.players) for r in standing.results}
    assert seats == {(k, i, j) for k in range(3) for i in range(3) for j in range(3) if i != j}
    openings = {(text.round, text.opening) for text, _ in store.texts_and_results()}
    assert len(openings) == 3


def test_the_crosstable_adds_up(nim):
    standing, _ = nim
    table = standing.crosstable()
    for i in range(3):
        assert table[i][i] == (0.0, 0)
        row = standing.tally(i)
        assert row.games == 12
        assert row.score == pytest.approx(sum(points for points, _ in table[i]) / 12)
        for j in range(3):
            if i != j:
                assert table[i][j][1] == 6
                assert table[i][j][0] + table[j][i][0] == 6


def test_ratings_follow_the_scores(nim):
    standing, _ = nim
    ratings = standing.ratings()
    scores = [standing.tally(i).score for i in range(3)]
    assert sorted(range(3), key=scores.__getitem__) == sorted(range(3), key=ratings.points.__getitem__)


def test_groups_of_three_are_rated_as_well(tmp_path):
    plan = Plan("mnk:3,3,3,players=3", ("random",) * 4, 3, "round-robin", plies=1)
    event = Event(load(plan.game), plan, Store(tmp_path / "three.db"))
    event.run(0)
    standing = Standing(event.game, event.store)
    assert len(standing.results) == 4 * 3
    assert [standing.tally(i).games for i in range(4)] == [9] * 4
    assert sum(standing.ratings().points) == pytest.approx(0, abs=1e-6)
    table = standing.crosstable()
    assert all(table[i][j][1] == 6 for i in range(4) for j in range(4) if i != j)


def test_games_as_csv_and_json(nim, tmp_path):
    standing, store = nim
    lines = list(csv.DictReader(export(standing.game, store, tmp_path / "x.csv").splitlines()))
    data = json.loads(export(standing.game, store, tmp_path / "x.JSON"))
    assert Plan.from_data(data["plan"]) == NIM
    assert len(lines) == len(data["games"]) == 18
    for line, game, result in zip(lines, data["games"], standing.results, strict=True):
        assert [line["player_1"], line["player_2"]] == game["players"] == [NIM.contestants[i] for i in result.players]
        assert [float(line["utility_1"]), float(line["utility_2"])] == game["utilities"] == list(result.utilities)
        assert line["moves"] == game["moves"]
        assert standing.game.start(f"{game['opening']} {game['moves']}").returns == tuple(game["utilities"])
    with pytest.raises(CounterplayError, match=r"its name must end in \.csv or \.json"):
        export(standing.game, store, tmp_path / "x.pgn")


def test_games_in_the_format_of_their_players(tmp_path):
    from counterplay.games.checkers.pdn import read_pdn

    plan = Plan("checkers", ("random", "random:seed=1"), 2, plies=4)
    event = Event(load("checkers"), plan, Store(tmp_path / "checkers.db"))
    event.run(0)
    records = read_pdn(export(event.game, event.store, tmp_path / "x.pdn"))
    assert [record.tags["Black"] for record in records] == ["random", "random:seed=1"]
    for record, result in zip(records, event.store.results(), strict=True):
        assert record.playthrough.returns == result.utilities


def test_games_of_go_as_sgf(tmp_path):
    from counterplay.games.go.sgf import read_sgf

    plan = Plan("go:5", ("random", "random:seed=1"), 2)
    event = Event(load("go:5"), plan, Store(tmp_path / "go.db"))
    event.run(0)
    text = export(event.game, event.store, tmp_path / "x.sgf")
    records = read_sgf(text)
    assert [record.tags["PW"] for record in records] == ["random:seed=1", "random"]
    assert [record.tags["RO"] for record in records] == ["1", "2"]
    for record, result in zip(records, event.store.results(), strict=True):
        assert record.playthrough.returns == result.utilities


def test_games_of_chess_as_pgn(tmp_path):
    """python-chess reads what we write; a forfeit has its result as well."""
    pgn = pytest.importorskip("chess.pgn")
    mad = tmp_path / "mad.py"
    mad.write_text("print('ready', flush=True)\nwhile True: input(); print('move 99', flush=True)")
    plan = Plan("chess", ("random", f"line:{mad}"), 2, openings=(Opening("e4 e5 Nf3"),))
    event = Event(load("chess"), plan, Store(tmp_path / "chess.db"))
    event.run(0)
    file = io.StringIO(export(event.game, event.store, tmp_path / "x.pgn"))
    first, second = pgn.read_game(file), pgn.read_game(file)
    assert pgn.read_game(file) is None
    assert (first.headers["White"], second.headers["White"]) == ("random", f"line:{mad}")
    assert (first.headers["Result"], second.headers["Result"]) == ("1-0", "0-1")
    assert "which is not legal here" in first.headers["Termination"]
    assert [move.uci() for move in first.mainline_moves()] == ["e2e4", "e7e5", "g1f3"]
    assert not first.errors


def test_records_from_a_position_say_so():
    fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 40"
    p = load("chess").start("Kd7 e4", position=fen)
    text = load("chess").playthrough_text(p, ["a", "b"], (0.0, 0.0), {})
    assert f'[FEN "{fen}"]' in text
    assert text.endswith("40... Kd7 41. e4 1/2-1/2\n")


@pytest.mark.parametrize("suffix, start", [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_ratings_as_a_picture(nim, tmp_path, suffix, start):
    pytest.importorskip("matplotlib")
    file = tmp_path / f"ratings{suffix}"
    plot_ratings(nim[0], file)
    assert file.read_bytes().startswith(start)
    assert [each.name for each in tmp_path.iterdir()] == [file.name]
    with pytest.raises(CounterplayError, match=r"must end in \.png, \.svg, \.pdf"):
        plot_ratings(nim[0], tmp_path / "ratings.bmp")


def test_other_tools_read_the_file(nim):
    with sqlite3.connect(nim[1].path) as db:
        query = """SELECT label, count(*), avg(score) FROM seats JOIN players USING (player)
                   GROUP BY player ORDER BY player"""
        rows = db.execute(query).fetchall()
    assert [(label, games) for label, games, _ in rows] == [(label, 12) for label in NIM.labels()]
    assert sum(score for *_, score in rows) == pytest.approx(1.5)


def test_a_gauntlet_is_one_against_all(tmp_path):
    plan = Plan("nim:1-2", ("random", "random", "random"), 2, "gauntlet")
    event = Event(load(plan.game), plan, Store(tmp_path / "gauntlet.db"))
    event.run(0)
    assert [set(r.players) for r in event.store.results()] == [{0, 1}, {0, 1}, {0, 2}, {0, 2}]
    assert plan.labels() == ["random", "random #2", "random #3"]
