"""The Runs page, in real Chromium."""

from __future__ import annotations


def test_runs_are_listed_drawn_and_looked_into(visit):
    browser = visit("/runs")
    assert "tic-tac-toe" in browser.read(".cp-runs", "slow .*")
    rows = [each.text for each in browser.all(".cp-runs tr")]
    assert len(rows) == 4
    assert any("1,200" in each and "0.2500" in each and "+35" in each for each in rows)
    assert any("holds no run of this version" in each for each in rows)
    assert "actors wait" in rows[0]
    assert any("12%" in each and "96" in each for each in rows)  # of the one that several cores work on
    browser.until(lambda: len(drawn(browser)) == 2)  # no run reports a length
    browser.click('.cp-runs a[href="/runs?run=quick"]')
    browser.read(".cp-config", "hidden 10")
    browser.until(lambda: drawn(browser) == ["loss"])  # and this one no rating
    assert len(browser.all(".cp-runs tr")) == 2
    assert "actors wait" not in browser.all(".cp-runs tr")[0].text


def drawn(browser):
    """The titles of the panels that are shown."""
    shown = [each for each in browser.all(".cp-chart") if each.is_displayed()]
    return [each.text.splitlines()[0] for each in shown]


def test_a_run_that_is_not_there(visit):
    browser = visit("/runs?run=../../etc")
    assert "there is no run" in browser.read(".cp-wrong", ".+")
