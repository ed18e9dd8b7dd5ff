"""The picture at the top of README.md, taken anew: `PYTHONPATH=tests python tests/web/film.py`.

A game is written, served and played, and its tree is watched: examples/chomp.py in the real app. It becomes
docs/images/opening.gif.
"""

from __future__ import annotations

import io
import time
from html import escape
from pathlib import Path
from urllib.parse import quote

from PIL import Image
from web.chromium import Browser, served

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "chomp.py"
SIZE = 800, 520
COLOURS = 64
PAGE = """<body style="margin:0;background:#1b1e24;color:#d7dae0;font:13px/1.26 ui-monospace,Menlo,monospace">
<div style="padding:7px 14px;background:#262a32;color:#9aa3b2">{title}</div>
<pre style="margin:8px 16px;font:inherit">{text}</pre>"""


class Film:
    """Frames with the milliseconds that each is shown."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.frames: list[Image.Image] = []
        self.lengths: list[int] = []

    def shoot(self, length: int) -> None:
        """Take a frame."""
        taken = Image.open(io.BytesIO(self.browser.driver.get_screenshot_as_png())).convert("RGB")
        self.frames.append(taken.resize(SIZE, Image.Resampling.LANCZOS) if taken.size != SIZE else taken)
        self.lengths.append(length)

    def page(self, title: str, text: str, length: int) -> None:
        """A page of text, and a frame of it."""
        self.browser.driver.get("data:text/html;charset=utf-8," + quote(PAGE.format(title=title, text=escape(text))))
        self.shoot(length)

    def save(self, file: Path) -> None:
        """Write all frames with one palette."""
        sheet = Image.new("RGB", (SIZE[0], SIZE[1] * len(self.frames)))
        for i, frame in enumerate(self.frames):
            sheet.paste(frame, (0, i * SIZE[1]))
        palette = sheet.quantize(COLOURS, dither=Image.Dither.NONE)
        first, *rest = (frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in self.frames)
        first.save(file, save_all=True, append_images=rest, duration=self.lengths, loop=0, optimize=True)


def rules() -> list[str]:
    """What is written: the example without its docstring, its notation and its picture."""
    text = EXAMPLE.read_text().partition('"""\n\n')[2].partition("    # Notation")[0]
    return text.rstrip().splitlines()


def written(film: Film) -> None:
    """The rules, a few lines at a time."""
    lines = rules()
    rows = 27
    for end in range(4, len(lines) + 3, 4):
        shown = lines[max(0, min(end, len(lines)) - rows) : end]
        film.page("chomp.py", "\n".join(shown), 260 if end < len(lines) else 900)


def served_from(film: Film, address: str) -> None:
    """The command that serves it."""
    film.page("terminal", "$ counterplay serve chomp.py", 700)
    film.page("terminal", f"$ counterplay serve chomp.py\n{address}", 900)


def played(film: Film) -> None:
    """A few moves against the computer."""
    browser = film.browser
    browser.open(f"/play?game={quote(EXAMPLE.name)}")
    film.shoot(900)
    for count, cell in enumerate(("d3", "c2"), 1):
        browser.click(f'.cp-cell[aria-label^="{cell}"]')
        browser.until(lambda count=count: len(browser.all(".cp-moves button")) >= 2 * count)
        time.sleep(0.6)
        film.shoot(1100)


def watched(film: Film) -> None:
    """The tree of a search, step by step."""
    browser = film.browser
    browser.open(f"/watch?game={quote(EXAMPLE.name + ':rows=2,columns=2')}&a={quote('plain-alphabeta:depth=3')}")
    browser.until(lambda: browser.all(".cpw-tree svg"))
    film.shoot(700)
    for step in range(26):
        browser.click(".cpw-do-forward")
        if step % 2 == 0:
            film.shoot(420)
    film.shoot(2500)


def main() -> None:
    with served(str(EXAMPLE)) as address:
        browser = Browser(address, *SIZE)
        try:
            film = Film(browser)
            written(film)
            served_from(film, "http://127.0.0.1:8000")
            played(film)
            watched(film)
            film.save(ROOT / "docs" / "images" / "opening.gif")
        finally:
            browser.close()


if __name__ == "__main__":
    main()
