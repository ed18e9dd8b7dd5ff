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

import counterplay as cp

if TYPE_CHECKING:
    from PIL.Image import Image

ROOT = Path(__file__).parents[2]
WIDTH, HEIGHT, STRIP = 1000, 600, 40
"""The size of the window, and the height of the strip above it."""
SHOWN = 880, 563
"""The size of the animation."""
Frame = tuple["Image", int]  # a picture, and how many milliseconds it is shown
SCENES = ("Write the rules", "Serve them", "Play", "Watch the search")

EDITOR = """<body style="margin:0;background:#1e222a;color:#d7dae0;font:16px/1.42 monospace">
<div style="background:#2b303b;padding:9px 20px;color:#9aa4b5;font:14px system-ui,sans-serif">{title}</div>
<div style="margin:14px 24px">{text}</div></body>"""
HEAD = """<body style="margin:0;height:40px;display:flex;gap:34px;align-items:center;justify-content:center;
background:#11141a;font:600 15px system-ui,sans-serif;color:#5f6a7d">{steps}</body>"""


class Recorder:
    """A browser, and the frames taken so far."""

    def __init__(self, browser: Browser) -> None:
        self.browser, self.frames = browser, list[Frame]()
        self.strips = [self.strip(scene) for scene in SCENES]
        self.scene = 0

    def strip(self, scene: str) -> Image:
        """The line above every frame of a scene."""
        steps = "".join(
            f'<span style="color:{"#fff" if each == scene else "inherit"}">{each}</span>' for each in SCENES
        )
        self.browser.resize(WIDTH, STRIP)
        self.browser.driver.get("data:text/html;charset=utf-8," + quote(HEAD.format(steps=steps)))
        return self.picture()

    def picture(self) -> Image:
        """What the browser shows now."""
        from PIL import Image

        return Image.open(io.BytesIO(self.browser.driver.get_screenshot_as_png())).convert("RGB")

    def take(self, milliseconds: int) -> None:
        """A frame of what the browser shows."""
        from PIL import Image

        whole = Image.new("RGB", (WIDTH, STRIP + HEIGHT))
        whole.paste(self.strips[self.scene], (0, 0))
        whole.paste(self.picture(), (0, STRIP))
        self.frames.append((whole.resize(SHOWN, Image.Resampling.LANCZOS), milliseconds))

    def typed(self, title: str, text: str, milliseconds: int) -> None:
        """A text in an editor or a terminal, with the cursor at its end."""
        from pygments import highlight
        from pygments.formatters import HtmlFormatter
        from pygments.lexers import PythonLexer, TextLexer

        lexer = PythonLexer(stripnl=False) if title.endswith(".py") else TextLexer(stripnl=False)
        style = HtmlFormatter(noclasses=True, nobackground=True, style="one-dark")
        shown = highlight(text, lexer, style).rstrip().removesuffix("</pre></div>").rstrip()
        cursor = '<span style="color:#6cb6ff">█</span></pre></div>'
        page = EDITOR.format(title=html.escape(title), text=shown + cursor)
        self.browser.driver.get("data:text/html;charset=utf-8," + quote(page))
        self.take(milliseconds)

    def open(self, path: str, shown: str) -> None:
        """A page of the app, without scroll bars."""
        self.browser.open(path)
        self.browser.until(lambda: self.browser.all(shown))
        self.browser.driver.execute_script(
            "const s = document.createElement('style'); s.textContent = '* { scrollbar-width: none !important }';"
            "document.head.append(s)"
        )
        self.quiet()

    def quiet(self) -> None:
        """Wait until the page is loaded and no player is thinking."""
        time.sleep(1)
        busy = ("is thinking", "opening ...", "Preparing", "recording ...")
        self.browser.until(lambda: not any(word in self.browser.text("body") for word in busy))
        time.sleep(0.3)


def written(recorder: Recorder, source: str) -> None:
    """The rules, one method at a time; the first frame, which is what a still picture shows, has three."""
    rules = source[source.index("class Chomp") : source.index("    # Notation")].rstrip()
    ends = [i for i in range(len(rules)) if rules.startswith("\n\n    def ", i)] + [len(rules)]
    for end in ends[3:]:
        recorder.typed("chomp.py", "\n".join(rules[:end].splitlines()[-24:]), 1000 if end < len(rules) else 1900)


def in_the_terminal(recorder: Recorder) -> None:
    """The commands that check and serve it."""
    check = "$ counterplay check chomp.py\n"
    right = check + "chomp.py is correct as far as random play can tell.\n\n"
    serve = right + "$ counterplay serve chomp.py\n"
    address = serve + "Counterplay is at http://127.0.0.1:8123/ (Ctrl-C ends it)\n"
    for text, milliseconds in ((check[:-1], 700), (right, 1000), (serve[:-1], 700), (address, 1300)):
        recorder.typed("terminal", text, milliseconds)


def played(recorder: Recorder, file: Path) -> None:
    """A game against the computer, won by exact play."""
    recorder.open("/play?game=Chomp&p2=alphabeta:depth%3D12", ".cp-cell")
    recorder.take(1300)
    p, browser = cp.load(str(file)).start(), recorder.browser
    while not p.is_over:
        move = cp.solve(p).action
        browser.click(f'.cp-cell[aria-label^="{move},"]')
        recorder.quiet()
        browser.until(
            lambda p=p: len(browser.all(".cp-moves button")) > len(p) + 1 or "You won" in browser.text("body")
        )
        recorder.take(1200)
        p = cp.load(str(file)).start(" ".join(each.text for each in browser.all(".cp-moves button")))
    image, _ = recorder.frames.pop()
    recorder.frames.append((image, 1900))


def watched(recorder: Recorder) -> None:
    """Alpha-beta on a bar of six squares, step by step, to its end."""
    recorder.open("/watch?game=Chomp:rows%3D2,columns%3D3&a=plain-alphabeta:depth%3D2", ".cpw-tree svg")
    recorder.take(1100)
    shown = ""
    while (now := recorder.browser.text(".cpw-words")) != shown:
        shown = now
        recorder.browser.click(".cpw-do-forward")
        time.sleep(0.4)
        recorder.take(1000 if "pruned" in recorder.browser.text(".cpw-words") else 450)
    image, _ = recorder.frames.pop()
    recorder.frames[-1] = image, 2500


def main() -> None:
    """Record it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(shutil.copy(ROOT / "examples" / "chomp.py", folder))
        with served("--workers", "1", str(file)) as address:
            browser = Browser(address, WIDTH, HEIGHT)
            try:
                recorder = Recorder(browser)
                browser.resize(WIDTH, HEIGHT)
                written(recorder, file.read_text())
                recorder.scene = 1
                in_the_terminal(recorder)
                recorder.scene = 2
                played(recorder, file)
                recorder.scene = 3
                watched(recorder)
            finally:
                browser.close()
    first, *others = [picture for picture, _ in recorder.frames]
    first.save(
        ROOT / "docs" / "images" / "tour.webp",
        save_all=True,
        append_images=others,
        duration=[milliseconds for _, milliseconds in recorder.frames],
        loop=0,
        quality=72,
        method=4,
    )


if __name__ == "__main__":
    main()
