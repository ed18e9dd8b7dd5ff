"""PUCT with a policy from outside, such as a network, asked about many leaves of many trees at once (Silver et al. 2017).

    def policy(states, actions):
        return priors, values

`actions[i]` are the legal actions of `states[i]`; `priors[i]` has a number for each of them, `values[i]` is what the
player to move there may expect, in the game's units (where a game has more than two players or is not zero-sum: what each
player may expect). A tree sends several leaves into one batch: simulations that wait for an answer count as lost meanwhile
(virtual loss), so that the next ones go elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import action_stack
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import Rng
from counterplay.core.rules import is_over, list_options
from counterplay.montecarlo.backup import add, back_up, owe
from counterplay.montecarlo.expansion import claim, publish
from counterplay.montecarlo.findings import Findings
from counterplay.montecarlo.options import Options
from counterplay.montecarlo.pruning import prune
from counterplay.montecarlo.search import require_simulations
from counterplay.montecarlo.simulation import walk
from counterplay.montecarlo.simulator import BUSY, OPEN, PLY, REASON, SIMULATION, Simulator
from counterplay.montecarlo.tree import ESTIMATES, FULL, ROOT, TICKETS, UNEXPANDED, Tree
from counterplay.montecarlo.valuation import mix_in
from counterplay.search.chance.expectiminimax import require_open
from counterplay.search.decision import Decision, Report

Policy = Callable[[list[Any], list[list[int]]], tuple[Sequence[Any], Sequence[Any]]]

EVERY = 0.25
"""Seconds between two reports."""
USUAL = Options(select="puct", c=1.25, fpu=-0.2, mix=1.0)
"""With a `mix` below 1, a leaf is worth what the policy says and what a playout gives (AlphaGo: Silver et al. 2016)."""


class Asked(NamedTuple):
    """A leaf that waits for the policy's answer."""

    board: Board
    memory: Simulator
    state: Any
    actions: list[int]


class Board:
    """One tree of many: a position, and what is on its way there."""

    def __init__(
        self, game: Game, s: Any, before: Sequence[int], options: Options, megabytes: float, leaves: int, seed: int
    ) -> None:
        self.game, self.state = game, s
        self.tree = Tree(game, megabytes, priors=True, estimates=options.estimates)
        self.memories = [Simulator(game, options, before) for _ in range(leaves)]
        self.rng, self.out = Rng(seed), action_stack(game)
        self.done = 0

    def gather(self, simulations: int) -> list[Asked]:
        """Simulate until every memory waits for an answer, or all is done that may be."""
        asked: list[Asked] = []
        free = list(self.memories)
        while free and self.done < simulations and not self.tree.is_known(ROOT):
            memory = free[-1]
            s, reason = descend(self.game, self.state, self.tree, memory, self.rng, self.out)
            if reason == BUSY:
                break  # every way leads to a leaf that waits already
            self.done += 1
            if reason == OPEN:
                asked.append(Asked(self, free.pop(), s, list(self.out)))
                self.out.truncate(0)
        return asked

    def found(self, seconds: float = 0.0) -> Decision:
        """What is known by now."""
        self.tree.counters[TICKETS] = self.done
        return Findings(self.game, self.state, [self.tree], self.memories).decision("visits", seconds)


def search_by_policy(
    game: Game,
    positions: Sequence[Any],
    policy: Policy,
    *,
    simulations: int,
    seconds: float | None = None,
    batch: int = 64,
    leaves: int = 8,
    options: Options = USUAL,
    megabytes: float = 16,
    seed: int = 0,
    before: Sequence[Sequence[int]] | None = None,
    report: Report | None = None,
) -> list[Decision]:
    """A decision for each of `positions`, by `simulations` in each, or by as many as `seconds` allow.

    The policy is asked about `batch` leaves at a time, of one position at most `leaves`; `megabytes` bound each tree;
    `before` are, for each position, the repetition keys of those before it; `report` hears now and then of the best so far
    in the first one.
    """
    require_open("puct", game)
    require_simulations(simulations, seconds)
    started = told = time.perf_counter()
    deadline = None if seconds is None else started + seconds
    if batch < 1 or leaves < 1:
        raise CounterplayError(f"batch={batch}, leaves={leaves}: at least 1 leaf is asked about at a time")
    pasts = before or [()] * len(positions)
    for s, past in zip(positions, pasts, strict=True):
        if is_over(game, s, past) or game.to_move(s) == CHANCE:
            raise CounterplayError("there is nothing to search where the game is over or chance moves")
    boards = [
        Board(game, s, past, options, megabytes, leaves, seed + i)
        for i, (s, past) in enumerate(zip(positions, pasts, strict=True))
    ]
    active = list(boards)
    while active and (deadline is None or time.perf_counter() < deadline):
        waiting: list[Asked] = []
        for board in active:
            if len(waiting) >= batch:
                break
            waiting += board.gather(simulations)
        answer(policy, waiting)
        for board in boards:
            if board.tree.counters[FULL]:
                prune(board.tree)
        still = [board for board in active if board.done < simulations and not board.tree.is_known(ROOT)]
        asked = {id(each.board) for each in waiting}
        active = [b for b in still if id(b) not in asked] + [b for b in still if id(b) in asked]  # all get their turn
        if report and (now := time.perf_counter()) - told > EVERY and boards[0].done > 1:
            report(boards[0].found(now - started))
            told = now
    return [board.found() for board in boards]


def answer(policy: Policy, waiting: list[Asked]) -> None:
    """Ask the policy about all that wait, and tell the trees."""
    if not waiting:
        return
    priors, values = policy([each.state for each in waiting], [each.actions for each in waiting])
    if len(priors) != len(waiting) or len(values) != len(waiting):
        raise CounterplayError(
            f"the policy was asked about {len(waiting)} states and answered with {len(priors)} lists of priors and "
            f"{len(values)} values"
        )
    for each, prior, value in zip(waiting, priors, values, strict=True):
        board, memory = each.board, each.memory
        weights = np.asarray(prior, np.float64)
        if weights.shape != (len(each.actions),) or not (weights >= 0).all() or not weights.sum() > 0:
            raise CounterplayError(
                f"the policy must give a prior of 0 or more for each of the {len(each.actions)} actions, not {prior!r}"
            )
        view(board, memory, each.state, value)
        receive(board.game, each.state, board.tree, memory, weights / weights.sum(), board.rng, board.out)


def view(board: Board, memory: Simulator, s: Any, value: Any) -> None:
    """Write the policy's value, which is for the side to move, to `memory.value`."""
    numbers = [float(value)] if np.ndim(value) == 0 else [float(each) for each in value]
    if len(numbers) != memory.value.size or not all(map(isfinite, numbers)):
        raise CounterplayError(f"the policy must give {memory.width} numbers as the value of a state, not {value!r}")
    sign = -1.0 if memory.scalar and board.game.to_move(s) == 1 else 1.0
    for i, number in enumerate(numbers):
        memory.value[i] = sign * memory.normal(number)


@kernel
def descend(game: Any, root: Any, tree: Any, memory: Any, rng: Any, out: Any) -> tuple[Any, int]:
    """Go down to a leaf: its state, and what it is. The actions of one that is open are appended to `out`; one that is not
    is backed up, or, where it waits for an answer, left as if nobody had come."""
    memory.limits[SIMULATION] += 1
    memory.note(game, root, 0)
    s, ply = walk(game, root, ROOT, 0, tree, memory, rng, out)
    memory.limits[PLY] = ply
    reason = memory.limits[REASON]
    if reason == OPEN:
        if claim(tree, memory, memory.trail[ply], 0) < 0:
            reason = BUSY
    if reason == BUSY:
        for d in range(ply + 1):
            add(tree.visits, memory, memory.trail[d], -1)
            owe(tree, memory, d, -1.0)
    elif reason == OPEN:
        list_options(game, s, memory.path, memory.at(ply), out)
    else:
        back_up(game, tree, memory, ply, 0)
    return s, reason


@kernel
def receive(game: Any, s: Any, tree: Any, memory: Any, priors: Any, rng: Any, out: Any) -> None:
    """The answer to a leaf: its actions with their priors, and its value."""
    ply = memory.limits[PLY]
    node = memory.trail[ply]
    start = len(out)
    list_options(game, s, memory.path, memory.at(ply), out)
    number = len(out) - start
    tree.first[node] = UNEXPANDED
    first = claim(tree, memory, node, number)
    if first >= 0:
        for i in range(number):
            tree.begin(first + i, out[start + i])
            tree.prior[first + i] = priors[i]
            if tree.flags[ESTIMATES]:
                memory.judge(game, game.result(s, out[start + i]), tree.estimate, first + i)
        publish(tree, node, game.to_move(s), first, number)
    out.truncate(start)
    mix_in(game, s, ply, memory, rng, out)
    back_up(game, tree, memory, ply, 0)
