"""The page to watch a search on, in real Chromium."""

from __future__ import annotations


def fact(browser, name):
    """What the page says of the current step."""
    return browser.text(f'.cp-facts [data-fact="{name}"]')


def test_the_lecture_tree_step_by_step(visit):
    browser = visit("/watch")
    browser.read(".cp-where", "step 1 of 24")
    assert (fact(browser, "player"), fact(browser, "alpha"), fact(browser, "beta")) == ("Max", "-∞", "∞")
    seen = []
    for step in range(2, 25):
        browser.click(".cp-do-forward")
        browser.read(".cp-where", f"step {step} of 24")
        words = browser.text(".cp-step")
        if words.startswith("prune"):
            seen.append(words.partition(":")[0])
        if "cut" in words:
            assert (fact(browser, "alpha"), fact(browser, "beta"), fact(browser, "value")) == ("3", "2", "≤ 2")
    assert seen == ["prune 2 2", "prune 2 3"]
    tones = [each.get_attribute("data-tone") for each in browser.all(".cp-tree [data-node]")]
    assert tones.count("pruned") == 2
    assert browser.text('.cp-summary [data-fact="value"]') == "3"
    browser.click(".cp-do-back")
    browser.read(".cp-where", "step 23 of 24")
    browser.click('.cp-tree [data-node="1"]')
    browser.until(lambda: "+3" in browser.text(".cp-tree"))


def test_two_side_by_side_and_an_own_tree(visit):
    browser = visit("/watch?game=tree:[[1,2],[0,9]]&a=plain-alphabeta:depth=8&b=minimax:depth=8")
    browser.until(lambda: len(browser.all(".cp-summary table")) == 2)
    leaves = [each.text for each in browser.all('.cp-summary [data-fact="leaves"]')]
    assert leaves == ["3", "4"]


def test_what_cannot_be_watched_gets_a_sentence(visit):
    browser = visit("/watch?game=kuhn-poker&a=plain-alphabeta:depth=3")
    assert "kuhn-poker" in browser.read(".cp-step", ".*kuhn-poker.*")
    browser.open("/watch?game=tree:[[1,2],[x]]")
    assert "not JSON" in browser.read(".cp-wrong", ".+")


def test_regret_minimization_iteration_by_iteration(visit):
    browser = visit("/watch?game=kuhn-poker&a=cfr%2B:iterations=20")
    browser.read(".cp-where", "step 1 of 21")
    assert "iteration 0" in browser.text(".cp-step")
    browser.click(".cp-do-last")
    browser.read(".cp-step", "iteration 20")
    assert len(browser.all(".cp-regrets tr")) == 25
