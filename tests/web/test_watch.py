"""The Watch page, in real Chromium."""

from __future__ import annotations

import io
import json
import math
import re

import pytest

from counterplay import load
from counterplay.players.specs import player
from counterplay.search.tracing.history import History
from counterplay.search.tracing.sentences import Narrator
from counterplay.search.tracing.trace import compose
from counterplay.search.tracing.tracer import RecordingTracer

LISTEN = """
window.asked = [];
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (data) {
  if (!/^[23]$/.test(String(data))) window.asked.push(String(data));  // 2 and 3 keep the connection alive
  return send.call(this, data);
};
const ask = window.fetch;
window.fetch = function (...all) { window.asked.push(String(all[0])); return ask.apply(this, all); };
const open = XMLHttpRequest.prototype.open;
XMLHttpRequest.prototype.open = function (...all) { window.asked.push(String(all[1])); return open.apply(this, all); };
const seen = (list) => list.getEntries().forEach((each) => { if (/^http/.test(each.name)) window.asked.push(each.name); });
new PerformanceObserver(seen).observe({ type: "resource", buffered: false });
"""


def sentences(game, spec):
    """What the steps of a search say."""
    p = load(game).start()
    recorder = RecordingTracer()
    found = player(spec).trace(p, recorder)
    history = History(compose(p, recorder, found, game=game, player=spec), p.game)
    narrator = Narrator(history)
    return [narrator.sentence(step) for step in history.steps]


def press(browser, key):
    """Press a key on the page."""
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(browser.driver).send_keys(key).perform()


def test_the_lecture_tree_step_by_step_without_a_request(visit):
    from selenium.webdriver.common.keys import Keys

    browser = visit("/watch")
    wanted = sentences("tree:[[3,12,8],[2,4,6],[14,5,2]]", "plain-alphabeta:depth=2")
    browser.read(".cpw-where", f"step 1 of {len(wanted)}")
    browser.driver.execute_script(LISTEN)
    assert len(browser.all(".cpw-tree [data-node]")) == 1  # no spoilers
    seen = [browser.text(".cpw-words")]
    for step in range(2, len(wanted) + 1):
        if step % 2:
            browser.click(".cpw-do-forward")
        else:
            press(browser, Keys.ARROW_RIGHT)
        browser.read(".cpw-where", f"step {step} of")
        seen.append(browser.text(".cpw-words"))
        if "pruned." in seen[-1]:
            facts = [browser.text(f'.cpw-facts [data-fact="{name}"]') for name in ("player", "alpha", "beta", "pruned")]
            assert facts == ["Min", "3", "2", "2"]
            assert browser.text(".cpw-lit").strip() == "if alpha >= beta: prune the rest"
    assert seen == wanted
    tones = [each.get_attribute("data-tone") for each in browser.all(".cpw-tree [data-node]")]
    assert (len(tones), tones.count("pruned")) == (13, 2)
    browser.driver.execute_script(
        "document.querySelector('.cpw-tree [data-node=\"1\"]').dispatchEvent(new Event('click', {bubbles: true}))"
    )
    browser.until(lambda: "+3" in browser.text(".cpw-tree"))
    press(browser, Keys.HOME)
    press(browser, "-")
    press(browser, "-")  # slowly: the first step comes after 6 seconds
    press(browser, " ")
    browser.read(".cpw-do-play", "Pause")
    browser.until(lambda: not browser.text(".cpw-where").startswith("step 1 "))
    press(browser, " ")
    browser.read(".cpw-do-play", "Play")
    assert browser.driver.execute_script("return window.asked") == []
    browser.resize(1280, 720)
    sizes = browser.driver.execute_script(
        "const texts = [...document.querySelectorAll('.cpw-tree text, .cpw-words, .cpw-code, .cpw-legend, .cpw-facts')];"
        "return texts.map((each) => parseFloat(getComputedStyle(each).fontSize))"
    )
    assert min(sizes) >= 20
    assert "step=" in browser.driver.current_url


def test_a_link_shares_tree_algorithm_and_step_and_two_run_side_by_side(visit):
    browser = visit("/watch?game=tree:[[1,2],[0,9]]&a=plain-alphabeta:depth=2&b=minimax:depth=2&step=6")
    browser.until(lambda: len(browser.all(".cpw-tree svg")) == 2)
    browser.read(".cpw-where", "step 6 of")
    assert browser.text(".cpw-words") == sentences("tree:[[1,2],[0,9]]", "plain-alphabeta:depth=2")[5]
    browser.click(".cpw-do-last")
    leaves = [each.text for each in browser.all('.cpw-facts [data-fact="leaves"]')]
    assert leaves == ["3", "4"]
    # What cannot be watched gets a sentence.
    browser.open("/watch?game=kuhn-poker&a=plain-alphabeta:depth=3")
    assert "kuhn-poker" in browser.read(".cpw-wrong", ".*kuhn-poker.*")
    browser.open("/watch?game=tree:[[1,2],[x]]")
    assert "not JSON" in browser.read(".cp-wrong", ".+")
    # Regret minimization, iteration by iteration.
    browser.open("/watch?game=kuhn-poker&a=cfr%2B:iterations=20")
    browser.read(".cpw-where", "step 1 of 21")
    assert "every action is equally likely" in browser.text(".cpw-words")
    browser.click(".cpw-do-last")
    browser.read(".cpw-words", "Iteration 20: ")
    assert len(browser.all(".cpw-tree [data-set]")) == 12


TITLES = """
const nodes = [...document.querySelectorAll('.cpw-tree [data-node]')].sort((a, b) => a.dataset.node - b.dataset.node);
return nodes.map((each) => each.querySelector("title").textContent)"""


def statistics(browser):
    """Visits and mean of the root and of its moves, as the tree shows them."""
    found = {}
    for title in browser.driver.execute_script(TITLES):
        label, *rest = title.split(", ")
        numbers = re.search(r"(\d+): (-?[\d.]+)", rest[-1]) if rest else None
        if numbers:
            told = int(numbers[1]), float(numbers[2]), "✓" in title
            found.setdefault(label, told)  # the root's moves were made first
    return {label: (visits, mean) for label, (visits, mean, proven) in found.items() if not proven}


@pytest.mark.slow
def test_the_sums_of_a_selection_follow_from_what_the_tree_shows(visit):
    browser = visit("/watch?game=tic-tac-toe&a=mcts:simulations=60")
    browser.read(".cpw-where", r"step 1 of \d\d")
    checked, before = 0, {}
    for _ in range(46):
        takes = r"Select: at the root, \w takes (\w\d): (-?[\d.]+) \+ ([\d.]+) = (-?[\d.]+), highest"
        if found := re.search(takes, browser.text(".cpw-words")):
            sums = {
                label: (mean, 0.7 * math.sqrt(math.log(before["root"][0]) / visits))
                for label, (visits, mean) in before.items()
                if label != "root"
            }
            mean, bonus = sums[found[1]]
            assert [float(each) for each in found.groups()[1:]] == pytest.approx([mean, bonus, mean + bonus], abs=0.011)
            assert mean + bonus >= max(map(sum, sums.values())) - 0.011
            checked += 1
        else:
            before = statistics(browser)
        browser.click(".cpw-do-forward")
    assert checked >= 5


NODES = "return [...document.querySelectorAll('.cpw-tree [data-node]')].map((g) => [g.dataset.node, g.textContent])"


def shown(browser, sign):
    """The first node on the page with this text; empty if there is none."""
    return next((number for number, text in browser.driver.execute_script(NODES) if sign(text)), "")


def on_node(browser, number, kind):
    """A pointer event on a node."""
    made = "new PointerEvent(arguments[1], {bubbles: true})"
    where = "document.querySelector(`.cpw-tree [data-node='${arguments[0]}']`)"
    browser.driver.execute_script(f"{where}.dispatchEvent({made})", number, kind)


def test_of_a_long_search_a_node_is_opened_and_its_position_is_shown(visit):
    browser = visit("/watch?game=tic-tac-toe&moves=b2&a=plain-alphabeta:depth=6")
    before = browser.read(".cpw-where", r"of \d\d+")
    browser.click(".cpw-do-last")
    browser.read(".cpw-words", "Done")
    while not (number := shown(browser, lambda text: "open" in text)):
        many = len(browser.driver.execute_script(NODES))
        on_node(browser, shown(browser, lambda text: re.search(r"\+\d", text)), "click")
        browser.until(lambda many=many: len(browser.driver.execute_script(NODES)) > many, 30)
    on_node(browser, number, "pointerover")
    name = browser.until(lambda: browser.all(".cpw-board img"))[0].get_attribute("alt")
    assert re.fullmatch("the position( [abc][123])+", name)
    on_node(browser, number, "click")
    more = browser.until(lambda: found if (found := browser.read(".cpw-where", r"of \d\d+")) != before else "")
    assert int(more.split()[1]) > int(before.split()[1])


def test_a_tree_is_built_by_clicking_and_steps_are_saved_as_files(visit):
    browser = visit("/watch?game=tree:[[1,2],[0]]&step=3")
    browser.until(lambda: browser.all(".cpw-tree svg"))
    browser.click(".cpw-do-build")
    browser.until(lambda: len(browser.all(".cpw-builder [data-node]")) == 6)
    chosen = (
        "document.querySelector('.cpw-builder [data-node=\"4\"]').dispatchEvent(new Event('click', {bubbles: true}))"
    )
    browser.driver.execute_script(chosen)  # the second move of the root
    browser.click(".cpw-do-add")
    browser.read(".cpw-lists", r"\[\[1,2\],\[0,0\]\]")
    browser.driver.execute_script(
        "const v = document.querySelector('.cpw-value'); v.value = 9; v.dispatchEvent(new Event('input'))"
    )
    browser.read(".cpw-lists", r"\[\[1,2\],\[0,9\]\]")
    browser.click(".cpw-do-built")
    browser.until(lambda: "9" in browser.driver.current_url and browser.all(".cpw-tree svg"))
    browser.read(".cpw-where", "step 1 of")
    browser.driver.execute_script(
        """window.kept = {}; const made = URL.createObjectURL;
        URL.createObjectURL = (blob) => {
          blob.arrayBuffer().then((bytes) => { window.kept[blob.type] = [...new Uint8Array(bytes)]; });
          return made.call(URL, blob);
        };"""
    )
    for kind in ("svg", "png", "gif", "pdf"):
        browser.driver.execute_script(
            f"const s = document.querySelector('.cpw-save'); s.value = '{kind}'; s.dispatchEvent(new Event('change'))"
        )
    kinds = ["image/svg+xml", "image/png", "image/gif", "application/pdf"]
    browser.until(
        lambda: browser.driver.execute_script(f"return {json.dumps(kinds)}.every((kind) => window.kept[kind])")
    )
    svg, png, gif, pdf = (bytes(browser.driver.execute_script(f"return window.kept['{kind}']")) for kind in kinds)
    assert svg.startswith(b"<svg")
    assert png.startswith(b"\x89PNG")
    steps = len(sentences("tree:[[1,2],[0,9]]", "plain-alphabeta:depth=2"))
    assert pdf.startswith(b"%PDF-1.4")
    assert pdf.count(b"/Type /Page ") == steps
    image = pytest.importorskip("PIL.Image")
    picture = image.open(io.BytesIO(gif))
    assert (picture.n_frames, picture.size) == (steps, (960, 540))
    for frame in range(steps):  # every frame can be decoded
        picture.seek(frame)
        picture.load()
