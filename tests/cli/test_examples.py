"""The examples that a newcomer copies are correct and short, and are not among the built-in games."""

from pathlib import Path

import pytest

from counterplay import CHANCE
from counterplay.conformance.check import check, check_here
from counterplay.conformance.compiled import plain_twin
from counterplay.core.registry import catalogue, load
from counterplay.core.rules import legal
from counterplay.players.specs import best, player

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))


def test_check_praises_what_is_right(run):
    code, out, _ = run("check", FOLDER / "ghost.py", "--playthroughs", "20")
    assert code == 0
    assert "ok     rules        20 random playthroughs, " in out
    assert "playouts per second, in plain Python" in out
    assert "is correct as far as random play can tell" in out


def test_the_report_as_json_says_what_to_look_at(answer):
    told = answer("check", FOLDER / "ghost.py", "--playthroughs", "5", "--json")
    assert told["ok"]
    assert all(set(finding) == {"what", "ok", "detail", "warning"} for finding in told["findings"])


QUICK = {"sealed"}
"""One with secrets and chance; the others are compiled by `make test-slow`."""
BIG = {"gomoku", "pegs", "tapatan"}
"""As plain Python these take seconds: they are for `make test-slow` as well."""
PLAINLY = [pytest.param(file, marks=pytest.mark.slow) if file.stem in BIG else file for file in EXAMPLES]
QUICKLY = [file if file.stem in QUICK else pytest.param(file, marks=pytest.mark.slow) for file in EXAMPLES]


@pytest.mark.parametrize("file", PLAINLY, ids=lambda file: file.stem)
def test_examples_are_right_in_plain_python(file):
    report = check_here(plain_twin(load(str(file))), 30, seconds=20)
    assert report.ok, report.findings


@pytest.mark.parametrize("file", QUICKLY, ids=lambda file: file.stem)
def test_examples_are_right(file):
    report = check(str(file), playthroughs=100)
    assert report.ok, report.findings


def test_examples_are_short_and_not_games_that_we_have():
    assert len(EXAMPLES) >= 3
    for file in EXAMPLES:
        assert len(file.read_text().splitlines()) <= 80
        assert file.stem not in catalogue()


@pytest.mark.slow
def test_the_first_player_wins_chomp(answer):
    assert answer("search", f"{FOLDER}/chomp.py:rows=3,columns=4", "--depth", 12)["value"] == 1
    assert answer("search", f"{FOLDER}/chomp.py:rows=1,columns=1", "--depth", 1)["value"] == -1


@pytest.mark.slow
def test_a_solitaire_of_pegs_comes_out(answer):
    """On the triangle of 15 holes with the top empty, one peg can be left; on that of 6 holes, none can jump far enough."""
    assert answer("solve", FOLDER / "pegs.py")["value"] == 0
    assert answer("solve", f"{FOLDER}/pegs.py:rows=3")["value"] == naive_pegs(load(f"{FOLDER}/pegs.py:rows=3"))


def naive_pegs(game):
    """The best score by trying everything in plain Python."""

    def best(s):
        options = legal(game, s)
        return max(best(game.result(s, a)) for a in options) if options else game.utility(s, 0)

    return best(game.initial())


@pytest.mark.parametrize("coins", [5, 6])
def test_one_of_three_against_both_others(answer, coins):
    """(Max^n has several values here, depending on how players choose among equally good actions.)"""
    game = load(f"{FOLDER}/trio.py:coins={coins}")

    def worth(s):
        if game.is_terminal(s):
            return game.utility(s, 0)
        return (max if game.to_move(s) == 0 else min)(worth(game.result(s, a)) for a in legal(game, s))

    found = answer("search", f"{FOLDER}/trio.py:coins={coins}", "--player", "paranoid:depth=12")
    assert found["value"] == worth(game.initial())


@pytest.mark.parametrize("file, value", [("forehead.py", None), ("sealed.py", 0.0)])
def test_hidden_examples_have_an_equilibrium(answer, file, value):
    exact = answer("equilibrium", FOLDER / file, "--method", "lp")
    learned = answer("equilibrium", FOLDER / file, "--method", "cfr+", "--iterations", 300)
    assert exact["exploitability"] < 1e-6
    assert learned["exploitability"] < 0.02
    assert learned["values"][0] == pytest.approx(exact["values"][0], abs=0.02)
    if value is not None:  # both players have the same cards
        assert exact["values"][0] == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("file", QUICKLY, ids=lambda file: file.stem)
def test_examples_are_played_by_their_default_player(file):
    game = load(str(file))
    p = game.start(seed=1)
    with player(best(game, ["time"]), budget={"time": 0.05}, seed=1) as chosen:
        while not p.is_over and len(p) < 12:
            if p.to_move == CHANCE:
                p.roll()
            else:
                p.play(chosen.choose(p).action)
    assert len(p) >= 3
