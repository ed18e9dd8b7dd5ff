"""The common part of every page: the header with its links, light and dark mode, the style, error messages."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any

from nicegui import context, ui
from nicegui.events import GenericEventArguments

from counterplay.core.errors import CounterplayError

PAGES = (("Games", "/"), ("Play", "/play"), ("Analyse", "/analyse"), ("Watch", "/watch"), ("Lessons", "/lessons"),
         ("Practice", "/practice"), ("Machines", "/machines"), ("Arena", "/arena"), ("Runs", "/runs"))  # fmt: skip

STYLE = """
:root { --cp-line: #d7d2c6; --cp-soft: #f5f2ea; --cp-ink: #23211d; --cp-dim: #625d53; --cp-strong: #1d5fa8;
  --cp-card: #fff; --cp-on-strong: #fff; --cp-bad: #b3261e; }
.body--dark { --cp-line: #444a55; --cp-soft: #262a31; --cp-ink: #e8e6e0; --cp-dim: #a9adb6; --cp-strong: #7db4f0;
  --cp-card: #1f2329; --cp-on-strong: #10151c; --cp-bad: #ff9a8b; }
body.body--dark { background: #16191d; color-scheme: dark; }
body { --q-primary: #1d5fa8 !important; } body.body--dark { --q-primary: #7db4f0 !important; }
body { color: var(--cp-ink); }
.nicegui-content { width: 100%; max-width: 1400px; margin: 0 auto; padding: 12px; gap: 12px; }
.cp-head { background: var(--cp-soft); color: var(--cp-ink); display: flex; flex-wrap: wrap; align-items: center;
  gap: 4px 14px; padding: 7px 0; margin-top: -12px; /* from edge to edge of the window, however narrow the page: */
  border-image: linear-gradient(to top, var(--cp-line) 1px, var(--cp-soft) 1px) fill 0 / 0 / 0 100vmax; }
.cp-head a { color: var(--cp-ink); text-decoration: none; padding: 4px 6px; border-radius: 6px; }
.cp-head a.cp-here { font-weight: 700; box-shadow: inset 0 -2px var(--cp-strong); border-radius: 0; }
.cp-head a:hover { background: var(--cp-line); }
.cp-name { font-weight: 800; letter-spacing: .02em; margin-right: 8px; }
.cp-columns { display: flex; flex-wrap: wrap; gap: 16px; width: 100%; align-items: flex-start; }
.cp-left { flex: 1 1 420px; min-width: 0; } .cp-right { flex: 1 1 320px; min-width: 0; max-width: 560px; }
@media (max-width: 700px) { .cp-left, .cp-right { flex-basis: 100%; max-width: 100%; } }
.cp-card { border: 1px solid var(--cp-line); border-radius: 10px; padding: 12px; width: 100%; gap: 8px; }
.cp-title { font-weight: 700; } .cp-dim { color: var(--cp-dim); font-size: .88rem; }
.cp-note { color: var(--cp-dim); } .cp-wrong { color: #c0392b; } .body--dark .cp-wrong { color: #ff9a8b; }
.cp-status { font-size: 1.15rem; font-weight: 650; }
.cp-list { display: flex; flex-wrap: wrap; gap: 4px; }
.cp-list button, .cp-list a { border: 1px solid var(--cp-line); background: var(--cp-soft); color: var(--cp-ink);
  border-radius: 6px; padding: 3px 9px; min-height: 30px; cursor: pointer; font: inherit; text-decoration: none; }
.cp-list button:hover, .cp-list a:hover { border-color: var(--cp-strong); }
.cp-list button.cp-now { background: var(--cp-strong); color: #fff; } .body--dark .cp-list button.cp-now { color: #10151c; }
.cp-list .cp-bad { border-color: #d35400; box-shadow: inset 0 -3px #d35400; }
.cp-list .cp-odd { border-color: #c9a227; box-shadow: inset 0 -3px #c9a227; }
.cp-actions button { min-width: 44px; min-height: 40px; font-weight: 600; }
.cp-moves { max-height: 220px; overflow: auto; }
.cp-clocks { font-variant-numeric: tabular-nums; font-size: 1.1rem; }
.cp-games { display: grid; grid-template-columns: repeat(auto-fill, minmax(176px, 1fr)); gap: 12px; width: 100%; }
.cp-games a { border: 1px solid var(--cp-line); border-radius: 10px; padding: 10px; color: var(--cp-ink);
  text-decoration: none; display: flex; flex-direction: column; gap: 6px; background: var(--cp-soft); }
.cp-games a:hover { border-color: var(--cp-strong); }
.cp-games svg { width: 100%; height: 110px; }
.cp-table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
.cp-table th, .cp-table td { border-bottom: 1px solid var(--cp-line); padding: 3px 8px; text-align: right; }
.cp-table th:first-child, .cp-table td:first-child { text-align: left; }
.cp-played :is(th, td):is(:nth-child(2), :nth-child(4)) { text-align: left; }
.cp-table a { color: var(--cp-strong); text-decoration: underline; }
.cp-scroll { overflow: auto; width: 100%; } .cp-pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.cp-buttons { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; }
.cp-buttons .q-btn--dense:not(.q-btn--round) { padding: 3px 9px; min-height: 32px; }
.cp-buttons .q-btn .q-icon.on-left { margin-right: 5px; font-size: 1.35em; }
.cp-tree { overflow: auto; width: 100%; max-height: 68vh; border: 1px solid var(--cp-line); border-radius: 8px;
  background: #fff; }
.cp-tree [data-node] { cursor: pointer; }
.cp-page { display: contents; }
@media (max-width: 700px) {
  .cp-head { flex-wrap: nowrap; overflow-x: auto; scrollbar-width: none; gap: 2px; padding: 4px 0; font-size: .95rem; }
  .cp-head > * { flex: none; } .cp-head .q-space { display: none; }
  .cp-head .cp-name { margin-right: 0; } .cp-head .cp-name > div:last-child { display: none; }
  .cp-head .cp-do-theme { position: sticky; right: 0; background: var(--cp-soft); border-radius: 0;
    box-shadow: 6px 0 var(--cp-soft), -6px 0 var(--cp-soft); }
  .cp-head .cp-do-theme::before { content: ""; position: absolute; inset: 0 100% 0 auto; width: 34px;
    background: linear-gradient(to left, var(--cp-soft) 6px, transparent); pointer-events: none; }
}
"""

LOGO = (Path(__file__).parent / "static" / "logo.svg").read_text()

IN_VIEW = (
    "<script>(function find(n) { const here = document.querySelector('.cp-here');"
    "if (here) here.scrollIntoView({inline: 'center', block: 'nearest'});"
    "else if (n) setTimeout(() => find(n - 1), 50); })(60)</script>"
)
"""If the header's links do not fit side by side, scroll the current page's into view."""
TURN = (
    "const on = !document.body.classList.contains('body--dark');"
    "document.cookie = `dark=${on ? 1 : 0};path=/;max-age=31536000;samesite=lax`; setDark(on);"
)
"""Toggle light and dark mode, in the browser alone, which remembers it."""


@contextlib.contextmanager
def frame(title: str, here: str) -> Iterator[None]:
    """A page: the header, then the content of the `with`."""
    ui.page_title(f"{title} - Counterplay")
    ui.add_css(STYLE)
    ui.add_css(Path(__file__).parent / "static" / "app.css")
    ui.add_head_html('<meta name="viewport" content="width=device-width, initial-scale=1">')
    ui.add_head_html(IN_VIEW)
    ui.add_head_html('<script>document.documentElement.lang = "en"</script>')
    chosen = context.client.request.cookies.get("dark")
    ui.dark_mode({"1": True, "0": False}.get(chosen or ""))
    with ui.element("nav").classes("cp-head w-full").props('aria-label="pages"'):
        with ui.link(target="/").classes("cp-name"):
            ui.html(LOGO, sanitize=False).classes("cp-logo").props('aria-hidden="true"')
            ui.label("Counterplay")
        for name, target in PAGES:
            link = ui.link(name, target)
            if target == here:
                link.classes("cp-here").props('aria-current="page"')
        ui.space()
        ui.link("API", "/docs")
        light = ui.button(icon="contrast").props('flat dense round aria-label="light or dark"').classes("cp-do-theme")
        light.on("click", js_handler=f"() => {{ {TURN} }}")
    yield


def on_arrival(build: Callable[[], Awaitable[None]]) -> None:
    """Build the rest of a page when its socket connects: a request for the address only, such as a picture on another
    site makes a browser send, starts no work."""
    rest = ui.element("div").classes("cp-page")
    with rest:
        note = ui.label("opening ...").classes("cp-note cp-opening")
    client = context.client
    arrived: list[asyncio.Task[Any] | None] = []

    async def arrive() -> None:
        if arrived:
            return  # a lost connection has come back
        arrived.append(asyncio.current_task())
        client.on_delete(lambda: [task.cancel() for task in arrived if task])
        with rest:
            await build()
            note.delete()

    client.on_connect(arrive)


def heading(text: str, level: int = 1, kinds: str = "") -> None:
    """A heading: the page's own, or one of its parts."""
    with ui.element(f"h{level}").classes(f"{'cp-game-title' if level == 1 else 'cp-title'} {kinds}"):
        ui.label(text)


def commands(text: str) -> None:
    """Commands for a terminal."""
    ui.html(f'<pre class="cp-code" tabindex="0"><code>{escape(text)}</code></pre>', sanitize=False).classes("w-full")


def keep_in_view(block: ui.html) -> None:
    """Scroll a list of moves, no more than needed, to the current one."""
    ui.run_javascript(
        "requestAnimationFrame(() => {"
        f"const list = getHtmlElement({block.id}), now = list?.querySelector('.cp-now');"
        "if (!now) return;"
        "const seen = list.getBoundingClientRect(), move = now.getBoundingClientRect();"
        "list.scrollTop += Math.max(0, move.bottom + 4 - seen.bottom) - Math.max(0, seen.top + 4 - move.top);})"
    )


@contextlib.contextmanager
def told() -> Iterator[None]:
    """Show an error that the user can fix as a sentence."""
    try:
        yield
    except CounterplayError as wrong:
        complain(wrong)


def complain(wrong: Exception) -> None:
    """A notification at the edge of the page."""
    ui.notify(str(wrong), type="negative", position="top", close_button="ok", classes="cp-complaint", multi_line=True)


def refusal(wrong: Exception, way_out: str = "/") -> None:
    """An error page: the reason, and a way out."""
    with ui.column().classes("cp-card"):
        heading("This page cannot be shown")
        ui.label(str(wrong)).classes("cp-wrong")
        ui.link("Continue from here", way_out)


def numbered(heard: Callable[[int], Any]) -> Callable[[GenericEventArguments], None]:
    """Handle events that carry a number; anything else did not come from one of our pages."""

    def hear(event: GenericEventArguments) -> None:
        try:
            number = int(event.args)
        except (TypeError, ValueError):
            return
        heard(number)

    return hear


def buttons(block: ui.html, key: str, heard: Callable[[int], Any]) -> None:
    """Handle clicks on elements with data-KEY inside a block of HTML."""
    block.on(
        "click",
        numbered(heard),
        js_handler=f"(e) => {{ const b = e.target.closest('[data-{key}]'); if (b) emit(b.dataset.{key}); }}",
    )
