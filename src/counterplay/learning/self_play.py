"""Many games at once, each with its own tree, all waiting for one call of a network.

`advance` takes the network's answers and lets every game continue until it needs another: it simulates, plays, records,
and begins again. So every batch is full. The search is that of `montecarlo`: the trees lie in one `SimulationTree`, a
block of its slots each, and every game has a lane of the simulator. Ends of games never leave the kernel, and this
network's earlier answers are cached. A game that takes too long is ended, and counts as even.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import ActionStack
from counterplay.core.language.bits import signed
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import Rng
from counterplay.core.language.workspace import Array, Workspace, f32, i8, i64
from counterplay.core.playout import most_events
from counterplay.core.rules import has_ended, payoff, pick_evenly
from counterplay.core.types import State
from counterplay.learning.exact_labels import ExactSearch, settle
from counterplay.learning.noise import draw_dirichlet
from counterplay.montecarlo.gumbel import Halving, decide
from counterplay.montecarlo.options import GUMBEL
from counterplay.montecarlo.pending import descend, receive
from counterplay.montecarlo.policy_search import USUAL
from counterplay.montecarlo.simulator import OPEN, Simulator
from counterplay.montecarlo.tree import SimulationTree

NONE = -1
MOST_KNOWN = 16
"""The maximum number of actions without a question to the network: in a small game, all answers may be cached."""
NOISE = 0.25
"""The share of noise in the root's priors (PUCT)."""


class SelfPlay(Workspace):
    """The games and their trees: `slots` games at once, `simulations` per action."""

    slots: i64
    simulations: i64
    opening: i64  # a game begins with up to this many random actions
    warm: i64  # after this many actions, choices are no longer drawn at random (PUCT)
    learning: bool  # games are learned from: actions are noisy, and games that end begin again
    nodes: i64  # slots of the tree for each game
    longest: i64
    room: i64  # capacity in positions of games that have ended
    memory: i64  # capacity in cached answers
    records: i64  # capacity in positions of games in progress
    rows: i64  # and of games that have ended: `room`, when learning

    games: i64  # that ended
    positions: i64  # in which an action was chosen
    written: i64  # positions of games that ended
    hits: i64  # answers from the cache,
    questions: i64  # and from the network
    drawn: i64  # games without a winner
    settled: i64  # positions whose true value is known

    tree: SimulationTree
    simulator: Simulator
    history: Array[i64, "slots", "longest"]  # the actions and events so far
    length: Array[i64, "slots"]
    used: Array[i64, "slots"]  # nodes of the game's tree
    done: Array[i64, "slots"]  # simulations of this action; NONE: the root has no children yet
    waits: Array[i8, "slots"]
    asked: Array[i64, "slots"]  # the key of the position that the game waits for
    index: Array[i64, "slots", "actions"]  # the policy indices of that position's actions
    target: Array[f32, "actions"]  # a position's policy target

    # The positions of games in progress, and those of games that have ended.
    own_planes: Array[f32, "records", "cells"]
    own_target: Array[f32, "records", "actions"]
    own_worth: Array[f32, "records"]
    own_mover: Array[i8, "records"]
    own_count: Array[i64, "slots"]
    out_planes: Array[f32, "rows", "cells"]
    out_target: Array[f32, "rows", "actions"]
    out_worth: Array[f32, "rows"]
    out_result: Array[f32, "rows"]
    known: Array[i64, "memory"]
    known_logits: Array[f32, "memory", "actions"]
    known_values: Array[f32, "memory"]

    def __init__(
        self, game: Game, slots: int, simulations: int, *, gumbel: bool = True, learning: bool = True, longest: int = 512,
        room: int = 8192, memory: int = 1, opening: int = 0, warm: int = 16,
    ) -> None:  # fmt: skip
        self.actions, self.cells = game.policy_size, int(np.prod(game.plane_shape))
        self.slots, self.simulations, self.opening, self.warm = slots, simulations, opening, warm
        self.learning, self.longest, self.room, self.memory = learning, longest, room, memory
        self.nodes = nodes = (simulations + 2) * (self.actions + 2 * most_events(game)) + 2
        self.tree = SimulationTree(game, nodes=slots * nodes, priors=True, logits=gumbel)
        self.tree.used[0] = slots * nodes
        # Proofs are left to `exact`: the network is to learn what is likely.
        options = replace(USUAL, select="gumbel" if gumbel else "puct", solver=False, length=longest)
        halving = Halving(simulations, games=slots, actions=self.actions if gumbel and learning else 0)
        self.simulator = Simulator(game, options, lanes=slots, halving=halving)
        self.done = np.full(slots, NONE, np.int64)
        self.records, self.rows = (slots * longest, room) if learning else (1, 1)

    def forget(self) -> None:
        """Drop all cached answers: the network has changed."""
        self.known[:] = 0

    def count_anew(self) -> None:
        """Reset all counts."""
        self.games = self.positions = self.written = self.hits = self.questions = self.drawn = self.settled = 0

    def drain(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The positions of games that have ended since the last call: planes, policy, search values, results."""
        n = min(self.written, self.room)
        self.written = 0
        kept = self.out_planes[:n], self.out_target[:n], self.out_worth[:n], self.out_result[:n]
        return kept[0].copy(), kept[1].copy(), kept[2].copy(), kept[3].copy()

    # What kernels call.

    def enter(self, slot: int) -> None:
        """Search the tree of a slot from now on."""
        simulator = self.simulator
        simulator.lane = slot
        simulator.halving.game = slot
        simulator.root = slot * self.nodes
        simulator.free = slot * self.nodes + self.used[slot]
        simulator.end = (slot + 1) * self.nodes
        simulator.base = self.length[slot]

    def clear(self, slot: int) -> None:
        """A tree with only a root."""
        self.tree.plant(slot * self.nodes)
        self.simulator.halving.restart(slot)
        self.used[slot] = 1
        self.done[slot] = NONE
        self.waits[slot] = 0


@kernel
def begin(game: Game, play: SelfPlay, rng: Rng, out: ActionStack) -> None:
    """Put every slot at the start of its search; when learning, every game starts over."""
    for slot in range(play.slots):
        if play.learning:
            open_game(game, play, slot, rng, out)
        play.clear(slot)


def open_game(game: Game, play: SelfPlay, slot: int, rng: Rng, out: ActionStack) -> None:
    """A new game, after some random actions, few more often than many, and fewer if it ends before; it begins where a
    player is to move."""
    simulator = play.simulator
    simulator.base = 0
    play.own_count[slot] = 0
    most = min(play.opening, play.longest // 2) + 1
    wanted = min(rng.below(most), rng.below(most))
    while True:
        s, n = game.initial(), 0
        simulator.note(game, s, 0)
        while (n < wanted or game.to_move(s) == CHANCE) and not has_ended(game, s, simulator.path, n):
            action = pick_evenly(game, s, simulator.path, n, out, rng)
            if action < 0:
                break
            play.history[slot, n] = action
            s, n = game.result(s, action), n + 1
            simulator.note(game, s, n)
        if not has_ended(game, s, simulator.path, n):
            play.length[slot] = n
            return
        wanted //= 2


def replay(game: Game, play: SelfPlay, slot: int) -> Any:
    """The state of a slot's game; the path has the keys of all positions up to it."""
    play.simulator.base = 0
    s = game.initial()
    play.simulator.note(game, s, 0)
    for n in range(play.length[slot]):
        s = game.result(s, int(play.history[slot, n]))
        play.simulator.note(game, s, n + 1)
    return s


@kernel
def advance(
    game: Game,
    play: SelfPlay,
    logits: np.ndarray,
    values: np.ndarray,
    planes: np.ndarray,
    rng: Rng,
    out: ActionStack,
    truth: ExactSearch | None = None,
) -> int:
    """Take the answers, and continue to the next questions, in `planes`; returns how many slots have one. When not
    learning, a slot has none once its simulations are done; if all answers are cached, it has none for now. With
    `truth`, an exact search settles what it can of finished games."""
    waiting = 0
    for slot in range(play.slots):
        if play.waits[slot]:
            play.enter(slot)
            take_answer(play, slot, logits, slot, values[slot], rng)
            play.waits[slot] = 0
            remember(play, slot, logits, values[slot])
        root, acted = replay(game, play, slot), 0
        while acted < MOST_KNOWN:
            if play.done[slot] >= play.simulations:
                if not play.learning:
                    break
                root, acted = act(game, play, slot, root, rng, out, truth), acted + 1
            if ask(game, play, slot, root, planes, rng, out):
                play.waits[slot] = 1
                play.questions += 1
                waiting += 1
                break
    return waiting


def ask(game: Game, play: SelfPlay, slot: int, root: State, planes: np.ndarray, rng: Rng, out: ActionStack) -> bool:
    """One simulation down to its leaf; returns whether the network must evaluate it. Otherwise the simulation is done."""
    play.enter(slot)
    start = len(out)
    s, reason = descend(game, root, play.tree, play.simulator, rng, out)
    play.used[slot] = play.simulator.free - play.simulator.root
    if reason != OPEN:
        play.done[slot] += 1
        return False
    for i in range(len(out) - start):
        play.index[slot, i] = game.policy_index(s, out[start + i])
    out.truncate(start)
    key = signed(game.key(s))
    if play.memory > 1:
        at = (key & 0x7FFFFFFFFFFFFFFF) % play.memory
        if play.known[at] == key:
            play.hits += 1
            take_answer(play, slot, play.known_logits, at, play.known_values[at], rng)
            return False
    play.asked[slot] = key
    seen = planes[slot]
    seen[:] = 0
    game.planes(s, seen)
    return True


def take_answer(play: SelfPlay, slot: int, logits: np.ndarray, row: int, value: float, rng: Rng) -> None:
    """Use the network's answer for the leaf of a slot: its actions' priors, and its value, which is backed up."""
    tree, simulator = play.tree, play.simulator
    node = simulator.trail[slot, simulator.reached[slot]]
    first, number = simulator.block[slot], simulator.number[slot]
    if first >= 0:
        write_priors(play, slot, logits, row)
        if node == simulator.root and play.learning:
            if simulator.select == GUMBEL:
                simulator.halving.draw(slot, number, rng)
            else:
                draw_dirichlet(play.target, number, 10.0 / play.actions, rng)
                for i in range(number):
                    tree.prior[first + i] += np.float32(NOISE) * (play.target[i] - tree.prior[first + i])
    simulator.value[0] = value if tree.mover[node] == 0 else -value
    receive(tree, simulator)
    play.done[slot] += 1


def write_priors(play: SelfPlay, slot: int, logits: np.ndarray, row: int) -> None:
    """Priors from logits, the softmax; and the logits so that the best is 0."""
    tree, simulator = play.tree, play.simulator
    first, number = simulator.block[slot], simulator.number[slot]
    most, total = logits[row, play.index[slot, 0]], np.float32(0)
    for i in range(1, number):
        most = max(most, logits[row, play.index[slot, i]])
    for i in range(number):
        logit = logits[row, play.index[slot, i]] - most
        if simulator.select == GUMBEL:
            tree.logit[first + i] = logit
        tree.prior[first + i] = np.exp(logit)
        total += tree.prior[first + i]
    for i in range(number):
        tree.prior[first + i] /= total


def remember(play: SelfPlay, slot: int, logits: np.ndarray, value: float) -> None:
    """Cache an answer for as long as this network plays."""
    if play.memory > 1:
        at = (play.asked[slot] & 0x7FFFFFFFFFFFFFFF) % play.memory
        play.known[at] = play.asked[slot]
        play.known_values[at] = value
        for a in range(play.actions):
            play.known_logits[at, a] = logits[slot, a]


def choose(play: SelfPlay, slot: int, rng: Rng) -> tuple[int, float]:
    """The child of the root to play, and the position's value to its mover; writes the policy target to `target`."""
    play.enter(slot)
    tree, root = play.tree, play.simulator.root
    mover, first, number = tree.mover[root], tree.first[root], tree.count[root]
    worth = tree.average(root, mover)
    if play.simulator.select == GUMBEL:
        chosen = decide(tree, play.simulator, root)
        for i in range(number):
            play.target[i] = tree.share[first + i]
        if tree.visits[chosen] > 0:
            worth = tree.average(chosen, mover)
        return chosen, worth
    visits, best, chosen = 0, np.float32(-1), first
    for k in range(first, first + number):
        visits += tree.visits[k]
    for i in range(number):
        play.target[i] = np.float32(tree.visits[first + i]) / np.float32(max(visits, 1))
        hope = play.target[i] + np.float32(1e-3) * tree.prior[first + i]
        if hope > best:
            best, chosen = hope, first + i
    if play.learning and play.length[slot] < play.warm:
        u = rng.uniform()
        for i in range(number):
            u -= play.target[i]
            if u < 0.0:
                chosen = first + i
                break
    return chosen, worth


def act(game: Game, play: SelfPlay, slot: int, s: State, rng: Rng, out: ActionStack, truth: ExactSearch | None) -> Any:
    """The simulations are done: record the position, play, and start a new game if this one has ended."""
    child, worth = choose(play, slot, rng)
    write_down(game, play, slot, s, worth, rng)
    s = step_on(game, play, slot, s, int(play.tree.action[child]))
    play.positions += 1
    most, path = play.longest - 2, play.simulator.path
    while game.to_move(s) == CHANCE and play.length[slot] < most and not has_ended(game, s, path, play.length[slot]):
        s = step_on(game, play, slot, s, pick_evenly(game, s, path, play.length[slot], out, rng))
    over = has_ended(game, s, path, play.length[slot])
    if over or play.length[slot] >= most:
        hand_over(game, play, slot, s, over, out, truth)
        open_game(game, play, slot, rng, out)
        s = replay(game, play, slot)
    play.clear(slot)
    return s


def step_on(game: Game, play: SelfPlay, slot: int, s: State, action: int) -> Any:
    """The state after an action, which becomes history."""
    n = play.length[slot]
    play.history[slot, n] = action
    play.length[slot] = n + 1
    after = game.result(s, action)
    play.simulator.base = 0
    play.simulator.note(game, after, n + 1)
    return after


def write_down(game: Game, play: SelfPlay, slot: int, s: State, worth: float, rng: Rng) -> None:
    """Record a position and the search's results, in one of its symmetric forms."""
    tree, root = play.tree, play.simulator.root
    at = slot * play.longest + play.own_count[slot]
    form = rng.below(game.symmetries) if game.symmetries > 1 else 0
    seen, image = np.zeros(game.plane_shape, np.float32), game.symmetric(s, form)
    game.planes(image, seen)
    flat = seen.ravel()
    for i in range(play.cells):
        play.own_planes[at, i] = flat[i]
    for a in range(play.actions):
        play.own_target[at, a] = 0.0
    for i in range(tree.count[root]):
        index = game.policy_index(image, game.symmetric_action(int(tree.action[tree.first[root] + i]), form))
        play.own_target[at, index] += play.target[i]
    play.own_worth[at] = worth
    play.own_mover[at] = tree.mover[root]
    play.own_count[slot] += 1


def hand_over(
    game: Game, play: SelfPlay, slot: int, s: State, over: bool, out: ActionStack, truth: ExactSearch | None
) -> None:
    """Release the positions of a game that is `over`, or was ended because it took too long."""
    number, base = play.own_count[slot], slot * play.longest
    result = play.simulator.normal(payoff(game, s, 0)) if over else 0.0  # to player 0
    settled = number
    if truth is not None:
        settled = settle(game, play, slot, truth)
        if settled < number:
            result = play.own_worth[base + settled] * (1 - 2 * play.own_mover[base + settled])
    for n in range(number):
        at, to = base + n, play.written % play.room
        for i in range(play.cells):
            play.out_planes[to, i] = play.own_planes[at, i]
        for a in range(play.actions):
            play.out_target[to, a] = play.own_target[at, a]
        play.out_worth[to] = play.own_worth[at]
        play.out_result[to] = play.own_worth[at] if n >= settled else result * (1 - 2 * play.own_mover[at])
        play.written += 1
    play.games += 1
    play.settled += number - settled
    if not over or payoff(game, s, 0) == payoff(game, s, 1):
        play.drawn += 1
