"""The pictures of docs/app.md, retaken: `PYTHONPATH=tests python tests/web/screenshots.py [NAME ...]`.

`--all FOLDER` takes every page and every game instead, on a desktop and on a phone, light and dark, for a person to look
at; `sheets` puts every page side by side for docs/app.md.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

from web.chromium import Browser, served

from counterplay import load
from counterplay.cli import main as command_line
from counterplay.core.registry import catalogue

FOLDER = Path(__file__).parents[2] / "docs" / "images"


def played(browser: Browser) -> None:
    browser.click('.cp-cell[aria-label^="column 4,"]')
    browser.until(lambda: len(browser.all(".cp-moves button")) == 2)


def pruned(browser: Browser) -> None:
    browser.until(lambda: len(browser.all(".cpw-tree svg")) == browser.driver.current_url.count("depth"))
    for _ in range(8):
        browser.click(".cpw-do-forward")
    browser.read(".cpw-words", "pruned")


def judged(browser: Browser) -> None:
    browser.click(".cp-do-review")
    browser.read(".cp-review-note", "mistake")
    browser.read(".cp-facts", "ahead")


def contested(browser: Browser) -> None:
    browser.write(".cp-players textarea", "minimax:depth=2\nrandom\nrandom:seed=2")
    browser.click(".cp-do-begin")
    browser.read(".cp-progress", "over: 30")


def still(browser: Browser) -> None:
    browser.until(lambda: browser.all(".cp-games svg, .cp-status, .cp-card"))


SHOTS: tuple[tuple[str, str, int, int, bool, Callable[[Browser], None]], ...] = (
    ("games", "/", 1100, 760, False, still),
    ("play", "/play?game=connect-four&p2=random", 1100, 760, False, played),
    ("play-phone", "/play?game=chess", 390, 844, True, still),
    ("watch", "/watch?a=plain-alphabeta:depth%3D2", 1280, 720, False, pruned),
    ("analyse", "/analyse?game=chess&moves=e4+e5+Qh5+Nc6+Bc4+Nf6+Qxf7%23&lines=3:7038&at=3", 1100, 1140, False, judged),
    ("arena", "/arena", 1100, 640, True, contested),
    ("runs", "/runs", 1100, 900, False, still),
)


def trained(folder: str) -> None:
    """Two short trainings to look at."""
    for simulations in (8, 16):
        name, options = f"tic-tac-toe-{simulations}", ("positions=512", "width=8", "blocks=1", "gate_every=2")
        chosen = [word for each in (*options, f"simulations={simulations}") for word in ("--set", each)]
        begin = ["train", "tic-tac-toe", "--method", "alphazero", "--games", "3000", "-o", f"{folder}/{name}"]
        command_line([*begin, *chosen])


PAGES = {
    "home": "/",
    "play": "/play?game=chess&moves=e4+e5+Nf3+Nc6&p2=random",
    "backgammon": "/play?game=backgammon&moves=31+8/5+6/5+42&p1=human&p2=human",
    "shogi": "/play?game=shogi&moves=7g7f+3c3d+8h2b%2B+3a2b+2g2f&p1=human&p2=human",
    "poker": "/play?game=texas-holdem&p2=random",
    "analyse": "/analyse?game=connect-four&moves=4+4+3",
    "watch": "/watch?a=plain-alphabeta:depth%3D2&step=9",
    "lessons": "/lessons",
    "lesson": "/lessons/alpha-beta",
    "practice": "/practice",
    "exercise": "/practice?topic=minimax&seed=7",
    "machines": "/machines",
    "arena": "/arena",
    "runs": "/runs",
    "nowhere": "/nowhere",
}
"""Every page, for `--all` and for the sheets."""
WAYS = {
    "light": (1280, 720, False),
    "dark": (1280, 720, True),
    "phone": (390, 844, False),
    "phone-dark": (390, 844, True),
}


def on_the_way(name: str) -> str:
    """The page to play a game on, a few actions after its start."""
    p, rng = load(name).start(seed=3), random.Random(3)
    while len(p) < 6 and not p.is_over and not p.game.has_secrets:
        p.play(rng.choice(p.options()))
    return "/play?" + urlencode({"game": name, "moves": " ".join(p.moves), "p2": "random"})


def settled(browser: Browser) -> None:
    """Wait until a page shows what it was opened for."""
    waits = ("opening ...", "recording ...", "Searching ...", "Preparing ")
    browser.until(lambda: not any(each in browser.text("body") for each in waits))
    time.sleep(0.5)


def every_page(address: str, folder: Path, wanted: list[str]) -> None:
    """All pages and games in every form, or only the requested ones."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = PAGES | {f"game-{name}": on_the_way(name) for name in sorted(catalogue())}
    for way, (width, height, dark) in WAYS.items():
        browser = Browser(address, width, height)
        try:
            browser.open("/docs")
            browser.driver.add_cookie({"name": "dark", "value": str(int(dark))})
            for name, path in pages.items():
                if wanted and name not in wanted:
                    continue
                browser.driver.get(address + path)
                time.sleep(1.2)
                settled(browser)
                browser.picture(str(folder / f"{name}-{way}.png"))
        finally:
            browser.close()


def sheet(folder: Path, way: str) -> None:
    """All pages of a way side by side, in one picture of the docs."""
    from PIL import Image

    width, height, _ = WAYS[way]
    columns, scale = (3, 1 / 3) if width > height else (6, 0.55)
    tile = round(width * scale), round(height * scale)
    rows = -(-len(PAGES) // columns)
    whole = Image.new("RGB", (columns * (tile[0] + 8) + 8, rows * (tile[1] + 8) + 8), "#8b8f97")
    for i, name in enumerate(PAGES):
        page = Image.open(folder / f"{name}-{way}.png").convert("RGB").resize(tile, Image.Resampling.LANCZOS)
        whole.paste(page, (8 + i % columns * (tile[0] + 8), 8 + i // columns * (tile[1] + 8)))
    whole.save(FOLDER / f"app-{way}.webp", quality=80, method=6)


def main() -> None:
    if sys.argv[1:2] == ["sheets"]:
        with tempfile.TemporaryDirectory() as kept, served("--results", kept, "--runs", kept) as address:
            every_page(address, Path(kept), list(PAGES))
            for way in WAYS:
                sheet(Path(kept), way)
        return
    if sys.argv[1:2] == ["--all"]:
        with served() as address:
            every_page(address, Path(sys.argv[2]), sys.argv[3:])
        return
    with tempfile.TemporaryDirectory() as folder, served("--results", folder, "--runs", folder) as address:
        if "runs" in sys.argv[1:] or not sys.argv[1:]:
            trained(folder)
        for name, path, width, height, dark, act in SHOTS:
            if sys.argv[1:] and name not in sys.argv[1:]:
                continue
            browser = Browser(address, width, height)
            try:
                if dark:
                    browser.open("/docs")
                    browser.driver.add_cookie({"name": "dark", "value": "1"})
                browser.open(path)
                act(browser)
                time.sleep(1)
                browser.picture(str(FOLDER / f"app-{name}.png"))
            finally:
                browser.close()


if __name__ == "__main__":
    main()
