"""Many games at once, each with a tree of its own, all of which wait for one call of a network.

`advance` takes the network's answers, and lets every game go on until it needs another: it expands, backs up, selects,
plays, writes down, begins anew. So every batch is full. Values are summed in view of player 0, from -1 to 1; ends of a game
never leave the kernel, and what this network was asked before is remembered. Where chance moves, its events are drawn. A
game that takes too long is ended, and counts as even.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.core.game import CHANCE, Game
from counterplay.core.language.bits import signed
from counterplay.core.language.kernel import kernel
from counterplay.core.language.workspace import Workspace
from counterplay.core.playout import most_events
from counterplay.core.rules import has_ended, list_options, payoff, pick_evenly
from counterplay.learning.exact_labels import settle
from counterplay.learning.gumbel import (
    CELLS,
    GUMBEL,
    LEARNING,
    LONGEST,
    MEMORY,
    NODES,
    OPENING,
    ROOM,
    SIMULATIONS,
    SIZE,
    SLOTS,
    choose,
    draw_noise,
    pick_gumbel,
    pick_puct,
    schedule,
    shares_of,
)

NONE = -1
UNEXPANDED = -1
GAMES, POSITIONS, WRITTEN, HITS, ASKED, DRAWN, SETTLED = range(7)
"""Places in `counts`: games that ended; actions chosen; positions written down; answers remembered; asked for; draws;
positions whose true worth is known."""
MOST_KNOWN = 16
"""So many actions are taken without a question to the network, at most: of a small game, all may be known."""
MOST_DEEP = 512
"""The deepest that a tree grows."""


class Forest(Workspace):
    """The games and their trees. `slots` games; `simulations` for an action."""

    def __init__(
        self, game: Game, slots: int, simulations: int, *, gumbel: bool = True, learning: bool = True, longest: int = 512,
        room: int = 8192, memory: int = 1, considered: int = 16, opening: int = 0, warm: int = 16,
    ) -> None:  # fmt: skip
        size, cells = game.policy_size, int(np.prod(game.plane_shape))
        nodes = (simulations + 2) * (size + 2 * most_events(game)) + 2
        self.settings = np.array(
            [
                simulations,
                considered,
                opening,
                warm,
                gumbel,
                learning,
                slots,
                size,
                cells,
                nodes,
                longest,
                room,
                memory,
            ],
            np.int64,
        )
        self.numbers = np.array([1.5, 50.0, 0.3, 0.25, 10.0 / size])  # c, visits, scale, noise, its sharpness
        low, high = game.utility_bounds
        self.scale = np.array([(low + high) / 2, (high - low) / 2])
        every = slots * nodes
        self.history = np.zeros(slots * longest, np.int64)  # [slots, longest] the actions and events so far
        self.length = np.zeros(slots, np.int64)
        self.first = np.full(every, UNEXPANDED, np.int32)  # [slots, nodes] the first child
        self.count = np.zeros(every, np.int32)
        self.action = np.zeros(every, np.int64)
        self.index = np.zeros(every, np.int32)  # of the action in the policy
        self.mover = np.zeros(every, np.int8)
        self.visits = np.zeros(every, np.int32)
        self.total = np.zeros(every, np.float32)
        self.logit = np.zeros(every, np.float32)
        self.prior = np.zeros(every, np.float32)
        self.worth = np.zeros(every, np.float32)  # the network's value, to the mover
        self.used = np.ones(slots, np.int64)
        self.done = np.full(slots, NONE, np.int64)  # simulations of this action; NONE: the root has no children yet
        self.trail = np.zeros(slots * MOST_DEEP, np.int32)
        self.depth = np.zeros(slots, np.int64)
        self.waits = np.zeros(slots, np.int8)
        self.asked = np.zeros(slots, np.int64)  # the key of the position that a slot waits for
        self.noise = np.zeros(slots * size, np.float32)
        self.target = np.zeros(size, np.float32)
        self.plan = schedule(min(size, considered), simulations).ravel()  # [considered, simulations] sequential halving
        self.path = np.zeros(longest + MOST_DEEP + 2, np.int64)
        self.counts = np.zeros(7, np.int64)
        # The positions of games in progress, and those of games that have ended.
        own = slots * longest if learning else 1
        self.own_planes = np.zeros(own * cells if learning else 1, np.float32)
        self.own_target = np.zeros(own * size if learning else 1, np.float32)
        self.own_worth = np.zeros(own, np.float32)
        self.own_mover = np.zeros(own, np.int8)
        self.own_count = np.zeros(slots, np.int64)
        self.out_planes = np.zeros(room * cells if learning else 1, np.float32)
        self.out_target = np.zeros(room * size if learning else 1, np.float32)
        self.out_worth = np.zeros(room if learning else 1, np.float32)
        self.out_result = np.zeros(room if learning else 1, np.float32)
        self.known = np.zeros(memory, np.int64)
        self.known_logits = np.zeros(memory * size if memory > 1 else 1, np.float32)
        self.known_values = np.zeros(memory, np.float32)

    def forget(self) -> None:
        """The network has changed: nothing that it said counts any more."""
        self.known[:] = 0

    def drain(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The positions of games that have ended, since the last time: planes, policy, what search thought, the result."""
        room = int(self.settings[ROOM])
        n = min(int(self.counts[WRITTEN]), room)
        self.counts[WRITTEN] = 0
        return (
            self.out_planes.reshape(room, -1)[:n].copy(),
            self.out_target.reshape(room, -1)[:n].copy(),
            self.out_worth[:n].copy(),
            self.out_result[:n].copy(),
        )

    # What kernels call.

    def place(self, slot: int, node: int) -> int:
        """Where a node of a slot has its numbers."""
        return slot * self.settings[NODES] + node

    def normal(self, value: float) -> float:
        """A value of the game from -1 to 1."""
        return (value - self.scale[0]) / self.scale[1]

    def clear(self, slot: int) -> None:
        """A tree with only a root."""
        root = self.place(slot, 0)
        self.first[root] = UNEXPANDED
        self.visits[root] = 0
        self.total[root] = 0.0
        self.used[slot] = 1
        self.done[slot] = NONE
        self.waits[slot] = 0


@kernel
def begin(game: Any, forest: Any, rng: Any, out: Any) -> None:
    """Every slot at the start of its search; where games are learned from, each begins anew."""
    for slot in range(forest.settings[SLOTS]):
        if forest.settings[LEARNING]:
            open_game(game, forest, slot, rng, out)
        forest.clear(slot)


def open_game(game: Any, forest: Any, slot: int, rng: Any, out: Any) -> None:
    """A new game, after some actions at random, few more often than many, and fewer where it ends before; it begins where a
    player is to move."""
    forest.own_count[slot] = 0
    most = min(forest.settings[OPENING], forest.settings[LONGEST] // 2) + 1
    wanted = min(rng.below(most), rng.below(most))
    while True:
        s, n = game.initial(), 0
        forest.path[0] = signed(game.repetition_key(s))
        while (n < wanted or game.to_move(s) == CHANCE) and not has_ended(game, s, forest.path, n):
            action = pick_evenly(game, s, forest.path, n, out, rng)
            if action < 0:
                break
            forest.history[slot * forest.settings[LONGEST] + n] = action
            s, n = game.result(s, action), n + 1
            forest.path[n] = signed(game.repetition_key(s))
        if not has_ended(game, s, forest.path, n):
            forest.length[slot] = n
            return
        wanted //= 2


def replay(game: Any, forest: Any, slot: int) -> Any:
    """The state of a slot's game; the path has the keys of all positions up to it."""
    s = game.initial()
    forest.path[0] = signed(game.repetition_key(s))
    for n in range(forest.length[slot]):
        s = game.result(s, forest.history[slot * forest.settings[LONGEST] + n])
        forest.path[n + 1] = signed(game.repetition_key(s))
    return s


@kernel
def advance(
    game: Any, forest: Any, logits: Any, values: Any, planes: Any, rng: Any, out: Any, truth: Any = None
) -> int:
    """Take the answers, and go on to the next questions, in `planes`: how many slots have one. Where nothing is learned, a
    slot has none once its simulations are done; where all is known already, it has none for now. With `truth`, an exact
    search settles what it can of games that are over."""
    waiting = 0
    for slot in range(forest.settings[SLOTS]):
        if forest.waits[slot]:
            take_answer(game, forest, slot, logits, slot * forest.settings[SIZE], values[slot], rng)
            forest.waits[slot] = 0
            remember(forest, slot, logits, values[slot])
        root, acted = replay(game, forest, slot), 0
        while acted < MOST_KNOWN:
            if forest.done[slot] >= forest.settings[SIMULATIONS]:
                if not forest.settings[LEARNING]:
                    break
                root, acted = act(game, forest, slot, root, rng, out, truth), acted + 1
            if ask(game, forest, slot, root, planes, rng, out):
                forest.waits[slot] = 1
                forest.counts[ASKED] += 1
                waiting += 1
                break
    return waiting


def ask(game: Any, forest: Any, slot: int, root: Any, planes: Any, rng: Any, out: Any) -> bool:
    """One simulation down to its leaf: whether the network must be asked about it; otherwise it is done."""
    s, node, depth, base = root, 0, 0, forest.length[slot]
    trail = slot * MOST_DEEP
    forest.trail[trail] = 0
    while True:
        k = forest.place(slot, node)
        if forest.first[k] == UNEXPANDED:
            ended = has_ended(game, s, forest.path, base + depth)
            if ended or not expand(game, forest, slot, node, s, base + depth, depth, out):
                back_up(forest, slot, depth, forest.normal(payoff(game, s, 0)) if ended else 0.0)
                return False
            if forest.mover[k] != CHANCE:
                break
        node = descend(game, forest, slot, node, s, rng)
        s = game.result(s, forest.action[forest.place(slot, node)])
        depth += 1
        forest.trail[trail + depth] = node
        forest.path[base + depth] = signed(game.repetition_key(s))
    forest.depth[slot] = depth
    key = signed(game.key(s))
    if forest.settings[MEMORY] > 1:
        at = (key & 0x7FFFFFFFFFFFFFFF) % forest.settings[MEMORY]
        if forest.known[at] == key:
            forest.counts[HITS] += 1
            take_answer(
                game, forest, slot, forest.known_logits, at * forest.settings[SIZE], forest.known_values[at], rng
            )
            return False
    forest.asked[slot] = key
    seen = planes[slot]
    seen[:] = 0
    game.planes(s, seen)
    return True


def descend(game: Any, forest: Any, slot: int, node: int, s: Any, rng: Any) -> int:
    """The child to go on with."""
    k = forest.place(slot, node)
    if forest.mover[k] == CHANCE:
        u, first = rng.uniform(), forest.first[k]
        for child in range(first, first + forest.count[k] - 1):
            u -= game.probability(s, forest.action[forest.place(slot, child)])
            if u < 0.0:
                return child
        return first + forest.count[k] - 1
    if forest.settings[GUMBEL]:
        return pick_gumbel(forest, slot, node)
    return pick_puct(forest, slot, node)


def expand(game: Any, forest: Any, slot: int, node: int, s: Any, ply: int, depth: int, out: Any) -> bool:
    """Give a leaf its children: whether there are any, and room for them. (Where every action would repeat a position, or a
    tree has no room, a simulation counts as even.)"""
    start = len(out)
    list_options(game, s, forest.path, ply, out)
    number, k, first = len(out) - start, forest.place(slot, node), forest.used[slot]
    mover = game.to_move(s)
    if number == 0 or first + number > forest.settings[NODES] or depth >= MOST_DEEP - 2:
        out.truncate(start)
        return False
    for i in range(number):
        child = forest.place(slot, first + i)
        forest.action[child] = out[start + i]
        if mover != CHANCE:
            forest.index[child] = game.policy_index(s, out[start + i])
        forest.first[child] = UNEXPANDED
        forest.visits[child] = 0
        forest.total[child] = 0.0
    out.truncate(start)
    forest.first[k], forest.count[k], forest.mover[k] = first, number, mover
    forest.used[slot] = first + number
    return True


def take_answer(game: Any, forest: Any, slot: int, logits: Any, row: int, value: float, rng: Any) -> None:
    """The network's answer to the leaf of a slot: its actions' priors, and its value, which is backed up."""
    depth = forest.depth[slot]
    node = forest.trail[slot * MOST_DEEP + depth]
    k = forest.place(slot, node)
    first, number = forest.place(slot, forest.first[k]), forest.count[k]
    for child in range(first, first + number):
        forest.logit[child] = logits[row + forest.index[child]]
    shares_of(forest, first, number)
    forest.worth[k] = value
    if node == 0 and forest.settings[LEARNING]:
        draw_noise(forest, slot, number, rng)
    back_up(forest, slot, depth, value if forest.mover[k] == 0 else -value)


def back_up(forest: Any, slot: int, depth: int, value: float) -> None:
    """Add the value of a leaf, to player 0, to all nodes on its trail."""
    for d in range(depth + 1):
        k = forest.place(slot, forest.trail[slot * MOST_DEEP + d])
        forest.visits[k] += 1
        forest.total[k] += value
    forest.done[slot] += 1


def remember(forest: Any, slot: int, logits: Any, value: float) -> None:
    """Keep an answer, for as long as this network answers."""
    if forest.settings[MEMORY] > 1:
        at = (forest.asked[slot] & 0x7FFFFFFFFFFFFFFF) % forest.settings[MEMORY]
        forest.known[at] = forest.asked[slot]
        forest.known_values[at] = value
        for a in range(forest.settings[SIZE]):
            forest.known_logits[at * forest.settings[SIZE] + a] = logits[slot * forest.settings[SIZE] + a]


def act(game: Any, forest: Any, slot: int, s: Any, rng: Any, out: Any, truth: Any) -> Any:
    """The simulations are done: write the position down, play, and where the game ends begin another."""
    child, worth = choose(forest, slot, rng)
    write_down(game, forest, slot, s, worth, rng)
    s = play(game, forest, slot, s, forest.action[forest.place(slot, child)])
    forest.counts[POSITIONS] += 1
    most = forest.settings[LONGEST] - 2
    while (
        game.to_move(s) == CHANCE
        and forest.length[slot] < most
        and not has_ended(game, s, forest.path, forest.length[slot])
    ):
        s = play(game, forest, slot, s, pick_evenly(game, s, forest.path, forest.length[slot], out, rng))
    over = has_ended(game, s, forest.path, forest.length[slot])
    if over or forest.length[slot] >= most:
        hand_over(game, forest, slot, s, over, out, truth)
        open_game(game, forest, slot, rng, out)
        s = replay(game, forest, slot)
    forest.clear(slot)
    return s


def play(game: Any, forest: Any, slot: int, s: Any, action: int) -> Any:
    """The state after an action, which becomes history."""
    n = forest.length[slot]
    forest.history[slot * forest.settings[LONGEST] + n] = action
    forest.length[slot] = n + 1
    after = game.result(s, action)
    forest.path[n + 1] = signed(game.repetition_key(after))
    return after


def write_down(game: Any, forest: Any, slot: int, s: Any, worth: float, rng: Any) -> None:
    """Note a position and what search made of it, in one of its symmetric forms."""
    n = forest.own_count[slot]
    at = slot * forest.settings[LONGEST] + n
    form = rng.below(game.symmetries) if game.symmetries > 1 else 0
    seen, image = np.zeros(game.plane_shape, np.float32), game.symmetric(s, form)
    game.planes(image, seen)
    flat = seen.ravel()
    for i in range(forest.settings[CELLS]):
        forest.own_planes[at * forest.settings[CELLS] + i] = flat[i]
    k = forest.place(slot, 0)
    for a in range(forest.settings[SIZE]):
        forest.own_target[at * forest.settings[SIZE] + a] = 0.0
    first = forest.place(slot, forest.first[k])
    for i in range(forest.count[k]):
        index = game.policy_index(image, game.symmetric_action(forest.action[first + i], form))
        forest.own_target[at * forest.settings[SIZE] + index] += forest.target[i]
    forest.own_worth[at], forest.own_mover[at] = worth, forest.mover[k]
    forest.own_count[slot] = n + 1


def hand_over(game: Any, forest: Any, slot: int, s: Any, over: bool, out: Any, truth: Any) -> None:
    """A game is `over`, or ended because it took too long: its positions are there to be learned from."""
    number, base = forest.own_count[slot], slot * forest.settings[LONGEST]
    result = forest.normal(payoff(game, s, 0)) if over else 0.0  # to player 0
    settled = number
    if truth is not None:
        settled = settle(game, forest, slot, truth, out)
        if settled < number:
            result = forest.own_worth[base + settled] * (1 - 2 * forest.own_mover[base + settled])
    for n in range(number):
        at, to = base + n, forest.counts[WRITTEN] % forest.settings[ROOM]
        for i in range(forest.settings[CELLS]):
            forest.out_planes[to * forest.settings[CELLS] + i] = forest.own_planes[at * forest.settings[CELLS] + i]
        for a in range(forest.settings[SIZE]):
            forest.out_target[to * forest.settings[SIZE] + a] = forest.own_target[at * forest.settings[SIZE] + a]
        forest.out_worth[to] = forest.own_worth[at]
        forest.out_result[to] = forest.own_worth[at] if n >= settled else result * (1 - 2 * forest.own_mover[at])
        forest.counts[WRITTEN] += 1
    forest.counts[GAMES] += 1
    forest.counts[SETTLED] += number - settled
    if not over or payoff(game, s, 0) == payoff(game, s, 1):
        forest.counts[DRAWN] += 1
