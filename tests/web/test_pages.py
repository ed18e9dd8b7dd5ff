"""What all pages share: accessibility (axe), the home page, unknown addresses."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from counterplay.teaching.lessons import NAMES as LESSONS
from counterplay.teaching.topics import TOPICS
from counterplay.web.admission import Shelf
from counterplay.web.home import FIRST

PAGES = {
    "/": ".cp-games a",
    "/play?game=tic-tac-toe&moves=a1+b2&p2=random": ".cp-cell",
    "/play?game=shogi&moves=7g7f+3c3d+8h2b%2B+3a2b&p2=random": ".cp-cell",
    "/play?game=texas-holdem&p2=random": ".cp-actions button",
    "/analyse?game=tic-tac-toe&moves=b2+a1+c3+a3": ".cp-line-row",
    "/watch": ".cpw-tree svg",
    "/practice": "h1",
    "/practice?topic=minimax&seed=2&count=2": ".cpp-question",
    "/practice?topic=nim&seed=2&count=2": ".cpp-question",
    "/lessons": "h1",
    "/machines": "h1",
    "/lessons/minimax": ".cpl-text",
    "/arena": ".cp-do-begin",
    "/runs": ".cp-table",
    "/docs": ".cp-code",
    "/nowhere": ".cp-do-home",
    "/play?game=conect-four": ".cp-wrong",
}
"""Every page, and what it shows when it is there."""
ASK = """
const done = arguments[0];
const where = (node) => `${node.html.slice(0, 200)} ${(node.any[0] || {}).message}`;
axe.run(document, { resultTypes: ["violations"] }).then((found) => done(found.violations.map((each) =>
  `${each.impact} ${each.id}: ${each.nodes.map(where).join(" | ")}`)));
"""


WIDER = "return document.documentElement.scrollWidth - window.innerWidth"
"""By how many pixels a page is wider than its window."""


def found_wrong(browser, pages):
    """What axe reports about each page, and which pages have to be scrolled sideways, on a desktop or on a phone."""
    axe = pytest.importorskip("axe_core_python")
    script = (Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
    wrong = {}
    for path, sign in pages.items():
        browser.open(path)
        browser.until(lambda sign=sign: browser.all(sign))
        browser.driver.execute_script(script)
        found = browser.driver.execute_async_script(ASK)
        found += ["wider than a desktop"] * (browser.driver.execute_script(WIDER) > 0)
        browser.resize(390, 844)
        found += ["wider than a phone"] * (browser.driver.execute_script(WIDER) > 0)
        browser.resize(*browser.size)
        if found:
            wrong[path] = found
    return wrong


@pytest.mark.parametrize("dark", ["0", "1"], ids=["light", "dark"])
def test_axe_finds_nothing_on_any_page(visit, dark):
    browser = visit("/docs")
    browser.driver.add_cookie({"name": "dark", "value": dark})
    wrong = found_wrong(browser, PAGES)
    assert not wrong, json.dumps(wrong, indent=1)


@pytest.mark.slow
@pytest.mark.parametrize("dark", ["0", "1"], ids=["light", "dark"])
def test_axe_finds_nothing_in_any_lesson_exercise_or_game(visit, dark):
    browser = visit("/docs")
    browser.driver.add_cookie({"name": "dark", "value": dark})
    pages = {f"/lessons/{lesson}": ".cpl-text" for lesson in LESSONS}
    pages |= {f"/practice?topic={topic}&seed=2&count=2": ".cpp-question" for topic in TOPICS}
    pages |= {f"/play?game={game}&p2=random": ".cp-stage svg" for game in Shelf().names()}
    wrong = found_wrong(browser, pages)
    assert not wrong, json.dumps(wrong, indent=1)


def test_chips_leave_some_games_and_nowhere_is_a_page_of_ours(visit):
    browser = visit("/")

    def titles():
        return [each.text for each in browser.all(".cp-games a:not([hidden]) b") if each.is_displayed()]

    everything = titles()
    assert len(everything) == len(Shelf().names())
    browser.click('[data-value="dice"]')
    assert "Backgammon" in titles()
    assert "Chess" not in titles()
    browser.click('[data-value="hidden"]')
    assert "Kuhn poker" in titles()
    assert "Backgammon" not in titles()
    browser.click('[data-value="1"]')
    assert titles() == []
    assert browser.text(".cp-no-game")
    browser.click('[data-filter="kind"] [data-value=""]')
    browser.click('[data-filter="players"] [data-value=""]')
    assert titles() == everything
    browser.open("/nowhere")
    assert browser.text("h1") == "There is no such page"
    assert browser.driver.title == "Not found - Counterplay"
    browser.click(".cp-do-home")
    browser.until(lambda: len(titles()) == len(everything))


def test_addresses_that_lead_nowhere_are_not_found_and_there_is_an_icon(address):
    with pytest.raises(urllib.error.HTTPError) as found:
        urllib.request.urlopen(f"{address}/nowhere")
    assert found.value.code == 404
    assert urllib.request.urlopen(f"{address}/favicon.ico").read().startswith(b"<svg")


def test_games_not_yet_asked_for_are_prepared_one_after_the_other(monkeypatch):
    from counterplay.core.errors import CounterplayError
    from counterplay.web import preparing

    asked, ended = [], []

    class Worker:
        async def running(self):
            return type("Process", (), {"pid": 0})

        async def answer(self, question, news, seconds):
            asked.append((question["task"], question["game"]))
            if question["game"] == "bad":
                raise CounterplayError("no")

        def kill(self):
            ended.append("killed")

        async def bury(self):
            ended.append("buried")

    monkeypatch.setattr(preparing, "CrewWorker", Worker)
    monkeypatch.setattr(preparing.os, "setpriority", lambda *_: None, raising=False)
    asyncio.run(preparing.prepare_ahead([("bad", "random"), ("nim", "random")]))
    assert asked == [("prepare", "bad"), ("prepare", "nim")]
    assert ended == ["killed", "buried"]


def test_the_front_of_the_house_is_ones_own_games_and_six_more():
    from types import SimpleNamespace

    from counterplay.web.server import front

    found = front(SimpleNamespace(shelf=Shelf()))
    assert [game for game, _ in found] == list(FIRST)
    assert all(player for _, player in found)
