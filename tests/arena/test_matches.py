"""Matches: planned, played, stored and resumed."""

import json
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from counterplay import CounterplayError, load
from counterplay.arena import referee
from counterplay.arena.event import Event
from counterplay.arena.judge import EVEN_FROM, EVEN_PLIES, SURE_PLIES, Judge
from counterplay.arena.openings import Opening, random_opening, read_openings, usual_plies
from counterplay.arena.plan import Plan
from counterplay.arena.referee import Control, forfeited, play
from counterplay.arena.result import shares
from counterplay.arena.standing import Standing
from counterplay.arena.store import Store
from counterplay.players.player import Forfeit, Player
from counterplay.players.specs import player
from counterplay.search.decision import Decision

NIM = Plan("nim:1-2-3", ("random", "random:seed=5"), 12, plies=1, seed=3)


def played(plan, file, workers=0, most=None):
    """Play a plan (or its first games) into a file; the event."""
    event = Event(load(plan.game), plan, Store(file))
    if most is None:
        event.run(workers)
    else:
        from counterplay.arena.worker import play_fixture

        for fixture, _ in zip(event.missing(), range(most), strict=False):
            event.store.add(fixture, play_fixture(event.game, plan, fixture))
    return event


def games(file):
    """The games in a file, without the parts that differ each time."""
    with sqlite3.connect(file) as db:
        rows = db.execute("SELECT game, round, position, opening, moves, ended, note FROM games ORDER BY game")
        seats = db.execute("SELECT game, seat, player, utility, score, forfeit FROM seats ORDER BY game, seat")
        return list(rows), list(seats)


# Plans and openings.


def test_every_opening_is_played_from_each_side_with_the_same_dice():
    game = load("pig:20,players=3")
    plan = Plan("pig:20,players=3", ("random",) * 3, 6, plies=2)
    fixtures = [plan.fixture(game, number) for number in range(plan.total(3))]
    assert [each.seats for each in fixtures] == [(0, 1, 2), (1, 2, 0), (2, 0, 1)] * 2
    assert [each.round for each in fixtures] == [0, 0, 0, 1, 1, 1]
    for first, *others in (fixtures[:3], fixtures[3:]):
        assert {(each.opening, each.seed) for each in others} == {(first.opening, first.seed)}
    assert fixtures[0].seed != fixtures[3].seed
    assert len({lot for each in fixtures for lot in each.lots}) == 18


def test_groups_of_each_form():
    four = ("a", "b", "c", "d")
    assert Plan("nim", four, 2, "round-robin").groups(2) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert Plan("nim", four, 2, "gauntlet").groups(2) == [(0, 1), (0, 2), (0, 3)]
    assert Plan("nim", four, 2, "round-robin").groups(3) == [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
    assert Plan("nim", four, 3, "round-robin").total(2) == 24


def test_a_plan_survives_its_file():
    plan = Plan("nim", ("a", "b"), 4, openings=(Opening("a1"), Opening("", "1-2")), control=Control(1.0, 60.0, 0.5))
    assert Plan.from_data(json.loads(json.dumps(plan.as_data()))) == plan
    assert Plan("nim", ("a", "a", "b", "a"), 4).labels() == ["a", "a #2", "b", "a #3"]


def test_random_openings_leave_something_to_play():
    game = load("tic-tac-toe")
    for seed in range(50):
        opening = random_opening(game, 6, seed)
        assert len(opening.moves.split()) == 6
        assert not opening.start(game).is_over
    assert random_opening(game, 6, 1) == random_opening(game, 6, 1)
    assert random_opening(game, 6, 1) != random_opening(game, 6, 2)
    short = load("nim:1-1")
    assert len(random_opening(short, 9, 1).moves.split()) == 1
    assert (usual_plies(game), usual_plies(load("kuhn-poker")), usual_plies(load("pig"))) == (4, 0, 0)


def test_openings_from_a_file_are_moves_or_positions(tmp_path):
    file = tmp_path / "book.txt"
    file.write_text("# two openings\nb2 a1\n\n  ......./......./......./......./...o.../..xx...\n")
    with pytest.raises(CounterplayError, match=r"book\.txt:2: neither moves \(.*\) nor a position \(.*\)"):
        read_openings(load("connect-four"), file)
    file.write_text("4 4\n......./......./......./......./...o.../..xx...\n")
    assert read_openings(load("connect-four"), file) == [
        Opening("4 4"),
        Opening("", "......./......./......./......./...o.../..xx..."),
    ]
    file.write_text("# nothing\n")
    with pytest.raises(CounterplayError, match="has no opening"):
        read_openings(load("connect-four"), file)
    file.write_text("1 2 1 2 1 2 1\n")
    with pytest.raises(CounterplayError, match="the game is over"):
        read_openings(load("connect-four"), file)
    with pytest.raises(CounterplayError, match="cannot read"):
        read_openings(load("connect-four"), tmp_path / "none.txt")


# The referee.


class Odd(Player):
    """A player that does what a test wants."""

    spec = "odd"

    def __init__(self, act):
        self.act = act

    def think(self, p, report=None, clock=None):
        return Decision(self.act(p))


class Oracle(Player):
    """A judge that is sure of what a test wants: a value to the first player for each length of the game."""

    spec = "oracle"

    def __init__(self, worth):
        self.worth = worth

    def think(self, p, report=None, clock=None):
        worth = self.worth(len(p))
        return Decision(p.options()[0], worth if p.to_move == 0 else -worth)


def test_a_judge_ends_what_is_clear_and_nothing_else():
    game, both = load("othello"), [player("random:seed=1"), player("random:seed=2")]
    whole = play(game, both, Opening())
    for worth in (1.0, -1.0):
        won = play(game, both, Opening(), judge=Judge(Oracle(lambda n: worth if n >= 10 else 0.5)))  # noqa: B023
        assert (won.ended, len(won.moves), won.loser) == ("judged", 9 + SURE_PLIES, None)
        assert won.returns == (worth, -worth)
    turning = play(game, both, Opening(), judge=Judge(Oracle(lambda n: 1.0 if n // 2 % 2 else -1.0)))
    unsure = play(game, both, Opening(), judge=Judge(Oracle(lambda n: 0.8)))
    assert {turning.ended, unsure.ended, whole.ended} == {"rules"}
    level = play(load("hex:13"), both, Opening(), judge=Judge(Oracle(lambda n: 0.04 if n % 50 else 0.06)))
    assert (level.ended, level.returns) == ("judged", (0.0, 0.0))
    assert len(level.moves) == max(EVEN_FROM - 1, 50) + EVEN_PLIES


def test_a_judge_that_fails_costs_no_player_the_game(tmp_path):
    class Broken(Player):
        spec = "broken"

        def think(self, p, report=None, clock=None):
            raise Forfeit("it is gone")

    with pytest.raises(CounterplayError, match="the judge fails: it is gone") as caught:
        play(load("othello"), [player("random")] * 2, Opening(), judge=Judge(Broken()))
    assert not isinstance(caught.value, Forfeit)
    with pytest.raises(CounterplayError, match="random cannot judge: it gives no values of positions"):
        play(load("othello"), [player("random")] * 2, Opening(), judge=Judge(player("random")))
    with pytest.raises(CounterplayError, match="a judge is for two players with opposite interests"):
        played(Plan("pig:20,players=3", ("random",) * 3, 3, judge="random"), tmp_path / "pig.db")


def test_a_standing_counts_what_the_judge_ended(tmp_path):
    plan = Plan("tic-tac-toe", ("random", "random"), 8, judge="minimax")
    event = played(plan, tmp_path / "judged.db")
    standing = Standing(event.game, event.store)
    kinds = [row[5] for row in games(tmp_path / "judged.db")[0]]
    assert standing.judged == kinds.count("judged")
    assert standing.notes == []


def test_whoever_breaks_the_rules_or_breaks_down_loses_only_this_game():
    game, honest = load("tic-tac-toe"), player("random")
    cheat = play(game, [honest, Odd(lambda p: 99)], Opening())
    assert (cheat.ended, cheat.loser, cheat.returns) == ("illegal", 1, (1.0, -1.0))
    assert "odd chose an illegal action: '99'" in cheat.note
    crash = play(game, [Odd(lambda p: 1 // 0), honest], Opening())
    assert (crash.ended, crash.loser, crash.moves) == ("fault", 0, [])
    assert "odd fails: ZeroDivisionError" in crash.note


def test_flags_fall():
    game, honest = load("tic-tac-toe"), player("random")
    slow = Odd(lambda p: (time.sleep(0.6), p.options()[0])[1])
    late = play(game, [slow, honest], Opening(), control=Control(move=0.1, margin=0.0))
    assert (late.ended, late.loser, late.returns) == ("time", 0, (-1.0, 1.0))
    assert "0.10 s were left" in late.note
    flag = play(game, [slow, honest], Opening("b2 a1"), control=Control(base=1.0, margin=0.0))
    assert (flag.ended, flag.loser, len(flag.moves)) == ("time", 0, 2)
    fine = play(game, [slow, honest], Opening("b2 a1 c3 b1 a3"), control=Control(base=60.0, increment=1.0))
    assert fine.ended == "rules"
    assert fine.seconds[0] >= 0.6


def test_who_does_not_stop_thinking_is_not_awaited(monkeypatch):
    monkeypatch.setattr(referee, "GRACE", 0.1)
    game, end = load("tic-tac-toe"), threading.Event()
    endless = Odd(lambda p: end.wait(100))
    lost = play(game, [endless, player("random")], Opening(), control=Control(move=0.1, margin=0.1))
    assert (lost.ended, lost.loser) == ("time", 0)
    assert "odd was still thinking after 0.30 s" in lost.note
    assert referee.is_haunted()
    end.set()
    for thread in threading.enumerate():
        if thread.name == referee.THINKING:
            thread.join(10)
    assert not referee.is_haunted()


def test_a_match_goes_on_without_a_player_who_computes_forever(tmp_path):
    wide = tmp_path / "wide.py"
    wide.write_text(WIDE)
    plan = Plan(f"{wide}:Wide", ("minimax:depth=20", "random"), 2, control=Control(move=0.5, margin=0.5))
    event = played(plan, tmp_path / "wide.db", workers=1)
    results = event.store.results()
    assert [r.forfeits[r.players.index(0)] for r in results] == [True, True]
    assert all("minimax:depth=20 was still thinking" in note for _, note in event.store.notes())


WIDE = """
from counterplay import Game

class Wide(Game):
    '''Fifty plies of ten actions each, in plain Python: nobody sees the end of the tree.'''
    compiled = False
    def initial(self): return 0
    def to_move(self, s): return s % 2
    def actions(self, s, out):
        for action in range(10): out.append(action)
    def is_terminal(self, s): return s == 50
    def utility(self, s, player): return 1.0 - 2 * player
    def result(self, s, action): return s + 1
"""


def test_what_a_forfeit_costs():
    assert forfeited(load("tic-tac-toe"), 1) == (1.0, -1.0)
    assert forfeited(load("pig:players=3"), 0) == pytest.approx((-1.0, 0.5, 0.5))
    low, high = load("prisoners-dilemma").utility_bounds
    assert forfeited(load("prisoners-dilemma"), 0) == (low, high)


def test_scores_compare_what_players_got():
    assert shares([1.0, -1.0]) == [1.0, 0.0]
    assert shares([0.0, 0.0]) == [0.5, 0.5]
    assert shares([3.0, 5.0, 3.0]) == [0.25, 1.0, 0.25]


# Files.


def test_a_match_resumed_equals_one_that_was_not_interrupted(tmp_path):
    whole, parts = tmp_path / "whole.db", tmp_path / "parts.db"
    played(NIM, whole).store.close()
    played(NIM, parts, most=5).store.close()
    again = played(NIM, parts)
    assert (again.before, len(again.played), again.total) == (5, 12, 12)
    again.store.close()
    assert games(parts) == games(whole)
    assert len(games(whole)[0]) == 12


def test_a_match_goes_on_for_more_games_but_never_as_another(tmp_path):
    file = tmp_path / "match.db"
    played(NIM, file).store.close()
    from dataclasses import replace

    longer = played(replace(NIM, games=16), file)
    assert (longer.before, longer.total) == (12, 16)
    longer.store.close()
    for change in ({"seed": 4}, {"contestants": ("random", "random")}, {"plies": 2}, {"game": "nim"}):
        with pytest.raises(CounterplayError, match=r"holds another match \((seed|contestants|plies|game): "):
            Event(load("nim"), replace(NIM, **change), Store(file))


RULES = """
from counterplay import Game
class Race(Game):
    def initial(self): return 0
    def to_move(self, s): return s % 2
    def actions(self, s, out): out.extend([1, 2])
    def result(self, s, action): return 10 * s + action if s < 500 else s + 1
    def is_terminal(self, s): return s > 500
    def utility(self, s, player): return 1.0 if s % 2 == player else -1.0
"""


def test_a_match_does_not_go_on_by_other_rules(tmp_path):
    """Other rules or another table are refused; another folder, and a file that does not record them, are not."""
    rules, file = tmp_path / "race.py", tmp_path / "match.db"

    def go_on(text, at=rules):
        at.write_text(text)
        game = load(str(at))
        Event(game, Plan("race.py", ("random", "random"), 2), Store(file)).store.close()
        sys.modules.pop(type(game).__module__)

    go_on(RULES)
    go_on(RULES + "\n# a comment\n")
    (tmp_path / "moved").mkdir()
    go_on(RULES, tmp_path / "moved" / "race.py")
    for other in (
        RULES.replace("s > 500", "s > 600"),
        RULES + "    def __init__(self, size: int = 3): self.size = size\n",
    ):
        with pytest.raises(
            CounterplayError, match=r"has games played by other rules: race\.py, Counterplay or Python has changed"
        ):
            go_on(other)
    with sqlite3.connect(file) as db:
        db.execute("DELETE FROM event WHERE key = 'rules'")
    go_on(RULES.replace("s > 500", "s > 600"))
    with pytest.raises(CounterplayError, match="has games played by other rules"):
        go_on(RULES)


def test_two_processes_do_not_play_into_one_file(tmp_path):
    event = played(NIM, tmp_path / "match.db")
    with pytest.raises(CounterplayError, match="another program is writing to"):
        Event(event.game, NIM, Store(tmp_path / "match.db"))


def test_other_files_are_left_alone(tmp_path):
    (tmp_path / "text.db").write_text("no database, and long enough to be sure that nobody takes it for one " * 20)
    with pytest.raises(CounterplayError, match="file is not a database"):
        Store(tmp_path / "text.db")
    with sqlite3.connect(tmp_path / "other.db") as db:
        db.execute("CREATE TABLE recipes (name TEXT)")
    with pytest.raises(CounterplayError, match="not one of matches"):
        Store(tmp_path / "other.db")
    with pytest.raises(CounterplayError, match="no file"):
        Store.existing(tmp_path / "none.db")
    with pytest.raises(CounterplayError, match="cannot open"):
        Store(tmp_path / "no" / "folder.db")


def test_every_playthrough_can_be_played_again(tmp_path):
    event = played(NIM, tmp_path / "match.db")
    games = list(event.store.texts_and_results())
    assert games == list(event.store.texts_and_results())
    for text, result in games:
        p = event.game.start(f"{text.opening} {text.moves}", position=text.position)
        assert p.is_over
        assert p.returns == result.utilities


PROGRAM = [sys.executable, "-c", "import sys; from counterplay.cli import main; sys.exit(main())"]


def test_a_match_killed_and_resumed_loses_nothing_and_plays_nothing_twice(tmp_path):
    """kill -9 in the middle of a game; its workers end as well."""
    file, whole = tmp_path / "killed.db", tmp_path / "whole.db"
    slow = tmp_path / "slow.py"
    slow.write_text(
        "import sys, time\n"
        "for line in sys.stdin:\n"
        "    word, _, rest = line.strip().partition(' ')\n"
        "    if word == 'counterplay': print('ready', flush=True)\n"
        "    elif word == 'legal': legal = rest.split()\n"
        "    elif word == 'choose': time.sleep(0.02); print('move', legal[len(rest) % len(legal)], flush=True)\n"
    )
    words = ["match", "nim:3-3", f"line:{slow}", "random", "--games", "16", "--plies", "1", "--workers", "2"]
    process = subprocess.Popen(
        [*PROGRAM, *words, "-o", str(file)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and (not file.exists() or count(file) < 4):
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    finally:
        process.kill()
        process.wait()
    before = count(file)
    assert before >= 4
    assert gone(str(slow)), "an engine outlived the match"
    plan = Store.existing(file).plan
    again = played(plan, file, workers=1)
    assert (again.before, len(again.played)) == (before, 16)
    again.store.close()
    played(plan, whole).store.close()
    assert games(file) == games(whole)


def count(file):
    try:
        with sqlite3.connect(file) as db:
            return db.execute("SELECT count(*) FROM games").fetchone()[0]
    except sqlite3.Error:
        return 0


def gone(word):
    """Whether, after a moment at most, no process has `word` in its command line."""
    for _ in range(100):
        lines = [file.read_bytes() for file in Path("/proc").glob("[0-9]*/cmdline") if file.exists()]
        if not any(word.encode() in line for line in lines):
            return True
        time.sleep(0.1)
    return False


# The standings.


def test_a_test_ends_the_match_at_the_same_round_however_many_play(tmp_path):
    plan = Plan("nim:1-2-3", ("minimax:depth=7", "random"), 400, plies=1, sprt=(0, 200, 0.05, 0.05))
    alone = played(plan, tmp_path / "alone.db")
    assert alone.trial.verdict == "elo1"
    assert len(alone.played) < 400
    many = played(plan, tmp_path / "many.db", workers=2)
    assert (many.trial.verdict, many.trial.rounds) == (alone.trial.verdict, alone.trial.rounds)
    assert Standing(many.game, many.store).results == Standing(alone.game, alone.store).results


def test_a_duel_is_in_view_of_the_first(tmp_path):
    plan = Plan("tic-tac-toe", ("minimax:depth=7", "random"), 20, plies=0)
    event = played(plan, tmp_path / "match.db")
    standing = Standing(event.game, event.store)
    found, other = standing.duel(0, 1), standing.duel(1, 0)
    assert (found.wins, found.draws, found.losses) == (other.losses, other.draws, other.wins)
    assert found.losses == 0
    assert found.wins > 10
    assert sum(found.pairs.values()) == 10
    assert found.elo > 100
    assert other.elo == pytest.approx(-found.elo)
    assert found.elo_interval.low == pytest.approx(-other.elo_interval.high, abs=0.01)
    assert found.superiority > 0.99


def test_games_of_many_players_and_any_sum_have_average_utilities(tmp_path):
    three = played(Plan("pig:10,players=3", ("random", "random:seed=1", "random"), 9), tmp_path / "three.db")
    rows = [Standing(three.game, three.store).tally(i) for i in range(3)]
    assert [row.games for row in rows] == [9, 9, 9]
    assert sum(row.utility for row in rows) == pytest.approx(0)
    assert all(row.utility_interval.low <= row.utility <= row.utility_interval.high for row in rows)
    dilemma = played(Plan("prisoners-dilemma", ("random", "random"), 40), tmp_path / "dilemma.db")
    results = dilemma.store.results()
    mean = sum(r.utilities[r.players.index(0)] for r in results) / 40
    assert Standing(dilemma.game, dilemma.store).tally(0).utility == pytest.approx(mean)


def test_a_worker_that_dies_is_replaced_once(tmp_path, monkeypatch):
    deadly = tmp_path / "deadly.py"
    deadly.write_text(DEADLY)
    monkeypatch.setenv("DEADLY", str(tmp_path / "died"))
    once = played(Plan(f"{deadly}:Deadly:times=1", ("random", "random"), 4), tmp_path / "once.db", workers=1)
    assert len(once.played) == 4
    with pytest.raises(CounterplayError, match=r"game \d of random and random killed its process, twice"):
        played(Plan(f"{deadly}:Deadly:times=3", ("random", "random"), 4), tmp_path / "twice.db", workers=1)


def test_a_broken_rule_ends_the_match_with_its_place(tmp_path):
    file = tmp_path / "brittle.py"
    file.write_text(WIDE.replace("return s + 1", "return s + 1 if s < 30 else [][s]"))
    with pytest.raises(CounterplayError, match=r"brittle\.py:13: the rules raise IndexError: list index"):
        played(Plan(f"{file}:Wide", ("random", "random"), 2), tmp_path / "brittle.db", workers=1)


DEADLY = """
import os, sys
from counterplay import Game

class Deadly(Game):
    '''A game that kills its process now and then.'''
    def __init__(self, times: int = 1): self.times = times
    def initial(self): return 0
    def to_move(self, s): return s % 2
    def actions(self, s, out): out.append(0)
    def is_terminal(self, s): return s == 3
    def utility(self, s, player): return 1.0 - 2 * player
    def result(self, s, action):
        path = os.environ["DEADLY"] + str(self.times)
        died = os.path.getsize(path) if os.path.exists(path) else 0
        if died < self.times:
            open(path, "a").write("x")
            os._exit(9)
        return s + 1
"""


def test_a_plan_whose_contestants_are_not_strings_is_refused():
    data = Plan("nim", ("random", "random"), games=2).as_data()
    assert Plan.from_data(data).contestants == ("random", "random")
    for bad in ([{}, "random"], [None, "random"]):
        with pytest.raises(TypeError):
            Plan.from_data(data | {"contestants": bad})
