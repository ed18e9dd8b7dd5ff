"""Counterfactual regret minimization over a public tree too large for one machine: the nodes of a cluster hold its
parts.

The tree is cut after the first public card. The process that owns the file holds the trunk; what was learned about each
part stays in the memory of the node that walked it last, and continues from there. In each walk the trunk leaves the
players' reaches at the parts, all parts are walked at the same time, and what their hands earn comes back: the same
numbers as when one process walks the whole tree (vector_cfr.py), up to rounding.
"""

from __future__ import annotations

import tempfile
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.game import Game
from counterplay.equilibrium.cfr import VARIANTS
from counterplay.equilibrium.information_tree import InformationTree
from counterplay.equilibrium.public_leaves import Scratch
from counterplay.equilibrium.public_policy import PublicPolicy
from counterplay.equilibrium.public_tree import PublicBelief, PublicTree, dealt, frontier_states, public_tree
from counterplay.equilibrium.public_unrolling import FRONTIER, TO_THE_CARD, TURN
from counterplay.equilibrium.vector_cfr import LEARN, PublicEvaluation, TreeWalks, VectorRegrets, walk
from counterplay.scale.crew import WorkCrew
from counterplay.scale.job import GameParcel, Job, Staying, parcel

SPREAD = 4
"""Units for each core, so that none waits long for the last one."""
MEMORY = ("regrets", "sums", "last")
IN_MEMORY = 1 << 30
"""An array of up to this many bytes is assembled in memory, a larger one in a temporary file."""


class PartsShared(NamedTuple):
    """Data shared by all units."""

    game: GameParcel
    method: str


class PartsUnit(NamedTuple):
    """Some parts to be walked."""

    parts: tuple[int, ...]
    near: Any  # what was learned about them, where it is stored; None: nothing yet
    iteration: int
    player: int
    purpose: int
    own: np.ndarray  # [parts, hands] the player's reach
    other: np.ndarray  # [parts, hands] the opponent's


class Trunk:
    """The tree down to the first public card, and the public states after it."""

    def __init__(self, game: Game) -> None:
        if not any(int(game.hand_cards(hand)) for hand in range(game.private_hands)):
            raise Unsuitable(
                f"{game.spec}: its hands are not cards, so its tree cannot be divided: leave out --cluster"
            )
        self.game, self.tree = game, public_tree(game, reach=TO_THE_CARD)
        if not (self.tree.kind == FRONTIER).any():
            raise Unsuitable(f"{game.spec} has no public card to divide its tree at: leave out --cluster")
        self.states = frontier_states(game, self.tree, dealt(game, True)[0], None)

    def part(self, number: int) -> PublicTree:
        """The tree of a part."""
        return public_tree(self.game, root=PublicBelief(self.states[number], np.ones((2, self.game.private_hands))))


class PartsRoom:
    """A process that walks parts."""

    def __init__(self, trunk: Trunk, method: str) -> None:
        self.trunk, self.fading = trunk, VARIANTS[method]
        self._trees: dict[int, tuple[PublicTree, Scratch]] = {}

    def __call__(self, unit: PartsUnit) -> Staying:
        """Walk some parts: what hands earn there, and what is learned about them."""
        worth, left = np.zeros_like(unit.own), list[Any]()
        before = [None] * len(unit.parts) if unit.near is None else unit.near.get()
        for i, number in enumerate(unit.parts):
            if number not in self._trees:
                tree = self.trunk.part(number)
                self._trees[number] = tree, Scratch(tree)
            tree, scratch = self._trees[number]
            learned = VectorRegrets(tree, self.fading)
            for name, part in zip(MEMORY, before[i] or (), strict=False):
                getattr(learned, name)[:] = part
            learned.iterations = unit.iteration
            hands = tree.hand.astype(np.int64)
            scratch.own[0], scratch.other[0] = unit.own[i, hands], unit.other[i, hands]
            walk(tree, learned, scratch, 0, unit.player, unit.purpose)
            worth[i, hands] = scratch.worth[0]
            if unit.purpose == LEARN:
                left.append(tuple(getattr(learned, name) for name in MEMORY))
        return Staying(worth, left)


def open_parts(shared: PartsShared) -> PartsRoom:
    """The workshop of a process that walks parts."""
    return PartsRoom(Trunk(shared.game.open()), shared.method)


def parts_job(game: Game, spec: str, method: str) -> Job:
    """The walks through parts as a job."""
    shared = PartsShared(parcel(game, spec), method)
    return Job("the walks", "counterplay.equilibrium.partitioned_cfr:open_parts", shared, "part", stays=True)


class PartitionedLearner(TreeWalks):
    """A learner by regret minimization over a public tree whose parts a crew holds."""

    def __init__(self, game: Game, trunk: Trunk, method: str, crew: WorkCrew) -> None:
        super().__init__(trunk.tree, VectorRegrets(trunk.tree, VARIANTS[method]))
        self.game, self.trunk, self.method, self.crew = game, trunk, method, crew
        number = min(len(trunk.states), max(1, SPREAD * crew.size))
        self.groups = [tuple(range(k, len(trunk.states), number)) for k in range(number)]
        self.left: list[Any] = [None] * number  # handles on what was learned about each group

    @property
    def count(self) -> int:
        """Iterations so far."""
        return int(self.learned.iterations)

    def run(self, iterations: int) -> None:
        """Run more iterations."""
        self.iterate(iterations)

    def walk_all_parts(self, player: int, purpose: int) -> None:
        top = self.top
        units = [
            PartsUnit(group, left, self.count, player, purpose, top.part_own[list(group)], top.part_other[list(group)])
            for group, left in zip(self.groups, self.left, strict=True)
        ]
        answers = list(self.crew.map(units))
        if len(answers) < len(units):
            raise CounterplayError("the pass over the tree was stopped")
        for k, (worth, left) in enumerate(answers):
            top.part_worth[list(self.groups[k])] = worth
            if purpose == LEARN:
                self.left[k] = left

    def evaluation(self, tree: InformationTree | None = None) -> PublicEvaluation:
        """What the policy is worth, exactly."""
        return self.evaluate()

    # The file, as one process writes it.

    def policy(self) -> PublicPolicy:
        """What was learned, with everything needed to continue, assembled part by part."""
        whole = public_tree(self.game)
        found = {name: room((whole.rows, whole.hands)) for name in MEMORY}
        if not VARIANTS[self.method].predictive:
            found["last"] = np.zeros((1, whole.hands), np.float32)
        rows, parts_rows = self.places(whole)
        for name, array in found.items():
            if len(array) > 1:
                array[rows] = getattr(self.learned, name)
        for k, group in enumerate(self.groups):
            if self.left[k] is None:
                continue
            for number, parts in zip(group, self.left[k].get(), strict=True):
                hands, those = self.hands(number), parts_rows[number]
                for name, part in zip(MEMORY, parts, strict=True):
                    if len(found[name]) > 1:
                        found[name][those.start : those.stop, hands] = part
        memory = {name: found[name] for name in ("regrets", "last")}
        return PublicPolicy(self.game, whole, found["sums"], {}, memory)

    def restore(self, saved: PublicPolicy) -> None:
        """Continue from a saved policy."""
        parts = {"sums": saved.sums, **saved.memory}
        shape = (saved.tree.rows, saved.tree.hands)
        predictive = bool(VARIANTS[self.method].predictive)
        if any(parts[name].shape != shape for name in ("regrets", "sums")) or (predictive and len(parts["last"]) == 1):
            raise CounterplayError("the file does not hold what the training needs to continue; --fresh starts over")
        rows, parts_rows = self.places(saved.tree)
        for name in MEMORY:
            if len(parts[name]) > 1:
                getattr(self.learned, name)[:] = parts[name][rows]
        for k, group in enumerate(self.groups):
            self.left[k] = self.crew.share([self.cut(parts, number, parts_rows[number]) for number in group])
        self.learned.iterations = int(saved.about["iterations"])

    def cut(self, parts: dict[str, np.ndarray], number: int, rows: range) -> tuple[np.ndarray, ...]:
        """The saved policy's rows for a part."""
        hands = self.hands(number)
        blank = np.zeros((1, len(hands)), np.float32)
        return tuple(
            np.ascontiguousarray(parts[name][rows.start : rows.stop, hands]) if len(parts[name]) > 1 else blank
            for name in MEMORY
        )

    def hands(self, number: int) -> np.ndarray:
        """The hands that are possible in a part."""
        public = int(self.game.public_cards(self.trunk.states[number]))
        masks = [int(self.game.hand_cards(hand)) for hand in range(self.game.private_hands)]
        return np.array([hand for hand, mask in enumerate(masks) if not mask & public])

    def places(self, whole: PublicTree) -> tuple[np.ndarray, dict[int, range]]:
        """Which rows of the whole tree belong to the trunk, in its order, and which to each part."""
        trunk, rows, parts = self.tree, np.zeros(self.tree.rows, np.int64), dict[int, range]()
        ends = np.append(whole.row[1:], whole.rows)
        waiting = [(0, 0, whole.nodes)]  # a node of the trunk, the same node in the whole tree, and its end
        while waiting:
            node, same, end = waiting.pop()
            if trunk.kind[node] == FRONTIER:
                parts[int(trunk.part[node])] = range(int(whole.row[same]), int(ends[end - 1]))
                continue
            width = int(trunk.width[node])
            if width == 0:
                continue
            if trunk.kind[node] < TURN:
                rows[trunk.row[node] : trunk.row[node] + width] = whole.row[same] + np.arange(width)
            children = [int(whole.child[int(whole.start[same]) + i]) for i in range(width)]
            behind = dict(zip(sorted(children), [*sorted(children)[1:], end], strict=True))
            for i, child in enumerate(children):
                waiting.append((int(trunk.child[int(trunk.start[node]) + i]), child, behind[child]))
        return rows, parts


def room(shape: tuple[int, int]) -> np.ndarray:
    """Zeros, in memory or in a temporary file that is deleted with them."""
    if 4 * shape[0] * shape[1] <= IN_MEMORY:
        return np.zeros(shape, np.float32)
    with tempfile.TemporaryFile() as file:
        return np.memmap(file, np.float32, "w+", shape=shape)
