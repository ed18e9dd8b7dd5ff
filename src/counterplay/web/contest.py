"""The Arena page: matches and tournaments, played beside the server, in the same files as the command line's."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Mapping
from datetime import datetime
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from nicegui import background_tasks, ui

from counterplay.arena.event import Event
from counterplay.arena.export import rows
from counterplay.arena.openings import usual_plies
from counterplay.arena.plan import Plan, is_duel, whole_rounds
from counterplay.arena.sprt import Sprt, Trial
from counterplay.arena.standing import Standing
from counterplay.arena.store import Store, usual_file
from counterplay.core.errors import CounterplayError
from counterplay.core.formats.files import is_held
from counterplay.core.game import Game
from counterplay.core.registry import load
from counterplay.players.human import Human
from counterplay.players.wording import title_of
from counterplay.web.admission import admitted
from counterplay.web.frame import commands, complain, heading, refusal

if TYPE_CHECKING:
    from counterplay.web.server import House

MOST_GAMES, MOST_PLAYERS = 500, 12
"""The limits of an event here; the command line has none."""
SHOWN = 200
"""The number of games listed."""


class Hall:
    """The event in progress, at most one."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder or usual_file("x").parent
        self.event: Event | None = None
        self.task: asyncio.Task[Any] | None = None
        self.trouble = ""

    def files(self) -> list[Path]:
        """All events, the newest first."""
        return sorted(self.folder.glob("*.db"), key=lambda path: path.stat().st_mtime, reverse=True)

    def file(self, name: str) -> Path:
        """An event by its name."""
        for path in self.files():
            if path.name == name:
                return path
        raise CounterplayError(f"there is no event {name[:80]!r} here")

    @property
    def is_busy(self) -> bool:
        """Whether an event is being played."""
        return self.task is not None and not self.task.done()

    def begin(self, game: Game, plan: Plan) -> Path:
        """Start an event in the background."""
        if self.is_busy:
            raise CounterplayError("another event is running; the next can start when it is over or stopped")
        path = self.folder / usual_file(plan.game).name
        self.trouble = ""
        self.event = Event(game, plan, Store(path))
        self.task = background_tasks.create(self._play(self.event), name="event")
        return path

    async def _play(self, event: Event) -> None:
        try:
            await asyncio.to_thread(event.run, 1)
        except CounterplayError as wrong:
            self.trouble = str(wrong)
        finally:
            event.stop()
            event.store.close()

    def stop(self) -> None:
        """End the event; the games so far are kept."""
        if self.event is not None and self.is_busy:
            self.event.stop()


def arena_page(house: House, query: Mapping[str, str]) -> None:
    """One event, or all of them and a new one."""
    if not query.get("event"):
        ArenaPage(house).build()
        return
    try:
        EventPage(house, house.hall.file(query["event"])).build()
    except CounterplayError as wrong:
        refusal(wrong, "/arena")


class ArenaPage:
    """All events, and the way to a new one."""

    def __init__(self, house: House) -> None:
        self.house = house

    def build(self) -> None:
        """Lay it out."""
        with ui.element("div").classes("cp-columns"):
            with ui.column().classes("cp-card cp-left"):
                heading("New match or tournament")
                self.game = ui.select(self.house.shelf.titles(), value="connect-four", label="game", with_input=True)
                self.game.classes("w-full cp-game")
                self.parameters = ui.input("parameters of the game, if any", placeholder="width=5,height=4")
                self.parameters.classes("w-full")
                self.players = ui.textarea(
                    "players, one per line", value="alphabeta:depth=4\nalphabeta:depth=2\nrandom"
                )
                self.players.classes("w-full cp-players")
                self.games = ui.number("games per pair", value=10, min=1, max=MOST_GAMES).classes("w-full cp-count")
                ui.button("play", on_click=self.start).props("no-caps").classes("cp-do-begin")
                ui.label("One player for each seat makes a match; more players make a tournament.").classes("cp-dim")
            with ui.column().classes("cp-card cp-right"):
                heading("Events", 2)
                self.listing()

    def listing(self) -> None:
        """The events played, here or from the command line."""
        found = self.house.hall.files()[:50]
        if not found:
            ui.label("None yet. Choose a game and players, and press play; or start one in a terminal:").classes(
                "cp-note"
            )
            commands("counterplay match connect-four alphabeta:depth=4 mcts")
        for path in found:
            ui.link(event_name(path.stem), "/arena?" + urlencode({"event": path.name}))

    def start(self) -> None:
        """Begin, and go to the event's page."""
        try:
            spec = self.game.value + (
                f":{self.parameters.value.strip()}" if (self.parameters.value or "").strip() else ""
            )
            rules = self.house.shelf.game(spec)
            plan = planned(
                rules, self.house.shelf.spec(spec), (self.players.value or "").splitlines(), self.games.value
            )
            path = self.house.hall.begin(rules, plan)
        except CounterplayError as wrong:
            complain(wrong)
            return
        ui.navigate.to("/arena?" + urlencode({"event": path.name}))


def event_name(stem: str) -> str:
    """The name of an event in a list: the game, and when it began."""
    found = re.fullmatch(r"(\d{8}-\d{6})-(.+)-\d+", stem)
    return f"{found[2]}, {datetime.strptime(found[1], '%Y%m%d-%H%M%S'):%d %b %H:%M:%S}" if found else stem


def planned(game: Game, spec: str, lines: list[str], games: float | None) -> Plan:
    """The plan for a visitor's request."""
    players = [line.strip() for line in lines if line.strip()]
    if len(players) > MOST_PLAYERS:
        raise CounterplayError(f"an event has at most {MOST_PLAYERS} players here")
    if games is None or not 1 <= games <= MOST_GAMES:
        raise CounterplayError(f"an event has from 1 to {MOST_GAMES} games per pair here")
    for each in players:
        made = admitted(each)
        made.require(game)
        if isinstance(made, Human):
            raise CounterplayError("a person cannot play in a match; use the Play page")
    form = "match" if len(players) == game.players else "round-robin"
    count = whole_rounds(int(games), game.players)
    plan = Plan(spec, tuple(players), count, form, random.randrange(1 << 30), usual_plies(game))
    plan.check(game)
    if plan.total(game.players) > 10 * MOST_GAMES:
        raise CounterplayError(
            f"that would be {plan.total(game.players):,} games; the limit here is {10 * MOST_GAMES:,}"
        )
    return plan


class EventPage:
    """One event: live standings and every playthrough."""

    def __init__(self, house: House, path: Path) -> None:
        self.house, self.path = house, path
        store = Store.existing(path)
        try:
            self.plan = store.plan
        finally:
            store.close()
        own = self.plan.game in house.shelf.own.values()
        self.game = load(self.plan.game) if own else house.shelf.game(self.plan.game)
        self.played, self.is_decided = -1, False

    def build(self) -> None:
        """Lay it out, and keep it fresh while it is played."""
        plan = self.plan
        heading(f"{title_of(self.game)}: {plan.form}")
        self.progress = ui.label("").classes("cp-dim cp-progress")
        self.stop_button = (
            ui.button("stop", on_click=self.house.hall.stop).props("outline no-caps").classes("cp-do-stop")
        )
        self.table = ui.html("", sanitize=False).classes("cp-scroll cp-standing")
        heading("Games", 2)
        self.games = ui.html("", sanitize=False).classes("cp-scroll cp-played").style("max-height: 60vh")
        ui.label(f"file: {self.path.name}; `counterplay results FILE` also shows and exports it").classes("cp-dim")
        ui.link("All events", "/arena")
        self.refresh()
        ui.timer(1.0, self.refresh)

    @property
    def is_running(self) -> bool:
        """Whether this event is being played."""
        hall = self.house.hall
        return hall.is_busy and hall.event is not None and hall.event.store.path == self.path

    def refresh(self) -> None:
        """Read the file again if it has grown."""
        self.stop_button.set_visibility(self.is_running)
        store = Store.existing(self.path)
        try:
            played, total = len(store.done()), self.plan.total(self.game.players)
            if is_new := played != self.played:
                self.played, self.is_decided = played, played >= total or bool(verdict(store))
            state = "over" if self.is_decided else "playing" if is_held(self.path) else "stopped"
            trouble = f"; {self.house.hall.trouble}" if self.house.hall.trouble and not self.is_running else ""
            self.progress.set_text(f"{state}: {played} of {total} games{trouble}")
            if not is_new:
                return
            self.table.set_content(standing_table(Standing(self.game, store)))
            self.games.set_content(self.listing(list(rows(store))[-SHOWN:]))
        finally:
            store.close()

    def listing(self, found: list[dict[str, Any]]) -> str:
        """The games, the newest first, each a link to its analysis."""
        head = "<tr><th>game</th><th>players</th><th>result</th><th>moves</th><th></th></tr>"
        lines = []
        shown = next((name for name, spec in self.house.shelf.own.items() if spec == self.plan.game), self.plan.game)
        for row in reversed(found):
            moves = f"{row['opening']} {row['moves']}".strip()
            query = {"game": shown, "moves": moves}
            if row["position"]:
                query["position"] = row["position"]
            result = ", ".join(f"{each:+g}" for each in row["utilities"])
            short = moves if len(moves) < 60 else moves[:57] + "..."
            cells = [str(row["game"] + 1), " - ".join(row["players"]), result, short]
            link = f'<a href="/analyse?{escape(urlencode(query))}">view</a>'
            lines.append("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in cells) + f"<td>{link}</td></tr>")
        return f'<table class="cp-table">{head}{"".join(lines)}</table>'


def verdict(store: Store) -> str:
    """The answer of an event's sequential test; empty if it has none yet, or is no such test."""
    if not store.plan.sprt:
        return ""
    trial = Trial(Sprt(*store.plan.sprt))
    for result in store.results():
        trial.add(result)
    return trial.verdict


def standing_table(standing: Standing) -> str:
    """Ratings and crosstable, the best first."""
    n = len(standing.labels)
    if not standing.rounds:
        return '<p class="cp-note">no complete round yet: every opening is played from each side</p>'
    ratings, cross = standing.ratings(), standing.crosstable()
    order = sorted(range(n), key=lambda i: -ratings.points[i])
    head = "<tr><th>player</th><th>rating</th><th>95%</th><th>score</th><th>games</th>"
    head += "".join(f"<th>{rank}</th>" for rank in range(1, n + 1)) + "</tr>"
    lines = []
    for rank, i in enumerate(order, 1):
        tally, between = standing.tally(i), ratings.intervals[i]
        cells = [
            f"{rank}. {standing.labels[i]}",
            f"{ratings.points[i]:+.0f}",
            f"{between.low:+.0f} to {between.high:+.0f}",
        ]
        cells += [f"{tally.score:.1%}", str(tally.games)]
        cells += ["" if i == j else f"{cross[i][j][0]:g}/{cross[i][j][1]}" for j in order]
        lines.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    note = ""
    if n == 2 and is_duel(standing.game):
        duel = standing.duel(0, 1)
        low, high = duel.elo_interval
        note = (
            f'<p class="cp-note">{escape(standing.labels[0])} against {escape(standing.labels[1])}: Elo {duel.elo:+.0f} '
            f"(95%: {low:+.0f} to {high:+.0f}), superior with {duel.superiority:.1%}</p>"
        )
    return f'<table class="cp-table">{head}{"".join(lines)}</table>{note}'
