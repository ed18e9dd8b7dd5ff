"""How a notebook shows what functions return. Widgets need anywidget; without it there are pictures and tables."""

from __future__ import annotations

import importlib.util
import sys
import time
from html import escape
from typing import TYPE_CHECKING, Any

from counterplay.api import onlookers

if TYPE_CHECKING:
    from counterplay.api.match import Progress
    from counterplay.api.match_result import MatchResult
    from counterplay.api.trace import TraceResult
    from counterplay.arena.event import Event
    from counterplay.core.playthrough import Playthrough

OFTEN = 0.25
"""Seconds between two looks at a match."""


def register() -> None:
    """Register our displays with the running IPython, if any, without importing the modules of our objects."""
    shell = sys.modules["IPython"].get_ipython()
    if shell is None:
        return
    formatter = shell.display_formatter
    bundles, html = formatter.mimebundle_formatter, formatter.formatters["text/html"]
    bundles.for_type_by_name("counterplay.core.playthrough", "Playthrough", playthrough_bundle)
    bundles.for_type_by_name("counterplay.api.trace", "TraceResult", trace_bundle)
    html.for_type_by_name("counterplay.api.trace", "TraceResult", outline_html)
    html.for_type_by_name("counterplay.api.match_result", "MatchResult", match_html)
    if look_on not in onlookers.MATCHES:
        onlookers.MATCHES.append(look_on)


def look_on(event: Event) -> Progress | None:
    """What a notebook shows of a match in progress; None if there is no notebook to show it."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return live_table(event) if getattr(shell, "kernel", None) is not None else None


def has_widgets() -> bool:
    """Whether a widget can be made."""
    return importlib.util.find_spec("anywidget") is not None


def playthrough_bundle(p: Playthrough) -> Any:
    """A board to play on."""
    if not has_widgets():
        return None
    from counterplay.notebook.widgets import BoardWidget

    return BoardWidget(p)._repr_mimebundle_()


def trace_bundle(found: TraceResult) -> Any:
    """A tree to step through."""
    if not has_widgets():
        return None
    from counterplay.notebook.widgets import TraceWidget

    return TraceWidget(found)._repr_mimebundle_()


def outline_html(found: TraceResult) -> str:
    """The steps of a search as text."""
    return f"<p>{escape(str(found))}</p><pre>{escape(found.outline())}</pre>"


def match_html(found: MatchResult) -> str:
    """The standings of a match or tournament, as a table."""
    from counterplay.api.match_result import standing_rows

    head, *rows = standing_rows(found.standing)
    lines = [f"<tr>{''.join(f'<th>{escape(cell)}</th>' for cell in head)}</tr>"]
    lines += [f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows]
    return f"<table>{''.join(lines)}</table><pre>{escape(str(found))}</pre>"


def live_table(event: Event) -> Progress:
    """Show a match in progress; returns the function that receives its games."""
    from counterplay.api.match_result import MatchResult
    from counterplay.arena.standing import Standing

    display = importlib.import_module("IPython.display")
    handle = display.display(display.HTML("<p>preparing</p>"), display_id=True)
    shown = [0.0]

    def hear(done: int, total: int) -> None:
        now = time.monotonic()
        if done < total and now - shown[0] < OFTEN:
            return
        shown[0] = now
        standing = Standing(event.game, event.store)
        over = done == total  # then the result shows the table
        table = match_html(MatchResult(standing)) if standing.rounds and not over else ""
        handle.update(display.HTML(f"<p>{done} of {total} games</p>{table}"))

    return hear
