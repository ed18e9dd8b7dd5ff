"""The Practice page, in real Chromium: right and wrong answers, and the reasons on the page."""

from __future__ import annotations

from urllib.request import urlopen

from counterplay.teaching.exercise import grade
from counterplay.teaching.topics import exercises_of


def press(browser, selector):
    """Click into a picture."""
    browser.until(lambda: browser.all(selector))
    browser.driver.execute_script(
        "document.querySelector(arguments[0]).dispatchEvent(new Event('click', {bubbles: true}))", selector
    )


def told(browser, name):
    return browser.until(lambda: browser.text(f'[data-mark="{name}"]'))


def test_exercises_are_answered_by_clicks_and_keys_and_graded_with_the_reason(visit, address):
    from selenium.webdriver.common.keys import Keys

    first, second = exercises_of("alpha-beta", 2, 7)
    browser = visit("/practice?topic=alpha-beta&seed=7&count=2")
    assert browser.read(".cpp-question", ".+") == first.question
    names, blank = first.figure["names"], first.blanks[0]
    seen = next(option for option in blank.options if option not in blank.answers[0].split())
    press(browser, f'.cpp-tree [data-node="{names.index(seen)}"]')
    browser.read(".cpp-on", seen)
    assert browser.all('.cpp-tree [data-tone="pruned"]')
    browser.click(".cpp-do-check")
    wrong = grade(first, {"pruned": seen})[0]
    assert told(browser, "pruned") == f"{blank.label} {wrong.words}"
    assert "Not " + seen in wrong.words
    assert len(browser.all('.cpp-tree [data-tone="pruned"]')) == len(blank.answers[0].split())
    browser.read(".cpp-score", "0 of 1 right")
    browser.click(".cpp-do-next")
    browser.read(".cpp-where", "2 of 2")
    for leaf in second.blanks[0].answers[0].split():
        press(browser, f'.cpp-tree [data-node="{second.figure["names"].index(leaf)}"]')
    browser.click(".cpp-do-check")
    browser.read(".cpp-verdict", "Right. That was the last one: 1 of 2 exercises right")
    assert "Right." in told(browser, "pruned")
    # The keyboard alone; an unreadable answer costs nothing.
    (exercise,) = exercises_of("equilibrium", 1, 3)
    browser.open("/practice?topic=equilibrium&seed=3&count=1")
    up, left, value = (browser.until(lambda b=b: browser.all(f'input[name="{b.name}"]'))[0] for b in exercise.blanks)
    up.send_keys("x", Keys.ENTER)
    assert "'x' is not a number" in browser.read(".cpp-unread", ".+")
    assert browser.text(".cpp-score") == ""
    up.send_keys(Keys.BACKSPACE, exercise.blanks[0].answer, Keys.TAB)
    left.send_keys(exercise.blanks[1].answer, Keys.TAB)
    value.send_keys("99", Keys.ENTER)
    browser.read(".cpp-verdict", "2 of 3 right")
    assert exercise.blanks[2].reason in told(browser, "value")
    assert browser.text('[data-mark="up"]').startswith("probability of up Right.")
    # Wrong links get a sentence, right ones a sheet.
    browser.open("/practice?topic=minmax")
    assert "did you mean minimax?" in browser.read(".cp-wrong", ".+")
    browser.open("/practice")
    assert len(browser.all(".cpp-topics a")) == 9
    with urlopen(f"{address}/practice/sheet?topic=nim&seed=3&count=1") as sheet:
        assert sheet.read(5) == b"%PDF-"


def test_a_lesson_is_live(visit):
    (exercise,) = exercises_of("minimax", 1, 2)
    browser = visit("/lessons")
    assert len(browser.all(".cpp-topics a")) == 12
    browser.click('.cpp-topics a[href="/lessons/minimax"]')
    browser.read(".cpw-where", "step 1 of 17")
    browser.click(".cpw-do-last")
    browser.read(".cpw-words", "Max chooses 1, worth 3")
    browser.read(".cpp-question", "Back up the minimax value")
    browser.write('input[name="value-A"]', exercise.blanks[0].answer)
    browser.click(".cpp-do-check")
    assert "Right." in told(browser, "value-A")
    assert "Missing" in told(browser, "value-B")
    browser.open("/lessons/tables-and-books")
    browser.read(".cpl-board .cp-status", "x to move")
    browser.click('.cpl-board .cp-cell[aria-label^="a1"]')
    browser.read(".cpl-board .cp-status", "o to move")
    browser.open("/lessons/nonsense")
    assert "there is no lesson 'nonsense'" in browser.read(".cp-wrong", ".+")
