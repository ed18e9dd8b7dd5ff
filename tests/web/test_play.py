"""The Play page, in real Chromium: whole games by clicks, links, two visitors at once."""

from __future__ import annotations

import asyncio
import random
import re
import time
from types import SimpleNamespace
from unittest.mock import Mock
from urllib.parse import urlencode

import pytest

from counterplay import load
from counterplay.web.admission import Shelf
from counterplay.web.server import FORGOTTEN
from counterplay.web.table import GameTable


def turn_of(browser, ply):
    """Wait until this many moves are listed and the person is to move, or the game is over; the status."""

    def stands():
        listed, status = len(browser.all(".cp-moves button")), browser.text(".cp-status")
        over = re.search(r"won|draw|resigned", status)
        return status if over or (listed >= ply and "Your move" in status) else ""

    return browser.until(stands)


def played(browser):
    """The moves as listed."""
    return [each.text for each in browser.all(".cp-moves button")]


def test_a_whole_game_of_connect_four_by_clicks_on_the_board(visit):
    browser = visit("/play?game=connect-four&p2=random")
    for ply in range(0, 42, 2):
        if "Your move: you are red" not in turn_of(browser, ply):
            break
        p = load("connect-four").start(" ".join(played(browser)))
        column = p.options()[ply % len(p.options())]
        browser.click(f'.cp-cell[aria-label^="column {column + 1}, row 6"]')  # anywhere in the column
        browser.until(lambda ply=ply: len(browser.all(".cp-moves button")) > ply)
    status = browser.text(".cp-status")
    p = load("connect-four").start(" ".join(played(browser)))
    assert p.is_over
    move = -(-len(p) // 2)
    won, side = ("won", "Red") if p.returns[0] > 0 else ("lost", "Yellow")
    draw = f"A draw with the board full, move {move}"
    assert status == (f"You {won}: {side} won with four in a row, move {move}" if any(p.returns) else draw)
    assert len(browser.all(".cp-pieces .cp-piece:not(.cp-gone)")) == len(p)
    assert len(browser.all(".cp-won")) >= (4 if any(p.returns) else 0)
    assert not browser.all(".cp-do-resign")[0].is_enabled()
    browser.click(".cp-do-harder")
    browser.read(".cp-strip-2", "computer, easy")
    assert played(browser) == []


def test_a_whole_game_of_kuhn_poker_hides_the_other_card(visit):
    browser = visit("/play?game=kuhn-poker&p2=random")
    turn_of(browser, 2)
    assert [text == "?" for text in played(browser)] == [False, True]
    faces = [each.text for each in browser.all(".cp-board text") if each.text in ("J", "Q", "K")]
    assert faces == played(browser)[:1]
    browser.driver.refresh()  # the cards are not in the address, and the table is the same
    browser.until(lambda: not browser.all(".cp-opening"))
    turn_of(browser, 2)
    assert faces == [each.text for each in browser.all(".cp-board text") if each.text in ("J", "Q", "K")]
    assert "moves=" not in browser.driver.current_url
    browser.click(".cp-actions button", "bet")
    assert browser.read(".cp-status", r"You (won|lost) [12], move [12]")
    p = load("kuhn-poker").start(seed=1)
    assert played(browser)[2:] in (["bet", "bet"], ["bet", "pass"]), p


def test_a_finished_game_is_reviewed_immediately(visit):
    browser = visit("/play?game=tic-tac-toe&moves=a1+b2+a2+b1+a3&p1=human&p2=alphabeta:depth%3D2")
    browser.read(".cp-status", "You won: X won with 3 in a row, move 3")
    assert browser.text(".cp-thought") == ""
    browser.click(".cp-do-review")
    browser.read(".cp-review-note", "1 mistake")
    assert browser.text(".cp-tree-of-moves .cp-bad") == "b1??"
    assert "review" not in browser.driver.current_url


def test_the_move_that_is_shown_is_in_view(visit):
    p, rng = load("othello").start(), random.Random(1)
    while len(p) < 56:
        p.play(rng.choice(p.options()))
    browser = visit(f"/play?{urlencode({'game': 'othello', 'moves': ' '.join(p.moves), 'p1': 'human', 'p2': 'human'})}")
    inside = (
        "const list = document.querySelector('.cp-moves'), now = list.querySelector('.cp-now');"
        "const seen = list.getBoundingClientRect(), move = now.getBoundingClientRect();"
        "return list.scrollHeight > seen.height && move.top >= seen.top && move.bottom <= seen.bottom"
    )
    browser.until(lambda: browser.driver.execute_script(inside), 30)
    browser.click(".cp-do-undo")
    browser.click('.cp-moves [data-ply="1"]')
    browser.until(lambda: browser.text(".cp-moves .cp-now") == p.moves[0])
    browser.until(lambda: browser.driver.execute_script(inside), 30)


@pytest.mark.slow
def test_two_people_play_kriegspiel_and_each_sees_only_their_own_side(visit):
    browser = visit("/play?game=kriegspiel:5&p1=human&p2=human")

    def take_the_screen(side):
        browser.read(".cp-status", f"{side}, take the screen")
        assert not any(cell.is_displayed() for cell in browser.all(".cp-cell"))
        browser.click("button", "only I am looking")
        browser.read(".cp-status", f"{side} to move")
        browser.until(lambda: [cell for cell in browser.all(".cp-cell") if cell.is_displayed()])
        return sorted({each.get_attribute("aria-label").split(", ")[1].split()[0] for each in browser.all(".cp-cell")})

    def move(origin, target):
        for cell in (origin, target):
            browser.click(f'.cp-cell[aria-label^="{cell},"]')

    assert take_the_screen("White") == ["empty", "white"]
    move("a2", "a3")  # before a pawn on b4, which is announced to Black
    assert take_the_screen("Black") == ["black", "empty"]
    assert "White has moved; 1 pawn try" in browser.text("body")
    assert played(browser) == ["?"]
    move("c4", "b3")  # there is nothing to take
    browser.read("body", "Black has tried c4b3: no")
    move("b4", "a3")
    assert take_the_screen("White") == ["empty", "white"]
    assert "a pawn taken on a3" in browser.text("body")
    assert played(browser) == ["?", "?", "?"]


def test_take_back_hint_look_back_and_resign(visit):
    browser = visit("/play?game=tic-tac-toe&moves=a1+b2&p1=human&p2=random")
    turn_of(browser, 2)
    browser.click(".cp-do-hint")
    assert browser.read(".cp-thought", r"Hint: \w\d")
    assert browser.all(".cp-hint")
    browser.click('.cp-moves [data-ply="1"]')
    assert browser.read(".cp-status", "After move 1 of 2")
    browser.click('.cp-moves [data-ply="2"]')
    turn_of(browser, 2)
    browser.click(".cp-do-undo")
    browser.until(lambda: "none yet" in browser.text(".cp-moves"))
    browser.click(".cp-do-redo")
    turn_of(browser, 2)
    browser.click(".cp-do-resign")
    browser.click(".cp-do-really")
    assert browser.read(".cp-status", "You resigned")


def test_a_link_opens_the_same_position_elsewhere_and_visitors_do_not_meet(visit):
    first = visit("/play?game=othello&p1=human&p2=human")
    first.click('.cp-cell[aria-label^="c4,"]')
    first.until(lambda: played(first) == ["c4"])
    link = first.until(lambda: first.driver.current_url if "moves=c4" in first.driver.current_url else "")
    second = visit(link.removeprefix(first.address))
    second.until(lambda: played(second) == ["c4"])
    second.click('.cp-cell[aria-label^="c3,"]')
    second.until(lambda: len(played(second)) == 2)
    assert played(first) == ["c4"]


def test_wrong_links_get_a_sentence(visit):
    browser = visit("/play?game=conect-four")
    assert "did you mean connect-four" in browser.read(".cp-wrong", ".+")
    for query, why in (
        ("game=hex&moves=z9", "z9"),
        ("game=chess&p2=uci:/bin/true", "command line only"),
        ("game=/etc/passwd.py", "command line only"),
        ("game=tree:/etc/passwd", "command line"),
        ("game=go&p2=mcts:threads=64", "at most"),
    ):
        browser.open(f"/play?{query}")
        assert why in browser.read(".cp-wrong", ".+")


@pytest.mark.parametrize("path", ["/", "/play", "/watch", "/analyse", "/arena", "/runs", "/docs"])
def test_pages_keep_to_their_own_policy(visit, path):
    """A page loads, runs and draws only what its Content-Security-Policy allows."""
    browser = visit(path)
    browser.until(lambda: browser.all(".cp-head"))
    told = [line["message"] for line in browser.driver.get_log("browser")]
    assert not [message for message in told if "Content Security Policy" in message]


def test_the_players_of_a_page_are_asked_for_by_its_key_until_the_game_is_over(monkeypatch):
    pytest.importorskip("nicegui")
    from counterplay.web.play import PlayPage
    from counterplay.web.preparing import Preparations

    asked, left = [], []

    class Crew:
        async def ask(self, task, **question):
            if task == "prepare":
                return {}
            asked.append((question["table"], question["seat"]))
            return {"number": page.table.p.options()[0], "action": "", "words": ""}

        def leave(self, table):
            left.append(table)

    table = GameTable(load("tic-tac-toe").start("b2 a1 c1 a3 a2 c2"), ["random", "random"])
    crew = Crew()
    page = PlayPage(SimpleNamespace(crew=crew, shelf=Shelf(), preparations=Preparations(crew)), table)
    for name in ("draw", "tell", "list_actions", "list_moves", "remember"):
        monkeypatch.setattr(page, name, lambda: None)
    page.ready = Mock()
    asyncio.run(page.think())
    assert table.is_over
    assert asked == [(page.key, 0), (page.key, 1), (page.key, 0)][: len(asked)]
    assert len(asked) > 1
    assert set(left) == {page.key}


def test_the_back_button_and_a_closed_laptop_keep_the_game(visit):
    browser = visit("/play?game=tic-tac-toe&p1=human&p2=human")

    def play(cell, ply):
        browser.click(f'.cp-cell[aria-label^="{cell},"]')
        return browser.until(lambda: played(browser) if len(played(browser)) == ply else [])

    def is_back():
        return browser.driver.execute_script("return window.socket.connected") and not browser.all(".cp-opening")

    play("b2", 1)
    browser.until(lambda: "moves=b2" in browser.driver.current_url)
    browser.driver.get(f"{browser.address}/docs")
    browser.driver.back()
    browser.until(is_back)
    assert play("a1", 2) == ["b2", "a1"]
    browser.driver.execute_script("window.socket.disconnect()")
    time.sleep(FORGOTTEN + 1)  # the server has dropped the page
    browser.driver.execute_script("window.socket.connect()")
    browser.until(is_back)
    assert play("c3", 3) == ["b2", "a1", "c3"]
