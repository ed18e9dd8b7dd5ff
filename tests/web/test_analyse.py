"""The Analyse and Arena pages, in real Chromium; and the crew behind all searches."""

from __future__ import annotations

import asyncio
import contextlib
import re
import sqlite3

import pytest

from counterplay import load, play_match
from counterplay.arena.event import Event
from counterplay.arena.plan import Plan
from counterplay.arena.store import Store
from counterplay.core.errors import CounterplayError
from counterplay.search.solving.solve import solve
from counterplay.web.contest import planned
from counterplay.web.crew import Crew, Search

ASKED = {"game": "connect-four", "position": None, "moves": ""}
LONG = {"task": "rank", **ASKED, "player": "mcts:time=10"}


def moves_of(browser):
    return browser.text(".cp-tree-of-moves").split()


def test_lines_and_variations(visit):
    """The lines of a live search, a move on the board, the tree of moves by keys and buttons, and a reload."""
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    browser = visit("/analyse?game=tic-tac-toe&moves=b2+a1+c3+a3")
    assert browser.text("h1") == "Analyse Tic-tac-toe"
    browser.read(".cp-facts", "proven: nothing is left to find")
    assert len(browser.all(".cp-line-row")) == 3
    assert re.match(r"0", browser.text(".cp-line-row .cp-value"))
    assert browser.all(".cp-rank-0 .cp-hint")
    assert browser.all('.cp-bar-body[aria-label*="X: 0"]')

    def press(key):
        ActionChains(browser.driver).send_keys(key).perform()

    press(Keys.ARROW_LEFT)
    press(Keys.ARROW_LEFT)
    browser.until(lambda: browser.text(".cp-tree-of-moves .cp-now") == "a1")
    browser.click('.cp-cell[aria-label^="c2,"]')
    browser.until(lambda: browser.text(".cp-variation .cp-now") == "c2")
    assert moves_of(browser) == ["start", "1.", "b2", "a1", "2.", "c3", "2.", "c2", "2...", "a3"]
    browser.until(lambda: "lines=" in browser.driver.current_url)
    browser.driver.refresh()
    browser.until(lambda: browser.text(".cp-variation .cp-now") == "c2")
    press(Keys.ARROW_UP)
    browser.until(lambda: browser.text(".cp-tree-of-moves .cp-now") == "c3")
    press(Keys.ARROW_DOWN)
    browser.until(lambda: browser.text(".cp-variation .cp-now") == "c2")
    browser.click(".cp-do-promote")
    browser.until(lambda: moves_of(browser) == ["start", "1.", "b2", "a1", "2.", "c2", "2.", "c3", "2...", "a3"])
    browser.click(".cp-do-delete")
    browser.until(lambda: moves_of(browser) == ["start", "1.", "b2", "a1", "2.", "c3", "a3"])
    browser.click(".cp-line-row button")
    browser.until(lambda: len(moves_of(browser)) > 7)


def test_every_move_in_its_colour_where_a_table_knows_the_position(visit):
    browser = visit("/analyse?game=tic-tac-toe&moves=b1+a1+c2")
    game = load("tic-tac-toe")
    p = game.start("b1 a1 c2")
    plies = solve(game, p.state).plies
    browser.read(".cp-solved-facts", f"Won in {plies} plies")
    truth = {}
    for action in p.options():
        found = solve(game, game.result(p.state, action))
        truth[game.action_text(p.state, action)] = "drawn" if not found.value else "won" if found.value < 0 else "lost"
    told = [button.text.split() for button in browser.all(".cp-solved button")]
    assert {text: word for text, word, *_ in told} == truth
    for kind in ("won", "drawn", "lost"):
        many = sum(each == kind for each in truth.values())
        assert len(browser.all(f".cp-solved .cp-move-{kind}")) == len(browser.all(f".cp-rank-{kind} .cp-hint")) == many
    browser.click(".cp-solved button")
    browser.read(".cp-solved-facts", f"Lost in {plies - 1} plies")


def test_a_review_marks_the_mistake_and_games_are_pasted(visit):
    browser = visit("/analyse?game=tic-tac-toe")
    browser.write(".cp-paste textarea", "1. a1 b2 2. a2 a3 3. c1 c3")
    browser.click(".cp-do-load")
    browser.until(lambda: browser.text(".cp-tree-of-moves .cp-now") == "c3")
    browser.click(".cp-do-review")
    browser.read(".cp-review-note", "1 mistake")
    assert browser.text(".cp-tree-of-moves .cp-bad") == "c3??"
    assert "better b1" in browser.text(".cp-mistakes")
    assert len(browser.all(".cp-graph [data-ply]")) == 7
    assert len(browser.all(".cp-graph circle")) == 7
    browser.click(".cp-mistakes button")
    browser.until(lambda: browser.text(".cp-tree-of-moves .cp-now") == "c1")
    assert browser.text(".cp-status-line") == "O to move"
    browser.click(".cp-do-copy-position")
    browser.until(lambda: "/" in browser.all(".cp-paste textarea")[0].get_attribute("value"))
    browser.write(".cp-paste textarea", "nonsense")
    browser.click(".cp-do-load")
    assert browser.read(".cp-complaint", "neither moves .* nor a position")


def test_a_match_is_played_and_kept(visit):
    browser = visit("/arena")
    browser.write(".cp-players textarea", "random\nrandom:seed=2")
    browser.click(".cp-do-begin")
    browser.read(".cp-progress", "over: 10 of 10 games")
    assert len(browser.all(".cp-standing tr")) == 3
    assert len(browser.all(".cp-played tr")) == 11
    browser.click(".cp-played a", "view")
    browser.until(lambda: "/analyse" in browser.driver.current_url)
    browser.open("/arena")
    assert len(browser.all('a[href*="event="]')) >= 1
    browser.open("/arena?event=../../etc/passwd")
    assert "no event" in browser.read(".cp-wrong", ".+")


def test_a_match_that_another_program_plays_is_followed(visit, results):
    """A command on this machine, whose workers may be on a cluster; it stops, goes on, and a sequential test ends it."""
    game, store = load("tic-tac-toe"), Store(results / "elsewhere.db")
    event = Event(game, Plan("tic-tac-toe", ("random", "random:seed=2"), 6), store)

    def stop_at(number):
        event.run(0, finished=lambda fixture, played: event.stop() if len(event.played) == number else None)

    with contextlib.closing(store):
        stop_at(3)
        browser = visit("/arena?event=elsewhere.db")
        browser.read(".cp-progress", "playing: 3 of 6 games")
        assert not browser.all(".cp-do-stop")[0].is_displayed()  # it is not ours
    browser.read(".cp-progress", "stopped: 3 of 6 games")
    store = Store(results / "elsewhere.db")
    with contextlib.closing(store):
        Event(game, event.plan, store).run(0)
        browser.read(".cp-progress", "over: 6 of 6 games")
    play_match("tic-tac-toe", "alphabeta", "random", sprt="0,400", seed=5, output=results / "decided.db", workers=0)
    browser.open("/arena?event=decided.db")
    browser.read(".cp-progress", r"over: \d+ of \d+ games")


@pytest.mark.parametrize(
    "lines, games, why",
    [
        (["random"], 10, "needs at least 2 players"),
        (["random", "uci:x"], 10, "command line only"),
        (["random", "human"], 10, "a person cannot play in a match"),
        (["random", "random"], 0, "from 1 to"),
        (["random", "random"], None, "from 1 to"),
        (["random"] * 13, 10, "at most"),
        (["random"] * 12, 500, "the limit here is"),
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


def test_a_stopped_search_shows_the_best_so_far_and_one_that_does_not_react_is_ended():
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
