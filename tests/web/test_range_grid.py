"""The table of all hands in Analyse: what a worker answers."""

from __future__ import annotations

import pytest

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.games.kuhn_poker import KuhnPoker
from counterplay.web import studying


class Listener:
    """Receives reports of the work."""

    def __init__(self):
        self.said = []

    def say(self, what):
        self.said.append(what)


@pytest.fixture
def kuhn(monkeypatch):
    """Kuhn poker in plain Python: its tree needs no compilation."""
    game = type("KuhnPoker", (KuhnPoker,), {"compiled": False})()
    monkeypatch.setattr(studying, "rules_of", lambda spec: game)
    return game


def test_ranges_are_solved_to_a_picture(kuhn):
    talk = Listener()
    found = studying.solve_ranges(talk, "kuhn-poker", None, "J K", "any / Q,K:0.5", 5.0)
    assert talk.said == [{"ready": True}]
    assert found["svg"].startswith("<svg")
    assert "player 1 to move" in found["svg"]
    assert "player 2" in found["other"]
    assert all(name in found["other"] for name in ("Q", "K"))
    assert "of the pot" in found["facts"]


def test_a_hand_that_cannot_be_solved_is_explained(kuhn, monkeypatch):
    with pytest.raises(CounterplayError, match="A"):
        studying.solve_ranges(Listener(), "kuhn-poker", None, "J K", "A9s / any", 5.0)
    with pytest.raises(CounterplayError, match="is empty"):
        studying.solve_ranges(Listener(), "kuhn-poker", None, "J K", "J:0 / any", 5.0)
    monkeypatch.setattr(studying, "MOST_PUBLIC", 2)
    with pytest.raises(Unsuitable, match="too large to solve here"):
        studying.solve_ranges(Listener(), "kuhn-poker", None, "J K", "any / any", 5.0)


@pytest.mark.slow
def test_the_card_draws_the_table(visit):
    studying.solve_ranges(Listener(), "kuhn-poker", None, "J K", "any", 1.0)  # compiled where a worker finds it
    browser = visit("/analyse?game=kuhn-poker&moves=J+K")
    browser.until(lambda: bool(browser.all(".cp-do-ranges")))
    browser.click(".cp-do-ranges")
    browser.until(lambda: bool(browser.all(".cp-grid svg")))
    assert "of the pot" in browser.text(".cp-ranges-facts")
    assert len(browser.all(".cp-grid svg")) == 2  # the strategy, and the other player's range
    for width in (1200, 390):
        browser.resize(width, 850)
        assert browser.driver.execute_script("return document.documentElement.scrollWidth") <= width
    browser.click(".cp-actions button", "bet")
    browser.until(lambda: not browser.all(".cp-grid svg"))
