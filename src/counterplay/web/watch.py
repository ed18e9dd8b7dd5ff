"""The Watch page: the recorded trace of a real search, step by step, two of them side by side."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from nicegui import background_tasks, context, ui
from nicegui.events import GenericEventArguments

from counterplay.core.errors import CounterplayError
from counterplay.core.playthrough import Playthrough
from counterplay.montecarlo.trace import SimulationTrace
from counterplay.search.tracing.trace import Trace
from counterplay.web.admission import admitted
from counterplay.web.frame import complain, heading, refusal, told
from counterplay.web.phrases import capital
from counterplay.web.readable import offered, past_chance, readable_depth, suited
from counterplay.web.scenes import story_of
from counterplay.web.search_tree import SearchTree
from counterplay.web.training import METHODS, read_training, training_story

if TYPE_CHECKING:
    from counterplay.web.server import House

MOST_EVENTS = 2_000
"""The limit of a search shown at first, and of an opened node."""
MOST_OPENED = 20
LECTURE = "tree:[[3,12,8],[2,4,6],[14,5,2]]"
EXAMPLES = {
    LECTURE: "the lecture's tree",
    "tree:[[[5,6],[7,4,5]],[[3],[6],[6,9],[7]],[[5],[9,8],[6]]]": "a deeper tree",
    'tree:[{"chance":[[0.5,[2,8]],[0.5,[4,6]]]},{"chance":[[0.9,[1,3]],[0.1,[20,30]]]}]': "a tree with chance",
    "tic-tac-toe": "tic-tac-toe, near its end",
    "nim:3-2": "Nim with heaps of 3 and 2",
    "connect-four:width=4,height=4": "Connect Four on 4x4",
    "chess": "chess",
    "backgammon": "backgammon",
    "kuhn-poker": "Kuhn poker (for regret minimization)",
    "leduc-poker": "Leduc poker (for regret minimization)",
}
MOVES = {"tic-tac-toe": "b2 a1 c1 a3 a2"}
"""Moves played at the start of an example, so that its tree is small."""
NOTHING = ""


async def watch_page(house: House, query: Mapping[str, str]) -> None:
    """The page for a link."""
    spec = query.get("game") or LECTURE
    moves = query.get("moves", MOVES.get(spec, "") if not query.get("position") else "")
    position = query.get("position") or None
    try:
        step = int(query.get("step", "1")) - 1
    except ValueError:
        step = 0
    try:
        opened = await house.desk.run(open_scene, house, spec, position, moves)
    except CounterplayError as wrong:
        refusal(wrong, "/watch")
        return
    asked = {"game": spec, "position": position, "moves": opened.moves}
    specs = [query.get("a") or opened.usual, query.get("b", NOTHING)]
    if query.get("a"):
        opened.instead = ""
    WatchPage(house, asked, opened, specs, max(step, 0)).build()


class Scene:
    """The subject of a search: the position, and a readable depth."""

    def __init__(self, p: Playthrough) -> None:
        self.note = ""
        if not p.game.has_secrets and past_chance(p):
            self.note = f"chance has moved first: {' '.join(p.moves)}"
        self.game, self.moves = p.game, " ".join(p.moves)
        self.depth = 1 if p.is_over or p.game.has_secrets else readable_depth(p)
        self.usual = "cfr+" if p.game.has_secrets else suited(p, self.depth)
        self.instead = "ismcts:simulations=40" if p.game.has_secrets else ""
        """The default spec, replaced if it does not suit, such as for a game too large for regret minimization."""


def open_scene(house: House, spec: str, position: str | None, moves: str) -> Scene:
    """The requested position."""
    return Scene(house.shelf.playthrough(spec, position, moves))


def titled(spec: str, game: str, depth: int) -> str:
    """A player's name in words if possible, and its spec."""
    word = offered(depth).get(spec, "")
    what = f"{capital(word)}: {spec}" if word else spec
    return f"{what} on {game[:80]}"


class WatchPage:
    """One visitor's view: the searches, and the choice of others in a drawer."""

    def __init__(self, house: House, asked: dict[str, Any], scene: Scene, specs: list[str], step: int) -> None:
        self.house, self.asked, self.scene, self.specs, self.step = house, asked, scene, specs, step
        self.answers: dict[int, dict[str, Any]] = {}
        self.opened: dict[int, list[int]] = {0: [], 1: []}  # for each search, the nodes whose subtrees were requested
        self.stories: list[dict[str, Any]] = [
            {"spec": titled(spec, asked["game"], scene.depth), "wait": "recording ..."} for spec in specs if spec
        ]

    @property
    def query(self) -> str:
        """The address of the current view, without the step."""
        given = {"game": self.asked["game"], "position": self.asked["position"], "moves": self.asked["moves"]}
        given |= {"a": self.specs[0], "b": self.specs[1]}
        return urlencode({name: value for name, value in given.items() if value})

    def build(self) -> None:
        """Lay everything out; the searches are recorded in the background."""
        heading("Watch a search", 1, "cp-unseen")
        drawer = self.build_drawer()
        self.tree = SearchTree(self.stories, self.step, self.query)
        self.tree.on("keep", lambda e: self.save(e.args))
        self.tree.on("choose", lambda: drawer.open())
        self.tree.on("expand", self.expand)
        tasks = [
            background_tasks.create(self.record(i, spec), name="record")
            for i, spec in enumerate(filter(None, self.specs))
        ]
        context.client.on_delete(lambda: [task.cancel() for task in tasks])

    def build_drawer(self) -> ui.dialog:
        """The form for the position, and the players that search it."""
        known = dict(EXAMPLES)
        known.setdefault(self.asked["game"], self.asked["game"][:80])
        everyone = {spec: f"{word} ({spec})" for spec, word in offered(self.scene.depth).items()}
        everyone |= {name: f"{name} (regret minimization)" for name in METHODS}
        everyone |= {spec: spec for spec in self.specs if spec and spec not in everyone}
        with (
            ui.dialog().props("position=right full-height") as drawer,
            ui.card().classes("gap-2 cp-drawer").style("width: 420px"),
        ):
            ui.label("What is watched").classes("cp-title")
            self.game_choice = ui.select(known, value=self.asked["game"], label="what is searched").classes(
                "w-full cp-game"
            )
            self.own = ui.input("your own tree as nested lists, or any game", placeholder="[[3,[5,2]],[1,7]]")
            self.own.classes("w-full cp-own")
            self.moves = ui.input("after these moves", value=self.asked["moves"]).classes("w-full")
            self.first = ui.select(everyone, value=self.specs[0], label="who searches").classes("w-full cp-first")
            self.second = ui.select({NOTHING: "nobody", **everyone}, value=self.specs[1], label="beside it")
            self.second.classes("w-full cp-second")
            self.spec = ui.input("or any player, by its spec", placeholder="alphabeta:depth=4,pvs=off").classes(
                "w-full"
            )
            with ui.element("div").classes("cp-buttons"):
                ui.button("watch", on_click=self.again).props("no-caps").classes("cp-watch")
                ui.button("close", on_click=drawer.close).props("flat no-caps")
            ui.label("Arrow keys step, space plays, f is full screen. Click a node to fold it.").classes("cp-dim")
        return drawer

    async def again(self) -> None:
        """Watch the chosen search."""
        own = (self.own.value or "").strip()
        game = self.game_choice.value
        moves = (self.moves.value or "").strip()
        if own:
            game, moves = (f"tree:{own}" if own.startswith(("[", "{")) else own), ""
        elif game != self.asked["game"]:
            moves = MOVES.get(game, "")
        query = {"game": game, "moves": moves}
        chosen = (self.spec.value or "").strip() or self.first.value
        with told():
            scene = await self.house.desk.run(open_scene, self.house, game, None, moves)
            fits = scene.game.has_secrets == (chosen.partition(":")[0] in (*METHODS, "ismcts"))
            if self.spec.value or (fits and (game == self.asked["game"] or chosen != self.specs[0])):
                query["a"] = chosen
            if self.second.value:
                query["b"] = self.second.value
            ui.navigate.to("/watch?" + urlencode(query))

    async def record(self, i: int, spec: str) -> None:
        """Let a worker search and record, and show the result."""
        try:
            if spec.partition(":")[0] in METHODS:
                story = await self.train(i, spec)
            else:
                story = await self.search(i, spec)
        except CounterplayError as wrong:
            if i == 0 and self.scene.instead:
                await self.record_instead(str(wrong))
                return
            story = {"wrong": str(wrong)}
        self.stories[i] = {"spec": self.stories[i]["spec"], **story}
        self.tree.tell(self.stories)

    async def record_instead(self, why: str) -> None:
        """The default search does not suit, but nobody asked for it: show another one, and say why."""
        spec, self.scene.instead, self.scene.note = self.scene.instead, "", why
        self.specs[0], self.stories[0]["spec"] = spec, titled(spec, self.asked["game"], self.scene.depth)
        self.tree.props["query"] = self.query
        await self.record(0, spec)

    async def expand(self, event: GenericEventArguments) -> None:
        """Load the omitted subtree of a node."""
        i, number = event.args if isinstance(event.args, list) and len(event.args) == 2 else (None, None)
        if i not in self.opened or not isinstance(number, int) or len(self.opened[i]) >= MOST_OPENED:
            return
        self.opened[i].append(number)
        await self.record(i, list(filter(None, self.specs))[i])

    async def search(self, i: int, spec: str) -> dict[str, Any]:
        """A recorded search."""
        admitted(spec).require(self.scene.game)
        game = self.house.shelf.spec(self.asked["game"])
        asked = {**self.asked, "game": game, "player": spec, "limit": MOST_EVENTS, "opened_nodes": self.opened[i]}
        answer = await self.house.crew.ask("trace", **asked)
        assert answer is not None
        self.answers[i] = answer
        story = await asyncio.to_thread(story_of, answer, self.scene.game)
        return story | {"note": self.scene.note}

    async def train(self, i: int, spec: str) -> dict[str, Any]:
        """Recorded regret minimization."""
        method, count = read_training(spec)
        game = self.house.shelf.spec(self.asked["game"])
        answer = await self.house.crew.ask("train", game=game, method=method, iterations=count)
        assert answer is not None
        self.answers[i] = answer
        return await asyncio.to_thread(training_story, answer)

    def save(self, i: Any) -> None:
        """The trace as a file, as `counterplay trace -o` writes it."""
        answer = self.answers.get(i) if isinstance(i, int) else None
        if answer is None:
            complain(CounterplayError("nothing is recorded yet"))
            return
        fields = {name: value for name, value in answer.items() if name != "kind"}
        kinds = {"search": lambda: Trace(**fields).text(), "simulations": lambda: SimulationTrace(**fields).text()}
        text = kinds.get(answer["kind"], lambda: json.dumps(answer))()
        ui.download.content(text, "trace.json", "application/json")
