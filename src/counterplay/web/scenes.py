"""A recorded search as scenes: what the tree looks like at each step, and what the step is, in words.

Scenes read the traces of the real kernels (search/tracing/trace.py, montecarlo/trace.py) and add nothing to them. Values
and windows are from the root player's point of view: alpha is what they have for sure, beta what the other side allows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from counterplay.core.game import CHANCE, Game
from counterplay.montecarlo.trace import SimulationTrace
from counterplay.montecarlo.trace import replay as replay_simulations
from counterplay.search.tracing.trace import Trace, replay
from counterplay.web.figure import Dot

MARKS = {"table": "table", "null move": "null", "too late": "late", "probed": "probe"}
WHYS = {
    "table": ", from the table",
    "null move": ", by a null move",
    "horizon": ", estimated",
    "probed": ", by a probe of one action",
}
PHASES = ("select", "expand", "evaluate", "back up")


class Scene(NamedTuple):
    """One step: the tree, and what happens."""

    dots: list[Dot]
    words: str
    facts: list[tuple[str, str]]


def number(value: float | None) -> str:
    """A value for people."""
    if value is None:
        return "?"
    return "∞" if value == float("inf") else "-∞" if value == float("-inf") else f"{value + 0.0:.4g}"


def shape_of(game: Game, player: int) -> str:
    """How a node is drawn: by who moves there."""
    if player == CHANCE:
        return "chance"
    return ("max", "min")[player] if game.players == 2 and game.zero_sum else "player"


class Node(NamedTuple):
    """A node of a recorded search: when it was entered and left, and with what."""

    parent: int | None
    label: str
    player: int
    view: int  # in whose view the search has the node's values
    is_end: bool
    odds: float | None
    utility: float | None  # to the root's player, where the game ends here
    alpha: float
    beta: float
    born: int  # the step at which it was entered or pruned


class SearchScenes:
    """A search of nodes and windows, an event a step."""

    def __init__(self, trace: Trace, game: Game) -> None:
        self.trace, self.game = trace, game
        self.nodes: list[Node] = []
        self.children: list[list[int]] = []
        self.left: dict[int, tuple[int, dict[str, Any]]] = {}  # node -> step and event
        self.pruned: set[int] = set()
        self.at: list[int] = []  # [steps] the node that each event is about
        self.root = trace.events[0]["player"] if trace.events else 0
        path: list[int] = []
        states: list[Any] = []
        for i, step in enumerate(replay(trace)):
            event = step.event
            if event["event"] == "leave":
                node = path.pop()
                states.pop()
                self.left[node] = i, event
                self.at.append(node)
                continue
            s, above = step.state, states[-1] if states else None
            if event["event"] == "pruned":
                s = game.result(above, game.parse_action(above, event["action"]))
            node = self._add(i, event, s, path[-1] if path else None, above)
            self.at.append(node)
            if event["event"] == "enter":
                path.append(node)
                states.append(step.state)
            else:
                self.pruned.add(node)

    def __len__(self) -> int:
        return len(self.at)

    def _add(self, i: int, event: dict[str, Any], s: Any, parent: int | None, above: Any) -> int:
        game, low, high = self.game, float("-inf"), float("inf")
        if event["event"] == "enter":
            own = event["player"] in (self.root, CHANCE)
            low, high = self._window(event, own)
        is_end = bool(game.is_terminal(s))
        utility = float(game.utility(s, self.root)) if is_end else None
        by = event.get("by", "action")
        name = event["action"] or {"root": "", "null move": "pass", "same position": "again"}[by]
        odds = None
        if above is not None and by == "action" and game.to_move(above) == CHANCE:
            odds = game.probability(above, game.parse_action(above, event["action"]))
        player = self.root if is_end else game.to_move(s)
        view = event["player"] if event["event"] == "enter" else self.root
        self.nodes.append(Node(parent, name, player, view, is_end, odds, utility, low, high, i))
        self.children.append([])
        if parent is not None:
            self.children[parent].append(len(self.nodes) - 1)
        return len(self.nodes) - 1

    @staticmethod
    def _window(event: dict[str, Any], own: bool) -> tuple[float, float]:
        low = float("-inf") if event["alpha"] is None else event["alpha"]
        high = float("inf") if event["beta"] is None else event["beta"]
        return (low, high) if own else (0.0 - high, 0.0 - low)

    def value(self, node: int) -> float:
        """The value with which a node was left, to the root's player."""
        _, event = self.left[node]
        return event["value"] if self._is_own(node) else 0.0 - event["value"]

    def _is_own(self, node: int) -> bool:
        """Whether the search has a node's values in view of the root's player."""
        return self.nodes[node].view in (self.root, CHANCE)

    def live_window(self, node: int, step: int) -> tuple[float, float]:
        """The window of a node at a step: as it was entered, narrowed by what its children have returned since."""
        low, high = self.nodes[node].alpha, self.nodes[node].beta
        mover = self.nodes[node].player
        for child in self.children[node] if mover != CHANCE else ():
            if child in self.left and self.left[child][0] <= step:
                value = self.value(child)
                low, high = (max(low, value), high) if mover == self.root else (low, min(high, value))
        return low, high

    def scene(self, step: int) -> Scene:
        """The tree after an event."""
        node, dots = self.at[step], []
        path = self._path(node)
        for i, about in enumerate(self.nodes):
            dots.append(self._dot(i, about, step, i in path))
        return Scene(dots, self._words(step), self._facts(node, step))

    def _path(self, node: int) -> set[int]:
        path = {node}
        while (above := self.nodes[node].parent) is not None:
            node = above
            path.add(node)
        return path

    def _dot(self, i: int, about: Node, step: int, on_path: bool) -> Dot:
        name = about.label if about.odds is None else f"{about.label} ({about.odds:.3g})"
        shape = "box" if about.is_end else shape_of(self.game, about.player)
        plain = Dot(about.parent, name, shape, about.player)
        if i in self.pruned:
            below = "" if about.utility is None else number(about.utility)
            return plain._replace(tone="pruned" if about.born <= step else "unseen", below=below)
        if about.born > step:
            return plain._replace(tone="unseen")
        done = i in self.left and self.left[i][0] <= step
        above = ""
        if not about.is_end and about.player != CHANCE:
            low, high = (about.alpha, about.beta) if done else self.live_window(i, step)
            above = (
                f"{number(low)} … {number(high)}" if (low, high) != (float("-inf"), float("inf")) or not done else ""
            )
        tone = "now" if on_path else "plain"
        if not done:
            return plain._replace(tone=tone, above=above)
        _, event = self.left[i]
        sign = self._sign(i, event)
        mark = "cut" if event["cut"] else MARKS.get(event["why"], "")
        return plain._replace(tone=tone, above=above, below=f"{sign}{number(self.value(i))}", mark=mark)

    def _sign(self, node: int, event: dict[str, Any]) -> str:
        if event["bound"] == "exact":
            return ""
        return "≥ " if (event["bound"] == "lower") == self._is_own(node) else "≤ "

    def path_of(self, node: int) -> str:
        """The path from the root to a node."""
        names: list[str] = []
        while (above := self.nodes[node].parent) is not None:
            names.append(self.nodes[node].label)
            node = above
        return " ".join(reversed(names)) or "the root"

    def _words(self, step: int) -> str:
        node, event = self.at[step], self.trace.events[step]
        about = self.nodes[node]
        if event["event"] == "pruned":
            return f"prune {self.path_of(node)}: whatever it is worth, it changes nothing"
        if event["event"] == "enter":
            who = "a leaf" if about.is_end else f"{self.game.player_name(about.player)} to move"
            return f"enter {self.path_of(node)}: {who}"
        why = WHYS.get(event["why"], "")
        cut = "; that is enough: cut" if event["cut"] else ""
        return f"leave {self.path_of(node)} with {self._sign(node, event)}{number(self.value(node))}{why}{cut}"

    def _facts(self, node: int, step: int) -> list[tuple[str, str]]:
        about = self.nodes[node]
        low, high = self.live_window(node, step) if node not in self.pruned else (about.alpha, about.beta)
        mover = "leaf" if about.is_end else self.game.player_name(about.player)
        facts = [("node", self.path_of(node)), ("player", mover)]
        if node not in self.pruned:
            facts += [("alpha", number(low)), ("beta", number(high))]
        if node in self.left and self.left[node][0] <= step:
            facts.append(("value", self._sign(node, self.left[node][1]) + number(self.value(node))))
        entered = sum(1 for i in range(step + 1) if self.trace.events[i]["event"] == "enter")
        gone = sum(1 for i in range(step + 1) if self.trace.events[i]["event"] == "pruned")
        return [*facts, ("entered", str(entered)), ("pruned", str(gone))]

    def summary(self) -> list[tuple[str, str]]:
        """What the whole search did."""
        kinds = [event["event"] for event in self.trace.events]
        told = self.trace.decision
        leaves = sum(1 for node in range(len(self.nodes)) if node not in self.pruned and self.nodes[node].is_end)
        facts = [("chooses", str(told["action"])), ("value", number(told["value"]))]
        facts += [
            ("entered", f"{kinds.count('enter'):,}"),
            ("leaves", f"{leaves:,}"),
            ("pruned", f"{kinds.count('pruned'):,}"),
        ]
        if not self.trace.complete:
            facts.append(("recorded", f"{len(kinds):,} of {self.trace.happened:,} events"))
        return facts


class SimulationScenes:
    """Monte Carlo tree search, four phases a simulation."""

    def __init__(self, trace: SimulationTrace, game: Game) -> None:
        self.trace, self.game = trace, game
        self.trees = list(replay_simulations(trace))

    def __len__(self) -> int:
        return 4 * len(self.trees)

    def scene(self, step: int) -> Scene:
        """The tree in a phase of a simulation."""
        k, phase = divmod(step, 4)
        told = self.trace.steps[k]
        new = {each["node"] for each in told["new"]}
        way = list(told["way"])
        before = self.trees[k - 1] if k else None
        tree = self.trees[k]
        dots = []
        for i, node in enumerate(tree):
            known = node if phase == 3 or before is None or i >= len(before) else before[i]
            visits = known.visits if phase == 3 or (before is not None and i < len(before)) else 0
            mean = f"{visits}: {number(first(known.value))}" if visits else ""
            if phase == 0 and i in new:
                tone = "unseen"
            elif i in new and phase >= 1:
                tone = "new" if phase == 1 or i in way else "plain"
            else:
                tone = "now" if i in way else "plain"
            player = 0 if node.player is None else node.player
            shape = "box" if node.player is None else "chance" if player == CHANCE else "player"
            proven = "proven" if phase == 3 and node.bounds and node.bounds[0] == node.bounds[1] else ""
            dots.append(Dot(node.parent, node.action or "", shape, max(player, 0), below=mean, tone=tone, mark=proven))
        names = " ".join(tree[i].action or "" for i in way[1:]) or "the root"
        gain = number(first(told["backed_up"]))
        words = (
            f"select: go down to {names}",
            f"expand: {len(new)} new nodes" if new else "expand: nothing new here",
            f"evaluate: {'a playout' if told['leaf'] in ('open', 'busy') else told['leaf']} gives {gain}",
            f"back up: everyone on the way counts {gain}",
        )[phase]
        root = tree[0] if phase == 3 or before is None else before[0]
        facts = [("simulation", f"{k + 1} of {len(self.trees)}"), ("phase", PHASES[phase]), ("way", names)]
        facts.append(("root", f"{root.visits} visits, mean {number(first(root.value))}"))
        return Scene(dots, words, facts)

    def summary(self) -> list[tuple[str, str]]:
        """What the whole search did."""
        told = self.trace.decision
        nodes = len(self.trees[-1]) if self.trees else 1
        return [
            ("chooses", str(told["action"])),
            ("value", number(told["value"])),
            ("simulations", f"{told['simulations']:,}"),
            ("nodes", f"{nodes:,}"),
            *([] if self.trace.complete else [("recorded", f"{len(self.trees):,} of {told['simulations']:,}")]),
        ]


def first(value: float | list[float] | None) -> float | None:
    """A value to the first player."""
    return value[0] if isinstance(value, list) else value


Scenes = SearchScenes | SimulationScenes


def scenes_of(answer: dict[str, Any], game: Game) -> Scenes:
    """The scenes of what a worker recorded."""
    fields = {name: value for name, value in answer.items() if name != "kind"}
    if answer["kind"] == "simulations":
        return SimulationScenes(SimulationTrace(**fields), game)
    return SearchScenes(Trace(**fields), game)
