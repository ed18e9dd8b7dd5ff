"""`equilibrium`, `strategy`, `exploit` and `export`, for people and for programs, and what they refuse."""

from __future__ import annotations

import json
import re

import pytest

from counterplay import load


@pytest.fixture
def policy(tmp_path, run):
    """A policy for Kuhn poker."""
    file = tmp_path / "kuhn.policy"
    assert run("equilibrium", "kuhn-poker", "--iterations", 200, "-o", file)[0] == 0
    return file


def test_learning_says_what_it_found(answer, run):
    found = answer("equilibrium", "kuhn-poker", "--iterations", 500)
    assert found["value"] == pytest.approx(-1 / 18, abs=1e-3)
    assert found["exploitability"] < 1e-3
    assert (found["iterations"], found["information_sets"], found["histories"]) == (500, 12, 58)
    assert found["method"] == "cfr+"
    assert found["nash_conv"] == pytest.approx(2 * found["exploitability"])
    code, out, _ = run("equilibrium", "kuhn-poker", "--exploitability", 0.01, "--method", "pcfr+")
    assert code == 0
    assert re.match(r"\d+ iterations of pcfr\+ in 0\.\d\d s, 12 information sets\n", out)
    assert "value: player 1 -0.05" in out
    assert float(out.split("exploitability: ")[1]) <= 0.01


@pytest.mark.parametrize("method", ["cfr", "linear", "dcfr", "mccfr", "mccfr-outcome", "lp"])
def test_each_method(answer, method):
    goal = [] if method == "lp" else ["--iterations", 3000]
    found = answer("equilibrium", "kuhn-poker", "--method", method, *goal)
    assert found["exploitability"] < (0.2 if method.startswith("mccfr") else 0.01)
    assert abs(found["value"] + 1 / 18) <= found["nash_conv"] + 1e-12


def test_many_players_get_a_note_on_what_is_not_promised(run):
    code, out, _ = run("equilibrium", "kuhn-poker:players=3", "--iterations", 100)
    assert code == 0
    assert "may not reach an equilibrium" in out


def test_matrix_games(answer, run):
    found = answer("equilibrium", "rock-paper-scissors")
    assert (found["method"], found["value"], found["information_sets"]) == ("lp", 0, 2)
    assert found["equilibria"][0]["strategies"][0] == pytest.approx({"rock": 1 / 3, "paper": 1 / 3, "scissors": 1 / 3})
    assert found["exploitability"] < 1e-12
    found = answer("equilibrium", "prisoners-dilemma")
    assert found["equilibria"][0]["strategies"] == [{"cooperate": 0, "defect": 1}] * 2
    assert [each["action"] for each in found["dominated"]] == ["cooperate"] * 2
    for method in ("supports", "vertices"):
        assert len(answer("equilibrium", "chicken", "--method", method)["equilibria"]) == 3
    for method in ("lemke-howson", "all-labels", "logit"):
        assert answer("equilibrium", "chicken", "--method", method)["exploitability"] < 1e-9
    shared = answer("equilibrium", "chicken", "--method", "correlated")
    assert shared["payoffs"] == pytest.approx([8 / 3, 8 / 3])
    assert answer("equilibrium", "chicken", "--method", "cfr", "--iterations", 10)["iterations"] == 10
    code, out, _ = run("equilibrium", "battle-of-the-sexes")
    assert code == 0
    assert "3 equilibria by vertices" in out
    assert "   player 1: bach 3/5, stravinsky 2/5\n" in out
    code, out, _ = run("equilibrium", "prisoners-dilemma")
    assert "dominated: player 2's cooperate, by defect" in out
    code, out, _ = run("equilibrium", "chicken", "--method", "correlated")
    assert "1/3  swerve swerve" in out


def test_three_players_by_the_logit_path(answer, tmp_path):
    game = tmp_path / "three.json"
    nothing = [0, 0, 0]
    low = [[[1, 1, 1], nothing], [nothing, nothing]]
    high = [[nothing, nothing], [nothing, [2, 2, 2]]]
    game.write_text(json.dumps({"payoffs": [low, high]}))
    found = answer("equilibrium", f"matrix:{game}")
    assert found["method"] == "logit"
    assert found["exploitability"] < 1e-9


def test_training_goes_on_from_its_file(answer, run, tmp_path):
    file = tmp_path / "leduc.policy"
    assert answer("equilibrium", "leduc-poker", "--iterations", 20, "-o", file)["iterations"] == 20
    code, out, err = run("equilibrium", "leduc-poker", "--iterations", 50, "-o", file)
    assert code == 0
    assert err == f"continuing after iteration 20 of {file}\n"
    assert "exploitability: 0.0341\n" in out  # as 50 iterations in one go
    assert answer("equilibrium", "leduc-poker", "--iterations", 10, "-o", file, "--fresh")["iterations"] == 10
    code, _, err = run("equilibrium", "leduc-poker", "--method", "dcfr", "-o", file)
    assert (code, err.count("\n")) == (2, 1)
    assert "holds training by cfr+, not by dcfr; --fresh" in err
    code, _, err = run("equilibrium", "leduc-poker", "--method", "lp", "-o", file)
    assert (code, "holds a policy by cfr+; --fresh replaces it" in err) == (2, True)


def test_matrix_policies_are_written(run, answer, tmp_path):
    file = tmp_path / "chicken.policy"
    code, _, err = run("equilibrium", "chicken", "-o", file)
    assert (code, err) == (0, f"{file} holds the first of 3\n")
    found = answer("strategy", "chicken", file)
    assert [row["actions"] for row in found] == [{"dare": 1, "swerve": 0}, {"dare": 0, "swerve": 1}]
    assert run("play", "chicken", "--against", f"policy:{file}", typed="dare\n")[0] == 0


def test_a_plot_is_drawn(run, tmp_path):
    pytest.importorskip("matplotlib")
    file = tmp_path / "fall.svg"
    assert run("equilibrium", "kuhn-poker", "--iterations", 50, "--plot", file)[0] == 0
    assert "<svg" in file.read_text()


def test_strategy_shows_what_a_player_knows_and_does(run, answer, policy):
    code, out, _ = run("strategy", "kuhn-poker", policy)
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "player 1"
    assert len(lines) == 14
    assert re.fullmatch(r"  K \? pass bet  pass 0\.00\d  bet (1\.000|0\.99\d)", lines[6])
    rows = answer("strategy", "kuhn-poker", policy, "--information", "? K")
    assert [row["information"] for row in rows] == ["? K pass", "? K bet"]
    assert all(row["actions"]["bet"] > 0.99 for row in rows)
    code, out, err = run("strategy", "kuhn-poker", policy, "--limit", 3)
    assert len(out.splitlines()) == 4
    assert "9 more lines" in err
    code, _, err = run("strategy", "kuhn-poker", policy, "--information", "A")
    assert (code, "no player ever sees 'A'" in err) == (2, True)


def test_exploit_is_what_equilibrium_said(run, answer, policy, tmp_path):
    trained = answer("equilibrium", "kuhn-poker", "--iterations", 200)
    found = answer("exploit", "kuhn-poker", policy)
    assert found["exploitability"] == pytest.approx(trained["exploitability"])
    gains = [each["best_response"] - each["value"] for each in found["players"]]
    assert sum(gains) == pytest.approx(found["nash_conv"])
    best = tmp_path / "best.policy"
    code, out, _ = run("exploit", "kuhn-poker", policy, "-o", best)
    assert code == 0
    assert "exploitability: " in out
    assert "the best responses:\nplayer 1\n" in out
    assert answer("exploit", "kuhn-poker", best)["exploitability"] > 0.1  # a best response is no equilibrium


def test_a_player_is_asked_at_every_public_state(run, answer):
    found = answer("exploit", "kuhn-poker", "resolve:iterations=100")
    assert found["exploitability"] < 0.005
    assert sum(each["best_response"] for each in found["players"]) == pytest.approx(2 * found["exploitability"])
    code, out, _ = run("exploit", "kuhn-poker", "random")
    assert (code, out.splitlines()[-1]) == (0, "exploitability of random: 0.458333")


def test_export(run, answer, tmp_path):
    file = tmp_path / "kuhn.efg"
    assert answer("export", "kuhn-poker", file)["bytes"] == len(file.read_bytes())
    assert answer("equilibrium", f"tree:{file}", "--method", "lp")["value"] == pytest.approx(-1 / 18)
    table = tmp_path / "chicken.nfg"
    assert run("export", "chicken", table)[0] == 0
    assert (load(f"matrix:{table}").payoffs == load("chicken").payoffs).all()


@pytest.mark.parametrize(
    "arguments, why",
    [
        (["equilibrium", "tic-tac-toe"], "hides nothing: `counterplay search`"),
        (["equilibrium", "kuhn-poker", "--method", "magic"], "no method 'magic'; for kuhn-poker there are cfr, cfr+"),
        (["equilibrium", "kuhn-poker", "--method", "vertices"], "vertices is for matrix games"),
        (["equilibrium", "chicken", "--method", "lp"], "lp is for zero-sum games"),
        (["equilibrium", "kuhn-poker:players=3", "--method", "lp"], "lp is for two players"),
        (["equilibrium", "kuhn-poker", "--iterations", "0"], "--iterations must be above 0, not 0"),
        (["equilibrium", "kuhn-poker", "--time", "-1"], "--time must be above 0, not -1"),
        (["equilibrium", "kuhn-poker", "--exploitability", "x"], "'x' is not a number"),
        (["equilibrium", "kuhn-poker", "--method", "lp", "--time", "3"], "lp is not iterative: it takes no --time"),
        (["equilibrium", "chicken", "--plot", "x.png"], "there is nothing to plot"),
        (["equilibrium", "kuhn-poker", "--plot", "x.gif"], "ends in .png, .svg or .pdf"),
        (["equilibrium", "kuhn-poker", "-o", "/nowhere/at/all"], "cannot write"),
        (["strategy", "kuhn-poker", "nothing.policy"], "cannot read 'nothing.policy'"),
        (["exploit", "kuhn-poker", "nothing.policy"], "no such file"),
        (["exploit", "tic-tac-toe", "resolve"], "tic-tac-toe has no public tree"),
        (["exploit", "kuhn-poker", "resolve", "-o", "x"], "writes no policy"),
        (["exploit", "kuhn-poker", "deepstack"], "deepstack plays leduc-poker, not kuhn-poker"),
        (["exploit", "leduc-poker", "ismcts", "--method", "lbr"], "only players with a strategy for every hand"),
        (["exploit", "liars-dice", "random", "--method", "lbr"], "local best response is for poker"),
        (["export", "kuhn-poker", "k.nfg"], "not a matrix game: export it as a tree"),
        (["export", "kuhn-poker", "k.txt"], "must end in .nfg"),
        (["search", "kuhn-poker", "--player", "policy"], "policy needs the option 'file'"),
        (["search", "kuhn-poker", "--moves", "J Q", "--player", "policy:nothing"], "cannot read 'nothing'"),
    ],
)
def test_what_is_refused(run, arguments, why):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert why in err


def test_policies_of_other_games_are_refused(run, policy):
    for command in ("strategy", "exploit"):
        code, _, err = run(command, "leduc-poker", policy)
        assert (code, "is a policy for another game" in err) == (2, True)
