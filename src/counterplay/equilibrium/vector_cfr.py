"""Counterfactual regret minimization over a public tree: for all hands of a player at once (Johanson and others 2011).

The walk goes down with the two players' reaches, a number for each hand, and returns what each hand of one player
earns. At a decision, the regrets and the sums of the average are rows over hands. The variants are those of `cfr`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.language.kernel import kernel
from counterplay.core.language.workspace import Array, Workspace, f32, f64, i64
from counterplay.equilibrium.cfr import FOREVER, NEVER, Fading
from counterplay.equilibrium.public_leaves import Scratch, pay
from counterplay.equilibrium.public_tree import PublicTree
from counterplay.equilibrium.public_unrolling import FOLD, TURN

LEARN, EVALUATE, RESPOND = range(3)
"""A walk's purpose: regrets; what the average strategies earn; the best response to the other's average."""
WHOLE, DOWN, UP = range(3)
"""The phase of a walk: all of it; to the parts of the tree, which receive their reaches; or back from them."""
NOBODY = -1


class VectorRegrets(Workspace):
    """What both players have learned: a row over hands for each action of each public node."""

    above: f64
    below: f64
    average: f64
    predictive: f64
    iterations: i64 = 0
    regrets: Array[f32, "rows", "hands"]
    sums: Array[f32, "rows", "hands"]
    last: Array[f32, "last_rows", "hands"]  # the regrets of the last iteration alone, if they predict the next ones

    def __init__(self, tree: PublicTree, fading: Fading) -> None:
        self.above, self.below, self.average, self.predictive = fading
        shape = (tree.rows, tree.hands)
        self.regrets, self.sums = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        self.last = np.zeros(shape if fading.predictive else (1, tree.hands), np.float32)

    def kept(self, power: float) -> float:
        """The fraction of the regrets that is left after this iteration."""
        if power == FOREVER:
            return 1.0
        if power == NEVER:
            return 0.0
        weight = float(self.iterations) ** power
        return weight / (weight + 1.0)


class PublicEvaluation(NamedTuple):
    """What the average strategies are worth, exactly."""

    values: tuple[float, float]
    responses: tuple[float, float]  # what each player's best response would earn

    @property
    def nash_conv(self) -> float:
        """The total gain if both players switched to a best response."""
        return max(0.0, self.responses[0] + self.responses[1])

    @property
    def exploitability(self) -> float:
        """The same per player."""
        return self.nash_conv / 2


class TreeWalks:
    """Iterations and evaluations over a tree; subclasses define how its parts, if any, are walked."""

    is_divided = True

    def __init__(self, tree: PublicTree, learned: VectorRegrets) -> None:
        self.tree, self.learned, self.top = tree, learned, Scratch(tree)

    def walk_all_parts(self, player: int, purpose: int) -> None:
        """Walk through all parts, each from the reaches that the top left for it, and store what its hands earn."""
        raise NotImplementedError

    def iterate(self, iterations: int) -> None:
        """Run more iterations; the players take turns within each."""
        if iterations == 0:
            self.walk(0, EVALUATE)  # compiles
        for _ in range(iterations):
            self.learned.iterations += 1
            for player in range(2):
                self.walk(player, LEARN)

    def walk(self, player: int, purpose: int) -> float:
        """What all hands of `player` earn together."""
        top = self.top
        top.own[0], top.other[0] = self.tree.ranges[player], self.tree.ranges[1 - player]
        if self.is_divided:
            top.phase = DOWN
            walk(self.tree, self.learned, top, 0, player, purpose)
            self.walk_all_parts(player, purpose)
            top.phase = UP
        walk(self.tree, self.learned, top, 0, player, purpose)
        top.phase = WHOLE
        return float(top.own[0] @ top.worth[0])

    def evaluate(self) -> PublicEvaluation:
        """What the average strategies earn, and what they would lose to a best response."""
        value = self.walk(0, EVALUATE) / self.tree.total
        responses = [self.walk(player, RESPOND) / self.tree.total for player in range(2)]
        return PublicEvaluation((value, -value), (responses[0], responses[1]))


class PublicWalker(TreeWalks):
    """Walks through a tree, in several threads if it has several parts."""

    def __init__(self, tree: PublicTree, learned: VectorRegrets, threads: int = 1) -> None:
        super().__init__(tree, learned)
        parts = np.flatnonzero(tree.part >= 0)
        self.shares = shared_out(tree, parts, min(threads, len(parts)))
        self.scratches = [Scratch(tree, self.top) for _ in self.shares]
        self.is_divided = len(self.shares) > 1
        self.pool = ThreadPoolExecutor(max(1, len(self.shares)))  # starts no thread before it is needed

    def walk_all_parts(self, player: int, purpose: int) -> None:
        done = [
            self.pool.submit(walk_parts, self.tree, self.learned, scratch, share, player, purpose)
            for share, scratch in zip(self.shares, self.scratches, strict=True)
        ]
        for each in done:
            each.result()


def shared_out(tree: PublicTree, parts: np.ndarray, threads: int) -> list[np.ndarray]:
    """The parts' first nodes, shared out so that all threads have about equally many nodes to walk."""
    if threads < 2:
        return []
    ends = np.append(np.sort(parts)[1:], tree.nodes)
    sizes = dict(zip(np.sort(parts).tolist(), (ends - np.sort(parts)).tolist(), strict=True))
    shares: list[list[int]] = [[] for _ in range(threads)]
    loads = [0] * threads
    for part in sorted(sizes, key=lambda part: -sizes[part]):
        least = loads.index(min(loads))
        shares[least].append(part)
        loads[least] += sizes[part]
    return [np.array(share, np.int64) for share in shares]


@kernel
def walk(tree: PublicTree, learned: VectorRegrets, scratch: Scratch, node: int, player: int, purpose: int) -> None:
    """Write what each hand of `player` earns from `node` on, by the reaches in `scratch` at depth 0."""
    visit(tree, learned, scratch, node, player, purpose, 0)


@kernel
def learn_together(
    tree: PublicTree, learned: VectorRegrets, scratch: Scratch, first: Any, second: Any, iterations: int
) -> None:
    """A number of iterations of both players from given reaches; they take turns within each."""
    for _ in range(iterations):
        learned.iterations += 1
        for player in range(2):
            begin(tree, scratch, first, second, player)
            visit(tree, learned, scratch, 0, player, LEARN, 0)


@kernel
def swing(
    tree: PublicTree, learned: VectorRegrets, scratch: Scratch, first: Any, second: Any, up: int, down: int, turn: int
) -> None:
    """The work between two valuations of a frontier: back with the values of player `up`, then down again for player
    `down` in iteration `turn`, from given reaches; either may be NOBODY."""
    if up != NOBODY:
        scratch.phase = UP
        begin(tree, scratch, first, second, up)
        visit(tree, learned, scratch, 0, up, LEARN, 0)
    if down != NOBODY:
        learned.iterations = turn
        scratch.phase = DOWN
        begin(tree, scratch, first, second, down)
        visit(tree, learned, scratch, 0, down, LEARN, 0)
    scratch.phase = WHOLE


@kernel
def walk_parts(
    tree: PublicTree, learned: VectorRegrets, scratch: Scratch, nodes: Any, player: int, purpose: int
) -> None:
    """Walk through some parts, each from the reaches left for it."""
    for i in range(len(nodes)):
        part = tree.part[nodes[i]]
        for h in range(tree.hands):
            scratch.own[0, h] = scratch.part_own[part, h]
            scratch.other[0, h] = scratch.part_other[part, h]
        visit(tree, learned, scratch, nodes[i], player, purpose, 0)
        for h in range(tree.hands):
            scratch.part_worth[part, h] = scratch.worth[0, h]


# What kernels call.


def begin(tree: PublicTree, scratch: Scratch, first: Any, second: Any, player: int) -> None:
    """The reaches of both players at the first node, for a walk of one of them."""
    for h in range(tree.hands):
        scratch.own[0, h] = first[h] if player == 0 else second[h]
        scratch.other[0, h] = second[h] if player == 0 else first[h]


@kernel
def visit(
    tree: PublicTree, learned: VectorRegrets, scratch: Scratch, node: int, player: int, purpose: int, depth: int
) -> None:
    """Write what each hand of `player` earns from `node` on against the opponent's reach."""
    kind = tree.kind[node]
    if scratch.phase != WHOLE and tree.part[node] >= 0:
        pass_on(tree, scratch, tree.part[node], depth)
        return
    if kind >= FOLD:
        pay(tree, scratch, node, kind, player, depth)
        return
    if kind != TURN and not (kind == player and purpose == RESPOND):
        mix(tree, learned, scratch, node, purpose == LEARN, depth)
    for h in range(tree.hands):
        scratch.worth[depth, h] = 0.0
    for a in range(tree.width[node]):
        link = tree.start[node] + a
        if kind == TURN:
            turn(tree, scratch, link, depth)
        elif kind == player:
            act(tree, learned, scratch, tree.row[node] + a, a, purpose, depth)
        else:
            face(tree, scratch, a, depth)
        visit(tree, learned, scratch, tree.child[link], player, purpose, depth + 1)
        if kind == TURN:
            add_cards(tree, scratch, link, depth)
        elif kind == player:
            add_own(tree, scratch, a, purpose, depth)
        else:
            for h in range(tree.hands):
                scratch.worth[depth, h] += scratch.worth[depth + 1, h]
    if kind == player and purpose == LEARN and scratch.phase != DOWN:
        regret(tree, learned, scratch, tree.row[node], tree.width[node], depth)


def pass_on(tree: PublicTree, scratch: Scratch, part: int, depth: int) -> None:
    """Store a part's reaches, or fetch what it earns."""
    for h in range(tree.hands):
        if scratch.phase == DOWN:
            scratch.part_own[part, h] = scratch.own[depth, h]
            scratch.part_other[part, h] = scratch.other[depth, h]
        scratch.worth[depth, h] = scratch.part_worth[part, h]


def mix(tree: PublicTree, learned: VectorRegrets, scratch: Scratch, node: int, learning: bool, depth: int) -> None:
    """Write the strategy at a decision: by the positive regrets, or the average; uniform if all are 0."""
    row, count = tree.row[node], tree.width[node]
    for h in range(tree.hands):
        scratch.total[depth, h] = 0.0
    for a in range(count):
        for h in range(tree.hands):
            part = float(learned.sums[row + a, h])
            if learning:
                part = float(learned.regrets[row + a, h])
                if learned.predictive != 0.0:
                    part += learned.predictive * float(learned.last[row + a, h])
            part = max(part, 0.0)
            scratch.strategy[depth, a, h] = part
            scratch.total[depth, h] += part
    for a in range(count):
        for h in range(tree.hands):
            total = scratch.total[depth, h]
            scratch.strategy[depth, a, h] = scratch.strategy[depth, a, h] / total if total > 0 else 1.0 / count


def face(tree: PublicTree, scratch: Scratch, a: int, depth: int) -> None:
    """The opponent takes an action, as often as their strategy says."""
    for h in range(tree.hands):
        scratch.own[depth + 1, h] = scratch.own[depth, h]
        scratch.other[depth + 1, h] = scratch.other[depth, h] * scratch.strategy[depth, a, h]


def act(tree: PublicTree, learned: VectorRegrets, scratch: Scratch, row: int, a: int, purpose: int, depth: int) -> None:
    """The player takes an action; a walk for regrets adds it to the average."""
    for h in range(tree.hands):
        scratch.other[depth + 1, h] = scratch.other[depth, h]
    if purpose == LEARN:
        weight = float(learned.iterations) ** learned.average
        for h in range(tree.hands):
            reach = scratch.own[depth, h] * scratch.strategy[depth, a, h]
            scratch.own[depth + 1, h] = reach
            if scratch.phase != DOWN:
                learned.sums[row, h] += weight * reach


def add_own(tree: PublicTree, scratch: Scratch, a: int, purpose: int, depth: int) -> None:
    """Add what an own action earns, weighted by its share; for a best response, keep the better."""
    if purpose == RESPOND:
        for h in range(tree.hands):
            gain = scratch.worth[depth + 1, h]
            scratch.worth[depth, h] = gain if a == 0 else max(scratch.worth[depth, h], gain)
        return
    for h in range(tree.hands):
        gain = scratch.worth[depth + 1, h]
        scratch.worth[depth, h] += gain * scratch.strategy[depth, a, h]
        scratch.strategy[depth, a, h] = gain  # the share is no longer needed; regrets need what the action earns


def regret(tree: PublicTree, learned: VectorRegrets, scratch: Scratch, row: int, count: int, depth: int) -> None:
    """Add how much each action beats the mixture."""
    above, below = learned.kept(learned.above), learned.kept(learned.below)
    for a in range(count):
        for h in range(tree.hands):
            more = scratch.strategy[depth, a, h] - scratch.worth[depth, h]
            if abs(more) < tree.noise:
                more = 0.0  # hands that differ in the names of suits alone must not diverge by rounding
            total = float(learned.regrets[row + a, h]) + more
            learned.regrets[row + a, h] = total * (above if total > 0 else below)
            if learned.predictive != 0.0:
                learned.last[row + a, h] = more


def turn(tree: PublicTree, scratch: Scratch, link: int, depth: int) -> None:
    """Turn a public card over: nobody holds it."""
    for h in range(tree.hands):
        scratch.own[depth + 1, h] = scratch.own[depth, h]
        scratch.other[depth + 1, h] = scratch.other[depth, h] * tree.chance[link]
    card = tree.card[link]
    if card >= 0:
        for i in range(tree.holding):
            h = tree.holders[card, i]
            if h >= 0:
                scratch.own[depth + 1, h] = 0.0
                scratch.other[depth + 1, h] = 0.0


def add_cards(tree: PublicTree, scratch: Scratch, link: int, depth: int) -> None:
    """Add what a card earns and, under other names, what the cards that it represents earn."""
    card = tree.card[link]
    if card >= 0:
        for i in range(tree.holding):
            h = tree.holders[card, i]
            if h >= 0:
                scratch.worth[depth + 1, h] = 0.0
    for i in range(tree.names[link], tree.names[link + 1]):
        g = tree.renaming[i]
        for h in range(tree.hands):
            scratch.worth[depth, h] += scratch.worth[depth + 1, tree.renamed[g, h]]
