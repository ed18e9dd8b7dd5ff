"""`solve`: its output for people and for programs, and its bounds when a budget runs out or on Ctrl-C."""

import json
import re

import pytest

from tests.cli.test_processes import at_a_terminal, interrupted
from tests.cli.test_wrong_input import sentence


def test_solve_shows_value_distance_and_best_actions(run, answer):
    found = answer("solve", "tic-tac-toe", "--moves", "b2 b1")
    assert (found["value"], found["bounds"], found["plies"], found["method"]) == (1.0, [1.0, 1.0], 5, "search")
    assert (found["proven"], found["complete"], found["ran_out"]) == (True, True, None)
    best = {each["action"] for each in found["actions"]}
    assert found["action"] in best
    assert best == {"a1", "c1", "a2", "c2", "a3", "c3"}
    assert all((each["value"], each["plies"]) == (1.0, 5) for each in found["actions"])
    code, out, _ = run("solve", "tic-tac-toe", "--moves", "b2 b1")
    assert code == 0
    first, second = out.splitlines()
    assert re.fullmatch(r"x plays \w\d  \(value \+1 in 5 plies, proven, [\d,]+ states; .* s\)", first)
    assert second.startswith("  just as good: ")


def test_all_solves_every_action(run, answer):
    every = answer("solve", "tic-tac-toe", "--moves", "b2 b1", "--all")
    assert [each["value"] for each in every["actions"]] == [1, 1, 1, 1, 1, 1, 0]
    assert every["actions"][-1] == {"action": "b3", "value": 0.0, "bounds": [0.0, 0.0], "plies": None}
    code, out, _ = run("solve", "tic-tac-toe", "--moves", "b2 b1", "--all")
    assert code == 0
    assert out.splitlines()[-1] == "  b3  0"
    assert "  c1  +1 in 5 plies" in out


def test_solve_by_other_methods(run, answer):
    found = answer("solve", "nim", "--method", "grundy")
    assert (found["value"], found["grundy"], found["action"], found["plies"]) == (1.0, 2, "a2", 11)
    assert "Grundy value 2" in run("solve", "nim")[1]
    found = answer("solve", "tic-tac-toe", "--method", "pns")
    assert (found["value"], found["plies"], found["proven"], found["method"]) == (0.0, None, True, "pns")


def test_too_little_leaves_bounds(run, answer):
    for option, amount in (("--nodes", "50"), ("--time", "0.05")):
        found = answer("solve", "connect-four", "--book", "none", option, amount)
        assert (found["value"], found["bounds"], found["action"], found["proven"]) == (None, [-1.0, 1.0], None, False)
        assert (found["complete"], found["ran_out"]) == (False, option[2:])
        assert len(found["actions"]) == 7
    code, out, _ = run("solve", "connect-four", "--book", "none", "--nodes", "50")
    assert code == 0
    assert out.startswith("x is to move  (value -1 to +1, 50 states; ")
    assert out.endswith("  not everything is proven: give it more --nodes\n")
    code, out, _ = run("solve", "tic-tac-toe", "--method", "pns", "--nodes", "5")  # which proves no action by itself
    assert code == 0
    first, last = out.splitlines()
    assert first.startswith("x is to move  (value -1 to +1, 5 states; ")
    assert last == "  not everything is proven: give it more --nodes"


@pytest.mark.parametrize(
    "arguments, why",
    [
        (["tic-tac-toe", "--time", "0"], "time=0: a search needs a number of seconds, more than 0"),
        (["tic-tac-toe", "--nodes", "-1"], "nodes=-1: a search has a limit of 1 to"),
        (["tic-tac-toe", "--memory", "0"], "memory=0: a table needs a number of megabytes, more than 0"),
        (["tic-tac-toe", "--memory", "x"], "invalid value for '--memory': 'x' is not a number"),
        (
            ["tic-tac-toe", "--method", "magic"],
            "no method 'magic' to solve with; there are search, deepening, retrograde, pns, grundy",
        ),
        (["tic-tac-toe", "--method", "grundy"], "grundy suits impartial games, not tic-tac-toe; the method `search`"),
        (["tic-tac-toe", "--moves", "a1 b1 a2 b2 a3"], "there is nothing to solve: the game is over"),
        (
            ["yahtzee"],
            "which has chance; `tables` does if all positions fit in memory, and the player `expectiminimax`",
        ),
        (["kuhn-poker"], "which hides information"),
        (["mnk:players=3"], "one player, or two with opposite interests"),
        ([], "missing argument 'GAME'"),
    ],
)
def test_wrong_input_is_one_sentence(run, arguments, why):
    assert why in sentence(*run("solve", *arguments))


@pytest.mark.slow
def test_control_c_leaves_what_is_proven(run):
    run("solve", "connect-four", "--book", "none", "--nodes", "1")  # compile it
    out, err = interrupted("solve", "connect-four", "--book", "none", "--json", after=10)
    found = json.loads(out)
    assert found["bounds"][0] <= 1 <= found["bounds"][1]
    assert found["nodes"] > 0
    assert "stopped; what is proven so far:" in err


@pytest.mark.slow
def test_at_a_terminal_progress_is_shown():
    code, shown = at_a_terminal(
        ["solve", "connect-four", "--book", "none"], ("value -1 to +1", ""), ("(Ctrl-C", "\x03")
    )
    assert code == 130
    assert "x is to move  (value -1 to +1" in shown
    assert "Traceback" not in shown


def test_openings_make_a_book_that_solve_answers_from(run, answer, tmp_path):
    book, game = str(tmp_path / "book.npz"), "connect-four:4,4"
    assert run("openings", game, "--plies", "1", "-o", book)[1] == f"3 solved positions in {book}\n"
    assert answer("solve", game, "--moves", "1 2", "--book", book)["method"] == "search"
    code, out, _ = run("openings", game, "--plies", "2", "-o", book)  # goes on
    assert code == 0
    assert out.endswith(f" solved positions in {book}\n")
    for moves in ("", "4", "1 2"):
        solved = answer("solve", game, "--moves", moves, "--all")
        known = answer("solve", game, "--moves", moves, "--all", "--book", book)
        assert (known["method"], known["nodes"]) == ("book", 0)
        ignored = {"method": "", "nodes": 0, "seconds": 0.0, "action": "", "actions": []}
        assert known | ignored == solved | ignored
        assert sorted(known["actions"], key=str) == sorted(solved["actions"], key=str)
    assert "proven, solved before; " in run("solve", game, "--book", book)[1]


def test_the_first_moves_of_connect_four_are_known(answer):
    found = answer("solve", "connect-four", "--moves", "4 4 4 4 4 2")
    assert (found["method"], found["value"], found["plies"], found["action"]) == ("book", 1.0, 35, "2")
    assert answer("solve", "connect-four")["plies"] == 41


@pytest.mark.parametrize(
    "arguments, why",
    [
        (["solve", "tic-tac-toe", "--book", "no.npz"], "cannot read 'no.npz': no such file or directory"),
        (
            ["solve", "tic-tac-toe", "--book", "cut.npz"],
            "'cut.npz' is not a book of solved openings, or is incomplete",
        ),
        (
            ["solve", "tic-tac-toe", "--book", "bare.npz"],
            "'bare.npz' is not a book of solved openings, or is incomplete",
        ),
        (["solve", "tic-tac-toe", "--book", "other.npz"], "'other.npz' is a book of connect-four, not of tic-tac-toe"),
        (["openings", "tic-tac-toe", "-o", "other.npz"], "'other.npz' is a book of connect-four, not of tic-tac-toe"),
        (["openings", "tic-tac-toe", "-o", "no/such/book.npz"], "no/such/book.npz"),
        (["openings", "tic-tac-toe", "--plies", "-1", "-o", "b.npz"], "--plies -1: a book begins at the start"),
        (["openings", "tic-tac-toe", "--memory", "0", "-o", "b.npz"], "memory=0: a table needs a number of megabytes"),
        (
            ["openings", "go:2", "-o", "b.npz"],
            "go:size=2 has no book of openings: a position's value there depends",
        ),
        (["openings", "pig", "-o", "b.npz"], "solve does not suit pig, which has chance"),
    ],
)
def test_wrong_books(run, tmp_path, monkeypatch, arguments, why):
    from counterplay.core.formats.archive import write_archive
    from counterplay.search.solving.openings import FORMAT, SHIPPED

    monkeypatch.chdir(tmp_path)
    whole = (SHIPPED / "connect-four.npz").read_bytes()
    (tmp_path / "other.npz").write_bytes(whole)
    write_archive(tmp_path / "bare.npz", {"format": FORMAT, "version": 1, "game": "tic-tac-toe"}, {})
    (tmp_path / "cut.npz").write_bytes(whole[: len(whole) // 2])
    assert why in sentence(*run(*arguments))
    assert not (tmp_path / "b.npz").exists()
