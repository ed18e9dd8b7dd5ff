"""What each command prints, for people and for programs."""

import json
import re
from xml.etree import ElementTree

import pytest

from counterplay import load
from counterplay.cli.opening import find_player
from counterplay.core.registry import catalogue


def test_help_names_each_command(run):
    commands = ("games", "show", "perft", "search", "play", "check")
    for arguments in ([], ["--help"], ["-h"]):
        code, out, _ = run(*arguments)
        assert code == 0
        assert all(re.search(rf"^  {command} ", out, flags=re.MULTILINE) for command in commands)
    for command in commands:
        code, out, _ = run(command, "--help")
        assert code == 0
        assert "--json" in out


def test_version(run):
    from counterplay import __version__

    assert run("--version") == (0, f"counterplay {__version__}\n", "")


# games


def test_games_says_what_each_game_is(answer, run):
    found = {about["name"]: about for about in answer("games")}
    assert list(found) == sorted(catalogue())
    for name, about in found.items():
        game = load(name)
        assert about["description"] == type(game).__doc__.splitlines()[0]
        assert about["parameters"] == game.parameters
        for trait in ("players", "chance", "hidden", "zero_sum"):
            assert about[trait] == getattr(game.traits, trait)
    code, out, _ = run("games")
    assert code == 0
    lines = out.splitlines()
    for name in found:
        place = next(i for i, line in enumerate(lines) if line.startswith(f"{name} "))
        assert "player" in lines[place + 1]
    assert "chance, hidden information; players=2" in out
    assert not any(line.endswith(" ") for line in lines)


# show


def test_show_prints_the_board_and_what_is_legal(run):
    code, out, err = run("show", "connect-four", "--moves", "4 4 3")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        *[". . . . . . ."] * 4,
        ". . . o . . .",
        ". . x x . . .",
        "1 2 3 4 5 6 7",
        "",
        "o to move: 1 2 3 4 5 6 7",
        "position: ......./......./......./......./...o.../..xx...",
    ]


def test_show_for_programs(answer):
    scene = answer("show", "tic-tac-toe", "--moves", "b2")
    game = load("tic-tac-toe")
    p = game.start("b2")
    assert scene == {
        "game": "tic-tac-toe",
        "position": p.position,
        "moves": ["b2"],
        "to_move": "o",
        "legal": p.legal(),
        "over": False,
        "returns": None,
        "board": game.board(p.state),
    }


def test_moves_are_played_from_the_position(answer):
    first = answer("show", "connect-four", "--moves", "4 4")
    second = answer("show", "connect-four", "--position", first["position"], "--moves", "3")
    assert second["position"] == answer("show", "connect-four", "--moves", "4 4 3")["position"]
    assert second["moves"] == ["3"]


def test_chance_events_are_shown_with_their_probabilities(run):
    _, out, _ = run("show", "pig", "--moves", "roll")
    assert "the die to move: 1 (0.1667) 2 (0.1667)" in out


@pytest.mark.parametrize(
    "game, moves, said",
    [
        ("connect-four", "1 2 1 2 1 2 1", "over: x wins"),
        ("tic-tac-toe", "a1 b2 c3 a2 c2 c1 a3 b3 b1", "over: a draw"),
        ("kuhn-poker", "Q K bet bet", "over: player 2 wins (player 1 -2, player 2 +2)"),
        ("prisoners-dilemma", "defect defect", "over: "),
    ],
)
def test_the_end_is_told(run, answer, game, moves, said):
    code, out, _ = run("show", game, "--moves", moves)
    assert code == 0
    assert said in out
    scene = answer("show", game, "--moves", moves)
    assert (scene["over"], scene["to_move"], scene["legal"]) == (True, None, [])
    assert scene["returns"] == list(load(game).start(moves).returns)


@pytest.mark.parametrize("viewer", ["1", "player 1", "Player 1"])
def test_a_viewer_does_not_see_what_is_hidden(run, answer, viewer):
    code, out, _ = run("show", "kuhn-poker", "--moves", "Q K", "--viewer", viewer)
    assert code == 0
    assert "Q" in out
    assert "K" not in out
    scene = answer("show", "kuhn-poker", "--moves", "Q K", "--viewer", viewer)
    assert "K" not in json.dumps(scene)
    assert scene["legal"] == ["pass", "bet"]
    assert answer("show", "kuhn-poker", "--moves", "Q K", "--viewer", "2")["legal"] is None


@pytest.mark.parametrize("name", ["white (o)", "White", "o", "2"])
def test_a_player_is_called_by_name_or_number(name):
    assert find_player(load("othello"), name) == 1


def test_svg_is_written_whole(run, answer, tmp_path):
    file = tmp_path / "board.svg"
    file.write_text("old")
    code, out, err = run("show", "hex:3", "--svg", file)
    assert code == 0
    assert f"drawn into {file}" in err
    assert "to move" in out
    assert ElementTree.parse(file).getroot().tag.endswith("svg")
    assert [path.name for path in tmp_path.iterdir()] == ["board.svg"]
    assert answer("show", "hex:3", "--svg", file)["svg"] == str(file)


def test_svg_into_nowhere_leaves_nothing_behind(run, tmp_path):
    code, out, err = run("show", "hex:3", "--svg", tmp_path / "missing" / "board.svg")
    assert (code, out) == (2, "")
    assert "no such file or directory" in err
    code, _, err = run("show", "hex:3", "--svg", tmp_path)
    assert (code, list(tmp_path.iterdir())) == (2, [])
    assert "is a directory" in err


# perft and search


def test_perft_counts(answer, run):
    found = answer("perft", "tic-tac-toe", 5)
    assert set(found) == {"game", "depth", "leaves", "seconds"}
    assert (found["game"], found["depth"], found["leaves"]) == ("tic-tac-toe", 5, 15120)
    assert answer("perft", "tic-tac-toe", 0)["leaves"] == 1
    assert answer("perft", "pig", 4)["leaves"] == 41  # chance events count
    code, out, _ = run("perft", "tic-tac-toe", 4)
    assert code == 0
    assert out.startswith("3,024 leaves at depth 4")


def test_perft_starts_where_it_is_told(answer):
    p = load("connect-four").start("4 4")
    assert answer("perft", "connect-four", 3, "--moves", "4 4")["leaves"] == 343
    assert answer("perft", "connect-four", 3, "--position", p.position)["leaves"] == 343
    assert answer("perft", "connect-four", 2, "--moves", "1 2 1 2 1 2 1")["leaves"] == 0


def test_perft_divided_adds_up(answer, run):
    found = answer("perft", "othello", 4, "--divide")
    assert list(found["divide"]) == load("othello").start().legal()
    assert sum(found["divide"].values()) == found["leaves"] == 244
    assert "d3  61\n" in run("perft", "othello", 4, "--divide")[1]


def test_search_finds_the_win(answer, run):
    found = answer("search", "connect-four", "--moves", "1 1 2 2 3 3", "--player", "alphabeta:depth=3")
    assert list(found) == ["game", "player", "action", "value", "depth", "nodes", "seconds"]
    assert (found["player"], found["action"], found["value"], found["depth"]) == ("alphabeta:depth=3", "4", 1.0, 3)
    assert found["nodes"] > 0
    code, out, _ = run("search", "connect-four", "--moves", "1 1 2 2 3 3", "--depth", 3)
    assert code == 0
    assert out.startswith("x plays 4  (value +1, 3 plies ahead, ")


def test_search_by_a_budget(answer):
    assert answer("search", "nim", "--depth", 2)["player"] == "alphabeta:depth=2"
    assert answer("search", "nim", "--player", "alphabeta:depth=9", "--time", 0.05)["player"] == "alphabeta:time=0.05"


def test_search_by_a_player_without_opinions(answer):
    found = answer("search", "pig", "--player", "random:seed=5")
    assert (found["action"], found["value"], found["depth"], found["nodes"]) == ("roll", None, None, None)
