"""The Runs page: the runs of `counterplay train`, each with its progress and charts of loss, rating and length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from nicegui import ui

from counterplay.core.errors import CounterplayError
from counterplay.learning.chart import SHOWN
from counterplay.learning.runs import Run, list_runs
from counterplay.web.frame import commands, heading, refusal

if TYPE_CHECKING:
    from counterplay.web.server import House

MOST = 12
"""The maximum number of runs listed and plotted, the latest ones."""
POINTS = 500
"""The maximum number of points on a line."""
AGAIN = 5.0
"""Seconds between updates."""
COLUMNS = (("games", "games", "{:,}"), ("minutes", "minutes", "{:.1f}"), ("loss", "loss", "{:.4f}"),
           ("rating", "rating", "{:+.0f}"), ("length", "plies", "{:.1f}"))  # fmt: skip
SHARED = (("cores", "cores", "{:,}"), ("positions_per_second", "positions/s", "{:,.0f}"),
          ("actors_wait", "actors wait", "{:.0%}"), ("learner_waits", "learner waits", "{:.0%}"),
          ("stale_steps", "steps behind", "{:,}"))  # fmt: skip
"""More columns, if a run uses several cores: how actors and learner keep up with each other."""


def runs_page(house: House, query: Mapping[str, str]) -> None:
    """All runs, or one of them."""
    page = RunsPage(house, query.get("run", ""))
    try:
        page.build()
    except CounterplayError as wrong:
        refusal(wrong, "/runs")


class RunsPage:
    """A table and charts, updated while training."""

    def __init__(self, house: House, only: str) -> None:
        self.house, self.only = house, only

    def found(self) -> list[Run]:
        """The runs to show, the latest first."""
        runs = sorted(list_runs(self.house.runs), key=last_change, reverse=True)
        if not self.only:
            return runs[:MOST]
        one = [run for run in runs if run.folder.name == self.only]
        if not one:
            raise CounterplayError(f"there is no run {self.only[:80]!r} here")
        return one

    def build(self) -> None:
        """Lay it out."""
        runs = self.found()
        with ui.column().classes("cp-card"):
            heading(self.only or "Training runs")
            if not runs:
                ui.label("None yet. Start one in a terminal, and follow it here:").classes("cp-note")
                commands("counterplay train tic-tac-toe --method td --games 2000")
            self.table = ui.html("", sanitize=False).classes("cp-scroll cp-runs")
            if self.only:
                ui.html(settings(runs[0]), sanitize=False).classes("cp-scroll cp-config")
                ui.link("all runs", "/runs")
        self.charts = {name: self.chart(words) for name, words in SHOWN}
        self.show(runs)
        ui.timer(AGAIN, self.look)

    def chart(self, words: str) -> ui.echart:
        """An empty panel."""
        with ui.column().classes("cp-card cp-chart"):
            heading(words, 2)
            return ui.echart(
                {
                    "animation": False,
                    "grid": {"left": 60, "right": 16, "top": 32, "bottom": 40},
                    "legend": {"type": "scroll", "top": 0, "textStyle": {"color": "#888"}},
                    "tooltip": {"trigger": "axis"},
                    "xAxis": {"type": "value", "name": "minutes", "nameLocation": "middle", "nameGap": 24},
                    "yAxis": {"type": "value", "scale": True},
                    "series": [],
                }
            ).classes("w-full h-64")

    def look(self) -> None:
        """Load new data."""
        try:
            self.show(self.found())
        except CounterplayError:
            return  # it was removed: the last data stays

    def show(self, runs: Sequence[Run]) -> None:
        """Fill in the table and the charts; a panel without data is left out."""
        ways = [(run, run.metrics()) for run in runs]
        columns = columns_for(ways)
        head = "".join(f"<th>{word}</th>" for word in ("run", "game", "method", *(words for _, words, _ in columns)))
        lines = "".join(row(run, way, columns) for run, way in ways)
        self.table.set_content(f'<table class="cp-table"><tr>{head}</tr>{lines}</table>' if ways else "")
        for name, chart in self.charts.items():
            series = [series_of(run, way, name) for run, way in ways]
            drawn = [each for each in series if each["data"]]
            chart.parent_slot.parent.set_visibility(bool(drawn))  # type: ignore[union-attr]
            if drawn != chart.options["series"]:
                chart.options["series"] = drawn
                chart.update()


def last_change(run: Run) -> float:
    """The time of a run's last change."""
    files = [run.folder / name for name in ("config.json", "metrics.jsonl")]
    return max((file.stat().st_mtime for file in files if file.exists()), default=0.0)


def columns_for(ways: Sequence[tuple[Run, Sequence[Mapping[str, Any]]]]) -> tuple[tuple[str, str, str], ...]:
    """The columns of the table: those of `SHARED` if a run has something for them."""
    shared = any(way and "cores" in way[-1] for _, way in ways)
    return COLUMNS + SHARED if shared else COLUMNS


def row(run: Run, way: Sequence[Mapping[str, Any]], columns: Sequence[tuple[str, str, str]]) -> str:
    """A row of the table: a run's progress."""
    try:
        config = run.config
    except CounterplayError as wrong:
        return f'<tr><td colspan="{3 + len(columns)}" class="cp-wrong">{escape(str(wrong))}</td></tr>'
    last = dict(way[-1]) if way else {}
    last["minutes"] = last["seconds"] / 60 if "seconds" in last else None
    link = f'<a href="/runs?{urlencode({"run": run.folder.name})}">{escape(run.folder.name)}</a>'
    cells = [link, escape(str(config.get("game"))), escape(str(config.get("method")))]
    cells += [form.format(last[name]) if last.get(name) is not None else "" for name, _, form in columns]
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def settings(run: Run) -> str:
    """A run's settings."""
    shown = {name: value for name, value in run.config.items() if name != "format" and value not in (None, "")}
    lines = "".join(f"<tr><td>{escape(name)}</td><td>{escape(str(value))}</td></tr>" for name, value in shown.items())
    return f'<table class="cp-table">{lines}</table>'


def series_of(run: Run, way: Sequence[Mapping[str, Any]], name: str) -> dict[str, Any]:
    """The line of a run in a panel."""
    points = [[round(each["seconds"] / 60, 3), each[name]] for each in way if each.get(name) is not None]
    thinned = [*points[:: len(points) // POINTS + 1], *points[-1:]]
    return {"type": "line", "name": run.folder.name, "showSymbol": len(points) < 2, "data": thinned}
