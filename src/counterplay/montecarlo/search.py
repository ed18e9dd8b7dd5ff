"""Monte Carlo tree search within a budget: time or simulations, a bounded tree, one thread or several.

    mcts(game, s, simulations=10_000).action
    search = TreeSearch(game, Options(c=1.2)); search.set_position(p); search.run(seconds=1)

Threads share one tree (Chaslot, Winands & van den Herik 2008, with virtual loss) or have one each, and their results at
the root are added up. When the tree is full, all threads wait while its least visited part is dropped. On one thread,
the same seed and simulations make the same tree.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Literal, cast

from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.rng import Rng, mix
from counterplay.core.language.wide import u64
from counterplay.core.playthrough import Playthrough
from counterplay.core.rules import is_over
from counterplay.core.types import State
from counterplay.montecarlo.findings import Findings
from counterplay.montecarlo.options import SimulationOptions
from counterplay.montecarlo.pruning import prune, reroot
from counterplay.montecarlo.simulation import CROWDED, FINISHED, simulate
from counterplay.montecarlo.simulator import Simulator
from counterplay.montecarlo.tree import ROOT, SimulationTree
from counterplay.search.background import run
from counterplay.search.chance.expectiminimax import require_open
from counterplay.search.decision import Decision, Report
from counterplay.search.suitability import require_budget

MEGABYTES = 256.0
MOST_MEGABYTES = 1 << 16
MOST_THREADS = 256
UNLIMITED = 1 << 62

Parallel = Literal["tree", "root"]
Final = Literal["visits", "value"]


class TreeSearch:
    """A search that continues from position to position of a playthrough."""

    def __init__(
        self,
        game: Game,
        options: SimulationOptions = SimulationOptions(),  # noqa: B008 (it never changes)
        *,
        megabytes: float = MEGABYTES,
        threads: int = 1,
        parallel: Parallel = "tree",
        final: Final = "visits",
        seed: int = 0,
        reuse: bool = True,
    ) -> None:
        require_open("mcts", game)
        if options.asks:
            raise CounterplayError(f"select={options.select} needs a policy: use search_by_policy")
        require_memory(megabytes, threads)
        self.game, self.options, self.final, self.reuse = game, options, final, reuse
        self.threads = threads
        count = threads if parallel == "root" else 1
        self.trees = [
            SimulationTree(
                game,
                megabytes / count,
                amaf=options.rave > 0,
                estimates=options.estimates,
            )
            for _ in range(count)
        ]
        self.rngs = [Rng(int(mix(u64(seed) + u64(i)))) if i else Rng(seed) for i in range(threads)]
        self.outs = [cast(ActionStack, action_stack(game)) for _ in range(threads)]
        self.simulators: list[Simulator] = []
        self.state: State = None
        self._start: Any = None
        self._actions: list[int] = []

    # The position.

    def set_position(self, p: Playthrough) -> None:
        """Search the position of `p` from now on. What earlier searches found about it is kept."""
        states, actions = p.states, list(p.actions)
        known = len(self._actions)
        follows = self.state is not None and self._start == states[0] and actions[:known] == self._actions
        played = actions[known:] if follows and self.reuse else None
        for tree in self.trees:
            self._advance(tree, played)
        self._start, self._actions = states[0], actions
        self.state = states[-1]
        self._set_out(p.before)

    def begin(self, s: State, before: Sequence[int] = ()) -> None:
        """Search `s` from now on; `before` are the repetition keys of the positions before it."""
        for tree in self.trees:
            tree.clear()
        self.state, self._start, self._actions = s, s, []
        self._set_out(before)

    def _set_out(self, before: Sequence[int]) -> None:
        if self.simulators and all(simulator.begin_again(before) for simulator in self.simulators):
            return
        shared = self.threads > len(self.trees)
        self.simulators = [Simulator(self.game, self.options, before, threaded=shared) for _ in range(self.threads)]

    def _advance(self, tree: SimulationTree, played: list[int] | None) -> None:
        """Descend a tree along the actions played; if they lead out of it, clear it."""
        node = ROOT
        for action in played if played is not None else []:
            node = next((k for k in tree.children(node) if tree.action[k] == action), -1)
            if node < 0:
                break
        if played is None or node < 0:
            tree.clear()
        elif node != ROOT:
            reroot(tree, node)

    # The search.

    def run(
        self, *, simulations: int | None = None, seconds: float | None = None, report: Report | None = None
    ) -> Decision:
        """Search within the budget (without one, until the root is proven); returns the decision."""
        started = time.perf_counter()
        share = None if simulations is None else -(-simulations // len(self.trees))
        for tree in self.trees:
            tree.tickets[0], tree.limit = 0, UNLIMITED if share is None else share
        for simulator in self.simulators:
            simulator.stopped = False
        gate = Gate(self.threads)

        def worker(i: int) -> Callable[[], None]:
            return lambda: self._work(i, gate)

        def stop() -> None:
            for simulator in self.simulators:
                simulator.stopped = True
            gate.open()

        def tell() -> None:
            if report:
                report(self.found(time.perf_counter() - started))

        run([worker(i) for i in range(self.threads)], stop, seconds, tell if report else None)
        return self.found(time.perf_counter() - started)

    def _work(self, i: int, gate: Gate) -> None:
        """One thread's simulations."""
        tree = self.trees[i % len(self.trees)]
        alone = self.threads == len(self.trees)
        try:
            while (why := self._simulate(i, tree)) == CROWDED:
                if alone:
                    prune(tree)
                else:
                    gate.wait(lambda: prune(tree))
        finally:
            gate.leave(lambda: prune(tree))
        if i == 0 and why == FINISHED:
            gate.await_all()  # the search ends when the first thread does

    def _simulate(self, i: int, tree: SimulationTree) -> int:
        return int(simulate(self.game, self.state, tree, self.simulators[i], self.rngs[i], self.outs[i]))

    def prepare(self) -> None:
        """Compile, or load from the cache, before the clock starts: a search of no simulations."""
        if not self.simulators:
            self.begin(self.game.initial())
        tree = self.trees[0]
        tree.tickets[0], tree.limit = 0, 0
        self._simulate(0, tree)

    def found(self, seconds: float = 0.0) -> Decision:
        """The decision so far."""
        return Findings(self.game, self.state, self.trees, self.simulators).decision(self.final, seconds)


class Gate:
    """A gate at which the threads of a shared tree wait while one of them makes room in it."""

    def __init__(self, threads: int) -> None:
        self._lock = threading.Condition()
        self._running, self._waiting, self._round = threads, 0, 0
        self._is_open = False

    def wait(self, work: Callable[[], None]) -> None:
        """Wait for all other threads; the last one does the work."""
        with self._lock:
            self._waiting += 1
            if self._waiting == self._running:
                self._serve(work)
                return
            this = self._round
            self._lock.wait_for(lambda: self._round != this or self._is_open)

    def leave(self, work: Callable[[], None]) -> None:
        """Note that a thread has ended: the others wait for one less."""
        with self._lock:
            self._running -= 1
            self._lock.notify_all()
            if 0 < self._waiting == self._running and not self._is_open:
                self._serve(work)

    def await_all(self) -> None:
        """Wait until every thread has ended."""
        with self._lock:
            self._lock.wait_for(lambda: self._running == 0 or self._is_open)

    def open(self) -> None:
        """Let all waiting threads go on."""
        with self._lock:
            self._is_open = True
            self._lock.notify_all()

    def _serve(self, work: Callable[[], None]) -> None:
        work()
        self._waiting, self._round = 0, self._round + 1
        self._lock.notify_all()


def mcts(
    game: Game,
    s: State,
    *,
    simulations: int | None = None,
    seconds: float | None = None,
    options: SimulationOptions = SimulationOptions(),  # noqa: B008 (it never changes)
    megabytes: float = MEGABYTES,
    threads: int = 1,
    parallel: Parallel = "tree",
    final: Final = "visits",
    seed: int = 0,
    before: Sequence[int] = (),
    report: Report | None = None,
) -> Decision:
    """The best action in `s` that Monte Carlo tree search finds within a budget; without one, it continues until the
    value is proven.

    `options` are the techniques; `megabytes` bound the tree; `threads` search at once, in one tree or one each
    (`parallel`); `final` is how the action is chosen; `before` are the repetition keys of earlier positions; `report`
    receives the best so far.
    """
    require_simulations(simulations, seconds)
    search = TreeSearch(
        game, options, megabytes=megabytes, threads=threads, parallel=parallel, final=final, seed=seed, reuse=False
    )
    if is_over(game, s, before):
        raise CounterplayError("there is nothing to search: the game is over")
    if game.to_move(s) == CHANCE:
        raise CounterplayError("there is nothing to search: chance moves, and nobody chooses")
    search.begin(s, before)
    search.prepare()
    return search.run(simulations=simulations, seconds=seconds, report=report)


def require_simulations(simulations: int | None, seconds: float | None) -> None:
    """Refuse budgets that allow nothing."""
    require_budget(seconds=seconds)
    if simulations is not None and not 1 <= simulations < UNLIMITED:
        raise CounterplayError(f"simulations={simulations}: a search needs at least 1 simulation")


def require_memory(megabytes: float, threads: int) -> None:
    """Refuse senseless amounts of memory or numbers of threads."""
    if not 0 < megabytes <= MOST_MEGABYTES:
        raise CounterplayError(f"memory={megabytes:g} must be more than 0 and at most {MOST_MEGABYTES} MB")
    if not 1 <= threads <= MOST_THREADS:
        raise CounterplayError(f"threads={threads} must be from 1 to {MOST_THREADS}")
