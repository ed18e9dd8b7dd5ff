"""Training towards an equilibrium until a goal is reached, with progress, evaluation, saving and resuming.

A learner runs iterations; a `PolicyTraining` runs it to its goal. The policy is evaluated at fixed iterations (1, 2, 3,
..., then in steps of an eighth), so that the same goal ends at the same iteration on every machine. A saved policy
holds everything that was learned, so that training that was killed continues as if it had not been.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.formats.saving import Saving
from counterplay.core.game import Game
from counterplay.equilibrium.cfr import VARIANTS, Regrets, iterate
from counterplay.equilibrium.information_tree import InformationTree, information_tree, require_secrets
from counterplay.equilibrium.mccfr import MEGABYTES, Learned, OutOfMemory, Sampler
from counterplay.equilibrium.plans import PolicyEvaluation, evaluate_policy, strategy_of
from counterplay.equilibrium.policy import Policy
from counterplay.equilibrium.public_policy import PublicPolicy
from counterplay.equilibrium.sampling_rounds import SamplingRounds
from counterplay.equilibrium.vector_cfr import PublicEvaluation

AnyPolicy = Policy | PublicPolicy
SAMPLING = {"mccfr": False, "mccfr-outcome": True}
METHODS = (*VARIANTS, *SAMPLING)
"""The methods that learn by iterations."""

BREATH = 0.1
"""Approximate seconds between two looks at the clock."""
SAVE_EVERY = 5.0
"""The minimum number of seconds between two saves of a policy."""


class Point(NamedTuple):
    """The state of training at one moment."""

    iterations: int
    seconds: float
    exploitability: float | None  # None if the tree is too large to tell
    values: tuple[float, ...] = ()


class Learner(Protocol):
    """What learns by iterations."""

    method: str

    @property
    def count(self) -> int:
        """Iterations so far."""

    def run(self, iterations: int) -> None:
        """Run more iterations."""

    def policy(self) -> AnyPolicy:
        """What was learned, with everything needed to continue."""

    def restore(self, saved: Any) -> None:
        """Continue from such a policy."""

    def evaluation(self, tree: InformationTree | None) -> PolicyEvaluation | PublicEvaluation | None:
        """What the policy is worth in the tree of the whole game; None if that is too large."""


class TreeLearner:
    """A learner by regret minimization over the whole tree."""

    def __init__(self, game: Game, tree: InformationTree, method: str) -> None:
        self.game, self.tree, self.method = game, tree, method
        self.regrets = Regrets(tree, VARIANTS[method])

    @property
    def count(self) -> int:
        return int(self.regrets.count)

    def run(self, iterations: int) -> None:
        iterate(self.tree, self.regrets, iterations)

    def evaluation(self, tree: InformationTree | None) -> PolicyEvaluation | None:
        return None if tree is None else evaluate_policy(tree, self.strategy(tree))

    def strategy(self, tree: InformationTree) -> np.ndarray:
        """The policy over a tree."""
        if tree is not self.tree:  # the learner's game is an abstraction of the tree's
            return self.policy().strategy(tree)[0]
        return strategy_of(tree, self.regrets.sums)

    def policy(self) -> Policy:
        made = Policy.on_tree(self.game, self.tree, self.strategy(self.tree))
        made.memory = {name: getattr(self.regrets, name).copy() for name in ("regrets", "sums", "last")}
        return made

    def restore(self, saved: Policy) -> None:
        parts = [saved.memory.get(name, np.zeros(0)) for name in ("regrets", "sums", "last")]
        if any(len(part) != self.tree.sequences for part in parts):
            raise damaged()
        self.regrets.restore(self.tree, int(saved.about["iterations"]), *parts)


class SamplingLearner:
    """A learner by sampling, for games of any size."""

    def __init__(
        self,
        game: Game,
        method: str,
        seed: int,
        megabytes: int = MEGABYTES,
        sampler: SamplingRounds | None = None,
    ) -> None:
        require_secrets(game)
        self.game, self.method, self.seed = game, method, seed
        self.sampler = sampler or Sampler(game, SAMPLING[method], seed, megabytes)

    @property
    def round(self) -> int:
        """Iterations in one go: with one sampler, any number."""
        return self.sampler.round if isinstance(self.sampler, SamplingRounds) else 0

    @property
    def count(self) -> int:
        return self.sampler.count

    def run(self, iterations: int) -> None:
        self.sampler.run(iterations)

    def evaluation(self, tree: InformationTree | None) -> PolicyEvaluation | None:
        return None if tree is None else evaluate_policy(tree, self.strategy(tree))

    def strategy(self, tree: InformationTree) -> np.ndarray:
        """The policy over a tree."""
        return self.policy().strategy(tree)[0]

    def policy(self) -> Policy:
        held = self.sampler.learned()
        counts = np.diff(held.start)
        totals = np.add.reduceat(held.sums, held.start[:-1]) if len(counts) else held.sums
        shares = held.sums / np.repeat(np.where(totals > 0, totals, 1.0), counts)
        shares[np.repeat(totals <= 0, counts)] = np.repeat(1.0 / counts[totals <= 0], counts[totals <= 0])
        memory = {
            "regrets": held.regrets,
            "sums": held.sums,
            "random": np.array([self.sampler.rng.word.value], np.uint64),
        }
        owner, keys = held.keys[:, 0].copy(), held.keys[:, 1:].copy()
        return Policy(self.game, owner, keys, held.start, held.actions, shares, {}, memory)

    def restore(self, saved: Policy) -> None:
        regrets, sums, word = (saved.memory.get(name, np.zeros(0)) for name in ("regrets", "sums", "random"))
        keys = np.column_stack([saved.owner, saved.keys])
        if not len(regrets) == len(sums) == len(saved.actions) or len(word) != 1 or keys.shape[1] != self.sampler.width:
            raise damaged()
        count = int(saved.about["iterations"])
        self.sampler.restore(Learned(keys, saved.start, saved.actions, regrets, sums, count))
        self.sampler.rng.word.value = int(word[0])


def damaged() -> CounterplayError:
    """The error for a file that holds a policy, but not what training needs to continue."""
    return CounterplayError("the file lacks the training state to continue; --fresh starts over")


def learner_for(
    game: Game, method: str, tree: InformationTree | None, seed: int = 0, megabytes: int = MEGABYTES
) -> Learner:
    """A new learner; one that samples stores what fits into `megabytes`."""
    if method in SAMPLING:
        return SamplingLearner(game, method, seed, megabytes)
    if method not in VARIANTS:
        raise CounterplayError(f"no method {method!r} learns by iterations; there are {', '.join(METHODS)}")
    return TreeLearner(game, information_tree(game) if tree is None else tree, method)


class PolicyTraining:
    """A learner on its way to a goal."""

    def __init__(self, learner: Learner, tree: InformationTree | None) -> None:
        self.learner = learner
        self.tree = tree  # None if it is too large: then nothing is evaluated
        self.points: list[Point] = []
        self.seconds = 0.0  # spent on iterations, including earlier runs
        self.stop = threading.Event()  # set it from elsewhere to end the run soon
        self._pace = 1.0  # iterations between two looks at the clock

    def run(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        exploitability: float | None = None,
        save: Callable[[AnyPolicy], None] | None = None,
    ) -> Point:
        """Run until one of these goals is reached or `stop` is set; returns the last point. `save` is called from time
        to time."""
        spent = 0.0
        saving = Saving(lambda: save(self.policy()) if save else None, SAVE_EVERY, first=SAVE_EVERY)
        self.learner.run(0)  # compiles, which is not counted as training
        if not self.points:
            self.judge()
        if exploitability is not None and self.points[-1].exploitability is None:
            raise Unsuitable("the tree is too large to compute exploitability: give --iterations or --time")
        while not (self.stop.is_set() or self.is_done(iterations, exploitability)):
            left = None if seconds is None else seconds - spent
            if left is not None and left <= 0:
                break
            try:
                spent += self.step(iterations, left)
            except OutOfMemory:
                if self.learner.count:
                    saving.save()
                raise
            saving.if_due()
        if self.points[-1].iterations < self.learner.count:
            self.judge()
        return self.points[-1]

    def is_done(self, iterations: int | None, exploitability: float | None) -> bool:
        """Whether a goal is reached."""
        last = self.points[-1]
        enough = exploitability is not None and last.exploitability is not None and last.iterations > 0
        return (iterations is not None and self.learner.count >= iterations) or (
            enough and last.exploitability is not None and last.exploitability <= (exploitability or 0.0)
        )

    def step(self, iterations: int | None, left: float | None) -> float:
        """Run iterations for about BREATH seconds, but not beyond the next mark; returns the seconds that they took."""
        count = self.learner.count
        until = self.next_mark()
        if iterations is not None:
            until = min(until, iterations)
        breath = BREATH if left is None else min(BREATH, left)
        wanted = max(1, min(until - count, int(self._pace * breath / BREATH)))
        whole = getattr(self.learner, "round", 0)
        if whole:  # rounds end as with any other clock, unless time ends the training
            most = whole if left is None else max(1, int(self._pace * left / BREATH))
            wanted = min(whole, most if iterations is None else min(most, iterations - count))
        started = time.perf_counter()
        self.learner.run(wanted)
        passed = time.perf_counter() - started
        self._pace = min(4 * self._pace, max(1.0, wanted * BREATH / max(passed, 1e-9))) if wanted else self._pace
        self.seconds += passed
        if self.learner.count >= self.next_mark():
            self.judge()
        return passed

    def next_mark(self) -> int:
        """The iteration at which the policy is evaluated next."""
        last = self.points[-1].iterations
        return last + max(1, last // 8)

    def judge(self) -> None:
        """Evaluate the policy as it is."""
        found = self.learner.evaluation(self.tree)
        if found is None:
            self.points.append(Point(self.learner.count, self.seconds, None))
            return
        self.points.append(Point(self.learner.count, self.seconds, found.exploitability, found.values))

    def policy(self) -> AnyPolicy:
        """What has been learned so far, and how."""
        made = self.learner.policy()
        last = self.points[-1]
        made.about = {
            "method": self.learner.method,
            "iterations": self.learner.count,
            "seconds": self.seconds,
            "exploitability": last.exploitability,
            "points": [list(point[:3]) for point in self.points],
        }
        return made

    def resume(self, saved: AnyPolicy) -> None:
        """Continue from a saved policy, which must be by the same method."""
        about = saved.about
        if about.get("method") != self.learner.method:
            raise CounterplayError(
                f"the file holds training by {about.get('method')}, not by {self.learner.method}; --fresh starts over"
            )
        try:
            self.points = [Point(int(a), float(b), None if c is None else float(c)) for a, b, c in about["points"]]
            self.seconds = float(about["seconds"])
            self.learner.restore(saved)
        except (KeyError, TypeError, ValueError):
            raise damaged() from None
        if not self.points:
            raise damaged()
        self.points = [point for point in self.points if point.iterations <= self.learner.count] or self.points[:1]

    def time_left(self, iterations: int | None, seconds: float | None, exploitability: float | None) -> float | None:
        """About how many seconds are left to the goal, if known."""
        guesses = []
        count, rate = self.learner.count, self.learner.count / max(self.seconds, 1e-9)
        if iterations is not None and rate:
            guesses.append((iterations - count) / rate)
        if seconds is not None:
            guesses.append(seconds - self.seconds)
        judged = [(p.iterations, p.exploitability) for p in self.points if p.iterations and p.exploitability]
        if exploitability and rate and len(judged) > 6:  # a straight line on logarithmic axes
            (a, high), (b, low) = judged[len(judged) // 2], judged[-1]
            if low is not None and high is not None and low < high:
                slope = math.log(low / high) / math.log(b / a)
                guesses.append((b * (exploitability / low) ** (1 / slope) - count) / rate)
        return max(0.0, min(guesses)) if guesses else None
