"""Everything that can be typed wrongly, and every way in which a file can be wrong: one sentence, exit code 2."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def sentence(code, out, err):
    """The one sentence that a wrong command prints."""
    assert code == 2
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert err.endswith("\n")
    assert "Traceback" not in err
    return err


C4 = "connect-four"


@pytest.mark.parametrize(
    "arguments, why",
    [
        (["fly"], "no such command 'fly'; see `counterplay --help`"),
        (["--fly"], "no such option"),
        (["serch"], "no such command 'serch'; did you mean search? See `counterplay --help`"),
        (["analyse", C4], "no such command 'analyse'; did you mean search? See `counterplay --help`"),
        (
            ["search", C4, "--deep", "3"],
            "no such option: --deep; did you mean --depth? See `counterplay search --help`",
        ),
        (["search", C4, "--sims", "9"], "no such option: --sims; did you mean --simulations?"),
        (["search", "--game", C4], "no such option: --game; see `counterplay search --help`"),
        (["games", "chess"], "unexpected extra argument"),
        (["show"], "missing argument 'GAME'; see `counterplay show --help`"),
        (["show", ""], "no game ''"),
        (["show", "nope"], "`counterplay games` lists them"),
        (["show", "conect-four"], "did you mean connect-four?"),
        (["show", "connect-four:width=x"], "width='x' must be a whole number"),
        (["show", "connect-four:size=3"], "it takes width, height, playouts"),
        (["show", "connect-four:99,99"], "does not fit"),
        (["show", C4, "--moves", "4 4 9"], "the 3rd move, '9': no action '9' here; legal: 1 2 3 4 5 6 7"),
        (["show", C4, "--moves", "1 1 1 1 1 1 1"], "the 7th move, '1'"),
        (["show", C4, "--moves", "1 2 1 2 1 2 1 3"], "the 8th move, '3': '3' cannot be played: the game is over"),
        (["show", C4, "--moves", "4", "4"], "moves go into quotes"),
        (["show", C4, "--position", "x"], "6 rows separated by /"),
        (["show", C4, "--position"], "'--position' requires an argument"),
        (["show", C4, "--viewer", "3"], "no player '3'; there are 1 (x), 2 (o)"),
        (["show", C4, "--viewer", "0"], "no player '0'"),
        (["show", C4, "--svg", ""], "it is not a file name"),
        (["show", C4, "--colour"], "no such option"),
        (["perft", C4], "missing argument 'DEPTH'"),
        (["perft", C4, "x"], "invalid value for 'DEPTH': 'x' is not a whole number"),
        (["perft", C4, "2.5"], "'2.5' is not a whole number"),
        (["perft", C4, "-1"], "-1"),
        (["perft", C4, "--", "-1"], "DEPTH must be from 0 to 1000, not -1"),
        (["perft", C4, "1001"], "DEPTH must be from 0 to 1000"),
        (["perft", C4, "0", "--divide"], "DEPTH must be from 1"),
        (["search", C4, "--player", "alphbeta"], "did you mean alphabeta?"),
        (["search", C4, "--player", "alphabeta:depth=x"], "must be a whole number"),
        (["search", C4, "--player", "human"], "counterplay play"),
        (["search", C4, "--depth", "x"], "invalid value for '--depth': 'x' is not a whole number"),
        (["search", C4, "--depth", "0"], "depth=0: a search looks 1 to 512 plies ahead"),
        (["search", C4, "--depth", "1000000"], "1 to 512 plies"),
        (["search", C4, "--time", "x"], "'x' is not a number"),
        (["search", C4, "--time", "-1"], "time=-1: a search needs a number of seconds, more than 0"),
        (["search", C4, "--time", "0"], "more than 0"),
        (["search", C4, "--time", "nan"], "more than 0"),
        (["search", C4, "--nodes", "0"], "nodes=0: a search has a limit of 1 to"),
        (["search", C4, "--nodes", "1.5"], "'1.5' is not a whole number"),
        (["search", C4, "--player", "alphabeta:null_move=maybe"], "null_move='maybe' must be on or off"),
        (["search", C4, "--player", "alphabeta:nul_move=on"], "did you mean null_move?"),
        (["search", C4, "--player", "alphabeta:table=-5"], "table=-5 must be from 0"),
        (["search", C4, "--player", "alphabeta:table=x"], "table='x' must be a number or off"),
        (["search", C4, "--player", "minimax", "--time", "1"], "minimax has no option 'time'; it takes depth"),
        (["search", C4, "--player", "random", "--all"], "random does not evaluate every action; `alphabeta` does"),
        (
            ["search", "pig", "--player", "minimax:depth=2"],
            "minimax does not suit pig, which has chance; the player `expecti",
        ),
        (["search", "kuhn-poker", "--player", "alphabeta"], "which hides information; the player `ismcts` does"),
        (["search", "mnk:3,3,3,3", "--player", "greedy"], "`maxn` does"),
        (["search", C4, "--moves", "1 2 1 2 1 2 1"], "the game is over"),
        (["search", "pig", "--player", "alphabeta"], "does not suit pig"),
        (
            ["search", "pig", "--moves", "roll", "--player", "mcts"],
            "here chance moves; the player `expectiminimax` does",
        ),
        (["search", "kuhn-poker", "--depth", "3"], "there is nothing to choose: chance moves"),
        (["trace"], "missing argument 'GAME'"),
        (["trace", "tree"], "a trace needs a depth, such as alphabeta:depth=4"),
        (["trace", "tree", "--depth", "0"], "1 to 512 plies"),
        (["trace", "tree", "--depth", "2", "--limit", "0"], "--limit must be from 1 to 1000000 events, not 0"),
        (["trace", "tree", "--depth", "2", "--limit", "x"], "'x' is not a whole number"),
        (["trace", "tree", "--player", "random", "--depth", "2"], "random has no option 'depth'"),
        (
            ["trace", "tree", "--player", "random"],
            "random cannot be traced; `alphabeta`, `minimax`, `expectiminimax`, `paranoid`, `maxn`, `mcts` and `ismcts`",
        ),
        (["trace", "tree", "--player", "mcts"], "a trace needs a number of simulations, such as mcts:simulations=50"),
        (["search", "kuhn-poker", "--player", "mcts"], "mcts does not suit kuhn-poker, which hides information"),
        (["trace", "tree", "--moves", "1 1", "--depth", "2"], "the game is over"),
        (["trace", "tree", "--depth", "2", "-o", "no/where.json"], "cannot write 'no/where.json': no such file"),
        (["trace", "tree", "--depth", "2", "-o", ""], "it is not a file name"),
        (["trace", "pig", "--depth", "2"], "alphabeta does not suit pig"),
        (["exercises", "minmax"], "there is no topic 'minmax'; did you mean minimax?"),
        (["exercises", "zzz"], "topics are minimax, alpha-beta, windows"),
        (["exercises", "nim", "--count", "0"], "a sheet has from 1 to 40 exercises, not 0"),
        (["exercises", "nim", "--count", "x"], "'x' is not a whole number"),
        (["exercises", "nim", "--seed", "-1"], "a seed is a whole number from 0"),
        (["exercises", "nim", "-o", "no/where.pdf"], "cannot write 'no/where.pdf': no such file"),
        (["exercises", "nim", "-o", "sheet.doc"], "a sheet is written as .html or .pdf, not as '.doc'"),
        (["exercises", "-o", "sheet.pdf"], "a sheet needs a topic"),
        (["study"], "missing argument 'GAME'"),
        (["study", C4, "--depth", "0"], "1 to 512 plies"),
        (["study", C4, "--depth", "x"], "'x' is not a whole number"),
        (["study", C4, "--moves", "1 2 1 2 1 2 1"], "the game is over"),
        (["study", "pig"], "study does not suit pig, which has chance"),
        (["study", "pig", "--moves", "roll"], "chance moves"),
        (["play", C4, "--as", "z"], "there are 1 (x), 2 (o)"),
        (["play", C4, "--against", "zed"], "there are ajedrecista, alphabeta, "),
        (["play", C4, "--seed", "x"], "'x' is not a whole number"),
        (["play", "pig", "--against", "alphabeta"], "does not suit pig"),
        (["check"], "missing argument 'FILE.py[:CLASS]'"),
        (["check", "nothere.py"], "no file 'nothere.py'"),
        (["check", "nope"], "no game 'nope'"),
        (["check", "nim", "--playthroughs", "0"], "--playthroughs must be 1 or more, not 0"),
    ],
)
def test_wrong_input_is_one_sentence(run, arguments, why):
    assert why in sentence(*run(*arguments))


CHOMP = (ROOT / "examples" / "chomp.py").read_text()
BITE = "        left = s.left\n"


def broken(tmp_path, old, new):
    """The path of a copy of Chomp with a mistake in it, and the line of the mistake."""
    assert old in CHOMP
    text = CHOMP.replace(old, new, 1)
    file = tmp_path / "broken.py"
    file.write_text(text)
    return file, 1 + next(
        i for i, (a, b) in enumerate(zip(CHOMP.splitlines(), text.splitlines(), strict=False)) if a != b
    )


MISTAKES = [
    ("def initial(self):", "def initial(self:", "does not import: SyntaxError"),
    ("from typing", "import nowhere\nfrom typing", "ModuleNotFoundError: No module named 'nowhere'"),
    ("self.rows, self.columns = rows, columns", "self.rows, self.columns = rows", "Chomp cannot be created: TypeError"),
    ("return s.left == 0", "return s.left == nothing", "`is_terminal` raises NameError"),
    ("return State(self.whole, 0)", "return 1 // 0", "ZeroDivisionError"),
    (BITE, f"{BITE}        while True: pass\n", "`result` has not returned after 5 seconds; does it loop forever?"),
]


@pytest.mark.parametrize("old, new, why", MISTAKES)
@pytest.mark.parametrize("command", ["show", "perft"])
def test_mistakes_in_a_file_are_told_with_their_line(run, tmp_path, command, old, new, why):
    if "while" in new and command != "show":
        pytest.skip("once is enough: it takes 5 seconds")
    file, line = broken(tmp_path, old, new)
    said = sentence(*run(command, file, *(["2"] if command == "perft" else [])))
    assert why in said
    places = [int(number) for number in re.findall(r"broken\.py:(\d+)", said)]
    assert places
    assert abs(places[0] - line) <= 1


def test_a_mistake_that_only_a_rare_position_meets(run, tmp_path):
    mistake = "        if action == 7 and s.left == self.whole: raise ValueError('no')\n"
    file, line = broken(tmp_path, BITE, BITE + mistake)
    said = sentence(*run("show", file, "--moves", "d2"))
    assert f"broken.py:{line}: result raises ValueError: no" in said
    compiled = sentence(*run("perft", file, "2"))
    assert "result raises ValueError: no" in compiled


def test_a_board_that_is_no_text_is_the_games_fault(run, tmp_path):
    file, _ = broken(tmp_path, "def diagram(self, s, viewer=None):", "def board(self, s, viewer=None):")
    said = sentence(*run("show", file))
    assert "does not follow the rules of a Game" in said
    assert "counterplay check" in said


def test_our_own_fault_is_not_the_persons(run, monkeypatch):
    monkeypatch.setattr("counterplay.games.connect_four.ConnectFour.board", lambda self, s, viewer=None: 1 // 0)
    code, _, err = run("show", "connect-four")
    assert code == 1
    assert "an internal error in Counterplay: ZeroDivisionError" in err
    assert "Traceback" not in err
    monkeypatch.setenv("COUNTERPLAY_TRACEBACK", "1")
    assert "Traceback" in run("show", "connect-four")[2]


def test_ctrl_c_in_the_middle_of_an_import_is_no_error(run, monkeypatch):
    class Meta:
        def __set_name__(self, owner, name):
            raise KeyboardInterrupt

    def board(self, s, viewer=None):
        type("Made", (), {"x": Meta()})  # raises a RuntimeError in its stead, before Python 3.12

    monkeypatch.setattr("counterplay.games.connect_four.ConnectFour.board", board)
    assert run("show", "connect-four") == (130, "", "")


def test_too_little_memory_gets_one_sentence(run, monkeypatch):
    def scarce(self, s, viewer=None):
        raise MemoryError

    monkeypatch.setattr("counterplay.games.connect_four.ConnectFour.board", scarce)
    code, out, err = run("show", "connect-four")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: there is not enough memory for this; ask for less")


def test_check_finds_what_is_wrong(run, tmp_path):
    file, _ = broken(tmp_path, "return State(left, 1 - s.turn)", "State(left, 1 - s.turn)")
    code, out, err = run("check", file)
    assert code == 2
    assert re.fullmatch(r"ok     names .*\nwrong  rules .*\n", out)
    assert re.search(r"^error: .*broken\.py:\d+ \(result\): `result` returns None", err)
    code, out, err = run("check", file, "--json")
    report = json.loads(out)
    assert (code, err, report["ok"], report["game"]) == (2, "", False, str(file))
    assert [finding["ok"] for finding in report["findings"]] == [True, False]  # its names, its rules
