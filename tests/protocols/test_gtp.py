"""GTP: every command by its specification, garbage in, whole games with GNU Go."""

import io
import subprocess
import sys

import pytest
from protocols.gnugo import GnuGo, needs_gnugo

from counterplay import CounterplayError, Rng, load
from counterplay.games.go.rules import Go
from counterplay.games.go.sgf import write_sgf
from counterplay.players.specs import best, player
from counterplay.protocols.gtp.server import GtpServer
from counterplay.protocols.gtp.syntax import answer, read_command
from counterplay.protocols.gtp.table import GtpTable
from counterplay.protocols.gtp.timing import Timing


def server(spec="go:9", who="random:seed=1"):
    return GtpServer(GtpTable(load(spec)), player(who), "1.0", [], io.StringIO())


def ask(s, line):
    """The answer to a line, without its sign and its end."""
    told = s.reply(read_command(line))
    assert told.startswith("="), f"{line}: {told}"
    assert told.endswith("\n\n")
    return told[1:].strip()


def fails(s, line):
    told = s.reply(read_command(line))
    assert told.startswith("? "), f"{line}: {told}"
    return told[2:].strip()


# Lines.


def test_lines_are_read_as_the_specification_says():
    assert read_command("12 play black D4 # a comment\n") == ("12", "play", ["black", "D4"])
    assert read_command("\tname\r\n") == ("", "name", [])
    assert read_command("na\x07me") == ("", "name", [])
    assert read_command("# nothing") is read_command("  \n") is None
    assert read_command("7") == ("7", "", [])
    assert answer("3", "") == "=3\n\n"
    assert answer("", "illegal move", failed=True) == "? illegal move\n\n"
    assert answer("", "a\n\nb") == "= a\n \nb\n\n"  # an empty line would end the answer


def test_administration():
    s = server()
    assert ask(s, "protocol_version") == "2"
    assert ask(s, "name") == "Counterplay"
    assert ask(s, "version") == "1.0 (random:seed=1)"
    commands = ask(s, "list_commands").split()
    required = """protocol_version name version known_command list_commands quit boardsize clear_board komi fixed_handicap
        place_free_handicap set_free_handicap play genmove undo time_settings time_left final_score final_status_list
        loadsgf reg_genmove showboard lz-analyze kata-analyze"""
    assert set(required.split()) <= set(commands)
    assert all(ask(s, f"known_command {name}") == "true" for name in commands)
    assert ask(s, "known_command dance") == "false"
    assert s.reply(read_command("5 name")) == "=5 Counterplay\n\n"


GARBAGE = [
    ("dance", "unknown command"),
    ("", "unknown command"),
    ("PLAY b c3", "unknown command"),
    ("play", "syntax error"),
    ("play b", "syntax error"),
    ("play b c3 d4", "syntax error"),
    ("play red c3", "syntax error"),
    ("play b i9", "illegal move"),
    ("play b z1", "illegal move"),
    ("play b c", "syntax error"),
    ("play b 33", "syntax error"),
    ("play b c99", "illegal move"),
    ("play b é3", "illegal move"),
    ("play b swap", "illegal move"),
    ("play w e5", "illegal move"),
    ("boardsize", "syntax error"),
    ("boardsize nine", "syntax error"),
    ("boardsize 1", "unacceptable size"),
    ("boardsize 26", "unacceptable size"),
    ("boardsize -3", "unacceptable size"),
    ("komi", "syntax error"),
    ("komi many", "syntax error"),
    ("komi nan", "syntax error"),
    ("komi 5000", "go: komi=5000 must be a number of points, up to 1000"),
    ("genmove", "syntax error"),
    ("genmove green", "syntax error"),
    ("known_command", "syntax error"),
    ("fixed_handicap 3", "board not empty"),
    ("fixed_handicap x", "syntax error"),
    ("fixed_handicap 10", "invalid number of stones"),
    ("place_free_handicap 1", "invalid number of stones"),
    ("set_free_handicap a1", "bad vertex list"),
    ("set_free_handicap a1 a1", "bad vertex list"),
    ("set_free_handicap a1 i1", "bad vertex list"),
    ("time_settings 1 2", "syntax error"),
    ("time_settings -1 2 3", "syntax error"),
    ("time_settings 1 2 3.5", "syntax error"),
    ("time_left b 1", "syntax error"),
    ("final_status_list", "syntax error"),
    ("final_status_list sleeping", "syntax error"),
    ("loadsgf", "syntax error"),
    ("loadsgf no/such/file.sgf", "cannot load file"),
    ("lz-analyze b 10 interval", "syntax error"),
    ("lz-analyze b 10 maxmoves 0", "syntax error"),
]


@pytest.mark.parametrize("line, why", GARBAGE)
def test_garbage_gets_an_error_reply_and_changes_nothing(line, why):
    s = server()
    ask(s, "play b e5")
    before = ask(s, "showboard")
    command = read_command(line) or read_command("1")
    told = s.reply(command._replace(number=""))
    assert told == f"? {why}\n\n"
    assert ask(s, "showboard") == before
    assert ask(s, "undo") == ""


# The board.


def test_moves_are_played_and_taken_back():
    s = server("go:5")
    assert fails(s, "undo") == "cannot undo"
    for line in ("play b C3", "play WHITE d3", "play w pass", "play B C4"):
        ask(s, line)
    assert s.table.p.position == "...../..x../..xo./...../..... o last C4"
    ask(s, "undo")
    assert s.table.p.state.passes == 1  # White moved twice, so Black's turn was skipped
    ask(s, "undo")
    assert s.table.p.position == "...../...../..xo./...../..... x last D3"
    ask(s, "undo")
    ask(s, "undo")
    assert fails(s, "undo") == "cannot undo"
    assert s.table.is_empty


def test_a_side_may_move_twice_and_go_on_after_the_end():
    s = server("go:5")
    for line in ("play b c3", "play b c4", "play w d3", "play b pass", "play w pass", "play b pass", "play w a1"):
        ask(s, line)
    assert s.table.p.position.startswith("...../..x../..xo./...../o.... x")
    assert fails(s, "play b c4") == "illegal move"
    assert ask(s, "genmove b") != ""


def test_a_refused_move_out_of_turn_leaves_the_turn():
    s = server("go:5")
    ask(s, "play b c3")
    assert fails(s, "play b c3") == "illegal move"
    assert s.table.p.to_move == 1


def test_superko_is_kept():
    s = server("go:5")
    moves = "b C2 w A2 b D1 w B2 b B1 w A5 b A1 w C1"
    words = moves.split()
    for colour, vertex in zip(words[::2], words[1::2], strict=True):
        ask(s, f"play {colour} {vertex}")
    assert fails(s, "play b B1") == "illegal move"


def test_komi_changes_in_the_middle_of_a_game():
    s = server("go:5")
    ask(s, "play b b2")
    ask(s, "play b a1")
    ask(s, "komi 3.5")
    assert ask(s, "get_komi") == "3.5"
    assert s.table.p.position == "...../...../...../.x.../x.... o last A1"
    assert ask(s, "final_score") == "B+21.5"
    ask(s, "undo")
    assert s.table.p.position == "...../...../...../.x.../..... o last B2"


def test_boardsize_clears_the_board():
    s = server("go:5")
    ask(s, "play b c3")
    ask(s, "boardsize 7")
    assert ask(s, "query_boardsize") == "7"
    assert s.table.is_empty


def test_handicap():
    s = server("go:9")
    assert ask(s, "fixed_handicap 2") == "C3 G7"
    assert s.table.p.to_move == 1
    ask(s, "clear_board")
    assert ask(s, "fixed_handicap 9").split() == ["C3", "G7", "C7", "G3", "C5", "G5", "E7", "E3", "E5"]
    ask(s, "boardsize 19")
    assert ask(s, "fixed_handicap 6").split() == ["D4", "Q16", "D16", "Q4", "D10", "Q10"]
    ask(s, "boardsize 6")
    assert fails(s, "fixed_handicap 2") == "invalid number of stones"
    assert len(ask(s, "place_free_handicap 5").split()) == 2  # fewer than asked for are allowed
    ask(s, "clear_board")
    ask(s, "set_free_handicap A1 B2 C3")
    assert s.table.p.position == "....../....../....../..x.../.x..../x..... o"


@needs_gnugo
def test_fixed_handicap_is_that_of_gnugo():
    with GnuGo() as other:
        for size, stones in ((19, 9), (13, 7), (9, 4), (8, 3), (7, 4)):
            s = server(f"go:{size}")
            other.ask(f"boardsize {size}")
            assert set(ask(s, f"fixed_handicap {stones}").split()) == set(other.ask(f"fixed_handicap {stones}").split())


# Play.


def test_genmove_plays_and_reg_genmove_does_not():
    s = server("go:5")
    move = ask(s, "reg_genmove b")
    assert s.table.is_empty
    move = ask(s, "genmove b")
    assert s.table.p.moves == [move]
    ask(s, "genmove b")
    assert s.table.p.to_move == 1
    ask(s, "play b pass")
    ask(s, "play w pass")
    assert ask(s, "genmove b") == "pass"


def test_time():
    t = Timing()
    assert t.clock(0) is None
    t.set(0, 1, 0)
    assert t.clock(0) is None  # no limit
    t.set(300, 0, 0)
    assert t.clock(0).left == (300, 300)
    t.spend(0, 100)
    assert t.clock(0).left == (200, 200)
    assert t.clock(1).left == (300, 300)
    t.set(10, 30, 5)
    assert t.clock(1).left[1] > 10
    t.spend(1, 11)
    assert t.clock(1).move == pytest.approx(0.9 * 30 / 5)
    t.spend(1, 10)
    assert t.clock(1).move == pytest.approx(0.9 * 20 / 4)
    t.tell(1, 3, 1)
    assert t.clock(1).move == pytest.approx(2.7)
    t.spend(1, 2)
    assert t.clock(1).move == pytest.approx(0.9 * 30 / 5)  # the next period
    s = server("go:5")
    ask(s, "time_settings 60 10 5")
    ask(s, "time_left b 5 2")
    assert s.timing.clock(0).move == pytest.approx(2.25)


def test_analysis_speaks_both_dialects():
    s = server("go:5", "mcts:simulations=50")
    s._lines.put("name")
    assert s.reply(read_command("4 lz-analyze b 500")) == "\n"
    told = s.out.getvalue()
    assert told.startswith("=4\ninfo move ")
    words = told.split()
    assert 0 <= int(words[words.index("winrate") + 1]) <= 10_000
    assert int(words[words.index("visits") + 1]) > 0
    assert s.table.is_empty
    s = server("go:5", "mcts:simulations=50")
    s._lines.put("name")
    s.reply(read_command("kata-analyze interval 500 maxmoves 2"))
    words = s.out.getvalue().split()
    assert 0 <= float(words[words.index("winrate") + 1]) <= 1
    assert words.count("info") == 2


def test_final_status_lists_the_dead():
    s = server("go:5")
    s.table.p = s.table.game.start(position=".x.x./xxxxx/ooooo/o.o.o/x.... o")
    assert ask(s, "final_status_list dead") == "A1"
    assert "A3" in ask(s, "final_status_list alive")
    assert ask(s, "final_status_list seki") == ""
    assert ask(s, "final_score") == "W+12.5"  # 10 to 15, and 7.5


def test_loadsgf(tmp_path):
    file = tmp_path / "game.sgf"
    file.write_text(write_sgf(load("go:5,komi=0.5").start("C3 C4 D4")))
    s = server("go:9")
    ask(s, f"loadsgf {file}")
    assert s.table.p.moves == ["C3", "C4", "D4"]
    assert ask(s, "get_komi") == "0.5"
    ask(s, f"loadsgf {file} 2")
    assert s.table.p.moves == ["C3"]
    (tmp_path / "bad.sgf").write_text("(;SZ[5")
    assert fails(s, f"loadsgf {tmp_path}/bad.sgf") == "cannot load file"
    assert s.table.p.moves == ["C3"]


# Hex and Othello.


def test_hex():
    s = server("hex:5,swap=on")
    ask(s, "play b c3")
    ask(s, "play w swap-pieces")
    ask(s, "boardsize 3")
    for line in ("play b b1", "play w a1", "play b b2", "play w a2", "play b b3"):
        ask(s, line)
    assert fails(s, "genmove w") == "the game is over"
    assert fails(s, "play w c1") == "illegal move"
    assert fails(s, "komi 5") == "only for go, not for hex:size=3,swap=True"
    assert fails(s, "final_score").startswith("only for go")
    ask(s, "undo")
    assert fails(s, "play w b3") == "illegal move"  # it is Black's turn
    assert ask(s, "genmove b")


def test_othello():
    s = server("othello")
    ask(s, "play b d3")
    ask(s, "play w c3")
    assert ask(s, "genmove b") in load("othello").start("d3 c3").legal()
    assert fails(s, "play w a1") == "illegal move"
    assert fails(s, "boardsize 5") == "unacceptable size"
    assert fails(s, "loadsgf x").startswith("only for go")
    ask(s, "boardsize 6")
    assert "a b c d e f" in ask(s, "showboard")


def test_other_games_are_refused():
    with pytest.raises(CounterplayError, match="GTP is spoken for go, hex and othello, not for nim"):
        GtpTable(load("nim"))


# As a process.


def test_the_command_answers_until_quit():
    lines = "1 name\n\n# comment\n2 boardsize 5\n3 genmove b\n\x004 frobnicate\n5 quit\n6 name\n"
    command = [sys.executable, "-m", "counterplay", "gtp", "go:9", "--player", "random"]
    done = subprocess.run(command, input=lines.encode() + b"\xff\n", capture_output=True, check=True, timeout=120)
    answers = done.stdout.decode().split("\n\n")
    assert [told.split()[0] for told in answers[:-1]] == ["=1", "=2", "=3", "?4", "=5"]
    done = subprocess.run([*command[:4], "nim"], input=b"", capture_output=True, timeout=120)
    assert done.returncode == 2
    assert done.stderr.decode().startswith("error: GTP is spoken for go")


# GNU Go.


@needs_gnugo
@pytest.mark.parametrize("ours", ["b", "w"])
def test_whole_games_with_gnugo(ours):
    """Each accepts every move of the other, and finally both pass."""
    size = 5
    s = server(f"go:{size}", "mcts:simulations=30")
    with GnuGo("--level", "1", "--chinese-rules", "--capture-all-dead") as other:
        for line in (f"boardsize {size}", "clear_board", "komi 0.5"):
            ask(s, line)
            other.ask(line)
        passes, turn = 0, "b"
        for _ in range(8 * size * size):
            move = ask(s, f"genmove {turn}") if turn == ours else other.ask(f"genmove {turn}")
            if move.lower() == "resign":
                return
            passes = passes + 1 if move.lower() == "pass" else 0
            if passes == 2:
                break
            if turn == ours:
                other.ask(f"play {turn} {move}")
            else:
                ask(s, f"play {turn} {move}")
            turn = "w" if turn == "b" else "b"
        assert passes == 2
        assert s.table.p.is_over or s.table.p.state.passes == 1


@needs_gnugo
@pytest.mark.parametrize("size, playthroughs", [(5, 6), (7, 3), (9, 2)])
def test_scores_are_those_of_gnugo(size, playthroughs):
    """Playthroughs that random play has brought to an end, where every stone left is alive."""
    game = Go(size, 0.5, superko=False, playouts="uniform")
    with GnuGo("--chinese-rules") as other:
        for seed in range(playthroughs):
            p, rng = game.start(), Rng(seed)
            other.ask(f"boardsize {size}")
            other.ask("komi 0.5")
            while not p.is_over:
                colour = "bw"[p.to_move]
                p.play(game.sample(p.state, rng))
                other.ask(f"play {colour} {p.moves[-1]}")
            margin = game.margin(p.state)
            assert other.ask("final_score") == f"{'B' if margin > 0 else 'W'}+{abs(margin):.1f}"


def test_go_is_played_by_its_expert_where_that_takes_the_budget():
    game = load("go:5")
    assert best(game) == best(game, ["time"]) == game.expert
    assert best(game, ["depth"]) == best(load("hex")) == "alphabeta"
    player(game.expert).require(game)
