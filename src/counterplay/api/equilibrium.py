"""`equilibrium`: strategies from which no player gains by deviating."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

from counterplay.api.matrix_equilibria import CorrelatedResult, MatrixResult, solve_matrix
from counterplay.api.position import AnyGame, game_of
from counterplay.api.result import Result
from counterplay.api.subgame import Spot, SubgameResult, solve_subgame, spot_of
from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.equilibrium.abstraction import abstraction
from counterplay.equilibrium.cfr import VARIANTS
from counterplay.equilibrium.chart import draw_chart, require_chart
from counterplay.equilibrium.information_tree import InformationTree, TooLarge, information_tree
from counterplay.equilibrium.mccfr import MEGABYTES
from counterplay.equilibrium.methods import NORMAL, require_method, usual_method
from counterplay.equilibrium.partitioned_cfr import PartitionedLearner, Trunk, parts_job
from counterplay.equilibrium.plans import PolicyEvaluation, evaluate_policy
from counterplay.equilibrium.policy import Policy, load_policy
from counterplay.equilibrium.public_policy import load_public_policy
from counterplay.equilibrium.public_training import PublicLearner, needs_public_tree
from counterplay.equilibrium.public_tree import public_tree
from counterplay.equilibrium.sampling_rounds import SamplingRounds, sampling_job
from counterplay.equilibrium.sequence_form import solve_sequence_form
from counterplay.equilibrium.training import METHODS, SAMPLING, AnyPolicy, PolicyTraining, SamplingLearner, learner_for
from counterplay.equilibrium.vector_cfr import PublicEvaluation
from counterplay.games.matrix import Matrix
from counterplay.scale.crew import Fleet, crew_for
from counterplay.search.background import run

T = TypeVar("T")

ITERATIONS = {"mccfr": 100_000, "mccfr-outcome": 100_000}
"""The number of iterations without a goal; 1000 for the other methods."""
MOST_JUDGED = 3_000_000
"""For sampling methods, trees of at most this many histories are also held, to evaluate what was learned."""


class Goal(NamedTuple):
    """When to stop: at the first goal reached."""

    iterations: int | None = None
    seconds: float | None = None
    exploitability: float | None = None


def at_once(work: Callable[[], T], doing: str) -> T:
    """Wait for some work without showing progress."""
    return work()


class Listener(NamedTuple):
    """The receiver of the result, and of progress on the way."""

    wait: Callable[[Callable[[], Any], str], Any] = at_once  # calls the work, and can say what is being done
    note: Callable[[str], None] = lambda sentence: None  # a note beside the result
    report: Callable[[PolicyTraining], None] | None = None  # receives the training from time to time


@dataclass(frozen=True, repr=False)
class EquilibriumResult(Result):
    """A policy, what it is worth to each player, and how exploitable it is."""

    game: str
    method: str
    policy: AnyPolicy
    values: tuple[float, ...] | None  # None if the tree is too large to evaluate the policy
    exploitability: float | None
    nash_conv: float | None
    iterations: int
    seconds: float
    information_sets: int
    histories: int | None
    file: Path | None = None
    stopped: bool = False  # by Ctrl-C, before the goal
    names: tuple[str, ...] = ()  # of the players
    caution: str = ""  # what exploitability does not guarantee in such a game

    def to_json(self) -> dict[str, Any]:
        """The result as plain data; `policy.save(file)` keeps the policy."""
        data: dict[str, Any] = {
            "game": self.game,
            "method": self.method,
            "value": None if self.values is None else self.values[0],
            "values": None if self.values is None else list(self.values),
            "exploitability": self.exploitability,
            "nash_conv": self.nash_conv,
            "iterations": self.iterations,
            "seconds": round(self.seconds, 6),
            "information_sets": self.information_sets,
            "histories": self.histories,
        }
        return data | ({} if self.file is None else {"file": str(self.file)})

    def __str__(self) -> str:
        count = f"{self.iterations:,} iterations of {self.method}" if self.iterations else self.method
        told = f"{count} in {self.seconds:.2f} s, {self.information_sets:,} information sets"
        lines = [told + (f": {self.file}" if self.file else "")]
        if self.values is None:
            return "\n".join([*lines, "the tree is too large to evaluate the policy"])
        worth = ", ".join(f"{name} {value:+.6g}" for name, value in zip(self.names, self.values, strict=True))
        return "\n".join([*lines, f"value: {worth}", f"exploitability: {self.exploitability:.3g}{self.caution}"])


def equilibrium(
    game: AnyGame,
    *,
    method: str = "",
    iterations: int | None = None,
    time: float | None = None,
    exploitability: float | None = None,
    output: str | Path | None = None,
    fresh: bool = False,
    plot: str | Path | None = None,
    abstract: bool = False,
    seed: int = 0,
    memory: int | None = None,
    workers: int = 0,
    cluster: str = "",
    samplers: int = 0,
    position: str | None = None,
    ranges: str = "",
    after: str = "",
    progress: Callable[[PolicyTraining], None] | None = None,
) -> EquilibriumResult | MatrixResult | CorrelatedResult | SubgameResult:
    """An equilibrium of a game with hidden information, or of a matrix game.

    `method` is cfr, cfr+, linear, dcfr, pcfr+, mccfr, mccfr-outcome or lp, for matrix games also lemke-howson, all-labels,
    supports, vertices, logit or correlated (default: what suits the game). Learning stops after `iterations`, after `time`
    seconds, at an `exploitability`, or on Ctrl-C. A policy in the file `output` is trained further unless `fresh`. `plot`
    plots the exploitability. `abstract` solves the game's abstraction. Sampling takes `memory` MB and a `seed`; mccfr has
    `samplers` samplers (default: one per core) in `workers` processes or on a Ray `cluster`. `progress` receives the
    training now and then.

    A `position` solves the rest of the hand from there, with `ranges` such as "AA,AKs / QQ+,AQs:0.5" (default: all hands);
    the result is the strategy of every hand after the actions `after`, and `output` ends in .svg or .json.
    """
    goal, fleet = Goal(iterations, time, exploitability), Fleet(workers, cluster, samplers, spec_of(game))
    spot = spot_of(position, ranges, after)
    written, drawn = (None if path is None else Path(path) for path in (output, plot))
    listener = Listener(report=progress)
    return find(game_of(game), method, goal, written, fresh, drawn, abstract, seed, memory, listener, spot, fleet)


def spec_of(game: AnyGame) -> str:
    """A spec by which other processes find the game, if the user gave one."""
    return game if isinstance(game, str) else ""


def find(
    rules: Game,
    method: str,
    goal: Goal,
    file: Path | None,
    fresh: bool,
    plot: Path | None,
    abstract: bool,
    seed: int,
    memory: int | None,
    listener: Listener,
    spot: Spot | None = None,
    fleet: Fleet | None = None,
) -> EquilibriumResult | MatrixResult | CorrelatedResult | SubgameResult:
    """The same for a listener."""
    if spot is not None:
        if abstract or memory is not None or plot is not None:
            raise CounterplayError("--abstract, --memory and --plot are for whole games, not for a position")
        require_goals(method or "cfr+", goal)
        return solve_subgame(
            rules,
            spot,
            method,
            goal,
            file,
            lambda goal, training: run_to(goal, training, None, listener),
            listener.wait,
        )
    method = method or usual_method(rules)
    require_method(rules, method)
    require_goals(method, goal)
    if plot is not None:
        require_chart(plot)
        if method not in METHODS:
            raise CounterplayError(f"{method} is not iterative: there is nothing to plot")
    if memory is not None and not (memory > 0 and method in SAMPLING):
        raise CounterplayError(f"--memory is for {' and '.join(SAMPLING)}, and must be 1 MB or more")
    small = abstraction(rules) if abstract else rules
    if method not in METHODS:
        require_replaceable(small, file, method, fresh)
        if method in NORMAL and not isinstance(rules, Matrix):
            return solve_tree(rules, small, file, listener)
        assert isinstance(rules, Matrix)
        return solve_matrix(rules, method, file, listener.wait, listener.note)
    if goal == Goal():
        goal = Goal(iterations=ITERATIONS.get(method, 1000))
    if fleet is None or not fleet.is_asked_for:
        return learn(rules, small, method, goal, file, fresh, plot, seed, memory, listener)
    if small is not rules:
        raise CounterplayError("--abstract is for one process: leave out --workers and --cluster")
    if method not in SAMPLING:
        if fleet.workers or fleet.lanes or not (rules.has_private_deals and method in VARIANTS):
            raise CounterplayError(
                f"--workers is for {' and '.join(SAMPLING)}; --cluster is also for {', '.join(VARIANTS)} on games whose "
                "public tree can be divided"
            )
        trunk: Trunk = listener.wait(lambda: Trunk(rules), "unrolling the public tree")
        with crew_for(parts_job(rules, fleet.spec or rules.spec, method), 0, fleet.cluster) as crew:
            training = PolicyTraining(PartitionedLearner(rules, trunk, method, crew), None)
            return learn_on(training, rules, small, method, goal, file, fresh, plot, listener)
    job = sampling_job(rules, fleet.spec or rules.spec, SAMPLING[method], memory or MEGABYTES)
    with crew_for(job, fleet.workers, fleet.cluster) as crew:
        lanes = fleet.lanes or crew.size
        sampler = SamplingRounds(rules, SAMPLING[method], seed, memory or MEGABYTES, crew, lanes)
        return learn(rules, small, method, goal, file, fresh, plot, seed, memory, listener, sampler)


def require_goals(method: str, goals: Goal) -> None:
    """Refuse goals that make no sense or that the method does not support."""
    for name, goal in zip(("--iterations", "--time", "--exploitability"), goals, strict=True):
        if goal is not None and not goal > 0:
            raise CounterplayError(f"{name} must be above 0, not {goal:g}")
        if goal is not None and method not in METHODS:
            raise CounterplayError(f"{method} is not iterative: it takes no {name}")


def saved_policy(rules: Game, file: Path | None, fresh: bool) -> AnyPolicy | None:
    """The policy in the file, unless `fresh`."""

    if file is None or fresh or not file.exists():
        return None
    return load_public_policy(rules, file) or load_policy(rules, file)


def require_replaceable(rules: Game, file: Path | None, method: str, fresh: bool) -> None:
    """Refuse to overwrite a policy trained by another method."""

    saved = saved_policy(rules, file, fresh)
    if saved is not None and saved.about.get("method") != method:
        raise CounterplayError(f"{str(file)!r} holds a policy by {saved.about.get('method')}; --fresh replaces it")


def hold_tree(rules: Game, listener: Listener, needed: bool) -> InformationTree | None:
    """The tree; None if it is too large to store just for evaluation."""
    try:
        tree: InformationTree = listener.wait(
            lambda: information_tree(rules) if needed else information_tree(rules, MOST_JUDGED), "unrolling the tree"
        )
    except TooLarge:
        if needed:
            raise
        listener.note("the tree is large: the policy is not evaluated during training")
        return None
    return tree


def solve_tree(rules: Game, small: Game, file: Path | None, listener: Listener) -> EquilibriumResult:
    """Solve by the sequence-form linear program of `small`, the game itself or its abstraction."""
    import scipy.optimize  # noqa: F401 (loading it is not solving)

    own = hold_tree(small, listener, needed=True)
    assert own is not None
    started = perf_counter()
    strategy = listener.wait(lambda: solve_sequence_form(own), "solving the linear program")
    seconds = perf_counter() - started
    policy = Policy.on_tree(small, own, strategy, method="lp")
    tree = own if small is rules else hold_tree(rules, listener, needed=False)
    found = None if tree is None else evaluate_policy(tree, policy.strategy(tree)[0])
    if file is not None:
        policy.about["exploitability"] = None if found is None else found.exploitability
        policy.save(file)
    return result(rules, "lp", policy, found, 0, seconds, own.sets, tree, file)


def learn(
    rules: Game,
    small: Game,
    method: str,
    goal: Goal,
    file: Path | None,
    fresh: bool,
    plot: Path | None,
    seed: int,
    memory: int | None,
    listener: Listener,
    sampler: SamplingRounds | None = None,
) -> EquilibriumResult:
    """Iterate in `small`, the game itself or its abstraction, until the goal is reached or the user stops."""
    training = training_for(rules, small, method, seed, memory, listener, sampler)
    return learn_on(training, rules, small, method, goal, file, fresh, plot, listener)


def learn_on(
    training: PolicyTraining,
    rules: Game,
    small: Game,
    method: str,
    goal: Goal,
    file: Path | None,
    fresh: bool,
    plot: Path | None,
    listener: Listener,
) -> EquilibriumResult:
    """The same with training that can continue from the file."""
    saved = saved_policy(small, file, fresh)
    if saved is not None:
        training.resume(saved)
        listener.note(f"continuing after iteration {training.learner.count:,} of {file}")
    listener.wait(lambda: training.learner.run(0), "compiling")
    stopped = run_to(goal, training, file, listener)
    policy = training.policy()
    if file is not None:
        policy.save(file)
    if plot is not None:
        draw_chart(training.points, f"{rules.spec}, {method}", plot)
    found, tree = training.learner.evaluation(training.tree), training.tree
    count, seconds = training.learner.count, training.seconds
    return result(rules, method, policy, found, count, seconds, len(policy), tree, file, stopped)


def training_for(
    rules: Game,
    small: Game,
    method: str,
    seed: int,
    memory: int | None,
    listener: Listener,
    sampler: SamplingRounds | None = None,
) -> PolicyTraining:
    """New training: over the public tree, the information sets, or samples of `small`."""
    if small is rules and needs_public_tree(rules, method):
        public = listener.wait(lambda: public_tree(rules), "unrolling the public tree")
        return PolicyTraining(PublicLearner(rules, public, method), None)
    own = None if method in SAMPLING else hold_tree(small, listener, needed=True)
    tree = own if own is not None and small is rules else hold_tree(rules, listener, needed=False)
    if sampler is not None:
        return PolicyTraining(SamplingLearner(rules, method, seed, memory or MEGABYTES, sampler), tree)
    return PolicyTraining(learner_for(small, method, own, seed, memory or MEGABYTES), tree)


def run_to(goal: Goal, training: PolicyTraining, file: Path | None, listener: Listener) -> bool:
    """Train to the goal, saving regularly; returns whether the user stopped it."""
    save = None if file is None else lambda policy: policy.save(file)
    report = listener.report

    def work() -> None:
        training.run(*goal, save=save)

    try:
        run(
            [work],
            training.stop.set,
            report=None if report is None else lambda: report(training),
        )
    except KeyboardInterrupt:
        return True
    return False


def result(
    rules: Game,
    method: str,
    policy: AnyPolicy,
    found: PolicyEvaluation | PublicEvaluation | None,
    iterations: int,
    seconds: float,
    sets: int,
    tree: InformationTree | None,
    file: Path | None,
    stopped: bool = False,
) -> EquilibriumResult:
    """The result."""
    return EquilibriumResult(
        game=rules.spec,
        method=method,
        policy=policy,
        values=None if found is None else tuple(found.values),
        exploitability=None if found is None else found.exploitability,
        nash_conv=None if found is None else found.nash_conv,
        iterations=iterations,
        seconds=seconds,
        information_sets=sets,
        histories=None if tree is None else tree.histories,
        file=file,
        stopped=stopped,
        names=tuple(rules.player_name(player) for player in range(rules.players)),
        caution=caution(rules),
    )


def caution(rules: Game) -> str:
    """What exploitability does not guarantee here."""
    if rules.players == 2 and rules.zero_sum:
        return ""
    return " (training may not reach an equilibrium of such a game; the closer to 0, the closer to one)"
