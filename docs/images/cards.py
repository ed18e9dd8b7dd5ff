"""Take the pictures in README.md's table: `PYTHONPATH=tests python docs/images/cards.py [NAME ...]`.

Each is a page of HTML around what the package itself draws and computes, photographed by Chromium.
"""

from __future__ import annotations

import base64
import html
import io
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from web.chromium import Browser

import counterplay as cp
from counterplay.notebook.widgets import APP, story_of
from counterplay.teaching.pictures import drawn

HERE = Path(__file__).parent
SIZE, SCALE = (320, 180), 2
PAGE = """<!doctype html><meta charset="utf-8"><style>
html, body {{ margin: 0; background: transparent; }}
.card {{ width: 320px; height: 180px; box-sizing: border-box; padding: 12px; border-radius: 12px; overflow: hidden;
  background: {ground}; color: {ink}; font: 12px/1.4 system-ui, Helvetica, Arial, sans-serif; display: flex; gap: 12px;
  align-items: center; justify-content: center; }}
svg {{ display: block; }} .lines {{ display: grid; gap: 5px; }} b {{ font-weight: 650; }}
pre {{ margin: 0; font: 10.5px/1.5 ui-monospace, monospace; white-space: pre; }}
.chip {{ border-radius: 6px; padding: 2px 7px; background: #fff; border: 1px solid #d7d2c6; white-space: nowrap; }}
.key {{ color: #c678dd; }} .text {{ color: #98c379; }} .name {{ color: #61afef; }}
</style><div class="card">{body}</div>"""
PAPER, INK, NIGHT, PALE = "#f5f2ea", "#23211d", "#1e222a", "#d7dae0"


def sized(svg: str, height: int) -> str:
    """A picture drawn by the package, at a given height."""
    data = base64.b64encode(svg.encode()).decode()
    return f'<img height="{height}" src="data:image/svg+xml;base64,{data}" style="border-radius:6px">'


def board(game: str, moves: str, height: int) -> str:
    """A position of a game."""
    p = cp.load(game).start(moves, seed=5)
    return sized(p.game.svg(p.state), height)


def play() -> str:
    """Three boards."""
    chess = board("chess", "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7", 148)
    go = board("go:size=9", "e5 c6 g6 f3 c4 d3 g4 e7", 148)
    return chess + go


def search() -> str:
    """The best moves of a position, by the engine."""
    moves = "e4 e5 Nf3 Nc6 Bc4 Nd4 Nxe5"
    found = cp.search("chess", moves=moves, depth=10)
    rows = [f'<span class="chip"><b>{html.escape(move)}</b></span>' for move in found.line[:6]]
    said = html.escape(found.text.partition("(value ")[2].partition(",")[0])
    line = f'<div style="display:flex;flex-wrap:wrap;gap:4px">{"".join(rows)}</div>'
    told = f"<div>{found.decision.nodes:,} states,<br>{found.decision.depth} plies ahead</div>"
    return board("chess", moves, 156) + f'<div class="lines"><b style="font-size:17px">{said}</b>{line}{told}</div>'


def watch() -> str:
    """A search tree at the step where it prunes."""
    story = story_of(cp.trace("tree", "plain-alphabeta", depth=2))
    step = next(i for i, each in enumerate(story["steps"]) if "pruned" in each["words"])
    source = (APP / "watch" / "drawing.js").read_text().replace("export ", "")
    show = f"drawing(story, {step}, {{width: 296, height: 116, font: 11}}, LIGHT, {{}}).svg"
    words = html.escape(story["steps"][step]["words"].partition(" (")[0])
    return f"""<div style="width:296px"><div id="tree"></div><div>{words}: <b>pruned</b></div></div>
    <script type="module">{source}
    const story = {json.dumps(story)}; document.getElementById("tree").innerHTML = {show};</script>"""


def teach() -> str:
    """An exercise with its solution."""
    exercise = cp.exercises("alpha-beta", count=1, seed=4).exercises[0]
    said = f"<div><b>Which leaves does alpha-beta never look at?</b></div><div>{exercise.blanks[0].answer}</div>"
    return sized(drawn(exercise, solved=True), 150) + f'<div class="lines">{said}</div>'


def solve() -> str:
    """Connect Four with the exact value of every move."""
    moves = "2 7 6 4 7 7 5 6 7 1 3 5 2 4 3 2"
    found = cp.solve("connect-four", moves=moves, all=True)
    colours = {1.0: ("#1b7f3b", "wins"), 0.0: ("#8a6d00", "draws"), -1.0: ("#b3261e", "loses")}
    rows = ""
    for each in sorted(found.actions, key=lambda each: each.action):
        colour, word = colours[each.value]
        plies = f" in {each.plies}" if each.plies else ""
        rows += f'<div><b>{each.action}</b> <span style="color:{colour}">{word}{plies}</span></div>'
    return board("connect-four", moves, 156) + f'<div style="line-height:1.55">{rows}</div>'


def learn() -> str:
    """The rating of a network in training, from docs/images/go-9.svg."""
    chart = (HERE / "go-9.svg").read_text()
    chart = chart[chart.index("<svg") :].replace('viewBox="0 0 504 561.6"', 'viewBox="0 186 504 177"', 1)
    chart = chart.replace('width="504pt" height="561.6pt"', 'width="296" height="104"', 1)
    return f'<div class="lines"><b>Go 9x9: rating by minutes of training</b>{chart}</div>'


def compare() -> str:
    """A tournament's ratings with their intervals."""
    rivals = ("alphabeta:depth=5", "mcts:simulations=400", "greedy", "random")
    with tempfile.TemporaryDirectory() as folder:
        found = cp.tournament("connect-four", *rivals, games=120, seed=1, output=Path(folder) / "games.db")
        ratings, labels = found.standing.ratings(), found.standing.labels
    low = min(each[0] for each in ratings.intervals)
    high = max(each[1] for each in ratings.intervals)

    def x(points: float) -> float:
        return 6 + 88 * (points - low) / (high - low)

    rows = ""
    for i in sorted(range(len(labels)), key=lambda i: -ratings.points[i]):
        left, right = map(x, ratings.intervals[i])
        bar = f'<line x1="{left:.0f}" x2="{right:.0f}" y1="9" y2="9" stroke="#4363d8" stroke-width="5" opacity=".35"'
        dot = f'<circle cx="{x(ratings.points[i]):.0f}" cy="9" r="4.5" fill="#4363d8"/>'
        graph = f'<svg width="100" height="18">{bar} stroke-linecap="round"/>{dot}</svg>'
        rows += f"<tr><td>{labels[i]}</td><td>{graph}</td><td><b>{ratings.points[i]:+.0f}</b></td></tr>"
    return f'<table style="border-spacing:4px 6px;white-space:nowrap">{rows}</table>'


def code(text: str) -> str:
    """Some lines of Python in colour."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    return highlight(text, PythonLexer(), HtmlFormatter(noclasses=True, style="one-dark", nobackground=True))


def connect() -> str:
    """Other libraries' interfaces."""
    return code(
        'cp.pettingzoo_env("chess")\n'
        'cp.gymnasium_env("go:size=9", opponent="mcts")\n'
        'cp.vector_env("othello", 1024)\n'
        'cp.to_openspiel("leduc-poker")\n'
        'cp.load("openspiel:liars_dice")\n'
        "$ counterplay mcp"
    )


def own() -> str:
    """A game written by a user."""
    methods = ("initial(self)", "to_move(self, s)", "actions(self, s, out)", "result(self, s, action)")
    methods += ("is_terminal(self, s)", "utility(self, s, player)")
    text = "class Chomp(Game):\n" + "".join(f"  def {each}: ...\n" for each in methods)
    return code(text) + sized((HERE / "chomp.svg").read_text(), 60)


CARDS: dict[str, tuple[Callable[[], str], str, str]] = {
    "play": (play, PAPER, INK),
    "search": (search, PAPER, INK),
    "watch": (watch, "#fff", INK),
    "teach": (teach, "#fff", INK),
    "solve": (solve, PAPER, INK),
    "learn": (learn, "#fff", INK),
    "compare": (compare, "#fff", INK),
    "connect": (connect, NIGHT, PALE),
    "own": (own, NIGHT, PALE),
}


def main() -> None:
    """Take the named pictures, or all."""
    from PIL import Image

    browser = Browser("", *SIZE)
    try:
        command = browser.driver.execute_cdp_cmd
        metrics = {"width": SIZE[0], "height": SIZE[1], "deviceScaleFactor": SCALE, "mobile": False}
        command("Emulation.setDeviceMetricsOverride", metrics)
        command("Emulation.setDefaultBackgroundColorOverride", {"color": {"r": 0, "g": 0, "b": 0, "a": 0}})
        for name, (made, ground, ink) in CARDS.items():
            if sys.argv[1:] and name not in sys.argv[1:]:
                continue
            page = PAGE.format(ground=ground, ink=ink, body=made())
            browser.driver.get("data:text/html;charset=utf-8," + quote(page))
            taken = Image.open(io.BytesIO(browser.driver.get_screenshot_as_png()))
            taken.save(HERE / f"card-{name}.webp", quality=88, method=6)
    finally:
        browser.close()


if __name__ == "__main__":
    main()
