"""The page to watch a search think: the recorded trace of the real algorithm, step by step, two of them side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from nicegui import background_tasks, context, ui

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.game import Game
from counterplay.web.admission import admitted
from counterplay.web.figure import MOST_DRAWN, Figure
from counterplay.web.frame import buttons, complain, refusal, told
from counterplay.web.scenes import Scenes, scenes_of
from counterplay.web.training import METHODS, TrainingPane

if TYPE_CHECKING:
    from counterplay.web.server import House

MOST_EVENTS = 4_000
"""So much of a search is recorded."""
LECTURE = "tree:[[3,12,8],[2,4,6],[14,5,2]]"
EXAMPLES = {
    LECTURE: "the tree of the lecture",
    "tree:[[[5,6],[7,4,5]],[[3],[6],[6,9],[7]],[[5],[9,8],[6]]]": "a deeper tree",
    'tree:[{"chance":[[0.5,[2,8]],[0.5,[4,6]]]},{"chance":[[0.9,[1,3]],[0.1,[20,30]]]}]': "a tree with chance",
    "tic-tac-toe": "tic-tac-toe",
    "nim:3-2": "Nim with heaps of 3 and 2",
    "connect-four:width=4,height=4": "Connect Four on 4x4",
    "kuhn-poker": "Kuhn poker (for regret minimization)",
    "leduc-poker": "Leduc poker (for regret minimization)",
}
MOVES = {"tic-tac-toe": "b2 a1 c1 a3 a2"}
"""Where an example begins, so that its tree is small."""
ALGORITHMS = {
    "minimax:depth=8": "minimax",
    "plain-alphabeta:depth=8": "alpha-beta, as the lecture shows it",
    "alphabeta:depth=8,techniques=none": "the engine, nothing switched on",
    "alphabeta:depth=8": "the engine with table, ordering and all",
    "expectiminimax:depth=4,prune=none,table=off": "expectiminimax",
    "expectiminimax:depth=4,prune=star1,table=off": "Star1: alpha-beta with chance",
    "expectiminimax:depth=4,prune=star2,table=off": "Star2: Star1 with probes",
    "mcts:simulations=60": "Monte Carlo tree search",
    "flat:playouts=10": "flat Monte Carlo",
    **{f"{name}:iterations=100": f"{name} (regret minimization)" for name in METHODS},
}
NOTHING = ""


async def watch_page(house: House, query: Mapping[str, str]) -> None:
    """The page for what a link asks."""
    spec = query.get("game") or LECTURE
    first = query.get("a")
    moves = query.get("moves", MOVES.get(spec, "") if not query.get("position") else "")
    try:
        p = await house.desk.run(house.shelf.playthrough, spec, query.get("position") or None, moves)
        usual = "cfr+:iterations=100" if p.game.has_secrets else suited(p.game)
    except CounterplayError as wrong:
        refusal(wrong, "/watch")
        return
    asked = {"game": spec, "position": query.get("position") or None, "moves": moves}
    WatchPage(house, asked, p.game, [first or usual, query.get("b", NOTHING)]).build()


def suited(game: Game) -> str:
    """The first algorithm that leaves a trace of this game."""
    for spec in ("plain-alphabeta:depth=8", "expectiminimax:depth=4,prune=none,table=off", "mcts:simulations=60"):
        try:
            admitted(spec).require(game)
        except Unsuitable:
            continue
        return spec
    return "mcts:simulations=60"


class WatchPage:
    """One visitor's view: the choice above, one or two panes below, and the controls for both."""

    def __init__(self, house: House, asked: dict[str, Any], game: Game, specs: list[str]) -> None:
        self.house, self.asked, self.game, self.specs = house, asked, game, specs
        self.panes: list[Pane | TrainingPane] = []
        self.step = 0
        self.playing = False

    def build(self) -> None:
        """Lay everything out; the searches are recorded beside."""
        self.build_choice()
        with ui.element("div").classes("cp-buttons w-full"):
            for name, icon, action in (
                ("first", "first_page", lambda: self.go(0)),
                ("back", "navigate_before", lambda: self.go(self.step - 1)),
                ("play", "play_arrow", self.toggle),
                ("forward", "navigate_next", lambda: self.go(self.step + 1)),
                ("last", "last_page", lambda: self.go(self.last)),
            ):
                button = ui.button(icon=icon, on_click=action).props(f'outline dense aria-label="{name}"')
                button.classes(f"cp-do-{name}")
            self.where = ui.label("").classes("cp-dim cp-where")
        self.slider = ui.slider(min=0, max=1, value=0, on_change=lambda e: self.go(int(e.value))).props(
            'aria-label="step"'
        )
        self.slider.classes("cp-slider")
        ui.keyboard(on_key=self.key)
        with ui.element("div").classes("cp-columns"):
            for spec in filter(None, self.specs):
                kind = TrainingPane if spec.partition(":")[0] in METHODS else Pane
                with ui.element("div").classes("cp-left"):
                    pane = kind(self, spec)
                    self.panes.append(pane)
                    pane.build()
        self.timer = ui.timer(0.5, self.advance, active=False)
        tasks = [background_tasks.create(pane.record(), name="record") for pane in self.panes]
        context.client.on_delete(lambda: [task.cancel() for task in tasks])

    def build_choice(self) -> None:
        """What is searched, by whom."""
        known = dict(EXAMPLES)
        known.setdefault(self.asked["game"], self.asked["game"][:80])
        with ui.element("div").classes("cp-columns"):
            with ui.column().classes("cp-left gap-1"):
                self.game_choice = ui.select(known, value=self.asked["game"], label="what is searched").classes(
                    "w-full"
                )
                self.own = ui.input("your own tree as nested lists, or any game", placeholder="[[3,[5,2]],[1,7]]")
                self.own.classes("w-full cp-own")
                self.moves = ui.input("after these moves", value=self.asked["moves"]).classes("w-full")
            with ui.column().classes("cp-right gap-1"):
                offered = {spec: f"{word} ({spec})" for spec, word in ALGORITHMS.items()}
                offered |= {spec: spec for spec in self.specs if spec and spec not in offered}
                self.first = ui.select(offered, value=self.specs[0], label="who searches").classes("w-full cp-first")
                beside = {NOTHING: "nobody", **offered}
                self.second = ui.select(beside, value=self.specs[1], label="beside it").classes("w-full cp-second")
                self.spec = ui.input("or any player, by its spec", placeholder="alphabeta:depth=4,pvs=off")
                self.spec.classes("w-full")
                ui.button("watch", on_click=self.again).props("no-caps").classes("cp-watch")

    async def again(self) -> None:
        """Watch what is chosen."""
        own = (self.own.value or "").strip()
        game = self.game_choice.value
        moves = (self.moves.value or "").strip()
        if own:
            game, moves = (f"tree:{own}" if own.startswith(("[", "{")) else own), ""
        elif game != self.asked["game"]:
            moves = MOVES.get(game, "")
        query = {"game": game, "a": (self.spec.value or "").strip() or self.first.value}
        with told():
            opened = (await self.house.desk.run(self.house.shelf.playthrough, game, None, moves)).game
            if opened.has_secrets != (query["a"].partition(":")[0] in METHODS) and not self.spec.value:
                query["a"] = "cfr+:iterations=100" if opened.has_secrets else suited(opened)
            if self.second.value:
                query["b"] = self.second.value
            ui.navigate.to("/watch?" + urlencode(query | {"moves": moves}))

    # Stepping.

    @property
    def last(self) -> int:
        """The last step of the longest."""
        return max((pane.steps for pane in self.panes), default=1) - 1

    def ready(self) -> None:
        """A pane has its record."""
        self.slider.props(f"max={max(self.last, 1)}")
        self.go(self.step)

    def go(self, step: int) -> None:
        """Show a step."""
        self.step = max(0, min(step, self.last))
        if self.slider.value != self.step:
            self.slider.set_value(self.step)
        self.where.set_text(f"step {self.step + 1} of {self.last + 1}")
        for pane in self.panes:
            pane.show(self.step)

    def toggle(self) -> None:
        """Play, or pause."""
        self.playing = not self.playing
        self.timer.active = self.playing

    def advance(self) -> None:
        """The next step, while it plays."""
        if self.step >= self.last:
            self.toggle()
        else:
            self.go(self.step + 1)

    def key(self, event: Any) -> None:
        """Arrows step, blank plays."""
        if not event.action.keydown:
            return
        if event.key.arrow_right:
            self.go(self.step + 1)
        elif event.key.arrow_left:
            self.go(self.step - 1)
        elif event.key == " ":
            self.toggle()


class Pane:
    """One recorded search."""

    def __init__(self, page: WatchPage, spec: str) -> None:
        self.page, self.spec = page, spec
        self.scenes: Scenes | None = None
        self.answer: dict[str, Any] = {}
        self.opened: frozenset[int] = frozenset()
        self.closed: frozenset[int] = frozenset()
        self.step = 0
        self.zoom = 100

    @property
    def steps(self) -> int:
        """How many there are."""
        return len(self.scenes) if self.scenes else 0

    def build(self) -> None:
        """A picture, what happens, what came out."""
        with ui.column().classes("cp-card cp-pane"):
            ui.label(self.spec).classes("cp-title")
            self.words = ui.label("recording ...").classes("cp-step").props('aria-live="polite"')
            self.facts = ui.html("", sanitize=False).classes("cp-facts cp-scroll")
            self.picture = ui.html("", sanitize=False).classes("cp-tree")
            buttons(self.picture, "node", self.fold)
            self.note = ui.label("").classes("cp-dim")
            self.summary = ui.html("", sanitize=False).classes("cp-summary cp-scroll")
            with ui.element("div").classes("cp-buttons"):
                ui.button("wider", on_click=lambda: self.enlarge(1.25)).props("flat dense no-caps")
                ui.button("smaller", on_click=lambda: self.enlarge(0.8)).props("flat dense no-caps")
                ui.button("picture as SVG", on_click=self.save_svg).props("flat dense no-caps").classes("cp-do-svg")
                ui.button("trace as JSON", on_click=self.save_json).props("flat dense no-caps").classes("cp-do-json")

    async def record(self) -> None:
        """Let a worker search and record."""
        page = self.page
        try:
            admitted(self.spec).require(page.game)
            game = page.house.shelf.spec(page.asked["game"])
            asked = {**page.asked, "game": game, "player": self.spec, "limit": MOST_EVENTS}
            answer = await page.house.crew.ask("trace", **asked)
            assert answer is not None
            self.answer = answer
            self.scenes = await asyncio.to_thread(scenes_of, answer, page.game)
        except CounterplayError as wrong:
            self.words.set_text(str(wrong))
            self.words.classes("cp-wrong")
            return
        self.summary.set_content(as_table([self.scenes.summary()]))
        page.ready()

    def show(self, step: int) -> None:
        """Draw a step; after the last one stays what came out."""
        if not self.scenes or not len(self.scenes):
            return
        self.step = min(step, len(self.scenes) - 1)
        scene = self.scenes.scene(self.step)
        figure = Figure(scene.dots, self.opened, self.closed)
        self.drawn = figure.svg()
        self.picture.set_content(self.scaled(self.drawn))
        self.words.set_text(scene.words)
        self.facts.set_content(as_table([scene.facts]))
        hidden = len(scene.dots) - len(figure.x)
        told_fold = (
            f"{hidden:,} of {len(scene.dots):,} nodes are folded ({MOST_DRAWN} are drawn): click one to unfold it"
        )
        self.note.set_text(told_fold if hidden else "click a node to fold or unfold it")

    def scaled(self, svg: str) -> str:
        """The picture at the size that the person wants."""
        style = f'style="width:{self.zoom}%;height:auto"' if self.zoom != 100 else 'style="max-width:100%;height:auto"'
        return svg.replace("<svg ", f"<svg {style} ", 1)

    def enlarge(self, by: float) -> None:
        """Nearer, or further away."""
        self.zoom = max(30, min(1000, round(self.zoom * by)))
        self.show(self.step)

    def fold(self, node: int) -> None:
        """Hide or show what hangs below a node."""
        if self.scenes is None:
            return
        figure = Figure(self.scenes.scene(self.step).dots, self.opened, self.closed)
        if node in figure.folded:
            self.opened, self.closed = self.opened | {node}, self.closed - {node}
        elif figure.children[node]:
            self.opened, self.closed = self.opened - {node}, self.closed | {node}
        self.show(self.step)

    def save_svg(self) -> None:
        """The picture as a file."""
        if self.scenes:
            ui.download.content(self.drawn, "search.svg", "image/svg+xml")

    def save_json(self) -> None:
        """The trace as a file, as `counterplay trace -o` writes it."""
        if self.scenes:
            ui.download.content(self.scenes.trace.text(), "trace.json", "application/json")
        else:
            complain(CounterplayError("nothing is recorded yet"))


def as_table(rows: list[list[tuple[str, str]]]) -> str:
    """Named facts as a table of one head and some rows."""
    if not rows or not rows[0]:
        return ""
    head = "".join(f"<th>{escape(name)}</th>" for name, _ in rows[0])
    body = "".join(
        "<tr>" + "".join(f'<td data-fact="{escape(name)}">{escape(value)}</td>' for name, value in row) + "</tr>"
        for row in rows
    )
    return f'<table class="cp-table"><tr>{head}</tr>{body}</table>'
