"""The page to look into a position: a search live at work, and a whole playthrough judged move by move."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from nicegui import background_tasks, context, ui

from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE
from counterplay.players.specs import player
from counterplay.players.wording import worth
from counterplay.web.admission import SECONDS, admitted
from counterplay.web.board import scene
from counterplay.web.board_element import Board
from counterplay.web.crew import Search
from counterplay.web.frame import buttons, complain, refusal
from counterplay.web.play import seated
from counterplay.web.strength import levels, strongest

if TYPE_CHECKING:
    from counterplay.web.server import House
    from counterplay.web.table import GameTable

WHOLE, MOVE = 60.0, 0.5
"""Seconds for a review in all, and for one of its moves, at most."""
ODD, BAD = 0.1, 0.3
"""What part of the range of results an action may cost before it is marked, lightly or plainly."""


async def analyse_page(house: House, query: Mapping[str, str]) -> None:
    """The page, or why it cannot be."""
    try:
        table = await house.desk.run(seated, house, query)
    except CounterplayError as wrong:
        refusal(wrong, "/analyse")
        return
    AnalysePage(house, table).build()


class AnalysePage:
    """One visitor's look into a playthrough."""

    def __init__(self, house: House, table: GameTable) -> None:
        self.house, self.table, self.p = house, table, table.p
        self.ply = len(self.p)
        self.search: Search | None = None
        self.task: asyncio.Task[Any] | None = None
        self.judged: dict[int, dict[str, Any]] = {}  # ply -> what the review says

    def build(self) -> None:
        """Lay everything out."""
        with ui.element("div").classes("cp-columns"):
            with ui.element("div").classes("cp-left"):
                self.board = Board()
                with ui.element("div").classes("cp-buttons"):
                    for name, icon, step in (
                        ("first", "first_page", lambda: self.go(0)),
                        ("back", "navigate_before", lambda: self.go(self.ply - 1)),
                        ("forward", "navigate_next", lambda: self.go(self.ply + 1)),
                        ("last", "last_page", lambda: self.go(len(self.p))),
                    ):
                        button = ui.button(icon=icon, on_click=step).props(f'outline dense aria-label="{name}"')
                        button.classes(f"cp-do-{name}")
                    ui.button("play on from here", on_click=self.play_on).props("flat dense no-caps")
                self.moves = ui.html("", sanitize=False).classes("cp-list cp-moves")
                buttons(self.moves, "ply", self.go)
            with ui.column().classes("cp-right"):
                self.build_search()
                self.build_review()
        self.build_choice()
        context.client.on_delete(self.leave)
        self.go(self.ply)

    def build_search(self) -> None:
        """The live search."""
        game = self.p.game
        specs = {level.spec: f"{level.word} ({level.spec})" for level in levels(game)}
        with ui.column().classes("cp-card"):
            ui.label("Search").classes("cp-title")
            self.status = ui.label("").classes("cp-dim cp-status-line")
            self.who = ui.select(specs, value=strongest(game).spec, label="who searches").classes("w-full")
            self.spec = ui.input("or any player, by its spec", placeholder="mcts:simulations=100000").classes("w-full")
            self.seconds = ui.number("seconds", value=SECONDS, min=0.1, max=SECONDS, step=1).classes("w-24")
            with ui.element("div").classes("cp-buttons"):
                self.start_button = ui.button("search", on_click=self.start).props("no-caps").classes("cp-do-search")
                self.stop_button = ui.button("stop", on_click=self.stop).props("outline no-caps").classes("cp-do-stop")
            self.facts = ui.html("", sanitize=False).classes("cp-found cp-scroll")
            self.line = ui.label("").classes("cp-line cp-pre")
            self.actions = ui.html("", sanitize=False).classes("cp-scroll cp-ranking").style("max-height: 300px")
        self.stop_button.set_visibility(False)

    def build_review(self) -> None:
        """The graph of values, and the mistakes."""
        name = self.p.game.player_name(0)
        with ui.column().classes("cp-card"):
            ui.label("The whole playthrough").classes("cp-title")
            self.review_note = ui.label(f"values are in view of {name}").classes("cp-dim cp-review-note")
            self.chart = ui.echart(
                {
                    "animation": False,
                    "grid": {"left": 46, "right": 12, "top": 12, "bottom": 26},
                    "tooltip": {"trigger": "axis"},
                    "xAxis": {"type": "value", "min": 0, "max": max(1, len(self.p)), "minInterval": 1},
                    "yAxis": {"type": "value"},
                    "series": [{"type": "line", "data": [], "step": "middle", "symbolSize": 9}],
                },
                on_point_click=lambda e: self.go(int(e.data[0] if isinstance(e.data, list) else e.data["value"][0])),
            ).classes("w-full h-44")
            self.review_button = ui.button("judge every move", on_click=self.review).props("no-caps")
            self.review_button.classes("cp-do-review").set_enabled(len(self.p) > 0)

    def build_choice(self) -> None:
        """Another playthrough."""
        with ui.column().classes("cp-card"):
            ui.label("Another position").classes("cp-title")
            with ui.element("div").classes("cp-columns"):
                game = ui.input("game", value=self.table.spec).classes("cp-left")
                moves = ui.input("moves", value=" ".join(self.p.moves)).classes("cp-left")
                position = ui.input("from the position", value=self.table.position or "").classes("cp-left")

            def look() -> None:
                told = {"game": game.value, "moves": moves.value, "position": position.value}
                ui.navigate.to("/analyse?" + urlencode({k: v.strip() for k, v in told.items() if v and v.strip()}))

            ui.button("load position", on_click=look).props("no-caps outline")

    # Where we are.

    def go(self, ply: int) -> None:
        """Show the position after so many moves; a search of another one ends."""
        ply = max(0, min(ply, len(self.p)))
        if ply != self.ply:
            self.cancel()
            self.facts.set_content("")
            self.line.set_text("")
            self.actions.set_content("")
        self.ply = ply
        game, s = self.p.game, self.p.states[ply]
        self.board.show(scene(self.p, ply, None))
        self.list_moves()
        over = ply == len(self.p) and self.p.is_over
        by_chance = not over and game.to_move(s) == CHANCE
        self.start_button.set_enabled(not over and not by_chance)
        who = "the game is over" if over else f"{game.player_name(game.to_move(s))} to move"
        self.status.set_text(f"after {ply} of {len(self.p)} moves: {who}")

    def play_on(self) -> None:
        """A table with this position."""
        ui.navigate.to("/play?" + self.table.query(ply=self.ply))

    def is_choice(self, ply: int) -> bool:
        """Whether a player, not chance, made the action at `ply`."""
        return self.p.game.to_move(self.p.states[ply]) != CHANCE

    def list_moves(self) -> None:
        """All moves, mistakes marked."""
        parts = ['<button data-ply="0"' + (' class="cp-now"' if self.ply == 0 else "") + ">start</button>"]
        for i, text in enumerate(self.p.moves, 1):
            kinds, told, sign = ["cp-now"] * (i == self.ply), "", ""
            loss = self.loss(i - 1)
            if loss is not None and loss > ODD:
                kinds.append("cp-bad" if loss > BAD else "cp-odd")
                told = f"{self.judged[i - 1]['best']} was better"
                sign = "??" if loss > BAD else "?"
            parts.append(
                f'<button data-ply="{i}" class="{" ".join(kinds)}" title="{escape(told)}">{i}. {escape(text)}'
                f"{sign}</button>"
            )
        self.moves.set_content("".join(parts))

    def loss(self, ply: int) -> float | None:
        """What an action cost, as a part of the range of results."""
        found = self.judged.get(ply)
        if not found or found["value"] is None or found["played_value"] is None:
            return None
        low, high = self.p.game.utility_bounds
        return max(0.0, found["value"] - found["played_value"]) / ((high - low) or 1.0)

    def question(self, ply: int) -> dict[str, Any]:
        """A position, as workers are asked about it."""
        moves = " ".join(self.p.moves[:ply])
        return {"game": self.house.shelf.spec(self.table.spec), "position": self.table.position, "moves": moves}

    # The live search.

    def start(self) -> None:
        """Search the position that is shown."""
        self.cancel()
        try:
            spec = (self.spec.value or "").strip() or self.who.value
            made = admitted(spec)
            made.require(self.p.game)
            if "time=" in made.spec:
                seconds = max(0.1, min(SECONDS, float(self.seconds.value or SECONDS)))
                rest = [part for part in made.spec.partition(":")[2].split(",") if not part.startswith("time=")]
                made = admitted(made.spec.partition(":")[0] + ":" + ",".join([*rest, f"time={seconds:g}"]))
        except CounterplayError as wrong:
            complain(wrong)
            return
        self.search = Search()
        self.stop_button.set_visibility(True)
        self.line.set_text("waiting for its turn, or compiling")
        self.task = background_tasks.create(self.run(made.spec, self.search), name="analyse")

    async def run(self, spec: str, search: Search) -> None:
        """The search, told as it goes on."""
        try:
            found = await self.house.crew.ask(
                "rank", news=self.tell, search=search, player=spec, **self.question(self.ply)
            )
            if found is not None:
                self.tell(found)
                self.line.set_text(self.line.text + ("\nstopped" if search.stopped else "\ndone"))
            else:
                self.line.set_text("stopped before anything was found")
        except CounterplayError as wrong:
            self.line.set_text(str(wrong))
        self.stop_button.set_visibility(False)

    def tell(self, found: dict[str, Any]) -> None:
        """What is known so far."""
        rate = found["nodes"] / found["seconds"] if found["seconds"] > 0 else 0.0
        value = "?" if found["value"] is None else worth(found["value"], found["plies"])
        cells = {
            "best": found["action"],
            "value": value,
            "depth": str(found["depth"] or "-"),
            "nodes": f"{found['nodes']:,}",
            "nodes/s": f"{rate:,.0f}",
            "proven": "yes" if found["proven"] else "no",
        }
        head = "".join(f"<th>{name}</th>" for name in cells)
        row = "".join(f'<td data-fact="{name}">{escape(text)}</td>' for name, text in cells.items())
        self.facts.set_content(f'<table class="cp-table"><tr>{head}</tr><tr>{row}</tr></table>')
        self.line.set_text("expects " + " ".join(found["line"][:16]) if found["line"] else "")
        if found["actions"]:
            total = sum(each["visits"] for each in found["actions"]) or 1
            rows = "".join(
                f"<tr><td>{escape(each['action'])}</td><td>{escape(worth(each['value'], each['plies']))}</td>"
                f"<td>{each['visits']:,}</td><td>{each['visits'] / total:.1%}</td>"
                f"<td>{'' if each['prior'] is None else format(each['prior'], '.1%')}</td></tr>"
                for each in found["actions"]
            )
            head = "<tr><th>action</th><th>value</th><th>visits</th><th>share</th><th>prior</th></tr>"
            self.actions.set_content(f'<table class="cp-table">{head}{rows}</table>')

    def stop(self) -> None:
        """Enough."""
        if self.search is not None:
            self.search.stop()

    def cancel(self) -> None:
        """End what runs, without waiting for it."""
        if self.task is not None and not self.task.done():
            self.task.cancel()
        self.task = self.search = None
        self.stop_button.set_visibility(False)

    def leave(self) -> None:
        """The visitor is gone."""
        if self.task is not None and not self.task.done():
            self.task.cancel()

    # The whole playthrough.

    def review(self) -> None:
        """Judge every move."""
        self.cancel()
        spec = strongest(self.p.game).spec
        seconds = min(MOVE, WHOLE / max(1, len(self.p)))
        try:
            spec = player(spec, budget={"time": seconds}).spec
        except CounterplayError:
            pass  # it knows no time
        self.judged.clear()
        self.review_note.set_text(f"{spec} judges {len(self.p)} moves, the last one first")
        self.task = background_tasks.create(self.judge(spec), name="review")

    async def judge(self, spec: str) -> None:
        """One move after the other."""
        try:
            moves = len(self.p)
            await self.house.crew.ask("review", news=self.mark, seconds=3 * WHOLE, player=spec, **self.question(moves))
        except CounterplayError as wrong:
            self.review_note.set_text(str(wrong))
            return
        bad = [i + 1 for i in sorted(self.judged) if (self.loss(i) or 0.0) > BAD]
        told = f"mistakes: {', '.join(f'{i}. {self.p.moves[i - 1]}' for i in bad)}" if bad else "no plain mistakes"
        self.review_note.set_text(f"{told}; values are in view of {self.p.game.player_name(0)}")

    def mark(self, found: dict[str, Any]) -> None:
        """A move is judged."""
        self.judged[found["ply"]] = found
        points = []
        for ply, each in sorted(self.judged.items()):
            if each["value"] is not None:
                value = each["value"] if each["player"] == 0 else -each["value"]
                colour = "#d35400" if (self.loss(ply) or 0.0) > BAD else "#3a7bd5"
                points.append({"value": [ply, round(value, 4)], "itemStyle": {"color": colour}})
        self.chart.options["series"][0]["data"] = points
        self.chart.update()
        self.list_moves()
