"""Players that live as long as their game: what they have found is reused, and never makes an answer wrong."""

from __future__ import annotations

import asyncio

import pytest

from counterplay import load
from counterplay.core.errors import CounterplayError
from counterplay.players.specs import player
from counterplay.web import turns
from counterplay.web.admission import bounded
from counterplay.web.crew import Crew
from counterplay.web.seating import MOST_SEATED, SeatedPlayer, Seating
from counterplay.web.thinking import Stopped, choose
from counterplay.web.worker import GAMES

ASKED = {"game": "connect-four", "position": None}


class Talk:
    """A thinker without a process."""

    def __init__(self):
        self.seating = Seating()

    def say(self, data):
        pass

    news = say


def visits(found):
    return sum(each["visits"] for each in found["actions"])


def test_a_tree_is_kept_from_move_to_move():
    talk, asked = Talk(), {**ASKED, "player": "mcts:simulations=300,solver=off"}
    first = choose(talk, **asked, moves="", table="t")
    assert visits(first) == 300
    reply = max(first["actions"], key=lambda each: each["visits"])["action"]
    then = choose(talk, **asked, moves=f"{reply} {reply}", table="t")
    assert visits(then) > 300
    assert visits(choose(talk, **asked, moves=f"{reply} {reply}")) == 300
    assert visits(choose(talk, **asked, moves=f"{reply} {reply}", table="another")) == 300
    assert visits(choose(talk, **asked, moves="", table="t")) == 300  # taken back: it starts over
    talk.seating.leave("t")
    assert [key[0] for key in talk.seating.seats] == ["another"]


def test_a_table_is_kept_from_move_to_move():
    talk, asked = Talk(), {**ASKED, "moves": "4 4", "player": "alphabeta:depth=8"}
    first, again = choose(talk, **asked, table="t"), choose(talk, **asked, table="t")
    assert again["nodes"] < first["nodes"] / 10
    assert again["value"] == first["value"]
    assert choose(talk, **asked, table="t", seat=1)["nodes"] == first["nodes"]


def test_answers_stay_right_through_take_backs_and_other_games():
    talk = Talk()
    lines = ["", "b2 a1", "b2 a1 c1 a3", "b2 a1", "b2 b1", "b2 b1 a1 c3", "", "a1 b2 c3", "a1 b1"]
    for i, moves in enumerate(lines * 2):
        found = choose(talk, "tic-tac-toe", None, moves, "alphabeta:depth=9", table="t", seat=len(moves) // 3 % 2)
        p = load("tic-tac-toe").start(moves)
        assert found["value"] == player("minimax:depth=9").choose(p).value
        assert found["action"] in p.legal()
        if i % 3 == 0:
            choose(talk, **ASKED, moves="4", player="mcts:simulations=20", table="u")
        if i % 4 == 0:  # another game, then another player, at the same table
            choose(talk, **ASKED, moves="4 4", player="alphabeta:depth=2", table="t", seat=0)


@pytest.mark.parametrize("spec", ["mcts:time=10", "alphabeta:time=10"])
def test_a_player_that_was_stopped_plays_on(spec):
    class Impatient(Talk):
        def news(self, data):
            raise Stopped

    talk = Impatient()
    stopped = choose(talk, **ASKED, moves="4", player=spec, table="t")
    assert stopped["action"] in "1234567"
    talk.news = talk.say
    found = choose(talk, **ASKED, moves="4 1 4 1 4 1", player=spec, table="t")
    assert (found["action"], found["value"]) == ("4", 1.0)


def test_a_seat_follows_and_says_which_move_is_wrong():
    seat = SeatedPlayer(load("tic-tac-toe"), None, "random", 1)
    seat.follow("a1 b2 c3")
    kept = seat.playthrough
    with pytest.raises(CounterplayError, match="the 3rd move, 'c1'"):
        seat.follow("a1 c1 c1")
    seat.follow("a1 c1 b1")
    assert seat.playthrough is kept
    assert kept.moves == ["a1", "c1", "b1"]


def test_only_so_many_are_kept_the_last_ones():
    seating = Seating()
    for i in range(2 * MOST_SEATED):
        seating.seat(f"table {i}", 0, load("nim"), None, "random", 1)
        seating.seat("table 0", 0, load("nim"), None, "random", 1)
    assert len(seating.seats) == MOST_SEATED
    assert {"table 0", f"table {2 * MOST_SEATED - 1}"} <= {table for table, _ in seating.seats}


def test_a_player_has_no_more_memory_than_a_visitor_may():
    assert bounded("mcts:time=1").search["megabytes"] == 64
    assert bounded("mcts").search["megabytes"] == 64
    assert bounded("mcts:memory=8").search["megabytes"] == 8


# Across processes.


async def with_crew(script):
    crew = Crew(1)
    try:
        return await script(crew)
    finally:
        await crew.close()


def test_another_process_gives_the_same_answers():
    async def script(crew):
        async def ask(moves):
            found = await crew.ask("choose", **ASKED, moves=moves, player="alphabeta:depth=6", table="t")
            return found["value"], found["nodes"]

        first, again = await ask("4 4"), await ask("4 4")
        crew.workers[0].process.kill()
        await crew.workers[0].process.wait()
        anew = await ask("4 4")
        crew.leave("t")
        left = await ask("4 4")
        return first, again, anew, left

    first, again, anew, left = asyncio.run(with_crew(script))
    assert first == anew == left
    assert again[0] == first[0]
    assert again[1] < first[1]


def test_a_table_is_asked_of_the_worker_that_knows_it():
    async def script():
        crew = Crew(2)
        first, second = crew.workers
        second.tables.add("t")
        taken = [await crew._take("t"), await crew._take("t")]
        crew.turns.give_back(first)
        crew.turns.give_back(second)
        return taken == [second, first], await crew._take(None) is second

    assert asyncio.run(script()) == (True, True)


def test_turns_are_shared_fairly_between_visitors(monkeypatch):
    monkeypatch.setattr(turns, "MOST_WAITING", 6)

    async def script():
        served = []
        shared = turns.Turns(["worker"], "too many wait")

        async def ask(who):
            turns.visitor.set(who)
            try:
                served.append((who, await shared.take()))
            except turns.Busy:
                served.append((who, "busy"))

        first = asyncio.create_task(ask("greedy"))
        await asyncio.sleep(0)
        tasks = [asyncio.create_task(ask(who)) for who in ["greedy"] * 6 + ["modest", "greedy", "late"]]
        leaving = tasks[2]
        for _ in range(3):
            await asyncio.sleep(0)
        leaving.cancel()
        for _ in range(5):
            shared.give_back("worker")
            await asyncio.sleep(0)
        await asyncio.gather(first, *tasks, return_exceptions=True)
        return served

    served = asyncio.run(script())
    busy = [who for who, what in served if what == "busy"]
    assert busy == ["greedy"] * 3  # two were displaced by others, one found no room
    assert [who for who, what in served if what == "worker"] == [
        "greedy",
        "modest",
        "late",
        "greedy",
        "greedy",
        "greedy",
    ]


def test_a_process_is_replaced_after_so_many_games():
    async def script(crew):
        processes = set()
        for heap in range(1, 2 * GAMES + 4):
            found = await crew.ask("choose", game=f"nim:{heap}-1", position=None, moves="", player="random", table="t")
            assert found is not None
            await asyncio.sleep(0)
            await crew._take(None)
            crew.turns.give_back(crew.workers[0])
            processes.add(crew.workers[0].process.pid)
        return len(processes)

    assert asyncio.run(with_crew(script)) == 3
