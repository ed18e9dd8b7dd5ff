"""What each command prints, for people and for programs."""

import json
import os
import re
import threading
from xml.etree import ElementTree

import pytest

from counterplay import Game, load
from counterplay.api.position import find_player
from counterplay.cli.app import COMMANDS
from counterplay.core.registry import catalogue
from counterplay.players.wording import first_sentence
from counterplay.search.tracing.trace import read_trace, replay


def test_help_names_each_command(run):
    commands = ["games", "show", "perft", "search", "solve", "trace", "study"]
    commands += ["equilibrium", "strategy", "exploit", "beliefs", "export", "play", "check"]
    for arguments in ([], ["--help"], ["-h"]):
        code, out, _ = run(*arguments)
        assert code == 0
        assert all(re.search(rf"^  {command} ", out, flags=re.MULTILINE) for command in commands)
    for command in commands:
        code, out, _ = run(command, "--help")
        assert code == 0
        assert "--json" in out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_for_people(run, command):
    _, out, _ = run(command, "--help")
    assert out.startswith(f"Usage: counterplay {command} [OPTIONS]")
    assert not re.search(r"[{}<>]|\.{4}", out)


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


def test_a_game_without_a_docstring_says_nothing_of_itself():
    class Bare(Game):
        pass

    class Described(Game):
        """Take sticks.

        Whoever takes the last one wins."""

    class Extended(Described):
        pass

    assert [first_sentence(each) for each in (Bare, Described, Extended)] == ["", "Take sticks.", "Take sticks."]


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
    assert f"drawn to {file}" in err
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


# perft


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


# search

KEYS = ["game", "player", "action", "value", "plies", "line", "depth", "nodes", "seconds", "proven", "counts"]


def test_search_finds_the_win(answer, run):
    found = answer("search", "connect-four", "--moves", "1 1 2 2 3 3", "--player", "alphabeta:depth=3")
    assert list(found) == KEYS
    assert (found["player"], found["action"], found["value"]) == ("alphabeta:depth=3", "4", 1.0)
    assert (found["plies"], found["line"], found["proven"]) == (1, ["4"], True)
    assert found["nodes"] == found["counts"]["nodes"] > 0
    code, out, _ = run("search", "connect-four", "--moves", "1 1 2 2 3 3", "--depth", 3)
    assert code == 0
    assert out.startswith("x plays 4  (value +1 in 1 ply, proven, 1 ply ahead, ")
    assert out.count("\n") == 1


def test_search_by_a_budget(answer):
    assert answer("search", "nim", "--depth", 2)["player"] == "alphabeta:depth=2"
    assert answer("search", "nim", "--player", "alphabeta:depth=9", "--time", 0.05)["player"] == "alphabeta:time=0.05"
    assert answer("search", "nim", "--depth", 9, "--time", 5)["player"] == "alphabeta:depth=9,time=5"
    found = answer("search", "connect-four", "--nodes", 3000)
    assert found["player"] == "alphabeta:nodes=3000"
    assert found["nodes"] <= 3001


@pytest.mark.parametrize("player", ["greedy", "minimax:depth=4", "negamax:depth=4", "plain-alphabeta:depth=4"])
def test_search_by_each_rung(answer, player):
    found = answer("search", "tic-tac-toe", "--moves", "a1 b1 a2 b2", "--player", player)
    assert (found["player"], found["action"], found["value"], found["line"][0]) == (player, "a3", 1, "a3")
    assert found["nodes"] > 0


def test_search_by_a_player_without_opinions(answer, run):
    found = answer("search", "pig", "--player", "random:seed=5")
    assert (found["action"], found["value"], found["depth"], found["nodes"]) == ("roll", None, 0, 0)
    assert (found["line"], found["proven"], found["counts"]) == ([], False, {})
    assert run("search", "pig", "--player", "random")[1].startswith("player 1 plays roll  (at random; ")


def test_a_position_in_which_chance_moves_is_valued_to_who_is_named(run, answer):
    where = ("search", "pig:goal=20", "--position", "3 5 turn 2 player 1 rolling", "--depth", "2")
    found = answer(*where)
    assert (found["action"], found["line"], found["value_to"]) == (None, [], "player 1")
    assert run(*where)[1].startswith(f"the die moves  (value {found['value']:+.3g} to player 1, 2 plies ahead, ")
    assert len(answer(*where, "--all")["actions"]) == 6
    code, _, told = run(*where[:-2], "--player", "mcts")
    assert (code, told) == (
        2,
        "error: mcts:time=1 chooses actions, and here chance moves; the player `expectiminimax` does\n",
    )


def test_search_lists_every_action(answer, run):
    arguments = ["search", "nim:3-4-5", "--depth", 12, "--all"]
    found = answer(*arguments)
    assert list(found) == [*KEYS, "actions"]
    assert sorted(each["action"] for each in found["actions"]) == sorted(load("nim:3-4-5").start().legal())
    assert [each["action"] for each in found["actions"] if each["value"] == 1] == ["a2"]  # to an XOR of 0
    assert found["actions"][0]["plies"] == found["plies"]
    code, out, _ = run(*arguments)
    assert code == 0
    lines = out.splitlines()
    assert len(lines) == 1 + len(found["actions"])
    assert re.fullmatch(r"  a2  \+1 in \d+ plies", lines[1])


def test_a_budget_that_completes_nothing_still_gives_an_action(answer, run):
    found = answer("search", "connect-four", "--nodes", 1)
    assert (found["action"], found["value"], found["depth"], found["proven"]) == ("1", None, 0, False)
    assert answer("search", "connect-four", "--nodes", 1, "--all")["actions"] == []
    code, out, _ = run("search", "connect-four", "--nodes", 1, "--all")
    assert code == 0
    assert "(not even depth 1 was completed)" in out


def test_search_shows_what_it_counted(answer, run):
    arguments = ["search", "connect-four", "--player", "alphabeta:techniques=none", "--depth", 5]
    counts = answer(*arguments)["counts"]
    kinds = counts["left"] + counts["cuts"] + counts["all"]
    assert counts["nodes"] == kinds + counts["leaves"]
    assert 0 < counts["first_cut_share"] <= 1
    assert counts["effective_branching"] == pytest.approx(counts["nodes"] ** (1 / 5))
    assert counts["branching"] == pytest.approx(7, abs=0.1)
    assert counts["leaves_to_minimal"] > 1
    code, out, _ = run(*arguments, "--counts")
    assert code == 0
    assert f"{counts['nodes']:,} nodes: {counts['left']:,} LEFT, {counts['cuts']:,} CUT, " in out
    assert "of the cutoffs by the first action" in out
    assert "times the leaves of the minimal trees" in out


# trace and study


def test_trace_shows_an_outline(run):
    code, out, err = run("trace", "tree", "--player", "plain-alphabeta", "--depth", 2)
    assert code == 0
    assert err == "24 events, complete: 11 nodes, 2 actions pruned\n"
    assert out.splitlines() == [
        "Max to depth 2 (-inf, inf)  3",
        "  1  Min (-inf, inf)  3",
        "    1  3",
        "    2  12",
        "    3  8",
        "  2  Min (3, inf)  <= 2",
        "    1  2",
        "    2  pruned",
        "    3  pruned",
        "  3  Min (3, inf)  <= 2",
        "    1  14",
        "    2  5",
        "    3  2",
    ]


def test_an_outline_shows_what_the_engine_does(run):
    _, out, _ = run("trace", "connect-four", "--depth", 7, "--deepening")
    assert re.search(r"^x to depth 1 \(-inf, inf\)", out)
    assert re.search(r"\(table\)$", out, flags=re.MULTILINE)
    _, out, _ = run("trace", "connect-four", "--depth", 7)
    assert re.search(r"^ +again  . to depth \d", out, flags=re.MULTILINE)
    assert re.search(r"^ +\d  . \((-?[\d.]+), \1\+\)  <= ", out, flags=re.MULTILINE)  # a null window that failed low
    _, out, err = run("trace", "connect-four", "--depth", 7, "--limit", 10)
    assert "not left" in out
    assert err.startswith("the first 10 of ")


def test_trace_writes_a_file_whole(run, answer, tmp_path):
    file = tmp_path / "trace.json"
    code, out, _ = run("trace", "tree", "--depth", 2, "-o", file)
    assert (code, out) == (0, f"24 events, complete: 11 nodes, 2 actions pruned: {file}\n")
    trace = read_trace(file)
    assert (trace.game, trace.player, trace.complete) == ("tree", "alphabeta:depth=2", True)
    assert [path.name for path in tmp_path.iterdir()] == ["trace.json"]
    position = load("tic-tac-toe").start("b2").position
    arguments = ["trace", "tic-tac-toe", "--position", position, "--moves", "a1", "--player", "minimax", "--depth", 2]
    found = answer(*arguments, "--output", file, "--limit", 20)
    assert (found["events"], found["complete"], found["file"]) == (20, False, str(file))
    assert found["happened"] == 2 * found["nodes"] == 2 * (1 + 7 + 7 * 6)  # each node is entered and left
    trace = read_trace(file)
    assert (trace.start, trace.moves) == (position, ["a1"])
    assert trace.opening().position == trace.position
    assert len(list(replay(trace))) == 20


def test_devices_and_links_stay_what_they_are(run, tmp_path):
    file, link = tmp_path / "trace.json", tmp_path / "link.json"
    file.write_text("old")
    link.symlink_to(file)
    assert run("trace", "tree", "--depth", 2, "-o", link)[0] == 0
    assert link.is_symlink()
    assert read_trace(file) == read_trace(link)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard = []
    listener = threading.Thread(target=lambda: heard.append(pipe.read_text()))
    listener.start()
    assert run("trace", "tree", "--depth", 2, "-o", pipe)[0] == 0
    listener.join(10)
    assert heard == [file.read_text()]
    assert pipe.is_fifo()


def test_study_compares_techniques(run, answer):
    found = answer("study", "connect-four", "--moves", "4 4", "--depth", 5)
    assert (found["game"], found["depth"]) == ("connect-four", 5)
    assert list(found["rows"][0]) == [
        *("group", "name", "techniques", "nodes", "seconds", "value", "plies", "sound", "agrees")
    ]
    assert all(row["agrees"] and row["value"] == found["value"] for row in found["rows"] if row["sound"])
    code, out, err = run("study", "connect-four", "--moves", "4 4", "--depth", 5)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].split() == ["depth", "5", "nodes", "share", "seconds", "value"]
    assert sum("100.0%" in line for line in lines) >= 1
    for row in found["rows"]:
        assert any(row["name"] in line and f"{row['nodes']:,}" in line for line in lines)


def test_study_admits_a_fault(run, monkeypatch):
    from counterplay.search.engine import study

    true = study.decide

    def wrong(game, s, *, techniques, **more):
        found = true(game, s, techniques=techniques, **more)
        return found._replace(value=99.0) if techniques == study.Technique.TABLE else found

    monkeypatch.setattr(study, "decide", wrong)
    code, out, err = run("study", "tree", "--depth", 2)
    assert code == 1
    assert "(differs)" in out
    assert "an internal error in Counterplay: table changed the value" in err
