"""`equilibrium`: strategies that nobody gains by leaving."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.cli.options import GameSpec, Json, number, whole_number

if TYPE_CHECKING:
    from counterplay.core.game import Game
    from counterplay.equilibrium.information_tree import InformationTree
    from counterplay.equilibrium.plans import PolicyEvaluation
    from counterplay.equilibrium.policy import Policy
    from counterplay.equilibrium.training import PolicyTraining

ITERATIONS = {"mccfr": 100_000, "mccfr-outcome": 100_000}
"""How many iterations there are where nobody names a goal; of the other methods, 1000."""
MOST_JUDGED = 3_000_000
"""Where a method samples, trees of so many histories are held beside it, to judge what it has learned."""


def equilibrium(
    game: GameSpec,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="METHOD",
            help="How: cfr, cfr+, linear, dcfr, pcfr+, mccfr, mccfr-outcome or lp; for matrix games also lemke-howson, "
            "all-labels, supports, vertices, logit or correlated.",
        ),
    ] = "",
    iterations: Annotated[
        int | None, typer.Option("--iterations", metavar="N", parser=whole_number, help="Stop after N iterations.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--time", metavar="S", parser=number, help="Stop after S seconds.")
    ] = None,
    exploitability: Annotated[
        float | None,
        typer.Option("--exploitability", metavar="E", parser=number, help="Stop when the policy is this good."),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write the policy; one that is there already is trained on."
        ),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start anew, whatever FILE holds.")] = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw how exploitability fell, as .png, .svg or .pdf.")
    ] = None,
    abstract: Annotated[
        bool, typer.Option("--abstract", help="Solve the game's abstraction: what falls into one bucket is one.")
    ] = False,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", parser=whole_number, help="For the methods that sample.")
    ] = 0,
    memory: Annotated[
        int | None,
        typer.Option(
            "--memory", metavar="MB", parser=whole_number, help="What a method that samples may remember, else 4096 MB."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Find an equilibrium of a game with secrets.

    Matrix games are solved directly; others by learning, which Ctrl-C ends with what was learned so far. Exploitability
    is what a player would gain on average by his best response, exact; of a policy for the abstraction, in the true game.
    """
    from counterplay.cli.arguments import open_game
    from counterplay.core.errors import CounterplayError
    from counterplay.equilibrium.abstraction import abstraction
    from counterplay.equilibrium.chart import require_chart
    from counterplay.equilibrium.methods import NORMAL, require_method, usual_method
    from counterplay.equilibrium.training import METHODS, SAMPLING

    rules = open_game(game)
    method = method or usual_method(rules)
    require_method(rules, method)
    require_goals(method, {"--iterations": iterations, "--time": seconds, "--exploitability": exploitability})
    if plot is not None:
        require_chart(plot)
        if method not in METHODS:
            raise CounterplayError(f"{method} solves at once: there is nothing to plot")
    if memory is not None and not (memory > 0 and method in SAMPLING):
        raise CounterplayError(f"--memory is 1 MB or more, for {' and '.join(SAMPLING)}, which sample")
    small = abstraction(rules) if abstract else rules
    if method not in METHODS:
        require_replaceable(small, file, method, fresh)
        if method in NORMAL and not is_matrix(rules):
            solve_tree(game, rules, small, file, json)
        else:
            from counterplay.cli.matrix_equilibria import solve_matrix

            solve_matrix(game, rules, method, file, json)
        return
    if iterations is None and seconds is None and exploitability is None:
        iterations = ITERATIONS.get(method, 1000)
    learn(game, rules, small, method, (iterations, seconds, exploitability), file, fresh, plot, seed, memory, json)


def require_goals(method: str, goals: dict[str, float | None]) -> None:
    """Refuse goals that make no sense, or that a method does not learn towards."""
    from counterplay.core.errors import CounterplayError
    from counterplay.equilibrium.training import METHODS

    for name, goal in goals.items():
        if goal is not None and not goal > 0:
            raise CounterplayError(f"{name} must be above 0, not {goal:g}")
        if goal is not None and method not in METHODS:
            raise CounterplayError(f"{method} solves at once: it takes no {name}")


def is_matrix(rules: Game) -> bool:
    """Whether a game is written as a table."""
    from counterplay.games.matrix import Matrix

    return isinstance(rules, Matrix)


def saved_policy(rules: Game, file: Path | None, fresh: bool) -> Policy | None:
    """The policy that is in the file already, unless it does not count."""
    from counterplay.equilibrium.policy import load_policy

    if file is None or fresh or not file.exists():
        return None
    return load_policy(rules, file)


def require_replaceable(rules: Game, file: Path | None, method: str, fresh: bool) -> None:
    """Refuse to write over what was trained by another method."""
    from counterplay.core.errors import CounterplayError

    saved = saved_policy(rules, file, fresh)
    if saved is not None and saved.about.get("method") != method:
        raise CounterplayError(f"{str(file)!r} holds a policy by {saved.about.get('method')}; --fresh replaces it")


def hold_tree(rules: Game, needed: bool) -> InformationTree | None:
    """The tree; None where it is too large to be held only to judge by it."""
    from counterplay.cli.terminal import note, wait_for
    from counterplay.equilibrium.information_tree import TooLarge, information_tree

    if needed:
        return wait_for(lambda: information_tree(rules), "unrolling the tree")
    try:
        return wait_for(lambda: information_tree(rules, MOST_JUDGED), "unrolling the tree")
    except TooLarge:
        note("the tree is large: the policy is not judged on the way")
        return None


def solve_tree(game: str, rules: Game, small: Game, file: Path | None, json: bool) -> None:
    """By the sequence-form linear program of `small`, the game itself or its abstraction."""
    import time

    import scipy.optimize  # noqa: F401 (loading it is not solving)

    from counterplay.cli.terminal import wait_for
    from counterplay.equilibrium.plans import evaluate_policy
    from counterplay.equilibrium.policy import Policy
    from counterplay.equilibrium.sequence_form import solve_sequence_form

    own = hold_tree(small, needed=True)
    assert own is not None
    started = time.perf_counter()
    strategy = wait_for(lambda: solve_sequence_form(own), "solving the linear program")
    seconds = time.perf_counter() - started
    policy = Policy.on_tree(small, own, strategy, method="lp")
    tree = own if small is rules else hold_tree(rules, needed=False)
    found = None if tree is None else evaluate_policy(tree, policy.strategy(tree)[0])
    if file is not None:
        policy.about["exploitability"] = None if found is None else found.exploitability
        policy.save(file)
    tell(game, rules, "lp", found, 0, seconds, own.sets, tree, file, json)


def learn(
    game: str,
    rules: Game,
    small: Game,
    method: str,
    goal: tuple[int | None, float | None, float | None],
    file: Path | None,
    fresh: bool,
    plot: Path | None,
    seed: int,
    memory: int | None,
    json: bool,
) -> None:
    """By iterations in `small`, the game itself or its abstraction, until the goal is reached or a person has enough."""
    from counterplay.cli.terminal import note, wait_for
    from counterplay.equilibrium.chart import draw_chart
    from counterplay.equilibrium.mccfr import MEGABYTES
    from counterplay.equilibrium.plans import evaluate_policy
    from counterplay.equilibrium.training import SAMPLING, PolicyTraining, learner_for

    saved = saved_policy(small, file, fresh)
    own = None if method in SAMPLING else hold_tree(small, needed=True)
    tree = own if own is not None and small is rules else hold_tree(rules, needed=False)
    training = PolicyTraining(learner_for(small, method, own, seed, memory or MEGABYTES), tree)
    if saved is not None:
        training.resume(saved)
        note(f"going on after iteration {training.learner.count:,} of {file}")
    wait_for(lambda: training.learner.run(0), "compiling")
    stopped = run_with_progress(training, goal, file)
    policy = training.policy()
    if file is not None:
        policy.save(file)
    if plot is not None:
        draw_chart(training.points, f"{rules.spec}, {method}", plot)
    found = None if tree is None else evaluate_policy(tree, training.learner.strategy(tree))
    tell(game, rules, method, found, training.learner.count, training.seconds, len(policy), tree, file, json)
    if stopped:
        note("stopped; " + ("the same command goes on from here" if file else "with -o FILE it could go on later"))
        raise KeyboardInterrupt


def run_with_progress(
    training: PolicyTraining, goal: tuple[int | None, float | None, float | None], file: Path | None
) -> bool:
    """Run to the goal, with a line that says how far it is, saving now and then; whether a person stopped it."""
    import sys

    from counterplay.cli.terminal import console
    from counterplay.search.background import run

    save = None if file is None else lambda policy: policy.save(file)
    status = console(stderr=True).status("training") if sys.stderr.isatty() else None

    def work() -> None:
        training.run(*goal, save=save)

    def report() -> None:
        if status:
            status.update(progress(training, goal))

    if status:
        status.start()
    try:
        run([work], training.stop.set, report=report)
    except KeyboardInterrupt:
        return True
    finally:
        if status:
            status.stop()
    return False


def progress(training: PolicyTraining, goal: tuple[int | None, float | None, float | None]) -> str:
    """How far a training is, in a line."""
    parts = [f"{training.learner.method}, iteration {training.learner.count:,}"]
    last = training.points[-1] if training.points else None
    if last and last.exploitability is not None:
        parts.append(f"exploitability {last.exploitability:.3g}")
    left = training.time_left(*goal)
    if left is not None:
        parts.append(f"about {left:,.0f} s left")
    return ", ".join(parts) + " (Ctrl-C ends it)"


def tell(
    game: str,
    rules: Game,
    method: str,
    found: PolicyEvaluation | None,
    iterations: int,
    seconds: float,
    sets: int,
    tree: InformationTree | None,
    file: Path | None,
    json: bool,
) -> None:
    """What was found, for programs or for people."""
    from counterplay.cli.terminal import console, write_json

    if json:
        data: dict[str, Any] = {
            "game": game,
            "method": method,
            "value": None if found is None else found.values[0],
            "values": None if found is None else list(found.values),
            "exploitability": None if found is None else found.exploitability,
            "nash_conv": None if found is None else found.nash_conv,
            "iterations": iterations,
            "seconds": round(seconds, 6),
            "information_sets": sets,
            "histories": None if tree is None else tree.histories,
        }
        write_json(data | ({} if file is None else {"file": str(file)}))
        return
    out = console()
    count = f"{iterations:,} iterations of {method}" if iterations else method
    out.print(f"{count} in {seconds:.2f} s, {sets:,} information sets" + (f": {file}" if file else ""))
    if found is None:
        out.print("the tree is too large to say what the policy is worth")
        return
    worth = ", ".join(f"{rules.player_name(p)} {value:+.6g}" for p, value in enumerate(found.values))
    out.print(f"value: {worth}")
    out.print(f"exploitability: {found.exploitability:.3g}" + caution(rules))


def caution(rules: Game) -> str:
    """What exploitability does not promise."""
    if rules.players == 2 and rules.zero_sum:
        return ""
    return " (learning need not lead to an equilibrium of such a game; the nearer to 0, the nearer to one)"
