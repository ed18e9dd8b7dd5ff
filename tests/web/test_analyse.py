"""The pages to analyse on and to let players play, in real Chromium; and the crew behind all searches."""

from __future__ import annotations

import asyncio
import re
import sqlite3

import pytest

from counterplay import load
from counterplay.core.errors import CounterplayError
from counterplay.web.contest import planned
from counterplay.web.crew import Crew, Search

ASKED = {"game": "connect-four", "position": None, "moves": ""}
LONG = {"task": "rank", **ASKED, "player": "mcts:time=10"}


def test_a_search_starts_tells_and_stops(visit):
    browser = visit("/analyse?game=connect-four&moves=4+4")
    assert "x to move" in browser.text(".cp-status-line")
    browser.write('input[placeholder="mcts:simulations=100000"]', "mcts:time=10")
    browser.click(".cp-do-search")
    browser.until(lambda: re.search(r"\d", browser.text('.cp-found [data-fact="nodes"]')))
    assert len(browser.all(".cp-ranking tr")) == 8
    browser.click(".cp-do-stop")
    browser.read(".cp-line", "stopped")
    nodes = browser.text('.cp-found [data-fact="nodes"]')
    assert nodes == browser.text('.cp-found [data-fact="nodes"]')


def test_a_review_marks_the_mistake(visit):
    browser = visit("/analyse?game=tic-tac-toe&moves=a1+b2+a2+a3+c1+c3")
    browser.click(".cp-do-review")
    browser.read(".cp-review-note", "mistakes: 6. c3")
    browser.until(lambda: browser.text(".cp-moves .cp-bad") == "6. c3??")
    browser.click('.cp-moves [data-ply="5"]')
    browser.read(".cp-status-line", "after 5 of 6 moves: o to move")


def test_a_match_is_played_and_kept(visit):
    browser = visit("/arena")
    browser.write(".cp-players textarea", "random\nrandom:seed=2")
    browser.click(".cp-do-begin")
    browser.read(".cp-progress", "over: 10 of 10 games")
    assert len(browser.all(".cp-standing tr")) == 3
    assert len(browser.all(".cp-played tr")) == 11
    browser.click(".cp-played a", "look")
    browser.until(lambda: "/analyse" in browser.driver.current_url)
    browser.open("/arena")
    assert len(browser.all('a[href*="event="]')) >= 1
    browser.open("/arena?event=../../etc/passwd")
    assert "no event" in browser.read(".cp-wrong", ".+")


@pytest.mark.parametrize(
    "lines, games, why",
    [
        (["random"], 10, "needs 2 players"),
        (["random", "uci:x"], 10, "command line only"),
        (["random", "human"], 10, "person"),
        (["random", "random"], 0, "from 1 to"),
        (["random", "random"], None, "from 1 to"),
        (["random"] * 13, 10, "at most"),
        (["random"] * 12, 500, "are the most"),
    ],
)
def test_events_that_cannot_be_are_refused(lines, games, why):
    with pytest.raises(CounterplayError, match=why):
        planned(load("connect-four"), "connect-four", lines, games)


# The crew.


async def crew_at_work(script):
    crew = Crew(1)
    try:
        return await script(crew)
    finally:
        await crew.close()


def test_a_search_ends_when_nobody_listens_and_the_next_one_runs():
    async def script(crew):
        await crew.ask("choose", **ASKED, player="random")
        heard = asyncio.Event()
        task = asyncio.create_task(crew.ask(**LONG, news=lambda _: heard.set()))
        await asyncio.wait_for(heard.wait(), 120)
        waiting = asyncio.create_task(crew.ask("choose", **ASKED, player="random"))
        await asyncio.sleep(0)
        task.cancel()
        found = await asyncio.wait_for(waiting, 60)
        return found["action"]

    assert asyncio.run(crew_at_work(script)) in "1234567"


def test_a_stopped_search_tells_the_best_so_far_and_a_deaf_one_is_ended():
    async def script(crew):
        search, heard = Search(), []

        def news(found):
            heard.append(found)
            search.stop()

        stopped = await crew.ask(**LONG, news=news, search=search)
        deaf = Search()
        ended = asyncio.create_task(crew.ask("choose", **ASKED, player="minimax:depth=42", search=deaf))
        while deaf.worker is None:
            await asyncio.sleep(0.01)
        deaf.stop()
        assert await ended is None
        with pytest.raises(CounterplayError, match="no player"):
            await crew.ask("choose", **ASKED, player="nobody")
        return stopped, (await crew.ask("choose", **ASKED, player="random"))["seconds"]

    stopped, _ = asyncio.run(crew_at_work(script))
    assert sum(each["visits"] for each in stopped["actions"]) > 0


def test_a_listener_at_fault_does_no_harm():
    async def script(crew):
        def news(found):
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await crew.ask(**LONG, news=news)
        return await crew.ask("choose", **ASKED, player="random")

    assert asyncio.run(crew_at_work(script))["action"] in "1234567"


def test_results_are_the_same_file_as_the_command_lines(tmp_path):
    from counterplay.arena.event import Event
    from counterplay.arena.store import Store

    game = load("connect-four")
    event = Event(game, planned(game, "connect-four", ["random", "random"], 2), Store(tmp_path / "x.db"))
    event.run(0)
    event.store.close()
    assert sqlite3.connect(tmp_path / "x.db").execute("SELECT count(*) FROM games").fetchone() == (2,)
