"""Regret minimization to watch: regrets, the strategy that they make and the average, iteration by iteration."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING, Any

from nicegui import ui

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.options import convert
from counterplay.equilibrium.cfr import VARIANTS

if TYPE_CHECKING:
    from counterplay.web.watch import WatchPage

METHODS = tuple(VARIANTS)
MOST_ITERATIONS = 1_000
"""So many iterations are kept."""


def read_training(spec: str) -> tuple[str, int]:
    """A method and its iterations, such as cfr+:iterations=100."""
    method, _, text = spec.partition(":")
    count = convert(method, "iterations", text.removeprefix("iterations=") or "100", int)
    if not 1 <= count <= MOST_ITERATIONS:
        raise CounterplayError(f"{method}: iterations={count} must be from 1 to {MOST_ITERATIONS} here")
    return method, count


class TrainingPane:
    """One recorded training."""

    def __init__(self, page: WatchPage, spec: str) -> None:
        self.page, self.spec = page, spec
        self.answer: dict[str, Any] = {}

    @property
    def steps(self) -> int:
        """One for each iteration, and the start."""
        return len(self.answer.get("steps", ()))

    def build(self) -> None:
        """A table of information sets, and how exploitability falls."""
        with ui.column().classes("cp-card cp-pane"):
            ui.label(self.spec).classes("cp-title")
            self.words = ui.label("training ...").classes("cp-step").props('aria-live="polite"')
            self.table = ui.html("", sanitize=False).classes("cp-scroll cp-regrets").style("max-height: 60vh")
            self.chart = ui.echart(
                {
                    "animation": False,
                    "grid": {"left": 60, "right": 16, "top": 30, "bottom": 36},
                    "xAxis": {"type": "value", "name": "iteration", "nameLocation": "middle", "nameGap": 24},
                    "yAxis": {"type": "log", "name": "exploitability"},
                    "series": [{"type": "line", "showSymbol": False, "data": []}],
                }
            ).classes("w-full h-52")
            ui.button("record as JSON", on_click=self.save).props("flat dense no-caps")

    async def record(self) -> None:
        """Let a worker train."""
        page = self.page
        try:
            method, count = read_training(self.spec)
            game = page.house.shelf.spec(page.asked["game"])
            answer = await page.house.crew.ask("train", game=game, method=method, iterations=count)
        except CounterplayError as wrong:
            self.words.set_text(str(wrong))
            self.words.classes("cp-wrong")
            return
        self.answer = answer or {}
        curve = [[i, max(step["exploitability"], 1e-12)] for i, step in enumerate(self.answer["steps"])]
        self.chart.options["series"][0]["data"] = curve[1:]
        self.chart.update()
        page.ready()

    def show(self, step: int) -> None:
        """The table after an iteration."""
        if not self.answer:
            return
        step = min(step, self.steps - 1)
        now = self.answer["steps"][step]
        values = ", ".join(
            f"{name} {value:+.4f}" for name, value in zip(self.answer["players"], now["values"], strict=True)
        )
        self.words.set_text(
            f"iteration {step}: the average is exploitable by {now['exploitability']:.4g}; it gets {values}"
        )
        head = "".join(f"<th>{name}</th>" for name in ("knows", "action", "regret", "now", "average"))
        rows = []
        for each in self.answer["sets"]:
            who = self.answer["players"][each["player"]]
            for i, action in enumerate(each["actions"]):
                k = each["start"] + i
                knows = f"{who}: {each['knows']}" if i == 0 else ""
                numbers = (f"{now['regrets'][k]:.3f}", f"{now['strategy'][k]:.3f}", f"{now['average'][k]:.3f}")
                cells = "".join(f"<td>{escape(cell)}</td>" for cell in (knows, action, *numbers))
                rows.append(f"<tr>{cells}</tr>")
        self.table.set_content(f'<table class="cp-table"><tr>{head}</tr>{"".join(rows)}</table>')

    def save(self) -> None:
        """Everything as a file."""
        if self.answer:
            ui.download.content(json.dumps(self.answer), "training.json", "application/json")
