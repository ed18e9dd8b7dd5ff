"""Monte Carlo CFR by several samplers at once, in rounds.

Each sampler of a round starts from the same table, runs its own iterations with its own seed, and returns how much
regrets and sums have changed; all changes are added to the table in the order of the samplers. The changes are unbiased
samples of regrets, as in one process, and equally many.

During a round, a sampler counts on the others to make the changes that it makes: it starts from regrets scaled down to
its share of the round, so that its own changes weigh more. (Regret matching does not depend on the scale.) The new
table is then the average of tables that each went through the whole round. The squared norm of the positive regrets
grows in each of them by at most what Blackwell's condition allows, and averaging cannot increase it, because it is
convex: so T iterations by S samplers have at worst the bound of T / S iterations by one process, however long the
rounds. Without the scaling, all samplers make the same correction simultaneously and overshoot; Kuhn poker was then
never less exploitable than 0.007.

The length of a round follows from the iterations before it, not from the clock: the same seed and number of samplers
give the same table, wherever they run.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterplay.core.game import Game
from counterplay.core.language.rng import STEP, mix
from counterplay.core.language.wide import u64
from counterplay.equilibrium.mccfr import Learned, Sampler, content, rooms_for
from counterplay.scale.crew import WorkCrew
from counterplay.scale.job import GameParcel, Job, parcel

LEAST = 1
"""The minimum number of a sampler's iterations in a round."""
SHARE = 64
"""Beyond that, a round is at most one part in this many of the iterations before it."""


class SamplersShared(NamedTuple):
    """Data shared by all samplers."""

    game: GameParcel
    outcome: bool
    megabytes: int


class SamplerUnit(NamedTuple):
    """What one sampler does in a round."""

    table: Any  # a shared `Learned`
    seed: int
    iterations: int
    share: float  # of the round


class Change(NamedTuple):
    """What a sampler returns: changes to the numbers in the table, and sets that are new."""

    places: np.ndarray  # [changed] indices of numbers
    regrets: np.ndarray  # [changed]
    sums: np.ndarray  # [changed]
    new: Learned  # sets that were not in the table


class Samplers:
    """A process that samples."""

    def __init__(self, shared: SamplersShared) -> None:
        self.game, self.outcome, self.megabytes = shared.game.open(), shared.outcome, shared.megabytes
        Sampler(self.game, self.outcome).run(0)  # compiles

    def __call__(self, unit: SamplerUnit) -> Change:
        """Sample, and return what changed."""
        table: Learned = unit.table.get()
        before = table._replace(regrets=table.regrets * unit.share)
        sampler = Sampler(self.game, self.outcome, unit.seed, self.megabytes)
        sampler.restore(before)
        sampler.run(unit.iterations)
        return difference(before, content(sampler.table))


def difference(before: Learned, after: Learned) -> Change:
    """The change from `before` to `after`, which continues from it."""
    sets, numbers = len(before.keys), len(before.actions)
    regrets, sums = after.regrets[:numbers] - before.regrets, after.sums[:numbers] - before.sums
    places = np.flatnonzero((regrets != 0) | (sums != 0))
    new = Learned(
        after.keys[sets:], after.start[sets:] - numbers, after.actions[numbers:], after.regrets[numbers:],
        after.sums[numbers:], after.iterations - before.iterations,
    )  # fmt: skip
    return Change(places, regrets[places], sums[places], new)


def merged(before: Learned, changes: list[Change]) -> Learned:
    """A table with all changes added, in their order."""
    regrets, sums = before.regrets.copy(), before.sums.copy()
    for change in changes:
        regrets[change.places] += change.regrets
        sums[change.places] += change.sums
    known: dict[bytes, int] = {}  # of new sets: where their numbers begin
    keys, counts, actions = [before.keys], [np.diff(before.start)], [before.actions]
    extra_regrets, extra_sums = list[np.ndarray](), list[np.ndarray]()
    for change in changes:
        new, lengths = change.new, np.diff(change.new.start)
        fresh = []
        for k in range(len(new.keys)):
            key, part = new.keys[k].tobytes(), slice(int(new.start[k]), int(new.start[k + 1]))
            if key in known:
                extra_regrets[known[key]] += new.regrets[part]
                extra_sums[known[key]] += new.sums[part]
            else:
                known[key] = len(extra_regrets)
                extra_regrets.append(new.regrets[part].copy())
                extra_sums.append(new.sums[part].copy())
                actions.append(new.actions[part])
                fresh.append(k)
        keys.append(new.keys[fresh])
        counts.append(lengths[fresh])
    start = np.concatenate([[0], np.cumsum(np.concatenate(counts))]).astype(np.int64)
    return Learned(
        np.concatenate(keys), start, np.concatenate(actions), np.concatenate([regrets, *extra_regrets]),
        np.concatenate([sums, *extra_sums]), before.iterations + sum(change.new.iterations for change in changes),
    )  # fmt: skip


class SamplingRounds:
    """Training by several samplers, used like a `Sampler`."""

    def __init__(self, game: Game, outcome: bool, seed: int, megabytes: int, crew: WorkCrew, samplers: int) -> None:
        own = Sampler(game, outcome, seed, megabytes)
        self.width, self.rng, self.megabytes, self.seed = own.width, own.rng, megabytes, seed
        self.crew, self.samplers = crew, samplers
        self.content = own.learned()

    def learned(self) -> Learned:
        """What has been learned so far."""
        return self.content

    def restore(self, held: Learned) -> None:
        """Continue from what was learned."""
        rooms_for(held, self.megabytes)
        self.content = held

    @property
    def count(self) -> int:
        """Iterations so far."""
        return int(self.content.iterations)

    @property
    def round(self) -> int:
        """Iterations of the next round."""
        return self.samplers * max(LEAST, self.count // (SHARE * self.samplers))

    def run(self, iterations: int) -> None:
        """Run more iterations, in whole rounds if possible."""
        goal = self.count + iterations
        while self.count < goal:
            wanted = min(self.round, goal - self.count)
            shares = [(wanted + k) // self.samplers for k in range(self.samplers)]
            table = self.crew.share(self.content)
            units = (
                SamplerUnit(table, scatter(self.seed, self.count, k), share, share / wanted)
                for k, share in enumerate(shares)
                if share
            )
            changes = list(self.crew.map(units))
            table.release()
            if len(changes) < sum(share > 0 for share in shares):
                return  # stopped
            self.content = merged(self.content, changes)


def scatter(seed: int, count: int, k: int) -> int:
    """A sampler's seed in a round."""
    h = mix(u64(seed) + STEP)
    return int(mix(mix(h ^ u64(count)) + STEP * u64(k + 1)))


def sampling_job(game: Game, spec: str, outcome: bool, megabytes: int) -> Job:
    """The job of the samplers."""
    shared = SamplersShared(parcel(game, spec), outcome, megabytes)
    return Job("the sampling", "counterplay.equilibrium.sampling_rounds:Samplers", shared)
