"""Search with an external policy, such as a network, asked about many leaves of many trees at once: PUCT (Silver et al.
2017) or Gumbel's rule (Danihelka et al. 2022).

    def policy(states, actions):
        return priors, values

`actions[i]` are the legal actions of `states[i]`; `priors[i]` has a number for each of them, `values[i]` is what the
player to move there can expect, in the game's units (if a game has more than two players or is not zero-sum: what each
player can expect). A tree sends several leaves into one batch: with PUCT, simulations that wait for an answer count as
lost meanwhile (virtual loss), so that the next ones go elsewhere; Gumbel's rule uses visits, which count at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, NamedTuple, cast

import numpy as np

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import Rng
from counterplay.core.rules import is_over
from counterplay.core.types import State
from counterplay.montecarlo import pending
from counterplay.montecarlo.findings import Findings
from counterplay.montecarlo.gumbel import Halving
from counterplay.montecarlo.options import SimulationOptions
from counterplay.montecarlo.pruning import prune
from counterplay.montecarlo.search import UNLIMITED, require_simulations
from counterplay.montecarlo.simulator import BUSY, OPEN, Simulator
from counterplay.montecarlo.tree import ROOT, SimulationTree, vector_width
from counterplay.search.chance.expectiminimax import require_open
from counterplay.search.decision import Decision, Report

Policy = Callable[[list[Any], list[list[int]]], tuple[Sequence[Any], Sequence[Any]]]

EVERY = 0.25
"""Seconds between two reports."""
USUAL = SimulationOptions(select="puct", c=1.25, fpu=-0.2, mix=1.0)
PLAIN = SimulationOptions(select="shortlist", mix=1.0)
"""With a `mix` below 1, a leaf's value combines the policy's and that of a playout (AlphaGo: Silver et al. 2016)."""


class PendingLeaf(NamedTuple):
    """A leaf that waits for the policy's answer."""

    board: PolicyTree
    lane: int
    state: State
    actions: list[int]


class PolicyTree:
    """One tree of many: a position, and the leaves waiting in its tree. `simulations` is 0 if only time ends the
    search."""

    def __init__(
        self, game: Game, s: State, before: Sequence[int], options: SimulationOptions, megabytes: float, leaves: int,
        seed: int, simulations: int,
    ) -> None:  # fmt: skip
        self.game, self.state, self.leaves = game, s, leaves
        gumbel = options.select == "gumbel"
        self.final = "gumbel" if gumbel else "visits"
        self.tree = SimulationTree(game, megabytes, priors=True, logits=gumbel, estimates=options.estimates)
        self.simulator = Simulator(
            game,
            options,
            before,
            lanes=leaves,
            borrows=leaves > 1,
            halving=Halving(max(simulations - 1, 0)),  # the first one evaluates the root
        )
        self.simulator.halving.restart(0)
        self.rng, self.out = Rng(seed), cast(ActionStack, action_stack(game))
        self.done = 0

    def gather(self, simulations: int) -> list[PendingLeaf]:
        """Simulate until every lane waits for an answer, or all allowed simulations are done."""
        asked: list[PendingLeaf] = []
        while len(asked) < self.leaves and self.done < simulations and not self.tree.is_known(ROOT):
            lane = len(asked)
            s, reason = descend(self.game, self.state, lane, self.tree, self.simulator, self.rng, self.out)
            if reason == BUSY:
                break  # every path leads to a leaf that is already waiting
            self.done += 1
            if reason == OPEN:
                asked.append(PendingLeaf(self, lane, s, list(self.out)))
                self.out.truncate(0)
        return asked

    def found(self, seconds: float = 0.0) -> Decision:
        """What has been found so far."""
        self.tree.tickets[0] = self.done
        return Findings(self.game, self.state, [self.tree], [self.simulator]).decision(self.final, seconds)


def search_by_policy(
    game: Game,
    positions: Sequence[Any],
    policy: Policy,
    *,
    simulations: int | None = None,
    seconds: float | None = None,
    batch: int = 64,
    leaves: int = 8,
    options: SimulationOptions = USUAL,
    megabytes: float = 16,
    seed: int = 0,
    before: Sequence[Sequence[int]] | None = None,
    report: Report | None = None,
) -> list[Decision]:
    """A decision for each of `positions`, by `simulations` in each, or by as many as `seconds` allow. `options` give
    the rule: PUCT, unless they say gumbel.

    The policy is asked about `batch` leaves at a time, at most `leaves` of one position; `megabytes` bound each tree;
    `before` are, for each position, the repetition keys of those before it; `report` receives now and then the best so
    far in the first position."""
    require_suitable_rule(game, options)
    require_simulations(simulations, seconds)
    if simulations is None and seconds is None:
        raise CounterplayError("a search by a policy needs an end: simulations, or seconds")
    most = simulations or UNLIMITED
    if batch < 1 or leaves < 1:
        raise CounterplayError(f"batch={batch}, leaves={leaves}: at least 1 leaf is asked about at a time")
    pasts = before or [()] * len(positions)
    for s, past in zip(positions, pasts, strict=True):
        if is_over(game, s, past) or game.to_move(s) == CHANCE:
            raise CounterplayError("there is nothing to search if the game is over or chance moves")
    boards = [
        PolicyTree(game, s, past, options, megabytes, leaves, seed + i, simulations or 0)
        for i, (s, past) in enumerate(zip(positions, pasts, strict=True))
    ]
    if seconds is not None and boards:
        one = PolicyTree(game, positions[0], pasts[0], options, min(megabytes, 1), leaves, seed, simulations or 0)
        answer(policy, one.gather(1))  # compiled, or loaded, before the clock starts
    started = told = time.perf_counter()
    deadline = None if seconds is None else started + seconds
    active = list(boards)
    while active and (deadline is None or time.perf_counter() < deadline):
        waiting: list[PendingLeaf] = []
        for board in active:
            if len(waiting) >= batch:
                break
            waiting += board.gather(most)
        answer(policy, waiting)
        for board in boards:
            if board.tree.full:
                prune(board.tree)
        still = [board for board in active if board.done < most and not board.tree.is_known(ROOT)]
        asked = {id(each.board) for each in waiting}
        active = [b for b in still if id(b) not in asked] + [b for b in still if id(b) in asked]  # all get a turn
        if report and (now := time.perf_counter()) - told > EVERY and boards[0].done > 1:
            report(boards[0].found(now - started))
            told = now
    passed = time.perf_counter() - started
    return [board.found(passed) for board in boards]


def answer(policy: Policy, waiting: list[PendingLeaf]) -> None:
    """Evaluate all waiting leaves with the policy, and update the trees."""
    if not waiting:
        return
    priors, values = policy([each.state for each in waiting], [each.actions for each in waiting])
    if len(priors) != len(waiting) or len(values) != len(waiting):
        raise CounterplayError(
            f"the policy was asked about {len(waiting)} states and answered with {len(priors)} lists of priors and "
            f"{len(values)} values"
        )
    for each, prior, value in zip(waiting, priors, values, strict=True):
        weights = np.asarray(prior, np.float64)
        if weights.shape != (len(each.actions),) or not (weights >= 0).all() or not weights.sum() > 0:
            raise CounterplayError(
                f"the policy must give a prior of 0 or more for each of the {len(each.actions)} actions, not {prior!r}"
            )
        view(each.board, each.state, value)
        receive(each.lane, each.board.tree, each.board.simulator, weights / weights.sum())


def view(board: PolicyTree, s: State, value: Any) -> None:
    """Write the policy's value, which is for the side to move, to `simulator.value`."""
    simulator = board.simulator
    numbers = [float(value)] if np.ndim(value) == 0 else [float(each) for each in value]
    if len(numbers) != simulator.value.size or not all(map(isfinite, numbers)):
        raise CounterplayError(f"the policy must give {simulator.width} numbers as the value of a state, not {value!r}")
    sign = -1.0 if simulator.scalar and board.game.to_move(s) == 1 else 1.0
    for i, number in enumerate(numbers):
        simulator.value[i] = sign * simulator.normal(number)


def require_suitable_rule(game: Game, options: SimulationOptions) -> None:
    """Refuse games that do not suit the selection rule, and rules that ask no policy."""
    if not options.asks:
        raise CounterplayError(f"select={options.select} uses no policy: it must be puct, gumbel or shortlist")
    require_open(options.select, game)
    if options.select == "gumbel" and vector_width(game) > 1:
        raise Unsuitable(f"gumbel weighs the values of two opponents, and {game.spec} has others; puct plays it")


@kernel
def descend(
    game: Game, root: State, lane: int, tree: SimulationTree, simulator: Simulator, rng: Rng, out: ActionStack
) -> tuple[Any, int]:
    """Go down to a leaf in its own lane; returns its state and kind."""
    simulator.lane = lane
    return pending.descend(game, root, tree, simulator, rng, out)


@kernel
def receive(lane: int, tree: SimulationTree, simulator: Simulator, priors: np.ndarray) -> None:
    """Use the answer for the leaf in a lane, whose value is in `simulator.value`."""
    simulator.lane = lane
    pending.write_priors(tree, simulator, priors)
    pending.receive(tree, simulator)
