"""The pictures of docs/app.md, taken anew: `PYTHONPATH=tests python tests/web/screenshots.py [NAME ...]`."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from web.chromium import Browser, served

from counterplay.cli import main as command_line

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
    ("analyse", "/analyse?game=chess&moves=e4+e5+Qh5+Nc6+Bc4+Nf6+Qxf7%23&lines=3:7038&at=3", 1100, 960, False, judged),
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


def main() -> None:
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
