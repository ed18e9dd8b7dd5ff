"""`import counterplay as cp`: the public names, the same options as the commands, results to read and to store."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys

import pytest
import typer

import counterplay as cp
from counterplay.api.match import MatchResult
from counterplay.api.result import Result
from counterplay.cli.app import COMMANDS, app
from counterplay.conformance.report import Finding, Report

RULES = ["CHANCE", "Actions", "Game", "Rng", "Traits", "Wide", "count", "first", "last", "note", "ones", "replaced"]
RULES += ["grid", "hexagons", "points", "state", "u64"]
PLAY = ["CounterplayError", "Playthrough", "load", "player"]
ADAPTERS = ["from_json", "gymnasium_env", "pettingzoo_env", "to_json", "to_openspiel", "vector_env"]
TALKS = {"gtp", "mcp", "play", "serve", "uci", "usi"}
"""Commands that talk with a person or a program until they leave, and have no result."""
FUNCTIONS = {"play_match" if name == "match" else name: name for name in COMMANDS if name not in TALKS}
"""The functions, and the command of each."""
SHOWN = {"json", "help"}
"""Options that only say how a command shows what it found."""
ELSEWHERE = {
    "search": {"counts"},  # SearchResult.decision.counts
    "exercises": {"output"},  # ExerciseSheet.save
    "trace": {"output", "steps"},  # TraceResult.save, TraceResult.steps
    "results": {"export", "plot"},
}


QUICK = {"cache", "exercises", "exploit", "games", "machines", "results", "runs", "show", "strategy"}
"""Functions without `progress`: they read, show or draw something small, or make one pass over a game."""


def test_the_public_names():
    assert sorted(cp.__all__) == sorted([*RULES, *PLAY, *ADAPTERS, *FUNCTIONS])
    assert set(cp.LAZY) >= set(FUNCTIONS)
    for name in cp.__all__:
        assert getattr(cp, name) is not None
        assert name in dir(cp)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        cp.nonsense  # noqa: B018


@pytest.mark.parametrize("name, command", FUNCTIONS.items())
def test_a_function_has_the_options_of_its_command(name, command):
    declared = typer.main.get_command(app).commands[command].params
    options = {max(option.opts, key=len).strip("-") for option in declared if option.param_type_name == "option"}
    parameters = inspect.signature(getattr(cp, name)).parameters.values()
    keywords = {each.name.rstrip("_") for each in parameters if each.kind is each.KEYWORD_ONLY} - {"progress"}
    named = {
        each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD
    } & options  # such as the player
    assert {option.replace("-", "_") for option in options} - SHOWN - ELSEWHERE.get(name, set()) == keywords | named


def test_functions_that_may_take_long_report_their_progress():
    heard = {name for name in FUNCTIONS if "progress" in inspect.signature(cp._function(name)).parameters}
    assert set(FUNCTIONS) - heard == QUICK


def test_importing_is_quick():
    """Less than 0.1 s of CPU time on the machine where this was written, plus a half for slower machines."""
    code = "import time; t = time.process_time(); import counterplay; print(time.process_time() - t)"
    times = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        for _ in range(5)
    ]
    assert min(times) < 0.15, times


def test_a_folder_is_called_like_its_function_whoever_imports_it_first():
    code = (
        "from counterplay.search.decision import Decision\nimport counterplay.games.nim\nimport counterplay as cp\n"
        "assert cp.search.decision.Decision is Decision\nassert len(cp.games()) == len(cp.games.GAMES)\n"
        "print(cp.search('nim:1', depth=1).action)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == cp.search("nim:1", "minimax:depth=1").action


def holds(result: Result, command, *without: str) -> None:
    """A result reads well, and says the same as its command, except for the time it took."""
    told = json.loads(json.dumps(result.to_json()))
    for name in ("seconds", *without):
        told.pop(name, None), command.pop(name, None)
    assert told == command
    assert repr(result) == f"<{type(result).__name__}: {result}>"
    assert " object at " not in repr(result)


def test_search_and_solve(answer):
    p = cp.load("tic-tac-toe").start("b2")
    heard = []
    found = cp.search(p, depth=8, progress=heard.append)
    assert (found.value, len(found.line), found.line[0], found.nodes > 0) == (0, 8, found.action, True)
    assert heard[-1].action in p.legal()
    holds(found, answer("search", "tic-tac-toe", "--moves", "b2", "--depth", "8"), "counts")
    solved = cp.solve(p, all=True)
    assert (solved.value, solved.plies, {each.action: each.value for each in solved.actions}["b1"]) == (0, 8, -1)
    holds(solved, answer("solve", "tic-tac-toe", "--moves", "b2", "--all"))
    assert [state.action for state in (cp.search("tic-tac-toe", moves="b2", depth=8), found)] == [found.action] * 2
    assert p.moves == ["b2"]
    with pytest.raises(cp.CounterplayError, match="already has its position"):
        cp.search(p, moves="a1")
    with pytest.raises(cp.CounterplayError, match="a game is a spec such as 'connect-four'"):
        cp.search(42)


def test_trace_and_perft_and_games(answer, tmp_path):
    found = cp.trace("tree", "alphabeta", depth=3)
    found.save(tmp_path / "trace.json")
    assert json.loads((tmp_path / "trace.json").read_text()) == found.to_json()
    assert found.outline().splitlines()[0].startswith("Max to depth 3 (-inf, inf)  3")
    assert (found.summary["complete"], found.to_json()["complete"]) == (True, True)
    counted = cp.perft("tic-tac-toe", 3, divide=True)
    assert (counted.leaves, counted.divide["b2"]) == (504, 56)
    holds(counted, answer("perft", "tic-tac-toe", "3", "--divide"))
    assert json.loads(json.dumps([entry.to_json() for entry in cp.games()])) == answer("games")


def test_perft_trace_and_check_report_their_progress():
    counts = []
    found = cp.perft("tic-tac-toe", 3, progress=counts.append)
    assert [count.leaves for count in counts] == [56 * (k + 1) for k in range(9)]
    assert (found.leaves, found.divide) == (504, None)
    events, simulations = [], []
    traced = cp.trace("tree", depth=2, progress=events.append)
    assert events[-1] == len(traced.to_json()["events"])
    cp.trace("tic-tac-toe", "mcts:simulations=5", progress=simulations.append)
    assert simulations == [1, 2, 3, 4, 5]
    findings = []
    report = cp.check("nim", playthroughs=5, progress=findings.append)
    assert tuple(findings) == report.findings


def test_perft_counts_the_same_whether_it_is_divided_or_not():
    """Even if an action may repeat the position before it, as in a ko."""
    whole, divided = (cp.perft("go:size=2", 5, moves="a1 b1 b2", divide=divide) for divide in (False, True))
    assert whole.leaves == divided.leaves == sum(divided.divide.values())


def test_equilibrium(answer):
    heard = []
    found = cp.equilibrium("kuhn-poker", iterations=500, progress=heard.append)
    assert found.values[0] == pytest.approx(-1 / 18, abs=1e-3)
    holds(found, answer("equilibrium", "kuhn-poker", "--iterations", "500"))
    kuhn = cp.strategy("kuhn-poker", found.policy, information="K")
    assert kuhn.rows[0].actions.keys() == {"pass", "bet"}
    assert str(kuhn).splitlines()[0] == "player 1"
    answered = cp.exploit("kuhn-poker", found.policy)
    assert answered.exploitability == pytest.approx(found.exploitability)
    assert "exploitability:" in repr(answered)
    table = cp.equilibrium("matching-pennies")
    assert [list(map(float, one)) for one in table.equilibria[0].strategies] == [[0.5, 0.5]] * 2
    holds(table, answer("equilibrium", "matching-pennies"))


def test_a_match_and_its_file(answer, tmp_path):
    heard = []
    file = tmp_path / "match.db"
    found = cp.play_match(
        "nim", "alphabeta:depth=8", "random", games=4, workers=0, output=file, progress=lambda *done: heard.append(done)
    )
    assert heard == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert (found.games, found.duel.score >= 0.5, found.file) == (4, True, str(file))
    holds(found, answer("results", str(file)))
    assert cp.results(file).to_json() == found.to_json()


def test_a_game_that_only_this_process_knows_plays_here(tmp_path):
    class Sticks(cp.Game):
        def initial(self):
            return 4

        def to_move(self, s):
            return s % 2

        def actions(self, s, out):
            out.append(1)

        def result(self, s, action):
            return s - action

        def is_terminal(self, s):
            return s == 0

        def utility(self, s, player):
            return 1.0 if player else -1.0

    found = cp.play_match(Sticks, "random", "random", games=2, plies=0, output=tmp_path / "own.db")
    assert isinstance(found, MatchResult)
    assert (found.duel.wins, found.duel.losses) == (1, 1)


def test_a_report_reads_well():
    report = Report("nim", (Finding("rules", True, "fine"), Finding("players", True, "few", warning=True)), 0.0)
    assert repr(report) == "<Report: nim: correct as far as random play can tell; look at players>"
    assert json.loads(json.dumps(report.to_json()))["ok"]
    wrong = report._replace(findings=(Finding("rules", False, "broken"),))
    assert (str(wrong), wrong.to_json()["ok"]) == ("nim: wrong: rules", False)
    with pytest.raises(cp.CounterplayError, match="--playthroughs must be 1 or more"):
        cp.check("nim", playthroughs=0)


def test_doctor():
    heard = []
    assert cp.doctor(progress=heard.append).ok
    assert heard == ["versions", "extras", "cached", "machine", "compiles"]


def test_training(tmp_path):
    heard = []
    found = cp.train("tic-tac-toe", method="td", games=60, output=tmp_path / "run", progress=heard.append)
    assert found.model.exists()
    assert found.last == heard[-1]
    again = cp.train(output=tmp_path / "run", resume=True)
    assert again.last["games"] == found.last["games"] == 60
    with pytest.raises(cp.CounterplayError, match="'soon' is not a time"):
        cp.train("tic-tac-toe", time="soon", output=tmp_path / "other")


def test_positions_and_beliefs(answer, tmp_path):
    shown = cp.show("tic-tac-toe", moves="b2", svg=tmp_path / "board.svg")
    assert (shown.to_move, len(shown.legal), shown.over) == ("o", 8, False)
    holds(shown, answer("show", "tic-tac-toe", "--moves", "b2", "--svg", str(tmp_path / "board.svg")))
    p = cp.load("kuhn-poker").start("J K pass")
    held = cp.beliefs(p, as_="1")
    assert [each.share for each in held.possible] == [0.5, 0.5]
    holds(held, answer("beliefs", "kuhn-poker", "--moves", "J K pass", "--as", "1"))
    written = cp.export("matching-pennies", tmp_path / "pennies.nfg")
    assert written.file.read_text().startswith("NFG 1 R")
    holds(written, answer("export", "matching-pennies", str(tmp_path / "pennies.nfg")))


def test_tables_and_books(tmp_path):
    p = cp.load("tic-tac-toe").start()
    built = cp.tables("build", p, folder=tmp_path)  # a playthrough without moves is a position as well
    assert [row["positions"] for row in built.to_json()] == [2739, 2739]
    assert cp.tables("probe", p.play("b2").play("b1"), folder=tmp_path).to_json()["value"] == 1
    assert "5,478 positions" in str(cp.tables("list", folder=tmp_path))
    with pytest.raises(cp.CounterplayError, match="needs a game"):
        cp.tables("build", folder=tmp_path)
    with pytest.raises(cp.CounterplayError, match="needs a file for the book"):
        cp.book("learn", "tic-tac-toe")


def test_runs_and_what_is_wrong_with_them(tmp_path):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text("{")
    (found,) = cp.runs(tmp_path)
    assert found.damaged
    assert str(found).endswith(found.to_json()["damaged"])
    with pytest.raises(cp.CounterplayError, match="no folder"):
        cp.runs(tmp_path / "nowhere")
    with pytest.raises(cp.CounterplayError, match="give 0 or more plies"):
        cp.fit("tic-tac-toe", tmp_path / "match.db", output=tmp_path / "model.npz", skip=-1)
