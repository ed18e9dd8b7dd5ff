"""External engines: honest ones play, broken ones forfeit, and no process outlives its player."""

import os
import re
import shutil
import sys
import time
from contextlib import nullcontext
from pathlib import Path

import pytest

from counterplay import CounterplayError, load
from counterplay.arena.openings import Opening
from counterplay.arena.referee import Control, play
from counterplay.core.errors import UnknownGame, Unsuitable
from counterplay.players.clock import Clock
from counterplay.players.engines import engine, process, uci
from counterplay.players.engines.gtp import CommandRefused
from counterplay.players.engines.process import GAMES_FOLDERS, find_command
from counterplay.players.engines.uci import read_info, read_option
from counterplay.players.player import Forfeit
from counterplay.players.specs import player

FAKE = Path(__file__).parent / "fake.py"
PROTOCOLS = ["line", "uci", "gtp", "xboard"]


def fake(protocol, mode, more=""):
    return f"{protocol}:{FAKE} {protocol} {mode}{more}"


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def alive():
    """The processes of engines that still run."""
    yield lambda: [each for each in process._running if each.popen.poll() is None]
    assert not [each for each in process._running if each.popen.poll() is None]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_honest_engine_plays_a_whole_game_over_each_protocol(protocol, alive):
    with player(fake(protocol, "honest")) as honest, player("random:seed=1") as other:
        for seats in ([honest, other], [other, honest]):
            played = play(load("tic-tac-toe"), seats, Opening("b2 a1"))
            assert (played.ended, played.note, played.loser) == ("rules", "", None)
            assert len(played.moves) >= 3
        assert len(alive()) == 1
    assert alive() == []


def test_an_engine_plays_as_the_same_moves_would_by_hand():
    p = load("tic-tac-toe").start("b2 a1")
    with player(fake("line", "honest")) as honest:
        found = honest.choose(p)
    assert p.game.action_text(p.state, found.action) == p.legal()[0]
    assert found.value == 0.5


@pytest.mark.parametrize(
    "mode, kind, why",
    [
        ("hang", "silent", "hangs: no answer within 0.5 s"),
        ("flood", "silent", "hangs: no answer within 0.5 s"),
        ("die", "died", "died .exit code 3: out of cheese."),
        ("cheat", "illegal", "plays 'z99', which is not legal here"),
        ("resign", "resigned", "resigns"),
    ],
)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_broken_engine_forfeits_with_a_clear_note(protocol, mode, kind, why, alive):
    if (protocol, mode) == ("gtp", "flood"):
        kind, why = "nonsense", "answers 'genmove' by 'info xxx.*, which is not GTP"
    with player(fake(protocol, mode, ",patience=0.5")) as broken, player("random:seed=1") as other:
        first = player(fake(protocol, "honest"))  # warms the file cache, so that starting takes no time
        first.close()
        game = load("tic-tac-toe")
        if mode not in ("hang", "flood"):
            broken.patience = 20  # whatever it does, it is not silent
        else:
            broken.converse = hurried(broken)
        played = play(game, [other, broken], Opening("b2 a1"))
    assert played.ended == kind, played.note
    assert played.loser == 1
    assert played.returns == (1.0, -1.0)
    assert played.note.startswith(f"{game.player_name(1)}, {protocol}:")
    assert re.search(why, played.note, re.IGNORECASE), played.note
    assert alive() == []


def hurried(broken):
    """Its first, honest answer may take as long as this machine needs."""
    converse, calls = broken.converse, []

    def patient(process, p, clock, deadline):
        calls.append(1)
        return converse(process, p, clock, deadline if len(calls) > 1 else time.monotonic() + 30)

    return patient


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_nonsense_is_no_answer(protocol, alive):
    with player(fake(protocol, "garbage", ",patience=20")) as broken:
        p = load("tic-tac-toe").start("b2 a1")
        p.play(broken.choose(p).action).play(p.options()[0])
        if protocol in ("uci", "xboard"):  # the protocols require unknown lines to be skipped
            assert broken.choose(p).action in p.options()
        else:
            with pytest.raises(Forfeit, match=r"answers .*no protocol knows this"):
                broken.choose(p)


def test_a_stubborn_engine_goes_with_all_that_it_started(alive, tmp_path):
    with player(fake("line", "stubborn", ",patience=2")) as stubborn:
        p = load("tic-tac-toe").start()
        p.play(stubborn.choose(p).action).play(p.options()[0])
        with pytest.raises(Forfeit, match="hangs"):
            stubborn.choose(p)
    child = int((tmp_path / "pid").read_text())
    for _ in range(100):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            break
        if Path(f"/proc/{child}/stat").exists() and Path(f"/proc/{child}/stat").read_text().split()[2] == "Z":
            break  # dead, but not yet reaped by the process that adopted it
        time.sleep(0.05)
    else:
        raise AssertionError("its child still runs")


@pytest.mark.parametrize("mode, why", [("mute", "hangs: no greeting within 0.5 s"), ("absent", "cannot open display")])
@pytest.mark.parametrize("protocol", PROTOCOLS[:3])
def test_an_engine_that_never_gets_ready_is_told_before_the_game(protocol, mode, why, monkeypatch, alive):
    if mode == "mute":
        for module in (protocol,):
            monkeypatch.setattr(f"counterplay.players.engines.{module}.GREETING", 0.5)
        monkeypatch.setattr(engine, "GREETING", 0.5)
    with pytest.raises(Forfeit, match=why):
        player(fake(protocol, mode)).prepare(load("tic-tac-toe").start())


def test_an_engine_that_has_said_what_it_is_may_take_longer_to_be_ready(monkeypatch, alive):
    monkeypatch.setattr(uci, "READINESS", 0.5)
    with pytest.raises(Forfeit, match=r"hangs: not ready within 0\.5 s"):
        player(fake("uci", "unready")).prepare(load("tic-tac-toe").start())


def test_a_line_engine_must_greet():
    with pytest.raises(Forfeit, match="greets with 'hello' instead of `ready`"):
        player(fake("line", "rude")).prepare(load("tic-tac-toe").start())


def test_who_is_slow_loses_on_time(alive):
    with player(fake("line", "slow")) as slow, player("random") as other:
        slow.prepare(load("tic-tac-toe").start())
        played = play(load("tic-tac-toe"), [slow, other], Opening(), control=Control(move=2.0, margin=0.1))
        assert (played.ended, played.loser) == ("time", 0)
        assert "2.00 s were left" in played.note or "no answer within" in played.note


def test_a_hanging_engine_is_not_awaited_longer_than_its_clock(monkeypatch, alive):
    monkeypatch.setattr(engine, "GRACE", 0.1)
    with player(fake("line", "hang")) as broken:
        p = load("tic-tac-toe").start()
        p.play(broken.choose(p).action).play(p.options()[0])
        with pytest.raises(Forfeit, match=r"hangs: no answer within 0\.8 s") as raised:
            broken.choose(p, clock=Clock(left=(0.5, 100.0), margin=0.2))
    assert raised.value.kind == "time"


def test_a_line_engine_sees_what_its_player_may_see():
    said = player(fake("line", "honest"))
    p = load("kuhn-poker").start("Q K pass")
    told = said.situation(p, Clock(move=2.0))
    assert told[0] == "game kuhn-poker"
    assert "player 2" in told
    assert "moves ? K pass" in told
    assert "legal pass bet" in told
    assert "time 2.000" in told
    assert told[-1] == "choose"
    assert not any("Q" in line for line in told), told
    assert not [line for line in said.situation(p, None) if line.startswith(("game", "time", "position"))]


@pytest.mark.parametrize(
    "spec, clock, lines",
    [
        ("", None, ["st 1"]),
        (",time=2.5", None, ["st 2"]),
        (",depth=4", None, ["sd 4"]),
        ("", Clock(left=(65.0, 30.0), increment=1.0), ["level 0 1:05 1"]),
        (",time=1", Clock(left=(65.0, 30.0)), ["st 1"]),
    ],
)
def test_the_time_that_an_xboard_engine_is_given(spec, clock, lines):
    made, p = player(fake("xboard", "honest", spec)), load("tic-tac-toe").start()
    assert made.setup(p, clock) == ["new", "easy", "nopost", "force", *lines]
    assert made.times(p, clock) == (["time 6500", "otim 3000"] if lines[0].startswith("level") else [])


def test_an_xboard_engine_plays_usual_chess_only():
    with pytest.raises(Unsuitable, match="standard chess or shogi only"):
        player(fake("xboard", "honest")).require(load("chess:start=3"))


def test_an_engine_hears_that_it_plays_chess960(monkeypatch):
    made = player("uci:cat,depth=1")
    started = []
    monkeypatch.setattr(type(made), "running", lambda self: started.append(dict(self._game_settings)))
    for spec in ("chess", "chess:start=3", "chess"):
        made.prepare(load(spec).start())
    assert started == [{}, {"UCI_Chess960": "true"}, {}]
    for spec, written in (("chess", "e1g1"), ("chess:start=14", "e1h1")):  # king on e and rook on h in both
        game = load(spec)
        s = game.parse_position("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
        assert game.protocol_text(s, game.parse_action(s, "O-O")) == written


def test_other_protocols_refuse_secrets_and_dice():
    for protocol in ("uci", "gtp", "xboard"):
        with pytest.raises(Unsuitable, match="hides information; a `line` engine does"):
            player(fake(protocol, "honest")).require(load("kuhn-poker"))
        with pytest.raises(Unsuitable, match="two-player games without dice"):
            player(fake(protocol, "honest")).require(load("pig"))


# Options.


def test_uci_options_are_those_that_the_engine_declares(tmp_path):
    with player(fake("uci", "honest", ",elo=1500,skill_level=3,STYLE=very_wild,clear_hash=on")) as engine:
        engine.prepare(load("tic-tac-toe").start())
        engine.choose(load("tic-tac-toe").start())
    assert (tmp_path / "settings").read_text().splitlines() == [
        "setoption name Skill Level value 3",
        "setoption name Style value Very Wild",
        "setoption name Clear Hash",
        "setoption name UCI_LimitStrength value true",
        "setoption name UCI_Elo value 1500",
    ]


@pytest.mark.parametrize(
    "option, why",
    [
        ("skil_level=3", "no option 'skil_level'; did you mean skill_level"),
        ("skill_level=21", "Skill Level=21 must be a number from 0 to 20"),
        ("skill_level=x", "must be a number from 0 to 20"),
        ("elo=100", "UCI_Elo=100 must be a number from 1350 to 2850"),
        ("style=shy", "must be one of Solid, Very Wild"),
        ("uci_limitstrength=perhaps", "must be on or off"),
    ],
)
def test_a_wrong_uci_option_is_one_sentence(option, why):
    with pytest.raises(CounterplayError, match=why) as raised:
        player(fake("uci", "honest", f",{option}")).prepare(load("tic-tac-toe").start())
    assert not isinstance(raised.value, Forfeit)


def test_what_a_uci_engine_says_of_its_thinking():
    with player(fake("uci", "honest")) as engine:
        found = engine.choose(load("tic-tac-toe").start())
    assert (found.depth, found.nodes, found.counts["centipawns"]) == (7, 123, 40)
    assert found.value == pytest.approx(2 / (1 + 10**-0.1) - 1)
    assert read_info("info depth 3 score mate -2 nodes 5")["value"] == -1.0
    assert read_info("info string depth 9 is far") == {}
    assert read_option("option name Style type combo default Solid var Solid var Very Wild").words == [
        "Solid",
        "Very Wild",
    ]


@pytest.mark.parametrize(
    "spec, clock, line",
    [
        ("depth=5", None, "go depth 5"),
        ("time=0.2", None, "go movetime 200"),
        ("nodes=9", Clock(move=3.0), "go movetime 3000 nodes 9"),
        ("time=5", Clock(move=3.0), "go movetime 3000"),
        ("patience=9", None, "go movetime 1000"),
        ("patience=9", Clock(left=(5.0, 6.5), increment=0.1), "go wtime 5000 winc 100 btime 6500 binc 100"),
    ],
)
def test_the_time_that_a_uci_engine_is_given(spec, clock, line):
    assert player(fake("uci", "honest", f",{spec}")).go(load("tic-tac-toe").start(), clock) == line


@pytest.mark.parametrize(
    "spec, whole",
    [
        ("line:cat", "line:cat"),
        ("line:cat -n --x=5,time=2,depth=7", "line:cat -n --x=5,time=2,depth=7"),
        ("line:command=cat a=b", "line:cat a=b"),
        ("uci:cat,elo=1500,skill_level=3", "uci:cat,elo=1500,time=1,skill_level=3"),
        ("uci:cat,depth=6,patience=5", "uci:cat,depth=6,patience=5"),
        ("gtp:cat,level=1", "gtp:cat,level=1"),
        ("gtp:cat,time=1,seed=7", "gtp:cat,time=1,seed=7"),
    ],
)
def test_a_spec_names_the_engine_and_what_is_worth_a_word(spec, whole):
    made = player(spec)
    assert made.spec == whole
    assert player(made.spec.replace("a=b", "a:b")).spec == whole.replace("a=b", "a:b")


@pytest.mark.parametrize(
    "spec, clock, lines",
    [
        ("gtp:cat", None, []),
        ("gtp:cat,time=2.5", None, ["time_settings 0 2 1"]),
        ("gtp:cat,time=5", Clock(move=0.25), ["time_settings 0 1 4"]),
        ("gtp:cat", Clock(left=(90.0, 80.0)), ["time_settings 90 0 0"]),
    ],
)
def test_the_time_that_a_gtp_engine_is_given(spec, clock, lines):
    engine, p = player(spec), load("hex:5").start()
    engine._known = {"time_settings", "time_left"}
    assert engine.setup(p, clock) == ["boardsize 5", "clear_board", *lines]
    assert engine.times(p, clock) == (["time_left b 90 0"] if clock and clock.left else [])


def test_gtp_engines_do_not_begin_from_a_position():
    p = load("tic-tac-toe").start(position=load("tic-tac-toe").start("b2").position)
    with pytest.raises(Unsuitable, match="GTP only knows moves"):
        player(fake("gtp", "honest")).prepare(p)


@pytest.mark.parametrize(
    ("game", "moves", "is_forced"), [("othello:4", "b1 c1 d3 a1 pass", True), ("go:5", "pass", False)]
)
def test_only_a_pass_that_is_forced_may_be_refused(monkeypatch, game, moves, is_forced):
    def refuse(process, command, deadline):
        raise CommandRefused(command)

    monkeypatch.setattr("counterplay.players.engines.gtp.ask", refuse)
    p = load(game).start(moves)
    with nullcontext() if is_forced else pytest.raises(CommandRefused):
        player("gtp:cat").show(None, p, len(p) - 1, 0.0)


def test_gtp_options_become_arguments():
    assert player("gtp:cat,level=1,japanese_rules=on,cosmic=off").arguments() == ["--level", "1", "--japanese-rules"]


@pytest.mark.parametrize(
    "spec, why",
    [
        ("uci", "needs the option 'command'"),
        ("uci:no-such-engine", "no program 'no-such-engine': it is neither on PATH nor in /usr/games"),
        ("line:'cat", "is not a command: no closing quotation"),
        ("line:cat,patience=0", "more than 0"),
        ("uci:cat,time=0", "more than 0"),
        ("uci:cat,depth=x", "must be a whole number"),
    ],
)
def test_a_wrong_spec_is_one_sentence(spec, why):
    with pytest.raises(CounterplayError, match=why):
        player(spec)


def test_programs_are_found_in_the_folder_of_games(tmp_path, monkeypatch):
    program = tmp_path / "my-engine"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr(process, "GAMES_FOLDERS", (str(tmp_path),))
    assert find_command("my-engine --fast") == [str(program), "--fast"]


def test_the_example_is_what_its_page_shows_and_plays_any_game():
    root = Path(__file__).parents[2]
    example = root / "examples" / "engines" / "dice.py"
    code = example.read_text().partition('"""\n\n')[2]
    assert code in (root / "docs" / "arena" / "engines.md").read_text()
    for game in ("kuhn-poker", "pig:10", "checkers"):
        with player(f"line:{example}") as dice, player("random") as other:
            assert play(load(game), [dice, other], Opening()).note == ""


@pytest.mark.parametrize("game", ["go:5", "hex:4"])
def test_our_own_gtp_program_is_also_an_engine(game, alive):
    command = f"{sys.executable} -m counterplay gtp {game} --player random:seed=2"
    with player(f"gtp:command={command}") as server, player("random:seed=1") as other:
        played = play(load(game), [server, other], Opening())
    assert (played.ended, played.note) == ("rules", "")
    assert len(played.moves) >= 4


# Real engines, if they are installed.


def real(name, program):
    """The game, or a reason to skip the test."""
    if not (shutil.which(program) or shutil.which(program, path=os.pathsep.join(GAMES_FOLDERS))):
        pytest.skip(f"{program} is not installed")
    try:
        return load(name)
    except UnknownGame:
        pytest.skip(f"there is no {name} yet")


def test_gnu_go_plays_a_whole_game_by_gtp(alive):
    game = real("go:9", "gnugo")
    with player("gtp:gnugo,level=1,seed=1") as gnu, player("random:seed=1") as other:
        played = play(game, [other, gnu], Opening())
    assert (played.ended, played.note) == ("rules", "")
    assert played.returns[1] > 0


def test_stockfish_plays_a_whole_game_by_uci(alive):
    game = real("chess", "stockfish")
    with player("uci:stockfish,nodes=2000,hash=16") as fish, player("random:seed=1") as other:
        played = play(game, [fish, other], Opening())
    assert (played.ended, played.note) == ("rules", "")
    assert played.returns == (1.0, -1.0)


def test_fairy_stockfish_plays_whole_games_by_usi(alive):
    for name in ("shogi", "minishogi"):
        game = real(name, "fairy-stockfish")
        with player("usi:fairy-stockfish,nodes=500,hash=16") as fish, player("random:seed=1") as other:
            played = play(game, [other, fish], Opening())
        assert (played.ended, played.note) == ("rules", "")
        assert played.returns == (-1.0, 1.0)


@pytest.mark.slow  # it takes two seconds a move, whatever it is told
def test_gnu_shogi_plays_a_whole_game(alive):
    game = real("shogi", "gnushogi")
    with player("xboard:gnushogi,time=0.02") as gnu, player("random:seed=2") as other:
        played = play(game, [gnu, other], Opening())
    assert (played.ended, played.note) == ("rules", "")
    assert played.returns == (1.0, -1.0)


def test_usi_and_gnu_shogi_refuse_other_games():
    for spec in (fake("usi", "honest"), "xboard:gnushogi"):
        if "gnu" in spec:
            real("shogi", "gnushogi")
        with pytest.raises(Unsuitable, match=r"plays? "), player(spec) as one:
            one.require(load("chess"))


def test_gnu_chess_plays_stockfish(alive):
    game = real("chess", "gnuchess")
    real("chess", "stockfish")
    with player("uci:gnuchess,depth=2") as gnu, player("uci:stockfish,elo=1350,nodes=1000") as fish:
        played = play(game, [gnu, fish], Opening())
    assert (played.ended, played.note) == ("rules", "")
