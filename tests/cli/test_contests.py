"""`match`, `tournament` and `results` at the command line."""

import json
from pathlib import Path

import pytest

from counterplay import load
from counterplay.api.match import make_plan
from counterplay.arena.referee import Control


@pytest.fixture(autouse=True)
def _home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


def test_a_match_says_who_is_stronger_and_keeps_its_games(run, answer, tmp_path):
    code, out, err = run("match", "nim:1-2-3", "random", "random:seed=3", "--games", 7, "--plies", 1, "--workers", 0)
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0] == "nim:1-2-3: random against random:seed=3, 8 games"
    assert lines[1].strip().endswith("%")
    assert lines[3].startswith("  Elo ")
    (file,) = (tmp_path / "data" / "counterplay" / "matches").glob("*.db")
    assert str(file) in err
    found = answer("results", file)
    assert (found["games"], found["form"]) == (8, "match")
    assert found["wins"] + found["draws"] + found["losses"] == 8
    assert found["players"][0]["score"] == found["score"]


def test_players_are_kept_as_they_were_typed():
    """`alphabeta` alone may use all the time that a clock gives, `alphabeta:time=1` no more than a second."""
    specs = [" alphabeta ", "alphabeta:time=1"]
    plan = make_plan(load("nim"), "nim", specs, 2, "match", None, None, 0, Control(move=5.0))
    assert plan.contestants == ("alphabeta", "alphabeta:time=1")


def test_a_tournament_is_shown_the_best_first(run, answer):
    words = ["tournament", "nim:1-2-3", "random", "random:seed=1", "random:seed=2", "--games", 4, "--workers", 0]
    code, out, err = run(*words, "--plies", 1, "-o", "t.db")
    assert code == 0, err
    assert out.splitlines()[0] == "nim:1-2-3: 3 players, 12 games"
    assert "rating" in out.splitlines()[1]
    ratings = [int(line.split()[2]) for line in out.splitlines()[2:5]]
    assert ratings == sorted(ratings, reverse=True)
    found = answer("results", "t.db", "--export", "t.csv", "--export", "t.json")
    assert found["games"] == 12
    assert found["crosstable"][0][1][1] == 4
    assert len(Path("t.csv").read_text().splitlines()) == 13
    assert len(json.loads(Path("t.json").read_text())["games"]) == 12
    code, again, err = run(*words, "--plies", 1, "-o", "t.db")
    assert (code, again) == (0, out)
    assert "12 of 12 games have already been played" in err


def test_hidden_and_general_games_show_what_players_get(run):
    code, out, _ = run("match", "kuhn-poker", "random", "random:seed=4", "--games", 6, "--workers", 0)
    assert code == 0
    assert "averages" in out
    assert "Elo" in out
    code, out, _ = run("match", "prisoners-dilemma", "random", "random", "--games", 4, "--workers", 0)
    assert code == 0
    assert "Elo" not in out
    code, out, _ = run("match", "mnk:3,3,3,players=3", "random", "random", "random", "--games", 3, "--workers", 0)
    assert code == 0
    assert out.count("averages") == 3


def test_a_broken_engine_does_not_end_the_match(run, answer):
    Path("mad.py").write_text("print('ready', flush=True)\nwhile True: input(); print('move 99', flush=True)")
    found = answer("match", "nim:1-2-3", "line:mad.py", "random", "--games", 4, "--plies", 1, "--workers", 0)
    assert (found["wins"], found["losses"]) == (0, 4)
    assert found["players"][0]["forfeits"] == 4
    assert len(found["notes"]) == 4
    assert "line:mad.py plays '99', which is not legal here" in found["notes"][0]["note"]
    code, out, _ = run("results", found["file"])
    assert code == 0
    assert "game 1: " in out


def test_engines_play_against_people_and_are_asked_for_advice(run):
    Path("mad.py").write_text("print('ready', flush=True)\nwhile True: input(); print('move 99', flush=True)")
    code, out, err = run("play", "nim:1-2-3", "--against", "line:mad.py", typed="a1\n")
    assert code == 0, err
    assert "over: player 2 has lost; line:mad.py plays '99', which is not legal here" in out
    code, out, err = run("search", "nim:1-2-3", "--player", "line:mad.py")
    assert (code, out) == (2, "")
    assert err == "error: line:mad.py plays '99', which is not legal here\n"


C = ["match", "nim:1-2-3", "random", "random", "--workers", "0"]


@pytest.mark.parametrize(
    "words, why",
    [
        (["match", "nim"], "missing argument 'SPEC"),
        (["match", "nim", "random"], "a match of nim needs 2 players, not 1"),
        (["match", "nim", "random", "random", "random"], "needs 2 players, not 3"),
        (["match", "pocket-cube", "random", "random"], "a match of pocket-cube needs 1 player, not 2"),
        (["tournament", "nim", "random"], "nim needs at least 2 players, not 1"),
        (["match", "nim", "random", "rnadom"], "did you mean random?"),
        (["match", "nim", "random", "human"], "a person cannot play in a match"),
        (["match", "kuhn-poker", "random", "alphabeta"], "hides information"),
        (["match", "nim", "random", "uci:no-such-engine"], "no program 'no-such-engine'"),
        ([*C, "--games", "0"], "1 game, not 0"),
        ([*C, "--games", "x"], "'x' is not a whole number"),
        ([*C, "--plies", "-1"], "at least 0 plies, not -1"),
        ([*C, "--openings", "none.txt"], "cannot read the openings in 'none.txt'"),
        ([*C, "--openings", "a", "--plies", "2"], "cannot be combined"),
        ([*C, "--time", "0"], "more than 0"),
        ([*C, "--clock", "soon"], "such as 60+0.5"),
        ([*C, "--clock", "0+1"], "such as 60+0.5"),
        ([*C, "--margin", "-1"], "0 or more"),
        ([*C, "--sprt", "5"], "two differences in Elo, such as 0,10"),
        ([*C, "--sprt", "10,0"], "the first difference must be the smaller one"),
        (["match", "prisoners-dilemma", "random", "random", "--sprt", "0,5"], "--sprt is for two players"),
        ([*C, "--workers", "-1"], "from 0 (in this process) to 1024"),
        ([*C, "-o", "no/such/folder.db"], "cannot open 'no/such/folder.db'"),
        (["results", "none.db"], "no file 'none.db'"),
        (["results"], "missing argument 'FILE'"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(run, words, why):
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert why in err


def test_a_file_of_another_match_is_not_overwritten(run):
    assert run(*C, "--games", 2, "-o", "m.db")[0] == 0
    code, _, err = run(*C, "--games", 2, "--seed", 1, "-o", "m.db")
    assert code == 2
    assert "holds another match (seed: 0, not 1)" in err
    code, _, err = run("results", "m.db", "--export", "m.pgn")
    assert code == 2
    assert "its name must end in .csv or .json" in err
