"""Record docs/images/tour.webp, the animation at the top of README.md: `PYTHONPATH=tests python docs/images/record.py`.

A game is written, served, played and its search watched: all of it screenshots from Chromium, the last two of the app.
"""

from __future__ import annotations

import html
import io
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from web.chromium import Browser, served

if TYPE_CHECKING:
    from PIL.Image import Image

ROOT = Path(__file__).parents[2]
SIZE = 1120, 700
SHOWN = 896, 560
"""The size of the window, and of the animation."""
Frame = tuple["Image", int]  # a picture, and how many milliseconds it is shown

EDITOR = """<body style="margin:0;background:#1e222a;color:#d7dae0;font:17px/1.45 monospace"><div style="background:#2b303b;
padding:8px 18px;color:#9aa4b5">{title}</div><pre style="margin:14px 22px;font:inherit">{text}</pre></body>"""


def frame(browser: Browser, milliseconds: int) -> Frame:
    """What the browser shows now."""
    from PIL import Image

    picture = Image.open(io.BytesIO(browser.driver.get_screenshot_as_png())).convert("RGB")
    return picture.resize(SHOWN, Image.Resampling.LANCZOS), milliseconds


def typed(browser: Browser, title: str, text: str, milliseconds: int) -> Frame:
    """A text in an editor or a terminal, with the cursor at its end."""
    page = EDITOR.format(title=html.escape(title), text=html.escape(text) + '<span style="color:#6cb6ff">█</span>')
    browser.driver.get("data:text/html;charset=utf-8," + quote(page))
    return frame(browser, milliseconds)


def written(browser: Browser, source: str) -> list[Frame]:
    """The rules, a method at a time."""
    rules = source[source.index("class Chomp") : source.index("    # Notation")].rstrip()
    ends = [i for i in range(len(rules)) if rules.startswith("\n\n    def ", i)] + [len(rules)]
    frames = [typed(browser, "chomp.py", "\n".join(rules[:end].splitlines()[-25:]), 650) for end in ends]
    return [*frames[:-1], (frames[-1][0], 1600)]


def played(browser: Browser) -> list[Frame]:
    """A few bites against the computer."""
    browser.open("/play?game=Chomp&p2=alphabeta:depth%3D12")
    browser.until(lambda: browser.all(".cp-cell"))
    quiet(browser)
    frames = [frame(browser, 1200)]
    for cell in ("b2", "a3", "a2", "c1", "b1", "a1"):
        cells = browser.all(f'.cp-cell[aria-label^="{cell},"]')
        if not cells or "block" not in (cells[0].get_attribute("aria-label") or ""):
            continue  # eaten already
        cells[0].click()
        time.sleep(0.5)
        quiet(browser)
        frames.append(frame(browser, 1100))
    return frames


def quiet(browser: Browser) -> None:
    """Wait until the page is open and nobody is thinking."""
    time.sleep(1)
    browser.until(lambda: not any(word in browser.text("body") for word in ("is thinking", "opening ...")))


def watched(browser: Browser) -> list[Frame]:
    """Alpha-beta on a bar of four squares, step by step."""
    browser.open("/watch?game=Chomp:rows%3D2,columns%3D2&a=plain-alphabeta:depth%3D4")
    browser.until(lambda: browser.all(".cpw-tree svg"))
    time.sleep(1)
    frames = [frame(browser, 900)]
    for _ in range(16):
        browser.click(".cpw-do-forward")
        time.sleep(0.4)
        frames.append(frame(browser, 550))
    return [*frames[:-1], (frames[-1][0], 2000)]


def main() -> None:
    """Record it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(shutil.copy(ROOT / "examples" / "chomp.py", folder))
        with served("--workers", "1", str(file)) as address:
            browser = Browser(address, *SIZE)
            try:
                command = "$ counterplay serve chomp.py\n"
                frames = written(browser, file.read_text())
                frames.append(typed(browser, "terminal", command[:-1], 700))
                started = command + "Counterplay is at http://127.0.0.1:8123/ (Ctrl-C stops it)\n"
                frames.append(typed(browser, "terminal", started, 1100))
                frames += played(browser) + watched(browser)
            finally:
                browser.close()
    first, *others = [picture for picture, _ in frames]
    first.save(
        ROOT / "docs" / "images" / "tour.webp",
        save_all=True,
        append_images=others,
        duration=[milliseconds for _, milliseconds in frames],
        loop=0,
        quality=75,
        method=4,
    )


if __name__ == "__main__":
    main()
