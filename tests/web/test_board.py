"""The board in real Chromium: pieces dragged, cells clicked and reached by keys, and no request before a move is made."""

from __future__ import annotations

from counterplay import load


def centre(browser, name):
    """The middle of a cell on the screen."""
    return browser.driver.execute_script(
        "const b = document.querySelector('.cp-stage').board;"
        "const i = b.scene.cells.findIndex(c => c.name === arguments[0]);"
        "const r = b.hits[i].getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2];",
        name,
    )


def pointer(browser, kind, x, y, **more):
    """A mouse event, through the browser itself."""
    browser.driver.execute_cdp_cmd(
        "Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1, **more}
    )


def drag(browser, start, end, drop=True):
    """Drag a piece from one cell to another."""
    (a, b), (x, y) = centre(browser, start), centre(browser, end)
    pointer(browser, "mousePressed", a, b, buttons=1)
    for part in (0.3, 0.7, 1.0):
        pointer(browser, "mouseMoved", a + (x - a) * part, b + (y - b) * part, buttons=1)
    if drop:
        pointer(browser, "mouseReleased", x, y)


def touch(browser, name):
    """Tap a cell with a finger."""
    x, y = centre(browser, name)
    finger = {"touchPoints": [{"x": x, "y": y}]}
    browser.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchStart", **finger})
    browser.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def played(browser):
    """The moves as listed."""
    return [each.text for each in browser.all(".cp-moves button")]


def after(browser, n):
    """Wait until this many moves are made; the moves."""
    return browser.until(lambda: played(browser) if len(played(browser)) == n else [])


def sent(browser):
    """The number of socket messages and other requests since counting began."""
    return browser.driver.execute_script("return window.cpSent")


COUNT = """
window.cpSent = [];
window.socket.onAnyOutgoing((name) => { if (name !== "ack") window.cpSent.push(name); }); // acks come by the clock
const more = new PerformanceObserver((list) => window.cpSent.push(...list.getEntries().map((each) => each.name)));
more.observe({ type: "resource" });
"""


def test_a_game_of_chess_by_dragging(visit):
    browser = visit("/play?game=chess&p1=human&p2=human")
    for i, (start, end) in enumerate(
        [
            ("e2", "e4"),
            ("h7", "h5"),
            ("g1", "f3"),
            ("h5", "h4"),
            ("f1", "c4"),
            ("h4", "h3"),
            ("e1", "g1"),
            ("h3", "g2"),
        ],
        1,
    ):
        drag(browser, start, end)
        after(browser, i)
    assert played(browser)[6:] == ["O-O", "hxg2"]
    browser.driver.refresh()  # the moves are in the address
    browser.until(lambda: not browser.all(".cp-opening"))
    assert len(after(browser, 8)) == 8
    browser.click(".cp-do-theme")
    browser.until(lambda: browser.all("body.body--dark"))
    assert len(played(browser)) == 8
    browser.driver.execute_script(COUNT)
    drag(browser, "b2", "b3", drop=False)
    assert len(browser.all(".cp-dot")) == 2  # b3 and b4
    assert browser.all(".cp-dragged")
    assert sent(browser) == []
    pointer(browser, "mouseReleased", *centre(browser, "b3"))
    after(browser, 9)
    assert sent(browser) == ["event"]
    drag(browser, "g2", "f1")  # takes the rook and becomes the chosen piece
    assert len(browser.until(lambda: browser.all(".cp-choice button"))) == 4
    browser.click('.cp-choice button[title*="knight"]')
    assert after(browser, 10)[-1] == "gxf1=N"
    for i, (start, end) in enumerate([("f3", "g5"), ("a7", "a6"), ("c4", "f7")], 11):
        drag(browser, start, end)
        after(browser, i)
    assert "checkmate" in browser.read(".cp-status", ".*checkmate.*")
    p = load("chess").start(" ".join(played(browser)))
    shown = browser.driver.execute_script(
        "const b = document.querySelector('.cp-stage').board;"
        "return Object.fromEntries(b.pieces.map(p => [b.scene.cells[p.cell].name, p.look]))"
    )
    drawn = p.game.diagram(p.state)
    assert shown == {drawn.cells[piece.cell].name: piece.look for piece in drawn.pieces}


def test_keys_and_names_of_cells(visit):
    browser = visit("/play?game=chess&p1=human&p2=human")
    key = (
        "document.querySelector('.cp-cell[tabindex=\"0\"]')"
        ".dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true}))"
    )
    for name in ["ArrowDown"] * 6 + ["Enter", "ArrowUp", "ArrowUp", "Enter"]:
        browser.driver.execute_script(key, name)
    assert after(browser, 1) == ["a4"]
    names = [each.get_attribute("aria-label") for each in browser.all(".cp-cell")]
    assert {"b8, black knight", "a4, white pawn", "a2, empty"} <= set(names)


def test_a_play_of_backgammon_half_by_half(visit):
    browser = visit("/play?game=backgammon&moves=31&p1=human&p2=human")
    browser.until(lambda: browser.all(".cp-grab"))
    drag(browser, "8", "5")
    half = browser.until(lambda: [each for each in browser.all(".cp-half") if each.is_displayed()])[0]
    assert played(browser) == ["31"]
    half.click()
    browser.until(lambda: not browser.all(".cp-half:not([hidden])"))
    drag(browser, "6", "5")  # in any order
    drag(browser, "8", "5")
    browser.until(lambda: "8/5 6/5" in played(browser))


def test_hex_at_the_width_of_a_phone(visit):
    browser = visit("/play?game=hex&p1=human&p2=human")
    browser.resize(390, 844)
    for i, name in enumerate(("f6", "a1", "k11"), 1):
        touch(browser, name)
        assert after(browser, i)[-1] == name
    assert browser.driver.execute_script("return document.documentElement.scrollWidth <= 390")
    browser.open("/play?game=hex:size%3D3&p1=human&p2=human")
    for i, name in enumerate(("b2", "a1", "b1", "a2", "b3"), 1):  # a whole game
        touch(browser, name)
        after(browser, i)
    assert "chain from edge to edge" in browser.read(".cp-status", ".*chain.*")
    assert len(browser.all(".cp-won")) == 3


def test_a_piece_in_hand_is_dropped_and_promotion_is_chosen_on_the_board(visit):
    browser = visit("/play?game=shogi&moves=7g7f+3c3d&p1=human&p2=human")
    browser.until(lambda: browser.all(".cp-grab"))
    drag(browser, "8h", "2b")
    browser.click('.cp-choice button[title*="promoted bishop"]')
    after(browser, 3)
    drag(browser, "3a", "2b")
    after(browser, 4)
    drag(browser, "black B", "5e")
    assert after(browser, 5)[2:] == ["8h2b+", "3a2b", "B*5e"]


def test_bets_are_buttons_that_say_what_they_cost(visit):
    browser = visit("/play?game=texas-holdem&p1=human&p2=random")
    browser.click(".cp-actions button", "raise to 6")
    browser.until(lambda: "raise1" in played(browser))
    p = load("texas-holdem").start("As Kh Td 2c")
    assert [p.game.caption(p.state, action) for action in p.options()][:4] == [
        "fold",
        "call 1",
        "raise to 4",
        "raise to 6",
    ]
