"""`tables`: build, list, probe, verify, and what is refused."""

import numpy as np
import pytest

from counterplay import load
from counterplay.endgame import turns, verify


def test_a_table_from_building_to_probing(run, answer, tmp_path):
    rows = answer("tables", "build", "tic-tac-toe", "-o", tmp_path)
    counts = {row["to_move"]: (row["positions"], row["won"], row["drawn"], row["lost"], row["longest"]) for row in rows}
    assert counts == {"x": (2739, 1830, 441, 468, 5), "o": (2739, 1006, 627, 1106, 5)}
    assert answer("tables", "tic-tac-toe") == rows
    listing = answer("tables", "list", "-o", tmp_path)
    assert [(each["game"], each["tables"]) for each in listing] == [("tic-tac-toe", rows)]
    assert [each["proven"] for each in answer("tables", "verify", "-o", tmp_path)] == [5478]
    code, out, err = run("tables", "verify", "nim", "-o", tmp_path)
    assert (code, out) == (2, "")
    assert f"no table of nim in '{tmp_path}'" in err
    found = answer("tables", "probe", "tic-tac-toe", "-o", tmp_path, "--moves", "b2 b1")
    assert (found["value"], found["plies"]) == (1.0, 5)
    assert [each["value"] for each in found["actions"]] == [1, 1, 1, 1, 1, 1, 0]
    assert found["actions"][-1] == {"action": "b3", "value": 0.0, "plies": None}
    code, out, _ = run("tables", "probe", "tic-tac-toe", "-o", tmp_path, "--moves", "b2 b1")
    assert (code, out.splitlines()[0]) == (0, "x to move: +1 in 5 plies")


def test_a_sample_is_not_called_a_proof(run, answer, tmp_path, monkeypatch):
    game = load("yahtzee")
    turns.TurnByTurn(game, np.zeros(turns.turned(game).SIZE)).save(tmp_path)
    monkeypatch.setattr(verify, "verify_turns", lambda table: 1234)
    code, out, err = run("tables", "verify", "-o", tmp_path)
    assert (code, "proven" in out) == (0, False), err
    assert "a sample is correct: 1,234 positions of 25 turns; the others were not verified" in " ".join(out.split())
    (row,) = answer("tables", "verify", "-o", tmp_path)
    assert (row["sampled"], "proven" in row) == (1234, False)


@pytest.mark.parametrize(
    "arguments, why",
    [
        (["build"], "`tables build` needs a game: write `tables build GAME`"),
        (["mend", "nim"], "`tables` does not know 'mend'; it takes build, list, verify, probe, or just a game"),
        (["list", "--moves", "a1"], "`tables list` is for whole tables"),
        (["verify", "-o", "nowhere"], "no folder 'nowhere'; `tables build GAME -o FOLDER` creates one"),
        (["probe", "nim", "-o", "."], "no table of nim in '.'"),
        (["build", "kuhn-poker"], "tables do not suit kuhn-poker, which hides information"),
        (["build", "chess"], "its endgames are built by class, such as `tables build chess --class KRK`"),
        (["build", "nim", "--class", "KRK"], "nim has no endgame classes, unlike chess and checkers"),
        (["probe", "chess", "--class", "KRK"], "--class goes with `tables build GAME` and with no position"),
        (["tic-tac-toe", "--memory", "0"], "memory=0: tables need a number of megabytes, more than 0"),
    ],
)
def test_refusals(run, arguments, why, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("tables", *arguments)
    assert (code, out) == (2, "")
    assert why in err
    assert err.count("\n") == 1
