"""An explicit game tree, as in a lecture: from nested lists, or from a JSON file.

    [[3, 12, 8], [2, 4, 6], [14, 5, 2]]

A list is a node, its entries are what its actions lead to, and a number is a leaf: Min's payment to Max. Max moves at
the root, then the players take turns. Any part of a tree may also be an object:

    {"payoffs": [1, 2, 0]}                                      a leaf: each player's payoff
    {"player": 1, "actions": {"left": ..., "right": ...}}       a node with names; the player counts from 0
    {"chance": [[0.5, ...], [0.5, ...]]}                        a chance node: probability and what follows
    {"chance": {"heads": ["1/2", ...], "tails": ["1/2", ...]}}  the same with names and fractions
    {"information": "u", "player": 1, "actions": [..., ...]}    the player cannot tell nodes with this word apart

Without "player", the player after the last one who moved is to move. If some nodes have an "information", all that a
player knows between their turns is what they did and whose turn it is.

The tree is one block of arrays, parents before children and siblings side by side; a state is the number of a node. The
arrays' lengths are powers of 2, so trees of similar size share their compiled code.
"""

from __future__ import annotations

from collections import deque
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError, InvalidPosition
from counterplay.core.formats.svg import text_card
from counterplay.core.game import CHANCE
from counterplay.core.language.actions import Actions
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import state
from counterplay.games.explicit import MOST_PLAYERS, Explicit, action_names, fail, finite, numbered, read_json
from counterplay.games.tree_drawing import Drawing

LECTURE = "[[3,12,8],[2,4,6],[14,5,2]]"
LEAST_ROOM = 64
MOST_DRAWN, MOST_LISTED = 400, 60


@state
class State(NamedTuple):
    """The current node."""

    node: int  # 0 is the root


class Tree(Explicit):
    """An explicit game tree from nested lists or a JSON file."""

    name = "tree"
    title = "Game tree"

    def __init__(self, source: Any = LECTURE) -> None:
        data, self._parameters["source"] = read_json(source, "tree")
        nodes = grow(data)
        self._nodes = nodes
        self.players = count_players(nodes)
        self.has_events = any(node.chances for node in nodes)
        self.has_labels = any(node.information is not None for node in nodes)
        room = max(LEAST_ROOM, 1 << (len(nodes) - 1).bit_length())
        self.first = np.zeros(room, np.int64)  # [nodes] the first child
        self.count = np.zeros(room, np.int64)  # [nodes] the number of children
        self.mover = np.zeros(room, np.int64)  # [nodes] the player to move, CHANCE or, in a leaf, the next player
        self.chances = np.zeros(room)  # [nodes] the probability of the event that leads here
        self.payoffs = np.zeros((room, self.players))  # [nodes, players], zeros except in leaves
        self.known = np.full(
            (room, self.players), -1, np.int64
        )  # [nodes, players] equal if a player sees no difference
        self._fill()
        leaves = np.array([node.payoffs for node in nodes if not node.children])
        self.zero_sum = bool(np.abs(leaves.sum(axis=1)).max() <= 1e-12 * np.abs(leaves).max())
        self.set_bounds(leaves)

    def _fill(self) -> None:
        """Write the nodes into the arrays."""
        turn, below = [0] * len(self._nodes), 1
        for i, node in enumerate(self._nodes):
            turn[i] = turn[node.parent]
            self.mover[i] = turn[i] if node.mover is None else node.mover
            if node.children and node.mover != CHANCE:
                turn[i] = (int(self.mover[i]) + 1) % self.players
            self.first[i], self.count[i] = below, len(node.children)
            self.chances[below : below + len(node.chances)] = node.chances
            if not node.children:
                self.payoffs[i] = node.payoffs
            below += len(node.children)
        self.known[: len(self._nodes)] = np.arange(len(self._nodes))[:, None]
        if self.has_labels:
            self._find_information()

    def _find_information(self) -> None:
        """Number what each player can tell apart: their labelled nodes, and what they did before."""
        numbers: dict[Any, int] = {}
        sets: dict[Any, int] = {}
        after: list[list[Any]] = []  # for each node and player, their last information and what they did there
        for i, node in enumerate(self._nodes):
            mover, above = int(self.mover[i]), node.parent
            after.append(list(after[above]) if i else [None] * self.players)
            if i and self.mover[above] != CHANCE:
                before = int(self.mover[above])
                after[i][before] = (int(self.known[above, before]), i - int(self.first[above]))
            for player in range(self.players):
                key: Any = ("between", after[i][player], mover, not node.children)
                if node.children and player == mover:
                    key = ("at", i) if node.information is None else ("in", node.information)
                self.known[i, player] = numbers.setdefault(key, len(numbers))
            if node.information is not None:
                other = sets.setdefault(node.information, i)
                if self.mover[other] != mover or self._nodes[other].names != node.names:
                    nodes_told = f"{path_to(self._nodes, other)} and {path_to(self._nodes, i)}"
                    fail(
                        "tree",
                        f"{nodes_told} share information {node.information!r}, but not the player and the actions",
                    )

    # The traits of the game depend on the tree.

    @property
    def has_chance(self) -> bool:
        """Whether the tree has chance nodes."""
        return self.has_events

    @property
    def has_secrets(self) -> bool:
        """Whether some nodes cannot be told apart."""
        return self.has_labels

    def initial(self) -> State:
        return State(0)

    def to_move(self, s: State) -> int:
        return int(self.mover[s.node])

    def actions(self, s: State, out: Actions) -> None:
        for action in range(self.count[s.node]):
            out.append(action)

    def chance(self, s: State, out: Actions) -> None:
        for event in range(self.count[s.node]):
            out.append(event)

    def probability(self, s: State, event: int) -> float:
        return float(self.chances[self.first[s.node] + event])

    def result(self, s: State, action: int) -> State:
        return State(int(self.first[s.node]) + action)

    def is_terminal(self, s: State) -> bool:
        return bool(self.count[s.node] == 0)

    def utility(self, s: State, player: int) -> float:
        return float(self.payoffs[s.node, player])

    def information(self, s: State, player: int) -> int:
        return int(self.known[s.node, player])

    def resample(self, s: State, player: int, rng: Rng) -> State:
        """One of the nodes that the player cannot tell from this one, uniformly."""
        chosen, found = s.node, 0
        for node in range(len(self.known)):
            if self.known[node, player] == self.known[s.node, player]:
                found += 1
                if rng.below(found) == 0:
                    chosen = node
        return State(chosen)

    # Notation: actions by their names, else 1, 2, ...; a position is the path from the root, such as "/2/1".

    def action_text(self, s: State, action: int) -> str:
        return self._nodes[s.node].names[action]

    def player_name(self, player: int) -> str:
        if self.players == 2 and self.zero_sum and player >= 0:
            return ("Max", "Min")[player]
        return super().player_name(player)

    def position_text(self, s: State) -> str:
        return path_to(self._nodes, s.node)

    def parse_position(self, text: str) -> State:
        path = text.strip()
        if not path.startswith("/"):
            raise InvalidPosition(
                f'tree: write a position as the path from the root, such as "/2/1", not {path[:80]!r}'
            )
        s = self.initial()
        for word in path[1:].split("/") if path != "/" else []:
            try:
                s = self.result(s, self.parse_action(s, word))
            except CounterplayError as wrong:
                raise InvalidPosition(f"tree: at {self.position_text(s)}: {wrong}") from None
        return s

    # Pictures.

    def marked(self, s: State, viewer: int | None) -> set[int]:
        """The nodes where the game can be, as far as `viewer` knows."""
        if viewer is None or not self.has_labels:
            return {s.node}
        return set(np.flatnonzero(self.known[:, viewer] == self.known[s.node, viewer]).tolist())

    def leaf_text(self, node: int) -> str:
        """The text of a leaf: the value to Max, or each player's payoff."""
        values = self.payoffs[node][:1] if self.players == 2 and self.zero_sum else self.payoffs[node]
        return ", ".join(f"{value:g}" for value in values)

    def node_text(self, node: int) -> str:
        """A node in a word: the player to move, or the payoffs of a leaf."""
        return self.player_name(int(self.mover[node])) if self.count[node] else self.leaf_text(node)

    def board(self, s: State, viewer: int | None = None) -> str:
        marked = self.marked(s, viewer)
        if len(self._nodes) > MOST_LISTED:
            nodes_told = "one of several nodes" if len(marked) > 1 else self.position_text(s)
            return f"{len(self._nodes)} nodes\n{nodes_told}: {self.node_text(s.node)}"
        rows, waiting = [], [(0, "", "")]
        while waiting:
            node, lead, indent = waiting.pop()
            mark = " <" if node in marked and len(marked) == 1 else " ?" if node in marked else ""
            rows.append(f"{lead}{self.node_text(node)}{mark}")
            for i in reversed(range(self.count[node])):
                last = i == self.count[node] - 1
                child, name = int(self.first[node]) + i, self._nodes[node].names[i]
                odds = f" ({self.chances[child]:g})" if self.mover[node] == CHANCE else ""
                branch = "`- " if last else "|- "
                waiting.append((child, f"{indent}{branch}{name}{odds}: ", indent + ("   " if last else "|  ")))
        return "\n".join(rows)

    def svg(self, s: State, viewer: int | None = None) -> str:
        if len(self._nodes) > MOST_DRAWN:
            return text_card(f"{len(self._nodes)} nodes, too many to draw\n{self.board(s, viewer)}")
        return Drawing(self).picture(self.marked(s, viewer))


class DescribedNode(NamedTuple):
    """A part of a description, read."""

    parent: int
    step: int  # its index among the parent's children
    mover: int | None = None  # None: the player whose turn it is
    children: tuple[Any, ...] = ()
    names: tuple[str, ...] = ()  # of the actions or events
    chances: tuple[float, ...] = ()  # of the events of a chance node
    payoffs: tuple[float, ...] = ()  # of a leaf
    information: str | int | None = None


def grow(data: Any) -> list[DescribedNode]:
    """The nodes of a tree, parents before children and siblings side by side."""
    nodes: list[DescribedNode] = []
    waiting = deque([(data, DescribedNode(0, 0))])
    while waiting:
        part, blank = waiting.popleft()
        try:
            nodes.append(read_node(part, blank, "tree"))
        except CounterplayError:
            read_node(part, blank, f"tree, at {path_to([*nodes, blank], len(nodes))}")  # again, with the location
        here = len(nodes) - 1
        waiting.extend((child, DescribedNode(here, step)) for step, child in enumerate(nodes[here].children))
    return nodes


def path_to(nodes: list[DescribedNode], node: int) -> str:
    """The path from the root to a node, such as /2/left."""
    path = ""
    while node:
        path = f"/{nodes[nodes[node].parent].names[nodes[node].step]}{path}"
        node = nodes[node].parent
    return path or "/"


def read_node(part: Any, blank: DescribedNode, game: str) -> DescribedNode:
    """A number, a list or an object of a description."""
    if isinstance(part, list):
        if not part:
            fail(game, "an empty list is not a node; a leaf is a number")
        return blank._replace(children=tuple(part), names=numbered(len(part)))
    if not isinstance(part, dict):
        value = finite(part, "a leaf", game)
        return blank._replace(payoffs=(value, 0.0 - value))
    kind = next((key for key in ("payoffs", "chance", "actions") if key in part), None)
    if kind is None:
        fail(game, 'an object must have "payoffs", "chance" or "actions"')
    for key in part:
        if key != kind and not (kind == "actions" and key in ("player", "information")):
            fail(game, f'{key!r} does not belong to an object with "{kind}"')
    if kind == "payoffs":
        values = part[kind] if isinstance(part[kind], list) and part[kind] else fail(game, '"payoffs" must be a list')
        return blank._replace(payoffs=tuple(finite(value, "a payoff", game) for value in values))
    children, names = read_children(part[kind], kind, game)
    if kind == "chance":
        return read_events(children, names, blank, game)
    mover, information = part.get("player"), part.get("information")
    if mover is not None and (type(mover) is not int or not 0 <= mover < MOST_PLAYERS):
        fail(game, f'"player" must be 0 for the first player, 1 for the second and so on, not {mover!r}')
    if not (information is None or type(information) in (str, int)):
        fail(game, '"information" must be a word')
    return blank._replace(mover=mover, children=children, names=names, information=information)


def read_children(part: Any, kind: str, game: str) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    """The children of a node and their names, from a list or an object."""
    if not isinstance(part, (list, dict)) or not part:
        fail(game, f'"{kind}" must be a list or an object with what follows')
    if isinstance(part, list):
        return tuple(part), numbered(len(part))
    return tuple(part.values()), action_names(list(part), game)


def read_events(pairs: tuple[Any, ...], names: tuple[str, ...], blank: DescribedNode, game: str) -> DescribedNode:
    """A chance node from pairs of a probability and a child."""
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        fail(game, 'each event of "chance" must be a pair of its probability and what follows')
    chances = tuple(read_probability(pair[0], game) for pair in pairs)
    if abs(sum(chances) - 1) > 1e-9:
        fail(game, f"the probabilities add up to {sum(chances):g} instead of 1")
    return blank._replace(mover=CHANCE, children=tuple(pair[1] for pair in pairs), names=names, chances=chances)


def read_probability(value: Any, game: str) -> float:
    """A number above 0, or a fraction such as "1/3"."""
    if isinstance(value, str):
        try:
            value = float(Fraction(value))
        except (ValueError, ZeroDivisionError, OverflowError):
            fail(game, f'a probability is a number or a fraction such as "1/3", not {value!r}')
    number = finite(value, "a probability", game)
    if not 0 < number <= 1:
        fail(game, f"a probability must be above 0 and at most 1, not {number:g}")
    return number


def count_players(nodes: list[DescribedNode]) -> int:
    """The number of players that the leaves are for; all leaves must agree, and so must the movers."""
    sizes = {len(node.payoffs): i for i, node in enumerate(nodes) if not node.children}
    if len(sizes) > 1:
        (a, here), (b, there), *_ = sizes.items()
        nodes_told = f"{path_to(nodes, here)} is for {a} and {path_to(nodes, there)} for {b}"
        fail("tree", f"all leaves must be for the same number of players (a number is for 2), but {nodes_told}")
    players = next(iter(sizes))
    if players > MOST_PLAYERS:
        fail("tree", f"at most {MOST_PLAYERS} can play, not {players}")
    for i, node in enumerate(nodes):
        if node.mover is not None and node.mover >= players:
            fail("tree", f"at {path_to(nodes, i)}: there is no player {node.mover} among {players} (they count from 0)")
    return players
